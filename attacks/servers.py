"""Neo4j servers that are killed or whose disk is full during a command, and that start again: whole, and once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from attacks.arena import Arena, answers_in, state_of
from attacks.attack import attack
from attacks.disks import fill, small_disk
from attacks.judges import Outcome, State, behaved, once, whole
from attacks.kills import CASES, Case, judged, prepared
from tools import neo4j_server as servers

__all__: list[str] = []

SMALL = {"db.tx_log.rotation.size": "1m"}
"""A setting by which a log of the server takes 1 MB, and not 256 MB."""


@contextmanager
def _started(arena: Arena, home: Path, password: str | None = None) -> Iterator[Arena]:
    """Start a server, and give the arena on it."""
    with (
        servers.running(home=home, memory="400m", page_cache="64m", config=SMALL, password=password) as server,
        server.driver() as driver,
    ):
        yield replace(arena, address=server.uri, server=server, driver=driver)


def _stands(here: Arena, case: Case, before: State, after: State, done: Outcome) -> None:
    """Judge the store: old or new, new if the command said so, and the command can be repeated."""
    found, answers = judged(here, case, before, after)
    if done.code == 0:
        whole(found, [after])
    behaved(here.run(*case.words), (0, 1, 2))
    with here.open() as store:
        whole(state_of(store), [after])
        once(answers_in(store), answers.items())


@attack("server-kills", "neo4j", share=1.5)
def server_kill(rng: random.Random, arena: Arena) -> int:
    """Kill the server in every command that writes, and restart it: the old state or the new one."""
    case, home = rng.choice(CASES), arena.folder / "home"
    with _started(arena, home) as here:
        assert here.server is not None
        assert here.server.pid is not None
        before, after, (_, seconds) = prepared(here, case)
        child = here.start("--timeout", "3", *case.words)
        time.sleep(rng.uniform(0.0, seconds))
        os.kill(here.server.pid, signal.SIGKILL)
        done, password = behaved(child.wait(), (0, 1, 2, 3)), here.server.password
    with _started(arena, home, password) as here:
        _stands(here, case, before, after, done)
    return 1


@attack("server-full-disk", "neo4j", share=0.5)
def server_full_disk(rng: random.Random, arena: Arena) -> int:
    """Leave little room on the server's disk in every command that writes: whole once there is room again."""
    case = rng.choice(CASES)
    with small_disk(arena.folder, 120) as place:
        home = place / "home"
        with _started(arena, home) as here:
            assert here.server is not None
            before, after, _ = prepared(here, case)
            filler = fill(place, rng.choice([0, 0, rng.randrange(2**14), rng.randrange(2**18)]))
            done, password = behaved(here.run("--timeout", "5", *case.words), (0, 1, 2, 3)), here.server.password
            filler.unlink()
        with _started(arena, home, password) as here:
            _stands(here, case, before, after, done)
    return 1

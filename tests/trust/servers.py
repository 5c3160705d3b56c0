"""kill -9 of the Neo4j server while a command is at work, and its restart: whole, and one answer per release."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace

from tests.trust.arena import Arena, answers_in, state_of
from tests.trust.attack import attack
from tests.trust.judges import behaved, once, whole
from tests.trust.kills import CASES, judged, prepared
from tools import neo4j_server as servers

__all__: list[str] = []


@attack("server-kills", "neo4j", share=1.5)
def server_kill(rng: random.Random, arena: Arena) -> int:
    """kill -9 of the server in every command that writes, and its restart: the old state or the new one"""
    case = rng.choice(CASES)
    home = arena.folder / "home"
    with servers.running(home=home, memory="400m", page_cache="64m") as server, server.driver() as driver:
        here = replace(arena, address=server.uri, server=server, driver=driver)
        before, after, (_, seconds) = prepared(here, case)
        child = here.start("--timeout", "3", *case.words)
        time.sleep(rng.uniform(0.0, seconds))
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        done = behaved(child.wait(), (0, 1, 2, 3))
    with (
        servers.running(home=home, memory="400m", page_cache="64m", password=server.password) as server,
        server.driver() as driver,
    ):
        here = replace(arena, address=server.uri, server=server, driver=driver)
        found, answers = judged(here, case, before, after)
        if done.code == 0:
            whole(found, [after])
        behaved(here.run(*case.words), (0, 1, 2))
        with here.open() as store:
            whole(state_of(store), [after])
            once(answers_in(store), answers.items())
    return 1

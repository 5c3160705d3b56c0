"""The place of an attack: a folder of its own for each try, a store, and commands in processes that may be killed.

The processes are copies of one that has all of neodp loaded, so that each starts at once. A trap (``traps``) kills a
command at a chosen statement or system call; or it is killed from outside at a random moment.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import secrets
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import neo4j

import neodp
from attacks.judges import Failed, Outcome, State
from attacks.traps import KILLS, Trap, set_trap
from neodp.errors import NeodpError, NoMechanism, StaleMechanism
from neodp.ledger.account import Limit
from neodp.ledger.release import Release
from neodp.store import Store, open_store
from neodp.store.records import fingerprint
from tools import neo4j_server as servers

__all__ = ["Arena", "Child", "Impossible", "answers_in", "state_of"]

children = multiprocessing.get_context("forkserver")
children.set_forkserver_preload(["attacks.warm"])

PATIENCE = 300.0
"""The seconds after which a command counts as one that does not end."""


class Impossible(Exception):
    """An attack that this machine does not allow; it counts as not possible, and not as passed."""


class Child:
    """A command that runs in a folder. Its output goes into files in another folder, whose disk is not full."""

    def __init__(
        self, words: tuple[str, ...], folder: Path, logs: Path, environment: Mapping[str, str], trap: Trap | None
    ) -> None:
        self.words = words
        self._files = [logs / f"{name}-{secrets.token_hex(8)}" for name in ("out", "err")]
        self._process = children.Process(
            target=_command, args=(words, str(folder), dict(environment), list(map(str, self._files)), trap)
        )
        self._process.start()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the process a signal, if it runs."""
        with suppress(ProcessLookupError):
            os.kill(int(self._process.pid or 0), number)

    def wait(self) -> Outcome:
        """Wait until the command has ended; return its outcome."""
        self._process.join(PATIENCE)
        code = self._process.exitcode
        if code is None:
            self.kill()
            self._process.join()
        out, err = (file.read_text(errors="replace") if file.exists() else "" for file in self._files)
        for file in self._files:
            file.unlink(missing_ok=True)
        self._process.close()
        return Outcome(self.words, code, out, err)


def _command(
    words: tuple[str, ...], folder: str, environment: dict[str, str], files: list[str], trap: Trap | None
) -> None:
    """Run a command line, with its output in files: the work of a child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until the command begins
    from neodp.cli import main

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, file in enumerate(files, 1):
        opened = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    counted = set_trap(trap) if trap is not None else None
    code = 130
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main(list(words))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("neodp: interrupted before any change was made", file=sys.stderr)  # as python -m neodp says
    sys.stdout.flush()
    sys.stderr.flush()
    if counted is not None and trap is not None and trap.count:
        Path(trap.count).write_text(str(counted[0]))
    os._exit(code)


@dataclass
class Arena:
    """A place for one try.

    Attributes
    ----------
    folder : Path
        The folder in which commands run.
    address : str
        The store.
    shared : Path
        A folder for all tries of a run.
    server, driver : optional
        The Neo4j server, and a driver for it.
    facts : dict
        Results of earlier tries that later ones need, for as long as the run takes.
    """

    folder: Path
    address: str
    shared: Path
    server: servers.Server | None = None
    driver: neo4j.Driver | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of commands."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "NEODP_"))}
        if self.server is not None:
            kept |= {"NEO4J_USERNAME": self.server.user, "NEO4J_PASSWORD": self.server.password}
        return kept

    def at(self, folder: Path) -> Arena:
        """Return the same place in another folder, with an embedded store of its own."""
        return replace(self, folder=folder, address=str(folder / "store.db"))

    def start(self, *words: str, trap: Trap | None = None, address: str | None = None) -> Child:
        """Start a command on the store."""
        return Child(("--store", address or self.address, *words), self.folder, self.shared, self.environment, trap)

    def run(self, *words: str, trap: Trap | None = None, address: str | None = None) -> Outcome:
        """Run a command on the store."""
        return self.start(*words, trap=trap, address=address).wait()

    def killed(self, words: tuple[str, ...], rng: random.Random, work: tuple[int, float]) -> Outcome | None:
        """Run a command and kill it; return None if it ended before that.

        Parameters
        ----------
        work : tuple of int and float
            The number of calls that a trap can choose from, and the seconds that the command takes.
        """
        calls, seconds = work
        if calls and rng.random() < 0.7:
            done = self.run(*words, trap=Trap(rng.randint(1, calls), rng.choice(KILLS), spill=rng.random() < 0.3))
        else:
            child = self.start(*words)
            time.sleep(rng.uniform(0.0, seconds))
            child.kill()
            done = child.wait()
        return done if done.code == -signal.SIGKILL else None

    def work(self, words: tuple[str, ...]) -> tuple[int, float, Outcome]:
        """Run a command; return how many calls it makes, how many seconds it takes, and its outcome."""
        file = self.folder / ".count"
        begin = time.monotonic()
        done = self.run(*words, trap=Trap(0, count=str(file)))
        return int(file.read_text()), time.monotonic() - begin, done

    def open(self) -> Store:
        """Open the store in this process."""
        return open_store(self.address if self.driver is None else self.driver)

    def settle(self) -> None:
        """Give the server some seconds to finish the transactions of clients that were killed."""
        if self.driver is None:
            return
        until = time.monotonic() + 10.0
        others = "SHOW TRANSACTIONS YIELD currentQuery WHERE NOT currentQuery STARTS WITH 'SHOW TRANSACTIONS' RETURN 1"
        while self.driver.execute_query(others, database_="neo4j").records and time.monotonic() < until:
            time.sleep(0.01)

    def empty(self) -> None:
        """Delete everything in the server's database except its constraints."""
        if self.driver is not None:
            self.driver.execute_query("MATCH (n) WHERE NOT n:NeodpSchema DETACH DELETE n", database_="neo4j")


def state_of(store: Store) -> State:
    """Return the facts of a store. A mechanism is audited; an unfinished graph must not be readable."""
    facts: dict[str, str] = {}
    for info in store.graphs():
        if info.state != "ready":
            _unreadable(store, info.name)
            continue
        graph = store.read(info.name)
        if (len(graph), graph.edges) != (info.datasets, info.edges):
            raise Failed(f"graph {info.name!r} has {len(graph)} datasets and says {info.datasets}")
        facts[f"graph {info.name}"] = fingerprint(graph)[:16]
        try:
            stored = store.mechanism(info.name)
        except (NoMechanism, StaleMechanism):
            facts[f"mechanism {info.name}"] = "none"
            if store.dialect == "embedded":
                rows = store.column(info.name, "p_true").sort_by("key").to_pydict()
                facts[f"evaluated {info.name}"] = hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
            continue
        if not stored.stale and not neodp.audit(graph, stored.mechanism):
            raise Failed(f"the mechanism of {info.name!r} is not private")
        facts[f"mechanism {info.name}"] = hashlib.sha256(stored.mechanism.probabilities.tobytes()).hexdigest()[:16]
    for population in store.populations():
        ledger = store.ledger(population)
        if ledger.limit != Limit():  # else nobody has set it
            facts[f"limit {population}"] = str(ledger.limit)
        facts |= {f"release {r.graph} {r.name}": _asked(r) for r in ledger.releases}
    for profile in store.profiles.all():
        if profile.state == "ready":
            read = store.profiles.read(profile.name)
            users, items = read.users.to_pylist(), read.items.to_pylist()
            likes = zip(read.user, read.item, read.value.tolist(), read.weight.tolist(), strict=True)
            rows = sorted((users[u], items[i], value, weight) for u, i, value, weight in likes)
            content = repr((sorted(users), sorted(items), rows)).encode()
            facts[f"profiles {profile.name}"] = hashlib.sha256(content).hexdigest()[:16]
    return facts


def _asked(release: Release) -> str:
    """Return the question of a release without its random token, and without the folder, which is a try's own."""
    asked = {name: fact for name, fact in json.loads(release.asked).items() if name != "token"}
    if "table" in asked:
        asked["table"] = Path(asked["table"]).name
    return json.dumps(asked)


def _unreadable(store: Store, name: str) -> None:
    try:
        store.read(name)
    except NeodpError:
        return
    raise Failed(f"{name!r} is marked as unfinished, and can be read")


def answers_in(store: Store) -> dict[str, str]:
    """Return the answers of a store by the names of their subjects and releases."""
    ledgers = map(store.ledger, store.populations())
    return {f"{release.graph} {release.name}": release.answer for ledger in ledgers for release in ledger.releases}

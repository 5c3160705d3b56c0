"""Where attacks happen: a folder of its own for each try, a store, and commands in processes that may be killed.

The processes are copies of one that has all of neodp loaded, so that each starts at once. A command can be told to kill
itself at its n-th statement or commit; then the kill is where it hurts. Or somebody else kills it at any time.
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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neo4j

import neodp
from neodp.errors import NeodpError, NoMechanism, StaleMechanism
from neodp.release import Limit, Release
from neodp.store import Store, open_store
from neodp.store.records import fingerprint
from attacks.judges import Failed, Outcome, State
from tools import neo4j_server as servers

__all__ = ["Arena", "Child", "Impossible", "Trap", "answers_in", "state_of"]

children = multiprocessing.get_context("forkserver")
children.set_forkserver_preload(["attacks.warm"])

PATIENCE = 300.0
"""After how many seconds a command counts as one that does not end."""


class Impossible(Exception):
    """This machine does not allow an attack: it counts as not possible, and not as passed."""


@dataclass(frozen=True)
class Trap:
    """Kill the process at its n-th statement or commit, before or after it; 0 only counts them, into a file."""

    at: int
    before: bool = True
    count: str = ""


class Child:
    """A command that runs in a folder; what it prints goes into files in another one, whose disk is not full."""

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
        """End it with a signal, if it runs."""
        with suppress(ProcessLookupError):
            os.kill(int(self._process.pid or 0), number)

    def wait(self) -> Outcome:
        """What it did, once it has ended."""
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
    """What a child does: run a command line, with its output in files."""
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
    counted = _set(trap) if trap is not None else None
    code = 130
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main(list(words))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("neodp: interrupted before anything was done", file=sys.stderr)  # as python -m neodp says
    sys.stdout.flush()
    sys.stderr.flush()
    if counted is not None and trap is not None and trap.count:
        Path(trap.count).write_text(str(counted[0]))
    os._exit(code)


def _set(trap: Trap) -> list[int]:
    """Have statements and commits counted, and the process killed at one of them."""
    import ladybug
    from neo4j import ManagedTransaction
    from neo4j._sync.work.transaction import TransactionBase

    counted = [0]

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            counted[0] += 1
            here = counted[0] == trap.at
            if here and trap.before:
                os.kill(os.getpid(), signal.SIGKILL)
            result = original(*args, **options)
            if here:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return run

    places: list[tuple[Any, str]] = [
        (ladybug.Connection, "execute"),
        (ManagedTransaction, "run"),
        (TransactionBase, "_commit"),
    ]
    for owner, name in places:
        setattr(owner, name, watched(getattr(owner, name)))
    return counted


@dataclass
class Arena:
    """A place for one try: a folder, the address of a store, and what leads commands to it.

    `server` is the Neo4j server where there is one, and `driver` is one for it; `shared` is a folder for all tries of a
    run.
    """

    folder: Path
    address: str
    shared: Path
    server: servers.Server | None = None
    driver: neo4j.Driver | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    """What one try found out and the next ones need not, for as long as the run takes."""

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "NEODP_"))}
        if self.server is not None:
            kept |= {"NEO4J_USERNAME": self.server.user, "NEO4J_PASSWORD": self.server.password}
        return kept

    def start(self, *words: str, trap: Trap | None = None, address: str | None = None) -> Child:
        """Start a command on the store."""
        return Child(("--store", address or self.address, *words), self.folder, self.shared, self.environment, trap)

    def run(self, *words: str, trap: Trap | None = None, address: str | None = None) -> Outcome:
        """Run a command on the store."""
        return self.start(*words, trap=trap, address=address).wait()

    def killed(self, words: tuple[str, ...], rng: random.Random, work: tuple[int, float]) -> Outcome | None:
        """Run a command and kill it, at one of so many statements or within so many seconds; None if it was faster."""
        statements, seconds = work
        if rng.random() < 0.5:
            done = self.run(*words, trap=Trap(rng.randint(1, max(statements, 1)), rng.random() < 0.5))
        else:
            child = self.start(*words)
            time.sleep(rng.uniform(0.0, seconds))
            child.kill()
            done = child.wait()
        return done if done.code == -signal.SIGKILL else None

    def work(self, words: tuple[str, ...]) -> tuple[int, float, Outcome]:
        """How many statements a command takes, and how many seconds, by running it."""
        file = self.folder / ".count"
        begin = time.monotonic()
        done = self.run(*words, trap=Trap(0, count=str(file)))
        return int(file.read_text()), time.monotonic() - begin, done

    def open(self) -> Store:
        """The store, in this process."""
        return open_store(self.address if self.driver is None else self.driver)

    def settle(self) -> None:
        """Give the server some seconds to end what clients have sent that are gone."""
        if self.driver is None:
            return
        until = time.monotonic() + 10.0
        others = "SHOW TRANSACTIONS YIELD currentQuery WHERE NOT currentQuery STARTS WITH 'SHOW TRANSACTIONS' RETURN 1"
        while self.driver.execute_query(others, database_="neo4j").records and time.monotonic() < until:
            time.sleep(0.01)

    def empty(self) -> None:
        """Take everything out of the server's database, but for its constraints."""
        if self.driver is not None:
            self.driver.execute_query("MATCH (n) WHERE NOT n:NeodpSchema DETACH DELETE n", database_="neo4j")


def state_of(store: Store) -> State:
    """What is in a store and whole. A mechanism is audited; what is marked as unfinished must not be readable."""
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
    """What was asked, but for what is drawn anew each time, and for the folder, which each try has for itself."""
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
    """The answers that are kept, by the names of their subjects and releases."""
    ledgers = map(store.ledger, store.populations())
    return {f"{release.graph} {release.name}": release.answer for ledger in ledgers for release in ledger.releases}

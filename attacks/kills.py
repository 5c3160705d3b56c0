"""Kills and Ctrl-C in every command that writes: the old state or the new one, and one answer per release."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

import neodp
from attacks.arena import Arena, answers_in, state_of
from attacks.attack import attack
from attacks.judges import Failed, State, behaved, exact, once, whole
from neodp import generate
from neodp.ledger.account import Limit
from neodp.store import Store
from neodp.stretch.profiles import Profiles

__all__ = ["CASES", "Case", "prepared"]


@dataclass(frozen=True)
class Case:
    """A command that writes, and the content of the store before it.

    Attributes
    ----------
    name : str
    before : callable
        Fills an empty store.
    words : tuple of str
        The command.
    voids : str
        A graph whose old mechanism may be gone although the new one is not there: on Neo4j a mechanism is written in
        several transactions, and counts only when all are done.
    """

    name: str
    before: Callable[[Store], object]
    words: tuple[str, ...]
    voids: str = ""


def absent(store: Store) -> None:
    """Leave the store as it is; there is no embedded file yet."""


def nothing(store: Store) -> None:
    """Make the tables or constraints only."""
    store.init()


def graph(store: Store) -> None:
    """Load a graph with alpha and a mechanism, and leave room for answers."""
    made = generate.grid(12, 12, epsilon=0.5)
    store.load("g", made.with_alpha(neodp.balanced(made)))
    store.write("g", neodp.extend(store.read("g")))
    store.allow("default", Limit(3))


def plain(store: Store) -> None:
    """Load a graph and write other alpha than its mechanism was made for."""
    graph(store)
    read = store.read("g")
    store.write_alpha("g", read.with_alpha(neodp.homogeneous(read, 0.8)))


def certified(store: Store) -> None:
    """Load a graph that answers may be given about, and give one."""
    graph(store)
    store.certify("g")
    store.answer("g", "3-4", "first")


def profiles(store: Store) -> None:
    """Load the profiles of a few users."""
    users, items = [f"u{i % 40}" for i in range(200)], [f"i{i % 23}" for i in range(200)]
    store.profiles.load("p", Profiles.from_columns(users, items, 1.0, 0.5, name="p"))
    store.allow("default", Limit(3))


POLL = ("poll", "people.csv", "--vote", "vote", "--epsilon", "epsilon", "--release", "r")
CASES = [
    Case("first load", absent, ("load", "g", "nodes.csv", "edges.csv")),
    Case("first poll", absent, POLL),
    Case("load", nothing, ("load", "g", "nodes.csv", "edges.csv")),
    Case("load --replace", graph, ("load", "g", "nodes.csv", "edges.csv", "--replace")),
    Case("generate", nothing, ("generate", "grid", "g", "15", "15", "--balanced")),
    Case("generate --replace", certified, ("generate", "grid", "g", "15", "15", "--balanced", "--replace")),
    Case("boundary --write", graph, ("boundary", "g", "--alpha", "0.7", "--write")),
    Case("extend", plain, ("extend", "g"), voids="g"),
    Case("eval --write", plain, ("eval", "g", "3-4", "5-5", "--write")),
    Case("answer", graph, ("answer", "g", "5-6", "--release", "r")),
    Case("answer again", certified, ("answer", "g", "5-6", "--release", "r")),
    Case("answer --constant-work", certified, ("answer", "g", "5-6", "--release", "r", "--constant-work")),
    Case("budget", certified, ("budget", "--releases", "7", "--epsilon", "2")),
    Case("drop", certified, ("drop", "g", "--yes")),
    Case("poll --release", nothing, POLL),
    Case("stretch load", nothing, ("stretch", "load", "ratings.csv", "--name", "p")),
    Case("stretch load --replace", profiles, ("stretch", "load", "ratings.csv", "--name", "p", "--replace")),
    Case("stretch drop", profiles, ("stretch", "drop", "p", "--yes")),
    Case(
        "stretch similarity", profiles, ("stretch", "similarity", "p", "u1", "u2", "--epsilon", "1", "--release", "r")
    ),
    Case("stretch neighbors", profiles, ("stretch", "neighbors", "p", "--epsilon", "1", "--write", "--release", "r")),
    Case("init", nothing, ("init",)),
]


def tables(arena: Arena) -> None:
    """Write the files that commands read."""
    generate.grid(10, 11).to_csv(arena.folder / "nodes.csv", arena.folder / "edges.csv")
    people = "".join(f"{'yes' if i % 3 else 'no'},{0.5 + i % 2}\n" for i in range(31))
    (arena.folder / "people.csv").write_text("vote,epsilon\n" + people)
    ratings = "".join(f"v{i % 50},j{i % 29},{1 + i % 5}\n" for i in range(200))
    (arena.folder / "ratings.csv").write_text("user,item,rating\n" + ratings)


def prepared(arena: Arena, case: Case) -> tuple[State, State, tuple[int, float]]:
    """Bring the store into a case's state; return that state, the one after the command, and the work it takes."""
    tables(arena)
    known = arena.facts.get(case.name)
    if known is None:
        _put(arena, case)
        with arena.open() as store:
            before = state_of(store)
        statements, seconds, done = arena.work(case.words)
        if done.code != 0:
            raise Failed(f"it does not work even if nobody kills it: {done}")
        with arena.open() as store:
            known = arena.facts[case.name] = before, state_of(store), (statements, seconds)
        arena.empty()
    _put(arena, case)
    found: tuple[State, State, tuple[int, float]] = known
    return found


def _put(arena: Arena, case: Case) -> None:
    """Fill the store. An embedded file is made once for a run, and copied."""
    if arena.server is not None:
        with arena.open() as store:
            case.before(store)
        return
    kept = arena.shared / f"{case.before.__name__}.db"
    if not kept.exists():
        with neodp.open_store(kept) as store:
            case.before(store)
    for old in arena.folder.glob("store.db*"):
        old.unlink()
    if case.before is not absent:
        shutil.copy(kept, arena.address)


def judged(arena: Arena, case: Case, before: State, after: State) -> tuple[State, dict[str, str]]:
    """Judge the state after a kill; return it, and the answers that are kept."""
    arena.settle()
    with arena.open() as store:
        found, answers = state_of(store), answers_in(store)
        ledger = store.ledger("default")
    between = [{**before, f"mechanism {case.voids}": "none"}] if case.voids and arena.server is not None else []
    whole(found, [before, after, *between])
    exact(len(ledger.releases), max(ledger.limit.releases or 1, 1), [(name, "") for name in answers])
    return found, answers


@attack("kills", "embedded", "neo4j", "plugin", share=3.0)
def kill(rng: random.Random, arena: Arena) -> int:
    """Kill the client at any statement, system call or moment of every command that writes."""
    case = rng.choice(CASES)
    before, after, work = prepared(arena, case)
    kills = 0
    for _ in range(3):  # a store that was killed is killed again
        died = arena.killed(case.words, rng, work)
        kills += died is not None
        found, answers = judged(arena, case, before, after)
        if died is None or found == after:
            break
    if kills == 0:
        return 0
    if case.name.startswith(("answer", "poll")) or rng.random() < 0.3:
        again = behaved(arena.run(*case.words), (0, 1, 2))
        last, kept = judged(arena, case, before, after)
        once(kept, answers.items())
        if again.code == 0:
            whole(last, [after])
        elif found != after:
            raise Failed(f"the command cannot be repeated: {again}")
    return kills


@attack("interrupts", "embedded", "neo4j")
def interrupt(rng: random.Random, arena: Arena) -> int:
    """Press Ctrl-C at any moment of every command that writes: one sentence, and the old state or the new one."""
    case = rng.choice(CASES)
    before, after, (_, seconds) = prepared(arena, case)
    child = arena.start(*case.words)
    time.sleep(rng.uniform(0.0, seconds))
    child.kill(signal.SIGINT)
    done = child.wait()
    if done.code in (-signal.SIGINT, 1) and not done.out and not done.err:
        return 0  # it had not begun: the new process was still Python's own
    behaved(done, (0, 130))
    judged(arena, case, before, after)
    return int(done.code == 130)

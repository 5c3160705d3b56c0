"""Races of several processes: one answer per release, no more than is allowed, and no mixture."""

from __future__ import annotations

import random

import neodp
from attacks.arena import Arena, answers_in, state_of
from attacks.attack import attack
from attacks.judges import Failed, Outcome, behaved, exact, once
from neodp import generate
from neodp.ledger.account import Limit
from neodp.store import Store

__all__ = ["CHANGES"]

CHANGES: list[tuple[str, ...]] = [
    ("generate", "path", "g", "40", "--balanced", "--replace"),
    ("generate", "grid", "g", "6", "7", "--balanced", "--replace"),
    ("extend", "g"),
    ("boundary", "g", "--balanced", "--write"),
    ("boundary", "g", "--alpha", "0.8", "--write"),
    ("eval", "g", "3", "--write"),
    ("drop", "g", "--yes"),
    ("budget", "--releases", "2"),
    ("list",),
    ("audit", "g"),
    ("releases",),
]
"""Commands that race with answers and with each other; '3' is a dataset of a path only."""


def path(store: Store) -> None:
    """Load a path that answers may be given about."""
    made = generate.path(40)
    store.load("g", made.with_alpha(neodp.balanced(made)))
    store.certify("g")


def given(done: list[Outcome]) -> list[tuple[str, str]]:
    """Return the answers that commands gave, with their subjects and releases."""
    asked = [one for one in done if one.code == 0 and "answer" in one.words]
    return [(f"g {one.words[one.words.index('--release') + 1]}", one.out.strip()) for one in asked]


@attack("answers", "embedded", "neo4j", "plugin")
def answers(rng: random.Random, arena: Arena) -> int:
    """Let several processes ask at once: one answer per release, and exactly as many as the budget allows."""
    allowed, names = rng.randint(1, 4), [f"r{i}" for i in range(rng.randint(1, 5))]
    with arena.open() as store:
        path(store)
        store.allow("default", Limit(allowed))
    asked = [rng.choice(names) for _ in range(rng.randint(3, 8))]
    started = [arena.start("answer", "g", str(rng.randrange(40)), "--release", name) for name in asked]
    done = [behaved(one.wait(), (0, 1)) for one in started]
    with arena.open() as store:
        kept, spent = answers_in(store), len(store.ledger().releases)
    once(kept, given(done))
    exact(spent, allowed, given(done))
    if spent != min(allowed, len(set(asked))):
        raise Failed(f"{spent} of {allowed} releases were given, and {len(set(asked))} were asked for")
    for name in set(asked):  # all who asked under one name were told the same, or all were refused
        codes = {one.code for one in done if one.words[-1] == name}
        if len(codes) != 1:
            raise Failed(f"of those who asked under one name some were refused: {[str(one) for one in done]}")
    return 1


@attack("writers", "embedded", "neo4j", "plugin")
def writers(rng: random.Random, arena: Arena) -> int:
    """Let several processes replace, extend, drop, answer and read at once: no mixture, no wrong words."""
    with arena.open() as store:
        path(store)
        store.allow("default", Limit(2))
    chosen = [*rng.sample(CHANGES, rng.randint(2, 3)), *_answers(rng)]
    rng.shuffle(chosen)
    done = [behaved(one.wait(), (0, 1, 2, 3)) for one in [arena.start(*words) for words in chosen]]
    with arena.open() as store:
        state_of(store)  # every graph is as it says it is, and every mechanism is private or known to be stale
        kept, spent = answers_in(store), len(store.ledger().releases)
    once(kept, given(done))
    exact(spent, 2, given(done))
    for one in done:
        if arena.server is None and one.code == 3 and "is in use by" not in one.err:
            raise Failed(f"wrong words for a file that is in use: {one}")
        if arena.server is not None and one.code == 3:
            raise Failed(f"wrong words for a race: {one}")
    return 1


def _answers(rng: random.Random) -> list[tuple[str, ...]]:
    return [("answer", "g", "3", "--release", rng.choice(["r", "s"])) for _ in range(rng.randint(0, 2))]

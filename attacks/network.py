"""Connections to Neo4j that a proxy cuts: changes are whole, and messages are true."""

from __future__ import annotations

import random

from attacks.arena import Arena
from attacks.attack import attack
from attacks.judges import Failed, Outcome, State, behaved, once, whole
from attacks.kills import CASES, judged, prepared
from tests.proxy import COMMIT, PULL, Proxy, Where

__all__ = ["honest"]

READS: list[tuple[str, ...]] = [
    ("list",),
    ("show", "g"),
    ("check", "g"),
    ("eval", "g", "3-4", "0-0"),
    ("audit", "g"),
    ("export", "g", "out"),
    ("releases",),
    ("query", "summary", "g"),
]


def honest(done: Outcome, found: State, before: State, after: State) -> None:
    """Judge the message of a command: done, not done, or that this is not known."""
    unknown = "may have been done" in done.err
    if done.code == 0:
        whole(found, [after])
    elif unknown and done.code != 3:
        raise Failed(f"an unknown outcome has exit code 3: {done}")
    elif found == after != before and not unknown:
        raise Failed(f"it was done, and the message does not say that it may have been: {done}")


def _proxy(arena: Arena) -> Proxy:
    assert arena.server is not None
    made: Proxy | None = arena.facts.get("network: proxy")
    if made is None:
        made = arena.facts["network: proxy"] = Proxy(int(arena.server.uri.rsplit(":", 1)[1]))
    return made


def _cut(rng: random.Random, arena: Arena, words: tuple[str, ...], message: bytes, where: Where) -> Outcome | None:
    """Run a command through the proxy, which cuts it somewhere; return None if it ended before that."""
    proxy = _proxy(arena)
    proxy.at(message, where, times=rng.choice([1, 1, 2, 100]), skip=rng.randint(0, 6 if message == PULL else 3))
    done = arena.run("--timeout", "2", *words, address=f"bolt://127.0.0.1:{proxy.port}")
    cut = proxy.done
    proxy.rest()
    return done if cut else None


def _write(rng: random.Random, arena: Arena, message: bytes, where: Where) -> int:
    case = rng.choice(CASES)
    before, after, _ = prepared(arena, case)
    done = _cut(rng, arena, case.words, message, where)
    if done is None:
        return 0
    behaved(done, (0, 1, 2, 3))
    found, answers = judged(arena, case, before, after)
    honest(done, found, before, after)
    if case.name.startswith(("answer", "poll")):
        again = behaved(arena.run(*case.words), (0,))
        _, kept = judged(arena, case, before, after)
        once(kept, answers.items())
        if done.code == 0 and again.out != done.out:
            raise Failed(f"two answers under one name: {done.out!r} and {again.out!r}")
    return 1


@attack("cut-before-commit", "neo4j", "plugin")
def before_commit(rng: random.Random, arena: Arena) -> int:
    """Cut the connection before COMMIT arrives, in every command that writes."""
    return _write(rng, arena, COMMIT, "before")


@attack("cut-after-commit", "neo4j", "plugin")
def after_commit(rng: random.Random, arena: Arena) -> int:
    """Lose the reply to COMMIT, in every command that writes."""
    return _write(rng, arena, COMMIT, "after")


@attack("cut-within", "neo4j", "plugin")
def within(rng: random.Random, arena: Arena) -> int:
    """Cut the connection within a result, or before it, in commands that write or read."""
    where: Where = rng.choice(["before", "after", "within", "within"])
    if rng.random() < 0.5:
        return _write(rng, arena, PULL, where)
    return _read(rng, arena, where)


@attack("stalls", "neo4j", "plugin", share=0.7)
def stall(rng: random.Random, arena: Arena) -> int:
    """Let the server fall silent, in commands that write or read: they end, and say so."""
    if rng.random() < 0.5:
        return _write(rng, arena, rng.choice([COMMIT, PULL]), "stall")
    return _read(rng, arena, "stall")


def _read(rng: random.Random, arena: Arena, where: Where) -> int:
    case = next(case for case in CASES if case.name == "answer --constant-work")
    before, *_ = prepared(arena, case)
    words = rng.choice(READS)
    calm = arena.run(*words)
    for file in (arena.folder / "out").glob("*"):
        file.unlink()
    done = _cut(rng, arena, words, PULL, where)
    if done is None:
        return 0
    behaved(done, (0, 3))
    if done.code == 0 and done.out != calm.out:
        raise Failed(f"it says {done.out!r} where it says {calm.out!r} without a cut")
    if done.code == 3 and not any(word in done.err for word in ("was lost", "was silent")):
        raise Failed(f"wrong words for a lost connection: {done}")
    judged(arena, case, before, before)
    return 1

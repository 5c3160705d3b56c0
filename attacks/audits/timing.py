"""Timing audits: does the clock tell which dataset was asked for?

Two datasets that are far apart are asked for in turns, in random order, so that whatever else happens on the machine
meets both. The difference of their medians is compared with what it would be if the labels were shuffled: a permutation
test, valid whatever the distribution of times. The *power* comes from the same shuffles: a shift of all times of one
dataset by ``noticed`` would be noticed in 95 of 100 tries.

``count`` looks at the work instead: every function that is called, and every statement that a store runs, by name.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import neodp
from attacks.audits.subjects import Forgetful
from neodp import generate
from neodp.compiled.compiler import WORK_BEFORE_COMPILING
from neodp.ledger.account import Limit
from neodp.store import Store, open_store

__all__ = ["Compared", "Work", "answers", "compared", "count", "polls"]

Work = Mapping[str, Callable[[], object]]
"""The same question about two datasets, by what they are called."""

LEVEL = 0.001
"""The probability with which a shuffled order may look like a difference."""
SHUFFLES = 5_000
HOME = str(Path(neodp.__file__).parent)


@dataclass(frozen=True)
class Compared:
    """The times of two datasets.

    Attributes
    ----------
    medians : tuple of float
        In seconds.
    chance : float
        How often labels that are shuffled give a difference of medians as large: below LEVEL, the clock tells.
    noticed : float
        The smallest shift, in seconds, that would have been noticed in 95 of 100 tries.
    """

    names: tuple[str, str]
    n: int
    medians: tuple[float, float]
    chance: float
    noticed: float


def compared(work: Work, n: int, seed: int = 1) -> Compared:
    """Ask about either dataset n times, in turns."""
    rng = np.random.default_rng(seed)
    names = tuple(work)
    spent: dict[str, list[float]] = {name: [] for name in names}
    for ask in work.values():
        ask()
    for _ in range(n):
        for name in rng.permutation(names).tolist():
            start = time.perf_counter()
            work[name]()
            spent[name].append(time.perf_counter() - start)
    one, other = (np.array(spent[name]) for name in names)
    medians = float(np.median(one)), float(np.median(other))
    return Compared((names[0], names[1]), n, medians, _chance(one, other, rng), _noticed(one, other, rng))


Times = NDArray[np.float64]


def _chance(one: Times, other: Times, rng: np.random.Generator, shuffles: int = SHUFFLES) -> float:
    both, n = np.concatenate([one, other]), len(one)
    found = abs(np.median(one) - np.median(other))
    mixed = rng.permuted(np.tile(both, (shuffles, 1)), axis=1)
    far = np.abs(np.median(mixed[:, :n], axis=1) - np.median(mixed[:, n:], axis=1)) >= found
    return float((far.sum() + 1) / (shuffles + 1))


def _noticed(one: Times, other: Times, rng: np.random.Generator) -> float:
    """Return the shift whose median difference is beyond the shuffled ones' bound 95 times of 100."""
    both, n = np.concatenate([one, other]), len(one)
    mixed = rng.permuted(np.tile(both, (SHUFFLES, 1)), axis=1)
    apart = np.median(mixed[:, :n], axis=1) - np.median(mixed[:, n:], axis=1)
    return float(np.quantile(np.abs(apart), 1.0 - LEVEL) + np.quantile(apart, 0.95))


# --- what is asked --------------------------------------------------------------------------------------------------


@contextmanager
def answers(store: Store, size: int) -> Iterator[Work]:
    """Give ``answer --constant-work`` at the boundary of a grid, and in its corner."""
    graph = generate.grid(size, size)
    graph = graph.with_alpha(neodp.balanced(graph))
    store.load("grid", graph, replace=True)
    store.allow("default", Limit(10**9))
    number = iter(range(store.account().used, 10**9))
    stored = neodp.extend(graph)
    order = np.argsort(stored.p_true)

    def ask(dataset: int) -> Callable[[], object]:
        key = graph.key(int(dataset))
        return lambda: store.answer("grid", key, f"r{next(number):09}", constant_work=True)

    yield {"at the boundary": ask(int(order[0])), "in the corner": ask(int(order[-1]))}


def polls(people: int, options: str = "yes,no", mechanism: str = "balanced") -> Work:
    """Return ``poll --release`` where one vote decides, and where all but the last one or two agree.

    So all people of epsilon 0.5 agree. Each option occurs, since a table with fewer words is read in less time.
    """
    names = options.split(",")
    query = "majority" if len(names) == 2 else "plurality"

    def ask(first: int) -> Callable[[], object]:
        rest = [names[1 + i % (len(names) - 1)] for i in range(people - first)]
        table = {"vote": [names[0]] * first + rest, "epsilon": [0.5, 1.0] * (people // 2 - 1) + [1.0] * 2}
        how: Any = {"vote": "vote", "epsilon": "epsilon", "query": query, "options": options, "mechanism": mechanism}
        return lambda: neodp.poll(table, **how).release(Forgetful(), "r")

    return {"one vote decides": ask(people // len(names) + 1), "nearly all agree": ask(people + 1 - len(names))}


@contextmanager
def embedded() -> Iterator[Store]:
    """Give a store of its own."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        yield store


# --- the work, counted ----------------------------------------------------------------------------------------------


def count(ask: Callable[[], object]) -> Counter[str]:
    """Return how often each function of neodp is called, and each that neodp calls.

    What libraries do inside is not counted: a pool may or may not start another thread. Functions that are worth
    compiling make other calls until they are (:mod:`neodp.compiled.compiler`), so they are compiled first, and what is
    counted came twice.
    """
    large = generate.path(2 * WORK_BEFORE_COMPILING)
    neodp.extend(large.with_alpha(neodp.balanced(large)))
    last: Counter[str] | None = None
    for _ in range(40):
        found = _counted(ask)
        if found == last:
            return found
        last = found
    raise AssertionError("the same question makes other calls every time")


def _counted(ask: Callable[[], object]) -> Counter[str]:
    calls: Counter[str] = Counter()

    def called(frame: FrameType, event: str, what: Any) -> None:
        own = frame.f_code.co_filename.startswith(HOME)
        if event == "call" and own:
            calls[f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}"] += 1
        elif event == "c_call" and own:
            calls[f"{what.__module__}.{what.__qualname__}"] += 1

    gc.disable()  # or a collection may run anywhere
    sys.setprofile(called)
    try:
        ask()
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls

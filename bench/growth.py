"""The growth of ``extend``, ``balanced`` and ``audit`` with the number of edges, and the cost of the first call.

Graphs of a hundred thousand edges to ten million (``--quick``: to one million; ``--largest 100000000``: to a hundred
million, which takes some 10 GB), with mixed epsilons, each in a fresh process; a time is the best of three turns. The
exponent is that of the number of edges, from the smallest graph to the largest.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from typing import NamedTuple

import neodp
from bench.core import BALANCED_AIM, MEMORY_AIM, Case, measured, warm
from bench.process import Process, processor_time
from bench.report import met, seconds, show, table, times

__all__ = ["run"]

GROWTH_AIM = 1.08
"""The exponent of the number of edges that still counts as linear."""


def run(quick: bool, largest: int = 10_000_000) -> None:
    """Measure and print."""
    grown = _growth(min(largest, 1_000_000) if quick else largest)
    if not quick:
        _first_call()
    _summary(grown)


class Growth(NamedTuple):
    """The growth in one family: the exponents of the number of edges, and the most bytes per edge of ``extend``."""

    extend: float
    balanced: float
    audit: float
    memory: float
    ratio: float
    """The largest ratio of the time of balanced to that of extend, from a million edges on."""


def _growth(largest: int) -> dict[str, Growth]:
    """Measure the growth by family, from a hundred thousand edges to the largest graph."""
    sides = {32: 10**5, 69: 10**6, 149: 10**7, 321: 10**8}
    points = {34_000: 10**5, 340_000: 10**6, 3_400_000: 10**7}  # more take hours to find
    families = {
        "counts, epsilon 0.5, 1, 1.5 by group": [
            Case("", "counts", [side] * 3, None, {"epsilon": "per axis"})
            for side, edges in sides.items()
            if edges <= largest
        ],
        "random_geometric, epsilon 0.5 to 1.5 by edge": [
            Case("", "random_geometric", n, None, {"epsilon": (0.5, 1.5), "seed": 1})
            for n, edges in points.items()
            if edges <= largest
        ],
    }
    found = {}
    rows = []
    for family, sizes in families.items():
        turns = []
        for case in sizes:
            with Process() as process:
                process.call(warm)
                turns.append(process.call(measured, case))
        for size, turn in turns:
            spent = [seconds(x) for one in (turn.extend, turn.balanced, turn.audit) for x in one]
            per_edge = f"{1e9 * turn.extend.wall / size.edges:.0f}", f"{turn.memory / size.edges:.0f}"
            rows.append([family, f"{size.vertices:,}", f"{size.edges:,}", *spent, *per_edge])
        (first, begin), (last, end) = turns[0], turns[-1]
        extend, balanced, audit = (
            math.log(b.wall / a.wall) / math.log(last.edges / first.edges)
            for a, b in ((begin.extend, end.extend), (begin.balanced, end.balanced), (begin.audit, end.audit))
        )
        large = [turn for size, turn in turns if size.edges > 500_000]
        ratio = max((turn.balanced.wall / turn.extend.wall for turn in large), default=0.0)
        memory = max(turn.memory / size.edges for size, turn in turns)
        found[family] = Growth(extend, balanced, audit, memory, ratio)
    clocks = [f"{name}{clock} s" for name in ("extend", "balanced", "audit") for clock in ("", " processor")]
    show(
        "## How it grows",
        table(["", "vertices", "edges", *clocks, "extend ns/edge", "peak B/edge"], rows),
        "\n".join(
            f"{family}: extend ~ edges^{one.extend:.2f}, balanced ~ edges^{one.balanced:.2f}, "
            f"audit ~ edges^{one.audit:.2f}"
            for family, one in found.items()
        ),
    )
    return found


def _first_call() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for state in ("nothing compiled yet", "compiled code on disk"):
            with Process(NUMBA_CACHE_DIR=cache) as process:
                rows.append([state, *map(seconds, process.call(_call_once))])
    show("## The first call in a process", table(["", "first extend s", "second extend s"], rows))


def _call_once() -> tuple[float, float]:
    graph = neodp.generate.counts([30] * 3)  # large enough for the compiler
    graph = graph.with_alpha(neodp.balanced(graph))
    first, second = (processor_time(lambda: neodp.extend(replace(graph)))[0] for _ in range(2))
    return first, second


def _summary(grown: dict[str, Growth]) -> None:
    large = max(one.ratio for one in grown.values())
    rows = [
        ["balanced to extend, from a million edges on", times(BALANCED_AIM), times(large), met(large <= BALANCED_AIM)]
    ]
    for name in ("extend", "balanced", "audit"):
        exponents = [getattr(one, name) for one in grown.values()]
        found = f"edges^{min(exponents):.2f} to edges^{max(exponents):.2f}"
        rows.append([f"growth of {name}", f"edges^{GROWTH_AIM:g}", found, met(max(exponents) <= GROWTH_AIM)])
    memory = max(one.memory for one in grown.values())
    rows.append(["bytes per edge of extend", f"{MEMORY_AIM:g}", f"{memory:.0f}", met(memory <= MEMORY_AIM)])
    show("## Summary", table(["", "at most", "found", ""], rows))

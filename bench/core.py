"""The optimal extension of a whole graph, against other people's shortest paths.

What is measured
----------------
On graphs of about a million vertices (``--quick``: a hundred thousand), with one epsilon and with mixed ones,
alpha balanced and delta 0:

* ``neodp.extend``, everything from a DatasetGraph to a Mechanism;
* scipy, rustworkx, igraph and networkx doing the same by two runs of shortest paths (:mod:`bench.peers`), from
  offsets that are ready-made. *build* is the library's graph from arrays of edges, *solve* the two runs. The
  columns of ratios say how many times as long as ``extend`` it takes: to solve; for the backward run alone,
  which is enough for this alpha but not for any; and to build and solve;
* networkx on a smaller graph of the same family: its times are extrapolated in proportion to the edges, which
  is to its advantage;
* one streaming pass over the neighbours and epsilons of all edges from both ends: the limit that memory sets;
* ``neodp.audit`` of what ``extend`` found.

Then how ``extend`` grows with the number of edges, and what its first call costs.

How
---
Every engine runs in a process of its own, a fresh one for each graph (``--quick``: the same one for all graphs),
on the same arrays, after a warm-up on a tiny graph. The engines take turns, three times; a time is the best of
its turns. An engine sits out once it has used up its PATIENCE. Every result of every turn is compared with
neodp's, and the benchmark fails if one differs by more than 1e-9 in parts of 1 - p, the chance of the other
answer: then p itself agrees to 1e-9, and so does what lies below where p rounds to 1. *peak* is by how much
solving raises the peak of memory over what the process holds when its graph is built.

Times are processor time: every engine runs in one thread, and what else runs on the machine disturbs less.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

import neodp
from bench import peers
from bench.peers import PEERS, Problem
from bench.process import Process, mark_peak, peak, processor_time
from bench.report import megabytes, seconds, show, table, times

__all__ = ["run"]

TURNS = 3
PATIENCE = 10.0
"""An engine that has solved for so many seconds takes no further turn."""
AIMS = {"networkx": 60.0, "rustworkx": 9.0, "scipy": 4.0}
"""How many times as long as neodp.extend each should take."""
AUDIT_AIM = 5.0
GROWTH_AIM = 1.1
"""The exponent of the number of edges that still counts as linear."""


class Case(NamedTuple):
    """A graph to measure on: arguments for ``neodp.generate``."""

    title: str
    family: str
    size: Any
    small: Any
    options: dict[str, Any]

    def graph(self, size: Any) -> neodp.DatasetGraph:
        graph: neodp.DatasetGraph = neodp.generate.FAMILIES[self.family](size, **self._options(size))
        return graph.with_alpha(neodp.balanced(graph))

    def _options(self, size: Any) -> dict[str, Any]:
        if self.options.get("epsilon") != "per axis":
            return self.options
        axes = size if self.family == "hypercube" else len(size)
        return {**self.options, "epsilon": np.linspace(0.5, 1.5, axes)}


def cases(quick: bool) -> list[Case]:
    """Three families, each with one epsilon and with mixed ones; `small` is networkx's size."""
    people, bits, points = ([46] * 3, 15, 100_000) if quick else ([100] * 3, 20, 1_000_000)
    fewer, less, few = ([20] * 3, 12, 10_000) if quick else ([46] * 3, 16, 100_000)
    return [
        Case(f"counts({people}), epsilon 1", "counts", people, fewer, {}),
        Case(f"counts({people}), epsilon 0.5, 1, 1.5 by group", "counts", people, fewer, {"epsilon": "per axis"}),
        Case(f"hypercube({bits}), epsilon 1", "hypercube", bits, less, {}),
        Case(f"hypercube({bits}), epsilon 0.5 to 1.5 by axis", "hypercube", bits, less, {"epsilon": "per axis"}),
        Case(f"random_geometric({points:,}), epsilon 1", "random_geometric", points, few, {"seed": 1}),
        Case(
            f"random_geometric({points:,}), epsilon 0.5 to 1.5 at random by edge",
            "random_geometric",
            points,
            few,
            {"epsilon": (0.5, 1.5), "seed": 1},
        ),
    ]


class Outcome(NamedTuple):
    """The ratios to ``extend`` in one case."""

    solve: dict[str, float]
    with_build: dict[str, float]
    audit: float
    limit: float


def run(quick: bool) -> None:
    """Measure and print."""
    outcomes = []
    for group in [cases(quick)] if quick else [[case] for case in cases(quick)]:
        with _engines() as (ours, theirs):
            outcomes += [_case(case, ours, theirs) for case in group]
    exponents = _growth(quick)
    if not quick:
        _first_call()
    _summary(outcomes, exponents)


# --- one graph ----------------------------------------------------------------------------------------------


@contextmanager
def _engines() -> Iterator[tuple[Process, dict[str, Process]]]:
    """neodp's process and those of its peers, warmed up."""
    with ExitStack() as stack:
        ours = stack.enter_context(Process())
        theirs = {name: stack.enter_context(Process()) for name in PEERS}
        for warming in [ours.begin(_warm), *(process.begin(peers.warm, name) for name, process in theirs.items())]:
            warming.result()
        yield ours, theirs


def _case(case: Case, ours: Process, theirs: dict[str, Process]) -> Outcome:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as small_folder:
        small = ours.call(_prepare, case, case.small, small_folder)
        graph = ours.call(_prepare, case, case.size, folder)
        built = {
            name: process.call(peers.build, name, small_folder if name == "networkx" else folder)
            for name, process in theirs.items()
        }
    extends: list[Extended] = []
    solved: dict[str, list[peers.Solved]] = {name: [] for name in PEERS}
    for _ in range(TURNS):
        extends.append(ours.call(_extend))
        for name, process in theirs.items():
            if sum(turn.forward + turn.backward for turn in solved[name]) < PATIENCE:
                solved[name].append(process.call(peers.solve))
    limit = ours.call(_stream)
    scale = {name: graph.edges / small.edges if name == "networkx" else 1.0 for name in PEERS}
    return _show_case(case, graph, small, extends, built, solved, scale, limit)


def _show_case(
    case: Case,
    graph: Size,
    small: Size,
    extends: Sequence[Extended],
    built: dict[str, float],
    solved: dict[str, list[peers.Solved]],
    scale: dict[str, float],
    limit: float,
) -> Outcome:
    extend, audit = min(turn.seconds for turn in extends), min(turn.audit for turn in extends)
    memory = max(turn.memory for turn in extends)
    rows = [["neodp.extend", str(len(extends)), "", "", "", seconds(extend), "1x", "", "1x", megabytes(memory), ""]]
    solve_ratio, build_ratio = {}, {}
    for name, turns in solved.items():
        best = min(turns, key=lambda turn: turn.forward + turn.backward)
        forward, backward, build = (scale[name] * x for x in (best.forward, best.backward, built[name]))
        solve_ratio[name] = (forward + backward) / extend
        build_ratio[name] = (build + forward + backward) / extend
        rows.append(
            [
                name + ("" if scale[name] == 1.0 else " (extrapolated)"),
                str(len(turns)),
                seconds(build),
                seconds(forward),
                seconds(backward),
                seconds(forward + backward),
                times(solve_ratio[name]),
                times(backward / extend),
                times(build_ratio[name]),
                megabytes(scale[name] * max(turn.memory for turn in turns)),
                f"{max(turn.difference for turn in turns):.0e}",
            ]
        )
    for label, elapsed in (("streaming pass", limit), ("neodp.audit", audit)):
        rows.append([label, str(TURNS), "", "", "", seconds(elapsed), times(elapsed / extend), "", "", "", ""])
    header = ["", "turns", "build s", "forward s", "backward s", "solve s", "solve", "backward only", "build and solve"]
    show(
        f"## {case.title}",
        f"{graph.vertices:,} vertices, {graph.edges:,} edges, {graph.boundary:,} of them between colours; "
        f"networkx on {small.vertices:,} vertices, {small.edges:,} edges, times {scale['networkx']:.1f}",
        table([*header, "peak +MB", "difference"], rows),
    )
    return Outcome(solve_ratio, build_ratio, audit / extend, limit / extend)


# --- in neodp's process -------------------------------------------------------------------------------------


class Size(NamedTuple):
    vertices: int
    edges: int
    boundary: int


class Extended(NamedTuple):
    """The time of ``extend``, by how many bytes it raised the peak, and the time of ``audit``."""

    seconds: float
    memory: int
    audit: float


class _Held:
    """What this process holds between calls."""

    graph: ClassVar[neodp.DatasetGraph]


def _warm() -> None:
    """Compile, or load what is compiled: on tiny graphs with one epsilon and with several."""
    for epsilon in (1.0, [0.5, 1.5]):
        graph = neodp.generate.counts([2, 2], epsilon=epsilon)
        graph = graph.with_alpha(neodp.balanced(graph))
        neodp.audit(graph, neodp.extend(graph))


def _prepare(case: Case, size: Any, folder: str) -> Size:
    """Make the graph, extend it, and put the peers' problem into a folder."""
    graph = _Held.graph = case.graph(size)
    mechanism = neodp.extend(replace(graph))
    inner = ~graph.crossing
    forward, backward = _offsets(graph)
    Problem(
        source=graph.source[inner],
        target=graph.target[inner],
        length=graph.epsilon[inner],
        forward=forward,
        backward=backward,
        complement=mechanism.probabilities[np.arange(len(graph)), 1 - graph.color],
    ).save(folder)
    return Size(len(graph), graph.edges, int(np.count_nonzero(graph.crossing)))


def _offsets(graph: neodp.DatasetGraph) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """log p and -log(1 - p) of what alpha allows a dataset for its own colour; infinite where it is not given.

    A source bounds itself, and its neighbours of the other colour by what it answers as they do.
    """
    given = np.flatnonzero(graph.given)
    forward, backward = np.full((2, len(graph)), np.inf)
    own, other = graph.alpha[given, graph.color[given]], graph.alpha[given, 1 - graph.color[given]]
    with np.errstate(divide="ignore"):  # alpha may be 0 or 1
        log_own, log_other = np.full((2, len(graph)), np.nan)
        log_own[given], log_other[given] = np.log(own), np.log(other)
    forward[given], backward[given] = log_own[given], -log_other[given]
    for u, v in ((graph.source, graph.target), (graph.target, graph.source)):
        over = np.flatnonzero(graph.crossing & graph.given[u])
        np.minimum.at(forward, v[over], log_other[u[over]] + graph.epsilon[over])
        np.minimum.at(backward, v[over], -log_own[u[over]] + graph.epsilon[over])
    return forward, backward


def _extend() -> Extended:
    """One turn, on a graph object without anything remembered from earlier turns."""
    graph = replace(_Held.graph)
    before = mark_peak()
    elapsed, mechanism = processor_time(lambda: neodp.extend(graph))
    memory = peak() - before
    audit, verdict = processor_time(lambda: neodp.audit(graph, mechanism))
    if not verdict:
        raise AssertionError(f"the mechanism is not private: {verdict}")
    return Extended(elapsed, memory, audit)


def _stream() -> float:
    """The best time of a pass over neighbours and epsilons, as they lie in memory."""
    import numba

    add_up = numba.njit(fastmath=True)(_add_up)
    adjacency = _Held.graph.adjacency
    neighbor, epsilon = adjacency.neighbor, _Held.graph.epsilon[adjacency.edge]
    add_up(neighbor[:1], epsilon[:1])
    return min(processor_time(lambda: add_up(neighbor, epsilon))[0] for _ in range(TURNS))


def _add_up(neighbor: NDArray[np.int32], epsilon: NDArray[np.float64]) -> float:
    total = 0.0
    for i in range(len(neighbor)):
        total += neighbor[i] + epsilon[i]
    return total


# --- growth, and the first call -----------------------------------------------------------------------------


def _growth(quick: bool) -> dict[str, float]:
    """The exponent of the number of edges, by family, from the smallest graph to the largest."""
    sides = [15, 32, 69] if quick else [32, 47, 69, 101, 149]
    points = [3_400, 34_000, 340_000] if quick else [34_000, 107_000, 340_000, 1_070_000, 3_400_000]
    families = {
        "counts, epsilon 0.5, 1, 1.5 by group": [
            Case("", "counts", [side] * 3, None, {"epsilon": "per axis"}) for side in sides
        ],
        "random_geometric, epsilon 0.5 to 1.5 by edge": [
            Case("", "random_geometric", n, None, {"epsilon": (0.5, 1.5), "seed": 1}) for n in points
        ],
    }
    exponents = {}
    rows = []
    for family, sizes in families.items():
        with Process() as process:
            process.call(_warm)
            measured = [process.call(_grown, case) for case in sizes]
        for size, elapsed in measured:
            per_edge = 1e9 * elapsed / size.edges
            rows.append([family, f"{size.vertices:,}", f"{size.edges:,}", seconds(elapsed), f"{per_edge:.0f}"])
        (first, begin), (last, end) = measured[0], measured[-1]
        exponents[family] = math.log(end / begin) / math.log(last.edges / first.edges)
    show(
        "## How extend grows",
        table(["", "vertices", "edges", "extend s", "ns per edge"], rows),
        "\n".join(f"{family}: time ~ edges^{exponent:.2f}" for family, exponent in exponents.items()),
    )
    return exponents


def _grown(case: Case) -> tuple[Size, float]:
    graph = case.graph(case.size)
    best = min(processor_time(lambda: neodp.extend(replace(graph)))[0] for _ in range(TURNS))
    return Size(len(graph), graph.edges, int(np.count_nonzero(graph.crossing))), best


def _first_call() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for state in ("nothing compiled yet", "compiled code on disk"):
            with Process(NUMBA_CACHE_DIR=cache) as process:
                rows.append([state, *map(seconds, process.call(_call_once))])
    show("## The first call in a process", table(["", "first extend s", "second extend s"], rows))


def _call_once() -> tuple[float, float]:
    graph = neodp.generate.path(4)
    alpha = np.array([np.nan, 0.6, 0.4, np.nan])
    first, second = (processor_time(lambda: neodp.extend(graph.with_alpha(alpha)))[0] for _ in range(2))
    return first, second


# --- summary ------------------------------------------------------------------------------------------------


def _summary(outcomes: Sequence[Outcome], exponents: dict[str, float]) -> None:
    rows = []
    for name in PEERS:
        aim = AIMS.get(name, 0.0)
        row = [f"{name} / extend", f">= {times(aim)}" if aim else ""]
        for ratios in ([o.solve[name] for o in outcomes], [o.with_build[name] for o in outcomes]):
            row += [_range(ratios), _met(min(ratios) >= aim) if aim else ""]
        rows.append(row)
    audit = [outcome.audit for outcome in outcomes]
    rows.append(["audit / extend", f"<= {times(AUDIT_AIM)}", _range(audit), _met(max(audit) <= AUDIT_AIM), "", ""])
    limit = [1.0 / outcome.limit for outcome in outcomes]
    rows.append(["extend / streaming pass", "", _range(limit), "", "", ""])
    growth = list(exponents.values())
    found = f"edges^{min(growth):.2f} to edges^{max(growth):.2f}"
    rows.append(["growth of extend", f"<= edges^{GROWTH_AIM:g}", found, _met(max(growth) <= GROWTH_AIM), "", ""])
    show("## Summary, over all graphs", table(["", "aim", "solve", "met", "build and solve", "met"], rows))


def _range(values: Sequence[float]) -> str:
    return f"{times(min(values))} to {times(max(values))}"


def _met(met: bool) -> str:
    return "yes" if met else "no"

"""The optimal extension of a whole graph, compared with the shortest paths of other libraries.

What is measured
----------------
On graphs of about a million vertices (``--quick``: a hundred thousand), with one epsilon and with mixed ones,
alpha balanced and delta 0:

* ``neodp.extend``, everything from a DatasetGraph to a Mechanism;
* scipy, rustworkx, igraph and networkx doing the same by two runs of shortest paths (:mod:`bench.peers`), from
  precomputed offsets. *build* makes the library's graph from arrays of edges, *solve* is the two runs. The columns of
  ratios say how many times as long as ``extend`` a library takes: to solve; and to build and solve, in wall time and
  in processor time;
* networkx on a smaller graph of the same family: its times are extrapolated in proportion to the edges, which
  is to its advantage;
* ``neodp.balanced``, which chooses alpha, and ``neodp.audit`` of the mechanism that ``extend`` found;
* one streaming pass over the neighbours and epsilons of all edges from both ends: the limit that memory sets.

:mod:`bench.growth` measures how these times grow with the number of edges.

How
---
Every engine runs in a process of its own, a fresh one for each graph (``--quick``: the same one for all graphs),
on the same arrays, after a warm-up on a tiny graph. The engines take turns, three times; a time is the best of
its turns. An engine sits out once it has used up its PATIENCE. Every result of every turn is compared with
neodp's, and the benchmark fails if one differs by more than 1e-9 relative to 1 - p, the chance of the other answer:
then p itself agrees to 1e-9, and 1 - p agrees even where p rounds to 1. *peak* is by how much solving raises the peak
of memory over what the process holds when its graph is built, in bytes per edge.

Times are wall times, on a machine that does nothing else; neodp has a thread for each processor (at most four, two for
the search itself), the others have one. Processor time, of all threads, is given as well.
"""

from __future__ import annotations

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
from bench.process import Process, Spent, mark_peak, peak, processor_time, spend
from bench.report import met, seconds, show, table, times

__all__ = ["BALANCED_AIM", "MEMORY_AIM", "Case", "Extended", "Size", "best", "measured", "run", "warm"]

TURNS = 3
PATIENCE = 10.0
"""An engine that has spent this many seconds on solving takes no further turn."""
AIMS = {"scipy": 3.0, "rustworkx": 9.0, "igraph": 15.0, "networkx": 50.0}
"""The least factor by which each library should be slower than neodp.extend, its build included."""
SOLVE_AIMS = {"scipy": 1.5}
"""The same factors without the build."""
BALANCED_AIM = 0.5
"""The largest ratio of the time of balanced to that of extend."""
AUDIT_AIM = 5.0
MEMORY_AIM = 60.0
"""The largest number of bytes per edge that extend may take beyond the graph."""


class Case(NamedTuple):
    """A graph to measure on: arguments for ``neodp.data.generate``."""

    title: str
    family: str
    size: Any
    small: Any
    options: dict[str, Any]

    def graph(self, size: Any) -> neodp.DatasetGraph:
        """Return the graph of a size, with balanced alpha."""
        graph: neodp.DatasetGraph = neodp.generate.FAMILIES[self.family](size, **self._options(size))
        return graph.with_alpha(neodp.balanced(graph))

    def _options(self, size: Any) -> dict[str, Any]:
        if self.options.get("epsilon") != "per axis":
            return self.options
        axes = size if self.family == "hypercube" else len(size)
        return {**self.options, "epsilon": np.linspace(0.5, 1.5, axes)}


def cases(quick: bool) -> list[Case]:
    """Return three families, each with one epsilon and with mixed ones; `small` is networkx's size."""
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
    """The ratios to ``extend`` in one case, and bytes per edge."""

    solve: dict[str, float]
    total: dict[str, float]
    processor: dict[str, float]
    balanced: float
    audit: float
    memory: float
    limit: float


def run(quick: bool) -> None:
    """Measure and print."""
    outcomes = []
    for group in [cases(quick)] if quick else [[case] for case in cases(quick)]:
        with _engines() as (ours, theirs):
            outcomes += [_case(case, ours, theirs) for case in group]
    _summary(outcomes)


# --- one graph ----------------------------------------------------------------------------------------------


@contextmanager
def _engines() -> Iterator[tuple[Process, dict[str, Process]]]:
    """Start neodp's process and those of its peers, and warm them up."""
    with ExitStack() as stack:
        ours = stack.enter_context(Process())
        theirs = {name: stack.enter_context(Process()) for name in PEERS}
        for warming in [ours.begin(warm), *(process.begin(peers.warm, name) for name, process in theirs.items())]:
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
            if sum(turn.forward.processor + turn.backward.processor for turn in solved[name]) < PATIENCE:
                solved[name].append(process.call(peers.solve))
    limit = ours.call(_stream)
    scale = {name: graph.edges / small.edges if name == "networkx" else 1.0 for name in PEERS}
    return _show_case(case, graph, small, extends, built, solved, scale, limit)


def _show_case(
    case: Case,
    graph: Size,
    small: Size,
    extends: Sequence[Extended],
    built: dict[str, Spent],
    solved: dict[str, list[peers.Solved]],
    scale: dict[str, float],
    limit: float,
) -> Outcome:
    extend, balanced, audit = (
        best([getattr(turn, name) for turn in extends]) for name in ("extend", "balanced", "audit")
    )
    memory = max(turn.memory for turn in extends) / graph.edges
    rows = [["neodp.extend", "", *map(seconds, (extend.wall, *extend)), "", "1x", "1x", f"{memory:.0f}", ""]]
    outcome = Outcome({}, {}, {}, balanced.wall / extend.wall, audit.wall / extend.wall, memory, limit / extend.wall)
    for name, turns in solved.items():
        solve = best([turn.forward + turn.backward for turn in turns]).times(scale[name])
        build = built[name].times(scale[name])
        total = build + solve
        outcome.solve[name] = solve.wall / extend.wall
        outcome.total[name] = total.wall / extend.wall
        outcome.processor[name] = total.processor / extend.processor
        rows.append(
            [
                name + ("" if scale[name] == 1.0 else " (extrapolated)"),
                *map(seconds, (build.wall, solve.wall, *total)),
                *map(times, (outcome.solve[name], outcome.total[name], outcome.processor[name])),
                f"{scale[name] * max(turn.memory for turn in turns) / graph.edges:.0f}",
                f"{max(turn.difference for turn in turns):.0e}",
            ]
        )
    for label, spent in (("neodp.balanced", balanced), ("neodp.audit", audit), ("streaming pass", Spent(limit, limit))):
        ratios = times(spent.wall / extend.wall), times(spent.processor / extend.processor)
        rows.append([label, "", seconds(spent.wall), *map(seconds, spent), "", *ratios, "", ""])
    header = ["", "build s", "solve s", "in all s", "processor s", "solve", "in all", "processor", "peak B/edge"]
    show(
        f"## {case.title}",
        f"{graph.vertices:,} vertices, {graph.edges:,} edges, {graph.boundary:,} of them between colours; "
        f"networkx on {small.vertices:,} vertices, {small.edges:,} edges, times {scale['networkx']:.1f}",
        table([*header, "difference"], rows),
    )
    return outcome


def best(turns: Sequence[Spent]) -> Spent:
    """Return the least time by each clock."""
    return Spent(min(turn.wall for turn in turns), min(turn.processor for turn in turns))


# --- in neodp's process -------------------------------------------------------------------------------------


class Size(NamedTuple):
    """The numbers of vertices, edges and boundary vertices of a graph."""

    vertices: int
    edges: int
    boundary: int


class Extended(NamedTuple):
    """The times of ``extend``, ``balanced`` and ``audit``, and by how many bytes ``extend`` raised the peak."""

    extend: Spent
    memory: int
    balanced: Spent
    audit: Spent


class _Held:
    """The state of this process between calls."""

    graph: ClassVar[neodp.DatasetGraph]


def warm() -> None:
    """Compile, or load compiled code, on graphs with one epsilon and with several, large enough to be compiled for."""
    for epsilon in (1.0, [0.5, 1.0, 1.5]):
        graph = neodp.generate.counts([30] * 3, epsilon=epsilon)
        graph = graph.with_alpha(neodp.balanced(graph))
        neodp.audit(graph, neodp.extend(graph))


def _prepare(case: Case, size: Any, folder: str) -> Size:
    """Make the graph, extend it, and write the peers' problem to a folder."""
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
    """Return log p and -log(1 - p) of what alpha allows a dataset for its own colour; infinite where it is not given.

    A source bounds itself, and also its neighbours of the other colour, by its chance of answering with their colour.
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
    """Take one turn, on graph objects without anything cached from earlier work."""
    graph = replace(_Held.graph)
    balanced, _ = spend(lambda: neodp.balanced(replace(graph)))
    before = mark_peak()
    extend, mechanism = spend(lambda: neodp.extend(graph))
    memory = peak() - before
    audit, verdict = spend(lambda: neodp.audit(graph, mechanism))
    if not verdict:
        raise AssertionError(f"the mechanism is not private: {verdict}")
    return Extended(extend, memory, balanced, audit)


def measured(case: Case) -> tuple[Size, Extended]:
    """Return the best of several turns on one graph, and the most memory."""
    graph = _Held.graph = case.graph(case.size)
    turns = [_extend() for _ in range(TURNS)]
    found = Extended(
        best([turn.extend for turn in turns]),
        max(turn.memory for turn in turns),
        best([turn.balanced for turn in turns]),
        best([turn.audit for turn in turns]),
    )
    return Size(len(graph), graph.edges, int(np.count_nonzero(graph.crossing))), found


def _stream() -> float:
    """Return the best time of a pass over neighbours and epsilons, as they lie in memory."""
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


# --- summary ------------------------------------------------------------------------------------------------


def _summary(outcomes: Sequence[Outcome]) -> None:
    rows = []

    def at_least(label: str, aim: float, ratios: Sequence[float], processor: Sequence[float] = ()) -> None:
        rows.append([label, f">= {times(aim)}", _range(ratios), met(min(ratios) >= aim), _range(processor)])

    def at_most(label: str, aim: str, found: str, reached: bool) -> None:
        rows.append([label, f"<= {aim}", found, met(reached), ""])

    for name, aim in AIMS.items():
        at_least(f"{name}, with its build, to extend", aim, *([getattr(o, x)[name] for o in outcomes] for x in _BUILT))
    for name, aim in SOLVE_AIMS.items():
        at_least(f"{name}, without its build, to extend", aim, [o.solve[name] for o in outcomes])
    balanced, audit, memory = ([getattr(o, name) for o in outcomes] for name in ("balanced", "audit", "memory"))
    at_most("balanced to extend", times(BALANCED_AIM), _range(balanced), max(balanced) <= BALANCED_AIM)
    at_most("audit to extend", times(AUDIT_AIM), _range(audit), max(audit) <= AUDIT_AIM)
    found = f"{min(memory):.0f} to {max(memory):.0f}"
    at_most("bytes per edge of extend", f"{MEMORY_AIM:g}", found, max(memory) <= MEMORY_AIM)
    rows.append(["extend to a streaming pass", "", _range([1.0 / o.limit for o in outcomes]), "", ""])
    show("## Summary, over all graphs", table(["", "aim", "found", "", "in processor time"], rows))


_BUILT = ("total", "processor")


def _range(values: Sequence[float]) -> str:
    return f"{times(min(values))} to {times(max(values))}" if values else ""

"""One dataset on demand: the optimal mechanism at some datasets, from as little of the graph as proves it.

The value that ``extend`` gives a dataset v of colour c is a minimum over all sources u and paths
(:mod:`neodp.core.binary`). Since U on labels is self-adjoint (:mod:`neodp.compiled.kernel`), the same U along the
reversed path says which sources matter: with K the label of Pr[M(v) = c] so far,

    U along the path from u to v, applied to Pr[M(u) = c], is below K
    iff U along the path from v to u, applied to the complement of K, is below the complement of Pr[M(u) = c].

So one pass backwards from v, started with the complement of K, gives each dataset the *back label* that a source at or
beyond this dataset must undercut. No source has a lower chance of c than the least that alpha gives any dataset: if the
back label is not below the complement of that least chance, nothing at or beyond that dataset matters. The search asks
for the edges at the datasets that may matter, a layer at a time, until there is none left: that is the proof (paper
000, Algorithm 2; paper 002, Algorithm 2). The sources that may decide are searched in the same way, in Pr[first colour]
and across colours, for anything that would round their alpha in or contradict it.

The part of the graph seen so far is not solved after every layer, which would take quadratic time on a long path.
Between two solutions, a layer follows the one before it wherever the back labels of the last solution, one edge
farther, say that it may matter. The part is solved anew when it meets the first source or the boundary, when no such
layer is left, and when it has grown by an eighth and by 64 datasets: all solutions together cost some nine times the
last one. The search may therefore see an eighth or 64 datasets more than it must, which does not affect the result: a
search ends only when a solution says so.

The result is that of ``extend`` on the whole graph in every bit, unless ``extend`` refuses the graph for something
outside the ball.

Side channel: the number of datasets seen, and so the running time, depends on the dataset that is asked for. If an
adversary can observe that, extend the whole graph instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from neodp.core import binary, boundary
from neodp.core.binary import Labeling
from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta, Labels, Privacy, certain
from neodp.core.rainbow import Method
from neodp.core.witness import ROUNDING
from neodp.data.family import family
from neodp.data.formatting import number
from neodp.data.frames import Tabular
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Bools, Floats, distributions, keys_of
from neodp.errors import BallTooLarge, GraphError, UnknownKey
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrayView", "Ball", "Evaluation", "Found", "Rule", "Star", "View", "evaluate"]

WHOLE = Hint(
    "no part of the graph shows that alpha agrees within and between all orders: extend the whole (",
    Option("engine", "whole"),
    ")",
)
"""The reason why there is no search with more than two colours (:mod:`neodp.core.rainbow`)."""
LIMIT = 100_000
"""The number of datasets that a search may see, by default."""
GROWTH, LEAST_GROWTH = 1 / 8, 64
"""The part seen is solved again once it has grown by this share, and by at least this number of datasets."""

_RULE = EpsilonDelta(np.empty(0), np.empty(0))  # labels of chances, which no edge is needed for


class Found(NamedTuple):
    """Some datasets, as columns."""

    color: Sequence[str]
    alpha: Floats


class Star(NamedTuple):
    """The edges at some datasets, as columns: from `key` to `neighbor`, which has `color` and `alpha`.

    `preference` holds the neighbours' colours as positions, best first; None if no neighbour orders them.
    """

    key: pa.StringArray
    neighbor: pa.StringArray
    color: pa.StringArray
    alpha: Floats
    epsilon: Floats
    delta: Floats
    preference: NDArray[np.int8] | None = None


class View(Protocol):
    """A graph seen through the edges at some of its datasets."""

    @property
    def name(self) -> str:
        """The name of the graph."""

    @property
    def colors(self) -> tuple[str, ...]:
        """The possible answers."""

    @property
    def validated(self) -> bool:
        """Whether all values were validated when the graph was made, so that a search need not do it again."""

    @property
    def least(self) -> Floats:
        """Per colour, a lower bound of its chance at any dataset that has alpha; 1 if none has.

        One row per colour: the chance of that colour, and the chance of the other.
        """

    def find(self, keys: Sequence[str]) -> Found:
        """Return some datasets; raise UnknownKey if one does not exist."""

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""


class ArrayView:
    """A graph in memory."""

    validated = True

    def __init__(self, graph: DatasetGraph) -> None:
        self.graph = graph
        self.name = graph.name
        self.colors = graph.colors
        self._position = {key: v for v, key in enumerate(graph.keys.to_pylist())}

    @property
    def least(self) -> Floats:
        """Per colour, the least chance that alpha gives it at any dataset."""
        given = self.graph.alpha[self.graph.given]
        return least_of(given)

    def find(self, keys: Sequence[str]) -> Found:
        """Return some datasets of the graph."""
        at = self._positions(keys)
        return Found([self.graph.colors[c] for c in self.graph.color[at]], self.graph.alpha[at])

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets of the graph."""
        import pyarrow as pa

        at = self._positions(keys)
        indptr, neighbor, edge = self.graph.adjacency
        half = np.concatenate([np.arange(indptr[v], indptr[v + 1]) for v in at] or [np.empty(0, np.int64)])
        start, end, edge = np.repeat(at, indptr[at + 1] - indptr[at]), neighbor[half], edge[half]
        graph = self.graph
        color = pa.array(graph.colors, pa.string()).take(pa.array(graph.color[end]))
        key, neighbor = (graph.keys.take(pa.array(v)) for v in (start, end))
        return Star(key, neighbor, color, graph.alpha[end], graph.epsilon[edge], graph.delta[edge])

    def _positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        for key in keys:
            if key not in self._position:
                self.graph.index(key)  # which says so
        return np.array([self._position[key] for key in keys], np.int64)


@dataclass(frozen=True)
class Rule:
    """A graph that is computed on demand, for graphs that are too large to store.

    Parameters
    ----------
    colors : two strings
    color : callable
        From a key to the true answer of that dataset; None if there is no such dataset.
    neighbors : callable
        From a key to its neighbours, as pairs (key, epsilon) or triples (key, epsilon, delta). If a is a neighbour of
        b, then b must be a neighbour of a, with the same values.
    alpha : callable
        From a key to Pr[first colour] or both probabilities, if alpha is given at that dataset; else None. It must be
        given at an end of every boundary edge.
    least : two floats, optional
        Lower bounds of Pr[first colour] and of Pr[second colour] at any dataset with alpha: the search stops where
        no chance as low as that could matter. By default 0: then only certainty ends the search.

    Examples
    --------
    A path of 2^200 datasets, half of them "yes":

    >>> import math
    >>> half, odds = 2**199, 1 / (1 + math.e)
    >>> path = Rule(
    ...     ("yes", "no"),
    ...     color=lambda key: "yes" if int(key) < half else "no",
    ...     neighbors=lambda key: [(str(n), 1.0) for n in (int(key) - 1, int(key) + 1) if 0 <= n < 2 * half],
    ...     alpha=lambda key: odds if int(key) == half else None,
    ...     least=(0.2, 0.7))
    >>> round(evaluate(path, [str(half - 2)]).evaluations[0].p_true, 6)
    0.901062
    """

    colors: tuple[str, str]
    color: Callable[[str], str | None]
    neighbors: Callable[[str], Iterable[tuple[str, float] | tuple[str, float, float]]]
    alpha: Callable[[str], float | Sequence[float] | None]
    least: tuple[float, float] = (0.0, 0.0)
    name: str = "rule"


class _RuleView:
    validated = False

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.name = rule.name
        self.colors = tuple(rule.colors)
        self.least = np.array([[p, 1.0 - p] for p in rule.least])
        self._edges: dict[str, dict[str, tuple[float, float]]] = {}
        self._named_by: dict[str, list[str]] = {}

    def find(self, keys: Sequence[str]) -> Found:
        color = [self.rule.color(key) for key in keys]
        if None in color:
            raise UnknownKey(f"there is no dataset {keys[color.index(None)]!r} in {self.name!r}", "correct the key")
        return Found([str(c) for c in color], self._alpha(keys))

    def neighbors(self, keys: Sequence[str]) -> Star:
        import pyarrow as pa

        start, end, epsilon, delta = [], [], [], []
        for key in keys:
            for neighbor, values in self._star(key).items():
                start.append(key)
                end.append(neighbor)
                epsilon.append(values[0])
                delta.append(values[1])
        found = self.find(end)
        key, neighbor, color = (pa.array(column, pa.string()) for column in (start, end, found.color))
        return Star(key, neighbor, color, found.alpha, np.array(epsilon, np.float64), np.array(delta, np.float64))

    def _star(self, key: str) -> dict[str, tuple[float, float]]:
        """Return the neighbours of a dataset with epsilon and delta; refuse edges that are not mutual."""
        found: dict[str, tuple[float, float]] = {}
        for neighbor, *values in self.rule.neighbors(key):
            found[neighbor] = (values[0], values[1] if len(values) > 1 else 0.0)
            if len(found) > LIMIT:
                where = f"dataset {key!r} of {self.name!r}"
                raise GraphError(f"{where} has more than {LIMIT:,} neighbours", "correct the rule")
        self._edges[key] = found
        for neighbor, both in found.items():
            self._named_by.setdefault(neighbor, []).append(key)
            if neighbor in self._edges and self._edges[neighbor].get(key) != both:
                raise self._not_mutual(key, neighbor)
        for other in self._named_by.get(key, ()):
            if other not in found:
                raise self._not_mutual(other, key)
        return found

    def _not_mutual(self, one: str, other: str) -> GraphError:
        return GraphError(
            f"in {self.name!r}, {other!r} is a neighbour of {one!r}, but not the other way round with the same values",
            "correct the rule: neighbours are mutual",
        )

    def _alpha(self, keys: Sequence[str]) -> Floats:
        import pyarrow as pa

        return distributions([self.rule.alpha(key) for key in keys], pa.array(keys, pa.string()), 2)


def least_of(given: Floats) -> Floats:
    """Return ``View.least`` of two colours, from the alpha of all datasets that have one."""
    if not len(given):
        return np.array([[1.0, 0.0], [1.0, 0.0]])
    label = _RULE.encode(given[:, 0].copy(), given[:, 1].copy())
    return np.array([given[np.argmin(label)], given[np.argmax(label), ::-1]])


@dataclass(frozen=True)
class Evaluation:
    """The behaviour of the mechanism at one dataset, and the reason for it.

    Attributes
    ----------
    key, color : str
        The dataset, and its true answer.
    probabilities : dict of float
        The chance of each colour.
    path : tuple of str
        The path from the dataset whose alpha decides to this one; empty if none does.
    epsilons, deltas : tuples of float
        The epsilons and deltas of the edges along the path.
    """

    key: str
    color: str
    probabilities: Mapping[str, float]
    path: tuple[str, ...]
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    @property
    def colors(self) -> tuple[str, ...]:
        """The possible answers."""
        return tuple(self.probabilities)

    @property
    def p_true(self) -> float:
        """The chance of the true answer."""
        return self.probabilities[self.color]

    @property
    def decider(self) -> str | None:
        """The dataset whose alpha decides."""
        return self.path[0] if self.path else None


@dataclass(frozen=True, repr=False)
class Ball(Tabular):
    """The result of a search, and how it was found.

    Attributes
    ----------
    evaluations : tuple of Evaluation
        The evaluations, in the order of the keys that were asked for.
    seen, expanded : int
        The number of datasets seen, and the number of datasets whose edges were seen.
    layers : int
        The number of times edges were asked for; 0 if the whole graph was extended.
    reach : int
        The distance in edges from the farthest dataset seen to the nearest one that was asked for.
    rounded : int
        The number of alpha values seen that were rounded in.
    proof : str
        The reason why nothing outside matters.
    queries : int
        The number of queries to a store.
    engine : str
        The place of the search: "client", this process, or "server", the plugin inside Neo4j.
    """

    evaluations: tuple[Evaluation, ...]
    seen: int
    expanded: int
    layers: int
    reach: int
    rounded: int
    proof: str
    queries: int = 0
    engine: str = "client"

    def __repr__(self) -> str:
        true = [each.p_true for each in self.evaluations]
        few = ", ".join(repr(each.key) for each in self.evaluations[:3]) + (", …" if len(true) > 3 else "")
        chance = number(min(true)) + (f" to {number(max(true))}" if len(true) > 1 else "")
        return f"<Ball: truthful at {few} with chance {chance}; {self.seen:,} datasets seen, layers: {self.layers}>"

    def to_arrow(self) -> pa.Table:
        """Return a row for every dataset asked for: its chances, and the path from the dataset that decides."""
        import pyarrow as pa

        rows = []
        for each in self.evaluations:
            chances = list(each.probabilities.values())
            rows.append(
                {"key": each.key, "color": each.color, "p_true": each.p_true}
                | family(each).properties(chances)
                | {"decider": each.decider, "path": list(each.path)}
            )
        return pa.Table.from_pylist(rows)


def evaluate(
    graph: View | DatasetGraph | Rule,
    keys: Any,
    *,
    limit: int = LIMIT,
    layers: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Ball:
    """Return the optimal mechanism at some datasets, the same as ``extend`` gives, by one search from all of them.

    Parameters
    ----------
    graph : DatasetGraph, Rule or View
    keys : str, or several
        The datasets asked for. A string, or a whole number, is one key; everything else is several, so a tuple that
        names a single dataset must be put into a list. A key that is not a string is converted with ``str``.
    limit : int
        The number of datasets that may be seen.
    layers : int, optional
        The number of times edges may be asked for. By default as often as necessary.
    progress : callable, optional
        Called after each layer with what is counted, the count so far and its limit:
        ``("datasets seen", 512, 100000)``. A search may end long before it reaches the limit.

    Raises
    ------
    UnknownKey
        If there is no such dataset.
    UnhitBoundary, IncompatibleAlpha
        As for ``extend``, for problems inside the ball.
    BallTooLarge
        If a limit is exceeded before the search could stop.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(1000)
    >>> g = g.with_alpha(neodp.balanced(g))
    >>> ball = evaluate(g, "497")
    >>> ball.evaluations[0].probabilities == neodp.extend(g)["497"], ball.seen
    (True, 7)
    """
    if not family(graph).binary:
        if isinstance(graph, DatasetGraph):
            return evaluate_whole(graph, keys)
        raise GraphError(f"{graph.name!r} has {len(graph.colors)} colours", WHOLE)
    view: View = (
        ArrayView(graph) if isinstance(graph, DatasetGraph) else _RuleView(graph) if isinstance(graph, Rule) else graph
    )
    with _told_about(keys):
        return _Search(view, keys_of(keys)).run(limit, layers, progress or (lambda what, done, total: None))


def evaluate_whole(
    graph: DatasetGraph, keys: Any, method: Method | None = None, privacy: Privacy | None = None
) -> Ball:
    """Run ``evaluate`` by a pass over the whole graph: the work does not depend on the datasets asked for.

    It accepts any number of colours, and any privacy notion; `method` and `privacy` are as in ``extend``.
    """
    with _told_about(keys):
        start = [graph.index(key) for key in keys_of(keys)]
    return evaluate_at(start, extend(graph, privacy, method=method))


def evaluate_at(start: Iterable[int], found: Mechanism) -> Ball:
    """Run ``evaluate_whole`` for the datasets at some positions, from a mechanism that ``extend`` has found."""
    graph = found.graph
    return Ball(
        evaluations=tuple(_evaluation(graph, v, found.probabilities[v].tolist(), *found.path(v)) for v in start),
        seen=len(graph),
        expanded=len(graph),
        layers=0,
        reach=0,
        rounded=len(found.rounded),
        proof="the whole graph was extended",
    )


@contextmanager
def _told_about(keys: Any) -> Iterator[None]:
    """Explain how a tuple is read, if one of its keys is unknown."""
    try:
        yield
    except UnknownKey as e:
        if not isinstance(keys, tuple):
            raise
        hint = "a tuple is read as several keys: put a tuple that names one dataset into a list"
        raise UnknownKey(e.message, hint) from None


class _Front(NamedTuple):
    """Datasets that may matter, in ascending order, with their back labels.

    The labels are of the datasets' own colour; or, if paths across colours count, of the first colour.
    """

    layer: NDArray[np.int64]
    label: Labels
    across: bool


@dataclass
class _Search:
    """A growing part of a graph: the datasets seen, which of them are expanded, and the edges at those."""

    view: View
    keys: Sequence[str]
    names: list[str] = field(default_factory=list)
    position: dict[str, int] = field(default_factory=dict)
    color: list[str] = field(default_factory=list)
    alpha: list[Floats] = field(default_factory=list)
    stars: list[tuple[NDArray[Any], NDArray[Any], Floats, Floats]] = field(default_factory=list)
    expanded: list[NDArray[np.int64]] = field(default_factory=list)
    bounded: bool = False
    """Whether a dataset with alpha, or of another colour than the first, was seen: before, a solution says nothing."""

    def run(self, limit: int, layers: int | None, progress: Callable[[str, int, int], None]) -> Ball:
        wanted = list(dict.fromkeys(self.keys))
        found = self.view.find(wanted)
        self._add(wanted, found.color, found.alpha)
        start = np.arange(len(wanted))
        limits = _limits(self.view.least)
        fronts = [] if self.bounded else [_Front(start, np.full(len(start), -certain(_RULE)), across=False)]
        solved = len(self.names)
        while True:
            if not fronts:
                solution, solved = self._solve(), len(self.names)
                outer = np.ones(solved, np.bool_)
                outer[np.concatenate([start[:0], *self.expanded])] = False
                back = _Back(solution, start, limits, outer)
                if not back.needed.any():
                    return self._result(solution, back, start, outer)
                fronts = back.fronts()
            while any(len(front.layer) for front in fronts):
                if len(self.names) > limit or len(self.stars) == layers:
                    if len(self.names) > solved:
                        break  # only a solution says whether more may matter
                    raise self._too_large()
                known, bounded = len(self.names), self.bounded
                self._expand(np.unique(np.concatenate([front.layer for front in fronts])))
                progress("datasets seen", len(self.names), limit)
                if bounded != self.bounded or len(self.names) - solved > max(LEAST_GROWTH, GROWTH * solved):
                    break
                fronts = [self._behind(known, front, limits) for front in fronts]
            fronts = []

    def _too_large(self) -> BallTooLarge:
        hint: str = Hint("a pass over the whole graph is cheaper (", Option("engine", "whole"), "), or raise the limit")
        if isinstance(self.view, _RuleView):
            known = "its 'least' is higher" if self.view.least[:, 0].any() else "it is given its 'least'"
            hint = f"a search over a rule ends sooner where {known}; does the rule have an end? Then raise the limit"
        return BallTooLarge(
            f"the search has seen {len(self.names):,} datasets of graph {self.view.name!r}, "
            f"{len(self.stars):,} layers, and more may matter",
            hint,
        )

    def _add(self, keys: Sequence[str], color: Sequence[str], alpha: Floats) -> None:
        new = []
        for i, key in enumerate(keys):
            if key not in self.position:
                self.position[key] = len(self.names)
                self.names.append(key)
                self.color.append(color[i])
                new.append(i)
        self.alpha.append(alpha[new])
        self.bounded = self.bounded or not np.isnan(alpha).all() or any(c != self.color[0] for c in color)

    def _expand(self, layer: NDArray[np.int64]) -> None:
        star = self.view.neighbors([self.names[v] for v in layer])
        neighbor = star.neighbor.to_pylist()
        self._add(neighbor, star.color.to_pylist(), star.alpha)
        ends = ([self.position[key] for key in column] for column in (star.key.to_pylist(), neighbor))
        source, target = (np.array(end, np.int32) for end in ends)
        self.stars.append((source, target, star.epsilon, star.delta))
        self.expanded.append(layer)

    def _behind(self, known: int, front: _Front, limits: Labels) -> _Front:
        """Return the datasets that the last layer added and that may matter, with back labels by the layer's edges."""
        source, target, epsilon, delta = self.stars[-1]
        sound = (epsilon >= 0.0) & (epsilon < np.inf) & (delta >= 0.0) & (delta <= 1.0)  # a solution refuses others
        edge = np.flatnonzero((target >= known) & sound & np.isin(source, front.layer))
        if not front.across:
            edge = edge[[self.color[source[e]] == self.color[target[e]] for e in edge]]
        begin = front.label[np.searchsorted(front.layer, source[edge])]
        bound = EpsilonDelta(epsilon[edge], delta[edge]).relax(begin, np.arange(len(edge)))
        new, row = np.unique(target[edge], return_inverse=True)
        least = np.full(len(new), np.iinfo(np.int64).max)
        np.minimum.at(least, row, bound)
        color = [0 if front.across else self.view.colors.index(self.color[v]) for v in new]
        needed = least < limits[color]
        return _Front(new[needed], least[needed], front.across)

    def _solve(self) -> Labeling:
        graph = self._part()
        unhit = boundary.unhit_edge(graph, graph.given)
        if unhit is not None:
            raise binary.unhit_error(graph, unhit)
        return binary.solve(graph, EpsilonDelta.of(graph))

    def _part(self) -> DatasetGraph:
        """Return the part of the graph seen so far."""
        none = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0))
        source, target, epsilon, delta = (np.concatenate(parts) for parts in zip(none, *self.stars, strict=True))
        alpha, colors, name = np.concatenate(self.alpha), self.view.colors, self.view.name
        if not self.view.validated:
            columns = (self.names, self.color, source, target, epsilon, delta, alpha)
            return DatasetGraph.from_columns(*columns, colors=colors, name=name)
        import pyarrow as pa

        pair = np.minimum(source, target).astype(np.int64) << 32 | np.maximum(source, target)
        once = np.sort(np.unique(pair, return_index=True)[1])  # edges between two expanded datasets were seen twice
        code = {color: np.int8(c) for c, color in enumerate(colors)}
        return DatasetGraph(
            keys=pa.array(self.names, pa.string()),
            colors=colors,
            color=np.array([code[color] for color in self.color], np.int8),
            source=source[once],
            target=target[once],
            epsilon=epsilon[once],
            delta=delta[once],
            alpha=alpha,
            name=name,
        )

    def _result(self, solution: Labeling, back: _Back, start: NDArray[np.int64], outer: Bools) -> Ball:
        from neodp.compiled import kernel

        graph, rows = solution.graph, solution.rows
        hops = kernel.hops(*graph.adjacency[:2], start)
        found = {graph.key(v): _evaluation(graph, int(v), rows[v].tolist(), *solution.path(int(v))) for v in start}
        return Ball(
            evaluations=tuple(found[key] for key in self.keys),
            seen=len(graph),
            expanded=int((~outer).sum()),
            layers=len(self.stars),
            reach=int(hops.max()),
            rounded=len(solution.rounded),
            proof=back.proof(self.view.least),
        )


def _limits(least: Floats) -> Labels:
    """Return, per colour, the label from which on a back label says that nothing matters.

    This label is the complement of the least chance of the colour at any source; but if nothing bounds the chance yet,
    the search goes on until it meets the boundary, in case that has no alpha.
    """
    limits: Labels = np.maximum(-_RULE.encode(least[:, 0].copy(), least[:, 1].copy()), 1 - certain(_RULE))
    return limits


class _Back:
    """The backward passes: which of the datasets that are not expanded may still matter."""

    def __init__(self, solution: Labeling, start: NDArray[np.int64], limits: Labels, outer: Bools) -> None:
        self.solution, self.start, self.limits, self.outer = solution, start, limits, outer
        graph, rule = solution.graph, solution.rule
        self.certain = certain(rule)
        self.inside = graph.adjacency_of(~graph.crossing, numbered=not rule.uniform)
        self.label = self._pass(-solution.label[start])
        self.around = np.full(len(graph), self.certain)
        """Back labels from the sources that decide, in Pr[first colour] and across colours."""
        first = np.where(graph.color == 0, 1, -1) * solution.own
        deciding = self._deciding(first)
        if len(deciding):
            self.around[deciding] = -first[deciding]
            rule.settle(graph.adjacency, self.around, deciding)
        self._inner: Bools = outer & (self.label < limits[graph.color])
        self._across: Bools = outer & (self.around < limits[0])

    @property
    def needed(self) -> Bools:
        """The datasets whose edges may matter and were not seen."""
        return self._inner | self._across

    def fronts(self) -> list[_Front]:
        """Return the datasets that may matter, with the back labels of both passes."""
        passes = ((self._inner, self.label, False), (self._across, self.around, True))
        return [_Front(np.flatnonzero(mask), label[mask], across) for mask, label, across in passes]

    def _pass(self, begin: Labels) -> Labels:
        """Return the back labels, in the colour of the datasets where they begin."""
        graph, rule = self.solution.graph, self.solution.rule
        label = np.full(len(graph), self.certain)
        label[self.start] = begin
        parts = [self.start[graph.color[self.start] == color] for color in range(2)]
        rule.settle(self.inside, label, *parts)
        return label

    def _deciding(self, first: Labels) -> NDArray[np.int64]:
        """Return the sources that decide, or might if rounding in their alpha lowered their Pr[first colour].

        These are the sources that would undercut the next higher label.
        """
        graph, rule = self.solution.graph, self.solution.rule
        label = self._pass(np.maximum(-self.solution.label[self.start] - 1, -self.certain))
        p, q = rule.decode(first)
        rounding = 2.0 * ROUNDING * p
        complement = -np.stack([rule.encode(p - rounding, q + rounding), -first])  # of each colour's least chance
        found = label < complement[graph.color, np.arange(len(graph))]
        for u, v in ((graph.source, graph.target), (graph.target, graph.source)):  # one step across the boundary
            edges = np.flatnonzero(graph.crossing & (label[u] < self.certain))
            bound = rule.relax(label[u[edges]], edges)
            found[v[edges[bound < complement[graph.color[u[edges]], v[edges]]]]] = True
        return np.flatnonzero(found & graph.given)

    def proof(self, least: Floats) -> str:
        """Return the reason why nothing outside matters."""
        graph, rule, reasons = self.solution.graph, self.solution.rule, []
        for color, name in enumerate(graph.colors):
            rim = self.label[self.outer & (graph.color == color)].min(initial=self.certain)
            if rim < self.certain:
                needed = rule.decode(np.array([-rim]))[0][0]
                reasons.append(
                    f"a dataset farther away could change the result only if its chance of {name} were below "
                    f"{number(needed)}, and none is below {number(float(least[color, 0]))}"
                )
        return "; ".join(reasons) or "every dataset that can be reached without changing the true answer was seen"


def _evaluation(graph: DatasetGraph, v: int, row: Sequence[float], path: list[int], edges: list[int]) -> Evaluation:
    return Evaluation(
        key=graph.key(v),
        color=graph.colors[graph.color[v]],
        probabilities=dict(zip(graph.colors, row, strict=True)),
        path=tuple(map(graph.key, path)),
        epsilons=tuple(graph.epsilon[edges].tolist()),
        deltas=tuple(graph.delta[edges].tolist()),
    )

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

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.compiled import labels
from neodp.core import binary, boundary
from neodp.core.binary import Labeling
from neodp.core.evaluation import Ball, evaluate_whole, evaluation_of, told_about
from neodp.core.privacy import EpsilonDelta, Labels, certain
from neodp.core.views import ArrayView, Rule, RuleView, View
from neodp.core.witness import ROUNDING
from neodp.data.family import family
from neodp.data.formatting import number
from neodp.data.graph import DatasetGraph, known_graph
from neodp.data.kinds import checked, wrong_kind
from neodp.data.progress import Progress, silent
from neodp.data.validation import Bools, Floats, keys_of
from neodp.errors import BallTooLarge, GraphError
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    pass

__all__ = ["evaluate"]

WHOLE = Hint(
    "a search sees part of the graph, and cannot show that alpha agrees within and between all orders: extend all of "
    "it (",
    Option("engine", "whole"),
    ")",
)
"""The reason why there is no search with more than two colours (:mod:`neodp.core.rainbow`)."""
LIMIT = 100_000
"""The number of datasets that a search may see, by default."""
GROWTH, LEAST_GROWTH = 1 / 8, 64
"""The part seen is solved again once it has grown by this share, and by at least this number of datasets."""


@checked
def evaluate(
    graph: View | DatasetGraph | Rule,
    keys: Any,
    *,
    limit: int = LIMIT,
    layers: int | None = None,
    progress: Progress = silent,
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
    if not hasattr(graph, "colors"):
        raise wrong_kind("graph", graph, "a DatasetGraph, a Rule or a View")
    named = keys_of(keys)
    if not named:
        raise GraphError("there are no keys", "name at least one dataset")
    if not family(graph).binary:
        if isinstance(graph, DatasetGraph):
            with told_about(keys):
                return evaluate_whole(graph, named)
        raise GraphError(f"{graph.name!r} has {len(graph.colors)} colours", WHOLE)
    view: View = (
        ArrayView(graph) if isinstance(graph, DatasetGraph) else RuleView(graph) if isinstance(graph, Rule) else graph
    )
    with told_about(keys):
        return _Search(view, named).run(limit, layers, progress)


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
    """True once a dataset with alpha, or of another colour than the first, was seen; before, solutions say nothing."""

    def run(self, limit: int, layers: int | None, progress: Progress) -> Ball:
        wanted = list(dict.fromkeys(self.keys))
        found = self.view.find(wanted)
        self._add(wanted, found.color, found.alpha)
        start = np.arange(len(wanted))
        limits = _limits(self.view.least)
        fronts = [] if self.bounded else [_Front(start, np.full(len(start), -labels.HALF), across=False)]
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
        if isinstance(self.view, RuleView):
            known = "its 'least' is higher" if self.view.least[:, 0].any() else "it is given its 'least'"
            hint = f"a search over a rule ends sooner if {known}; if the rule is finite, raise the limit"
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
            return known_graph(*columns, colors=colors, name=name)
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
        graph, rows = solution.graph, solution.rows
        hops = compiled.kernel.hops(*graph.adjacency[:2], start)
        found = {graph.key(v): evaluation_of(graph, int(v), rows[v].tolist(), *solution.path(int(v))) for v in start}
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
    limits: Labels = np.maximum(-labels.encode(least[:, 0].copy(), least[:, 1].copy()), 1 - labels.HALF)
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

"""Evaluations: the behaviour of a mechanism at single datasets, and the reason for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import Privacy
from neodp.core.rainbow import Method
from neodp.data.family import family
from neodp.data.formatting import number
from neodp.data.frames import Tabular
from neodp.data.graph import DatasetGraph
from neodp.data.validation import keys_of
from neodp.errors import UnknownKey

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Ball", "Evaluation", "evaluate_at", "evaluate_whole", "evaluation_of", "told_about"]


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


def evaluate_whole(
    graph: DatasetGraph, keys: Any, method: Method | None = None, privacy: Privacy | None = None
) -> Ball:
    """Run ``evaluate`` by a pass over the whole graph: the work does not depend on the datasets asked for.

    It accepts any number of colours, and any privacy notion; `method` and `privacy` are as in ``extend``.
    """
    with told_about(keys):
        start = [graph.index(key) for key in keys_of(keys)]
    return evaluate_at(start, extend(graph, privacy, method=method))


def evaluate_at(start: Iterable[int], found: Mechanism) -> Ball:
    """Run ``evaluate_whole`` for the datasets at some positions, from a mechanism that ``extend`` has found."""
    graph = found.graph
    return Ball(
        evaluations=tuple(evaluation_of(graph, v, found.probabilities[v].tolist(), *found.path(v)) for v in start),
        seen=len(graph),
        expanded=len(graph),
        layers=0,
        reach=0,
        rounded=len(found.rounded),
        proof="the whole graph was extended",
    )


@contextmanager
def told_about(keys: Any) -> Iterator[None]:
    """Explain how a tuple is read, if one of its keys is unknown."""
    try:
        yield
    except UnknownKey as e:
        if not isinstance(keys, tuple):
            raise
        hint = "a tuple is read as several keys: put a tuple that names one dataset into a list"
        raise UnknownKey(e.message, hint) from None


def evaluation_of(graph: DatasetGraph, v: int, row: Sequence[float], path: list[int], edges: list[int]) -> Evaluation:
    """Return the evaluation of the dataset at a position, from its distribution and the path that decides it."""
    return Evaluation(
        key=graph.key(v),
        color=graph.colors[graph.color[v]],
        probabilities=dict(zip(graph.colors, row, strict=True)),
        path=tuple(map(graph.key, path)),
        epsilons=tuple(graph.epsilon[edges].tolist()),
        deltas=tuple(graph.delta[edges].tolist()),
    )

"""Mechanisms: a random answer for every dataset of a graph.

A *mechanism* gives every dataset of a graph a distribution over the colours. :func:`neodp.core.extension.extend` finds
the best one that agrees with a graph's alpha; any other can be given by its probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.core.privacy import EpsilonDelta, Labels, Privacy
from neodp.core.traversal import Path
from neodp.data.distributions import own_and_rest
from neodp.data.family import family
from neodp.data.formatting import number
from neodp.data.frames import Tabular, named_columns
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.tables import ReadOptions
from neodp.data.validation import Floats
from neodp.errors import GraphError

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa

__all__ = ["Mechanism", "Optimality"]


def _nothing_decides(vertex: int) -> Path:
    """Return the path of a dataset whose probabilities were given."""
    return [], []


class Optimality(NamedTuple):
    """A proof of how close a mechanism is to the best one (:mod:`neodp.core.optimal`).

    Attributes
    ----------
    expected : float
        The expected accuracy under the prior, rounded down.
    bound : float
        A number that no private mechanism exceeds or, if the graph has alpha, none that agrees with alpha.
    prior : str
        The prior: "uniform", if all datasets are equally likely, or its name.
    """

    expected: float
    bound: float
    prior: str = "uniform"

    @property
    def gap(self) -> float:
        """The greatest amount by which another private mechanism can be more accurate."""
        return max(0.0, self.bound - self.expected)


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(Mapping[str, dict[str, float]], Tabular):
    """A random answer for every dataset of a graph; immutable.

    It is a mapping from the keys of the datasets, in the order of the graph, to their distributions by colour. Unlike
    two dictionaries, two mechanisms are equal only if they are the same object.

    Attributes
    ----------
    graph : DatasetGraph
        The graph it belongs to.
    probabilities : array of float, one row per dataset, one column per colour
        Every entry but the largest of a row is exact; the largest stands for one minus the rest.
    privacy : Privacy
        The privacy condition that it keeps on every edge.
    rounded : array of int
        The positions of the datasets whose alpha was rounded in.
    filled : array of int
        The positions of the boundary datasets that had no alpha and took that of their order; none with two colours.
    method : str
        The method that found it: ``labels`` with two colours; ``table``, ``prefix``, ``optimal``, ``line`` or
        ``distance`` with more; ``given`` if its probabilities were given.
    path : callable
        From the position of a dataset to the path from the dataset whose alpha decides its distribution, as positions
        and edges; an empty path if none does, or if its probabilities were given.
    optimality : Optimality or None
        The proof of how close it is to the best mechanism, if a linear program was solved.

    Examples
    --------
    >>> import neodp
    >>> m = Mechanism.of(neodp.generate.path(2), {"0": 0.75, "1": 0.5})
    >>> m["0"], "7" in m, list(m)
    ({'yes': 0.75, 'no': 0.25}, False, ['0', '1'])
    >>> {key: distribution["yes"] for key, distribution in m.items()}
    {'0': 0.75, '1': 0.5}
    """

    graph: DatasetGraph
    probabilities: Floats
    privacy: Privacy
    rounded: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    filled: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    method: str = field(default="given")
    path: Callable[[int], Path] = field(default=_nothing_decides)
    optimality: Optimality | None = None

    def __post_init__(self) -> None:
        for column in (self.probabilities, self.rounded, self.filled):
            column.setflags(write=False)

    @classmethod
    @checked
    def of(
        cls, graph: DatasetGraph, probabilities: ArrayLike | Mapping[Any, Any], privacy: Privacy | None = None
    ) -> Mechanism:
        """Return the mechanism with given probabilities, in any of the forms of alpha; it need not be private.

        Examples
        --------
        >>> import neodp
        >>> g = neodp.generate.path(2)
        >>> neodp.Mechanism.of(g, {"0": 0.6, "1": 0.5}).p_true
        array([0.6, 0.5])
        """
        given = graph.with_alpha(probabilities)
        if not given.given.all():
            missing = graph.key(int(np.argmin(given.given)))
            raise GraphError(f"dataset {missing!r} has no probabilities", "give them for every dataset")
        return cls(graph, given.alpha, privacy or EpsilonDelta.of(graph))

    @classmethod
    @checked
    def from_frame(cls, graph: DatasetGraph, frame: Any, privacy: Privacy | None = None) -> Mechanism:
        """Return the mechanism of a frame with a row per dataset, as from ``to_arrow``; it need not be private.

        Parameters
        ----------
        graph : DatasetGraph
        frame : frame of pandas or polars, Arrow table, or dict of columns
            The table, with a column ``key``, and ``p`` and ``q`` (the chances of both colours), or ``probabilities``
            (lists, in the order of the graph's colours).
        privacy : Privacy, optional

        Examples
        --------
        >>> import neodp
        >>> g = neodp.generate.path(2)
        >>> neodp.Mechanism.from_frame(g, {"key": ["1", "0"], "p": [0.5, 0.6], "q": [0.5, 0.4]}).p
        array([0.6, 0.5])
        """
        needed = ("key", *family(graph).names)
        columns = named_columns(frame, "the table of probabilities", needed, (), ReadOptions(extra_columns="ignore"))
        key, *chances = (columns[name].to_pylist() for name in needed)
        rows = chances[0] if len(chances) == 1 else map(list, zip(*chances, strict=True))
        return cls.of(graph, dict(zip(key, rows, strict=True)), privacy)

    def __getitem__(self, key: object) -> dict[str, float]:
        """Return the distribution at a dataset, by colour; a key that is not a string is converted with ``str``."""
        row = self.probabilities[self.graph.index(key)]
        return dict(zip(self.graph.colors, row.tolist(), strict=True))

    def __contains__(self, key: object) -> bool:
        import pyarrow.compute as pc

        return bool(pc.index(self.graph.keys, str(key)).as_py() >= 0)

    def __iter__(self) -> Iterator[str]:
        return (key.as_py() for key in self.graph.keys)

    def __len__(self) -> int:
        return len(self.graph)

    def values(self) -> ValuesView[dict[str, float]]:
        """Return the distributions, in the order of the graph."""
        return _Distributions(self)

    def items(self) -> ItemsView[str, dict[str, float]]:
        """Return the keys with their distributions, in the order of the graph."""
        return _Items(self)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        least, most = number(float(self.p_true.min())), number(float(self.p_true.max()))
        return f"<Mechanism on {self.graph!r}: truthful with chance {least} to {most}>"

    @property
    def p(self) -> Floats:
        """Per dataset, Pr[first colour]."""
        return self.probabilities[:, 0]

    @property
    def q(self) -> Floats:
        """Per dataset, Pr[second colour]."""
        return self.probabilities[:, 1]

    @property
    def p_true(self) -> Floats:
        """Per dataset, the chance of answering its own colour."""
        return self.probabilities[np.arange(len(self)), self.graph.color]

    @property
    def p_false(self) -> Floats:
        """Per dataset, the chance of answering any other colour; more exact than one minus ``p_true``."""
        return own_and_rest(self.probabilities, self.graph.color)[1]

    @checked
    def dominates(self, other: Mechanism) -> bool:
        """Return True if it is truthful at least as often as `other` on every dataset (paper 002, Definition 2).

        With more than two colours: return True if on every dataset the chance of the best output is greater, or equal
        and that of the next is greater, and so on (paper 003, Definition 3).
        """
        if self.graph is not other.graph and not self.graph.keys.equals(other.graph.keys):
            raise GraphError("the two mechanisms belong to different graphs", "compare mechanisms on one graph")
        ahead = np.zeros(len(self), np.bool_)  # decided by a better output
        for mine, theirs in zip(self._ranked(), other._ranked(), strict=True):
            if (~ahead & (mine < theirs)).any():
                return False
            ahead |= mine > theirs
        return True

    def _ranked(self) -> Iterator[Labels]:
        """Yield labels of the chances of each dataset's best output, the next, …, which are precise even near 1.

        They distinguish chances near 1 that are equal as doubles. The last is one minus the others.
        """
        rule = EpsilonDelta.of(self.graph)
        for color in self.graph.orders[self.graph.order].T[:-1]:
            if (color < 0).any():  # nobody knows what comes next
                return
            yield rule.encode(*own_and_rest(self.probabilities, color))

    def to_arrow(self) -> pa.Table:
        """Return a row for every dataset: ``key``, ``color``, ``p_true``, and ``p`` and ``q``, or ``probabilities``."""
        import pyarrow as pa

        nodes = self.graph.to_arrow().nodes.select(["key", "color"])
        columns = {"p_true": self.p_true, **family(self.graph).columns(self.probabilities)}
        for name, column in columns.items():
            nodes = nodes.append_column(name, pa.array(column))
        return nodes

    def to_networkx(self) -> nx.Graph:
        """Return the graph with ``p_true`` on every node, and ``p`` and ``q``, or ``probabilities``."""
        nxgraph = self.graph.to_networkx()
        rows = zip(nxgraph, self.p_true.tolist(), self.probabilities.tolist(), strict=True)
        for key, p_true, row in rows:
            nxgraph.nodes[key]["p_true"] = p_true
            nxgraph.nodes[key].update(family(self.graph).properties(row))
        return nxgraph


class _Distributions(ValuesView[dict[str, float]]):
    """The rows of a mechanism one after another; looking up every key would take a search each."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.mechanism = mechanism

    def __iter__(self) -> Iterator[dict[str, float]]:
        colors = self.mechanism.graph.colors
        return (dict(zip(colors, row.tolist(), strict=True)) for row in self.mechanism.probabilities)

    def __contains__(self, value: object) -> bool:
        return any(value == distribution for distribution in self)


class _Items(ItemsView[str, dict[str, float]]):
    """Keys and rows of a mechanism, side by side."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.mechanism = mechanism

    def __iter__(self) -> Iterator[tuple[str, dict[str, float]]]:
        return zip(self.mechanism, self.mechanism.values(), strict=True)

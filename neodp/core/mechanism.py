"""Mechanisms: a random answer for every dataset, and the optimal one that agrees with a graph's alpha.

A *mechanism* gives every dataset of a graph a distribution over the colours. Given alpha on the boundary, there is one
best mechanism that is private and agrees with alpha: ``extend`` finds it, and ``check`` says why there is none. The
meaning of "best", and the way the mechanism is found, depend on the number of colours (:mod:`neodp.core.family`): with
two, see :mod:`neodp.core.binary`; with more, :mod:`neodp.core.rainbow`.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.core import boundary, search
from neodp.core.extension import Witness, shown
from neodp.core.family import family
from neodp.core.privacy import EpsilonDelta, Labels, Privacy
from neodp.core.rainbow import Difference, Method
from neodp.data.formatting import count, number
from neodp.data.frames import Tabular, named_columns
from neodp.data.graph import DatasetGraph
from neodp.data.tables import ReadOptions
from neodp.data.validation import Floats, own_and_rest
from neodp.errors import GraphError, IncompatibleAlpha

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa

__all__ = ["Check", "Mechanism", "Witness", "check", "extend"]


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
        The method that found it: ``labels`` with two colours; ``table``, ``line`` or ``prefix`` with more; ``given`` if
        its probabilities were given.

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

    def __post_init__(self) -> None:
        for column in (self.probabilities, self.rounded, self.filled):
            column.setflags(write=False)

    @classmethod
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
        needed = ("key", "p", "q") if family(graph).binary else ("key", "probabilities")
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


@dataclass(frozen=True, repr=False)
class Check(Tabular):
    """The result of ``check``; true iff the graph can be extended.

    Attributes
    ----------
    connected : bool
    components : int
    boundary : int
        The number of datasets on the boundary.
    boundary_hit : bool
        True if every boundary edge has alpha at one end; with more than two colours, if every order has alpha on its
        boundary.
    unhit : tuple of two keys, or None
        A boundary edge with alpha at neither end; with more than two colours, one at an order without alpha.
    compatible : bool or None
        True if a private mechanism agrees with alpha; None if the boundary is not hit, so that the question does not
        arise.
    witness : Witness, Difference or None
        Two datasets whose alpha cannot both be kept.
    rounded : int
        The number of alpha values that would be rounded in.
    filled : int
        The number of boundary datasets that have no alpha and would take that of their order; 0 with two colours.
    """

    connected: bool
    components: int
    boundary: int
    boundary_hit: bool
    unhit: tuple[str, str] | None
    compatible: bool | None
    witness: Witness | Difference | None
    rounded: int
    filled: int = 0

    def __repr__(self) -> str:
        return f"<Check: {'; '.join(str(self).splitlines())}>"

    def to_arrow(self) -> pa.Table:
        """Return one row with the findings."""
        import pyarrow as pa

        witness = None if self.witness is None else str(self.witness)
        row = {name: getattr(self, name) for name in self.__dataclass_fields__} | {"witness": witness}
        return pa.Table.from_pylist([row | {"unhit": None if self.unhit is None else list(self.unhit)}])

    def __bool__(self) -> bool:
        return self.boundary_hit and self.compatible is True

    def __str__(self) -> str:
        parts = "connected: every dataset can be reached from every other"
        lines = [parts if self.connected else f"not connected: {self.components:,} parts that no edge joins"]
        lie = count(self.boundary, "dataset lies", "datasets lie") + " on the boundary between answers"
        if self.unhit is None:
            lines.append(f"{lie}, and alpha is given where it is needed")
        else:
            lines.append(f"{lie}, but the boundary edge {shown(self.unhit)} has alpha at neither end")
        if self.compatible is not None:
            fits = "alpha is compatible: there is a private mechanism with it"
            lines.append(fits if self.witness is None else str(self.witness))
        if self.rounded:
            lines.append(f"alpha is off by a rounding error at {count(self.rounded, 'dataset')}, and is lowered to fit")
        if self.filled:
            lines.append(
                f"{count(self.filled, 'boundary dataset')} without alpha: that of their order of answers counts"
            )
        return "\n".join(lines)


def check(graph: DatasetGraph, privacy: Privacy | None = None) -> Check:
    """Check that a graph is connected, its boundary hit, and its alpha compatible; give a witness if not.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4)
    >>> print(neodp.check(g))
    connected: every dataset can be reached from every other
    2 datasets lie on the boundary between answers, but the boundary edge '1' – '2' has alpha at neither end
    >>> bool(neodp.check(g.with_alpha(neodp.balanced(g))))
    True
    """
    kind = family(graph)
    kind.require_orders(graph)
    components, _ = search.components(len(graph), graph.source, graph.target)
    unhit = kind.unhit_edge(graph)
    compatible, witness, rounded, filled = None, None, 0, 0
    if unhit is None:
        try:
            found = extend(graph, privacy)
            compatible, rounded, filled = True, len(found.rounded), len(found.filled)
        except IncompatibleAlpha as e:
            compatible, witness = False, cast("Witness | Difference", e.witness)
    return Check(
        connected=components == 1,
        components=components,
        boundary=len(boundary.boundary_vertices(graph)),
        boundary_hit=unhit is None,
        unhit=None if unhit is None else (graph.key(graph.source[unhit]), graph.key(graph.target[unhit])),
        compatible=compatible,
        witness=witness,
        rounded=rounded,
        filled=filled,
    )


def extend(graph: DatasetGraph, privacy: Privacy | None = None, *, method: Method | None = None) -> Mechanism:
    """Return the optimal mechanism that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        The graph, with alpha on a boundary-hitting set, and possibly elsewhere. A component without any boundary and
        alpha answers truthfully. With more than two colours every dataset orders them, and alpha is the same for all
        boundary datasets of one order.
    privacy : Privacy, optional
        The privacy condition: by default (epsilon, delta) from the graph; with two colours, it can also be Gaussian or
        a user-supplied suitable pair.
    method : "line" or "prefix", optional
        The method for more than two colours if epsilon differs between edges: by default the largest prefix sums if
        these are private, and otherwise the line, which always is. "prefix" is refused if prefix sums are not private;
        "line" takes the line in any case (:mod:`neodp.core.rainbow`). With two colours it changes nothing.

    Returns
    -------
    Mechanism
        Private to the last bit for (epsilon, delta), and up to rounding otherwise.

    Raises
    ------
    UnhitBoundary
        If a boundary edge has alpha at neither end; with more than two colours, if an order has none on its boundary.
    NotPrivate
        If the requested method breaks privacy on this graph.
    IncompatibleAlpha
        If no private mechanism agrees with alpha. An alpha that is off by no more than a rounding error (a
        relative 1e-12) is rounded in instead, and reported in ``rounded``.

    Examples
    --------
    Example 3 of paper 002, where the farther source is the tighter one:

    >>> import math, neodp
    >>> g = neodp.DatasetGraph.from_columns(
    ...     ["v1", "v2", "v3", "v4"], ["red", "blue", "blue", "red"], ["v1", "v2", "v3"], ["v2", "v3", "v4"],
    ...     math.log(2), alpha={"v1": 0.3, "v4": 0.1})
    >>> extend(g).p.round(12)
    array([0.3, 0.4, 0.2, 0.1])

    References
    ----------
    Paper 000, Algorithms 1 and 2; paper 002, Algorithm 1; paper 003, Theorem 3.
    """
    if method not in (None, "line", "prefix"):
        raise GraphError(f"there is no method {method!r}", "leave it out, or give 'line' or 'prefix'")
    rule = privacy if privacy is not None else EpsilonDelta.of(graph)
    found = family(graph).extend(graph, rule, method)
    return Mechanism(graph, found.rows, rule, found.rounded, found.filled, found.method)

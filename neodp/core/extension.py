"""The optimal mechanism that agrees with a graph's alpha: found by ``extend``, or refused with a reason by ``check``.

Given alpha on the boundary, there is one best mechanism that is private and agrees with alpha, and it extends alpha to
all datasets. The meaning of "best", and the way the mechanism is found, depend on the number of colours: with two, see
:mod:`neodp.core.binary`; with more, :mod:`neodp.core.rainbow`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from neodp.core import boundary, traversal
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta, Privacy
from neodp.core.rainbow import METHODS, DatasetPrior, Method
from neodp.core.solvers import solver
from neodp.core.witness import OrderConflict, Witness, shown
from neodp.data.formatting import count
from neodp.data.frames import Tabular
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.validation import Floats
from neodp.errors import GraphError, IncompatibleAlpha

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Check", "check", "extend"]


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
    witness : Witness, OrderConflict or None
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
    witness: Witness | OrderConflict | None
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
        lines = [parts if self.connected else f"not connected: {self.components:,} parts with no edge between them"]
        lie = count(self.boundary, "dataset lies", "datasets lie") + " on the boundary between answers"
        if self.unhit is None:
            lines.append(f"{lie}, and alpha is given where it is needed")
        else:
            lines.append(f"{lie}, but the boundary edge {shown(self.unhit)} has alpha at neither end")
        if self.compatible is not None:
            fits = "alpha is compatible: a private mechanism with it exists"
            lines.append(fits if self.witness is None else str(self.witness))
        if self.rounded:
            lines.append(f"alpha is off by a rounding error at {count(self.rounded, 'dataset')}, and is lowered to fit")
        if self.filled:
            lines.append(
                f"{count(self.filled, 'boundary dataset')} without alpha: that of their order of answers counts"
            )
        return "\n".join(lines)


@checked
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
    kind = solver(graph)
    kind.require_orders(graph)
    components, _ = traversal.components(len(graph), graph.source, graph.target)
    unhit = kind.unhit_edge(graph)
    compatible, witness, rounded, filled = None, None, 0, 0
    if unhit is None:
        try:
            found = extend(graph, privacy, method="line")  # which fails only if alpha does
            compatible, rounded, filled = True, len(found.rounded), len(found.filled)
        except IncompatibleAlpha as e:
            compatible, witness = False, cast("Witness | OrderConflict", e.witness)
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


@checked
def extend(
    graph: DatasetGraph,
    privacy: Privacy | None = None,
    *,
    method: Method | None = None,
    prior: Floats | DatasetPrior | None = None,
) -> Mechanism:
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
    method : "line", "prefix", "optimal" or "distance", optional
        The method for more than two colours if epsilon differs between edges: by default the largest prefix sums if
        these are private; otherwise "optimal", if datasets times colours are at most 10,000; otherwise the line.
        "prefix" is refused if prefix sums are not private; "line" is always private (:mod:`neodp.core.rainbow`).
        "optimal" is the mechanism with the greatest expected accuracy, by a linear program (:mod:`neodp.core.optimal`):
        among those that agree with alpha, or among all private ones if the graph has no alpha; ``optimality`` says how
        close it is to the best. "distance" needs neither alpha nor preferences
        (:mod:`neodp.core.rainbow.distance`). With two colours `method` changes nothing.
    prior : array of float, one per dataset, optional
        With "optimal": the weight of each dataset, for example from ``neodp.study.prior``. By default all are equally
        likely.

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
    if method is not None and method not in METHODS:
        raise GraphError(f"there is no method {method!r}", f"leave it out, or give one of {', '.join(METHODS)}")
    if prior is not None and method != "optimal":
        raise GraphError("a prior only works with the method 'optimal'", "leave one out, or give both")
    if prior is not None and not isinstance(prior, DatasetPrior):
        prior = DatasetPrior.of(graph, prior)
    rule = privacy if privacy is not None else EpsilonDelta.of(graph)
    return solver(graph).extend(graph, rule, method, prior)

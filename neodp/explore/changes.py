"""Hypothetical changes of alpha and epsilons: the changed graph, its mechanism, and the exact check of privacy.

Nothing is stored: every request contains its changes, and the result is only returned.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neodp.core.alpha import balanced
from neodp.core.auditing import audit
from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.core.rainbow import MOST_FOR_OPTIMAL, DatasetPrior
from neodp.data.family import family
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats, require_range
from neodp.errors import GraphError, NeodpError
from neodp.explore.drawing import accuracies
from neodp.explore.overview import DRAWN, chance, drawable, said
from neodp.explore.source import Shown, Source
from neodp.study import prior

__all__ = ["Changes", "extended", "what_if"]


@dataclass(frozen=True)
class Changes:
    """Changes of a graph.

    Attributes
    ----------
    epsilon : mapping of float to float
        All edges with the first epsilon get the second one.
    edges : tuple of (source, target, epsilon)
        These edges get an epsilon of their own.
    alpha : mapping of str to float
        By key of a dataset that has alpha: with two colours, the chance of the first one. With more, the chance of the
        dataset's own colour, at all datasets of its order that have alpha; the others share the rest as before.
    balanced : bool
        Start from the balanced alpha of the changed graph, and then apply the changes of alpha.
    """

    epsilon: Mapping[float, float]
    edges: tuple[tuple[str, str, float], ...] = ()
    alpha: Mapping[str, float] | None = None
    balanced: bool = False

    @classmethod
    def parse(cls, given: Any) -> Changes:
        """Read changes from JSON.

        Raises
        ------
        GraphError
            If the JSON does not have the form of changes.
        """
        try:
            return cls(
                epsilon={float(old): _epsilon(new) for old, new in given.get("epsilon", [])},
                edges=tuple((str(s), str(t), _epsilon(e)) for s, t, e in given.get("edges", [])),
                alpha={str(key): float(value) for key, value in given.get("alpha", {}).items()},
                balanced=bool(given.get("balanced", False)),
            )
        except (AttributeError, TypeError, ValueError) as e:
            if isinstance(e, NeodpError):
                raise
            raise GraphError("the changes cannot be read", "reload the page") from None

    def __bool__(self) -> bool:
        return bool(self.epsilon or self.edges or self.alpha or self.balanced)

    def of(self, graph: DatasetGraph) -> DatasetGraph:
        """Return a graph with these changes.

        Raises
        ------
        GraphError, UnknownKey
            If there is no such dataset or edge, or a value is invalid.
        """
        epsilon = graph.epsilon.copy()
        for old, new in self.epsilon.items():
            epsilon[graph.epsilon == old] = new
        for source, target, new in self.edges:
            one, other = graph.index(source), graph.index(target)
            ends = ((graph.source == one) & (graph.target == other)) | ((graph.source == other) & (graph.target == one))
            if not ends.any():
                raise GraphError(f"{source!r} and {target!r} are not neighbours", "choose another edge")
            epsilon[ends] = new
        changed = replace(graph, epsilon=epsilon)
        if self.balanced:
            changed = changed.with_alpha(balanced(changed))
        if self.alpha:
            changed = changed.with_alpha(_moved(changed, self.alpha))
        return changed


def _moved(graph: DatasetGraph, values: Mapping[str, float]) -> Floats:
    """Return the alpha of a graph with some changes."""
    alpha = graph.alpha.copy()
    for key, value in values.items():
        v = graph.index(key)
        if not 0.0 <= value <= 1.0:
            raise GraphError(f"alpha at {key!r} is {value}", "give a number from 0 to 1")
        if family(graph).binary:
            alpha[v] = (value, 1.0 - value)
            continue
        if not graph.given[v]:
            raise GraphError(f"{key!r} has no alpha", "choose a dataset with alpha")
        own = np.arange(len(graph.colors)) == graph.color[v]
        rest = np.where(own, 0.0, graph.alpha[v])
        rest = rest / rest.sum() if rest.any() else ~own / (len(own) - 1)
        row = np.where(own, value, (1.0 - value) * rest)
        alpha[graph.given & (graph.order == graph.order[v])] = row
    return alpha


def what_if(source: Source, name: str, changes: Changes) -> dict[str, Any]:
    """Return the mechanisms of the changed and of the unchanged graph, and whether the former is private."""
    shown = source.shown(name)
    require_small(shown)
    facts: dict[str, Any] = {"before": _summary(shown.mechanism)}
    try:
        changed = changes.of(shown.graph)
        mechanism = extended(shown, changed)
    except NeodpError as e:
        witness = getattr(e, "witness", None)
        path = list(getattr(witness, "path", ()) or ())
        return facts | {"problem": said(e, name), "witness": path}
    report = audit(changed, mechanism, worst=1)
    moved = None
    if shown.mechanism is not None:
        moved = int(np.count_nonzero(mechanism.p_true != shown.mechanism.p_true))
    return facts | {
        "problem": None,
        "after": _summary(mechanism),
        **accuracies(mechanism),
        "given": changed.given.tolist(),
        "moved": moved,
        "rounded": len(mechanism.rounded),
        "audit": {
            "violations": report.violations,
            "checks": report.checks,
            "edges": report.edges,
            "exact": report.exact,
        },
    }


def extended(shown: Shown, changed: DatasetGraph) -> Mechanism:
    """Return the mechanism of a changed graph, found by the method of the one that is shown.

    Prefix sums and the table are the default wherever they are there; the other methods were asked for, and those of
    linear programs and of distances need no alpha.

    Raises
    ------
    GraphError
        If it takes a linear program that is too large to be solved while somebody waits, or whose prior is not stored.
    """
    kept = shown.mechanism
    if kept is None or kept.method not in ("line", "optimal", "distance"):
        return extend(changed)
    method: Any = kept.method
    if method != "optimal" or kept.optimality is None:
        return extend(changed, method=method)
    chances, name = len(changed) * len(changed.colors), shown.info.name
    if chances > MOST_FOR_OPTIMAL:
        raise GraphError(
            f"the linear program of graph {name!r} has {chances:,} chances",
            f"alpha and epsilons can be changed here for up to {MOST_FOR_OPTIMAL:,} of them",
        )
    by = kept.optimality.prior
    if by not in ("uniform", "distance"):
        raise GraphError(
            f"the mechanism of graph {name!r} is the best for weights that are not stored",
            "alpha and epsilons can be changed here for the priors uniform and distance",
        )
    return extend(changed, method="optimal", prior=DatasetPrior(by, prior(changed, by)))


def require_small(shown: Shown) -> None:
    """Refuse graphs that would take too long.

    Raises
    ------
    GraphError
        If the graph has too many datasets or edges.
    """
    if not drawable(shown.info):
        raise GraphError(
            f"graph {shown.info.name!r} has {shown.info.datasets:,} datasets and {shown.info.edges:,} edges",
            f"alpha and epsilons can be changed here for up to {DRAWN[0]:,} datasets and {DRAWN[1]:,} edges; for one "
            "level "
            f"on larger graphs, run: neodp what-if {shlex.quote(shown.info.name)}",
        )


def _summary(mechanism: Mechanism | None) -> dict[str, Any] | None:
    if mechanism is None:
        return None
    true, false = mechanism.p_true, mechanism.p_false
    return {"least": chance(true.min(), false.max()), "mean": chance(true.mean(), false.mean())}


def _epsilon(value: Any) -> float:
    number = float(value)
    require_range("epsilon", number)
    return number

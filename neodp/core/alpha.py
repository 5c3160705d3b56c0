"""Choices of alpha on the boundary: the behaviour that fixes the optimal mechanism.

*Alpha* is the distribution of a mechanism at some boundary datasets (:mod:`neodp.core.boundary`). Many choices of it
are compatible with privacy, and each gives another optimal mechanism. *Balanced* alpha favours no colour; *homogeneous*
alpha is the same at all boundary datasets of a colour, or of an order. The best choice for a prior is a linear program
(:mod:`neodp.study.optimum`).

References
----------
S. Torkamani, J. B. Ebrahimi, P. Sadeghi, R. G. L. D'Oliveira, M. Médard: "Optimal Binary Differential Privacy via
Graphs", 2023, arXiv:2310.20486 ("paper 002").
"""

from __future__ import annotations

from collections.abc import Sequence

from neodp.core.solvers import solver
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.validation import Floats

__all__ = ["balanced", "homogeneous"]


@checked
def balanced(graph: DatasetGraph) -> Floats:
    """Return the alpha that shares every boundary edge evenly between its two ends, or between all ranks.

    With one (epsilon, delta), every boundary dataset tells the truth with chance
    (e^eps + delta) / (e^eps + 1) (paper 002, Corollary 2). If the edges differ, the value of each boundary edge
    bounds both of its ends, a dataset is also bounded by what its neighbours of the same colour then allow, and
    alpha is the greatest that respects both bounds. It is compatible, since for an edge's own value b, U(1 - b) = b.
    With more than two colours it is :func:`neodp.core.rainbow.balanced`, which with one (epsilon, delta) is the same
    formula for two.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``; given on the whole boundary, rounded towards 1/2 so that the exact
        audit holds.

    Examples
    --------
    >>> import math, neodp
    >>> g = neodp.generate.path(4, epsilon=math.log(3))
    >>> balanced(g)[1:3].round(12)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    return solver(graph).balanced(graph)


@checked
def homogeneous(graph: DatasetGraph, first: float | Sequence[float], second: float | None = None) -> Floats:
    """Return the alpha that is the same for all boundary datasets of a colour, or of an order.

    Parameters
    ----------
    graph : DatasetGraph
    first : float
        Pr[first colour] at the boundary datasets of the first colour. With more than two colours: the chance of the
        best output, with the rest shared by the others as in :func:`neodp.core.rainbow.balanced`; or the chances of all
        ranks, best first.
    second : float, optional
        Pr[second colour] at the boundary datasets of the second colour; by default the greatest that is compatible:
        min U(1 - `first`) over the boundary edges.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``.

    Examples
    --------
    >>> import math, neodp
    >>> g = neodp.generate.path(4, epsilon=math.log(2))
    >>> homogeneous(g, 0.7)[2].round(12)
    array([0.4, 0.6])
    """
    return solver(graph).homogeneous(graph, first, second)

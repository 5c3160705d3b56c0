"""The distance of a mechanism from the best one, proven in whole numbers, whoever found the mechanism.

Let w be the prior, and consider the mechanisms that are private and, if the graph has alpha, agree with the given one
there. No such mechanism has a greater expected accuracy than a bound that multipliers of the inequalities prove
(:mod:`neodp.core.optimal`). The multipliers are not stored with a mechanism: any that a solver finds prove a bound, so
they are computed again whenever somebody asks, and nothing that was stored needs to be believed.
"""

from __future__ import annotations

from neodp.core.boundary import boundary_vertices
from neodp.core.mechanism import Mechanism, Optimality
from neodp.core.optimal import expected_accuracy, upper_bound
from neodp.core.privacy import EpsilonDelta
from neodp.core.rainbow import DatasetPrior
from neodp.data.family import family
from neodp.data.kinds import checked
from neodp.data.validation import Floats
from neodp.errors import PrivacyError

__all__ = ["optimality"]


@checked
def optimality(mechanism: Mechanism, prior: Floats | DatasetPrior | None = None) -> Optimality:
    """Return a proof of how close a mechanism is to the best one.

    Parameters
    ----------
    mechanism : Mechanism
        A private mechanism with any number of colours, found by any method or given. If its graph has alpha, it is
        compared with the mechanisms that agree with it there: where alpha is given and, with more than two colours, on
        the whole boundary. Without alpha, it is compared with all private mechanisms.
    prior : array of float, one per dataset, optional
        The weight of each dataset, as in ``extend``; by default all are equally likely.

    Raises
    ------
    PrivacyError
        If the mechanism keeps another notion of privacy than (epsilon, delta).
    NeodpError
        If the solver gives up.

    Examples
    --------
    The balanced alpha of three voters (paper 000, Fig. 1) lies below the best one, but its extension is the best there
    is for that alpha:

    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> even = neodp.extend(g.with_alpha(neodp.balanced(g)))
    >>> neodp.optimality(even).gap < 1e-9
    True
    >>> proof = neodp.optimality(neodp.Mechanism.of(g, even.probabilities))
    >>> round(proof.expected, 6), round(proof.bound, 6)
    (0.709272, 0.71926)
    """
    graph = mechanism.graph
    if not isinstance(mechanism.privacy, EpsilonDelta):
        raise PrivacyError(
            f"the mechanism keeps {type(mechanism.privacy).__name__} privacy", "only (epsilon, delta) is supported"
        )
    known = prior if isinstance(prior, DatasetPrior) else DatasetPrior.of(graph, prior)
    fixed = graph.given.copy()
    if not family(graph).binary and fixed.any():
        fixed[boundary_vertices(graph)] = True
    bound = upper_bound(graph, known.weights, mechanism.probabilities, fixed)
    expected = expected_accuracy(graph, known.weights, mechanism.probabilities)
    return Optimality(expected, max(bound, expected), known.name)

"""The papers' closed forms, in doubles. ``extend`` does not use them; they are here to be read and compared.

All give upper bounds that privacy puts on the chance of an answer, at a distance from where it is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neodp.graph import Floats

__all__ = ["balanced_truth", "induced", "path_mechanism"]


def path_mechanism(alpha: float, epsilon: Sequence[float]) -> Floats:
    """The optimal mechanism on a path whose first vertex has Pr = `alpha`, delta = 0.

    With s_i the sum of the first i epsilons, and tau the first i with 1/alpha <= e^{s_i} (e^{eps_i} + 1),

        p(v_i) = e^{s_i} alpha                                  for i <= tau,
        p(v_i) = 1 - e^{-(s_i - s_tau)} (1 - e^{s_tau} alpha)   for i > tau.

    Parameters
    ----------
    alpha : float
    epsilon : sequence of float
        One per edge of the path, from its first vertex on.

    Returns
    -------
    array of float
        One per vertex.

    References
    ----------
    Paper 000, Theorem 3; tau may be 0.

    Examples
    --------
    >>> path_mechanism(0.1, [math.log(2)] * 4).round(12)
    array([0.1 , 0.2 , 0.4 , 0.7 , 0.85])
    """
    steps = np.asarray(epsilon, np.float64)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    reached = np.flatnonzero(alpha * np.exp(total[:-1]) * (np.exp(steps) + 1.0) >= 1.0)
    tau = int(reached[0]) if len(reached) else len(steps)
    before = np.exp(total[: tau + 1]) * alpha
    after = 1.0 - np.exp(-(total[tau + 1 :] - total[tau])) * (1.0 - before[-1])
    return np.concatenate([before, after])


def induced(distance: int, alpha: float, epsilon: float, delta: float = 0.0) -> float:
    """p(d, alpha): the greatest chance at distance d from a dataset with chance `alpha`, for one (epsilon, delta).

    It is U applied d times. With

        tau = max(0, ceil(log((e^eps + 2 delta - 1) / ((e^eps + 1)(e^eps alpha - alpha + delta))) / eps)),

        p(d, alpha) = e^{d eps} alpha + delta (e^{d eps} - 1)/(e^eps - 1)                        for d <= tau,
        p(d, alpha) = min(1, e^{(2 tau - d) eps} alpha + 1 - e^{-(d - tau) eps}
                      + delta (e^{tau eps} + e^{(d - tau) eps} - 2)/(e^{(d - tau) eps} (e^eps - 1)))  beyond.

    At epsilon = 0 it is the limit min(1, alpha + d delta).

    References
    ----------
    Paper 002, Definition 9.

    Examples
    --------
    >>> round(induced(3, 0.1, math.log(2)), 12), round(induced(3, 0.3, math.log(2)), 12)
    (0.7, 0.9)
    """
    if epsilon == 0.0:
        return min(1.0, alpha + distance * delta)
    grow = math.exp(epsilon)
    start = (grow - 1.0) * alpha + delta
    if start == 0.0:
        return 0.0
    ratio = math.log((grow + 2.0 * delta - 1.0) / (grow + 1.0)) - math.log(start)
    tau = max(0, math.ceil(ratio / epsilon))
    if distance <= tau:
        return math.exp(distance * epsilon) * alpha + delta * math.expm1(distance * epsilon) / (grow - 1.0)
    back = distance - tau
    gained = delta * (math.exp((tau - back) * epsilon) + 1.0 - 2.0 * math.exp(-back * epsilon)) / (grow - 1.0)
    return min(1.0, math.exp((tau - back) * epsilon) * alpha - math.expm1(-back * epsilon) + gained)


def balanced_truth(distance: int, epsilon: float, delta: float = 0.0) -> float:
    """The chance of the truth at a distance from the boundary, when the boundary is balanced.

        1 - (e^eps - 1 - delta (e^{eps (d+1)} + e^{d eps} - 2)) / (e^{d eps} (e^eps + 1)(e^eps - 1)),

    at most 1. At d = 0 it is the boundary's own (e^eps + delta)/(e^eps + 1), and at epsilon = 0 the limit
    (1 + delta)/2 + d delta.

    References
    ----------
    Paper 002, Corollary 2.

    Examples
    --------
    >>> balanced_truth(0, math.log(3)), round(balanced_truth(1, math.log(3)), 12)
    (0.75, 0.916666666667)
    """
    if epsilon == 0.0:
        return min(1.0, (1.0 + delta) / 2.0 + distance * delta)
    grow = math.exp(epsilon)
    back = math.exp(-distance * epsilon)
    wrong = (back * (grow - 1.0) - delta * (grow + 1.0 - 2.0 * back)) / ((grow + 1.0) * (grow - 1.0))
    return min(1.0, 1.0 - wrong)

"""The papers' closed forms, in doubles. ``extend`` does not use them; they are here to be read and compared.

Each of them gives the upper bound that privacy puts on the chance of an answer, at some distance from a dataset at
which that chance is given.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from neodp.data.kinds import checked
from neodp.data.validation import MAX_EPSILON, Floats
from neodp.errors import GraphError

__all__ = ["balanced_truth", "induced", "path_mechanism", "ternary", "ternary_thresholds"]


@checked
def path_mechanism(alpha: float, epsilon: ArrayLike) -> Floats:
    """Return the optimal mechanism on a path whose first vertex has Pr = `alpha`, for delta = 0.

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
    _require(alpha=alpha)
    if steps.ndim != 1 or not ((steps >= 0.0) & (steps <= MAX_EPSILON)).all():
        raise GraphError(f"the epsilons are {epsilon!r}", f"give numbers from 0 to {MAX_EPSILON:g}, one per edge")
    if alpha == 0.0:
        return np.zeros(len(steps) + 1)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    reached = np.flatnonzero(math.log(alpha) + total[:-1] + np.logaddexp(steps, 0.0) >= 0.0)
    tau = int(reached[0]) if len(reached) else len(steps)
    before = np.array([_grown(alpha, each) for each in total[: tau + 1].tolist()])
    after = 1.0 - np.exp(-(total[tau + 1 :] - total[tau])) * (1.0 - before[-1])
    return np.concatenate([before, after])


@checked
def induced(distance: int, alpha: float, epsilon: float, delta: float = 0.0) -> float:
    """Return p(d, alpha), the greatest chance at distance d from a dataset with chance `alpha`.

    All edges have the same (epsilon, delta), so that p(d, alpha) is U applied d times. With

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
    _require(distance=distance, alpha=alpha, epsilon=epsilon, delta=delta)
    if epsilon * (distance + 1) < 1e-12:  # the limit, to the last digits
        return min(1.0, alpha + distance * delta)
    more = math.expm1(epsilon)
    start = alpha + delta / more
    if start == 0.0:
        return 0.0
    ratio = math.log1p(2.0 * delta / more) - math.log((math.exp(epsilon) + 1.0) * start)
    tau = max(0, math.ceil(ratio / epsilon))

    def added(exponent: float) -> float:
        """Return delta (e^exponent - 1) / (e^epsilon - 1), where delta / (e^epsilon - 1) alone may be too small."""
        if exponent < 700.0:
            return delta * (math.expm1(exponent) / more)
        return _grown(delta / -math.expm1(-epsilon), exponent - epsilon)

    if distance <= tau:
        return min(1.0, _grown(alpha, distance * epsilon) + added(distance * epsilon))
    back = distance - tau
    ahead = (tau - back) * epsilon
    gained = added(ahead) - 2.0 * added(-back * epsilon)
    return min(1.0, _grown(alpha, ahead) - math.expm1(-back * epsilon) + gained)


@checked
def balanced_truth(distance: int, epsilon: float, delta: float = 0.0) -> float:
    """Return the chance of the true answer at a distance from the boundary, if the boundary is balanced.

        1 - (e^eps - 1 - delta (e^{eps (d+1)} + e^{d eps} - 2)) / (e^{d eps} (e^eps + 1)(e^eps - 1)),

    at most 1. At d = 0 it is the chance on the boundary, (e^eps + delta)/(e^eps + 1), and at epsilon = 0 it is the
    limit (1 + delta)/2 + d delta.

    References
    ----------
    Paper 002, Corollary 2.

    Examples
    --------
    >>> balanced_truth(0, math.log(3)), round(balanced_truth(1, math.log(3)), 12)
    (0.75, 0.916666666667)
    """
    _require(distance=distance, epsilon=epsilon, delta=delta)
    if epsilon == 0.0:
        return min(1.0, (1.0 + delta) / 2.0 + distance * delta)
    lost = -math.expm1(-distance * epsilon)
    wrong = (1.0 - lost - delta * (1.0 + 2.0 * lost / math.expm1(epsilon))) / (math.exp(epsilon) + 1.0)
    return min(1.0, 1.0 - wrong)


@checked
def ternary_thresholds(blue: float, red: float, epsilon: float) -> tuple[int, int]:
    """Return tau_R and tau_B, the distances up to which Pr[blue or red] and Pr[blue] grow by e^epsilon a step.

    They belong to the line with three outputs:

        tau_R = floor(max(0, 1 - log((B0 + R0)(e^eps + 1)) / eps)),
        tau_B = floor(max(0, 1 - log(B0 (e^eps + 1)) / eps)).

    References
    ----------
    Paper 003, equations 2 and 3. They are printed with a ceiling, but the examples of the paper use the floor.

    Examples
    --------
    >>> ternary_thresholds(0.0545, 0.1636, 0.1823), ternary_thresholds(0.1636, 0.0545, 0.1823)
    ((5, 12), (5, 6))
    """
    _require(blue=blue, red=red, epsilon=epsilon)
    if not (blue >= LEAST and blue + red <= 1.0 and epsilon >= LEAST):
        raise GraphError(
            f"blue is {blue!r}, red {red!r} and epsilon {epsilon!r}",
            f"give chances that add up to at most 1, blue and epsilon from {LEAST:g} on",
        )

    def tau(start: float) -> int:
        return math.floor(max(0.0, 1.0 - math.log(start * (math.exp(epsilon) + 1.0)) / epsilon))

    return tau(blue + red), tau(blue)


@checked
def ternary(distance: int, blue: float, red: float, epsilon: float) -> tuple[float, float, float]:
    """Return the three probabilities at a distance from the boundary, for the order blue, red, green and delta = 0.

    With B0, R0 and G0 = 1 - B0 - R0 on the boundary and tau_R <= tau_B of ``ternary_thresholds``,

        B_i = e^{i eps} B0                                    for i <= tau_B,
        B_i = 1 - e^{(tau_B - i) eps} + e^{(2 tau_B - i) eps} B0    beyond;
        R_i = e^{i eps} R0                                    for i <= tau_R,
        R_i = M(i)                                            for tau_R < i <= tau_B,
        R_i = e^{-(i - tau_B) eps} M(tau_B)                   beyond, where
        M(i) = 1 - e^{-(i - tau_R) eps} - e^{i eps} B0 + e^{-(i - 2 tau_R) eps} (B0 + R0);
        G_i = 1 - e^{i eps} (B0 + R0)                         for i <= tau_R,
        G_i = e^{-(i - tau_R) eps} (1 - e^{tau_R eps} (B0 + R0))    beyond.

    References
    ----------
    Paper 003, Theorems 4 and 5 and Corollary 1.

    Examples
    --------
    >>> [round(p, 4) for p in ternary(12, 0.0545, 0.1636, 0.1823)]
    [0.4858, 0.3865, 0.1277]
    """
    _require(distance=distance)
    first, second = ternary_thresholds(blue, red, epsilon)
    both = blue + red

    def grown(steps: int) -> float:
        return math.exp(steps * epsilon)

    def middle(i: int) -> float:
        return 1.0 - grown(first - i) - grown(i) * blue + grown(2 * first - i) * both

    i = distance
    b = grown(i) * blue if i <= second else 1.0 - grown(second - i) + grown(2 * second - i) * blue
    r = grown(i) * red if i <= first else grown(min(0, second - i)) * middle(min(i, second))
    g = 1.0 - grown(i) * both if i <= first else grown(first - i) * (1.0 - grown(first) * both)
    return b, r, g


LEAST = 1e-12
"""The least chance of blue, and the least epsilon, of which there are thresholds."""
LARGEST = {"distance": 10**6, "epsilon": MAX_EPSILON}
"""The greatest value of each argument that is not a chance."""


def _grown(value: float, exponent: float) -> float:
    """Return e^exponent times a value, where e^exponent alone may be too large for a double."""
    if exponent < 700.0 or value == 0.0:
        return value * math.exp(exponent)
    return math.exp(exponent + math.log(value))


def _require(**given: float) -> None:
    """Refuse an argument that is out of its range."""
    for name, value in given.items():
        most = LARGEST.get(name, 1.0)
        if not 0.0 <= value <= most:
            raise GraphError(f"{name} is {value!r}", f"give a number from 0 to {most:g}")

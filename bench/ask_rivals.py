"""Other private counts of matches, which protect everybody by one epsilon.

**R2T** (Dong, Fang, Yi, Tao and Machanavajjhala 2022). For tau = 2, 4, …, the least power of two from a public bound GS
on, Q(tau) is the greatest sum of u_m with 0 <= u_m <= c_m and at most tau for each person, a linear program. The answer
is the greatest of 0 and all

    Q(tau) + Lap(L tau / epsilon) - L ln(L / beta) tau / epsilon,    L = log2(GS).

**Naive truncation**. People with more than theta friends are left out, and the rest is counted. When a person leaves,
up to D others come back, where D is a public bound on the number of friends; so the noise is Laplace's for D + 1 times
what a person with theta friends can be in. Theta is the power of two with the least error, chosen in hindsight, in
favour of this mechanism.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neodp.asking.cover import Cover
from neodp.core.linear import Matrix, Program, Solver

__all__ = ["R2T", "median_error", "truncated"]

BETA = 0.1
"""R2T's chance of an error beyond its bound, as in its paper."""
Draws = NDArray[np.float64]


class R2T:
    """The values Q(tau) of a question, from which answers are drawn.

    Parameters
    ----------
    cover : Cover
        What is counted; the weights are not used.
    bound : int
        GS, the public bound on the number of matches of one person.
    """

    def __init__(self, cover: Cover, bound: int) -> None:
        self.taus = [2**j for j in range(1, math.ceil(math.log2(bound)) + 1)]
        n, columns = len(cover.weight), len(cover.group)
        most = np.zeros(n)
        np.add.at(most, cover.person, cover.amount[cover.group[cover.witness]].astype(float))
        matrix = Matrix(cover.person, cover.witness, np.ones(len(cover.person)))
        high = cover.amount[cover.group].astype(float)
        solver = None
        self.values = {}
        for tau in reversed(self.taus):
            if tau >= most.max(initial=0.0):
                self.values[tau] = float(cover.total)
                continue
            limit = np.full(n, float(tau))
            if solver is None:
                ends = np.full(n, -np.inf), limit, np.zeros(columns), high
                solver = Solver(Program(np.full(columns, -1.0), matrix, *ends), "simplex")
            else:
                solver.move(limit, high)
            self.values[tau] = -solver.solve().cost

    def draw(self, rng: np.random.Generator, epsilon: float, count: int) -> Draws:
        """Draw answers."""
        length = len(self.taus)
        found = np.zeros(count)
        for tau, value in self.values.items():
            scale = length * tau / epsilon
            found = np.maximum(found, value + rng.laplace(0.0, scale, count) - scale * math.log(length / BETA))
        return found


def truncated(degree: NDArray[np.int64], cover: Cover, bound: int, epsilon: float, count: int) -> Draws:
    """Draw answers of naive truncation, at the best theta.

    Parameters
    ----------
    degree : array of int
        The number of friends of each person of the cover.
    cover : Cover
        What is counted.
    bound : int
        D, the public bound on the number of friends.
    epsilon : float
    count : int
        The number of draws.
    """
    rng, best = np.random.default_rng(27), np.full(count, np.inf)
    width = int(cover.sizes.max())
    for theta in (2**j for j in range(1, math.ceil(math.log2(bound)) + 1)):
        gone = degree > theta
        left = np.ones(len(cover.group), bool)
        left[cover.witness[gone[cover.person]]] = False
        each = theta if width == 2 else 3 * theta * (theta - 1) // 2
        noise = rng.laplace(0.0, (bound + 1) * each / epsilon, count)
        answers: Draws = cover.amount[cover.group[left]].sum() + noise
        if median_error(answers, cover.total) < median_error(best, cover.total):
            best = answers
    return best


def median_error(answers: Draws, true: int) -> float:
    """Return the median relative error of answers."""
    return float(np.median(np.abs(answers - true))) / true

"""The best chance of a yes per score: the linear program on the graph of scores.

:mod:`neodp.polls.weighted` defines the graph, the window of scores and what lies beyond it, with the proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import UNIT, Floats
from neodp.errors import GraphError, NeodpError
from neodp.polls.chance_programs import ChanceProgram
from neodp.polls.costs import TINY
from neodp.polls.mechanism import Threshold
from neodp.polls.prior import Prior, binomial
from neodp.polls.scores import ScoreLaw, classes_of, least_rate, log_ways, positions, score_law
from neodp.polls.weighted import Weighted

__all__ = ["SCORES", "on_scores", "on_tables", "score_program"]

SCORES = 1_500
"""The greatest number of scores with which the program has all of them."""
EFFORT = 4 * 10**8
"""The greatest number of iterations times inequalities in one linear program: some seconds. Beyond it, the program
over tables gives way to programs over scores, and a program over scores to the mechanism that is balanced on them."""
SLACK = 16
"""The number of units of 2^-50 by which an epsilon is reduced outside the window."""
Ints = NDArray[np.int64]


def on_tables(poll: Threshold, prior: Prior) -> Weighted:
    """Find the optimum over all private mechanisms: every table has its own score."""
    sizes = [group.size for group in poll.groups]
    weights = tuple(math.prod(size + 1 for size in sizes[:g]) for g in range(len(sizes)))
    joint, total = np.ones(1), np.zeros(1, np.int64)
    ways = np.zeros(1)
    shares = prior.shares(poll.groups)
    for size, share in zip(sizes, shares.tolist(), strict=True):
        joint = np.multiply.outer(binomial(size, share), joint).reshape(-1)
        total = np.add.outer(np.arange(size + 1), total).reshape(-1)
        ways = np.add.outer(log_ways(size), ways).reshape(-1)
    if prior.beta is not None:  # given their total, all ways to reach it are equally likely
        joint = np.exp(ways - log_ways(poll.people)[total]) * prior.totals(poll.people)[total]
    yes = total >= poll.needed
    found = ScoreLaw(weights, 0, np.where(yes, joint, 0.0), np.where(yes, 0.0, joint), False)
    return _solve(poll, found, prior, (0, len(joint) - 1))


def on_scores(poll: Threshold, weights: Sequence[int], prior: Prior) -> Weighted:
    """Find the best mechanism that depends only on the score, for given weights.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> p = poll([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)])
    >>> round(on_scores(p, (1, 10, 14), Prior()).expected, 4)
    0.7798
    """
    if min(weights) < 0 or not any(weights):
        raise GraphError(f"the weights are {tuple(weights)}", "give whole numbers from 0, not all of them 0")
    joint = score_law(poll, weights, prior)
    return solved(poll, joint, prior, window_of(poll, joint))


def solved(poll: Threshold, joint: ScoreLaw, prior: Prior, window: tuple[int, int]) -> Weighted:
    """Solve the program on the scores of a window; if the solver gives up, return the mechanism balanced on scores."""
    try:
        return _solve(poll, joint, prior, window)
    except NeodpError:
        return _solve(poll, joint, prior, window, optimal=False)


def _solve(
    poll: Threshold, joint: ScoreLaw, prior: Prior, window: tuple[int, int], *, optimal: bool = True
) -> Weighted:
    """Return the mechanism on the scores of a window that solves the program, or the balanced one on these scores."""
    from neodp.core.alpha import balanced
    from neodp.core.extension import extend
    from neodp.data.graph import known_graph
    from neodp.study.optimum import optimize

    classes = classes_of(joint.weights, poll)
    classes.pop(0, None)
    top = sum(weight * size for weight, (size, _) in classes.items())
    units = {weight: max(0, math.floor(math.ldexp(e, 50)) - SLACK) for weight, (_, e) in classes.items()}
    rate = min(each // weight for weight, each in units.items())
    gain = joint.yes - joint.no
    low, high = window
    scores, edges = _edges(classes, low, high, top, units, rate)
    value = _gathered(joint, gain, scores, rate)
    color = np.where((value > 0.0) | ((value == 0.0) & (scores >= middle_of(joint))), 0, 1)
    weight = np.abs(value) / max(float(np.abs(value).sum()), TINY)
    graph = known_graph(scores.astype(str), color, *edges, colors=("yes", "no"), name="scores")
    alpha = optimize(graph, weight, work=EFFORT).alpha if optimal else balanced(graph)
    mechanism = extend(graph.with_alpha(alpha))
    first, second = np.full(high - low + 1, 0.5), np.full(high - low + 1, 0.5)
    first[scores - low], second[scores - low] = mechanism.p, mechanism.q
    below = rate if first[0] <= 0.5 else 0
    above = rate if second[-1] <= 0.5 else 0
    found = Weighted(
        poll.groups,
        poll.options,
        poll.needed,
        joint.weights,
        low,
        first,
        second,
        below,
        above,
        0.0,
        joint.approximate,
        prior,
    )
    p, q = found.chances(joint.scores)
    return replace(found, expected=float(joint.yes @ p + joint.no @ q))


def score_program(poll: Threshold, joint: ScoreLaw, window: tuple[int, int]) -> ChanceProgram:
    """Return the program on the scores of a window as one over chances; scores beyond count as its ends.

    Its prices are those of the mechanism that is cut off there; within a window of all scores it is the same program.
    """
    classes = classes_of(joint.weights, poll)
    owner = {weight: g for g, weight in reversed(list(enumerate(joint.weights)))}  # the least epsilon of a weight
    classes.pop(0, None)
    top = sum(weight * size for weight, (size, _) in classes.items())
    low, high = window
    whole = (low, high) == (0, top)
    steps = []
    for weight in classes:
        start = np.arange(max(0, low - weight), min(high, top - weight) + 1)
        start = positions(_sums(classes, weight)) if whole else start
        ends = np.clip(start, low, high), np.clip(start + weight, low, high)
        steps.append(np.column_stack([*ends, np.full(len(start), owner[weight])]))
    table = np.unique(np.concatenate(steps), axis=0)  # sorted, and owners of less epsilon first
    table = table[table[:, 0] != table[:, 1]]
    table = table[np.concatenate([[True], (np.diff(table[:, :2], axis=0) != 0).any(axis=1)])[: len(table)]]
    scores = positions(_sums(classes, None)) if whole else np.arange(low, high + 1)
    place = np.searchsorted(scores, np.clip(joint.scores, low, high))
    worth = np.zeros((len(scores), 2))
    np.add.at(worth, place, np.column_stack([joint.yes, joint.no]))
    (u, v), whose = (2 * np.searchsorted(scores, table[:, end]) for end in (0, 1)), table[:, 2]
    one, two = np.concatenate([v, u + 1, u, v + 1]), np.concatenate([u, v + 1, v, u + 1])
    epsilon = np.array([group.epsilon for group in poll.groups])[whose]
    return ChanceProgram(
        worth.reshape(-1),
        np.arange(2 * len(scores)).reshape(-1, 2),
        one,
        two,
        np.tile(epsilon, 4),
        np.tile(whose, 4),
    )


def window_of(poll: Threshold, joint: ScoreLaw) -> tuple[int, int]:
    """Return the first and last score of the program: of all scores, or of those around the threshold."""
    classes = classes_of(joint.weights, poll)
    top, most = sum(weight * size for weight, (size, _) in classes.items()), max(classes)
    if top < SCORES:
        return 0, top
    reach = max(4 * most, min(SCORES // 2, math.ceil(8.0 / least_rate(classes))))
    middle = middle_of(joint)
    return max(0, middle - reach), min(top, middle + reach)


def middle_of(joint: ScoreLaw) -> int:
    """Return the score that best separates no, below it, from yes, at and above it."""
    return joint.low + joint.step * int(np.argmin(np.concatenate([[0.0], np.cumsum(joint.yes - joint.no)])))


def _edges(
    classes: dict[int, tuple[int, float]], low: int, high: int, top: int, units: dict[int, int], rate: int
) -> tuple[Ints, tuple[Ints, Ints, Floats]]:
    """Return the scores of the window that occur, and the edges between them, as positions, with their epsilons."""
    whole = (low, high) == (0, top)
    scores = positions(_sums(classes, None)) if whole else np.arange(low, high + 1)
    place = np.full(high - low + 1, -1)
    place[scores - low] = np.arange(len(scores))
    ends: list[Ints] = []
    others: list[Ints] = []
    epsilon: list[Floats] = []
    for weight, (_, least) in classes.items():
        start = positions(_sums(classes, weight)) if whole else np.arange(low, high + 1 - weight)
        ends.append(start)
        others.append(start + weight)
        epsilon.append(np.full(len(start), least))
        if high < top:
            near = np.arange(max(low, high - weight + 1), high)
            ends.append(near)
            others.append(np.full(len(near), high))
            epsilon.append(_left(units[weight], rate, near + weight - high))
        if low > 0:
            near = np.arange(low + 1, min(high + 1, low + weight))
            ends.append(np.full(len(near), low))
            others.append(near)
            epsilon.append(_left(units[weight], rate, low + weight - near))
    u, v, e = (np.concatenate(part) for part in (ends, others, epsilon))
    order = np.lexsort((e, v, u))
    u, v, e = u[order], v[order], e[order]
    keep = np.concatenate([[True], (np.diff(u) != 0) | (np.diff(v) != 0)])  # among equal edges, the least epsilon
    return scores, (place[u[keep] - low], place[v[keep] - low], e[keep])


def _left(units: int, rate: int, steps: Ints) -> Floats:
    """Return the epsilon left for an edge to the end of the window: (units - rate steps) 2^-50, rounded down."""
    found = []
    for step in steps.tolist():
        exact = Fraction(units - rate * step, UNIT)
        value = float(exact)
        found.append(math.nextafter(value, 0.0) if Fraction(value) > exact else value)
    return np.array(found, np.float64)


def _gathered(joint: ScoreLaw, gain: Floats, scores: Ints, rate: int) -> Floats:
    """Return, per score of the program, the gain in accuracy from a yes; the ends include all scores beyond them."""
    low, high = int(scores[0]), int(scores[-1])
    at = joint.scores
    fall = np.exp(-rate / UNIT * np.maximum(0, np.maximum(at - high, low - at)))
    found = np.bincount(np.clip(at, low, high) - low, gain * fall, high - low + 1)
    return found.astype(np.float64)[scores - low]


def _sums(classes: dict[int, tuple[int, float]], without: int | None) -> int:
    """Return the possible scores as the bits of a whole number; without one person of the weight `without`, if any."""
    bits = 1
    for weight, (size, _) in classes.items():
        left, step = size - (weight == without), 1
        while left > 0:
            taken = min(step, left)
            bits |= bits << (weight * taken)
            left, step = left - taken, step * 2
    return bits

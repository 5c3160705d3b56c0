"""The choice of weights for a yes/no poll, by the expected accuracy under a prior; no vote is read.

:mod:`neodp.polls.weighted` says which weights are tried, and why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from neodp.errors import NeodpError
from neodp.polls.asking import poll, require_heard
from neodp.polls.mechanism import Group, Plurality, Poll, Threshold
from neodp.polls.prior import Prior
from neodp.polls.score_programs import SCORES, middle_of, on_scores, on_tables, solved, window_of
from neodp.polls.scores import ScoreLaw, classes_of, least_rate, score_law
from neodp.polls.weighted import Weighted

__all__ = ["best_on_scores", "candidates", "guessed", "weighted", "weighted_threshold"]

TABLES = 8_000
"""The greatest number of tables with which every table has its own score."""
QUICK = 4 * 10**6
"""The same as WORK, for ranking many weights."""
SCALES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30, 40, 50, 70, 100)
"""The greatest weights that are tried."""
FEW_SCALES = (1, 3, 10)
"""The same, for an approximation."""
CAPS = 16
"""The number of caps c on epsilons that are tried, besides the epsilons of the groups."""
WORTH = 1e-6
"""The least gain in accuracy over the balanced poll for which another poll is chosen."""
PRICE = 1.5e-7
"""The accuracy that each edge of the program must be worth."""
ROUNDS = 3
"""The number of rounds in which weights near the best ones are tried."""
PROGRAMS = 8
"""The number of best weights by the closed form that are compared by their linear programs."""
EDGES = 50_000
"""The greatest number of edges, about, in all programs after the first: some seconds."""
FINE, GROUPS = 40, 8
"""The greatest weight, and the greatest number of groups, for which weights near the best ones are tried."""
FEW, MANY, CROWD = 3, 450, 10_000
"""The number of programs for many people, instead of PROGRAMS; the number of people above which it is enough, since
weights near the best ones no longer gain; and the number above which one program is enough."""


def weighted(
    groups: Sequence[Group],
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    prior: str | Prior = "even",
) -> Poll:
    """Find the poll that is most often right under a prior; the balanced one if nothing better is found.

    Parameters
    ----------
    groups, query, options
        As for :func:`neodp.polls.poll`.
    prior : str or Prior
        As in :mod:`neodp.polls.prior`.

    Raises
    ------
    GraphError
        As in ``poll``; and if the prior is invalid, or does not fit the levels or the options.

    Examples
    --------
    >>> weighted([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)]).question
    "do at least 16 of 31 people choose 'yes'?"
    """
    from neodp.polls.choosing_plurality import weighted_plurality

    balanced = poll(groups, query, options)
    require_heard(balanced)
    if isinstance(balanced, Threshold):
        return weighted_threshold(balanced, prior)
    return weighted_plurality(cast(Plurality, balanced), prior)


def weighted_threshold(poll: Threshold, prior: str | Prior = "even") -> Threshold:
    """Find the most accurate yes/no poll: a weighted one, or the balanced one itself.

    The balanced one is returned if it is better, or at most 1e-6 worse, because it promises more.

    Parameters
    ----------
    poll : Threshold
        The balanced poll, with its groups and its threshold.
    prior : str or Prior

    Examples
    --------
    >>> from neodp.polls import poll
    >>> p = weighted_threshold(poll([Group(2.0, 4), Group(0.001, 1)]))
    >>> round(p.expected, 3)
    0.778
    """
    from neodp.polls.expected import balanced_accuracy

    given = Prior.parse(prior)
    given.shares(poll.groups)  # refuses an unknown level
    if not poll.largest_margin:
        return poll
    best = best_on_scores(poll, given)
    balanced = balanced_accuracy(poll, given)
    return poll if balanced.value >= best.expected - WORTH else best


def best_on_scores(poll: Threshold, prior: Prior) -> Weighted:
    """Find the most accurate weighted poll, also where the balanced one is as good."""
    few_tables = math.prod(group.size + 1 for group in poll.groups) <= TABLES
    if few_tables:
        try:
            return on_tables(poll, prior)
        except NeodpError:  # the solver gave up: there are fewer scores than tables
            pass
    ranked = sorted((-_closed_form(poll, score_law(poll, w, prior, QUICK)), w) for w in candidates(poll.groups))
    best = on_scores(poll, ranked[0][1], prior)
    tried = {best.weights}
    crowded = best.approximate or poll.people > MANY
    programs = 1 if poll.people > CROWD else FEW if crowded else PROGRAMS
    near, left = [weights for _, weights in ranked[1:programs]], EDGES
    for _ in range(ROUNDS):
        near, left = _affordable(poll, near, left)
        tried.update(near)
        better = max((on_scores(poll, w, prior) for w in near), key=lambda each: each.expected, default=best)
        done = better.expected < best.expected + 1e-5
        best = max(best, better, key=lambda each: each.expected)
        if crowded or not near or (done and len(tried) > PROGRAMS):
            break
        near = [weights for weights in _near(best.weights) if weights not in tried]
    without = None if few_tables else _tables_without_few(poll.groups)
    if without is None:
        return best
    joint = score_law(poll, without, prior)
    few = best if joint.approximate else solved(poll, joint, prior, (0, len(joint.yes) - 1))
    return max(best, few, key=lambda each: each.expected)


def guessed(poll: Threshold, prior: Prior) -> float:
    """Return a quick approximation of the accuracy of the best poll, from below: the closed form for few weights."""
    from neodp.polls.expected import balanced_accuracy

    found = balanced_accuracy(poll, prior).value
    some = [weights for weights in candidates(poll.groups, FEW_SCALES) if len(poll.groups) > 1] or [(1,)]
    return max(found, *(_closed_form(poll, score_law(poll, w, prior, QUICK // 8)) for w in some))


def _tables_without_few(groups: Sequence[Group]) -> tuple[int, ...] | None:
    """Return weights that tell all tables apart, except for a few people of weight 0; None if a few are not enough."""
    left = list(range(len(groups)))
    while math.prod(groups[g].size + 1 for g in left) > TABLES:
        left.remove(min(left, key=lambda g: groups[g].size * groups[g].epsilon))
    if 10 * sum(groups[g].size for g in left) < 9 * sum(group.size for group in groups):
        return None
    weights, unit = [0] * len(groups), 1
    for g in left:
        weights[g], unit = unit, unit * (groups[g].size + 1)
    return tuple(weights)


def _affordable(poll: Threshold, weights: list[tuple[int, ...]], left: int) -> tuple[list[tuple[int, ...]], int]:
    """Return the first weights whose programs have together at most so many edges, and how many are left."""
    found = []
    for each in weights:
        top = sum(w * group.size for w, group in zip(each, poll.groups, strict=True))
        left -= min(top + 1, SCORES) * len(set(each))
        if left < 0:
            break
        found.append(each)
    return found, left


def _near(weights: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return weights that differ from the given ones in one group, by a little or by becoming 0.

    Groups with the same weight share their edges, which have the least of their epsilons: slightly different weights
    may be better.
    """
    if len(weights) > GROUPS or max(weights) > FINE:
        return []
    found = set()
    for g, value in enumerate(weights):
        for other in {value - 1, value + 1, 0}:
            found.add((*weights[:g], max(0, other), *weights[g + 1 :]))
    return sorted(w for w in found if any(w))


def candidates(groups: Sequence[Group], scales: Sequence[int] = SCALES) -> list[tuple[int, ...]]:
    """Return weights to try: min(epsilon, c) in whole numbers, for some c and some scales."""
    epsilon = np.array([group.epsilon for group in groups])
    least, most = float(epsilon[0]), float(epsilon[-1])
    caps = np.geomspace(least, most, CAPS)
    if len(groups) <= CAPS:
        caps = np.unique(np.concatenate([caps, epsilon]))
    found = set()
    for cap in caps.tolist():
        share = np.minimum(epsilon, cap) / cap
        for scale in scales:
            for shift in (0.5, 0.0):
                weights = np.floor(scale * share + shift + 1e-9).astype(np.int64)
                if (divisor := int(np.gcd.reduce(weights))) > 0:
                    found.add(tuple((weights // divisor).tolist()))
    return sorted(found)


def _closed_form(poll: Threshold, joint: ScoreLaw) -> float:
    """Return the expected accuracy of yes with chance 1 - e^-x/2, or e^x/2 for x < 0, where x = rate (s - s_0)."""
    gain = joint.yes - joint.no
    x = least_rate(classes_of(joint.weights, poll)) * (joint.scores - middle_of(joint) + 0.5)
    small = np.exp(-np.abs(x)) / 2.0
    found = joint.no.sum() + gain @ np.where(x >= 0.0, 1.0 - small, small)
    return float(found) - PRICE * _effort(poll, joint)


def _effort(poll: Threshold, joint: ScoreLaw) -> int:
    """Return the approximate number of edges of the graph of scores."""
    low, high = window_of(poll, joint)
    return (high - low + 1) * len(set(joint.weights))

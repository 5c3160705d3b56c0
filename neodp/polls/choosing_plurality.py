"""The choice of a weighted plurality, by the expected accuracy under a prior; no vote is read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from neodp.data.validation import UNIT
from neodp.polls.choosing import WORTH, candidates
from neodp.polls.gap_programs import gaps_of, made, on_all_tables, on_gaps, reach_of, whole_reach, widest
from neodp.polls.mechanism import Plurality
from neodp.polls.prior import Prior
from neodp.polls.samples import Sample, sample, tables
from neodp.polls.weighted_plurality import WeightedPlurality, flips

__all__ = ["best_weighted_plurality", "flip_rate", "weighted_plurality"]

PROGRAM = 9_000
"""The greatest number of variables of a linear program over all tables: tables times options, divided by the number of
orders of options that are alike. This takes some seconds."""
RANKED = 3_000
"""The greatest number of sampled tables by which weights are ranked."""
GAPS = 6_000
"""The greatest number of variables times different weights with which a program over gaps is solved."""
INEQUALITIES = 100_000
"""The greatest number of inequalities in all programs over gaps together: some seconds. Programs over ordered gaps come
first, then small ones; those that no longer fit are left out. Beside a program over tables it is a quarter."""
CROWD = 1_000
"""The greatest number of people for which several weights are compared by their programs."""


def weighted_plurality(poll: Plurality, prior: str | Prior = "even") -> Plurality:
    """Find the most accurate plurality: a weighted one, or the balanced one itself if that is better.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> p = weighted_plurality(poll([Group(0.1, 1), Group(2.0, 4)], "plurality", "abc"))
    >>> p.kind, round(p.expected, 3)
    ('tables', 0.713)
    """
    from neodp.polls.expected import balanced_plurality

    given = Prior.parse(prior)
    best, balanced = best_weighted_plurality(poll, given), balanced_plurality(poll, given)
    return poll if balanced.value >= best.expected - WORTH else best


def best_weighted_plurality(poll: Plurality, given: Prior) -> WeightedPlurality:
    """Find the most accurate weighted plurality, also where the balanced one is as good."""
    known = sample(poll, given)
    apart, k = told_apart(poll) if known.exact else None, len(poll.options)
    by_gaps = apart != k and _few_gaps(poll, known)
    found = [] if apart is None or by_gaps else [on_all_tables(poll, known, given, apart)]
    if not any(found) or apart != k:  # options that are alike lose where they tie
        left = INEQUALITIES // 4 if any(found) else INEQUALITIES
        few = known.learned.part(0, min(RANKED, max(200, 2 * 10**6 // len(poll.groups))))
        ranked = _ranked(poll, few)
        found.append(_flip(poll, known, ranked[0][1], given))
        programs = _programs(poll, few, [weights for _, weights in ranked])
        for weights, reach, ordered in programs:
            solved, used = on_gaps(poll, known, weights, given, reach, ordered=ordered, most=left)
            found, left = [*found, solved], left - used
    return max((each for each in found if each is not None), key=lambda each: each.expected)


def told_apart(poll: Plurality) -> int | None:
    """Return how many options a program over tables can tell apart; None if the program is too large with none.

    The others are alike, which divides the size of the program by the number of their orders.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> [told_apart(poll([Group(1.0, n)], "plurality", "abcd")) for n in (10, 23, 30, 45, 90)]
    [4, 2, 1, 0, None]
    """
    k, size = len(poll.options), tables(poll) * len(poll.options)
    return next((apart for apart in range(k, -1, -1) if size <= PROGRAM * math.factorial(max(k - apart, 1))), None)


def _few_gaps(poll: Plurality, known: Sample) -> bool:
    """Return whether gaps say all that matters, and options need not be alike: one group, and no gap is cut off."""
    return len(poll.groups) == 1 and reach_of(poll, known, (1,), False, GAPS) == whole_reach(poll, (1,))


def _programs(poll: Plurality, known: Sample, ranked: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], int, bool]]:
    """Choose weights whose programs over gaps are solved; return them with D, and whether gaps are ordered.

    `ranked` has the best weights for flip first, and these are fine ones. A program can achieve more with coarse
    weights, where few edges bind: so the best weights with small programs are chosen as well. If there are many people,
    ties are rare, and one program is enough.
    """
    found: list[tuple[tuple[int, ...], int, bool]] = []
    kinds = ((True, GAPS), (False, GAPS // 16), (False, GAPS // 4), (False, GAPS))
    for ordered, limit in kinds if poll.people <= CROWD else ((True, GAPS // 4),):
        reaches = ((weights, reach_of(poll, known, weights, ordered, limit)) for weights in ranked)
        small = ((weights, reach, ordered) for weights, reach in reaches if reach is not None)
        found += itertools.islice(small, 2 if poll.people <= CROWD else 1)
    return list(dict.fromkeys(found))


def flip_rate(poll: Plurality, weights: Sequence[int]) -> int:
    """Return the rate of flip, in units of 2^-50: the least epsilon / weight, rounded down."""
    k = len(poll.options)
    each = (
        max(0, math.floor(math.ldexp(group.epsilon, 50)) - 16 - 4 * k) // w
        for w, group in zip(weights, poll.groups, strict=True)
        if w
    )
    return min(each)


def _ranked(poll: Plurality, known: Sample) -> list[tuple[float, tuple[int, ...]]]:
    """Return the weights to try with the expected accuracy of flip, best first."""
    tried, found = candidates(poll.groups), []
    counts, truth = np.swapaxes(known.counts, 1, 2).astype(np.float64), known.truth
    for start in range(0, len(tried), 50):
        some = tried[start : start + 50]
        scores = counts @ np.array(some, np.float64).T  # table, option, weights
        for i, weights in enumerate(some):
            gaps = scores[:, :, i].max(axis=1, keepdims=True) - scores[:, :, i]
            right = flips(gaps * (flip_rate(poll, weights) / (2 * UNIT)), truth)
            found.append((float(known.chance @ right), weights))
    return sorted(found, reverse=True)


def _flip(poll: Plurality, known: Sample, weights: tuple[int, ...], prior: Prior) -> WeightedPlurality:
    rate, known = flip_rate(poll, weights), known.judged
    right = flips(gaps_of(known, weights).astype(np.float64) * (rate / (2 * UNIT)), known.truth)
    expected = float(known.chance @ right)
    worst = (
        float(right.min()) if known.exact else math.exp(-widest(poll, weights) * rate / (2 * UNIT)) / len(poll.options)
    )
    return made(poll, "flip", weights, 0, rate, {}, expected, known.exact, worst, prior)

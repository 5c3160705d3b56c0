"""Linear programs for pluralities: over all tables, and over the gaps between scores.

:mod:`neodp.polls.weighted_plurality` defines them, with the proof that what is made of a solution is private.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core import linear
from neodp.data.validation import Floats
from neodp.polls.mechanism import Plurality
from neodp.polls.prior import Prior
from neodp.polls.samples import Sample
from neodp.polls.weighted_plurality import WeightedPlurality

__all__ = ["on_all_tables", "on_gaps"]

MOST = 8
"""The greatest number of options for which a program over gaps is solved."""
ONE = 2.0**52
"""The resolution of chances in linear programs: they are whole multiples of 2^-52."""
ITERATIONS = 200
"""The number of iterations after which a program is given up; 20 to 80 are usual."""
LEAST = 1e-6
"""The least epsilon of people who count in a linear program."""
LARGE = 600.0
"""The greatest epsilon in the check: a greater one is replaced by this, so that no product overflows a double."""
Ints = NDArray[np.int64]


def gaps_of(known: Sample, weights: Sequence[int]) -> Ints:
    score = np.einsum("tgk,g->tk", known.counts, np.array(weights))
    gaps: Ints = score.max(axis=1, keepdims=True) - score
    return gaps


def widest(poll: Plurality, weights: Sequence[int]) -> int:
    """Return the greatest gap between the score of the option that is chosen most often and the leading score."""
    order = np.argsort(weights)
    weight, size = np.array(weights)[order], poll.sizes[order]
    winners = np.clip((poll.people + 1) // 2 - (np.cumsum(size) - size), 0, size)  # the half with the least weights
    return max(0, int(weight @ (size - 2 * winners)))


def made(
    poll: Plurality,
    kind: str,
    weights: tuple[int, ...],
    reach: int,
    rate: int,
    rows: dict[tuple[int, ...], tuple[float, ...]],
    expected: float,
    exact: bool,
    worst: float,
    prior: Prior,
) -> WeightedPlurality:
    return WeightedPlurality(poll.groups, poll.options, kind, weights, reach, rate, rows, expected, exact, worst, prior)


class _Edges(NamedTuple):
    """Inequalities p[one] <= e^epsilon p[two] between variables, one per edge, output and direction."""

    one: Ints
    two: Ints
    epsilon: Floats


def _solved(worth: Floats, groups: Ints, edges: _Edges) -> Floats | None:
    """Find the chances, one per variable, that maximise `worth` and are exactly private; None if that fails.

    `groups` gives the variable at every place of every dataset: datasets in rows, places in columns.
    """
    n, k = groups.shape
    variables, m = int(groups.max()) + 1, len(edges.one)
    number = np.arange(m)
    program = linear.Program(
        -worth,
        linear.Matrix(  # p[one] e^-epsilon <= p[two], and the chances of a dataset add up to 1
            np.concatenate([number, number, m + np.repeat(np.arange(n), k)]),
            np.concatenate([edges.one, edges.two, groups.reshape(-1)]),
            np.concatenate([np.exp(-edges.epsilon), -np.ones(m), np.ones(n * k)]),
        ),
        np.concatenate([np.full(m, -np.inf), np.ones(n)]),
        np.concatenate([np.zeros(m), np.ones(n)]),
        np.zeros(variables),
        np.ones(variables),
    )
    result = program.solve("ipm", ITERATIONS)
    if result.x is None:
        return None
    p = np.clip(result.x, 0.0, 1.0)[groups]
    p /= p.sum(axis=1, keepdims=True)
    loss = np.minimum(edges.epsilon, LARGE)
    factor, least = (np.exp(e) * (1.0 - 2.0**-48) for e in (loss, loss.min(initial=1.0)))
    share = 1e-9
    while share < 0.5:
        rows = _whole((1.0 - share) * p + share / k)
        low, high = np.full(variables, np.inf), np.zeros(variables)  # equal places may differ by some units
        np.minimum.at(low, groups, rows)
        np.maximum.at(high, groups, rows)
        if (high[edges.one] <= factor * low[edges.two]).all() and (high <= least * low).all():
            return rows / ONE
        share *= 8.0
    return None


def _whole(p: Floats) -> Floats:
    """Return rows of whole numbers that add up to 2^52: rounded down, and the largest takes the rest."""
    rows = np.floor(p * ONE)
    largest = np.argmax(rows, axis=1)
    rows[np.arange(len(rows)), largest] += ONE - rows.sum(axis=1)
    return rows


def on_all_tables(poll: Plurality, known: Sample, prior: Prior) -> WeightedPlurality | None:
    """Find the optimum over all tables; None if an epsilon is too small, or the solver fails."""
    if poll.groups[0].epsilon < LEAST:
        return None
    n, k = len(known.counts), len(poll.options)
    keys = list(map(tuple, known.counts.reshape(n, -1).tolist()))
    place = {key: i for i, key in enumerate(keys)}
    one, two, epsilon = [], [], []
    for key, i in place.items():
        for g, group in enumerate(poll.groups):
            for a, b in itertools.permutations(range(g * k, g * k + k), 2):
                if key[a]:
                    changed = list(key)
                    changed[a] -= 1
                    changed[b] += 1
                    one.append(i)
                    two.append(place[tuple(changed)])
                    epsilon.append(group.epsilon)
    groups = np.arange(n * k).reshape(n, k)
    edges = _Edges(groups[one].reshape(-1), groups[two].reshape(-1), np.repeat(epsilon, k))
    worth = np.zeros((n, k))
    worth[np.arange(n), known.truth] = known.chance
    rows = _solved(worth.reshape(-1), groups, edges)
    if rows is None:
        return None
    right = rows[np.arange(n), known.truth]
    stored = dict(zip(keys, map(tuple, rows.tolist()), strict=True))
    return made(
        poll,
        "tables",
        (1,) * len(poll.groups),
        0,
        0,
        stored,
        float(known.chance @ right),
        True,
        float(right.min()),
        prior,
    )


def reach_of(poll: Plurality, known: Sample, weights: Sequence[int], ordered: bool, limit: int) -> int | None:
    """Return D, the gap at which a wrong answer is unlikely, no gap is greater, or the program is as large as allowed.

    Return None if the program would be too large even if one lead in a hundred were cut off.
    """
    k, different = len(poll.options), len({w for w in weights if w})
    if k > MOST or any(w and group.epsilon < LEAST for w, group in zip(weights, poll.groups, strict=True)):
        return None
    rate = min(group.epsilon / w for w, group in zip(weights, poll.groups, strict=True) if w)
    top = int(np.array(weights) @ poll.sizes)
    reach = whole = min(top, max(4 * max(weights), math.ceil(14.0 / rate)))
    while _size(reach, k, ordered) * different > limit and reach > 2 * max(weights):
        reach -= max(1, reach // 16)
    if _size(reach, k, ordered) * different > limit:
        return None
    lead = np.sort(gaps_of(known, weights), axis=1)[:, 1]
    return reach if reach == whole or known.chance @ (lead > reach) <= 0.01 else None


def _size(reach: int, k: int, ordered: bool) -> int:
    """Return the approximate size of a program over gaps, in variables; they count more if there are more options."""
    if not ordered:
        return int((reach + 1) ** k - reach**k) * (k - 1) // 2
    return math.comb(reach + k - 1, k - 1) + k * math.comb(reach + k - 2, k - 2)


def on_gaps(
    poll: Plurality,
    known: Sample,
    weights: tuple[int, ...],
    prior: Prior,
    reach: int,
    *,
    ordered: bool,
    most: int = 10**9,
) -> tuple[WeightedPlurality | None, int]:
    """Find the best mechanism on cut-off gaps; return it with the number of inequalities of its program.

    If gaps are ordered, it does not matter which option has which gap. A program with more than `most` inequalities is
    not solved, and counts as none.
    """
    k, top = len(poll.options), int(np.array(weights) @ poll.sizes)
    least: dict[int, float] = {}
    for w, group in zip(weights, poll.groups, strict=True):
        if w:
            least[w] = min(least.get(w, math.inf), group.epsilon)
    base = (reach + 1) ** np.arange(k)

    def cut(gaps: Ints) -> tuple[Ints, Ints]:
        """Return a number for each dataset of the program, and the option at each of its places."""
        short = np.minimum(gaps, reach)
        order = np.argsort(short, axis=1, kind="stable") if ordered else np.tile(np.arange(k), (len(gaps), 1))
        return np.take_along_axis(short, order, axis=1) @ base, order

    steps = []
    for w, e in least.items():
        gaps = _occurring(min(reach + 2 * w, top), top, k, ordered)
        here = cut(gaps)
        for a, b in itertools.permutations(range(k), 2):
            moved = gaps.copy()
            moved[:, a] += w
            moved[:, b] -= w
            steps.append((e, here, cut(moved - moved.min(axis=1, keepdims=True))))
    code = np.unique(np.concatenate([each[0] for _, *both in steps for each in both]))
    keys = code[:, None] // base % (reach + 1)
    groups = np.arange(len(code) * k).reshape(-1, k)
    if ordered:  # equal gaps share a variable
        new = np.column_stack([np.ones(len(code), bool), np.diff(keys, axis=1) != 0])
        groups = (np.cumsum(new.reshape(-1)) - 1).reshape(-1, k)
    rows = []
    for e, here, there in steps:
        u, v = (np.searchsorted(code, number) for number, _ in (here, there))
        rank = np.take_along_axis(np.argsort(there[1], axis=1), here[1], axis=1)  # the options' places after the step
        one, two = groups[u].reshape(-1), groups[v[:, None], rank].reshape(-1)
        ends = np.concatenate([np.column_stack([one, two]), np.column_stack([two, one])])  # both ways
        rows.append(np.column_stack([ends, np.full(len(ends), e)]))
    table = np.concatenate(rows)
    table = table[table[:, 0] != table[:, 1]]
    table = table[np.lexsort(table.T[::-1])]
    keep = np.concatenate([[True], (np.diff(table[:, :2], axis=0) != 0).any(axis=1)])  # the least epsilon of equals
    edges = _Edges(table[keep, 0].astype(np.int64), table[keep, 1].astype(np.int64), table[keep, 2])

    def at(known: Sample) -> tuple[Ints, Ints]:
        """Return, per table, the dataset of the program, and the place of the true answer in it."""
        number, order = cut(gaps_of(known, weights))
        return np.searchsorted(code, number), np.argmax(order == known.truth[:, None], axis=1)

    worth = np.bincount(groups[at(known.learned)], known.learned.chance, int(groups.max()) + 1)
    if len(edges.one) > most:
        return None, 0
    chances = _solved(worth.astype(np.float64), groups, edges)
    if chances is None:
        return None, len(edges.one)
    known = known.judged
    right = chances[at(known)]
    expected = float(known.chance @ right)
    behind = keys <= min(widest(poll, weights), reach)
    worst = float(right.min()) if known.exact else float(chances[behind].min())
    stored = dict(zip(map(tuple, keys.tolist()), map(tuple, chances.tolist()), strict=True))
    kind = "ordered gaps" if ordered else "gaps"
    return made(poll, kind, weights, reach, 0, stored, expected, known.exact, worst, prior), len(edges.one)


def _occurring(deepest: int, top: int, k: int, ordered: bool) -> Ints:
    """Return the gaps that occur if all scores add up to `top`; gaps of `deepest` stand for deeper ones too."""
    if ordered:
        rest = itertools.combinations_with_replacement(range(deepest + 1), k - 1)
        gaps = np.array([(0, *each) for each in rest], np.int64)
    else:
        gaps = np.indices((deepest + 1,) * k).reshape(k, -1).T
        gaps = gaps[gaps.min(axis=1) == 0].astype(np.int64)
    most, odd = np.divmod(top + gaps.sum(axis=1), k)  # the greatest score, if that is a whole number
    deep = gaps.max(axis=1)
    found: Ints = gaps[((odd == 0) & (most >= deep)) | ((deep == deepest) & (deepest < top))]
    return found

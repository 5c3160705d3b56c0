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

from neodp.data.validation import Floats
from neodp.polls.chance_programs import ChanceProgram
from neodp.polls.mechanism import Plurality
from neodp.polls.prior import Prior
from neodp.polls.samples import Sample
from neodp.polls.weighted_plurality import WeightedPlurality

__all__ = ["gap_program", "on_all_tables", "on_gaps", "tables_program", "whole_reach"]

MOST = 8
"""The greatest number of options for which a program over gaps is solved."""
LEAST = 1e-6
"""The least epsilon of people who count in a linear program."""
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


class TablesProgram(NamedTuple):
    """The program over all tables.

    Attributes
    ----------
    program : ChanceProgram
    dataset : array of int
        Per table, its dataset.
    option : array of int
        Per table, the option at each place of the dataset.
    """

    program: ChanceProgram
    dataset: Ints
    option: Ints

    def chances(self, rows: Floats) -> Floats:
        """Return the chance of each option at each table, from those of each place of each dataset."""
        found = np.empty((len(self.dataset), rows.shape[1]))
        np.put_along_axis(found, self.option, rows[self.dataset], axis=1)
        return found


def tables_program(
    poll: Plurality, known: Sample, *, heard: Sequence[int] | None = None, apart: int | None = None
) -> TablesProgram:
    """Return the program over all tables; if only some groups are heard, over the tables of these groups.

    Parameters
    ----------
    poll : Plurality
    known : Sample
        All tables, with their chances.
    heard : sequence of int, optional
        The positions of the groups that are heard; by default all.
    apart : int, optional
        The number of options that are told apart; those that are named later are alike. By default all are told apart.
    """
    k, groups = len(poll.options), list(range(len(poll.groups)) if heard is None else heard)
    first = k if apart is None else apart
    base = np.concatenate([[1], np.cumprod(poll.sizes[groups] + 1)])[:-1]
    code = np.einsum("tgk,g->tk", known.counts[:, groups], base)  # per option, who chooses it
    option = np.column_stack([np.tile(np.arange(first), (len(code), 1)), first + np.argsort(code[:, first:], axis=1)])
    every = list(map(tuple, np.take_along_axis(code, option, axis=1).tolist()))
    place = {key: i for i, key in enumerate(dict.fromkeys(every))}
    keys = np.array(list(place), np.int64)
    new = np.ones((len(keys), k), bool)  # options that are alike, and are chosen by as many people, share a variable
    new[:, first + 1 :] = np.diff(keys[:, first:], axis=1) != 0
    places = (np.cumsum(new.reshape(-1)) - 1).reshape(-1, k)
    rows = []
    for key, i in place.items():
        for g, (unit, size) in enumerate(zip(base.tolist(), poll.sizes[groups].tolist(), strict=True)):
            for a, b in itertools.permutations(range(k), 2):
                if key[a] // unit % (size + 1):
                    changed = list(key)
                    changed[a] -= unit
                    changed[b] += unit
                    there = [*range(first), *sorted(range(first, k), key=changed.__getitem__)]
                    end = places[place[tuple(changed[j] for j in there)]]
                    rows += [(places[i, j], end[n], groups[g]) for n, j in enumerate(there)]
    table = _least_of_equals(np.array(rows, np.int64).reshape(-1, 3))
    epsilon = np.array([group.epsilon for group in poll.groups])[table[:, 2]]
    worth, dataset = np.zeros(int(places.max()) + 1), np.array([place[key] for key in every])
    truth = np.argmax(option == known.truth[:, None], axis=1)
    np.add.at(worth, places[dataset, truth], known.chance)
    program = ChanceProgram(worth, places, table[:, 0], table[:, 1], epsilon, table[:, 2])
    return TablesProgram(program, dataset, option)


def _least_of_equals(table: Ints) -> Ints:
    """Return rows of two variables and a group once for each two variables, with the group of the least epsilon.

    Groups have ascending epsilons. A variable is within every factor of itself.
    """
    table = table[table[:, 0] != table[:, 1]]
    table = table[np.lexsort(table.T[::-1])]
    found: Ints = table[np.concatenate([[True], (np.diff(table[:, :2], axis=0) != 0).any(axis=1)])[: len(table)]]
    return found


def on_all_tables(poll: Plurality, known: Sample, prior: Prior, apart: int | None = None) -> WeightedPlurality | None:
    """Find the optimum over all tables; None if an epsilon is too small, or the solver fails.

    If only some options are told apart, it is the optimum among mechanisms that treat the others alike.
    """
    if poll.groups[0].epsilon < LEAST:
        return None
    found = tables_program(poll, known, apart=apart)
    rows = found.program.solve()
    if rows is None:
        return None
    chances = found.chances(rows)
    right = chances[np.arange(len(chances)), known.truth]
    keys = map(tuple, known.counts.reshape(len(chances), -1).tolist())
    stored = dict(zip(keys, map(tuple, chances.tolist()), strict=True))
    weights, expected = (1,) * len(poll.groups), float(known.chance @ right)
    return made(poll, "tables", weights, 0, 0, stored, expected, True, float(right.min()), prior)


def reach_of(poll: Plurality, known: Sample, weights: Sequence[int], ordered: bool, limit: int) -> int | None:
    """Return D, the gap at which a wrong answer is unlikely, no gap is greater, or the program is as large as allowed.

    Return None if the program would be too large even if one lead in a hundred were cut off.
    """
    k, different = len(poll.options), len({w for w in weights if w})
    if k > MOST or any(w and group.epsilon < LEAST for w, group in zip(weights, poll.groups, strict=True)):
        return None
    reach = whole = whole_reach(poll, weights)
    while _size(reach, k, ordered) * different > limit and reach > 2 * max(weights):
        reach -= max(1, reach // 16)
    if _size(reach, k, ordered) * different > limit:
        return None
    lead = np.sort(gaps_of(known, weights), axis=1)[:, 1]
    return reach if reach == whole or known.chance @ (lead > reach) <= 0.01 else None


def whole_reach(poll: Plurality, weights: Sequence[int]) -> int:
    """Return the gap at which a wrong answer is unlikely, or beyond which there is none."""
    rate = min(group.epsilon / w for w, group in zip(weights, poll.groups, strict=True) if w)
    return min(int(np.array(weights) @ poll.sizes), max(4 * max(weights), math.ceil(14.0 / rate)))


def _size(reach: int, k: int, ordered: bool) -> int:
    """Return the approximate size of a program over gaps, in variables; they count more if there are more options."""
    if not ordered:
        return int((reach + 1) ** k - reach**k) * (k - 1) // 2
    return math.comb(reach + k - 1, k - 1) + k * math.comb(reach + k - 2, k - 2)


class GapProgram(NamedTuple):
    """The program over cut-off gaps, and the gaps of each of its datasets.

    Attributes
    ----------
    program : ChanceProgram
    keys : array of int
        The cut-off gaps, per dataset and place.
    weights : tuple of int
    reach : int
    ordered : bool
        True if gaps are sorted, so that it does not matter which option has which gap.
    """

    program: ChanceProgram
    keys: Ints
    weights: tuple[int, ...]
    reach: int
    ordered: bool

    def at(self, known: Sample) -> tuple[Ints, Ints]:
        """Return, per table, the dataset of the program, and the place of the true answer in it."""
        number, order = _cut(gaps_of(known, self.weights), self.reach, self.ordered)
        code = self.keys @ _base(self.reach, self.keys.shape[1])
        return np.searchsorted(code, number), np.argmax(order == known.truth[:, None], axis=1)


def gap_program(poll: Plurality, known: Sample, weights: tuple[int, ...], reach: int, *, ordered: bool) -> GapProgram:
    """Return the program over cut-off gaps, where the worth of an answer is that on the tables of `known`."""
    k, top = len(poll.options), int(np.array(weights) @ poll.sizes)
    least: dict[int, int] = {}  # per weight, the first group that has it: epsilons ascend
    for g, w in enumerate(weights):
        if w:
            least.setdefault(w, g)
    steps = []
    for w, g in least.items():
        gaps = _occurring(min(reach + 2 * w, top), top, k, ordered)
        here = _cut(gaps, reach, ordered)
        for a, b in itertools.permutations(range(k), 2):
            moved = gaps.copy()
            moved[:, a] += w
            moved[:, b] -= w
            steps.append((g, here, _cut(moved - moved.min(axis=1, keepdims=True), reach, ordered)))
    code = np.unique(np.concatenate([each[0] for _, *both in steps for each in both]))
    keys = code[:, None] // _base(reach, k) % (reach + 1)
    places = np.arange(len(code) * k).reshape(-1, k)
    if ordered:  # equal gaps share a variable
        new = np.column_stack([np.ones(len(code), bool), np.diff(keys, axis=1) != 0])
        places = (np.cumsum(new.reshape(-1)) - 1).reshape(-1, k)
    rows = []
    for g, here, there in steps:
        u, v = (np.searchsorted(code, number) for number, _ in (here, there))
        rank = np.take_along_axis(np.argsort(there[1], axis=1), here[1], axis=1)  # the options' places after the step
        one, two = places[u].reshape(-1), places[v[:, None], rank].reshape(-1)
        rows += [np.column_stack([*ends, np.full(len(one), g)]) for ends in ((one, two), (two, one))]
    start, end, owner = _least_of_equals(np.concatenate(rows)).T
    epsilon = np.array([group.epsilon for group in poll.groups])[owner]
    worth = np.zeros(int(places.max()) + 1)
    found = GapProgram(ChanceProgram(worth, places, start, end, epsilon, owner), keys, weights, reach, ordered)
    np.add.at(worth, places[found.at(known)], known.chance)
    return found


def _base(reach: int, k: int) -> Ints:
    """Return the factors that make one number of k gaps up to `reach`."""
    return np.asarray((reach + 1) ** np.arange(k), np.int64)


def _cut(gaps: Ints, reach: int, ordered: bool) -> tuple[Ints, Ints]:
    """Return a number for the dataset of each row of gaps, and the option at each of its places."""
    short, k = np.minimum(gaps, reach), gaps.shape[1]
    order = np.argsort(short, axis=1, kind="stable") if ordered else np.tile(np.arange(k), (len(gaps), 1))
    return np.take_along_axis(short, order, axis=1) @ _base(reach, k), order


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
    found = gap_program(poll, known.learned, weights, reach, ordered=ordered)
    rows = len(found.program.one)
    if rows > most:
        return None, 0
    chances = found.program.solve()
    if chances is None:
        return None, rows
    known = known.judged
    right = chances[found.at(known)]
    expected = float(known.chance @ right)
    behind = found.keys <= min(widest(poll, weights), reach)
    worst = float(right.min()) if known.exact else float(chances[behind].min())
    stored = dict(zip(map(tuple, found.keys.tolist()), map(tuple, chances.tolist()), strict=True))
    kind = "ordered gaps" if ordered else "gaps"
    return made(poll, kind, weights, reach, 0, stored, expected, known.exact, worst, prior), rows


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

"""The weighted plurality: the private answer to "which of three or more options?" that is most often right.

As in :mod:`neodp.polls.weighted`, group g has a whole number w_g >= 0, and option j the score u_j = sum of w_g n_gj,
where n_gj people of the group choose it. One person who goes from option a to option b takes w_g from u_a and gives
it to u_b. Four kinds of mechanisms are compared with each other and with the balanced one by their expected accuracy
under the prior, and the best is chosen. The choice does not depend on any vote.

*Tables.* If there are few tables, the linear program over all of them is solved. It has a chance per table and option;
the chances of a table add up to 1, and those of one option at neighbouring tables are within e^epsilon. Its solution is
the optimum.

*Gaps.* The gaps d_j = max u - u_j, cut off at D, say which option leads, and by how much. They form a graph, as the
tables do: its datasets are the gaps that occur, and every step of one person from gaps d to d' makes an edge between
the cut-off gaps of d and of d', with the epsilon of the person. A mechanism that depends only on cut-off gaps is
private for the tables iff it is private on this graph. A step changes a gap by at most 2 w, so gaps above D + 2 w give
the same edges as D + 2 w itself: the graph is finite. Its linear program has some thousand variables. It distinguishes
the options, which matters if there are few people: a tie goes to the option that is named first.

*Ordered gaps.* That graph is symmetric: exchanging options maps it to itself. If there are many people and ties are
rare, one dataset per *sorted* gaps is enough, with chances per place instead of per option, where equal gaps have equal
chances, up to some 2^-52: since there are k! times fewer datasets, finer weights can be used.

*Flip.* Permute-and-flip on the scores (McKenna and Sheldon, 2020): take the options in random order, and answer the
current option with chance f_j = e^(-rate (max u - u_j) / 2), until one is answered. The chance of option j is

    f_j  times the integral from 0 to 1 of the product over i != j of (1 - t f_i) dt.

It is the option with the greatest u_j + X_j, where the X_j are independent and exponential with mean 2 / rate [Ding
and others, 2021]. *It is private.* Let one person take w from u_a and give it to u_b. Given the noise of all others,
option j is answered iff X_j exceeds the greatest of the others' u_i + X_i, less u_j. That bound moves by at most 2 w,
and the chance of exceeding it changes at most by a factor of e^(rate w) <= e^epsilon, where rate is the least
epsilon / w.

Exactness
---------
*Tables and gaps.* A solution of the program is moved towards the uniform distribution by a share h, which gives every
inequality p <= e^epsilon p' room of h (e^epsilon - 1) / k; then every chance becomes a whole multiple of 2^-52, where
the largest of a distribution is one minus the others. Every single inequality of the graph is then checked for these
whole numbers: n <= f n', where f is e^epsilon (1 - 2^-48) in doubles and so less than e^epsilon, and the rounding error
of the product is smaller than the difference; if places of equal gaps differ by some units, n is the largest and n' the
smallest of them. If an inequality does not hold, h grows. The check decides, not the solver.

*Flip.* With u = 2^-50, an epsilon becomes E = floor(epsilon / u) - 16 - 4 k units, the rate is R, the least floor(E /
w), and the chances are found with 60 digits for exponents R (max u - u_j) u / 2. Their quotients over a step are at
most e^(E u) before they are rounded. Rounding to doubles changes those that are not the largest by a factor within 1
+- 2^-53, if they are no less than the smallest normal double; smaller ones are raised to it (a floor under both does
not enlarge a quotient). The largest, which is at least 1/k, changes by no more than the sum of the other changes, hence
by a factor within 1 +- k 2^-53. If another one is the largest after the step, that holds for it as well. So a
quotient of stored chances is at most e^(E u) (1 + k 2^-51) < e^epsilon.

People of weight 0 have no influence: the answer is the same whatever they choose. :func:`neodp.polls.violations` checks
all kinds at one table and all its neighbours in exact arithmetic.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core import linear
from neodp.data.validation import UNIT, Floats
from neodp.polls.mechanism import TINY, Counts, Margin, Plurality
from neodp.polls.prior import Prior
from neodp.polls.weighted import WORTH, candidates

__all__ = ["Sample", "WeightedPlurality", "sample", "weighted_plurality"]

PROGRAM = 8_000
"""The greatest number of tables times options with which the linear program over all tables is solved."""
ALL = 20_000
"""The greatest number of tables with which expected accuracy is a sum over all tables, not an estimate."""
SAMPLES = 20_000
"""The greatest number of tables drawn from the prior for an estimate."""
RANKED = 3_000
"""The greatest number of sampled tables by which weights are ranked."""
GAPS = 6_000
"""The greatest number of variables times different weights with which a program over gaps is solved."""
MOST = 8
"""The greatest number of options for which a program over gaps is solved."""
CROWD = 1_000
"""The greatest number of people for which several weights are compared by their programs."""
ONE = 2.0**52
"""The resolution of chances in linear programs: they are whole multiples of 2^-52."""
LEAST = 1e-6
"""The least epsilon of people who count in a linear program."""
LARGE = 600.0
"""The greatest epsilon in the check: a greater one is replaced by this, so that no product overflows a double."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WeightedPlurality(Plurality):
    """The weighted poll on which option is chosen most often, by a linear program or by weighted scores.

    Attributes
    ----------
    kind : str
        ``tables``, ``gaps``, ``ordered gaps`` or ``flip``.
    weights : tuple of int
        The amount by which one person of each group moves a score; for tables, all are 1 and ignored.
    reach : int
        The gap D at which gaps are cut off.
    rate : int
        The rate of flip, in units of 2^-50.
    rows : dict
        For tables and gaps, the chances per dataset of the program.
    expected : float
        The expected accuracy under the prior.
    exact : bool
        True if `expected` is a sum over all tables, false if it is an estimate from a sample of tables.
    worst_case : float
        A lower bound on the chance of the true answer at every dataset.
    """

    kind: str
    weights: tuple[int, ...]
    reach: int
    rate: int
    rows: dict[tuple[int, ...], tuple[float, ...]] = field(repr=False)
    expected: float
    exact: bool
    worst_case: float
    prior: Prior

    @property
    def worst(self) -> float:
        """A lower bound on the chance of the true answer at every dataset."""
        return self.worst_case

    def worst_at(self, margin: int) -> float:
        """Return a lower bound on the accuracy of the datasets with this margin or a greater one.

        With margin m, the winner is at least 2 m - 2 votes ahead of every other option: a person who goes over to
        another option makes up for two. Scores are closest if the winner's votes are those of the least weight.
        """
        if self.kind == "tables":
            return min((right for far, right in self._by_margin if far >= margin), default=self.worst_case)
        order = np.argsort(self.weights)
        weight, size = np.array(self.weights)[order], self._sizes[order]
        winners = np.clip((self.people + 2 * margin - 2) // 2 - (np.cumsum(size) - size), 0, size)
        lead = int(weight @ (2 * winners - size))
        if lead <= 0:
            return self.worst_case
        if self.kind == "flip":
            return max(self.worst_case, flip([0, *[lead] * (len(self.options) - 1)], self.rate)[0])
        return min((right for far, right in self._by_margin if far >= min(lead, self.reach)), default=self.worst_case)

    @cached_property
    def _by_margin(self) -> list[tuple[int, float]]:
        """For every dataset of the program, its margin (or the lead of the first score) and its accuracy."""
        found = []
        for key, row in self.rows.items():
            if self.kind == "tables":
                counts = np.array(key).reshape(len(self.groups), -1)
                found.append((self.margin(counts) or self.people, row[self.truth(counts)]))
            else:
                first = key.index(0)
                found.append((min(key[:first] + key[first + 1 :]), row[first]))
        return found

    def at(self, margin: int) -> Margin:
        """Return a lower bound on the accuracy at a margin."""
        return Margin(margin, worst=self.worst_at(margin))

    def distribution(self, counts: Counts) -> tuple[float, ...]:
        """Return the chance of each option at a dataset."""
        if self.kind == "tables":
            return self.rows[tuple(counts.reshape(-1).tolist())]
        score = (np.array(self.weights) @ counts).tolist()
        most = max(score)
        gaps = [most - each for each in score]
        if self.kind == "flip":
            return flip(gaps, self.rate)
        cut = [min(gap, self.reach) for gap in gaps]
        if self.kind == "gaps":
            return self.rows[tuple(cut)]
        order = sorted(range(len(cut)), key=cut.__getitem__)
        row = self.rows[tuple(cut[j] for j in order)]
        found = [0.0] * len(row)
        for j, chance in zip(order, row, strict=True):
            found[j] = chance
        return tuple(found)


# --- permute and flip -------------------------------------------------------------------------------------------------


def flip(gaps: Sequence[int], rate: int) -> tuple[float, ...]:
    """Return the chances of permute-and-flip for options that lie `gaps` behind the leader.

    All chances but the largest are exact, and the largest is one minus the rest, rounded.

    Examples
    --------
    >>> flip([0, 0], UNIT)
    (0.5, 0.5)
    >>> [round(p, 4) for p in flip([0, 2, 4], UNIT)]
    [0.765, 0.1756, 0.0594]
    """
    k = len(gaps)
    with localcontext(Context(prec=60, Emin=-10_000, Emax=10_000)):
        f = [Decimal(-gap * rate) / Decimal(2 * UNIT) for gap in gaps]
        f = [max(x, Decimal(-2000)).exp() for x in f]
        product = [Decimal(1)]  # the coefficients of the product of all 1 - t f_i
        for x in f:
            product = [a - x * b for a, b in zip([*product, Decimal(0)], [Decimal(0), *product], strict=True)]
        chances = []
        for x in f:
            part = [product[0]]  # without the factor of this one
            for a in product[1:-1]:
                part.append(a + x * part[-1])
            chances.append(x * sum((a / (power + 1) for power, a in enumerate(part)), Decimal(0)))
        row = [max(TINY, float(chance)) for chance in chances]
    largest = max(range(k), key=row.__getitem__)
    rest = math.fsum(x for j, x in enumerate(row) if j != largest)
    row[largest] = max(1.0 - rest, max((x for j, x in enumerate(row) if j != largest), default=0.0))
    return tuple(row)


def flips(gaps: Floats, option: Ints) -> Floats:
    """Return the chance of one option per row under permute-and-flip, in doubles; rows hold exponents rate gap / 2."""
    f, rows = np.exp(-gaps), np.arange(len(gaps))
    at, weight = np.polynomial.legendre.leggauss(f.shape[1] // 2 + 1)
    found = np.zeros(len(gaps))
    for t, w in zip((at + 1.0) / 2.0, weight / 2.0, strict=True):
        factor = 1.0 - t * f
        factor[rows, option] = 1.0
        found += w * np.prod(factor, axis=1)
    chances: Floats = found * f[rows, option]
    return chances


# --- tables under a prior ---------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """Tables and their chances: all tables, or a sample.

    Attributes
    ----------
    counts : array of int
        The votes, by table, group and option.
    chance : array of float
        The chances of the tables, which add up to 1.
    exact : bool
        True if these are all tables.
    """

    counts: Ints
    chance: Floats
    exact: bool

    @property
    def truth(self) -> Ints:
        """The position of the true answer of each table."""
        found: Ints = np.argmax(self.counts.sum(axis=1), axis=1)
        return found

    def part(self, start: int, end: int) -> Sample:
        """Return some of the tables of a sample; if it holds all tables, return it unchanged."""
        if self.exact:
            return self
        chance = self.chance[start:end]
        return Sample(self.counts[start:end], chance / chance.sum(), False)

    @property
    def judged(self) -> Sample:
        """The tables on which mechanisms are evaluated: a fifth of a sample."""
        return self.part(0, len(self.counts) // 5)

    @property
    def learned(self) -> Sample:
        """The tables from which mechanisms are computed: the rest, so that an estimate is not too optimistic."""
        return self.part(len(self.counts) // 5, len(self.counts))


def sample(poll: Plurality, prior: Prior, most: int = SAMPLES) -> Sample:
    """Return all tables with their chances; if there are too many, some drawn from the prior with a fixed seed.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> found = sample(poll([Group(1.0, 2)], "plurality", "abc"), Prior())
    >>> len(found.counts), found.exact, round(float(found.chance.sum()), 12)
    (6, True, 1.0)
    """
    chances, k = prior.chances(poll.options), len(poll.options)
    if tables(poll) <= ALL:
        from scipy.stats import multinomial

        counts, chance = np.zeros((1, 0, k), np.int64), np.ones(1)
        for group in poll.groups:
            each = _compositions(group.size, k)
            law = multinomial(group.size, chances).pmf(each)
            many, new = len(counts), len(each)
            left = np.repeat(counts, new, axis=0)
            counts = np.concatenate([left, np.tile(each, (many, 1))[:, None, :]], axis=1)
            chance = np.multiply.outer(chance, law).reshape(-1)
        return Sample(counts, chance, True)
    rng = np.random.default_rng(1)
    number = int(np.clip(10**7 // (len(poll.groups) * k * k), 500, most))
    drawn = np.stack([rng.multinomial(group.size, chances, number) for group in poll.groups], axis=1)
    return Sample(drawn.astype(np.int64), np.full(number, 1.0 / number), False)


def tables(poll: Plurality) -> int:
    """Return the number of tables."""
    k = len(poll.options)
    return math.prod(math.comb(group.size + k - 1, k - 1) for group in poll.groups)


def _compositions(n: int, k: int) -> Ints:
    """Return all ways to write n as a sum of k whole numbers of at least 0."""
    bars = np.array(list(itertools.combinations(range(n + k - 1), k - 1)), np.int64).reshape(-1, k - 1)
    ends = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + k - 1)])
    return np.diff(ends, axis=1) - 1


# --- the best mechanism -----------------------------------------------------------------------------------------------


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
    known, balanced = sample(poll, given), balanced_plurality(poll, given)
    found = [_on_tables(poll, known, given)] if tables(poll) * len(poll.options) <= PROGRAM else []
    if not any(found):
        few = known.learned.part(0, min(RANKED, max(200, 2 * 10**6 // len(poll.groups))))
        ranked = _ranked(poll, few)
        found = [_flip(poll, known, ranked[0][1], given)]
        programs = _programs(poll, few, [weights for _, weights in ranked])
        found += [_on_gaps(poll, known, weights, given, reach, ordered=o) for weights, reach, o in programs]
    best = max((each for each in found if each is not None), key=lambda each: each.expected)
    return poll if balanced.value >= best.expected - WORTH else best


def _programs(poll: Plurality, known: Sample, ranked: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], int, bool]]:
    """Choose weights whose programs over gaps are solved; return them with D, and whether gaps are ordered.

    `ranked` has the best weights for flip first, and these are fine ones. A program can achieve more with coarse
    weights, where few edges bind: so the best weights with small programs are chosen as well. If there are many people,
    ties are rare, and one program is enough.
    """
    found: list[tuple[tuple[int, ...], int, bool]] = []
    kinds = ((False, GAPS), (True, GAPS), (False, GAPS // 4), (False, GAPS // 16))
    for ordered, limit in kinds if poll.people <= CROWD else ((True, GAPS // 4),):
        reaches = ((weights, _reach(poll, known, weights, ordered, limit)) for weights in ranked)
        small = ((weights, reach, ordered) for weights, reach in reaches if reach is not None)
        found += itertools.islice(small, 2 if poll.people <= CROWD else 1)
    return list(dict.fromkeys(found))


def _rate(poll: Plurality, weights: Sequence[int]) -> int:
    k = len(poll.options)
    each = (
        max(0, math.floor(math.ldexp(group.epsilon, 50)) - 16 - 4 * k) // w
        for w, group in zip(weights, poll.groups, strict=True)
        if w
    )
    return min(each)


def _gaps(known: Sample, weights: Sequence[int]) -> Ints:
    score = np.einsum("tgk,g->tk", known.counts, np.array(weights))
    gaps: Ints = score.max(axis=1, keepdims=True) - score
    return gaps


def _ranked(poll: Plurality, known: Sample) -> list[tuple[float, tuple[int, ...]]]:
    """Return the weights to try with the expected accuracy of flip, best first."""
    tried, found = candidates(poll.groups), []
    counts, truth = np.swapaxes(known.counts, 1, 2).astype(np.float64), known.truth
    for start in range(0, len(tried), 50):
        some = tried[start : start + 50]
        scores = counts @ np.array(some, np.float64).T  # table, option, weights
        for i, weights in enumerate(some):
            gaps = scores[:, :, i].max(axis=1, keepdims=True) - scores[:, :, i]
            right = flips(gaps * (_rate(poll, weights) / (2 * UNIT)), truth)
            found.append((float(known.chance @ right), weights))
    return sorted(found, reverse=True)


def _flip(poll: Plurality, known: Sample, weights: tuple[int, ...], prior: Prior) -> WeightedPlurality:
    rate, known = _rate(poll, weights), known.judged
    right = flips(_gaps(known, weights).astype(np.float64) * (rate / (2 * UNIT)), known.truth)
    expected = float(known.chance @ right)
    worst = (
        float(right.min()) if known.exact else math.exp(-_widest(poll, weights) * rate / (2 * UNIT)) / len(poll.options)
    )
    return _made(poll, "flip", weights, 0, rate, {}, expected, known.exact, worst, prior)


def _widest(poll: Plurality, weights: Sequence[int]) -> int:
    """Return the greatest gap between the score of the option that is chosen most often and the leading score."""
    order = np.argsort(weights)
    weight, size = np.array(weights)[order], poll._sizes[order]
    winners = np.clip((poll.people + 1) // 2 - (np.cumsum(size) - size), 0, size)  # the half with the least weights
    return max(0, int(weight @ (size - 2 * winners)))


def _made(
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


# --- linear programs --------------------------------------------------------------------------------------------------


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
    result = program.solve("ipm")
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


def _on_tables(poll: Plurality, known: Sample, prior: Prior) -> WeightedPlurality | None:
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
    return _made(
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


def _reach(poll: Plurality, known: Sample, weights: Sequence[int], ordered: bool, limit: int) -> int | None:
    """Return D, the gap at which a wrong answer is unlikely, no gap is greater, or the program is as large as allowed.

    Return None if the program would be too large even if one lead in a hundred were cut off.
    """
    k, different = len(poll.options), len({w for w in weights if w})
    if k > MOST or any(w and group.epsilon < LEAST for w, group in zip(weights, poll.groups, strict=True)):
        return None
    rate = min(group.epsilon / w for w, group in zip(weights, poll.groups, strict=True) if w)
    top = int(np.array(weights) @ poll._sizes)
    reach = whole = min(top, max(4 * max(weights), math.ceil(14.0 / rate)))
    while _size(reach, k, ordered) * different > limit and reach > 2 * max(weights):
        reach -= max(1, reach // 16)
    if _size(reach, k, ordered) * different > limit:
        return None
    lead = np.sort(_gaps(known, weights), axis=1)[:, 1]
    return reach if reach == whole or known.chance @ (lead > reach) <= 0.01 else None


def _size(reach: int, k: int, ordered: bool) -> int:
    """Return the approximate size of a program over gaps, in variables; they count more if there are more options."""
    if not ordered:
        return int((reach + 1) ** k - reach**k) * (k - 1) // 2
    return math.comb(reach + k - 1, k - 1) + k * math.comb(reach + k - 2, k - 2)


def _on_gaps(
    poll: Plurality, known: Sample, weights: tuple[int, ...], prior: Prior, reach: int, *, ordered: bool
) -> WeightedPlurality | None:
    """Find the best mechanism on cut-off gaps; if they are ordered, it does not matter which option has which gap."""
    k, top = len(poll.options), int(np.array(weights) @ poll._sizes)
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
        number, order = cut(_gaps(known, weights))
        return np.searchsorted(code, number), np.argmax(order == known.truth[:, None], axis=1)

    worth = np.bincount(groups[at(known.learned)], known.learned.chance, int(groups.max()) + 1)
    chances = _solved(worth.astype(np.float64), groups, edges)
    if chances is None:
        return None
    known = known.judged
    right = chances[at(known)]
    expected = float(known.chance @ right)
    behind = keys <= min(_widest(poll, weights), reach)
    worst = float(right.min()) if known.exact else float(chances[behind].min())
    stored = dict(zip(map(tuple, keys.tolist()), map(tuple, chances.tolist()), strict=True))
    kind = "ordered gaps" if ordered else "gaps"
    return _made(poll, kind, weights, reach, 0, stored, expected, known.exact, worst, prior)


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

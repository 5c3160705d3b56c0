"""Medians, counts and ranked ballots of tables, beside what one would do otherwise with OpenDP's mechanisms.

Everybody has an epsilon: 1/8, 1 or 2 at random, which are whole numbers of our units, so that nothing is rounded.
*least*: everybody at the least epsilon. *threshold*: people below some epsilon are left out, all others count at that
epsilon, and a count is scaled up. *sampling*: somebody with epsilon e < t is heard with chance (e^e - 1) / (e^t - 1),
all others certainly, with t for all (Jorgensen, Yu and Cormode 2015); a count is scaled up. For both, t is the middle
and the greatest epsilon; the one that is better on average is shown. A count has OpenDP's discrete Laplace noise; a
median has OpenDP's noisy maximum over the negative differences in rank, and a ranking over the points. Both are
distributions in closed form (a noisy maximum with exponential noise is permute-and-flip), so nothing is drawn.

Shown is the expected error: of a count in people, of a median in options, of a ranking the chance of a wrong winner. It
is an average over ASSIGNED ways to give the levels to the people, with a fixed seed, the same for all: a single way
would say more of the luck of who is left out than of the mechanisms. For each way it is computed, not drawn, except
that sampling in medians and rankings is an average over THINNED random choices of who is heard. An aim is met if our
error is not above the least of the others, but for the last digits of doubles.

The tables: votes of the US House of 1984, and the ballots of Minneapolis 2013, all of them and 400 at random, if the
folder that NEODP_BENCH_DATA names has them; and a million people on a scale from 1 to 5. *Seconds* are of processor
time: the mechanisms' choice and one answer.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import fftconvolve
from scipy.stats import binom

from bench.process import processor_time
from bench.report import met, seconds, show, table
from neodp.core.permute_and_flip import outcome_chances
from neodp.data.validation import Floats
from neodp.polls import Group, Prior
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.figures import outcome_preview
from neodp.polls.outcomes.parsing import outcome_queries
from neodp.polls.outcomes.query import How, Ints, OutcomeQuery
from neodp.polls.outcomes.ranking import Ballot, Ranking

__all__ = ["run"]

LEVELS = (0.125, 1.0, 2.0)
ASSIGNED = 24
THINNED = 100
TAIL = 45.0
"""The exponent beyond which chances are left out: e^-45 is 3e-20."""


class Case(NamedTuple):
    """A table of votes, and a query about it.

    Attributes
    ----------
    votes : array of int
        How many people gave each answer.
    """

    name: str
    query: str
    options: tuple[str, ...]
    votes: Ints
    ranges: str | None = None
    ballots: tuple[Ballot, ...] = ()


def run(quick: bool) -> None:
    """Measure and print: about a minute of processor time."""
    rows = [_row(case, ASSIGNED // 4 if quick else ASSIGNED) for case in _cases(quick)]
    header = ("table", "query", "people", "balanced", "weighted", "least", "threshold", "sampling", "s", "best is ours")
    reached = sum(row[-1] == "met" for row in rows)
    what = "Expected error of medians (options), counts (people) and rankings (wrong winners)"
    show(what, table(header, rows), f"{reached} of {len(rows)} met.")


def _cases(quick: bool) -> Iterator[Case]:
    rng = np.random.default_rng(1)
    scale = rng.multinomial(100_000 if quick else 1_000_000, [0.1, 0.2, 0.21, 0.28, 0.21])
    yield Case("a scale", "median", tuple("12345"), scale)
    yield Case("a scale", "count:4", tuple("12345"), scale, "100")
    folder = Path(os.environ.get("NEODP_BENCH_DATA", "/none"))
    house = folder / "house-votes-84" / "house-votes-84.data"
    if house.is_file():
        votes = [line.split(",")[1:] for line in house.read_text().split()]
        numbers = [sum(vote == "y" for vote in row) for row in votes]
        yield Case("House 1984", "median", tuple(map(str, range(17))), np.bincount(numbers, minlength=17))
        fourth = [row[3] for row in votes]
        yield Case("House 1984", "count:y", ("y", "n", "?"), np.array([fourth.count(each) for each in "yn?"]))
    record = folder / "minneapolis-2013" / "cast_vote_record.csv.gz"
    if record.is_file():
        with gzip.open(record, "rt") as file:
            ranked = [tuple(row.values()) for row in csv.DictReader(file)]
        hodges = sum(row[0] == "BETSY HODGES" for row in ranked)
        votes_for = np.array([hodges, len(ranked) - hodges])
        yield Case("Minneapolis 2013", "count:Hodges", ("Hodges", "others"), votes_for, "10")
        yield _ranking("Minneapolis 2013", ranked)
        some = rng.choice(len(ranked), 400, replace=False).tolist()
        yield _ranking("400 of them", [ranked[i] for i in some])


def _ranking(name: str, ranked: list[tuple[str, ...]]) -> Case:
    """Return the ballots for the six candidates who are ranked first most often, in the city and so in the sample."""
    first = Counter(row[0] for row in ranked if row[0] not in ("undervote", "overvote"))
    options = tuple(sorted(name for name, _ in first.most_common(6)))
    read = (tuple(dict.fromkeys(options.index(each) for each in row if each in options)) for row in ranked)
    ballots = Counter(ballot for ballot in read if ballot)
    return Case(name, "ranking", options, np.array(list(ballots.values())), None, tuple(ballots))


def _assigned(rng: np.random.Generator, votes: Ints) -> Ints:
    """Return the votes by level, where everybody has one of the levels at random."""
    return np.stack([rng.multinomial(n, [1.0 / len(LEVELS)] * len(LEVELS)) for n in votes.tolist()], axis=1)


def _row(case: Case, ways: int) -> tuple[str, ...]:
    people = int(case.votes.sum())
    (asked,) = outcome_queries(case.query, case.options, people, ranges=case.ranges, ballots=case.ballots).values()
    rng = np.random.default_rng(2)
    found, spent = [], math.inf
    for _ in range(ways):
        counts = _assigned(rng, case.votes)
        groups = [Group(e, int(n)) for e, n in zip(LEVELS, counts.sum(axis=1), strict=True)]
        once, hows = processor_time(partial(_ours, asked, counts, groups))
        spent = min(spent, once)
        found.append([*(_expected(asked, counts, how) for how in hows), *_rivals(rng, asked, counts)])
    balanced, weighted, least, *rest = np.mean(found, axis=0).tolist()
    others = [least, min(rest[:2]), min(rest[2:])]
    verdict = met(min(balanced, weighted) <= min(others) + 1e-9)
    figures = [f"{error:.3f}" for error in (balanced, weighted, *others)]
    return case.name, case.query, f"{people:,}", *figures, seconds(spent), verdict


def _ours(asked: OutcomeQuery, counts: Ints, groups: list[Group]) -> list[How]:
    both = outcome_preview(asked, groups, Prior())
    asked.draw(counts, both.balanced.how)
    return [both.balanced.how, both.weighted.how]


def _expected(asked: OutcomeQuery, counts: Ints, how: How) -> float:
    return float(asked.chances(counts, how) @ asked.error(counts))


def _rivals(rng: np.random.Generator, asked: OutcomeQuery, counts: Ints) -> list[float]:
    """Return the expected errors of the rivals: least, threshold at both epsilons, sampling at both."""
    found = [_error(rng, asked, counts, np.ones(len(LEVELS)), LEVELS[0])]
    for sampled in (False, True):
        for t in LEVELS[1:]:
            part = [1.0 if e >= t else math.expm1(e) / math.expm1(t) * sampled for e in LEVELS]
            found.append(_error(rng, asked, counts, np.array(part), t))
    return found


def _error(rng: np.random.Generator, asked: OutcomeQuery, counts: Ints, heard: Floats, epsilon: float) -> float:
    """Return the expected error of OpenDP's mechanism if people are heard with the chance of their level."""
    errors = asked.error(counts)
    if isinstance(asked, Count):
        return float(_count_chances(asked, counts, heard, epsilon) @ errors)
    most = len(asked.options) - 1 if isinstance(asked, Ranking) else 1  # by how much one person moves a score
    one = np.ones(len(LEVELS), np.int64)
    random = ((heard > 0.0) & (heard < 1.0)).any()
    thinned = (rng.binomial(counts, heard[:, None]) for _ in range(THINNED if random else 1))
    drawn = (outcome_chances(asked.behind(each, one).tolist(), epsilon / (2.0 * most)) for each in thinned)
    return float(np.mean([chances @ errors for chances in drawn]))


def _count_chances(asked: Count, counts: Ints, heard: Floats, epsilon: float) -> Floats:
    """Return the chance of each range for a count of those who are heard, with discrete Laplace noise, scaled up."""
    reach = math.ceil(TAIL / epsilon)
    law = math.tanh(epsilon / 2.0) * np.exp(-epsilon * np.abs(np.arange(-reach, reach + 1)))
    first = -reach  # the number that the first entry of the law stands for
    for n, share in zip(counts[:, asked.option].tolist(), heard.tolist(), strict=True):
        wide = math.ceil(math.sqrt(2.0 * TAIL * n * share * (1.0 - share)) + TAIL) if 0.0 < share < 1.0 else 0
        low, high = max(0, math.floor(n * share) - wide), min(n, math.ceil(n * share) + wide)
        law = fftconvolve(law, binom.pmf(np.arange(low, high + 1), n, share))
        first += low
    scale_up = float(counts.sum()) / float(heard @ counts.sum(axis=1))
    least = np.ceil((np.array(asked.starts[1:]) - 0.5) / scale_up - 1e-9).astype(np.int64)  # rounded to whole people
    above = np.concatenate([np.cumsum(law[::-1])[::-1], [0.0]])
    found: Floats = -np.diff(np.concatenate([[1.0], above[np.clip(least - first, 0, len(law))], [0.0]]))
    return found

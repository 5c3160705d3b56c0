"""Medians and counts of tables, beside what one would do otherwise with OpenDP's mechanisms.

Everybody has an epsilon: 0.1, 1 or 2 at random. *least*: everybody at the least epsilon. *threshold*: people below
some epsilon are left out, all others count at that epsilon, and a count is scaled up. *sampling*: somebody with epsilon
e < t is heard with chance (e^e - 1) / (e^t - 1), all others certainly, with t for all (Jorgensen, Yu and Cormode
2015); a count is scaled up. For both, t is the middle and the greatest epsilon; the better one is shown. A count has
OpenDP's discrete Laplace noise, and a median OpenDP's noisy maximum over the negative differences in rank.

Shown is the average error over DRAWS draws from the table as it is: of a count in people, of a median in options. The
tables: votes of the US House of 1984 and the ballots of Minneapolis 2013, if the folder that NEODP_BENCH_DATA names has
them, and a million people on a scale from 1 to 5. *Seconds* are of processor time: the
mechanisms' choice and one answer. One table says little of threshold and sampling, whose luck is who is left out.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.process import processor_time
from bench.report import seconds, show, table
from neodp.data.validation import Floats
from neodp.polls import Group, Prior
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.figures import outcome_preview
from neodp.polls.outcomes.parsing import outcome_queries
from neodp.polls.outcomes.query import How, Ints, OutcomeQuery

__all__ = ["run"]

LEVELS = (0.1, 1.0, 2.0)
DRAWS = 200


class Case(NamedTuple):
    """A table of counts by level and option, and a query about it."""

    name: str
    query: str
    options: tuple[str, ...]
    counts: Ints
    ranges: str | None = None


def run(quick: bool) -> None:
    """Measure and print: under a minute of processor time."""
    rows = [_row(case) for case in _cases(quick)]
    header = ("table", "query", "people", "balanced", "weighted", "least", "threshold", "sampling", "s", "best is ours")
    met = sum(row[-1] == "met" for row in rows)
    show("Average error of medians (options) and counts (people)", table(header, rows), f"{met} of {len(rows)} met.")


def _cases(quick: bool) -> Iterator[Case]:
    rng = np.random.default_rng(1)
    size = 33_333 if quick else 333_333
    scale = np.stack([rng.multinomial(size, [0.1, 0.2, 0.21, 0.28, 0.21]) for _ in LEVELS])
    yield Case("a scale", "median", tuple("12345"), scale)
    yield Case("a scale", "count:4", tuple("12345"), scale, "100")
    folder = Path(os.environ.get("NEODP_BENCH_DATA", "/none"))
    house = folder / "house-votes-84" / "house-votes-84.data"
    if house.is_file():
        votes = [line.split(",")[1:] for line in house.read_text().split()]
        numbers = [sum(vote == "y" for vote in row) for row in votes]
        yield Case("House 1984", "median", tuple(map(str, range(17))), _counted(numbers, 17))
        yield Case("House 1984", "count:y", ("y", "n", "?"), _counted(["yn?".index(row[3]) for row in votes], 3))
    ballots = folder / "minneapolis-2013" / "cast_vote_record.csv.gz"
    if ballots.is_file():
        with gzip.open(ballots, "rt") as file:
            first = [row["rank1"] for row in csv.DictReader(file)]
        chosen = [0 if name == "BETSY HODGES" else 1 for name in first]
        yield Case("Minneapolis 2013", "count:Hodges", ("Hodges", "others"), _counted(chosen, 2), "10")


def _counted(votes: list[int], options: int) -> Ints:
    """Count votes by level; people have the levels at random, with a fixed seed."""
    found = np.zeros((len(LEVELS), options), np.int64)
    np.add.at(found, (np.random.default_rng(1).integers(0, len(LEVELS), len(votes)), np.array(votes)), 1)
    return found


def _row(case: Case) -> tuple[str, ...]:
    people = int(case.counts.sum())
    groups = [Group(e, int(n)) for e, n in zip(LEVELS, case.counts.sum(axis=1), strict=True)]
    (asked,) = outcome_queries(case.query, case.options, people, ranges=case.ranges).values()

    def once() -> list[How]:
        both = outcome_preview(asked, groups, Prior())
        asked.draw(case.counts, both.balanced.how)
        return [both.balanced.how, both.weighted.how]

    spent, hows = processor_time(once)
    ours = [_expected(asked, case.counts, how) for how in hows]
    others = _rivals(asked, case.counts)
    verdict = "met" if min(ours) <= min(others) * 1.05 + 0.01 else "missed"
    figures = [f"{error:.3f}" for error in (*ours, *others)]
    return case.name, case.query, f"{people:,}", *figures, seconds(spent), verdict


def _expected(asked: OutcomeQuery, counts: Ints, how: How) -> float:
    return float(asked.chances(counts, how) @ asked.error(counts))


def _rivals(asked: OutcomeQuery, counts: Ints) -> list[float]:
    """Return the average errors of the three rivals."""
    rng = np.random.default_rng(2)
    everybody = np.ones(len(LEVELS))
    found = [_error(asked, counts, lambda: counts, everybody, LEVELS[0])]
    for sampled in (False, True):
        tried = []
        for t in LEVELS[1:]:
            part = [1.0 if e >= t else math.expm1(e) / math.expm1(t) * sampled for e in LEVELS]
            heard = np.array(part)
            tried.append(_error(asked, counts, partial(_thinned, rng, counts, heard), heard, t))
        found.append(min(tried))
    return found


def _thinned(rng: np.random.Generator, counts: Ints, heard: Floats) -> Ints:
    """Return the table of those who are heard, each with the chance of their level."""
    return np.asarray(rng.binomial(counts, heard[:, None]), np.int64)


def _error(asked: OutcomeQuery, counts: Ints, drawn: Callable[[], Ints], heard: Floats, epsilon: float) -> float:
    """Return the average error of OpenDP's mechanism on the people who are heard."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    scale_up = float(counts.sum()) / float(heard @ counts.sum(axis=1))
    errors = asked.error(counts)
    if isinstance(asked, Count):
        noise = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=1.0 / epsilon)
        off = []
        for _ in range(DRAWS):
            estimate = noise(int(drawn()[:, asked.option].sum())) * scale_up
            place = int(np.searchsorted(asked.starts, min(max(estimate, 0.0), asked.people), side="right")) - 1
            off.append(float(errors[place]))
        return float(np.mean(off))
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    best = dp.m.make_noisy_max(domain, metric, dp.max_divergence(), scale=2.0 / epsilon)
    one = np.ones(len(LEVELS), np.int64)
    return float(np.mean([errors[best((-asked.behind(drawn(), one)).tolist())] for _ in range(DRAWS)]))

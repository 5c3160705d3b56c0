"""The accuracy of polls, compared with other methods and with the best that privacy allows.

*Compared with others.* For seven populations, the expected accuracy of both polls of neodp under the even prior, that
of the rivals of :mod:`bench.poll_rivals`, and the optimum over all private mechanisms (:mod:`bench.poll_optimum`). The
aim is that weighted is within .002 of the optimum, not below any rival, and not below balanced.

*Compared with the optimum.* The same for populations with so many tables that weighted does not solve the linear
program over the tables, up to what HiGHS can solve here in a minute. The aim is .002 for yes or no, .005 for plurality,
and never to be below balanced. A normal run has the hardest populations. ``python -m bench poll --sweep 1/12`` has a
twelfth of all: a systematic list with all combinations of some sizes, epsilons and thresholds, and random ones. All
twelve parts take about half an hour.

How
---
Expected accuracies are exact sums over all tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bench import poll_optimum
from bench.poll_picture import neodps
from bench.poll_rivals import rivals
from bench.process import processor_time
from bench.report import seconds, show, table
from neodp.polls import Group, Plurality, Threshold, poll
from neodp.polls.choosing import weighted
from neodp.polls.expected import balanced_accuracy, sampled_accuracy
from neodp.polls.prior import Prior
from neodp.polls.samples import sample

__all__ = ["Case", "judged", "plain", "populations", "run", "sweep"]

AIMS = {"yes/no": 0.002, "plurality": 0.005}
BESIDE = (
    [(10, 0.1), (10, 1.0), (11, 2.0)],
    [(15, 0.3), (15, 1.0), (15, 2.0)],
    [(20, 0.1), (30, 0.5), (10, 1.0)],
    [(5, 0.1), (10, 0.3), (6, 3.0)],
    [(2, 0.1), (19, 2.0)],
    [(1, 0.001), (4, 2.0)],
    [(21, 1.0)],
)
"""Populations: how many people have which epsilon."""
SWEEP = {"yes/no": (8_000, 16_000), "plurality": (1_500, 5_000)}
"""The smallest and the largest number of tables of the populations in the sweep."""
RANDOM = 12
"""The number of random populations of each kind."""


class Case(NamedTuple):
    """A population with a question."""

    people: tuple[tuple[int, float], ...]
    query: str
    options: int = 2
    prior: str = "even"


HARDEST = {
    "yes/no": (
        Case(((20, 0.1), (20, 0.447), (20, 2.0)), "majority"),
        Case(((90, 0.1), (90, 2.0)), "majority"),
    ),
    "plurality": (
        Case(((1, 0.1), (4, 2.0)), "plurality", 3),
        Case(((3, 0.1), (3, 1.0), (3, 2.0)), "plurality", 3),
        Case(((4, 0.5), (4, 2.0)), "plurality", 3),
        Case(((5, 1.0),), "plurality", 3),
        Case(((27, 0.2),), "plurality", 4),
        Case(((2, 0.22), (7, 1.14), (4, 1.42)), "plurality", 3),
        Case(((5, 0.1), (5, 1.0)), "plurality", 4),
    ),
}
"""The populations of the sweep furthest from the optimum; for plurality also small ones, which reach it."""


def run(quick: bool) -> None:
    """Measure and print the comparison with others, and the hardest populations."""
    _beside()
    for kind, cases in HARDEST.items():
        _beside_optimum(kind, cases[-1:] if quick else cases)


def sweep(part: int, parts: int) -> None:
    """Measure and print one of several parts of the sweep."""
    for kind, limits in SWEEP.items():
        cases = tuple(populations(kind, RANDOM, *limits))[part - 1 :: parts]
        if cases:
            _beside_optimum(kind, cases)


def plain(people: tuple[tuple[int, float], ...]) -> str:
    """Return a text that tells how many people have which epsilon."""
    return ", ".join(f"{size}x{epsilon:g}" for size, epsilon in people)


def _beside() -> None:
    rows, names = [], []
    for people in BESIDE:
        groups = tuple(Group(e, n) for n, e in people)
        asked = poll(groups)
        assert isinstance(asked, Threshold)
        ours, others = neodps(groups), rivals(asked, Prior())
        best = poll_optimum.threshold(people, asked.needed)
        reached = ours[1].expected
        short = best - reached > AIMS["yes/no"] or reached < max(each.expected for each in (*ours, *others)) - 1e-6
        names = [each.name for each in (*ours, *others)]
        figures = [f"{each.expected:.4f}" for each in (*ours, *others)]
        rows.append([plain(tuple(people)), *figures, f"{best:.4f}", "missed" if short else "met"])
    header = ("people x epsilon", *names, "optimum", "within .002, below none")
    show("Expected accuracy of a majority, even prior", table(header, rows))


# --- the sweep --------------------------------------------------------------------------------------------------------


def populations(kind: str, random: int, fewest: int, most: int) -> Iterator[Case]:
    """Yield populations with a number of tables between two limits: a systematic list, and `random` random ones."""
    rng = np.random.default_rng(14)
    if kind == "yes/no":
        for low, high in ((0.05, 1.0), (0.1, 2.0), (0.5, 3.0)):
            for sizes, epsilons in (
                ((20, 20, 20), (low, math.sqrt(low * high), high)),
                ((10, 10, 10, 8), (low, (2 * low + high) / 3, (low + 2 * high) / 3, high)),
                ((90, 90), (low, high)),
                ((4, 4, 4, 4, 4), tuple(np.geomspace(low, high, 5).round(3).tolist())),
                ((50, 12, 12), (low, math.sqrt(low * high), high)),
            ):
                for query in ("majority", "threshold:2/3"):
                    people = tuple((n, round(e, 3)) for n, e in zip(sizes, epsilons, strict=True))
                    if fewest < poll_optimum.tables(people) <= most:
                        yield Case(people, query)
    else:
        for low, high in ((0.1, 1.0), (0.3, 3.0)):
            for sizes, options in (((8, 8), 3), ((4, 4, 3), 3), ((20, 3), 3), ((3, 20), 3), ((5, 5), 4), ((14, 1), 4)):
                epsilons = (low, high) if len(sizes) == 2 else (low, math.sqrt(low * high), high)
                people = tuple((n, round(e, 3)) for n, e in zip(sizes, epsilons, strict=True))
                if fewest < poll_optimum.tables(people, options) <= most:
                    yield Case(people, "plurality", options)
    found = 0
    while found < random:
        options = 2 if kind == "yes/no" else int(rng.integers(3, 5))
        groups = int(rng.integers(1, 6 if kind == "yes/no" else 5))
        levels = sorted(set(np.exp(rng.uniform(math.log(0.02), math.log(4.0), groups)).round(2).tolist()))
        many = np.exp(rng.uniform(0.0, math.log(200.0 if kind == "yes/no" else 40.0), len(levels))).round().tolist()
        people = tuple((int(n), e) for n, e in zip(many, levels, strict=True))
        if not fewest < poll_optimum.tables(people, options) <= most:
            continue
        query, prior = "plurality", "even"
        if kind == "yes/no":
            query = str(rng.choice(["majority", "threshold:2/3", "threshold:0.55", "threshold:0.4"]))
            prior = str(rng.choice(["even", "even", "share:0.6", "share:0.35"]))
        found += 1
        yield Case(people, query, options, prior)


class Judged(NamedTuple):
    """The accuracy of a population's polls, the optimum, and the times of weighted and of the optimum."""

    case: Case
    balanced: float
    weighted: float
    optimum: float
    how: str
    spent: float
    program: float

    @property
    def gap(self) -> float:
        return self.optimum - self.weighted

    @property
    def below(self) -> bool:
        return self.weighted < self.balanced - 1e-6


def judged(case: Case) -> Judged:
    """Compute the expected accuracy of both polls, by sums over all tables, and the optimum."""
    groups, options = [Group(e, n) for n, e in case.people], "abcdefgh"[: case.options]
    prior = Prior.parse(case.prior)
    asked = poll(groups, case.query, options)
    spent, found = processor_time(lambda: weighted(groups, case.query, options, prior))
    how = str(getattr(found, "kind", getattr(found, "weights", "balanced")))
    if isinstance(asked, Plurality):
        known = sample(asked, prior)
        even, reached = (sampled_accuracy(each, known).value for each in (asked, found))
        program, best = processor_time(lambda: poll_optimum.plurality(case.people, case.options))
    else:
        assert isinstance(asked, Threshold)
        even = balanced_accuracy(asked, prior).value
        reached = float(getattr(found, "expected", even))
        program, best = processor_time(lambda: poll_optimum.threshold(case.people, asked.needed, prior.share))
    return Judged(case, even, reached, best, how, spent, program)


def _beside_optimum(kind: str, cases: Sequence[Case]) -> None:
    done = [judged(case) for case in cases]
    aim = AIMS[kind]
    rows = [
        [
            plain(each.case.people),
            each.case.query + (f" of {each.case.options}" if kind == "plurality" else ""),
            each.case.prior,
            f"{poll_optimum.tables(each.case.people, each.case.options):,}",
            f"{each.balanced:.4f}",
            f"{each.weighted:.4f}",
            f"{each.optimum:.4f}",
            f"{each.gap:.4f}",
            seconds(each.spent),
            seconds(each.program),
            "met" if each.gap <= aim and not each.below else "missed",
        ]
        for each in done
    ]
    header = ("people x epsilon", "query", "prior", "tables", "balanced", "weighted", "optimum", "gap", "s", "LP s")
    met = sum(row[-1] == "met" for row in rows)
    show(
        f"Expected accuracy beside the optimum over all tables: {kind}",
        table((*header, f"within {aim:g}, not below balanced"), rows),
        f"{met} of {len(done)} met; the greatest gap is {max(each.gap for each in done):.4f}.",
    )

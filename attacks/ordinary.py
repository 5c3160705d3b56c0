"""Ordinary use: public functions over sizes and magnitudes, and with arguments of other types.

*Sizes*: polls, dataset graphs and compositions of every size, with epsilons from 0.01 to 20, levels, priors, queries
and options drawn at random. All figures must be finite and consistent, chances must add up, nothing may warn, and no
exception but a NeodpError may come out. Programs that take long must have been given up by their own limit of work.

*Types*: one valid call for each public function and method (:mod:`attacks.arguments`, :mod:`attacks.methods`); then the
same call with one argument replaced by something else. It may work, or end with a NeodpError.

*Texts*: one valid line for each command (:mod:`attacks.lines`); then the same line with one argument or option replaced
by an odd text. It may work, or end with one sentence and an exit code of the contract.

``python -m attacks.ordinary --minutes 10 --seed 1`` runs types and texts once, then sizes for as long as there is time,
and prints what failed; ``--only sizes`` runs one part alone. The tests run a slice.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import neodp
from attacks.arguments import CALLS, replaced
from attacks.lines import odd_lines, prepare, run_line
from attacks.methods import methods
from neodp import generate
from neodp.errors import LargeEpsilon, NeodpError
from neodp.ledger.composition import Loss, compose
from neodp.polls import Group, Plurality, Poll, Threshold, violations
from neodp.polls.comparison import preview
from neodp.polls.secret import secret_poll

__all__ = ["SIZES", "main", "tried"]

EPSILONS = (0.01, 0.05, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 20.0)
PRIORS = ("even", "share:0.6", "share:0.9", "share:0.01", "beta:1,1", "beta:2,3", "beta:0.01,5", "beta:1e-9,1e9")
QUERIES = ("majority", "threshold:2/3", "threshold:0.1", "threshold:1", "threshold:0", "plurality")
FAMILIES: dict[str, Callable[[int, float], Any]] = {
    "path": lambda n, e: generate.path(n, epsilon=e),
    "hypercube": lambda n, e: generate.hypercube(1 + n % 8, epsilon=e),
    "counts": lambda n, e: generate.counts([1 + n % 20, 1 + n % 7], epsilon=[e, 2 * e]),
}


def people(rng: random.Random, most: int) -> list[Group]:
    """Return some groups: every size to 300 is as likely as all sizes above together."""
    n = rng.randint(1, 300) if rng.random() < 0.5 or most <= 300 else round(math.exp(rng.uniform(5.7, math.log(most))))
    levels = rng.sample(EPSILONS, min(n, rng.choice([1, 1, 2, 3, 5, 8])))
    ends = sorted(rng.sample(range(1, n), len(levels) - 1))
    return [Group(e, b - a) for e, (a, b) in zip(levels, itertools.pairwise([0, *ends, n]), strict=True)]


def one_poll(rng: random.Random, most: int = 10**6) -> None:
    """Compare both mechanisms for some people, and check a table."""
    groups, query, prior = people(rng, most), rng.choice(QUERIES), rng.choice(PRIORS)
    options: tuple[str, ...] = ("yes", "no")
    if query == "plurality" and rng.random() < 0.5:
        options, prior = tuple("abcde"[: rng.randint(3, 5)]), "even"
    both = preview(groups, query, options, prior)
    for facts in (both.balanced, both.weighted):
        for figure in (facts.expected, facts.worst, facts.adversarial):
            _chance(figure)
        _table(facts.poll, rng)
    assert both.weighted.expected >= both.balanced.expected - 1e-6
    if not both.balanced.poll.largest_margin:
        return
    secret = secret_poll(query, options, cap=rng.choice([0.1, 2.0, 10.0]))
    _chance(secret.expected(groups, prior))


def _table(poll: Poll, rng: random.Random) -> None:
    """Check the mechanism at one table: chances add up, and no inequality is violated."""
    rows = [np.diff([0, *sorted(rng.choices(range(g.size + 1), k=len(poll.options) - 1)), g.size]) for g in poll.groups]
    counts = np.array(rows, np.int64)
    row = poll.distribution(counts)
    assert abs(sum(row) - 1.0) < 1e-12
    assert isinstance(poll, Threshold | Plurality)
    if poll.people <= 2_000:
        assert violations(poll, counts, groups=[0]) == []


def one_graph(rng: random.Random, most: int = 300) -> None:
    """Extend a graph with balanced alpha, audit it, and show it as a table."""
    graph = FAMILIES[rng.choice(list(FAMILIES))](rng.randint(2, most), rng.choice(EPSILONS))
    mechanism = neodp.extend(graph.with_alpha(neodp.balanced(graph)))
    assert neodp.audit(graph, mechanism)
    assert ((mechanism.p_true >= 0.5) & (mechanism.p_true <= 1.0)).all()


def one_total(rng: random.Random, most: int = 200) -> None:
    """Compose some losses: never more than their sum."""
    losses = [Loss(rng.choice(EPSILONS)) for _ in range(rng.randint(1, min(most, 50)))]
    total = compose(losses, rng.choice([0.0, 1e-9, 1e-3]))
    assert 0.0 <= total.epsilon <= sum(loss.epsilon for loss in losses) * (1 + 1e-9)


def _chance(value: float) -> None:
    assert math.isfinite(value), value
    assert 0.0 <= value <= 1.0, value


SIZES: dict[str, Callable[[random.Random, int], None]] = {"poll": one_poll, "graph": one_graph, "total": one_total}
"""Tries over sizes."""


def tried(call: Callable[[], Any]) -> str:
    """Return what went wrong in a call; nothing if it worked, or ended with a NeodpError."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LargeEpsilon)  # which is meant
        try:
            call()
        except NeodpError:
            return ""
        except Exception as problem:
            place = traceback.extract_tb(problem.__traceback__)[-1]
            return f"{type(problem).__name__}: {problem} ({place.name}, line {place.lineno})"
    return ""


def types() -> Iterator[str]:
    """Yield what failed of the calls with one argument of another kind, and print how many there were."""
    number = failures = 0
    for name, argument, value, call in replaced(CALLS | methods()):
        number += 1
        if said := tried(call):
            failures += 1
            yield f"{name}({argument}={value!r}): {said}"
    print(f"{number:,} calls with an argument of another kind; {failures} failed", flush=True)


def texts(folder: Path, every: int = 1) -> Iterator[str]:
    """Yield what failed of the lines with an odd text, or of one in so many, and print how many there were."""
    prepare(folder)
    number = failures = 0
    for words in odd_lines(step=every):
        number += 1
        if said := tried(lambda words=words: run_line(words, folder)):  # type: ignore[misc]
            failures += 1
            yield f"{words}: {said}"
    print(f"{number:,} command lines with an odd text; {failures} failed", flush=True)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="try one in so many of the lines with odd texts")
    parser.add_argument("--only", choices=["types", "texts", "sizes"], help="one part alone")
    given = parser.parse_args()
    parts = [given.only] if given.only else ["types", "texts", "sizes"]
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="neodp-attack-") as folder:
        os.chdir(folder)  # where files are made whose names are odd
        try:
            failed = list(types()) if "types" in parts else []
            failed += texts(Path(folder), given.every) if "texts" in parts else []
        finally:
            os.chdir(here)
    wrong = len(failed)
    end, number = time.monotonic() + 60.0 * given.minutes, 0
    while "sizes" in parts and time.monotonic() < end:
        for kind, act in SIZES.items():
            seed = f"{given.seed} {kind} {number}"
            if said := tried(lambda act=act, seed=seed: act(random.Random(seed))):  # type: ignore[misc]
                failed.append(f"{seed}: {said}")
        number += 1
    print("\n".join(failed))
    print(f"{number} tries of each of {', '.join(SIZES)}; {len(failed) - wrong} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

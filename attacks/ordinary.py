"""Ordinary use: public functions over sizes and magnitudes, and with arguments of other types.

*Sizes*: polls, dataset graphs and compositions of every size, with epsilons from 0.01 to 20, levels, priors, queries
and options drawn at random. All figures must be finite and consistent, chances must add up, nothing may warn, and no
exception but a NeodpError may come out. Programs that take long must have been given up by their own limit of work.

*Types*: one valid call for each function; then the same call with one argument replaced by something else. It may work,
or end with a NeodpError.

``python -m attacks.ordinary --minutes 10 --seed 1`` runs both for as long as there is time, and prints what failed; the
tests run a slice.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import neodp
from neodp import generate
from neodp.errors import LargeEpsilon, NeodpError
from neodp.ledger.composition import Loss, compose
from neodp.polls import Group, Plurality, Poll, Threshold, violations
from neodp.polls import poll as balanced_poll
from neodp.polls.comparison import preview
from neodp.polls.secret import secret_poll

__all__ = ["CALLS", "SIZES", "WRONG", "main", "replaced", "tried"]

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

TABLE = {"v": ["yes", "no", "yes"], "w": ["a", "b", "a"], "e": [1.0, 0.5, 2.0]}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "neodp.poll": (
        neodp.poll,
        {"table": TABLE, "vote": "v", "epsilon": 1.0, "levels": "low=1", "query": "majority", "options": "yes,no",
         "mechanism": "balanced", "prior": "even", "by": "w", "by_values": "a,b", "by_other": None, "id": None,
         "missing": "?", "skip_empty": False, "exact": False, "mapping": None, "other": None, "name": "p",
         "reading": None},
    ),
    "neodp.poll secret": (
        neodp.poll,
        {"table": TABLE, "vote": "v", "epsilon": "e", "secret_levels": True, "cap": 2.0, "share": 0.5,
         "expect": "10 people, epsilons 1"},
    ),
    "neodp.polls.poll": (
        balanced_poll, {"groups": [Group(1.0, 3)], "query": "majority", "options": ("yes", "no")},
    ),
    "neodp.polls.comparison.preview": (
        preview, {"groups": [Group(1.0, 3)], "query": "majority", "options": ("yes", "no"), "prior": "even"},
    ),
    "neodp.polls.secret.secret_poll": (
        secret_poll, {"query": "majority", "options": ("yes", "no"), "cap": 2.0, "share": 1},
    ),
}  # fmt: skip
"""One valid call of each function."""
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.5, math.nan, math.inf, 10**400, "", "x", "x,y", "=", b"x", [], [1], ["x"], [None], (), {},
    {"x": 1}, {1: "x"}, object(), np.array([1.0]), len,
)  # fmt: skip
"""The values that take the place of an argument."""


def replaced(names: tuple[str, ...] = tuple(CALLS)) -> Iterator[tuple[str, str, Any, Callable[[], Any]]]:
    """Yield every valid call with one argument replaced: the function, the argument, its value, and the call."""
    for name in names:
        function, arguments = CALLS[name]
        for argument in arguments:
            for value in WRONG:
                changed = arguments | {argument: value}
                yield name, argument, value, partial(_called, function, changed)


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function; what it returns is shown, since a survey computes its figures only then."""
    return repr(function(**arguments))


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


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = [f"{name}({argument}={value!r}): {said}" for name, argument, value, c in replaced() if (said := tried(c))]
    end, number = time.monotonic() + 60.0 * given.minutes, 0
    while time.monotonic() < end:
        for kind, act in SIZES.items():
            seed = f"{given.seed} {kind} {number}"
            if said := tried(lambda act=act, seed=seed: act(random.Random(seed))):  # type: ignore[misc]
                failed.append(f"{seed}: {said}")
        number += 1
    print("\n".join(failed))
    print(f"{number} tries of each of {', '.join(SIZES)}; {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

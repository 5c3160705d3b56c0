"""Faults that are planted, to see that an audit finds them."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from attacks.audits import subjects
from attacks.audits.subjects import Finding, Subject, coin, examined
from neodp.store import Store

__all__ = ["FAULTS", "planted"]

EPSILON = 2.0
"""The epsilon of the audited edges. A small epsilon takes many draws to tell from another, and so does a large one."""


def understated(store: Store, n: int) -> Finding:
    """Use the mechanism of an epsilon that is greater by 5 %."""
    return examined(_stored(store, "greater", 1.05 * EPSILON), n)


def one_number(store: Store, n: int) -> Finding:
    """Draw every answer with the same random number."""
    subject = _stored(store, "coin", EPSILON)
    with _numbers(lambda bits: random.Random(1).getrandbits(bits)):
        return examined(subject, n)


def one_seed(store: Store, n: int) -> Finding:
    """Draw the answers about each dataset from the same seed, as forked processes may."""
    subject = _stored(store, "coin", EPSILON)

    def draw(dataset: str, count: int) -> subjects.Draws:
        with _numbers(random.Random(1).getrandbits):
            return subject.draw(dataset, count)

    return examined(replace(subject, draw=draw), n)


def stale(store: Store, n: int) -> Finding:
    """Answer one of two neighbours by the mechanism of the graph as it was when its epsilon was 2.3."""
    now, before = _stored(store, "coin", EPSILON), _stored(store, "before", 1.15 * EPSILON)
    old = now.datasets[0]
    return examined(replace(now, draw=lambda key, count: (before if key == old else now).draw(key, count)), n)


FAULTS: dict[str, tuple[Callable[[Store, int], Finding], str]] = {
    "epsilon understated by 5 %": (understated, "not private"),
    "the same random number for all": (one_number, "not as declared"),
    "the same seed for both neighbours": (one_seed, "not independent"),
    "a neighbour by the mechanism of a graph that has changed": (stale, "not as declared"),
}
"""The faults, each with the words that an audit must say."""


def planted(store: Store, n: int) -> Iterator[tuple[str, Finding, bool]]:
    """Return each fault, the finding of the audit with n draws at each dataset, and whether it is the fault."""
    for name, (fault, words) in FAULTS.items():
        found = fault(store, n)
        yield name, found, any(text.startswith(words) for text in found.faults)


def _stored(store: Store, name: str, epsilon: float) -> Subject:
    """Return answers about a stored coin of an epsilon, of which EPSILON is promised."""
    store.load(name, coin(epsilon), replace=True)
    return subjects.stored(store, name, coin(EPSILON))


@contextmanager
def _numbers(numbers: Callable[[int], int]) -> Iterator[None]:
    """Have answers drawn with these numbers instead of the operating system's."""
    with mock.patch.object(secrets, "randbits", numbers):
        yield

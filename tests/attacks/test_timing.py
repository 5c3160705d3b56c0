"""The work of an answer, counted: no call more for a dataset than for another. Nothing here looks at a clock."""

from __future__ import annotations

import numpy as np
import pytest

from attacks.audits import timing
from neodp.store import Store


def test_constant_work_is_the_same_calls_for_datasets_far_apart(store: Store) -> None:
    with timing.answers(store, 12) as work:
        boundary, corner = (timing.count(ask) for ask in work.values())
    assert sum(boundary.values()) > 200
    assert boundary == corner


def test_a_search_is_not_of_constant_work(store: Store) -> None:
    """So that the test above can fail."""
    with timing.answers(store, 12):
        keys = ("0-0", "5-5")
        one, other = (timing.count(lambda key=key: store.evaluate("grid", [key], engine="ball")) for key in keys)  # type: ignore[misc]
    assert one != other


@pytest.mark.parametrize("mechanism", ["balanced", "weighted"])
@pytest.mark.parametrize("options", ["yes,no", "a,b,c"])
def test_a_poll_makes_the_same_calls_whoever_leads(options: str, mechanism: str) -> None:
    """Also where all people of a level gave the same answer."""
    close, clear = (timing.count(ask) for ask in timing.polls(40, options, mechanism).values())
    assert sum(close.values()) > 200
    assert close == clear


def test_a_shift_is_noticed_as_often_as_is_said() -> None:
    """Times that a generator makes up: without a shift the test is quiet, with the stated one it is not."""
    rng = np.random.default_rng(3)
    quiet = noticed = 0
    for _ in range(20):
        one, other = rng.gamma(9.0, 1.0, (2, 200))
        quiet += timing._chance(one, other, rng, 2_000) > timing.LEVEL
        shift = timing._noticed(one, other, rng)
        one, other = rng.gamma(9.0, 1.0, (2, 200))
        noticed += timing._chance(one, other + shift, rng, 2_000) <= timing.LEVEL
    assert quiet == 20
    assert noticed >= 16

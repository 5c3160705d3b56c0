"""A bounded slice of ordinary use: sizes, and arguments of other types. ``python -m attacks.ordinary`` does more."""

import random

import pytest

from attacks.ordinary import CALLS, SIZES, replaced, tried

TRIES = {"poll": 12, "graph": 20, "total": 40}


@pytest.mark.parametrize("kind", SIZES)
def test_sizes(kind: str) -> None:
    for number in range(TRIES[kind]):
        assert tried(lambda number=number: SIZES[kind](random.Random(f"slice {kind} {number}"), 300)) == ""  # type: ignore[misc]


@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_other_types(name: str) -> None:
    failed = [(argument, value, said) for _, argument, value, call in replaced((name,)) if (said := tried(call))]
    assert failed == []


def test_a_failure_is_told() -> None:
    assert tried(lambda: 1 / 0).startswith("ZeroDivisionError")

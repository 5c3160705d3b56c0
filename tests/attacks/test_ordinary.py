"""A bounded slice of ordinary use: sizes, and arguments of other types. ``python -m attacks.ordinary`` does more."""

import inspect
import random

import pytest

import neodp
from attacks.arguments import CALLS, WRONG, replaced
from attacks.ordinary import SIZES, tried

TRIES = {"poll": 12, "graph": 20, "total": 40}


@pytest.mark.parametrize("kind", SIZES)
def test_sizes(kind: str) -> None:
    for number in range(TRIES[kind]):
        assert tried(lambda number=number: SIZES[kind](random.Random(f"slice {kind} {number}"), 300)) == ""  # type: ignore[misc]


@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_other_types(name: str) -> None:
    """A few of the values that ``attacks.ordinary`` tries, for every argument of every public function."""
    _called = [(argument, value, call) for _, argument, value, call in replaced((name,)) if _is_tried(value)]
    assert [(argument, value, said) for argument, value, call in _called if (said := tried(call))] == []


def _is_tried(value: object) -> bool:
    return any(value is each for each in (None, *WRONG[8:12], *WRONG[-6:]))


def test_every_public_function_is_called() -> None:
    """Those that ``import neodp`` offers, and those of its modules that take a graph."""
    known = {name.partition(",")[0].partition(".")[0] for name in CALLS}
    functions = {name for name in vars(neodp)["__all__"] if inspect.isfunction(getattr(neodp, name))}
    assert functions - known == {"ask"}  # a question of which is parsed, tests/asking/test_grammar.py


def test_a_failure_is_told() -> None:
    assert tried(lambda: 1 / 0).startswith("ZeroDivisionError")

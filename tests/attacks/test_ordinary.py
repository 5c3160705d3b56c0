"""A bounded slice of ordinary use: sizes, other types, odd texts. ``python -m attacks.ordinary`` does more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from attacks import fuzz
from attacks.arguments import CALLS, WRONG, replaced
from attacks.lines import LINES, commands, odd_lines, prepare, run_line
from attacks.methods import UNCALLED, methods, public
from attacks.ordinary import SIZES, tried
from neodp.errors import NeodpError

TRIES = {"poll": 12, "graph": 20, "total": 40}
SOME = (None, *WRONG[8:12], *WRONG[-6:])
"""A few of the values that take the place of an argument."""
SLOW = {
    "bridges.measurement",
    *("plot.plot", "plot.plot_comparison", "plot.plot_lines", "plot.plot_poll", "plot.plot_question"),
}
"""Calls that draw a picture, or load much: one value must do."""


@pytest.mark.parametrize("kind", SIZES)
def test_sizes(kind: str) -> None:
    for number in range(TRIES[kind]):
        assert tried(lambda number=number: SIZES[kind](random.Random(f"slice {kind} {number}"), 300)) == ""  # type: ignore[misc]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files whose names are odd."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", CALLS)
def test_functions_with_arguments_of_other_types(name: str) -> None:
    _require({name: CALLS[name]}, SOME)


@pytest.mark.usefixtures("here")
def test_methods_with_arguments_of_other_types() -> None:
    """First as they are: a call that is refused anyway would try nothing."""
    calls = {name: call for name, call in methods().items() if name not in SLOW}
    secret = {"SecretSurvey.propose", "SecretSurvey.with_mechanism"}  # which would tell of the people
    gone = {"Store.drop", "Store.unprotect", "ProfileStore.drop"}  # of things that are not there
    assert {name for name, (call, given) in calls.items() if _fails(call, given)} == secret | gone
    _require(calls, SOME[::3])
    _require({name: methods()[name] for name in SLOW}, SOME[-1:])


def _require(calls: object, values: tuple[object, ...]) -> None:
    tries = replaced(calls, values)  # type: ignore[arg-type]
    assert [f"{name}({argument}={value!r}): {said}" for name, argument, value, c in tries if (said := tried(c))] == []


def _fails(call: object, given: dict[str, object]) -> bool:
    try:
        call(**given)  # type: ignore[operator]
    except NeodpError:
        return True
    return False


def test_every_public_function_and_method_is_called() -> None:
    known = {name.partition(",")[0] for name in CALLS | methods()}
    assert public() - known == UNCALLED


def test_every_command_with_odd_texts(here: Path) -> None:
    """One in 97 of the lines; the longest commands as they are."""
    assert {" ".join(words) for words in commands()} == set(LINES)
    prepare(here)
    for words in odd_lines(step=97):
        if words[0] != "demo" and words[:2] != ["stretch", "recall"]:
            assert tried(lambda words=words: run_line(words, here)) == "", words  # type: ignore[misc]


def test_random_lines_have_options() -> None:
    """Commands are loaded when they are called: a list of commands that were not has no options to try."""
    lines = [fuzz.words(random.Random(number)) for number in range(200)]
    given = {word for line in lines for word in line if word.startswith("--")}
    assert len(given & {name for made in commands().values() for each in made.params for name in each.opts}) > 30


def test_a_failure_is_told() -> None:
    assert tried(lambda: 1 / 0).startswith("ZeroDivisionError")

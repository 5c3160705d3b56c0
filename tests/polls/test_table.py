"""From a table of people to groups and counts, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest

from neodp.errors import GraphError
from neodp.polls import Group, epsilons, tally


def place(row: int) -> str:
    return f"row {row}"


def test_a_table_becomes_groups_and_counts() -> None:
    votes = pa.array(["yes", "N", " no ", "TRUE", "0", "y", None, "maybe"])
    each = epsilons(pa.array(["low", "low", "1", "0.5", "low", "1.0", "low", "0"]), {"low": 2.0, "none": 0.0}, place)
    found = tally(votes, each, place, levels={"low": 2.0}, skip_empty=True)
    assert found.groups == (Group(0.5, 1), Group(1.0, 2), Group(2.0, 3, "low"))
    assert found.counts.tolist() == [[1, 0], [1, 1], [1, 2]]
    assert (found.skipped, found.silent) == (1, 1)


def test_numbers_and_booleans_are_votes() -> None:
    for votes in (pa.array([1, 0, 1]), pa.array([1.0, 0.0, 1.0]), pa.array([True, False, True])):
        assert tally(votes, np.ones(3), place).counts.tolist() == [[2, 1]]


def test_options_are_taken_as_they_are_named() -> None:
    found = tally(pa.array(["tea", "coffee", "tea"]), np.ones(3), place, options=["coffee", "tea"])
    assert found.counts.tolist() == [[1, 2]]
    unanimous = tally(pa.array(["tea"] * 3), np.ones(3), place, options=["coffee", "tea"])
    assert unanimous.counts.tolist() == [[0, 3]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-0.5", "row 1: epsilon is -0.5; give a number from 0 to 690"),
        ("nan", "row 1: epsilon is nan; give a number from 0 to 690"),
        ("inf", "row 1: epsilon is inf; give a number from 0 to 690"),
        ("1000", "row 1: epsilon is 1000.0; give a number from 0 to 690"),
        ("", "row 1: there is no epsilon; give a number, or the name of a level"),
        (None, "row 1: there is no epsilon; give a number, or the name of a level"),
        ("hihg", "row 1: epsilon is 'hihg'; did you mean 'high'?"),
        ("x", "row 1: epsilon is 'x'; the levels are low, high"),
    ],
)
def test_wrong_epsilons(value: str | None, message: str) -> None:
    with pytest.raises(GraphError) as raised:
        epsilons(pa.array(["low", value]), {"low": 2.0, "high": 0.3}, place)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        ("maybe", None, "row 1: the vote is 'maybe'; the options are yes, no; name others with --options"),
        ("yess", None, "row 1: the vote is 'yess'; did you mean 'yes'?"),
        ("Tea", ["tea", "coffee"], "row 1: the vote is 'Tea'; did you mean 'tea'?"),
        (" ", None, "row 1: there is no vote; give one, or leave such people out with --skip-empty"),
        (None, None, "row 1: there is no vote; give one, or leave such people out with --skip-empty"),
    ],
)
def test_wrong_votes(value: str | None, options: list[str] | None, message: str) -> None:
    with pytest.raises(GraphError) as raised:
        tally(pa.array([options[0] if options else "yes", value]), np.ones(2), place, options=options)
    assert str(raised.value) == message

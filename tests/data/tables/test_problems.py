"""All that is wrong is said at once, one line for each kind, and no more than a few places of each."""

import pytest

from neodp.data.tables import Problems
from neodp.errors import GraphError


def message(problems: Problems, hint: str = "") -> str:
    with pytest.raises(GraphError) as caught:
        problems.raise_if_any(hint)
    return str(caught.value)


def test_nothing_is_wrong() -> None:
    Problems(str).raise_if_any()


def test_one_problem_is_one_sentence() -> None:
    problems = Problems("a.csv, line {}".format)
    problems.add("vote", "missing", 3, hint="give it")
    assert message(problems, "not this") == "a.csv, line 3: vote is missing; give it"


def test_many_of_one_kind_are_counted() -> None:
    problems = Problems("a, b.csv, line {}".format)
    problems.add_rows("vote", "not an option", range(2, 1002), "cell {}".format)
    assert message(problems, "correct them") == (
        "a, b.csv: vote is not an option, 1,000 times: line 2 ('cell 2'), line 3 ('cell 3'), line 4 ('cell 4') "
        "and 997 more; correct them"
    )
    assert len(problems) == 1000


def test_several_kinds_and_tables() -> None:
    problems = Problems("a.csv, line {}".format)
    problems.add("vote", "missing", 2, hint="give it")
    problems.add("epsilon", "missing", 4, place="b.csv, row {}".format)
    problems.add("epsilon", "missing", 5)
    assert message(problems, "correct them").splitlines() == [
        "3 cells of a.csv and b.csv cannot be used:",
        "  a.csv: vote is missing: line 2; give it",
        "  b.csv: epsilon is missing, 2 times: row 4, row 5; correct them",
    ]


def test_places_that_are_in_no_table() -> None:
    problems = Problems("dataset {}".format)
    problems.add("alpha", "missing", 2)
    problems.add("alpha", "too small", 3, 1e-310)
    assert message(problems).splitlines() == [
        "2 cells cannot be used:",
        "  alpha is missing: dataset 2",
        "  alpha is too small: dataset 3 (1e-310)",
    ]


def test_long_cells_and_control_characters_do_not_reach_the_terminal() -> None:
    problems = Problems(str)
    problems.add("vote", "not an option", 2, "\x1b[2J" + "x" * 1000)
    text = message(problems)
    assert "\x1b" not in text
    assert len(text) < 100

"""From a table of people to groups and counts, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest

import neodp
from neodp.data.tables import Problems
from neodp.errors import GraphError
from neodp.polls import Cells, Group, epsilons, tally
from neodp.polls.cells import WORDS
from neodp.polls.table import one_row_a_person, parts


def place(row: int) -> str:
    return f"row {row}"


def test_a_table_becomes_groups_and_counts() -> None:
    votes = pa.array(["yes", "N", " no ", "TRUE", "0", "y", None, "maybe"])
    each = epsilons(pa.array(["low", "low", "1", "0.5", "low", "1.0", "low", "0"]), {"low": 2.0, "none": 0.0}, place)
    found = tally(votes, each, place, levels={"low": 2.0}, cells=Cells(skip_empty=True))
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
        ("-0.5", "row 1: epsilon is '-0.5', not allowed; give a number from 0 to 690"),
        ("nan", "row 1: epsilon is 'nan', neither a number nor a level; the levels are low, high"),
        ("inf", "row 1: epsilon is 'inf', neither a number nor a level; the levels are low, high"),
        ("1000", "row 1: epsilon is '1000', not allowed; give a number from 0 to 690"),
        ("", "row 1: epsilon is missing; give a number or a level, or leave such people out with `skip_empty=True`"),
        (None, "row 1: epsilon is missing; give a number or a level, or leave such people out with `skip_empty=True`"),
        ("hihg", "row 1: epsilon is 'hihg', neither a number nor a level; did you mean 'high'?"),
        ("x", "row 1: epsilon is 'x', neither a number nor a level; the levels are low, high"),
    ],
)
def test_wrong_epsilons(value: str | None, message: str) -> None:
    with pytest.raises(GraphError) as raised:
        epsilons(pa.array(["low", value]), {"low": 2.0, "high": 0.3}, place)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (
            "maybe",
            None,
            "row 1: the vote is 'maybe', none of the options; the options are yes, no; name others with "
            "`options=...`, or accept them with `mapping=...`, `other=...` or `missing=...`",
        ),
        ("yess", None, "row 1: the vote is 'yess', none of the options; did you mean 'yes'?"),
        ("teaa", ["tea", "coffee"], "row 1: the vote is 'teaa', none of the options; did you mean 'tea'?"),
        (" ", None, "row 1: the vote is missing; give one, or leave such people out with `skip_empty=True`"),
        (None, None, "row 1: the vote is missing; give one, or leave such people out with `skip_empty=True`"),
    ],
)
def test_wrong_votes(value: str | None, options: list[str] | None, message: str) -> None:
    with pytest.raises(GraphError) as raised:
        tally(pa.array([options[0] if options else "yes", value]), np.ones(2), place, options=options)
    assert str(raised.value) == message


# --- how cells are understood -----------------------------------------------------------------------------------------


def counts(votes: list[object], cells: Cells, options: list[str] | None = None) -> list[int]:
    """Return how many of these votes count for each option."""
    found: list[int] = (
        tally(pa.array(votes), np.ones(len(votes)), place, options=options, cells=cells).counts[0].tolist()
    )
    return found


def refusal(votes: list[object], cells: Cells, options: list[str] | None = None) -> str:
    with pytest.raises(GraphError) as raised:
        counts(votes, cells, options)
    return str(raised.value)


def test_case_and_blanks_do_not_matter_unless_they_shall() -> None:
    assert counts(["Tea ", "tea", " COFFEE"], Cells(), ["tea", "coffee"]) == [2, 1]
    assert counts(["tea", "Tea"], Cells(exact=True), ["tea", "Tea"]) == [1, 1]
    assert "row 0: the vote is 'Tea', none of the options; did you mean 'tea'?" in refusal(
        ["Tea"], Cells(exact=True), ["tea", "coffee"]
    )
    assert "row 0: the vote is 'yes ', none of" in refusal(["yes "], Cells(exact=True))
    assert refusal(["tea"], Cells(), ["tea", "Tea"]) == (
        "the options 'tea' and 'Tea' are the same; tell them apart by case and blanks with `exact=True`"
    )
    assert refusal(["tea"], Cells(), ["tea", "tea"]) == "the options 'tea' and 'tea' are the same; name it once"
    levels = {"low": 2.0, "LOW": 1.0}
    with pytest.raises(GraphError, match="the levels 'low' and 'LOW' are the same"):
        epsilons(pa.array(["low"]), levels, place)
    assert epsilons(pa.array(["low", "LOW"]), levels, place, cells=Cells(exact=True)).tolist() == [2.0, 1.0]


def test_what_counts_as_missing_is_said() -> None:
    skipping = Cells(missing=("?", "N/A"), skip_empty=True)
    found = tally(pa.array(["yes", "?", " n/a", "", "no"]), np.ones(5), place, cells=skipping)
    assert (found.counts.tolist(), found.skipped) == ([[1, 1]], 3)
    assert refusal(["yes", "?"], Cells(missing=("?",))) == (
        "row 1: the vote is missing; give one, or leave such people out with `skip_empty=True`"
    )
    assert refusal(["yes"], Cells(missing=("No",))) == (
        "'No' is an option and also missing; leave it out of `options=...` or of `missing=...`"
    )


def test_people_without_an_epsilon_are_left_out_with_their_votes() -> None:
    cells = Cells(missing=("?",), skip_empty=True)
    each = epsilons(pa.array(["1", "?", None, "0"]), {}, place, cells=cells)
    found = tally(pa.array(["yes", "whatever", "no", "whatever"]), each, place, cells=cells)
    assert (found.counts.tolist(), found.skipped, found.silent) == ([[1, 0]], 2, 1)


def test_other_words_for_options() -> None:
    words = Cells(mapping=(("ja", "yes"), ("nein", "no"), ("weiss nicht", "")), skip_empty=True)
    assert counts(["JA", "nein", "yes", "weiss nicht"], words) == [2, 1]
    assert refusal(["ja"], Cells(mapping=(("ja", "yess"),))) == (
        "'ja' is mapped to 'yess', which is not an option; did you mean 'yes'?"
    )
    assert refusal(["ja"], Cells(mapping=(("no", "yes"),))) == (
        "'no' is mapped to 'yes', and is another option itself; leave one of them out"
    )


def test_an_option_for_all_else() -> None:
    assert counts(["tea", "milk", "beer"], Cells(other="else"), ["tea", "else"]) == [1, 2]
    assert refusal(["tea"], Cells(other="else"), ["tea", "milk"]) == (
        "`other='else'` is not an option; the options are tea, milk"
    )


def test_all_that_is_wrong_is_said_at_once() -> None:
    problems = Problems("people.csv, line {}".format)
    each = epsilons(pa.array(["1", "x", "", "y", "-1"]), {}, place, problems=problems)
    tally(pa.array(["yes", "no", "no", "no", "no"]), each, place, problems=problems)
    tally(pa.array(["maybe", "no", "no", "no", "no"]), each, place, problems=problems, what="the vote in 'tax'")
    with pytest.raises(GraphError) as raised:
        problems.raise_if_any()
    assert str(raised.value).splitlines() == [
        "5 cells of people.csv cannot be used:",
        "  epsilon is neither a number nor a level, 2 times: line 1 ('x'), line 3 ('y'); "
        "give a number, or name levels with `levels=...`",
        "  epsilon is missing: line 2; give a number or a level, or leave such people out with `skip_empty=True`",
        "  epsilon is not allowed: line 4 ('-1'); give a number from 0 to 690",
        "  the vote in 'tax' is none of the options: line 0 ('maybe'); the options are yes, no; "
        "name others with `options=...`, or accept them with `mapping=...`, `other=...` or `missing=...`; "
        "or delete the line, if it is a second header",
    ]


def test_one_row_a_person() -> None:
    problems = Problems(place)
    one_row_a_person(pa.array(["a", "b", "a", None, "b", "a"]), problems)
    with pytest.raises(GraphError) as raised:
        problems.raise_if_any()
    assert "the id is missing: row 3; give everybody one, or leave out `id=...`" in str(raised.value)
    assert "the id is that of an earlier row, 3 times: row 2 ('a'), row 4 ('b'), row 5 ('a'); keep one row" in str(
        raised.value
    )
    fine = Problems(place)
    one_row_a_person(pa.array([1, 2, 3]), fine)
    assert len(fine) == 0


def test_parts_come_from_a_public_list() -> None:
    problems = Problems(place)
    column = pa.array(["Sales", "it", "law", None, "sales "])
    found = parts(column, ["sales", "it", "nobody"], problems, other="rest")
    assert {name: rows.tolist() for name, rows in found.items()} == {
        "sales": [0, 4],
        "it": [1],
        "nobody": [],
        "rest": [2, 3],
    }
    assert len(problems) == 0
    parts(column, ["sales", "it"], problems)
    with pytest.raises(GraphError) as raised:
        problems.raise_if_any()
    for words in (
        "the part is none of the named ones: row 2 ('law'); the parts are sales, it; name others with",
        "the part is missing: row 3; the parts are sales, it",
    ):
        assert words in str(raised.value)


def test_columns_of_all_types() -> None:
    for votes in (
        pa.array(["yes", "no", None]).dictionary_encode(),
        pa.array(["yes", "no", None], pa.large_string()),
        pa.array(["yes", "no", None]).cast(pa.string_view()),
        pa.chunked_array([pa.array(["yes"]), pa.array(["no", None])]),
        pa.array([1.0, 0.0, float("nan")]),
        pa.array([True, False, None]),
    ):
        assert tally(votes, np.ones(3), place, cells=Cells(skip_empty=True)).counts.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("yes", "no"),
    [("ja", "nein"), ("Oui", "NON"), ("sí", "no"), ("s\u0069\u0301", "no"), ("sim", "não"), ("да", "нет")],
)
def test_yes_and_no_in_other_languages_need_no_mapping(yes: str, no: str) -> None:
    survey = neodp.poll({"v": [yes, no, f" {yes} "]}, vote="v", epsilon=1.0)
    assert survey.questions[0].tally.counts.tolist() == [[2, 1]]


def test_no_word_means_yes_and_no() -> None:
    keys = [[Cells().key(word) for word in WORDS[option]] for option in ("yes", "no")]
    assert len(set(keys[0]) | set(keys[1])) == len(keys[0]) + len(keys[1])

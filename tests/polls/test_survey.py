"""``neodp.poll``: any table gives the same poll; what it shows, and what it answers, once."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neodp
from neodp.data.tables import ReadOptions
from neodp.errors import BudgetSpent, GraphError, NeodpError, OtherQuestion
from neodp.ledger.account import Limit
from neodp.polls import Group, Survey
from neodp.store import Store
from tests.data.tables.make import xlsx

LEVELS = {"low": 2.0, "medium": 1.0, "high": 0.3}
COLUMNS: dict[str, list[Any]] = {
    "answer": ["yes", "No", None, "yes ", "no", "YES", "no"],
    "privacy": ["low", "high", "low", "medium", "high", None, "high"],
    "team": ["a", "b", "a", "b", "a", "b", "a"],
}


def tables(folder: Path) -> dict[str, Any]:
    """The same people in every form in which somebody might have them."""
    frame, arrow = pd.DataFrame(COLUMNS), pa.table(COLUMNS)
    frame.to_csv(folder / "people.csv", index=False)
    pq.write_table(arrow, folder / "people.parquet")

    class Older:
        """A frame from before the Arrow C interface."""

        def __dataframe__(self, **options: Any) -> Any:
            return arrow.__dataframe__(**options)

    return {
        "pandas": frame,
        "pandas, categories": frame.astype("category"),
        "polars": pl.DataFrame(COLUMNS),
        "polars, categories": pl.DataFrame(COLUMNS).with_columns(pl.all().cast(pl.Categorical)),
        "Arrow": arrow,
        "a batch": arrow.to_batches()[0],
        "a reader": arrow.to_reader(),
        "an interchange frame": Older(),
        "a dict": COLUMNS,
        "a dict of arrays": {name: np.array(column, object) for name, column in COLUMNS.items()},
        "CSV": folder / "people.csv",
        "CSV by name": str(folder / "people.csv"),
        "Parquet": folder / "people.parquet",
    }


def asked(table: Any, **options: Any) -> Survey:
    usual: dict[str, Any] = {"vote": "answer", "epsilon": "privacy", "levels": LEVELS, "skip_empty": True}
    return neodp.poll(table, **usual | options)


def test_every_kind_of_table_gives_the_same_poll(tmp_path: Path) -> None:
    found = {}
    for kind, table in tables(tmp_path).items():
        (question,) = asked(table).questions
        found[kind] = question.tally.groups, question.tally.counts.tolist(), question.tally.skipped
    groups = (Group(0.3, 3, "high"), Group(1.0, 1, "medium"), Group(2.0, 1, "low"))
    assert found == dict.fromkeys(found, (groups, [[0, 3], [1, 0], [1, 0]], 2))


def test_numbers_of_a_frame() -> None:
    people = pd.DataFrame({"vote": [1, 0, 1], "epsilon": [0.5, np.nan, 1.0]})
    (question,) = neodp.poll(people, vote="vote", epsilon="epsilon", skip_empty=True).questions
    assert question.tally.groups == (Group(0.5, 1), Group(1.0, 1))
    (question,) = neodp.poll(people, vote="vote", epsilon=0.25).questions
    assert question.tally.groups == (Group(0.25, 3),)


def test_neither_pandas_nor_polars_is_needed() -> None:
    code = """
import sys

class NotInstalled:
    def find_spec(self, name, *rest):
        if name in ("pandas", "polars"):
            raise ImportError(name)

sys.meta_path.insert(0, NotInstalled())
import neodp
print(neodp.poll({"v": ["yes", "no", "no"]}, vote="v", epsilon=1).to_arrow().num_rows)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["2"]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (3, {}, "the table of people is a int, which is not a table; give a pandas or polars frame, an Arrow table"),
        ({"answer": ["yes"], "privacy": []}, {}, "the table of people cannot be read as Arrow columns"),
        (COLUMNS, {"vote": "anser"}, "the table has no column 'anser'; did you mean 'answer'?"),
        (COLUMNS, {"vote": ["answer", "answer"]}, "the column 'answer' is named twice"),
        (COLUMNS, {"vote": []}, "which column has the votes? name it"),
        (COLUMNS, {"epsilon": 1000}, "epsilon is 1000.0; give a number from 0 to 690"),
        (COLUMNS, {"levels": {"low": 1.0}}, "row 2 of the table ('high'), row 4 of the table ('medium')"),
        (COLUMNS, {"levels": {"low": "much"}}, "the level 'low' is 'much'; give it an epsilon"),
        (COLUMNS, {"skip_empty": False}, "2 cells cannot be used:"),
        (COLUMNS, {"by": "team", "by_values": ["a", "c"]}, "the part is none of the named ones, 3 times: row 2"),
        (COLUMNS, {"mechanism": "best"}, "the mechanism is 'best'; give balanced or weighted"),
        ("none.csv", {}, "there is no file none.csv"),
    ],
)
def test_refused(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError) as raised:
        asked(table, **options)
    assert message in str(raised.value)


def test_a_survey_shows_both_mechanisms_and_no_vote() -> None:
    people = {"answer": ["yes"] * 7 + ["no"] * 5, "privacy": ["low", "medium", "high"] * 4}
    survey, other = asked(people), asked(people | {"answer": ["no"] * 12})
    assert repr(survey) == (
        "poll 'poll', before any vote is read\n"
        "  answer: do at least 7 of 12 people choose 'yes'?\n"
        "    balanced is expected to be right 68 % of the time and weighted 78 %; "
        "with the least favourable votes 57 % and 1 %"
    )
    page = survey._repr_html_()
    assert (
        "<td>answer<td>do at least 7 of 12 people choose &#x27;yes&#x27;?<td>12<td>weighted<td>78 %<td>1 %</tr>" in page
    )
    assert (repr(other), other._repr_html_(), other.to_arrow()) == (repr(survey), page, survey.to_arrow())
    assert repr(other.questions) == repr(survey.questions)
    rows = survey.to_arrow().to_pylist()
    assert [(row["mechanism"], round(row["expected"], 3), row["people"]) for row in rows] == [
        ("balanced", 0.684, 12),
        ("weighted", 0.782, 12),
    ]
    with pytest.raises(AttributeError):
        survey.name = "another"  # type: ignore[misc]


def test_a_prior_per_level_fits_every_part() -> None:
    """Also a part where nobody has the level; a level that there is not is refused."""
    people = {"answer": ["yes", "no"] * 3, "privacy": ["low"] * 3 + ["high"] * 3, "team": ["a"] * 3 + ["b"] * 3}
    survey = asked(people, prior="share:low=0.9,high=0.2", by="team", by_values="a,b")
    alone = asked({name: column[3:] for name, column in people.items()}, prior="share:high=0.2")
    assert survey.to_arrow()["expected"].to_pylist()[2:] == alone.to_arrow()["expected"].to_pylist()
    with pytest.raises(GraphError, match="the prior names the level 'hihg'; did you mean 'high'"):
        asked(people, prior="share:hihg=0.9").to_arrow()


def test_names_are_text_on_a_page() -> None:
    people = {"<b>": ["yes", "no", "no"]}
    page = neodp.poll(people, vote="<b>", epsilon=1, name="<script>")._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page


def test_a_picture_of_the_accuracy_by_margin(tmp_path: Path) -> None:
    people = {"answer": ["yes"] * 7 + ["no"] * 5, "privacy": ["low", "medium", "high"] * 4}
    picture = neodp.plot.plot_poll(asked(people), tmp_path / "poll.svg").read_text()
    assert "balanced (expected 0.684), evenly spread" in picture
    assert "weighted, at least" in picture


# --- answers ----------------------------------------------------------------------------------------------------------


def test_answers_are_drawn_once_and_kept(store: Store) -> None:
    sure = {"tax": ["yes"] * 60, "park": ["no"] * 60}
    survey = neodp.poll(sure, vote=["tax", "park"], epsilon=1.0, name="town")
    with pytest.raises(BudgetSpent, match="0 answers given, 1 allowed"):
        survey.release(store, "spring", population="citizens")
    store.allow("citizens", Limit(2))
    assert survey.release(store, "spring", population="citizens") == {"tax": "yes", "park": "no"}
    changed = neodp.poll({"tax": ["no"] * 60, "park": ["no"] * 60}, vote=["tax", "park"], epsilon=1.0, name="town")
    assert changed.release(store, "spring", population="citizens") == {"tax": "yes", "park": "no"}
    other = neodp.poll(sure, vote=["tax", "park"], epsilon=2.0, name="town")
    with pytest.raises(OtherQuestion, match=r"was asked with epsilon 1\.0, and is now asked with epsilon 2\.0"):
        other.release(store, "spring", population="citizens")


def test_the_mechanism_must_be_chosen_where_it_matters(store: Store) -> None:
    people = {"answer": ["yes"] * 7 + ["no"] * 5, "privacy": ["low", "medium", "high"] * 4}
    survey = asked(people)
    with pytest.raises(
        GraphError, match=r"right 68 % of the time and weighted 78 %.*choose with `mechanism='balanced'`"
    ):
        survey.release(store, "spring")
    assert store.ledger("default").used == 0
    assert survey.with_mechanism("weighted").release(store, "spring")["answer"] in ("yes", "no")
    with pytest.raises(OtherQuestion, match="was asked with mechanism 'weighted', and is now asked with mechanism"):
        survey.with_mechanism("balanced").release(store, "spring")


def test_parts_are_one_release_and_everybody_pays_once(store: Store) -> None:
    people = {"answer": ["yes"] * 50 + ["no"] * 50, "e": [1.0] * 50 + [2.0] * 50, "team": ["a"] * 50 + ["b"] * 50}
    survey = neodp.poll(people, vote="answer", epsilon="e", by="team", by_values=["a", "b"])
    assert survey.release(store, "spring") == {"answer": {"a": "yes", "b": "no"}}
    assert survey.release(store, "spring") == {"answer": {"a": "yes", "b": "no"}}
    ledger = store.ledger("default")
    assert ledger.used == 1
    assert [(level.epsilon, level.people) for level in ledger.releases[0].levels] == [(1.0, 50), (2.0, 50)]
    assert {each.label: each.total().epsilon for each in ledger.spent()} == {"epsilon 1": 1.0, "epsilon 2": 2.0}
    assert json.loads(ledger.releases[0].asked)["parts"] == {"a": [[None, 1.0, 50]], "b": [[None, 2.0, 50]]}


# --- another question under the same name ---------------------------------------------------------------------------

TABLE = "answer;privacy;other;team\nyes;1;1;a\nno;1;1;b\nyes;1;1;c\nno;1;1;a\n"


@pytest.mark.parametrize(
    ("first", "other", "message"),
    [
        ({}, {"epsilon": "other"}, "asked with epsilon 'privacy', and is now asked with epsilon 'other'"),
        ({}, {"epsilon": 1.0}, "asked with epsilon 'privacy', and is now asked with epsilon 1.0"),
        ({"epsilon": 1}, {"epsilon": "privacy"}, "asked with epsilon 1.0, and is now asked with epsilon 'privacy'"),
        ({}, {"skip_empty": True}, "asked with skip_empty false, and is now asked with skip_empty true"),
        ({}, {"missing": "?"}, "asked with cells none, and is now asked with cells"),
        ({}, {"mapping": {"ja": "yes"}}, "asked with cells none"),
        ({}, {"exact": True}, "asked with cells none"),
        ({}, {"other": "no"}, "asked with cells none"),
        ({}, {"by": "team", "by_values": "a,b,c"}, "asked with by none, and is now asked with by 'team'"),
        (
            {"by": "team", "by_values": "a,b", "by_other": "b"},
            {"by": "team", "by_values": "a,b", "by_other": "a"},
            "asked with by_other 'b', and is now asked with by_other 'a'",
        ),
        ({}, {"reading": ReadOptions(delimiter=";")}, "asked with delimiter none, and is now asked with delimiter ';'"),
        ({}, {"reading": ReadOptions(encoding="latin-1")}, "asked with encoding none, and is now asked with"),
        ({}, {"query": "threshold:1/2"}, "asked with query 'majority'"),
        ({}, {"mechanism": "weighted"}, "asked with mechanism 'balanced'"),
        ({"mechanism": "weighted"}, {"mechanism": "weighted", "prior": "beta:1,1"}, "asked with prior 'even'"),
    ],
)
@pytest.mark.parametrize("address", ["embedded"], indirect=True)
def test_another_question_is_refused_and_the_difference_is_named(
    store: Store, tmp_path: Path, first: dict[str, Any], other: dict[str, Any], message: str
) -> None:
    """The first answer was given for another column of epsilons, among others."""
    (tmp_path / "people.csv").write_text(TABLE)
    usual = {"vote": "answer", "epsilon": "privacy", "mechanism": "balanced"}

    def ask(**said: Any) -> Any:
        return neodp.poll(tmp_path / "people.csv", **(usual | said)).release(store, "spring")

    answer = ask(**first)
    assert ask(**first) == answer
    with pytest.raises(OtherQuestion, match=re.escape(message)):
        ask(**other)


@pytest.mark.parametrize("address", ["embedded"], indirect=True)
def test_another_sheet_is_another_question(store: Store, tmp_path: Path) -> None:
    rows = [("answer", "epsilon"), *((vote, 1) for vote in ("yes", "no", "yes"))]
    book, alone = tmp_path / "people.xlsx", tmp_path / "alone" / "people.xlsx"
    book.write_bytes(xlsx({"north": rows, "south": [rows[0], *rows[:0:-1]]}))

    def ask(path: Path, release: str, sheet: str | None = None) -> Any:
        found = neodp.poll(path, vote="answer", epsilon="epsilon", reading=ReadOptions(sheet=sheet))
        return found.with_mechanism("balanced").release(store, release, population=release)

    ask(book, "spring", "north")
    with pytest.raises(OtherQuestion, match="asked with sheet 'north', and is now asked with sheet 'south'"):
        ask(book, "spring", "south")
    alone.parent.mkdir()
    alone.write_bytes(xlsx({"north": rows}))
    assert ask(alone, "autumn") == ask(alone, "autumn", "north")  # the only sheet is the one that is meant


# --- who is the same, and what is a number --------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "two"), [("Ann", "ann "), ("Zo\u00eb", "Zoe\u0308"), ("7", "\u200b7")])
def test_somebody_whose_id_is_written_in_two_ways_has_two_rows(one: str, two: str) -> None:
    table = {"id": [one, "Ben", two], "v": ["yes", "no", "yes"]}
    with pytest.raises(GraphError, match=r"that of an earlier row.* or tell ids apart .* `exact=True`"):
        neodp.poll(table, vote="v", epsilon=1, id="id")
    assert neodp.poll(table | {"v": ["yes", "no", "yes"]}, vote="v", epsilon=1, id="id", exact=True).questions


def test_an_id_of_nothing_that_can_be_seen_is_missing() -> None:
    with pytest.raises(GraphError, match="the id is missing"):
        neodp.poll({"id": ["a", "\u200b"], "v": ["yes", "no"]}, vote="v", epsilon=1, id="id")


@pytest.mark.parametrize("epsilon", ["1_0", "\u0661", "inf", "nan", "1e999"])
def test_an_epsilon_for_all_is_a_number_as_everybody_writes_it(epsilon: str) -> None:
    with pytest.raises(GraphError, match=f"the table has no column '{epsilon}'"):
        neodp.poll({"v": ["yes", "no"]}, vote="v", epsilon=epsilon)


@pytest.mark.parametrize("share", ["1e30000000", "1e-30000000", "1_0/2_0", "\u0661/\u0662", "1/0", "nan"])
def test_a_threshold_is_a_share_that_can_be_computed(share: str) -> None:
    """The first two did not end."""
    with pytest.raises(GraphError, match="give majority, plurality, or a share as in threshold:2/3"):
        neodp.poll({"v": ["yes", "no"]}, vote="v", epsilon=1, query=f"threshold:{share}")
    with pytest.raises(GraphError, match="a share from 0 to 1 as in 'threshold:2/3'"):
        neodp.generate.votes(3, rule=f"threshold:{share}")


def test_cells_of_several_kinds_are_read_as_a_workbook_has_them() -> None:
    columns = {"v": [True, "yes", None, "no", 0], "e": [1, "0.5", 1.0, "1", 2]}
    tables = columns, pd.DataFrame(columns, dtype=object), pl.DataFrame(columns, strict=False)
    found = [neodp.poll(table, vote="v", epsilon="e", skip_empty=True).questions[0] for table in tables]
    assert [question.tally.counts.tolist() for question in found] == [[[1, 0], [1, 1], [0, 1]]] * 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"options": [1, 2]}, {"options": 5}, {"prior": 0.6}, {"prior": None}, {"query": None}, {"query": 3},
        {"vote": 3}, {"vote": [1]}, {"vote": None}, {"epsilon": None}, {"epsilon": [1]}, {"epsilon": True},
        {"levels": 3},
        {"levels": ["a"]}, {"levels": {"a": 10**400}}, {"mechanism": 3}, {"by": 3}, {"by": "w", "by_values": 3},
        {"by": "w", "by_values": "a", "by_other": 3}, {"id": 3}, {"id": ""}, {"missing": 3}, {"missing": [1]},
        {"skip_empty": "x"}, {"exact": 1}, {"mapping": 3}, {"other": 3}, {"name": 3}, {"reading": 3}, {"vote": "lists"},
    ],
)  # fmt: skip
def test_arguments_of_other_types_are_refused_in_one_sentence(wrong: dict[str, Any]) -> None:
    table = {"v": ["yes", "no"], "w": ["a", "a"], "lists": [[1], [2]]}
    with pytest.raises(NeodpError):
        neodp.poll(table, **{"vote": "v", "epsilon": 1.0, **wrong})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_whose_names_have_blanks_around_them(ending: str, tmp_path: Path) -> None:
    """Either spelling finds the column, and is the same question."""
    path = tmp_path / f"people.{ending}"
    if ending == "csv":
        path.write_text("answer , eps\nyes,1\nno,1\nyes,1\n")
    else:
        pq.write_table(pa.table({"answer ": ["yes", "no", "yes"], " eps": [1.0, 1.0, 1.0]}), path)
    found = [
        neodp.poll(path, vote=vote, epsilon=epsilon) for vote in ("answer", "answer ") for epsilon in ("eps", " eps")
    ]
    assert len({question.asked for each in found for question in each.asked().values()}) == 1
    assert len({question.subject for each in found for question in each.asked().values()}) == 1
    with pytest.raises(GraphError, match="named twice"):
        neodp.poll(path, vote=["answer", "answer "], epsilon=1.0)

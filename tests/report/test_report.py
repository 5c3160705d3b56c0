"""Reports: what they say, what they do not tell, and that their certificates can be checked without neodp."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.errors import GraphError
from neodp.ledger.account import Limit
from neodp.ledger.verification import verify
from neodp.report import Report, report
from neodp.report.registry import entry, yaml

CHECKOUT = Path(neodp.__file__).parents[1]
VERIFIER = CHECKOUT / "tools" / "verify_release.py"
TITLE = "Should the <b>office</b> close on Fridays?"


def reports(folder: Path, votes: list[str], **options: Any) -> Report:
    """The report of a clear majority in a store of its own."""
    folder.mkdir()
    levels = ["low", "high"] * (len(votes) // 2)
    table = folder / "people.csv"
    table.write_text("vote,level\n" + "".join(f"{v},{e}\n" for v, e in zip(votes, levels, strict=True)))
    with neodp.open_store(folder / "answers.db") as store:
        survey = neodp.poll(table, vote="vote", epsilon="level", levels="low=9,high=8", **options)
        survey.release(store, "spring", population="staff")
        return report(store, "spring", title=TITLE)


@pytest.mark.parametrize("mechanism", ["balanced", "weighted"])
@pytest.mark.parametrize(
    "query",
    [
        {},
        {"query": "median", "options": "no,yes"},
        {"query": "quantile:0.3", "options": "no,yes"},
        {"query": "count:yes", "ranges": "0,15"},
        {"query": "counts", "ranges": "0,15"},
        {"query": "ranking", "options": "no,yes"},
    ],
    ids=lambda query: str(query.get("query", "majority")),
)
def test_reports_of_different_votes_with_the_same_answer_are_equal_byte_for_byte(
    tmp_path: Path, mechanism: str, query: dict[str, str]
) -> None:
    """And every one of them says how often such an answer is right, and from which margin 19 times in 20."""
    one = reports(tmp_path / "one", ["yes"] * 40, mechanism=mechanism, **query)
    two = reports(tmp_path / "two", ["yes", "yes", "no", "yes"] * 10, mechanism=mechanism, **query)
    assert len(one.certificates) == len(two.certificates) == 1
    assert one.answers[0].answer == two.answers[0].answer
    found = one.answers[0].accuracy
    assert one.answers[0].answer in one.text(".html").split("<svg")[1].split(">", 1)[1]  # nothing is cut off
    assert found is not None
    assert found.sure_from is not None
    assert re.search(r"(right|in it) (about \d+|\d+|more than 99) % of the time on average", " ".join(found.sentences))
    assert re.search(r"at least 19 (times )?in 20", " ".join(found.sentences))
    if one.answers[0].date == two.answers[0].date:  # they differ only over midnight
        for suffix in (".html", ".md", ".json"):
            assert one.text(suffix) == two.text(suffix)


def test_a_report_says_what_a_reader_needs(tmp_path: Path) -> None:
    found = reports(tmp_path / "one", ["yes"] * 30)
    page = found.text(".html")
    assert "Should the &lt;b&gt;office&lt;/b&gt; close on Fridays?" in page
    assert "<b>office" not in page
    margin = (
        "if the margin was 1 vote or more: if so many people would have to vote otherwise to change the true answer"
    )
    assert f"right at least 19 times in 20 {margin}." in page
    assert "can become at most almost 100 % sure by the answer. That is little privacy." in page
    assert "1 answer about the population &#x27;staff&#x27; has been given so far, and no more may be given." in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")  # it stands alone
    assert page.count("<script") == page.count('<script type="application/json"') == 1
    assert found.text(".md").startswith("# Should the \\<b\\>office\\</b\\> close on Fridays?\n")
    assert json.loads(found.text(".json"))["answers"][0]["answer"] == "yes"


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_the_verifier_needs_nothing_but_python(tmp_path: Path, suffix: str) -> None:
    """Alone in a folder, in an isolated Python; and it notices a change of the answer."""
    found = reports(tmp_path / "one", ["yes"] * 30)
    page = found.save(tmp_path / f"spring{suffix}")
    alone = tmp_path / "verify.py"
    alone.write_text(VERIFIER.read_text(encoding="utf-8"), encoding="utf-8")
    run = [sys.executable, "-I", "-S", str(alone), str(page)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("valid")
    assert "that the answer was drawn at random" in done.stdout
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace('"answer": "yes"', '"answer": "no"').replace('"answer":"yes"', '"answer":"no"'))
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "something was changed" in done.stdout


def test_the_verifier_imports_only_the_standard_library_and_is_the_one_of_the_package() -> None:
    tree = ast.parse(VERIFIER.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
    assert (CHECKOUT / "neodp" / "ledger" / "verification.py").read_bytes() == VERIFIER.read_bytes()


def test_several_questions_and_parts_are_one_page(tmp_path: Path) -> None:
    table = {"one": ["yes"] * 8, "two": ["no"] * 8, "team": ["a", "b"] * 4}
    with neodp.open_store(tmp_path / "answers.db") as store:
        store.allow("default", Limit(5))
        survey = neodp.poll(table, vote=["one", "two"], epsilon=3.0, by="team", by_values="a,b")
        survey.release(store, "spring")
        found = report(store, "spring")
        assert [(each.about, each.part) for each in found.answers] == [
            *(("poll one", "a"), ("poll one", "b"), ("poll two", "a"), ("poll two", "b"))
        ]
        assert len(found.certificates) == 2
        assert len(report(store, "spring", about="poll two").answers) == 2
        assert found.spending[1:] == [
            "Together they have cost epsilon 6 (epsilon 3).",
            "Someone who guessed 50:50 between two values of a person's data can become at most so sure by all of them "
            "together: 99.8 % (epsilon 3).",
        ]
        assert ">poll two: b: Do at least 3 of 4 people choose &#x27;yes&#x27;?</text>" in found.text(".html")
        with pytest.raises(GraphError, match="no release 'sprin' in"):
            report(store, "sprin")


def test_a_certificate_is_about_the_method_that_answered(tmp_path: Path) -> None:
    """Prefix sums and the line are two mechanisms of one graph."""
    graph = neodp.DatasetGraph.from_columns(
        ["a", "b", "c"],
        ["x", "x", "y"],
        ["a", "b"],
        ["b", "c"],
        [0.9, 0.4],
        alpha={"b": [0.45, 0.35, 0.2], "c": [0.35, 0.45, 0.2]},
        preference=[["x", "y", "z"], ["x", "y", "z"], ["y", "x", "z"]],
        colors=["x", "y", "z"],
    )
    found = []
    for method in ("line", "prefix"):
        with neodp.open_store(tmp_path / f"{method}.db") as store:
            store.load("g", graph)
            store.extend("g", method=method)
            store.answer("g", "a", "r")
            found.append(report(store, "r").certificates[0]["mechanisms"])
    assert found[0] != found[1]


def test_an_answer_of_a_graph_that_is_gone_has_a_report_and_no_certificate(tmp_path: Path) -> None:
    graph = neodp.generate.counts([2, 3], epsilon=[0.5, 1.0])
    with neodp.open_store(tmp_path / "answers.db") as store:
        store.load("survey", graph.with_alpha(neodp.balanced(graph)))
        store.answer("survey", graph.key(0), "spring")
        assert report(store, "spring").answers[0].accuracy is not None
        assert len(report(store, "spring").certificates) == 1
        store.drop("survey")
        gone = report(store, "spring")
        assert gone.certificates == []
        assert gone.missing == ["survey: the store no longer has the graph 'survey'"]
        for suffix in (".html", ".md", ".json"):
            assert "no longer has the graph" in gone.text(suffix)


def test_many_levels_need_the_survey_for_a_certificate(tmp_path: Path) -> None:
    table = {"v": ["yes"] * 100, "e": [0.5 + 0.01 * i for i in range(100)]}
    with neodp.open_store(tmp_path / "answers.db") as store:
        survey = neodp.poll(table, vote="v", epsilon="e", mechanism="balanced")
        survey.release(store, "spring")
        assert len(report(store, "spring", survey=survey).certificates) == 1
        assert "the store keeps a digest of its 100 groups only" in report(store, "spring").missing[0]
        (promised,) = report(store, "spring").promises
        assert "at most 63 % sure by the answer with the least of them, and at most 82 % with the greatest" in promised
        assert report(store, "spring").spending[1].startswith("It has cost epsilon from 0.51 (epsilon 0.51) to 1.49 ")


def test_a_report_is_written_to_three_kinds_of_files(tmp_path: Path) -> None:
    found = reports(tmp_path / "one", ["yes"] * 4)
    with pytest.raises(GraphError, match=r"end its name with \.html, \.md or \.json"):
        found.save(tmp_path / "report.pdf")
    with pytest.raises(GraphError, match="does not exist"):
        found.save(tmp_path / "nowhere" / "report.html")


def test_a_poll_with_secret_levels_has_a_report_that_takes_no_level_as_public(tmp_path: Path) -> None:
    table = {"v": ["yes"] * 40, "e": [2.0, 1.0] * 20}
    with neodp.open_store(tmp_path / "answers.db") as store:
        neodp.poll(table, vote="v", epsilon="e", secret_levels=True).release(store, "spring")
        found = report(store, "spring")
        assert verify(found.certificates[0]) == []
        assert "taken as public" not in found.text(".html") + found.text(".md")
        assert "right, in this sense, at least 19 times in 20 if the sums were 4.7 apart or more" in found.text(".md")


def asked(folder: Path, ill: range, epsilon: float, **options: Any) -> Report:
    """The report of a question about people in a store of its own, of whom some are ill."""
    folder.mkdir()
    people = {"id": [*range(200)], "ill": [i in ill for i in range(200)], "epsilon": [epsilon] * 200}
    with neodp.open_store(folder / "answers.db") as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person", properties=("ill",)))
        pattern = "MATCH (a:Person) WHERE a.ill"
        neodp.ask(store, "staff", pattern, **options, nodes={"Person": people}).release("spring", command="neodp ask")
        return report(store, "spring", title=TITLE)


@pytest.mark.parametrize("options", [{"at_least": 20}, {"ranges": [0, 1000]}, {"count": True, "at_most": 1}])
def test_reports_of_different_graphs_with_the_same_answer_are_equal_byte_for_byte(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """Other people are ill, and everybody has another epsilon."""
    one = asked(tmp_path / "one", range(150), 3.0, **options)
    again = (asked(tmp_path / f"two {i}", range(40, 199), 4.0, **options) for i in range(100))
    two = next(each for each in again if each.answers[0].answer == one.answers[0].answer)
    assert verify(one.certificates[0]) == []
    if one.answers[0].date == two.answers[0].date:  # they differ only over midnight
        for suffix in (".html", ".md", ".json"):
            assert one.text(suffix) == two.text(suffix)


def test_a_report_of_an_asked_question_says_what_a_reader_needs(tmp_path: Path) -> None:
    found = asked(tmp_path / "one", range(150), 3.0, at_least=20)
    page = found.text(".md")
    assert "Are there at least 20 matches of MATCH (a:Person) WHERE a.ill = true?" in page
    assert "If there are fewer than 20, such an answer is no, and right, 95 % of the time." in page
    assert "with an epsilon of 23.1 in sum would have to leave before there are fewer" in page
    assert "can become at most so sure by the answer: 53 % with epsilon 0.5, 55 % with epsilon 1" in page
    assert "It has cost 1/5 of everybody's epsilon. 4/5 of it is left." in page
    assert "changes by a factor of at most exp(1/5 e)." in found.method
    secret = asked(tmp_path / "two", range(150), 3.0, at_least=20, share=1.0)
    assert "Nothing is left." in secret.text(".md")


def test_an_answer_that_there_are_too_many_matches_has_no_certificate(tmp_path: Path) -> None:
    people = {"id": [1, 2, 3], "epsilon": [1.0] * 3}
    with neodp.open_store(tmp_path / "answers.db") as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person", most_matches=2))
        neodp.ask(store, "staff", "MATCH (a:Person)", at_least=1, nodes={"Person": people}).release("spring")
        found = report(store, "spring")
        assert found.certificates == []
        assert found.missing == ["ask staff: the question was ended before an answer was drawn"]
        assert not found.json()["answers"][0]["drawn"]
        for suffix in (".html", ".md"):
            text = found.text(suffix)
            assert "Nothing was drawn: the question was ended before" in text
            assert "This is not private: it may depend on a single person" in text
            assert "nobody is promised anything about it" in text
            assert not re.search("drawn at random|drawn once|drawn on|may be wrong|at most so sure|exp", text)
        assert "1 of them was ended before an answer was drawn: no epsilon holds for that." in yaml(
            entry([store.ledger("(:Person)")]), []
        )

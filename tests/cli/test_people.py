"""neodp protect and neodp ask, on tables of people and on Neo4j: previews that read nothing, answers once, JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from neodp.cli import main
from tests.running import Run, both_stores

PAIRS = "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill"


@pytest.fixture
def staff(tmp_path: Path, run: Run) -> Run:
    """A store with the population "staff", whose tables are files."""
    people, friends = tmp_path / "people.csv", tmp_path / "friends.csv"
    people.write_text("id,ill,epsilon\n" + "".join(f"{i},true,20\n" for i in range(100)), encoding="utf-8")
    friends.write_text("from,to\n" + "".join(f"{i},{(i + 1) % 100}\n" for i in range(100)), encoding="utf-8")
    code, out, err = run(
        "protect", "staff", "--people", "Person", "--epsilon", "epsilon", "--properties", "ill",
        "--nodes", f"Person={people}", "--relationships", f"KNOWS={friends}",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "1 of everybody's epsilon is left for questions" in out
    return run


@both_stores
def test_a_question_is_previewed_drawn_once_and_paid_by_a_share(staff: Run, tmp_path: Path) -> None:
    code, out, _ = staff("ask", "staff", PAIRS, "--at-least", "50", "--share", "0.5", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["population"], told["share"], told["at_least"]) == ("staff", 0.5, 50)
    assert not {"answer", "release", "matches", "probabilities"} & told.keys()
    question = ("ask", "staff", PAIRS, "--at-least", "50", "--share", "0.5", "--release", "spring")
    _, out, err = staff(*question)
    assert out == "yes\n"  # 50 people of epsilon 10 would have to leave; a script reads the answer alone
    assert err == "neodp: release 'spring' of 'ask staff', drawn now, and kept\n"
    (tmp_path / "people.csv").write_text("id,ill,epsilon\n", encoding="utf-8")
    _, out, err = staff(*question)
    assert out == "yes\n"
    assert re.fullmatch(r"neodp: release 'spring' of 'ask staff', kept since \d+ \w+ 20\d\d; nothing was drawn\n", err)
    _, out, err = staff(*question, "--json")
    answered = json.loads(out)
    assert err == ""
    assert (answered["release"], answered["answer"]) == ("spring", "yes")
    code, _, err = staff("ask", "staff", PAIRS, "--at-least", "1", "--share", "0.6", "--release", "summer")
    assert code == 1
    assert "1/2 of everybody's own epsilon is spent, and it would be 11/10" in err
    code, _, err = staff("ask", "staff", PAIRS, "--at-least", "7", "--share", "0.5", "--release", "spring")
    assert (code, "was asked with at_least 50" in err) == (1, True)


@both_stores
def test_only_the_steward_is_told_the_truth(staff: Run) -> None:
    code, out, _ = staff("ask", "staff", PAIRS, "--at-least", "90", "--share", "0.01", "--reveal", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["matches"], set(found["probabilities"])) == (100, {"yes", "no"})
    assert 1.0 < found["distance"] < 1.2  # 11 pairs must go, half a person for each: 5.5 times 0.2
    code, out, _ = staff("ask", "staff", PAIRS, "--ranges", "0,10,100", "--share", "0.5", "--reveal")
    assert code == 0
    assert "For the steward, and not private" in out
    words = ("ask", "staff", PAIRS, "--count", "--share", "1", "--release", "all", "--reveal", "--json")
    found = json.loads(staff(*words)[1])
    assert staff(*words[:-2])[1] == f"{found['answer']}\n"
    assert 0 <= int(found["answer"]) <= 1_000_000
    assert sum(chance for number, chance in found["probabilities"].items() if 85 <= int(number) <= 100) > 0.9


@both_stores
def test_populations_are_listed_and_dropped_and_what_was_spent_stays(staff: Run) -> None:
    assert staff("ask", "staff", PAIRS, "--at-least", "1", "--share", "0.7", "--release", "spring")[0] == 0
    (told,) = json.loads(staff("protect", "--list", "--json")[1])["protections"]
    assert (told["population"], told["account"], told["properties"]) == ("staff", "(:Person)", ["ill"])
    assert staff("protect", "staff", "--drop")[0] == 0
    assert json.loads(staff("protect", "--list", "--json")[1])["protections"] == []
    assert staff("ask", "staff", PAIRS, "--at-least", "1")[0] == 2
    again = json.loads(staff("protect", "new", "--people", "Person", "--epsilon", "e", "--json")[1])
    assert 0.29 < again["left"] < 0.31
    shown = " ".join(staff("budget", "(:Person)")[1].split())
    assert "7/10 of everybody's own epsilon" in shown
    assert "0.7 of everybody's own epsilon spent, 0.3 left" in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("ask", "staff", "MATCH (a:Person) RETURN a", "--count"), "RETURN cannot be asked"),
        (("ask", "staff", PAIRS), "give one of --at-least 500, --count and --ranges"),
        (("ask", "staff", PAIRS, "--ranges", "x"), "--ranges is 'x'"),
        (("ask", "staff", PAIRS, "--count", "--sum", "r.amount"), "a sum needs a cap"),
        (("ask", "other", PAIRS, "--count"), "no people are protected as population 'other'"),
        (("protect", "p", "--people", "A"), "give --epsilon PROPERTY"),
        (("protect", "p", "--epsilon", "e"), "needs one kind of protected unit"),
        (("protect",), "give one, or --list"),
        (("protect", "p", "--people", "A", "--epsilon", "e", "--owned", "B"), "--owned is 'B'"),
        (("protect", "p", "--people", "A", "--epsilon", "e", "--nodes", "A=no.csv"), "there is no file no.csv"),
        (("protect", "p", "--people", "A", "--epsilon", "e", "--public", "A"), "the label 'A' has two roles"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    words: tuple[str, ...], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "store.db")
    main(["--store", file, "protect", "staff", "--people", "Person", "--epsilon", "epsilon", "--properties", "ill"])
    capsys.readouterr()
    assert main(["--store", file, *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert why in err


@both_stores
def test_an_answer_is_reported_at_the_draw_and_can_be_checked(staff: Run, tmp_path: Path) -> None:
    page = tmp_path / "ill.html"
    question = ("ask", "staff", PAIRS, "--at-least", "50", "--release", "ill")
    code, _, err = staff(*question[:-2], "--report", str(page))
    assert (code, "add --release NAME" in err) == (2, True)
    assert staff(*question, "--report", str(page), "--title", "Are many friends ill?")[:2] == (0, "yes\n")
    assert "Are many friends ill?" in page.read_text(encoding="utf-8")
    assert json.loads(staff("verify", str(page), "--json")[1])["valid"] is True
    code, _, err = staff(*question, "--report", str(page))
    assert (code, "--force" in err) == (2, True)


def test_a_question_that_is_ended_is_not_said_to_be_drawn(run: Run, tmp_path: Path) -> None:
    people, page = tmp_path / "people.csv", tmp_path / "ended.html"
    people.write_text("id,epsilon\n1,1\n2,1\n", encoding="utf-8")
    limit = ("--people", "Person", "--epsilon", "epsilon", "--most-matches", "1")
    assert run("protect", "staff", *limit, "--nodes", f"Person={people}")[0] == 0
    _, out, err = run("ask", "staff", "MATCH (a:Person)", "--at-least", "1", "--release", "spring")
    assert out == "there are more than 1 matches, the limit of this population\n"
    assert err == "neodp: release 'spring' of 'ask staff', nothing was drawn: the question was ended\n"
    _, out, _ = run("report", "spring", "-o", str(page))
    assert "not private" in out
    assert "is ready to be published" not in out

"""releases and budget: one name, one question; one budget for the same people, whatever is asked about them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from neodp.cli import main
from tests.running import Run, both_stores, document

WORDS = ("--vote", "answer", "--epsilon", "privacy", "--levels", "low=2,high=0.3", "--mechanism", "balanced")


def people(folder: Path, name: str = "votes.csv") -> str:
    """A table of people in a file."""
    folder.mkdir(exist_ok=True)
    rows = [f"{'yes' if i % 3 else 'no'},{'no' if i % 2 else 'yes'},{'low' if i % 2 else 'high'}\n" for i in range(13)]
    (folder / name).write_text("answer,second,privacy\n" + "".join(rows))
    return str(folder / name)


def refused(result: tuple[int, str, str], message: str) -> None:
    code, out, err = result
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_poll_under_one_name_asks_one_question(run: Run, tmp_path: Path) -> None:
    """Each of these printed the first answer under the second question."""
    table = people(tmp_path)
    first = document(run("poll", table, *WORDS, "--release", "spring", "--json"))["questions"][0]["answer"]
    assert document(run("poll", table, *WORDS, "--release", "spring", "--json"))["questions"][0]["answer"] == first
    for changed, message in (
        (("--query", "threshold:1"), "was asked with query 'majority', and is now asked with query 'threshold:1'"),
        (("--options", "no,yes"), 'was asked with options ["yes", "no"], and is now asked with options ["no", "yes"]'),
        (("--levels", "low=20,high=0.3"), "was asked with groups"),
        (("--population", "others"), "was asked with population 'default', and is now asked with population 'others'"),
    ):
        refused(run("poll", table, *WORDS, *changed, "--release", "spring"), message)
    elsewhere = people(tmp_path / "other folder")
    refused(run("poll", elsewhere, *WORDS, "--release", "spring"), "was asked with table '")


@both_stores
def test_no_second_draw_without_leave(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another name, a copy of the table, another folder, another column, a graph: all are about the same people."""
    table = people(tmp_path)
    assert run("poll", table, *WORDS, "--release", "spring")[0] == 0
    spent = "about population 'default' is refused: 1 answer given, 1 allowed"
    refused(run("poll", table, *WORDS, "--release", "spring", "--name", "other"), spent)
    refused(run("poll", people(tmp_path, "copy.csv"), *WORDS, "--release", "spring"), spent)
    refused(run("poll", table, *WORDS, "--release", "autumn"), spent)
    monkeypatch.chdir(tmp_path)
    assert run("poll", "votes.csv", *WORDS, "--release", "spring")[0] == 0  # the same file, by a shorter name
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    refused(run("poll", "../votes.csv", *WORDS, "--release", "winter"), spent)
    assert run("generate", "path", "g", "4", "--balanced")[0] == 0
    refused(run("answer", "g", "1", "--release", "spring"), spent)
    assert run("export", "g", "files")[0] == 0
    assert run("load", "h", "files/nodes.csv", "files/edges.csv", "--colors", "yes,no")[0] == 0
    refused(run("answer", "h", "1", "--release", "spring"), spent)


def test_several_questions_count_as_several(run: Run, tmp_path: Path) -> None:
    table = people(tmp_path)
    both = ("poll", table, "--vote", "second", *WORDS, "--release", "spring")
    refused(
        run(*both),
        "2 releases ('spring', 'spring') about population 'default' is refused: 0 answers given, 1 allowed",
    )
    assert document(run("budget", "--json"))["used"] == 0
    assert run("budget", "--releases", "2")[0] == 0
    assert len(document(run(*both, "--json"))["questions"]) == 2
    found = document(run("budget", "--json"))
    assert (found["used"], found["left"]) == (2, 0)
    assert {row["level"]: row["epsilon"] for row in found["levels"]} == {"high": 0.6, "low": 4.0}


@both_stores
def test_all_releases_in_words_one_can_paste_back(run: Run, tmp_path: Path) -> None:
    assert run("releases")[1] == "no answers yet\n"
    table = people(tmp_path)
    run("budget", "--releases", "9")
    run("poll", table, *WORDS, "--release", "spring")
    run("generate", "counts", "survey", "2", "33", "--epsilon", "0.5,1", "--balanced")
    run("answer", "survey", "1-32", "--release", "summer")
    found = document(run("releases", "--json"))["releases"]
    assert [(row["about"], row["release"]) for row in found] == [("votes answer", "spring"), ("survey", "summer")]
    assert [level["epsilon"] for level in found[1]["levels"]] == [0.5, 1.0]
    code, out, _ = run("releases")
    assert code == 0
    (pasted,) = [line for line in out.splitlines() if line.startswith("  neodp poll")]
    assert document(run(*shlex.split(pasted)[1:], "--json"))["questions"][0]["answer"] == found[0]["answer"]
    assert "neodp answer survey KEY --release summer" in out
    assert "1-32" not in out


def test_what_was_spent_is_what_held_then(run: Run) -> None:
    """Answered at epsilon 5, dropped, generated again at 0.1: 5.1 in all."""
    run("generate", "path", "g", "4", "--epsilon", "5", "--balanced")
    run("answer", "g", "1", "--release", "spring")
    run("drop", "g", "--yes")
    run("generate", "path", "g", "4", "--epsilon", "0.1", "--balanced")
    out = run("releases", "g", "--allow", "2")[1]
    assert "people of epsilon 5 spend epsilon 10 in all" in out
    run("answer", "g", "1", "--release", "autumn")
    assert [row["epsilon"] for row in document(run("budget", "--json"))["levels"]] == [pytest.approx(5.1)] * 2
    assert "5.1" in run("budget")[1]


def test_a_store_that_is_made_for_a_release_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command in another folder draws again: nobody should miss it."""
    words = ["poll", people(tmp_path), *WORDS, "--release", "spring"]
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert main(words) == 0
        note = "neodp: the store neodp.db was created just now; answers given elsewhere do not count in it\n"
        assert capsys.readouterr().err == note
        assert main(words) == 0
        assert capsys.readouterr().err == ""


@both_stores
def test_a_limit_on_epsilon_and_a_plan(run: Run) -> None:
    run("generate", "path", "g", "4", "--epsilon", "1", "--balanced", "--population", "staff")
    assert run("budget", "staff", "--epsilon", "2.5")[0] == 0
    for release in ("one", "two"):
        assert run("answer", "g", "1", "--release", release)[0] == 0
    refused(
        run("answer", "g", "1", "--release", "three"), "would have spent epsilon 3 at delta 0, allowed is epsilon 2.5"
    )
    out = run("budget", "staff")[1]
    assert out.split()[-5:] == ["1", "2", "0", "2", "0.5"]  # epsilon 1: spent, delta, at the usual delta, left
    assert "population 'staff': 2 answers given; the limit is epsilon 2.5 in total for each person" in out
    found = document(run("budget", "staff", "--plan", "0.1x610", "--json"))
    assert found["levels"][0]["left"] == pytest.approx(0.5)
    assert {row["level"]: row["epsilon"] for row in found["planned"]}["epsilon 1"] == pytest.approx(63.0)
    alone = document(run("budget", "--plan", "0.1x610", "--json"))["planned"][0]
    assert 16.35 < alone["approximate"]["epsilon"] <= 16.36
    assert "16.36" in run("budget", "--plan", "0.1x610")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("budget", "nobody"), "there is no population 'nobody' in"),
        (("budget", "--delta", "1e-6"), "a delta is given without an epsilon; give --epsilon as well"),
        (("budget", "--epsilon", "nan"), "--epsilon is 'nan'; give a number of at least 0, or none"),
        (("budget", "--epsilon", "1", "--delta", "2"), "the limit has delta 2.0; give a number from 0 to 1"),
        (("budget", "--releases", "-1"), "the limit is -1 releases; give a whole number of at least 0"),
        (("budget", "--plan", "many"), "--plan has 'many'; give an epsilon up to 690 and how often, as in 0.1x610"),
        (("budget", "--plan", "-1x3"), "--plan has '-1x3'; give an epsilon up to 690 and how often"),
        (
            ("releases", "--allow", "3"),
            "--allow is for one population; give a graph, or use 'neodp budget --releases N'",
        ),
        (("releases", "nothing"), "there is no graph 'nothing' in"),
    ],
)
def test_refusals(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err


@both_stores
def test_stretching_shares_the_budget(run: Run, tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("user,item\na,x\na,y\nb,x\nb,y\nc,x\n")
    films = str(tmp_path / "films.csv")
    assert run("stretch", "load", films, "--population", "viewers")[0] == 0
    assert run("stretch", "neighbors", "films", "--epsilon", "0.5", "--release", "first")[0] == 0
    spent = "about population 'viewers' is refused: 1 answer given, 1 allowed"
    refused(run("stretch", "neighbors", "films", "--epsilon", "0.5"), spent)
    refused(run("stretch", "similarity", "films", "a", "b", "--epsilon", "0.5"), spent)
    run("budget", "viewers", "--releases", "3")
    refused(
        run("stretch", "similarity", "films", "a", "b", "--epsilon", "0.5", "--release", "first"),
        "release 'first' of 'films' was given already, and its numbers were not kept; give these another name",
    )
    assert run("stretch", "similarity", "films", "a", "b", "--epsilon", "0.5")[0] == 0
    found = document(run("budget", "viewers", "--json"))
    assert found["used"] == 2
    assert {row["level"]: row["epsilon"] for row in found["levels"]} == {"users": 2.5, "users a and b": 2.5}
    for words in (("neighbors", "films", "--epsilon", "-1"), ("similarity", "films", "a", "zz", "--epsilon", "1")):
        assert run("stretch", *words)[0] == 2
    assert document(run("budget", "viewers", "--json"))["used"] == 2  # what was refused cost nobody anything


def test_numbers_that_were_not_kept_are_not_offered_again(run: Run, tmp_path: Path) -> None:
    """The command that asked is kept whole, but only an answer that was kept can be seen again."""
    (tmp_path / "films.csv").write_text("user,item\na,x\na,y\nb,x\nb,y\nc,x\n")
    assert run("stretch", "load", str(tmp_path / "films.csv"))[0] == 0
    run("budget", "--releases", "9")
    asked = {
        "pair": "similarity films a b --measure dot --epsilon 0.5",
        "all": "neighbors films -k 2 --measure cosine --write --epsilon 0.25",
        "one": "neighbors films -k 1 --measure cosine --user a --scores --epsilon 0.5",
    }
    for name, words in asked.items():
        assert run("stretch", *words.split(), "--release", name)[0] == 0
    code, out, _ = run("releases")
    assert code == 0
    assert "pair" in out
    assert "again" not in out
    assert "neodp stretch" not in out
    kept = {row["release"]: row["command"] for row in document(run("releases", "--json"))["releases"]}
    assert kept == {name: f"neodp stretch {words}" for name, words in asked.items()}
    (tmp_path / "people.csv").write_text("answer\nyes\nyes\nno\n")
    poll = ("poll", str(tmp_path / "people.csv"), "--vote", "answer", "--epsilon", "1", "--mechanism", "balanced")
    assert run(*poll, "--release", "spring")[0] == 0
    out = run("releases")[1]
    assert "To see an answer again, at no cost:\n  neodp poll" in out
    assert "neodp stretch" not in out


def test_an_empty_name_is_refused_everywhere(run: Run, tmp_path: Path) -> None:
    """As from a variable that is not set: it was a population of its own, whose ledger nobody could read again."""
    table = people(tmp_path)
    (tmp_path / "ratings.csv").write_text("user,item\nann,tea\nben,tea\n")
    ratings = str(tmp_path / "ratings.csv")
    for words, message in (
        (("poll", table, *WORDS, "--population", "", "--release", "spring"), "the population has no name"),
        (("poll", table, *WORDS, "--population", "staff ", "--release", "spring"), "of the population is 'staff '"),
        (("poll", table, *WORDS, "--release", ""), "the release has no name"),
        (("poll", table, *WORDS, "--release", "spring\t"), r"the name of the release is 'spring\t'"),
        (("poll", table, *WORDS, "--name", ""), "the poll has no name"),
        (("generate", "path", "g", "4", "--population", ""), "the population has no name"),
        (("generate", "path", "", "4"), "the graph has no name"),
        (("generate", "path", "g ", "4"), "the name of the graph is 'g ', with blanks at its beginning or end"),
        (("budget", "", "--releases", "3"), "the population has no name"),
        (
            ("budget", "default ", "--releases", "3"),
            "the name of the population is 'default ', with blanks at its beginning or end",
        ),
        (("stretch", "load", ratings, "--name", ""), "the profile has no name"),
        (("stretch", "load", ratings, "--population", ""), "the population has no name"),
    ):
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (2, "", 1), words
        assert message in err
    assert document(run("releases", "--json"))["releases"] == []
    assert run("stretch", "load", ratings)[0] == 0
    code, _, err = run("stretch", "similarity", "ratings", "ann", "ben", "--epsilon", "1", "--release", "")
    assert (code, err.count("\n")) == (2, 1)
    assert "the release has no name" in err


def test_a_name_is_the_same_however_its_letters_are_written(run: Run, tmp_path: Path) -> None:
    """They were two budgets, which look alike."""
    table = people(tmp_path)
    one, two = "Zo\u00eb", "Zoe\u0308"
    first = document(run("poll", table, *WORDS, "--population", two, "--release", two, "--json"))["questions"][0]
    again = document(run("poll", table, *WORDS, "--population", one, "--release", one, "--json"))["questions"][0]
    assert again == first
    refused(run("poll", table, *WORDS, "--population", two, "--release", "b"), f"about population {one!r} is refused")
    assert document(run("budget", two, "--json"))["population"] == one
    assert run("generate", "path", two, "4", "--balanced", "--population", two)[0] == 0
    assert document(run("show", one, "--json"))["population"] == one
    assert run("extend", two)[0] == 0


def test_a_part_of_a_limit_that_is_not_named_stays(run: Run, tmp_path: Path) -> None:
    """A new number of releases took the limit of epsilon away, and the hint of the refusal said to do so."""

    def limit(*words: str) -> tuple[object, ...]:
        found = document(run("budget", "staff", *words, "--json"))
        return found["max_releases"], found["max_epsilon"], found["max_delta"]

    assert limit("--epsilon", "2") == (None, 2.0, 0.0)  # in place of the one answer that is free
    assert limit("--releases", "5") == (5, 2.0, 0.0)
    assert limit("--delta", "1e-6") == (5, 2.0, 1e-6)
    assert limit("--epsilon", "3") == (5, 3.0, 1e-6)
    assert (
        "the limit is 6 releases and epsilon 3 at delta 1e-06 in total" in run("budget", "staff", "--releases", "6")[1]
    )
    assert limit("--releases", "none") == (None, 3.0, 1e-6)
    assert limit("--releases", "1", "--epsilon", "none") == (1, None, 0.0)
    assert limit("--releases", "4") == (4, None, 0.0)
    assert limit("--releases", "none") == (1, None, 0.0)  # what everything begins with
    assert run("generate", "path", "g", "6", "--balanced", "--population", "staff")[0] == 0
    assert limit("--epsilon", "2") == (None, 2.0, 0.0)
    assert document(run("releases", "g", "--allow", "9", "--json"))["max_releases"] == 9
    assert limit() == (9, 2.0, 0.0)


def test_a_refusal_names_the_limit_that_was_hit(run: Run, tmp_path: Path) -> None:
    table = people(tmp_path)
    assert run("poll", table, *WORDS, "--release", "a")[0] == 0
    refused(run("poll", table, *WORDS, "--release", "b"), "'neodp budget default --releases N' allows more")
    assert run("budget", "--releases", "5", "--epsilon", "3")[0] == 0
    refused(run("poll", table, *WORDS, "--release", "b"), "'neodp budget default --epsilon E' allows more")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--plan", "1e308x1000"), "--plan has '1e308x1000'; give an epsilon up to 690 and how often, as in 0.1x610"),
        (("--plan", "1_0x2"), "--plan has '1_0x2'"),
        (("--plan", "1x\u0662"), "--plan has '1x\u0662'"),
        (("--releases", "1_0"), "--releases is '1_0'; give a number of at least 0, or none"),
        (("--releases", "-1"), "the limit is -1 releases; give a whole number of at least 0"),
        (("--epsilon", "inf"), "--epsilon is 'inf'; give a number of at least 0, or none"),
        (("--epsilon", "1", "--delta", "1_0"), "--delta is '1_0'; give a number in plain digits"),
        (("--delta", "0.1"), "a delta is given without an epsilon; give --epsilon as well"),
    ],
)
def test_numbers_that_are_none(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run("budget", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_plan_needs_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It costs what basic composition says, and makes no file; a store that is there still counts what was spent."""
    missing = tmp_path / "nothing.db"
    assert main(["--store", str(missing), "budget", "--plan", "0.5x4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["planned"][0]["epsilon"] == 2.0
    assert found["used"] == 0
    assert not missing.exists()

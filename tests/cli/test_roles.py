"""Steward and analyst: everything that is not private is refused to an analyst, by the environment or by the store."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from neodp.cli import COMMANDS, main, program
from neodp.cli.roles import RIGHTS
from neodp.store import open_store
from tests.running import Run, both_stores

PEOPLE = "answer,privacy\nyes,low\nno,high\nyes,low\nQUOTEDCELL,low\n"
SECRET = ("--vote", "answer", "--epsilon", "privacy", "--levels", "low=2,high=0.3", "--secret-levels")
EVERY = [words for commands in COMMANDS.values() for words in commands]


@pytest.fixture
def people(tmp_path: Path) -> str:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return str(tmp_path / "people.csv")


def refused(found: tuple[int, str, str]) -> str:
    code, out, err = found
    assert (code, out) == (1, "")
    return err


@pytest.fixture(params=["environment", "store"])
def analyst(request: pytest.FixtureRequest, survey: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A store with a graph and profiles, used by an analyst."""
    (tmp_path / "likes.csv").write_text("user,item\na,x\nb,x\nc,y\n")
    assert survey("stretch", "load", str(tmp_path / "likes.csv"), "--population", "fans")[0] == 0
    if request.param == "environment":
        monkeypatch.setenv("NEODP_ROLE", "analyst")
    else:
        assert survey("init", "--analyst")[0] == 0
    return survey


REFUSED = (
    "eval survey 2-3",
    "eval survey 2-3 --write",
    "query summary survey",
    "query weight_histogram likes",
    "export survey out",
    "plot survey -o out.svg",
    "explore survey -o out.html",
    "explore",
    "extend survey --mode stream",
    "boundary survey",
    "compare survey survey",
    "what-if survey --by 1",
    "generate path g 3 --epsilon 1",
    "drop survey --yes",
    "init",
    "init --steward",
    "backup copy.db",
    "ledger export out.jsonl",
    "stretch list",
    "stretch recall likes",
    "stretch utility likes --epsilon 1",
    "stretch drop likes --yes",
    "answer survey 2-3 --release a --keep-key",
    "releases survey --allow 5",
    "budget --epsilon 100",
    "budget --releases none",
    "protect staff --people Person --epsilon epsilon",
    "protect staff --drop",
    "audit survey --losses out.csv",
    "stretch neighbors likes -k 1 --epsilon 1 --write",
)
"""Commands and options that are for the steward."""


@both_stores
def test_what_is_not_private_is_refused(analyst: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    for words in REFUSED:
        assert "for the steward" in refused(analyst(*words.split())), words
        told = json.loads(refused(analyst(*words.split(), "--json")))
        assert told["error"]["kind"] == "steward_only"
    assert {path.name for path in tmp_path.iterdir()} == before


@both_stores
def test_private_answers_and_public_facts_are_shown(analyst: Run, tmp_path: Path) -> None:
    assert analyst("answer", "survey", "2-3", "--release", "spring")[1] in ("yes\n", "no\n")
    for words in (
        "list", "show survey", "check survey", "audit survey", "releases", "budget", "budget --plan 1x2",
        "protect --list", f"report spring -o {tmp_path / 'r.html'}", f"verify {tmp_path / 'r.html'}",
    ):  # fmt: skip
        code, _, err = analyst(*words.split())
        assert (code, err) == (0, ""), words


def test_who_chooses_the_epsilon_needs_a_limit(
    analyst: Run, people: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An analyst who names the epsilon, and the population, spends at most what the steward has allowed."""
    similar = ("stretch", "similarity", "likes", "a", "b", "--epsilon", "1")
    poll = ("poll", people, *SECRET, "--release", "spring", "--population", "staff")
    for words in (similar, poll):
        assert "has no limit in epsilon" in refused(analyst(*words))
    with open_store(address) as store:
        store.change_limit("fans", epsilon=2.0)
        store.change_limit("staff", epsilon=2.0)
    assert analyst(*similar)[0] == 0
    assert "would have spent epsilon 4" in refused(analyst(*similar))
    assert analyst(*poll)[0] == 0
    again = ("poll", people, *SECRET, "--cap", "9", "--release", "summer", "--population", "staff")
    assert "is refused" in refused(analyst(*again))


def test_options_of_a_poll_that_would_tell_a_cell(analyst: Run, people: str) -> None:
    for more in (
        "--reveal", "--header-row 2", "--delimiter ;", "--encoding utf-8", "--sheet s", "--by answer", "--id answer",
        "--mechanism balanced", "--what-if 1",
    ):  # fmt: skip
        err = refused(analyst("poll", people, *SECRET, *more.split()))
        assert f"'{more.split()[0]}' of 'neodp poll' is for the steward" in err


def test_levels_that_are_columns_of_another_file(analyst: Run, people: str, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("level,epsilon\nann,0.7\n")
    words = ("poll", people, "--vote", "answer", "--epsilon", "privacy", "--secret-levels", "--levels")
    assert "from a file is for the steward" in refused(analyst(*words, str(tmp_path / "other.csv")))


def test_a_poll_with_public_levels_could_show_any_column(analyst: Run, people: str) -> None:
    words = ("poll", people, "--vote", "privacy", "--options", "low,high", "--epsilon", "answer")
    assert "add --secret-levels" in refused(analyst(*words, "--levels", "yes=1,no=2,QUOTEDCELL=3"))


def test_errors_quote_no_cell(analyst: Run, people: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("poll", people, *SECRET[:2], "--epsilon", "nothing", "--secret-levels")
    err = refused(analyst(*words))
    assert "the poll and its table do not fit together" in err
    assert "privacy" not in err
    monkeypatch.setenv("NEODP_ROLE", "steward")
    code, _, err = analyst(*words)
    assert code == 2
    assert "its columns are answer, privacy" in err
    assert "QUOTEDCELL" in analyst("poll", people, *SECRET[:-1])[2]


@both_stores
def test_a_store_without_a_mark_is_the_stewards_and_a_mark_can_be_taken_away(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(run("init", "--json")[1])["role"] == "steward"
    assert json.loads(run("init", "--analyst", "--json")[1])["role"] == "analyst"
    assert "is for the steward" in refused(run("init", "--analyst"))
    monkeypatch.setenv("NEODP_ROLE", "steward")
    assert "private answers only" in run("init")[1]
    assert json.loads(run("init", "--steward", "--json")[1])["role"] == "steward"
    monkeypatch.delenv("NEODP_ROLE")
    assert run("init")[0] == 0


def test_a_role_that_there_is_not(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("NEODP_ROLE", "Analyst")
    assert run("list") == (2, "", "neodp: NEODP_ROLE is 'Analyst'; set it to steward or analyst\n")
    assert main(["--help"]) == 0


def test_the_table_in_security_md_is_the_programs() -> None:
    """Every command is in it once, with a yes only where the program has one; so are the options that are refused."""
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text().partition("### What each procedure")[0]
    rows = re.findall(r"^\| (`[^|]*`) \| (.*) \|$", text, re.MULTILINE)
    named = [(words, said) for cell, said in rows for words in re.findall(r"`([^`]*)`", cell)]
    assert sorted(words for words, _ in named) == sorted(EVERY)
    assert {words for words, said in named if not said.startswith("no:")} == set(RIGHTS)
    for words, options in RIGHTS.items():
        command: Any = program()
        for word in words.split():
            command = command.commands[word]
        known = {parameter.name for parameter in command.load().params}
        assert options <= known, words

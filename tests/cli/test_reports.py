"""report, verify, and poll --report."""

import json
from pathlib import Path

import pytest

from tests.running import Run, document

POLL = ("poll", "people.csv", "--vote", "v", "--epsilon", "1", "--release", "spring")


@pytest.fixture(autouse=True)
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder with the table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("v\n" + "yes\n" * 30)


def test_from_a_table_to_a_page_that_can_be_checked(run: Run, tmp_path: Path) -> None:
    assert run(*POLL, "--report", "spring.html", "--title", "Is tea better?")[0] == 0
    assert "Is tea better?" in (tmp_path / "spring.html").read_text()
    assert document(run("report", "spring", "-o", "spring.json", "--json")) == {
        "release": "spring",
        "file": "spring.json",
        "certificates": 1,
        "missing": [],
    }
    for file in ("spring.html", "spring.json"):
        found = document(run("verify", file, "--json"))
        assert (found["valid"], found["problems"]) == (True, [])
    assert run("verify", "spring.html")[1].startswith("valid: ")


def test_a_changed_report_is_not_valid(run: Run, tmp_path: Path) -> None:
    run(*POLL, "--report", "spring.json")
    page = json.loads((tmp_path / "spring.json").read_text())
    page["certificates"][0]["release"]["answer"] = "no"
    (tmp_path / "spring.json").write_text(json.dumps(page))
    code, out, _ = run("verify", "spring.json", "--json")
    assert code == 1
    assert json.loads(out)["valid"] is False
    assert len(json.loads(out)["problems"]) == 1


def test_what_cannot_be_reported_is_refused_before_an_answer_is_drawn(run: Run, tmp_path: Path) -> None:
    code, _, err = run(*POLL, "--report", "spring.pdf")
    assert (code, err.strip()) == (
        2,
        "neodp: a report cannot be written to 'spring.pdf'; end its name with .html, .md or .json",
    )
    code, _, err = run(*POLL[:-2], "--report", "spring.html")
    assert (code, err.strip()) == (2, "neodp: --report is about an answer; add --release NAME, which draws one")
    (tmp_path / "spring.html").write_text("mine")
    code, _, err = run(*POLL, "--report", "spring.html")
    assert (code, err.strip()) == (
        2,
        "neodp: spring.html already exists; name another file, or use --force to replace it",
    )
    assert document(run("releases", "--json")) == {"releases": []}
    assert run("verify", "spring.html")[0] == 2
    assert run("verify", "nowhere.html")[0] == 2


def test_an_unknown_release_has_no_report(run: Run) -> None:
    run(*POLL)
    code, _, err = run("report", "sprint", "-o", "r.html")
    assert code == 2
    assert "there is no release 'sprint' in" in err
    assert "spring" in err

"""backup, ledger export and ledger import on the command line, on both stores."""

import io
import json
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from neodp.store import open_store
from tests.running import Run, both_stores, document

PEOPLE = "answer,privacy\n" + "yes,1\nno,1\n" * 8


def poll(folder: Path) -> list[str]:
    (folder / "people.csv").write_text(PEOPLE)
    return ["poll", str(folder / "people.csv"), "--vote", "answer", "--epsilon", "privacy", "--mechanism", "weighted"]


@both_stores
def test_the_same_poll_gets_the_same_answer_from_another_store(run: Run, tmp_path: Path) -> None:
    words, ledger, other = poll(tmp_path), str(tmp_path / "ledger.jsonl"), str(tmp_path / "other.db")
    assert run("budget", "--releases", "12")[0] == 0
    asked = [[*words, "--release", f"r{i}", "--json"] for i in range(12)]
    answers = [document(run(*each))["questions"][0]["answer"] for each in asked]
    assert document(run("ledger", "export", ledger, "--json")) == {"releases": 12, "populations": 1, "file": ledger}
    assert stat.S_IMODE(Path(ledger).stat().st_mode) == 0o600
    code, out, err = run("--store", other, "ledger", "import", ledger)
    assert (code, out, err) == (0, f"imported 12 releases about 1 population into {other}\n", "")
    assert [document(run(*each, "--store", other))["questions"][0]["answer"] for each in asked] == answers
    again = document(run("--store", other, "ledger", "import", ledger, "--json"))
    assert again == {"imported": 0, "known": 12, "populations": 1, "store": other}
    assert "is refused: 12 answers given, 12 allowed" in run(*words, "--release", "new", "--store", other)[2]


@both_stores
def test_through_standard_output_and_input(
    survey: Run, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(tmp_path / "other.db")
    with open_store(address) as store:
        answer = store.answer("survey", "2-2", "spring ä").answer
    code, written, err = survey("ledger", "export")
    assert (code, err, written.isascii()) == (0, "", True)
    kinds = [next(iter(json.loads(line))) for line in written.splitlines()]
    assert kinds == ["neodp", "population", "release", "populations"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
    assert survey("--store", other, "ledger", "import", "-")[0] == 0
    with open_store(other) as store:
        assert [release.answer for release in store.ledger().releases] == [answer]


@both_stores
def test_a_conflict_is_named_and_refused(survey: Run, address: str, tmp_path: Path) -> None:
    ledger, other = str(tmp_path / "ledger.jsonl"), str(tmp_path / "other.db")
    assert survey("answer", "survey", "2-2", "--release", "spring")[0] == 0
    assert survey("ledger", "export", ledger)[0] == 0
    for words in (["generate", "counts", "survey", "4", "5", "--epsilon", "0.25", "--balanced"], ["extend", "survey"]):
        assert survey("--store", other, *words)[0] == 0
    assert survey("--store", other, "answer", "survey", "2-2", "--release", "spring")[0] == 0
    code, out, err = survey("--store", other, "ledger", "import", ledger)
    assert (code, out) == (1, "")
    assert err.startswith(
        "neodp: release 'spring' of 'survey' is in the store already, with another question; nothing was"
    )
    with open_store(other) as store:
        assert store.ledger().used == 1


def test_what_cannot_be_imported_makes_no_store(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello\n")
    code, _, err = run("--store", str(tmp_path / "new.db"), "ledger", "import", str(tmp_path / "file"))
    assert (code, "file is not a ledger of neodp" in err) == (2, True)
    assert not (tmp_path / "new.db").exists()
    code, _, err = run("ledger", "export", "--json")
    assert code == 2
    assert "the ledger and the document of --json cannot both go to standard output" in err
    assert run("--store", str(tmp_path / "new.db"), "ledger", "export")[0] == 3
    assert not (tmp_path / "new.db").exists()


def test_a_backup(survey: Run, address: str, tmp_path: Path) -> None:
    target = str(tmp_path / "b.db")
    made = document(survey("backup", target, "--json"))
    assert made == {"store": address, "file": target, "bytes": Path(target).stat().st_size}
    code, out, err = survey("backup", target)
    assert (code, out) == (2, "")
    assert err == f"neodp: {target} already exists; name another file, or use --force to replace it\n"
    code, out, err = survey("backup", target, "--force")
    assert (code, err) == (0, "")
    assert out == f"backed up {address} to {target}, {made['bytes']:,} bytes, checked\n"
    assert document(survey("--store", target, "show", "survey", "--json"))["datasets"] == 30
    assert survey("backup", "-")[2] == "neodp: a backup is a file, and cannot go to standard output; name a file\n"
    assert survey("backup", address, "--force")[2] == f"neodp: {address} is the store itself; name another file\n"
    missing = str(tmp_path / "missing.db")
    assert survey("--store", missing, "backup", str(tmp_path / "c.db"))[0] == 3
    assert not Path(missing).exists()


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_a_server_is_backed_up_by_its_own_tools(run: Run, tmp_path: Path) -> None:
    code, out, err = run("backup", str(tmp_path / "b.db"))
    assert (code, out) == (2, "")
    assert "is backed up by Neo4j's own tools; use neo4j-admin database dump or backup for the database, and" in err
    assert "'neodp ledger export FILE' for what was answered, see docs/backup.md\n" in err


def test_a_damaged_graph_says_how_to_save_the_ledger(survey: Run, address: str, tmp_path: Path) -> None:
    assert survey("answer", "survey", "2-2", "--release", "spring")[0] == 0
    connection = sqlite3.connect(address)
    connection.execute("UPDATE chunk SET data = zeroblob(length(data))")
    connection.commit()
    connection.close()
    code, _, err = survey("audit", "survey")
    assert code == 3
    assert err.endswith("see docs/backup.md; the ledger is intact: 'neodp ledger export FILE' saves it\n")
    assert err.count("\n") == 1
    assert survey("ledger", "export", str(tmp_path / "ledger.jsonl"))[0] == 0
    new = str(tmp_path / "new.db")
    assert survey("--store", new, "ledger", "import", str(tmp_path / "ledger.jsonl"))[0] == 0
    with open_store(address) as damaged, open_store(new) as store:
        assert store.ledgers() == damaged.ledgers()

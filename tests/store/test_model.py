"""Ordinary use of every store, compared with a model in plain Python (``attacks/model``)."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from attacks.model.machine import Machine
from neodp.cli import main
from neodp.store import open_store
from neodp.store.embedded import columns

EPSILONS = (*[0.5] * 10, *(math.log(x) for x in (2, 3, 5, 7)))


@pytest.fixture
def parts_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine may make the parts of columns short, an internal matter: many parts are otherwise for large graphs."""
    monkeypatch.setattr(columns, "PART", columns.PART)
    monkeypatch.setattr(columns, "KEPT", columns.KEPT)


def run(address: str, seed: int, operations: int, folder: Path) -> None:
    machine = Machine(address, seed, folder)
    try:
        machine.run(operations)
    finally:
        machine.close()
    assert machine.done.total() == operations + 1
    assert machine.model.releases


@pytest.mark.usefixtures("parts_as_they_were")
@pytest.mark.parametrize("seed", [1, 2])
def test_random_use_of_the_embedded_store_is_what_the_model_says(tmp_path: Path, seed: int) -> None:
    run(str(tmp_path / "store.db"), seed, 120, tmp_path)


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_random_use_of_a_server_is_what_the_model_says(address: str, tmp_path: Path) -> None:
    run(address, 3, 60, tmp_path)


def test_fourteen_polls_by_a_process_each_are_answered_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten with epsilon 0.5, then ln 2, ln 3, ln 5 and ln 7: a former embedded store damaged the fourteenth release."""
    table, store = tmp_path / "people.csv", str(tmp_path / "store.db")
    table.write_text("answer\n" + "yes\nno\nyes\n" * 5)
    polls = [
        (
            "poll",
            str(table),
            "--vote",
            "answer",
            "--epsilon",
            repr(epsilon),
            "--mechanism",
            "balanced",
            "--release",
            str(i),
        )
        for i, epsilon in enumerate(EPSILONS)
    ]

    def another_process(*words: str) -> str:
        command = [sys.executable, "-m", "neodp", "--store", store, "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def here(*words: str) -> str:
        code = main(["--store", store, "--json", *words])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    open_store(store).close()
    here("budget", "--releases", "14")
    answers = [json.loads(another_process(*words))["questions"][0]["answer"] for words in polls]
    releases, spent = here("releases"), here("budget")
    assert len(json.loads(releases)["releases"]) == 14
    assert [json.loads(here(*words))["questions"][0]["answer"] for words in polls] == answers
    assert (another_process("releases"), another_process("budget")) == (releases, spent)

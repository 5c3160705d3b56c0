"""``neodp doctor``: what is there, what is missing, how to get it, and the exit code."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

import neodp
from neodp.cli import main
from neodp.cli.doctor import FOR_DEVELOPERS
from tests.running import Run, both_stores, document


@both_stores
def test_a_store_that_works(survey: Run, address: str) -> None:
    found = document(survey("doctor", "--json"))
    assert found["ok"]
    states = {each["what"]: each for each in found["findings"]}
    assert states["neodp"]["found"].startswith(neodp.__version__)
    assert "numpy" in states["libraries"]["found"]
    assert (states["rights"]["state"], states["rights"]["found"][:14]) == ("ok", "read and write")
    assert states["graphs"]["found"] == "1"
    if "://" in address:
        assert states["server"]["found"].startswith("Neo4j/")
        assert states["plugin"]["state"] == "missing"
    before = document(survey("list", "--json"))
    code, out, err = survey("doctor")
    assert (code, err) == (0, "")
    assert "what is there" in out
    assert document(survey("list", "--json")) == before  # asking changes nothing


def test_a_store_that_is_not_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("NEODP_STORE", "NEO4J_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--json"]) == 0
    store = json.loads(capsys.readouterr().out)["findings"][-1]
    assert store["found"] == "neodp.db (by default): the file does not exist yet"
    assert store["remedy"].startswith("'neodp init', 'neodp generate' or 'neodp load' creates it")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--store", str(tmp_path / "no" / "folder")]) in (1, 3)
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["findings"][-1]["what"], found["findings"][-1]["state"]) == (False, "store", "wrong")
    assert main(["doctor", "--store", "http://localhost"]) == 2
    assert "is of an unknown kind" in capsys.readouterr().out


def test_an_extra_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = metadata.version

    def without(name: str) -> str:
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", without)
    assert main(["doctor", "--store", str(tmp_path / "s.db")]) == 0
    assert "extra plot: pip install '.[plot]' in the checkout" in capsys.readouterr().out


def test_every_extra_is_for_users_or_for_developers() -> None:
    extras = set(metadata.metadata("neodp").get_all("Provides-Extra") or [])
    assert extras - FOR_DEVELOPERS >= {"plot", "opendp", "excel"}

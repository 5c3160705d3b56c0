"""A bounded slice of the attacks: a try of each kind, with fixed seeds. ``python -m attacks`` makes more."""

import os
from pathlib import Path

import pytest

from attacks import batches
from attacks.arena import Arena
from attacks.attack import Attack, Tally, attacks, attempt
from tools import neo4j_server as servers

EVERY = [each for each in attacks() if each.where != "plugin" and not each.name.startswith("server-")]
"""Attacks on a server take one of their own, so there are none here."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the small tries that one process makes."""
    monkeypatch.setattr(batches, "SHARE", 0.25)


def _attempt(each: Attack, run: Arena) -> None:
    tally = Tally()
    attempt(each, f"slice {each.name} 0", run, tally)
    assert tally.failures == []
    if tally.impossible:
        assert os.geteuid() != 0 or os.environ.get("CI", "").lower() not in {"true", "1"}, tally.impossible
        pytest.skip(tally.impossible)


@pytest.mark.parametrize("each", [each for each in EVERY if each.where != "neo4j"], ids=lambda each: each.name)
def test_attack(each: Attack, tmp_path: Path) -> None:
    _attempt(each, Arena(tmp_path, "", tmp_path))


@pytest.mark.parametrize("each", [each for each in EVERY if each.where == "neo4j"], ids=lambda each: each.name)
def test_attack_neo4j(each: Attack, tmp_path: Path, neo4j_server: servers.Server) -> None:
    with neo4j_server.driver(notifications_min_severity="OFF") as driver:
        servers.wipe(driver, keep="neodp_")
        _attempt(each, Arena(tmp_path, neo4j_server.uri, tmp_path, neo4j_server, driver))

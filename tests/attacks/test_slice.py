"""A bounded slice of the attacks: a few tries of each kind, with fixed seeds. ``python -m attacks`` makes more."""

import os
from pathlib import Path

import pytest

from attacks.arena import Arena
from attacks.attack import Attack, Tally, attacks, attempt
from tools import neo4j_server as servers

TRIES = {"kills": 2}
"""The number of tries, if it is not one. Attacks on a server take one of their own, so there are none here."""
EVERY = [each for each in attacks() if each.where != "plugin" and not each.name.startswith("server-")]


def _attempts(each: Attack, run: Arena) -> None:
    tally = Tally()
    for number in range(TRIES.get(each.name, 1)):
        attempt(each, f"slice {each.name} {number}", run, tally)
    assert tally.failures == []
    if tally.impossible:
        assert os.geteuid() != 0 or os.environ.get("CI", "").lower() not in {"true", "1"}, tally.impossible
        pytest.skip(tally.impossible)


@pytest.mark.parametrize("each", [each for each in EVERY if each.where != "neo4j"], ids=lambda each: each.name)
def test_attack(each: Attack, tmp_path: Path) -> None:
    _attempts(each, Arena(tmp_path, "", tmp_path))


@pytest.mark.parametrize("each", [each for each in EVERY if each.where == "neo4j"], ids=lambda each: each.name)
def test_attack_neo4j(each: Attack, tmp_path: Path, neo4j_server: servers.Server) -> None:
    with neo4j_server.driver(notifications_min_severity="OFF") as driver:
        servers.wipe(driver, keep="neodp_")
        _attempts(each, Arena(tmp_path, neo4j_server.uri, tmp_path, neo4j_server, driver))

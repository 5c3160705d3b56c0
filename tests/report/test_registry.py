"""Entries for the registry of deployments: they fit its schema once they are filled in, and state what was spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml as other_yaml  # type: ignore[import-untyped]

import neodp
from neodp.errors import GraphError
from neodp.ledger.account import Limit
from neodp.report.registry import FILL_IN, entry, nist, yaml
from neodp.store import Store

BASIC = "name data_curators description intended_use data_product_type data_product_region publication_date"
SCHEMA = {
    "basic": {*BASIC.split(), "data_product_sector"},
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {
        *("privacy_unit", "privacy_unit_details", "number_of_privacy_units", "privacy_parameters"),
        "privacy_parameters_details",
    },
    "deployment_model": {
        *("model_name", "model_name_details", "trust_assumptions", "actors", "release_type", "release_type_details"),
        *("data_source_type", "data_source_type_details", "access_type", "access_type_details"),
    },
    "implementation": {
        *("preprocessing_and_hyperparameter_tuning", "mechanisms", "composition", "post_processing", "justification"),
        *("utility", "additional_information"),
    },
    "administrative": {"evidence_sources", "status", "registry_authors", "tier"},
}
"""The fields that the registry's schema allows; it allows no others."""
VALUES = {
    "data_product_type": ("Summary statistics", "Dataset", "Interactive API"),
    "variant_name": ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
    "model_name": ("Local", "Central", "Shuffle", "Federated"),
    "release_type": ("One release", "Many releases"),
    "data_source_type": ("Static", "Dynamic"),
    "access_type": ("Interactive", "Non-interactive"),
    "status": ("Draft",),
    "tier": (1, 2, 3),
}


def deployment(store: Store) -> dict[str, Any]:
    ledgers = [store.ledger(name) for name in store.populations()]
    text = yaml(entry(ledgers), nist(ledgers))
    found = other_yaml.safe_load(text)
    assert found == entry(ledgers)  # the YAML says the same
    assert set(found) == {"url_slug", "deployment"}
    parts: dict[str, Any] = found["deployment"]
    return parts


def test_an_entry_fits_the_schema_of_the_registry(tmp_path: Path) -> None:
    with neodp.open_store(tmp_path / "answers.db") as store:
        store.allow("staff", Limit(3))
        for name in ("spring", "summer"):
            neodp.poll({"v": ["yes", "no"] * 20, "e": [0.5, 1.0] * 20}, vote="v", epsilon="e").with_mechanism(
                "balanced"
            ).release(store, name, population="staff")
        found = deployment(store)
    assert found.keys() == SCHEMA.keys()
    for part, fields in found.items():
        assert set(fields) <= SCHEMA[part], part
        for name, value in fields.items():
            assert value in VALUES.get(name, (value,)), name
    assert set(BASIC.split()) <= found["basic"].keys()
    assert found["privacy_loss"]["privacy_parameters"] == {"epsilon": 2}
    assert found["privacy_loss"]["number_of_privacy_units"] == 40
    assert "1 (epsilon 0.5) and 2 (epsilon 1)" in found["privacy_loss"]["privacy_parameters_details"]
    assert found["deployment_model"]["release_type"] == "Many releases"
    assert found["basic"]["data_curators"][0]["data_curator_name"].startswith(FILL_IN)


def test_nothing_about_people_whose_levels_are_secret_is_in_an_entry(tmp_path: Path) -> None:
    found = []
    for people in (30, 300):
        with neodp.open_store(tmp_path / f"{people}.db") as store:
            table = {"v": ["yes"] * people, "e": [2.0] * people}
            neodp.poll(table, vote="v", epsilon="e", secret_levels=True).release(store, "spring")
            found.append(deployment(store))
    assert found[0] == found[1]
    assert "number_of_privacy_units" not in found[0]["privacy_loss"]
    assert found[0]["dp_variant"]["unprotected_quantities"].startswith("None")


def test_a_store_without_answers_has_no_entry(tmp_path: Path) -> None:
    with neodp.open_store(tmp_path / "answers.db") as store, pytest.raises(GraphError, match="nothing was answered"):
        entry([store.ledger("default")])


@pytest.mark.parametrize(("unit", "said"), [("people", "Person"), ("relationships", "Relationship")])
def test_the_unit_of_privacy_is_what_was_protected(unit: str, said: str, tmp_path: Path) -> None:
    kinds: dict[str, Any] = {"people": {"people": "Person"}, "relationships": {"relationships": "KNOWS"}}
    with neodp.open_store(tmp_path / "answers.db") as store:
        public = () if unit == "people" else ("Person",)
        store.protect(neodp.Protection("staff", "epsilon", **kinds[unit], public=public))
        nodes = {"Person": {"id": [1, 2, 3], "epsilon": [1.0] * 3}}
        friends = {"KNOWS": {"from": [1, 2], "to": [2, 3], "epsilon": [1.0] * 2}}
        question = "MATCH (a:Person)-[:KNOWS]-(b:Person)"
        neodp.ask(store, "staff", question, at_least=1, nodes=nodes, relationships=friends).release("spring")
        loss = deployment(store)["privacy_loss"]
        told = {each["layer"]: each["answer"] for each in nist([store.ledger(name) for name in store.populations()])}
    assert "depends on the graph: those who ask must not measure it" in told["Side channels"]
    assert loss["privacy_unit"] == said
    assert f"one {said.lower()}" in loss["privacy_unit_details"]

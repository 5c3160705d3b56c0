"""Protections: each label one role, each mistake one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.asking.protection import Protection
from neodp.errors import GraphError, StoreError


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "needs one kind of protected unit"),
        ({"people": "A", "relationships": "B"}, "needs one kind of protected unit"),
        ({"people": ""}, "the label of the people is ''"),
        ({"people": "A\\u0060"}, "the label of the people is"),
        ({"people": "A", "owned": [("A", "OWNS")]}, "the label 'A' has two roles, people and owned"),
        ({"people": "A", "owned": [("B", "OWNS")], "public": ["B"]}, "the label 'B' has two roles, owned and public"),
        ({"people": "A", "owned": [("B", "OWNS"), ("B", "HAS")]}, "two types of relationships to its owners"),
        ({"people": "A", "properties": ["epsilon"]}, "the epsilons, 'epsilon', cannot be asked"),
        ({"people": "A", "default_epsilon": -1.0}, "the default epsilon is -1.0"),
        ({"people": "A", "default_epsilon": float("nan")}, "the default epsilon is nan"),
        ({"people": "A", "most_matches": 0}, "the limit is 0 matches"),
        ({"relationships": "A", "owned": [("B", "OWNS")]}, "nothing can be owned if relationships are protected"),
    ],
)
def test_a_protection_that_means_nothing_is_refused(parts: dict[str, Any], why: str) -> None:
    with pytest.raises(GraphError, match=why):
        Protection("staff", "epsilon", **parts)


def test_the_budget_belongs_to_the_label_whatever_the_name() -> None:
    one = Protection("staff", "epsilon", people="Person", properties=("ill",))
    other = Protection("others", "level", people="Person", public=("Office",))
    assert one.account == other.account == "(:Person)"
    assert Protection("calls", "epsilon", relationships="CALLED").account == "[:CALLED]"


def test_a_digest_tells_protections_apart_but_not_their_names_or_the_order_of_their_parts() -> None:
    one = Protection("staff", "epsilon", people="Person", properties=("ill", "age"))
    assert one.digest == Protection("others", "epsilon", people="Person", properties=("age", "ill")).digest
    assert one.digest != Protection("staff", "epsilon", people="Person", properties=("ill",)).digest
    assert Protection.read(one.text) == one


@pytest.mark.parametrize("text", ["", "5", "[]", "{}", '{"population": 5, "epsilon": "e", "people": "P"}'])
def test_a_protection_that_was_edited_is_named_and_can_be_made_again(tmp_path: Path, text: str) -> None:
    with neodp.open_store(str(tmp_path / "a.db")) as store:
        store.port.put_protection("staff", text)
        for does in (store.protections, lambda: store.protection("staff")):
            with pytest.raises(StoreError, match=r"the protection of population 'staff' cannot be read"):
                does()
        made = store.protect(Protection("staff", "e", people="P"))
        assert store.protections() == [made]

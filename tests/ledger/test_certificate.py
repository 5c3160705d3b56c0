"""Certificates are valid as they are made; every change is noticed, by arithmetic if the digests were forged."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.ledger.verification import digests, power, verify
from neodp.report import report

Certificate = dict[str, Any]
Place = tuple[str | int, ...]


def yes_no(people: int = 12) -> dict[str, list[Any]]:
    return {"vote": ["yes", "no", "yes"] * (people // 3), "e": [0.1, 1.0, 2.0] * (people // 3)}


def three(people: int) -> dict[str, list[Any]]:
    return {"vote": ["a", "b", "c"] * (people // 3), "e": [0.3, 1.0, 1.0] * (people // 3)}


POLLS: dict[str, tuple[dict[str, list[Any]], dict[str, Any]]] = {
    "balanced": (yes_no(), {"mechanism": "balanced"}),
    "threshold": (yes_no(), {"query": "threshold:2/3", "mechanism": "balanced"}),
    "certain": (yes_no(), {"query": "threshold:0"}),
    "balanced plurality": (three(9), {"query": "plurality", "options": "a,b,c", "mechanism": "balanced"}),
    "scores": (yes_no(), {"mechanism": "weighted"}),
    "scores in a window": (yes_no(3000), {"mechanism": "weighted"}),
    "tables": (three(6), {"query": "plurality", "options": "a,b,c", "mechanism": "weighted"}),
    "gaps": (three(60), {"query": "plurality", "options": "a,b,c", "mechanism": "weighted"}),
    "ordered gaps": (three(3000), {"query": "plurality", "options": "a,b,c", "mechanism": "weighted"}),
    "flip": (three(300), {"query": "plurality", "options": "a,b,c,d,e,f,g,h,i,j", "mechanism": "weighted"}),
    "parts": (
        yes_no() | {"team": ["x", "x", "y", "y"] * 3},
        {"by": "team", "by_values": "x,y", "mechanism": "balanced"},
    ),
    "many levels": ({"vote": ["yes", "no"] * 50, "e": [0.01 * (i + 1) for i in range(100)]}, {"mechanism": "balanced"}),
}


@pytest.fixture(scope="module", params=[*POLLS, "graph", "graph with delta", "rainbow"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One certificate of each kind, as JSON gives it back."""
    folder = tmp_path_factory.mktemp("certificates")
    with neodp.open_store(folder / "answers.db") as store:
        if request.param in POLLS:
            table, options = POLLS[request.param]
            survey = neodp.poll(table, vote="vote", epsilon="e", **options)
            survey.release(store, "r")
            (found,) = report(store, "r", survey=survey).certificates
        else:
            graph = graphs()[request.param]
            store.load("g", graph.with_alpha(neodp.balanced(graph)))
            store.answer("g", graph.key(0), "r", keep_key=True)
            (found,) = report(store, "r").certificates
    again: Certificate = json.loads(json.dumps(found))
    return again


@cache
def graphs() -> dict[str, neodp.DatasetGraph]:
    return {
        "graph": neodp.generate.counts([2, 2], epsilon=[0.5, 1.0]),
        "graph with delta": neodp.generate.path(6, epsilon=0.5, delta=0.01),
        "rainbow": neodp.generate.plurality(3, epsilon=0.5),
    }


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of all values that are neither objects nor arrays; of long arrays, only of both ends."""
    if isinstance(value, dict):
        for name in value:
            yield from leaves(value[name], (*place, name))
    elif isinstance(value, list):
        shown = range(len(value)) if len(value) <= 12 else [*range(6), *range(len(value) - 6, len(value))]
        for i in shown:
            yield from leaves(value[i], (*place, i))
    else:
        yield place


def at(certificate: Certificate, place: Place) -> Any:
    found: Any = certificate
    for step in place:
        found = found[step]
    return found


def changed(certificate: Certificate, place: Place, value: Any) -> Certificate:
    other = copy.deepcopy(certificate)
    at(other, place[:-1])[place[-1]] = value
    return other


def another(value: Any) -> list[Any]:
    """Some other values of the same kind, and one of another."""
    if isinstance(value, bool) or value is None:
        return [not value, 7]
    if isinstance(value, int):
        return [value + 1, value - 1, None]
    return [value * 1.5 + 0.25, value / 2 - 0.125, "x"] if isinstance(value, float) else [f"{value}x", "", None]


def test_a_certificate_is_valid_and_has_no_secret(made: Certificate) -> None:
    assert verify(made) == []
    assert "key" not in made["release"]
    assert len(made["release"]["date"]) == 10


def test_every_change_of_a_field_is_noticed(made: Certificate) -> None:
    """Whatever the new value, a missing field, or one too many."""
    places = list(leaves(made))
    assert len(places) > 20
    for place in places:
        for value in another(at(made, place)):
            assert verify(changed(made, place, value)), place
        less = copy.deepcopy(made)
        del at(less, place[:-1])[place[-1]]
        assert verify(less), place
    assert verify(made | {"more": 1})


UNVERIFIABLE = {
    *("neodp", "release.about", "release.name", "release.date", "question.table", "question.column", "question.by"),
    *("question.by_other", "question.sheet", "question.encoding", "question.delimiter", "question.skip_empty"),
    *("question.epsilon", "question.graph", "question.prior"),
}
"""Names and settings that nothing else in a certificate determines: only the digests show that they were changed."""


def forged(certificate: Certificate) -> Certificate:
    """The certificate with digests that fit, as a forger would make them."""
    return certificate | {"digests": digests(certificate)}


def test_digests_that_were_forged_do_not_hide_a_change(made: Certificate) -> None:
    """Names and settings are not determined by the rest, and there is more than one private mechanism: see below."""
    unnoticed = []
    for place in leaves(made):
        named = ".".join(map(str, place[:2]))
        single = {"chances", "rows", "weight", "low", "below", "above", "reach", "rate"} & set(place)
        if place[0] == "digests" or named in UNVERIFIABLE or place[0] in UNVERIFIABLE or single:
            continue
        unnoticed += [
            (place, value) for value in another(at(made, place)) if not verify(forged(changed(made, place, value)))
        ]
    assert unnoticed == []


def test_a_chance_that_breaks_privacy_is_noticed_by_arithmetic(made: Certificate) -> None:
    """One chance is doubled, or a rate or a crossing is raised, with digests that fit."""
    other = copy.deepcopy(made)
    mechanism = other["mechanisms"][0]
    if mechanism["kind"] == "balanced":
        mechanism["groups"][0]["crossing"] += 1
    elif mechanism["kind"] == "flip":
        mechanism["rate"] = 2 * mechanism["rate"] + 1
    elif mechanism["kind"] == "scores":
        row = mechanism["chances"][len(mechanism["chances"]) // 3]
        row[2] += 1  # half the chance
    elif mechanism["kind"] == "graph":
        chances = mechanism["datasets"][0]["chances"]
        place = next(i for i, x in enumerate(chances) if x is not None)
        chances[place] = [chances[place][0], chances[place][1] + 2]
    else:
        row = mechanism["rows"][0][1]
        least, most = row.index(min(row)), row.index(max(row))
        row[most], row[least] = row[most] + row[least], 0
    found = verify(forged(other))
    assert any("epsilon" in problem for problem in found), found
    assert not any("digest" in problem for problem in found)


def test_too_low_a_cost_is_noticed(made: Certificate) -> None:
    other = copy.deepcopy(made)
    other["levels"][-1]["epsilon"] /= 2
    assert "the cost is not what the mechanism uses" in verify(forged(other))


@pytest.mark.parametrize("x", ["0", "1e-300", "0.1", "1", "2.718281828459045", "690", "-3"])
def test_the_exponential_is_enclosed(x: str) -> None:
    """Against decimal arithmetic with far more digits, which the verifier does not use."""
    from decimal import Context, Decimal
    from fractions import Fraction

    low, high = power(Fraction(x))
    true = Fraction(Context(prec=400).exp(Decimal(x)))
    assert low <= true <= high
    assert high - low <= true / 2**200


def test_a_table_is_named_by_its_file_and_not_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("vote\n" + "yes\nno\nyes\n" * 5)
    with neodp.open_store(tmp_path / "answers.db") as store:
        neodp.poll(tmp_path / "people.csv", vote="vote", epsilon=1).release(store, "r")
        found = report(store, "r")
        assert found.certificates[0]["question"]["table"] == "people.csv"
        for suffix in (".html", ".md", ".json"):
            assert str(tmp_path) not in found.text(suffix)


def test_nonsense_is_not_valid() -> None:
    for wrong in ({}, {"format": "neodp certificate 1"}, {"format": 3, "digests": []}):
        assert verify(wrong)

"""Certificates are valid as they are made; every change is noticed, by arithmetic if the digests were forged."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.asking.inquiry import Inquiry
from neodp.ledger.verification import KINDS, digests, power, verify
from neodp.polls import choosing_plurality
from neodp.report import report

Certificate = dict[str, Any]
Place = tuple[str | int, ...]


def yes_no(people: int = 12) -> dict[str, list[Any]]:
    return {"vote": ["yes", "no", "yes"] * (people // 3), "e": [0.1, 1.0, 2.0] * (people // 3)}


def three(people: int) -> dict[str, list[Any]]:
    return {"vote": ["a", "b", "c"] * (people // 3), "e": [0.3, 1.0, 1.0] * (people // 3)}


def alike(people: int) -> dict[str, list[Any]]:
    return {"vote": ["yes", "no", "no"] * (people // 3), "e": [0.5, 0.5, 0.6] * (people // 3)}


def ranked(people: int) -> dict[str, list[Any]]:
    return three(people) | {"second": ["b", "", "a"] * (people // 3)}


POLLS: dict[str, tuple[dict[str, list[Any]], dict[str, Any]]] = {
    "balanced": (yes_no(), {"mechanism": "balanced"}),
    "threshold": (yes_no(), {"query": "threshold:2/3", "mechanism": "balanced"}),
    "certain": (yes_no(), {"query": "threshold:0"}),
    "balanced plurality": (three(9), {"query": "plurality", "options": "a,b,c", "mechanism": "balanced"}),
    "scores": (yes_no(), {"mechanism": "weighted"}),
    "scores in a window": (yes_no(3000), {"mechanism": "weighted"}),
    "tables": (three(6), {"query": "plurality", "options": "a,b,c", "mechanism": "weighted"}),
    "gaps": (three(6) | {"e": [1.0] * 6}, {"query": "plurality", "options": "a,b,c", "mechanism": "weighted"}),
    "ordered gaps": (three(6), {"query": "plurality", "options": "a,b,c,d", "mechanism": "weighted"}),
    "flip": (three(300), {"query": "plurality", "options": "a,b,c,d,e,f,g,h,i,j", "mechanism": "weighted"}),
    "parts": (
        yes_no() | {"team": ["x", "x", "y", "y"] * 3},
        {"by": "team", "by_values": "x,y", "mechanism": "balanced"},
    ),
    "heard scores": (yes_no(), {"secret_levels": True, "share": "1/3", "query": "threshold:2/3"}),
    "heard flip": (three(9), {"secret_levels": True, "query": "plurality", "options": "a,b,c"}),
    "median": (three(9), {"query": "median", "options": "a,b,c", "mechanism": "balanced"}),
    "quantile by weight": (three(30), {"query": "quantile:0.9", "options": "a,b,c", "mechanism": "weighted"}),
    "count": (yes_no(), {"query": "count:yes", "mechanism": "balanced"}),
    "count with noise": (alike(30), {"query": "count", "ranges": "0,5,20", "mechanism": "balanced"}),
    "weighted count": (yes_no(60), {"query": "count:no", "ranges": "7", "mechanism": "weighted"}),
    "counts": (three(9), {"query": "counts", "options": "a,b,c", "mechanism": "weighted"}),
    "counts of parts": (
        yes_no() | {"team": ["x", "x", "y", "y"] * 3},
        {"query": "counts", "by": "team", "by_values": "x,y", "ranges": 2, "mechanism": "balanced"},
    ),
    "ranking": (
        ranked(9),
        {"vote": ["vote", "second"], "query": "ranking", "options": "a,b,c", "mechanism": "balanced"},
    ),
    "ranking by weight": (
        ranked(30),
        {"vote": ["vote", "second"], "query": "ranking", "options": "a,b,c", "mechanism": "weighted"},
    ),
    "many levels of a median": (
        {"vote": ["yes", "no"] * 33, "e": [0.01 * (i + 1) for i in range(66)]},
        {"query": "median", "options": "yes,no", "mechanism": "balanced"},
    ),
    "many levels": ({"vote": ["yes", "no"] * 33, "e": [0.01 * (i + 1) for i in range(66)]}, {"mechanism": "balanced"}),
}


ASKED: dict[str, dict[str, Any]] = {
    "at least": {"at_least": 2},
    "at least, mostly yes": {"at_least": 1, "false_alarm": 0.6, "share": 0.3, "distinct": "a"},
    "ranges": {"ranges": [0, 1, 2, 10]},
    "count": {"count": True, "at_most": 300, "sum": "a.age", "cap": 99},
}


@pytest.fixture(scope="module", params=[*POLLS, *ASKED, "graph", "graph with delta", "rainbow"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One certificate of each kind, as JSON gives it back."""
    folder = tmp_path_factory.mktemp("certificates")
    with neodp.open_store(folder / "answers.db") as store, pytest.MonkeyPatch.context() as patch:
        if request.param.endswith("gaps"):  # as if there were too many tables: internal names, since many take long
            patch.setattr(choosing_plurality, "PROGRAM", 0)
            patch.setattr(choosing_plurality, "GAPS", 200)
        if request.param in POLLS:
            table, options = POLLS[request.param]
            survey = neodp.poll(table, epsilon="e", **{"vote": "vote"} | options)
            survey.release(store, "r")
            (found,) = report(store, "r", survey=survey).certificates
        elif request.param in ASKED:
            asks(store, 2, **ASKED[request.param]).release("r")
            (found,) = report(store, "r").certificates
        else:
            graph = graphs()[request.param]
            store.load("g", graph.with_alpha(neodp.balanced(graph)))
            store.answer("g", graph.key(0), "r", keep_key=True)
            (found,) = report(store, "r").certificates
    again: Certificate = json.loads(json.dumps(found))
    assert request.param not in KINDS or [each["kind"] for each in again["mechanisms"]] == [request.param]
    return again


def asks(store: Any, pairs: int, **options: Any) -> Inquiry:
    """A question about pairs of friends who are both ill, in a ring of 30 people with the first ones ill."""
    people = {"id": list(range(30)), "ill": [i <= pairs for i in range(30)], "age": [40] * 30, "epsilon": [1.0] * 30}
    friends = {"from": list(range(30)), "to": [(i + 1) % 30 for i in range(30)]}
    store.protect(neodp.Protection("staff", "epsilon", people="Person", properties=("ill", "age")))
    tables: dict[str, Any] = {"nodes": {"Person": people}, "relationships": {"KNOWS": friends}}
    return neodp.ask(store, "staff", "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill", **options, **tables)


@cache
def graphs() -> dict[str, neodp.DatasetGraph]:
    return {
        "graph": neodp.generate.counts([2, 2], epsilon=[0.5, 1.0]),
        "graph with delta": neodp.generate.path(6, epsilon=0.5, delta=0.01),
        "rainbow": neodp.generate.plurality(3, epsilon=0.5),
    }


def every(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of all values that are neither objects nor arrays."""
    if isinstance(value, dict | list):
        for name in value if isinstance(value, dict) else range(len(value)):
            yield from every(value[name], (*place, name))
    else:
        yield place


def leaves(certificate: Certificate, most: int) -> list[Place]:
    """The places of all values; if they are too many, some of every kind: both ends of its elements, and any others.

    Places are of one kind if they differ only in positions in arrays.
    """
    kinds: dict[Place, list[Place]] = {}
    for place in every(certificate):
        kinds.setdefault(tuple("*" if isinstance(step, int) else step for step in place), []).append(place)
    if sum(map(len, kinds.values())) <= most:
        return [place for places in kinds.values() for place in places]
    rng = random.Random(len(kinds))
    return [
        place
        for places in kinds.values()
        for place in ({*places[:3], *places[-3:], *rng.sample(places, min(len(places), most // len(kinds)))})
    ]


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


def others(certificate: Certificate, place: Place) -> list[Any]:
    """The same, but for a share of the votes that decides, where any other would also be private."""
    heard = certificate["mechanisms"][0]["kind"].startswith("heard")
    return ["", None, "x"] if heard and place == ("question", "query") else another(at(certificate, place))


def test_a_certificate_is_valid_and_has_no_secret(made: Certificate) -> None:
    assert verify(made) == []
    assert "key" not in made["release"]
    assert len(made["release"]["date"]) == 10


def test_every_change_of_a_field_is_noticed(made: Certificate) -> None:
    """Whatever the new value, a missing field, or one too many."""
    places = leaves(made, 400)
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
    *("question.epsilon", "question.graph", "question.prior", "question.question", "question.protection"),
    *("question.distinct", "question.sum", "question.levels", "question.at_least", "question.asks"),
}
"""Names and settings that nothing else in a certificate determines: only the digests show that they were changed."""


def forged(certificate: Certificate) -> Certificate:
    """The certificate with digests that fit, as a forger would make them."""
    return certificate | {"digests": digests(certificate)}


def test_digests_that_were_forged_do_not_hide_a_change(made: Certificate) -> None:
    """Names and settings are not determined by the rest, and there is more than one private mechanism: see below."""
    unnoticed = []
    for place in leaves(made, 60):
        named = ".".join(map(str, place[:2]))
        if named == "question.cap" and "protection" in made["question"]:
            continue  # the greatest amount of one match, not the greatest epsilon
        if named == "question.options" and made["question"].get("query", "").partition(":")[0] == "count":
            continue  # the options that are not counted
        single = {"chances", "rows", "weight", "low", "below", "above", "reach", "rate", "unit", "step"} & set(place)
        if place[-1] == "units" and made["question"].get("mechanism") == "weighted outcomes":
            continue  # a smaller cap is private too
        if place[0] == "digests" or named in UNVERIFIABLE or place[0] in UNVERIFIABLE or single:
            continue
        unnoticed += [
            (place, value) for value in others(made, place) if not verify(forged(changed(made, place, value)))
        ]
    assert unnoticed == []


def test_a_chance_that_breaks_privacy_is_noticed_by_arithmetic(made: Certificate) -> None:
    """One chance is doubled, or a rate or a crossing is raised, with digests that fit."""
    other = copy.deepcopy(made)
    mechanism = other["mechanisms"][0]
    if mechanism["kind"] == "at least":
        mechanism["factor"] = math.nextafter(math.exp(mechanism["unit"]), 2.0)
    elif "rate" in mechanism and mechanism["kind"] != "flip":
        mechanism["rate"] = math.nextafter(mechanism["rate"] * 1.01, 2.0)
    elif mechanism["kind"] == "balanced":
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
        row = max((row for _, row in mechanism["rows"]), key=lambda row: max(row) - min(row))
        least, most = row.index(min(row)), row.index(max(row))
        row[most], row[least] = row[most] + row[least], 0
    found = verify(forged(other))
    assert any("epsilon" in problem for problem in found), found
    assert not any("digest" in problem for problem in found)


def test_units_beyond_an_epsilon_are_noticed_by_arithmetic(made: Certificate) -> None:
    """For every group of a question with several outcomes, and for the unit; half of it where all are counted."""
    for i, mechanism in enumerate(made["mechanisms"]):
        if mechanism["kind"] not in ("by distance", "by weight", "with noise"):
            continue
        unit = Fraction(mechanism["unit"]) * (2 if made["question"]["query"] == "counts" else 1)
        for j, group in enumerate(mechanism["groups"]):
            assert group["units"] * unit <= Fraction(group["epsilon"])
            beyond = int(Fraction(group["epsilon"]) / unit) + 1
            other = changed(made, ("mechanisms", i, "groups", j, "units"), beyond)
            assert "the units of a group are not those that its epsilon allows" in " ".join(verify(forged(other)))
        larger = changed(made, ("mechanisms", i, "unit"), 64.0)
        larger["mechanisms"][i]["rate"] = 64.0 if mechanism["kind"] == "with noise" else 32.0
        assert any("epsilon allows" in problem for problem in verify(forged(larger)))


@pytest.mark.parametrize(
    ("name", "kind"), [("median", "by distance"), ("weighted count", "with noise"), ("ranking by weight", "by weight")]
)
def test_the_way_an_outcome_was_drawn_is_found_again(name: str, kind: str, tmp_path: Path) -> None:
    """From what the release keeps, without the table, as it was at the draw."""
    table, options = POLLS[name]
    with neodp.open_store(tmp_path / "answers.db") as store:
        survey = neodp.poll(table, epsilon="e", **{"vote": "vote"} | options)
        survey.release(store, "r")
        kept, drawn = (report(store, "r", survey=each).certificates[0]["mechanisms"] for each in (None, survey))
    assert kept == drawn
    assert {each["kind"] for each in kept} == {kind}


def test_too_low_a_cost_is_noticed(made: Certificate) -> None:
    other = copy.deepcopy(made)
    other["levels"][-1]["epsilon"] /= 2
    assert "the cost is not what the mechanism uses" in verify(forged(other))


@pytest.mark.parametrize("x", ["0", "1e-300", "0.1", "1", "2.718281828459045", "690", "-3"])
def test_the_exponential_is_enclosed(x: str) -> None:
    """Against decimal arithmetic with far more digits, which the verifier does not use."""
    low, high = power(Fraction(float(x)))
    true = Fraction(Context(prec=400).exp(Decimal(float(x))))
    assert low <= true <= high
    assert high - low <= true / 2**200


def test_the_exponential_is_of_doubles_only() -> None:
    with pytest.raises(ValueError, match="1/10 is not a double"):
        power(Fraction(1, 10))


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

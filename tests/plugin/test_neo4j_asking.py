"""Questions about people through CALL and through the client: the same distances, chances, records and refusals."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

import neodp
from neodp.asking.inquiry import Inquiry, ask
from neodp.errors import NeodpError
from neodp.ledger.shares import shares_in
from neodp.store import Store
from tests.asking.test_grammar import HOSTILE
from tests.plugin.calls import Caller

PAIR = "MATCH (a:Person)-[r:KNOWS]-(b:Person)"
STAFF = neodp.Protection(
    "staff", "epsilon", people="Person", default_epsilon=0.25, properties=("ill", "amount"), public=("Office",)
)
PROTECT = """CALL neodp.protect('staff', {people: 'Person', epsilon: 'epsilon', defaultEpsilon: 0.25,
                                          properties: ['ill', 'amount'], public: ['Office']})"""
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    (PAIR, {"at_least": 3}),
    (f"{PAIR} WHERE a.ill", {"at_least": 5, "false_alarm": 0.3, "share": 0.5}),
    ("MATCH (a:Person)-->(b:Person) WHERE a <> b", {"at_least": 1, "share": 1.0}),
    ("MATCH (a:Person) WHERE a.ill", {"at_least": 4}),
    ("MATCH (a:Person)-[:WORKS]->(o:Office)<-[:WORKS]-(b:Person)", {"at_least": 2}),
    ("MATCH (a:Person)-[:WORKS]-(o:Office)--(p:Office)", {"at_least": 2, "false_alarm": 0.9}),
    (PAIR, {"at_least": 4, "distinct": "a"}),
    ("MATCH (a:Person)-[:WORKS]->(o:Office)", {"at_least": 2, "distinct": "o"}),
    (PAIR, {"at_least": 40, "sum": "r.amount", "cap": 30}),
    (PAIR, {"at_least": 3 * 10**9, "sum": "r.amount", "cap": 10**9}),
    (PAIR, {"at_least": 3, "ignore_below": 0.4}),
    (PAIR, {"count": True, "at_most": 1000}),
    (PAIR, {"ranges": [0, 3, 10]}),
]


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the client as a configuration in Cypher."""
    names = {"at_least": "atLeast", "false_alarm": "falseAlarm", "at_most": "atMost", "ignore_below": "ignoreBelow"}
    return {names.get(name, name): value for name, value in given.items()}


def people(caller: Caller, seed: int) -> None:
    """A small random graph: people and offices, some epsilons that are none, loops and double relationships."""
    chance = random.Random(seed)
    n = chance.randint(3, 9)
    odd: list[Any] = [None, "x", -1.0, float("nan"), True, 0.0, 1000.0, 2]
    rows = [
        {
            "id": i,
            "epsilon": chance.choice(odd) if chance.random() < 0.25 else chance.choice([0.1, 0.3, 0.5, 1.0, 2.0]),
            "ill": chance.choice([True, False, True, None, "yes"]),
        }
        for i in range(n)
    ]
    caller("MATCH (n) WHERE n:Person OR n:Office DETACH DELETE n")
    caller("UNWIND $rows AS row CREATE (p:Person) SET p = row", rows=rows)
    caller("UNWIND range(0, 2) AS i CREATE (:Office {id: i})")
    caller("MATCH (a:Office {id: 0}), (b:Office {id: 1}) CREATE (a)-[:NEAR]->(b)")
    knows = [[chance.randrange(n), chance.randrange(n), _amount(chance)] for _ in range(chance.randint(2, 2 * n))]
    caller(
        "UNWIND $rows AS row MATCH (a:Person {id: row[0]}), (b:Person {id: row[1]}) "
        "CREATE (a)-[:KNOWS {amount: row[2]}]->(b)",
        rows=knows,
    )
    works = [[chance.randrange(n), chance.randrange(3)] for _ in range(n)]
    caller("UNWIND $rows AS row MATCH (a:Person {id: row[0]}), (o:Office {id: row[1]}) CREATE (a)-[:WORKS]->(o)", rows=works)


def _amount(chance: random.Random) -> Any:
    return chance.choice([1, 7, 25.9, 10**9, -3, None, "5", float("inf"), 0])


def asked(client: Store, question: str, given: Mapping[str, Any]) -> Inquiry:
    return ask(client, "staff", question, **given)


@pytest.mark.parametrize("seed", range(6))
def test_call_and_client_find_the_same_distances_and_chances(caller: Caller, client: Store, seed: int) -> None:
    people(caller, seed)
    caller(PROTECT)
    for question, given in QUESTIONS:
        ours = asked(client, question, given).reveal()
        theirs = caller.one("CALL neodp.ask.reveal('staff', $q, $options)", q=question, options=options(given))
        assert (theirs["matches"], theirs["counted"], theirs["distance"]) == (
            ours.matches,
            ours.counted,
            ours.distance,
        ), (seed, question, given)
        if "at_least" in given:
            assert theirs["probabilities"] == ours.probabilities  # every bit
        else:
            assert theirs["probabilities"] is None

"""Questions about people through CALL and through the client: the same distances, chances, records and refusals."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import neodp
from neodp.asking.inquiry import Inquiry, ask
from neodp.cli import main
from neodp.errors import NeodpError
from neodp.ledger.shares import shares_in
from neodp.store import Store
from tests.asking.test_grammar import HOSTILE
from tests.plugin.calls import Caller
from tools import neo4j_server as servers

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
    ("MATCH (a:Person)", {"count": True, "at_most": 9, "share": 1.0}),
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
    caller(
        "UNWIND $rows AS row MATCH (a:Person {id: row[0]}), (o:Office {id: row[1]}) CREATE (a)-[:WORKS]->(o)",
        rows=works,
    )


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
        assert theirs["probabilities"] == ours.probabilities, (seed, question, given)  # every bit


def test_who_is_protected_is_kept_alike(caller: Caller, client: Store) -> None:
    made = caller.one(PROTECT)
    assert (made["account"], made["left"], made["labels"]) == ("(:Person)", 1.0, ["Person", "Office"])
    assert client.protection("staff") == STAFF
    text = caller.one("MATCH (p:NeodpProtection) RETURN p.text AS text")["text"]
    client.protect(STAFF)
    assert caller.one("MATCH (p:NeodpProtection) RETURN p.text AS text")["text"] == text == STAFF.text
    bank = neodp.Protection("bank", "e", people="Person", owned=(("Account", "OWNS"), ("Card", "HOLDS")))
    caller("CALL neodp.protect('bank', {people: 'Person', epsilon: 'e', owned: {Card: 'HOLDS', Account: 'OWNS'}})")
    assert client.protection("bank").digest == bank.digest
    assert [row["population"] for row in caller("CALL neodp.protect.list()")] == ["bank", "staff"]
    caller("CALL neodp.protect.drop('bank')")
    assert client.protections() == [STAFF]


def test_a_protection_that_was_edited_is_named(caller: Caller, client: Store) -> None:
    """In the client's words, whatever somebody has written into it."""
    caller("CREATE (:NeodpProtection {population: 5, text: 'x'})")
    for edited in ("x", 5, "[]", '{"population": "staff", "epsilon": "e", "people": 5}'):
        client.protect(STAFF)
        caller("MATCH (p:NeodpProtection {population: 'staff'}) SET p.text = $edited", edited=edited)
        with pytest.raises(NeodpError) as error:
            client.protection("staff")
        for call in ("ask('staff', 'MATCH (a:Person)', {atLeast: 1})", "protect.list()", "protect.drop('staff')"):
            told = caller.refusal(f"CALL neodp.{call}")
            assert (told.kind, told.message) == ("store", error.value.message)
    caller(PROTECT)
    assert [row["population"] for row in caller("CALL neodp.protect.list()")] == ["staff"]


def test_a_release_of_one_is_found_by_the_other(caller: Caller, client: Store) -> None:
    people(caller, 3)
    caller(PROTECT)
    shares = 0
    for number, (question, given) in enumerate(QUESTIONS):
        given = {**given, "share": 0.04}
        shares += 2
        for first in ("call", "client"):
            name = f"{first} {number}"

            def call(name: str = name, question: str = question, given: dict[str, Any] = given) -> str:
                row = caller.one(
                    "CALL neodp.ask('staff', $q, $options)", q=question, options=options(given) | {"release": name}
                )
                assert row["question"] == asked(client, question, given).pattern.text
                return str(row["answer"])

            def use(name: str = name, question: str = question, given: dict[str, Any] = given) -> str:
                return asked(client, question, given).release(name)

            one, other = (call, use) if first == "call" else (use, call)
            answer = one()
            assert [other(), one(), other()] == [answer] * 3
            if shares >= 24:
                caller("MATCH (n) WHERE n:NeodpRelease OR n:NeodpLedger DELETE n")
                shares = 0
    assert client.ledger("(:Person)").account == client.account("(:Person)")  # sealed by one, and read by the other


def test_the_record_of_a_release_is_that_of_the_command_line(
    caller: Caller, client: Store, plugin_server: servers.Server
) -> None:
    """Everything but the drawn answer and the time: the question, its cost, and the command that asks it again."""
    people(caller, 4)
    caller(PROTECT)
    for question, given in QUESTIONS:
        records = []
        for engine in ("call", "command line"):
            caller("MATCH (n) WHERE n:NeodpRelease OR n:NeodpLedger DELETE n")
            if engine == "call":
                call = "CALL neodp.ask('staff', $q, $options)"
                caller(call, q=question, options=options(given) | {"release": "spring"})
            else:
                words = [word for name, value in given.items() for word in _words(name, value)]
                address = ["--store", plugin_server.uri]
                assert main([*address, "ask", "staff", question, *words, "--release", "spring"]) == 0
            kept = client.kept("ask staff", "spring")
            assert kept is not None
            records.append(replace(kept, answer="", time=None))
        assert records[0] == records[1]
        assert records[0].digest == records[1].digest


def _words(name: str, value: Any) -> list[str]:
    """An option of the command line."""
    shown = [] if value is True else [",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return [f"--{name.replace('_', '-')}", *shown]


def test_shares_add_up_to_one_whoever_asks(caller: Caller, client: Store) -> None:
    people(caller, 5)
    caller(PROTECT)
    call = "CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, share: $share, release: $name})"
    caller(call, share=0.5, name="first")
    asked(client, "MATCH (a:Person)", {"at_least": 2, "share": 0.3}).release("second")
    assert caller.one("CALL neodp.protect.list()")["left"] == pytest.approx(0.2)
    spent = caller.refusal(call, share=0.3, name="third")
    assert spent.kind == "budget_spent"
    assert "4/5 of everybody's own epsilon is spent, and it would be 11/10" in spent.message
    with pytest.raises(NeodpError) as error:
        asked(client, "MATCH (a:Person)", {"at_least": 1, "share": 0.3}).release("third")
    assert error.value.message == spent.message
    caller("CALL neodp.protect('again', {people: 'Person', epsilon: 'epsilon'})")  # brings nothing back
    again = call.replace("staff", "again")
    assert caller.refusal(again, share=0.3, name="third").kind == "budget_spent"
    caller(again, share=0.2, name="third")
    assert shares_in(client.account("(:Person)").prices.items()) == 1


def test_too_many_matches_are_told_and_spend_the_share(caller: Caller, client: Store) -> None:
    caller("UNWIND range(1, 20) AS i CREATE (:Person {epsilon: 1.0})")
    caller("CALL neodp.protect('staff', {people: 'Person', epsilon: 'epsilon', mostMatches: 10})")
    row = caller.one("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 5, release: 'spring'})")
    assert row["answer"] == "there are more than 10 matches, the limit of this population"
    assert asked(client, "MATCH (a:Person)", {"at_least": 5}).release("spring") == row["answer"]
    assert caller.one("CALL neodp.protect.list()")["left"] == 0.8
    told = caller.refusal("CALL neodp.ask.reveal('staff', 'MATCH (a:Person)', {atLeast: 5})")
    assert (told.kind, told.message) == ("too_many_matches", row["answer"])


def test_a_preview_reads_nothing_and_says_what_the_client_says(caller: Caller, client: Store) -> None:
    caller(PROTECT)
    for question, given in QUESTIONS:
        shown = asked(client, question, given).to_dict()
        row = caller.one("CALL neodp.ask('staff', $q, $options)", q=question, options=options(given))
        assert (row["population"], row["question"], row["share"]) == ("staff", shown["question"], shown["share"])
        assert row["promised"] == [pytest.approx(each) for each in shown["promised"]]
        found = shown.get("found_with")
        assert row["foundWith"] == (found and [pytest.approx(each) for each in found])
        assert row["slack"] == (pytest.approx(shown["slack"]) if "slack" in shown else None)
        assert (row["release"], row["answer"], row["time"]) == (None, None, None)
    assert caller("MATCH (n:NeodpRelease) RETURN n") == []


def test_hostile_questions_are_refused_by_call_with_the_clients_words(caller: Caller, client: Store) -> None:
    client.protect(neodp.Protection("staff", "epsilon", people="Person", properties=("ill", "age", "name", "amount"),
                                    owned=(("Account", "OWNS"),), public=("Office",)))  # fmt: skip
    for question, _ in HOSTILE:
        with pytest.raises(NeodpError) as error:
            asked(client, question, {"at_least": 1})
        told = caller.refusal("CALL neodp.ask('staff', $q, {atLeast: 1, release: 'spring'})", q=question)
        assert (told.kind, told.message) == ("not_askable", error.value.message)
    assert caller("MATCH (n:NeodpRelease) RETURN n") == []


def test_what_two_people_do_not_suffice_for_is_left_to_the_client_whatever_the_graph(caller: Caller) -> None:
    caller(
        "CALL neodp.protect('staff', {people: 'Person', epsilon: 'epsilon', public: ['Office'], "
        "owned: {Account: 'OWNS'}})"
    )
    for question, given, why in [
        (f"{PAIR}--(c:Person)", {}, "can have 3 people"),
        ("MATCH (a:Person)-[:KNOWS*1..2]-(b:Person)", {}, "can have 3 people"),
        ("MATCH (a:Person)--(x:Account)", {}, "may be owned by any number of people"),
        (
            "MATCH (a:Person)--(o:Office)--(b:Person)",
            {"distinct": "o"},
            "the question counts distinct nodes other than people",
        ),
    ]:
        call = "CALL neodp.ask('staff', $q, $options)"
        told = caller.refusal(call, q=question, options={"atLeast": 1, "release": "spring", **given})
        assert told.kind == "client"
        assert why in told.message
    assert caller("MATCH (n:NeodpLedger) RETURN n") == []


def test_a_graph_in_files_is_left_to_the_client(caller: Caller, client: Store) -> None:
    """Whatever people of that label this database has."""
    client.protect(neodp.Protection("tables", "epsilon", people="Person", nodes=(("Person", "/people.csv"),)))
    client.protect(neodp.Protection("file", "epsilon", people="Person", ladybug="/people.lbug"))
    for population in ("tables", "file"):
        told = caller.refusal("CALL neodp.ask($p, 'MATCH (a:Person)', {atLeast: 1, release: 'spring'})", p=population)
        assert (told.kind, told.message) == ("client", f"the graph of population {population!r} is in files")


def test_a_match_with_more_people_than_its_labels_say_does_not_count(caller: Caller) -> None:
    """A third person in a match shows only when the graph is read, so that neither an error nor an answer may tell."""
    caller("CREATE (a:Person {epsilon: 1.0})-[:IN]->(:Office:Person {epsilon: 1.0})<-[:IN]-(b:Person {epsilon: 1.0}) ")
    caller("CALL neodp.protect('staff', {people: 'Person', epsilon: 'epsilon', public: ['Office']})")
    question = "MATCH (a:Person)--(o:Office)--(b:Person)"
    caller("MATCH (a:Person) WHERE NOT a:Office CREATE (a)-[:IN]->(:Office)<-[:IN]-(:Person {epsilon: 1.0})")
    for asked, given in ((question, {}), ("MATCH (a:Person)--(o:Office)", {"distinct": "o"})):
        row = caller.one("CALL neodp.ask.reveal('staff', $q, $options)", q=asked, options={"ranges": [0, 9], **given})
        assert row["counted"] == 2
    row = caller.one("CALL neodp.ask('staff', $q, {atLeast: 1, release: 'spring'})", q=question)
    assert row["answer"] in ("yes", "no")
    assert caller.one("CALL neodp.protect.list()")["left"] == 0.8


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("CALL neodp.ask('nobody', 'MATCH (a:Person)', {atLeast: 1})", "no people are protected as"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {})", "no kind of answer is asked for"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, count: true})", "more than one kind of answer is"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 0})", "whether there are at least 0"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, share: 1.5})", "the share is 1.5"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, falseAlarm: 1})", "the false-alarm rate is 1.0"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1000000000001})", "a number of the question is too"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atleast: 1})", "'atleast'"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: '1'})", "atLeast is '1'"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {ranges: [0, 5, 3]})", "the ranges begin at 0, 5, 3"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, sum: 'a.amount'})", "a sum needs a cap"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, sum: 'a.x', cap: 3})", "the property 'x'"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, sum: 'amount', cap: 3})", "'amount' is not a prop"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, distinct: 'b'})", "no variable 'b'"),
        ("CALL neodp.ask('staff', null, {atLeast: 1})", "an argument is null"),
        ("CALL neodp.ask('staff', 'MATCH (a:Person)', {atLeast: 1, release: ' '})", "the release has no name"),
        ("CALL neodp.protect('x', {people: 'Person'})", "the property with the epsilons is missing"),
        ("CALL neodp.protect('x', {epsilon: 'e'})", "needs one kind of protected unit"),
        ("CALL neodp.protect('x', {epsilon: 'e', people: 'P', public: ['P']})", "has two roles, people and public"),
        ("CALL neodp.protect('x', {epsilon: 'e', people: 'P', properties: ['e']})", "the epsilons, 'e', cannot be"),
        ("CALL neodp.protect('x', {epsilon: 'e', people: 'P', mostMatches: 0})", "the limit is 0 matches"),
        ("CALL neodp.protect('x', {epsilon: 'e', people: 'P', owned: {A: 3}})", "owned has 3 for the label 'A'"),
        ("CALL neodp.protect(' ', {epsilon: 'e', people: 'P'})", "the population has no name"),
        ("CALL neodp.protect.drop('nobody')", "no people are protected as population 'nobody'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(caller: Caller, client: Store, call: str, why: str) -> None:
    client.protect(STAFF)
    told = caller.refusal(call)
    assert why in told.message
    assert told.hint
    assert caller("MATCH (n:NeodpRelease) RETURN n") == []
    assert client.protections() == [STAFF]

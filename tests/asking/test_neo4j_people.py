"""Graphs of people in Neo4j: the same as from tables, whatever the values, names and further labels of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import pytest
from neo4j import Driver

import neodp
from neodp.asking.cover import Cover
from neodp.asking.matches import Matches
from neodp.asking.source import Wanted
from neodp.asking.writing import QuestionText
from neodp.errors import UnknownGraph
from neodp.ledger.shares import shares_in
from neodp.store import Store, open_store

STAFF = neodp.Protection(
    "staff",
    "epsilon",
    people="Person",
    properties=("ill", "age", "name", "amount"),
    owned=(("Account", "OWNS"),),
    public=("Office",),
)
GRAPH = """
CREATE (a:Person {number: 1, ill: true, age: 20, name: "`) DETACH DELETE (n) //", epsilon: 1.0}),
       (b:Person {number: 2, ill: true, age: '20', name: "' OR 1=1", epsilon: 0.5}),
       (c:Person:Office {number: 3, ill: 'yes', age: [1, 2], name: 5, epsilon: 2, rank: 9}),
       (d:Person {number: 4, ill: 1, age: date('2020-01-01'), epsilon: datetime('2020-01-01T00[SystemV/AST4]')}),
       (e:Person {number: 5, ill: false, age: 30.5, name: 'e', epsilon: 0.25}),
       (o:Office {city: 'Bonn', rank: 9}), (x:Account {age: 7}), (y:Account {age: 8}), (z:Account {age: 9}),
       (stranger:Secret {ill: true}),
       (a)-[:KNOWS {amount: 5}]->(b), (b)-[:KNOWS {amount: 10.5}]->(c), (c)-[:KNOWS]->(a),
       (a)-[:KNOWS {amount: -3}]->(e), (e)-[:KNOWS {amount: 'much'}]->(a), (d)-[:KNOWS]->(a),
       (a)-[:IN]->(o), (b)-[:IN]->(o), (a)-[:OWNS]->(x), (b)<-[:OWNS]-(x), (e)-[:OWNS]->(y),
       (a)-[:KNOWS]->(stranger), (stranger)-[:KNOWS]->(e)
"""


@pytest.fixture
def people(neo4j_driver: Driver) -> Any:
    neo4j_driver.execute_query(GRAPH)
    with open_store(neo4j_driver) as store:
        store.protect(STAFF)
        yield store


@pytest.mark.parametrize(
    ("question", "options", "matches", "counted"),
    [
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", {}, 6, 5),  # d's epsilon is none, so that d's match does not count
        ("MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.ill", {}, 3, 3),
        ("MATCH (a:Person) WHERE a.ill", {}, 2, 2),  # 'yes' and 1 are not true, and raise no error
        ("MATCH (a:Person) WHERE NOT a.ill", {}, 3, 2),
        ("MATCH (a:Person) WHERE a.age > 15", {}, 2, 2),
        ("MATCH (a:Person) WHERE a.age = '20'", {}, 1, 1),
        ("MATCH (a:Person) WHERE a.name STARTS WITH '`'", {}, 1, 1),
        ("MATCH (a:Person) WHERE a.name CONTAINS 'OR 1=1'", {}, 1, 1),
        ('MATCH (a:Person) WHERE a.name = "\' OR 1=1"', {}, 1, 1),
        ("MATCH (a:Person) WHERE a.name IS NULL", {}, 1, 0),
        ("MATCH (a:Person) WHERE coalesce(a.name, 5) = 5", {}, 2, 1),
        ("MATCH (a:Person), (b:Person) WHERE a.age < b.age", {}, 1, 1),
        ("MATCH (a:Person)-[r:KNOWS]-(b:Person)", {"sum": "r.amount", "cap": 8}, 13, 13),
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", {"distinct": "a"}, 5, 4),
        ("MATCH (a:Person)-[:KNOWS*2]-(b:Person) WHERE a.ill", {}, 7, 6),  # nobody's way leads through a stranger
        ("MATCH (x:Account)", {}, 2, 2),  # the third has no owner
        ("MATCH (x:Account) WHERE x.age = 7", {}, 1, 1),
        ("MATCH (o:Office)--(a:Person) WHERE o.city = 'Bonn'", {}, 2, 2),
        ("MATCH (o:Office)--(a:Person) WHERE o.rank = 9", {}, 2, 2),  # c is a person, whose rank may not be asked
        ("MATCH (o:Office)--(a:Person)", {}, 4, 4),  # c's friends are at an office that is a person
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(a)", {}, 1, 1),
    ],
)
def test_what_is_counted_in_a_graph_of_odd_values(
    people: Store, question: str, options: dict[str, Any], matches: int, counted: int
) -> None:
    found = neodp.ask(people, "staff", question, at_least=1, share=1.0, **options).reveal()
    assert (found.matches, found.counted) == (matches, counted)


def test_tables_of_the_same_people_give_the_same_distances(people: Store) -> None:
    graph = {
        "nodes": {"Person": {"id": [1, 2, 5], "ill": [True, True, False], "epsilon": [1.0, 0.5, 0.25]}},
        "relationships": {"KNOWS": {"from": [1, 1, 5], "to": [2, 5, 1]}},
    }
    for question in ("MATCH (a:Person)-[:KNOWS]-(b:Person)", "MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.ill"):
        joined = "AND" if "WHERE" in question else "WHERE"
        within = f"{question} {joined} a.age IN [20, '20', 30.5] AND b.age IN [20, '20', 30.5]"
        for t in (1, 2, 3):
            server = neodp.ask(people, "staff", within, at_least=t, share=1.0).reveal()
            tables = neodp.ask(people, "staff", question, at_least=t, share=1.0, **graph).reveal()  # type: ignore[arg-type]
            assert replace(server, carriers=()) == replace(tables, carriers=())
            assert [(each.part, each.weight) for each in server.carriers] == [
                (each.part, each.weight) for each in tables.carriers
            ]


def test_a_release_is_kept_beside_the_graph_and_the_graph_is_not_changed(people: Store, neo4j_driver: Driver) -> None:
    before = neo4j_driver.execute_query(
        "MATCH (n) WHERE NOT any(l IN labels(n) WHERE l STARTS WITH 'Neodp') RETURN count(n)"
    )
    asked = neodp.ask(people, "staff", "MATCH (a:Person)-[:KNOWS]-(b:Person)", at_least=2, share=0.5)
    answer = asked.release("spring")
    neo4j_driver.execute_query("MATCH (p:Person) DETACH DELETE p")
    assert asked.release("spring") == answer
    assert shares_in(people.account("(:Person)").prices.items()) == 0.5
    after = neo4j_driver.execute_query(
        "MATCH (n) WHERE NOT any(l IN labels(n) WHERE l STARTS WITH 'Neodp') RETURN count(n)"
    )
    assert before.records[0][0] == after.records[0][0] + 5


def test_names_with_backticks_quotes_and_cypher_in_them(neo4j_driver: Driver) -> None:
    label, kind, key = "Per`son) DETACH DELETE (n", "KNO'WS`]->() //", 'i"l`l'
    neo4j_driver.execute_query(
        "CREATE (a:$($label) {epsilon: 1}) SET a[$key] = true CREATE (b:$($label) {epsilon: 2}) SET b[$key] = true "
        "CREATE (a)-[:$($kind)]->(b)",
        {"label": label, "kind": kind, "key": key},
    )
    a, b, c = ("`" + name.replace("`", "``") + "`" for name in (label, kind, key))
    with open_store(neo4j_driver) as store:
        store.protect(neodp.Protection("odd", "epsilon", people=label, properties=(key,)))
        asked = neodp.ask(store, "odd", f"MATCH (a:{a})-[:{b}]-(b:{a}) WHERE a.{c} AND b.{c}", at_least=1, share=1.0)
        assert asked.reveal().matches == 1
        assert asked.reveal().distance == 1.0


def test_protections_are_nodes_that_can_be_listed_and_dropped(people: Store) -> None:
    other = people.protect(neodp.Protection("calls", "epsilon", relationships="KNOWS", public=("Person",)))
    assert people.protections() == [other, STAFF]
    found = neodp.ask(people, "calls", "MATCH (a:Person)-[:KNOWS]->(b:Person)", at_least=1, share=1.0).reveal()
    assert (found.matches, found.counted) == (6, 0)  # no relationship has an epsilon
    people.unprotect("calls")
    assert people.protections() == [STAFF]
    with pytest.raises(UnknownGraph, match="no people are protected as population 'calls'"):
        people.unprotect("calls")


def cover_of(store: Store, wanted: Wanted) -> Cover:
    return store.people(wanted).cover(wanted, Fraction(1), 2.0**-10, 0.0)


def parts(wanted: Wanted) -> dict[str, Any]:
    return {each.name: getattr(wanted, each.name) for each in fields(wanted)}


@dataclass(frozen=True)
class Meddled(Wanted):
    """A request during which somebody else commits a change, after the matches were read and before the people are."""

    driver: Driver | None = None
    change: str = ""

    def add(self, to: Matches, statement: QuestionText, columns: Sequence[Any]) -> None:
        super().add(to, statement, columns)
        assert self.driver is not None
        self.driver.execute_query(self.change)


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", "MATCH (p {number: 2}) DETACH DELETE p"),
        ("MATCH (o:Office)--(a:Person)", "MATCH (p {number: 3}) REMOVE p:Person"),
        ("MATCH (a:Person)-[:KNOWS*2]-(b:Person) WHERE a.ill", "MATCH (p {number: 3}) DETACH DELETE p"),
        ("MATCH (x:Account)", "MATCH ({number: 1})-[r:OWNS]-() DELETE r"),
        ("MATCH (x:Account)", "MATCH (x:Account) REMOVE x:Account SET x:Office"),
    ],
)
def test_a_match_belongs_to_all_who_had_it_whatever_others_write_meanwhile(
    people: Store, neo4j_driver: Driver, question: str, change: str
) -> None:
    """Neo4j gives no snapshot: who took part in a match that was read may be gone when the people are read."""
    wanted = neodp.ask(people, "staff", question, at_least=1).wanted
    quiet = cover_of(people, wanted)
    busy = cover_of(people, Meddled(**parts(wanted), driver=neo4j_driver, change=change))
    assert (busy.count, busy.fixed) == (quiet.count, 0)
    assert busy.weight.tolist() == quiet.weight.tolist()
    assert busy.first.tolist() == quiet.first.tolist()


@pytest.mark.parametrize(
    ("question", "change", "counted"),
    [
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", "MATCH (p {number: 2}) DETACH DELETE p", 3),
        ("MATCH (a:Person)", "MATCH (p:Person) DETACH DELETE p", 0),
    ],
)
def test_matches_of_who_left_go_along_and_do_not_stay_as_somebody_elses(
    people: Store, neo4j_driver: Driver, question: str, change: str, counted: int
) -> None:
    """If everything in a match must be people, these are read once, after the matches."""
    people.protect(replace(STAFF, population="crew", owned=()))
    wanted = neodp.ask(people, "crew", question, at_least=1).wanted
    busy = cover_of(people, Meddled(**parts(wanted), driver=neo4j_driver, change=change))
    assert (busy.count, busy.fixed) == (counted, 0)
    assert set(busy.sizes.tolist()) <= {2 if "KNOWS" in question else 1}


def test_who_comes_and_leaves_while_a_question_is_read_is_not_taken_for_a_public_node(
    people: Store, neo4j_driver: Driver
) -> None:
    """A person with the label of public nodes whom neither reading of the people has seen."""
    wanted = neodp.ask(people, "staff", "MATCH (o:Office)--(a:Person) WHERE a.age = 20", at_least=1).wanted
    before = cover_of(people, wanted)

    class Visited(Wanted):
        """A request during which a public node turns out to be somebody's, who leaves with it."""

        def alternatives(self) -> Any:
            neo4j_driver.execute_query(
                "MATCH (a:Person {number: 1}) CREATE (v:Person:Office {number: 9, epsilon: 1.0})-[:IN]->(a)"
            )
            return super().alternatives()

        def add(self, to: Matches, statement: QuestionText, columns: Sequence[Any]) -> None:
            super().add(to, statement, columns)
            neo4j_driver.execute_query("MATCH (v {number: 9}) DETACH DELETE v")

    after = cover_of(people, Visited(**parts(wanted)))
    assert (after.count, after.fixed) == (before.count, 0)


def test_relationships_of_another_type_are_told_from_protected_ones_that_left(neo4j_driver: Driver) -> None:
    neo4j_driver.execute_query("CREATE (a:Phone)-[:CALLED {epsilon: 1.0}]->(b:Phone)-[:NEAR]->(a)")
    with open_store(neo4j_driver) as store:
        store.protect(neodp.Protection("calls", "epsilon", relationships="CALLED", public=("Phone",)))
        wanted = neodp.ask(store, "calls", "MATCH (a:Phone)-[:CALLED|NEAR]->(b:Phone)", at_least=1).wanted
        quiet = cover_of(store, wanted)
        assert (quiet.count, quiet.fixed) == (2, 1)
        change = "MATCH ()-[r:CALLED]->() DELETE r"
        busy = cover_of(store, Meddled(**parts(wanted), driver=neo4j_driver, change=change))
        assert (busy.count, busy.fixed) == (2, 1)  # what left takes its match along

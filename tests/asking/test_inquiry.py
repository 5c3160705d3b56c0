"""Asking a graph of people in tables: answers once, shares of 1, and nothing that depends on anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.asking.inquiry import Inquiry
from neodp.errors import BudgetSpent, GraphError, NotAskable, OtherQuestion, StoreError, UnknownGraph
from neodp.ledger.account import Limit
from neodp.ledger.shares import shares_in
from neodp.store import Store, open_store

PAIRS = "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill"
STAFF = neodp.Protection(
    "staff",
    "epsilon",
    people="Person",
    properties=("ill", "age", "amount"),
    public=("Office",),
    owned=(("Account", "OWNS"),),
)


def ring(n: int, epsilon: Any = 1.0, **people: Any) -> dict[str, Any]:
    """A circle of n ill people, each a friend of the next."""
    nodes = {"id": list(range(n)), "ill": [True] * n, "epsilon": [epsilon] * n, **people}
    friends = {"from": list(range(n)), "to": [(i + 1) % n for i in range(n)], "amount": [10] * n}
    return {"nodes": {"Person": nodes}, "relationships": {"KNOWS": friends}}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with open_store(tmp_path / "answers.db") as opened:
        opened.protect(STAFF)
        yield opened


def test_a_release_is_drawn_once_whatever_becomes_of_the_graph(store: Store) -> None:
    sure = neodp.ask(store, "staff", PAIRS, at_least=10, share=0.5, **ring(2000, 100.0))
    assert sure.release("spring") == "yes"
    gone = neodp.ask(store, "staff", PAIRS, at_least=10, share=0.5, **ring(3))
    assert gone.release("spring") == "yes"
    with pytest.raises(OtherQuestion, match="at_least"):
        neodp.ask(store, "staff", PAIRS, at_least=11, share=0.5, **ring(3)).release("spring")


def test_shares_add_up_to_1_and_no_further(store: Store) -> None:
    for number in range(5):
        neodp.ask(store, "staff", PAIRS, at_least=1, share=0.2, **ring(3)).release(f"release {number}")
    with pytest.raises(BudgetSpent, match=r"refused: 1 of everybody's own epsilon is spent, and it would be 6/5"):
        neodp.ask(store, "staff", PAIRS, at_least=1, share=0.2, **ring(3)).release("last")
    assert store.account("(:Person)").used == 5


def test_the_budget_belongs_to_the_label_and_neither_another_name_nor_a_limit_makes_it_larger(store: Store) -> None:
    neodp.ask(store, "staff", PAIRS, at_least=1, share=0.8, **ring(3)).release("spring")
    store.protect(neodp.Protection("others", "epsilon", people="Person", properties=("ill",)))
    store.unprotect("staff")
    store.protect(STAFF)
    store.allow("(:Person)", Limit(None, 5000.0))
    for population in ("staff", "others"):
        with pytest.raises(BudgetSpent, match="4/5 of everybody's own epsilon is spent, and it would be 6/5"):
            neodp.ask(store, population, PAIRS, at_least=1, share=0.4, **ring(3)).release("summer")


def test_nothing_kept_depends_on_the_people(store: Store, tmp_path: Path) -> None:
    """Two graphs that differ in everything leave the same account, and releases that differ in the answer at most."""
    kept = []
    for name, graph in (("one", ring(3, 0.1)), ("two", ring(500, 2.0))):
        with open_store(tmp_path / f"{name}.db") as other:
            other.protect(STAFF)
            neodp.ask(other, "staff", PAIRS, count=True, share=0.5, **graph).release("spring")
            (release,) = other.ledger("(:Person)").releases
            kept.append((release.asked, release.levels, release.command, release.key, release.population))
    assert kept[0] == kept[1]


def test_bad_epsilons_are_silent_and_weigh_nothing(store: Store) -> None:
    bad = ring(6)
    bad["nodes"]["Person"]["epsilon"] = ["x", None, -1, "nan", "inf", ""]
    asked = neodp.ask(store, "staff", PAIRS, at_least=1, share=1.0, **bad)
    found = asked.reveal()
    assert (found.matches, found.counted, found.distance) == (6, 0, 0.0)
    assert found.probabilities["yes"] == 0.05


def test_one_persons_cell_does_not_change_what_the_others_cells_mean(store: Store) -> None:
    """A text among numbers: a column has no kind, so that nobody can switch everybody else's values off."""
    for cells in ([20, 30, 40], [20, 30, "x"], ["20", "30", None], [20.0, True, 30]):
        asked = neodp.ask(store, "staff", "MATCH (a:Person) WHERE a.age >= 18", at_least=1, **ring(3, age=cells))
        assert asked.reveal().matches == sum(cell not in ("x", None, True) for cell in cells)


@pytest.mark.parametrize(
    ("question", "options", "count"),
    [
        (PAIRS, {}, 6),
        ("MATCH (a:Person)-[:KNOWS]->(b:Person)", {}, 6),
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)", {}, 6),
        ("MATCH (a:Person)-[:KNOWS*1..2]-(b:Person)", {}, 12),
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", {"distinct": "a"}, 6),
        ("MATCH (a:Person)-[r:KNOWS]-(b:Person)", {"sum": "r.amount", "cap": 7}, 42),
        ("MATCH (a:Person), (b:Person) WHERE a <> b", {}, 15),
        ("MATCH (a:Person) WHERE NOT a.ill", {}, 0),
        ("MATCH (a:Person) WHERE a.age IS NULL", {}, 6),
    ],
)
def test_what_a_question_counts(store: Store, question: str, options: dict[str, Any], count: int) -> None:
    found = neodp.ask(store, "staff", question, at_least=1, **options, **ring(6)).reveal()
    assert (found.matches, found.counted) == (count, count)


def test_a_count_is_near_and_an_empty_graph_has_none(store: Store) -> None:
    found = neodp.ask(store, "staff", PAIRS, count=True, at_most=1000, share=0.5, **ring(1000, 50.0))
    assert 950 <= int(found.release("spring")) <= 1005
    empty = neodp.ask(store, "staff", PAIRS, ranges=[0, 10, 100], share=0.5, **ring(0)).reveal()
    assert empty.probabilities["0 to 9"] >= 0.95


def test_owned_nodes_take_their_owners_along_and_those_of_nobody_do_not_count(store: Store) -> None:
    graph = ring(3)
    graph["nodes"]["Account"] = {"id": ["joint", "own", "nobody's"]}
    graph["relationships"]["OWNS:Person:Account"] = {"from": [0, 1, 2], "to": ["joint", "joint", "own"]}
    found = neodp.ask(store, "staff", "MATCH (x:Account)", at_least=1, share=1.0, **graph).reveal()
    assert found.matches == 2
    assert found.distance == 2.0  # one owner of each must leave


def test_matches_of_public_nodes_alone_do_not_depend_on_anybody(store: Store) -> None:
    graph = ring(3)
    graph["nodes"]["Office"] = {"id": ["a", "b"]}
    graph["relationships"]["NEAR:Office:Office"] = {"from": ["a"], "to": ["b"]}
    graph["relationships"]["IN:Person:Office"] = {"from": [0], "to": ["a"]}
    asked = neodp.ask(store, "staff", "MATCH (a:Person)--(o:Office)", at_least=1, distinct="o", **graph)
    assert asked.reveal().matches == 1
    with pytest.raises(NotAskable, match="the pattern contains no people"):
        neodp.ask(store, "staff", "MATCH (o:Office)--(p:Office)", at_least=1, **graph)


def test_relationships_can_be_what_is_protected(store: Store) -> None:
    store.protect(neodp.Protection("calls", "epsilon", relationships="CALLED", public=("Phone",)))
    graph: dict[str, Any] = {
        "nodes": {"Phone": {"id": [1, 2, 3]}},
        "relationships": {"CALLED": {"from": [1, 2, 1], "to": [2, 3, 2], "epsilon": [0.5, 1.0, 2.0]}},
    }
    found = neodp.ask(store, "calls", "MATCH (a:Phone)-[:CALLED]-(b:Phone)", at_least=1, share=1.0, **graph).reveal()
    assert (found.matches, found.distance) == (3, 3.5)


def test_too_many_matches_end_a_question_and_spend_its_share(store: Store) -> None:
    store.protect(neodp.Protection("few", "epsilon", people="Person", properties=("ill",), most_matches=5))
    answer = neodp.ask(store, "few", PAIRS, at_least=1, share=0.5, **ring(100)).release("spring")
    assert answer == "there are more than 5 matches, the limit of this population"
    assert shares_in(store.account("(:Person)").prices.items()) == 0.5


def test_people_below_a_public_epsilon_can_be_ignored(store: Store) -> None:
    graph = ring(4)
    graph["nodes"]["Person"]["epsilon"] = [0.1, 1.0, 1.0, 1.0]
    found = neodp.ask(store, "staff", PAIRS, at_least=1, share=1.0, ignore_below=0.3, **graph).reveal()
    assert (found.matches, found.counted) == (4, 2)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "it is not said what is asked"),
        ({"at_least": 5, "count": True}, "more than one thing is asked"),
        ({"at_least": 0}, "at least 0"),
        ({"at_least": 5, "share": 0.0}, "the share is 0.0"),
        ({"at_least": 5, "share": 1.5}, "the share is 1.5"),
        ({"at_least": 5, "sum": "r.amount"}, "a sum needs a cap"),
        ({"at_least": 5, "cap": 3}, "a cap belongs to a sum"),
        ({"at_least": 5, "distinct": "x"}, "the pattern has no variable 'x'"),
        ({"at_least": 10**13}, "too large"),
        ({"ranges": [5, 10]}, "the ranges begin at 5, 10"),
    ],
)
def test_a_question_that_means_nothing_is_refused_before_anything_is_read(
    store: Store, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(NotAskable, match=why):
        neodp.ask(store, "staff", PAIRS, **options)


def test_tables_that_are_missing_are_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownGraph, match="no people are protected as population 'stuff'; did you mean 'staff'"):
        neodp.ask(store, "stuff", PAIRS, at_least=1)
    with pytest.raises(StoreError, match="holds no graph of people"):
        neodp.ask(store, "staff", PAIRS, at_least=1).release("spring")
    with pytest.raises(NotAskable, match="there is no table of relationships 'KNOWS'"):
        neodp.ask(store, "staff", PAIRS, at_least=1, nodes=ring(3)["nodes"]).release("spring")
    with pytest.raises(GraphError, match="there is no file"):
        neodp.ask(
            store, "staff", PAIRS, at_least=1, nodes={"Person": tmp_path / "no.csv"}, relationships={"KNOWS": {}}
        ).release("spring")
    assert store.account("(:Person)").used == 0


def test_files_that_the_protection_names_are_read_for_each_question(store: Store, tmp_path: Path) -> None:
    people, friends = tmp_path / "people.csv", tmp_path / "friends.csv"
    people.write_text(
        "id;ill;epsilon;name\n1;true;1;`) DETACH DELETE (n) //\n2;TRUE;0.5;' DROP\n3;no;1;x\n", encoding="utf-8"
    )
    friends.write_text("from,to\n1,2\n2,3\n9,1\n", encoding="utf-8")
    store.protect(
        neodp.Protection(
            "files", "epsilon", people="Person", properties=("ill", "name"),
            nodes=(("Person", str(people)),), links=(("KNOWS", str(friends)),),
        )
    )  # fmt: skip
    asked: Inquiry = neodp.ask(store, "files", PAIRS, at_least=1, share=1.0)
    assert asked.reveal().matches == 1
    named = neodp.ask(
        store, "files", 'MATCH (a:Person) WHERE a.name = "`) DETACH DELETE (n) //"', at_least=1, share=1.0
    )
    assert named.reveal().matches == 1
    people.unlink()
    assert "before the graph is read" in repr(asked)  # a preview reads nothing


def test_a_preview_says_what_is_promised_and_what_it_takes(store: Store) -> None:
    asked = neodp.ask(store, "staff", PAIRS, at_least=500, share=0.5)
    told = asked.to_dict()
    assert (told["population"], told["share"], told["at_least"], told["false_alarm"]) == ("staff", 0.5, 500, 0.05)
    assert [round(each["guess"], 3) for each in told["promised"]] == [0.562, 0.622, 0.731]
    assert [each["chance"] for each in told["found_with"]] == [0.5, 0.9, 0.99]
    assert "says yes 5 % of the time if there are fewer than 500" in repr(asked)
    assert "can become at most this sure: 57 % at epsilon 0.5" in repr(asked)  # 56.2 %, rounded up
    counted = neodp.ask(store, "staff", PAIRS, count=True)
    assert counted.to_dict()["confidence"] == 0.95


def test_the_steward_sees_who_carries_an_answer(store: Store) -> None:
    """A star: without its centre, no pair is left."""
    people = {"id": ["hub", "a", "b", "c"], "epsilon": [1.0] * 4}
    friends = {"from": ["hub"] * 3, "to": ["a", "b", "c"]}
    for exact in (False, True):
        asked = neodp.ask(
            store, "staff", "MATCH (a:Person)-[:KNOWS]-(b:Person)", at_least=1, share=1.0, exact_distance=exact,
            nodes={"Person": people}, relationships={"KNOWS": friends},
        )  # fmt: skip
        revealed = asked.reveal()
        assert (revealed.matches, revealed.distance) == (3, 1.0)
        assert revealed.carriers == (("hub", 1.0, 1.0),)


def test_progress_of_a_release_is_the_same_for_every_graph_and_only_the_steward_sees_matches_counted(
    store: Store,
) -> None:
    path = "MATCH (a:Person)-[:KNOWS*1..2]-(b:Person)"
    told: dict[int, list[Any]] = {3: [], 40: []}
    for n, steps in told.items():
        asked = neodp.ask(store, "staff", path, at_least=1, **ring(n))
        asked.release(f"release {n}", progress=lambda *step, steps=steps: steps.append(step))
    assert told[3] == told[40]
    assert told[3][:3] == [("reading matches", 0, 2), ("reading matches", 1, 2), ("reading matches", 2, 2)]
    seen: list[Any] = []
    neodp.ask(store, "staff", path, at_least=1, **ring(40)).reveal(progress=lambda *step: seen.append(step))
    assert [step for step in seen if step[0] == "matches read"] == [
        ("matches read", 80, 10_000_000),
        ("matches read", 160, 10_000_000),
    ]

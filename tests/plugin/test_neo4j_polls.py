"""Polls of a protected population through CALL and through the client: the same scores, chances, records and budget."""

from __future__ import annotations

import json
import random
import shlex
import sys
import unicodedata
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp.cli import main
from neodp.errors import LargeEpsilon
from neodp.polls.from_graph import PeopleQuery
from neodp.polls.people import People
from neodp.polls.secret_survey import SecretSurvey
from neodp.store import Store
from tests.plugin.calls import Caller

FOLDED = Path(__file__).parents[2] / "plugin" / "src" / "main" / "resources" / "neodp" / "casefold.txt"
STAFF = neodp.Protection("staff", "epsilon", people="Person", default_epsilon=0.25, properties=("answer", "drink"))
PEOPLE = "MATCH (p:Person) RETURN p.{} AS {}, coalesce(p.epsilon, 0.25) AS epsilon"
QUESTION = shlex.split(
    "--vote answer --epsilon epsilon --secret-levels --query plurality --options 'yes,no,it depends' --share 0.25 "
    "--name staff --population '(:Person)'"
)
ODD: list[Any] = [
    *(
        None,
        "",
        "x",
        "maybe",
        float("nan"),
        [1],
        ["yes"],
        -1,
        10**15,
        "ΝΑΙ",
        "Sí",
        "si\u0301",
        " YES\u200b ",
        "\ufeffno",
    ),
    *(
        True,
        False,
        1,
        0,
        1.0,
        0.0,
        "1",
        "0",
        "1.0",
        "Όχι",
        "ΌΧΙ",
        "hayır",
        "HAYIR",
        "да",
        "ＹＥＳ",
        "groß",
        "GROSS",
        2.5,
    ),
]
EPSILONS: list[Any] = [
    None,
    "x",
    -1.0,
    float("nan"),
    float("inf"),
    True,
    0,
    1000.0,
    690,
    "0,5",
    " 0.5 ",
    "1e-1",
    "1_0",
    [1.0],
    2,
]
QUESTIONS: list[dict[str, Any]] = [
    {},
    {"share": "1/3", "cap": 0.7},
    {"query": "threshold:2/3", "share": 0.25},
    {"query": "threshold:0.999"},
    {"query": "plurality", "options": ["yes", "no"], "cap": 690},
    {"query": "plurality", "options": ["Groß", "x", "1"]},
    {"query": "plurality", "options": ["si", "sí", "no", "2.5", "[1]"], "share": "7/9"},
    {"query": "majority", "options": ["0", "Yes"], "share": 1},
]


def put(caller: Caller, seed: int) -> None:
    """Random people, with votes and epsilons of every kind; some votes are likely."""
    chance = random.Random(seed)
    rows = [
        {
            "answer": chance.choice(ODD) if chance.random() < 0.4 else chance.choice(["yes", "Yes", "no", "x", "1"]),
            "epsilon": chance.choice(EPSILONS) if chance.random() < 0.3 else chance.choice([0.1, 0.3, 1 / 3, 1.0, 2.0]),
        }
        for _ in range(chance.randint(1, 60))
    ]
    caller("MATCH (n:Person) DELETE n")
    caller("UNWIND $rows AS row CREATE (p:Person) SET p = row", rows=rows)


def survey(client: Store, column: str = "answer", **given: Any) -> SecretSurvey:
    """The client's poll of the same people."""
    query = PeopleQuery.parse(PEOPLE.format(column, column))
    people = People.from_result(client.select(query.cypher), query.cypher)
    found = neodp.poll(people, vote=column, epsilon="epsilon", name="staff", secret_levels=True, **given)
    assert isinstance(found, SecretSurvey)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_call_and_client_find_the_same_scores_and_chances(caller: Caller, client: Store, seed: int) -> None:
    put(caller, seed)
    client.protect(STAFF)
    for given in QUESTIONS:
        ours = survey(client, **given).revealed("answer")
        row = caller.one("CALL neodp.poll.reveal('staff', $options)", options={"vote": "answer", **given})
        assert (row["rows"], row["notCounted"], row["votes"]) == (ours["rows"], ours["not_counted"], ours["votes"]), (
            given
        )
        assert row["probabilities"] == ours.get("probabilities")  # every bit
        assert row["scores"] == ours.get("scores")


def test_how_others_wrote_their_votes_changes_nothing(caller: Caller, client: Store) -> None:
    """A text among numbers makes a column of mixed types, in which 1.0 must still count as 1 does."""
    client.protect(STAFF)
    caller("UNWIND [1.0, 1.0, 0.0] AS vote CREATE (:Person {answer: vote, epsilon: 1.0})")
    before = survey(client).revealed("answer")["votes"]
    caller("CREATE (:Person {answer: 'maybe', epsilon: 1.0})")
    assert survey(client).revealed("answer")["votes"] == before == {"yes": 2, "no": 1}
    assert caller.one("CALL neodp.poll.reveal('staff', {vote: 'answer'})")["votes"] == before
    caller("MATCH (p:Person) SET p.answer = [1]")
    assert survey(client).revealed("answer")["not_counted"] == 4


@pytest.mark.parametrize("first", ["call", "client"])
def test_a_release_of_one_is_found_by_the_other_and_spent_by_both(
    caller: Caller, client: Store, capsys: pytest.CaptureFixture[str], first: str
) -> None:
    """The client is asked by the command that the row names, and by one that somebody writes."""
    put(caller, 5)
    client.protect(STAFF)
    options = {"vote": "answer", "query": "plurality", "options": ["yes", "no", "it depends"], "share": "1/4"}
    command = shlex.split(caller.one("CALL neodp.poll('staff', $options)", options=options)["command"])
    own = ["poll", "--cypher", f"{PEOPLE.format('answer', 'answer').lower().replace('person', 'Person')} ;", *QUESTION]

    def call(name: str) -> str:
        row = caller.one("CALL neodp.poll('staff', $options)", options=options | {"release": name})
        return str(row["answer"])

    def use(name: str) -> str:
        answers = []
        for words in (command[1:], own):
            assert main([*words, "--release", name, "--json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["questions"][0]["answer"])
        assert answers[0] == answers[1]
        return str(answers[0])

    one, other = (call, use) if first == "call" else (use, call)
    for name in ("spring", "summer"):
        answer = one(name)
        caller("MATCH (p:Person) SET p.answer = 'it depends'")  # an answer is drawn once
        assert [other(name), one(name), other(name)] == [answer] * 3
    assert float(client.ledger("(:Person)").share) == 0.5
    budget = caller.one("CALL neodp.budget('(:Person)')")
    assert (budget["spentShare"], budget["releasesLeft"]) == (0.5, None)  # shares are free until they add up to 1
    told = caller.refusal("CALL neodp.budget('staff')")
    assert told.message == "there is no population 'staff' in this database"
    assert "`CALL neodp.budget('(:Person)')`" in told.hint
    told = caller.refusal("CALL neodp.poll('staff', $options)", options=options | {"release": "fall", "share": 0.75})
    assert (told.kind, "it would be 5/4" in told.message) == ("budget_spent", True)
    told = caller.refusal("CALL neodp.poll('staff', $options)", options=options | {"release": "spring", "share": 0.5})
    assert (told.kind, "share '1/4'" in told.message) == ("other_question", True)


def test_a_preview_reads_nobody_and_says_what_the_client_says(caller: Caller, client: Store) -> None:
    client.protect(STAFF)
    for given in QUESTIONS:
        (fact,) = survey(client, **given).facts()
        row = caller.one("CALL neodp.poll('staff', $options)", options={"vote": "answer", **given})
        assert (row["question"], row["options"], row["cap"], row["share"]) == (
            *(fact["asks"], fact["options"], fact["cap"], fact["share"]),
        )
        costs = [(each["vote"], each["taking_part"], each["factor"]) for each in fact["guarantees"]]
        assert [(each["vote"], each["takingPart"], each["factor"]) for each in row["guarantees"]] == [
            pytest.approx(each) for each in costs
        ]
        assert (row["caution"] is not None) == (row["cap"] > 10)
        assert (row["release"], row["answer"], row["time"]) == (None, None, None)
    assert caller("MATCH (n:NeodpRelease) RETURN n") == []


@pytest.mark.parametrize(
    ("options", "kind", "why"),
    [
        ("{}", "graph", "the property with the votes is missing"),
        ("{vote: 'epsilon'}", "not_askable", "'epsilon' holds the epsilons"),
        ("{vote: 'secret'}", "not_askable", "the property 'secret' may not be asked about"),
        ("{vote: 'answer', query: 'median'}", "client", "but not 'median'"),
        ("{vote: 'answer', query: 'count:yes'}", "client", "but not 'count:yes'"),
        ("{vote: 'answer', mechanism: 'weighted'}", "client", "not 'weighted'"),
        ("{vote: 'answer', query: 'most'}", "graph", "the query is 'most'"),
        ("{vote: 'answer', query: 'threshold:1'}", "graph", "which has only one possible answer"),
        ("{vote: 'answer', query: 'threshold:1/1001'}", "graph", "the query is 'threshold:1/1001'"),
        ("{vote: 'answer', options: ['a', 'b', 'c']}", "graph", "majority is asked about 3 options"),
        ("{vote: 'answer', options: ['a']}", "graph", "the options are a"),
        ("{vote: 'answer', options: ['a', 'A ']}", "graph", "the options 'a' and 'A ' are the same"),
        ("{vote: 'answer', cap: 0}", "graph", "the cap is 0.0"),
        ("{vote: 'answer', cap: 691}", "graph", "the cap is 691.0"),
        ("{vote: 'answer', share: 0}", "graph", "the share is 0"),
        ("{vote: 'answer', share: 'much'}", "graph", "the share is no number"),
        ("{vote: 'answer', share: 0.12345}", "graph", "the share is 2469/20000"),
        ("{vote: 'answer', votes: 1}", "graph", "the unknown key 'votes'"),
        ("{vote: 'answer', release: ' '}", "graph", "the release has no name"),
        ("{vote: 'answer', name: ' '}", "graph", "the poll has no name"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(caller: Caller, client: Store, options: str, kind: str, why: str) -> None:
    client.protect(STAFF)
    told = caller.refusal(f"CALL neodp.poll('staff', {options})")
    assert (told.kind, why in told.message) == (kind, True), told
    assert told.hint
    assert caller("MATCH (n:NeodpRelease) RETURN n") == []


def test_people_who_are_not_in_this_graph_are_left_to_the_client(caller: Caller, client: Store) -> None:
    client.protect(neodp.Protection("calls", "epsilon", relationships="CALLED", properties=("vote",)))
    client.protect(neodp.Protection("tables", "epsilon", people="P", properties=("vote",), nodes=(("P", "/p.csv"),)))
    for population, kind in (("calls", "graph"), ("tables", "client"), ("nobody", "unknown_graph")):
        assert caller.refusal("CALL neodp.poll($p, {vote: 'vote'})", p=population).kind == kind


def test_capitals_are_folded_as_python_folds_them() -> None:
    """The plugin's table was written by Python 3.11; a later Python may know letters that there were not."""
    rows = [line.split() for line in FOLDED.read_text().splitlines()]
    table = {int(code, 16): "".join(chr(int(each, 16)) for each in to) for code, *to in rows}
    assert {code: chr(code).casefold() for code in table} == table
    known = {code for code in range(sys.maxunicode) if chr(code).casefold() != chr(code)}
    if unicodedata.unidata_version == "14.0.0":
        assert known == set(table)
    assert known >= set(table)


def test_a_limit_is_set_by_call_as_by_the_client(caller: Caller, client: Store) -> None:
    settings: list[dict[str, Any]] = [
        {"releases": 3},
        {"epsilon": 2.0},
        {"delta": 1e-6},
        {"releases": None},
        {"epsilon": 20},
        {"epsilon": None},
        {"epsilon": 1.0, "delta": 0.5, "releases": 0},
        {"releases": None, "epsilon": None},
    ]
    for changes in settings:
        row = caller.one("CALL neodp.budget.set('call', $changes)", changes=changes)
        said: AbstractContextManager[Any] = (
            pytest.warns(LargeEpsilon) if changes.get("epsilon") == 20 else nullcontext()
        )
        with said:
            limit = client.change_limit("client", **changes).limit
        assert (row["maxReleases"], row["maxEpsilon"], row["maxDelta"]) == (limit.releases, limit.epsilon, limit.delta)
        assert client.account("call").limit == limit
        assert (row["caution"] is None) == ((limit.epsilon or 0) <= 10)
    for wrong, why in [
        ({}, "nothing is to be set"),
        ({"releases": -1}, "the limit is -1 releases"),
        ({"epsilon": -1.0}, "the limit is epsilon -1.0"),
        ({"epsilon": 1.0, "delta": 2.0}, "the limit has delta 2.0"),
        ({"delta": 0.5}, "a delta is given without an epsilon"),
        ({"release": 3}, "the unknown key 'release'"),
        ({"releases": "3"}, "releases is '3'"),
    ]:
        assert why in caller.refusal("CALL neodp.budget.set('call', $changes)", changes=wrong).message
    assert client.account("call").limit == client.account("client").limit
    caller("MATCH (l:NeodpLedger {population: 'call'}) SET l.max_releases = 'many'")
    assert "budget.set('call', {releases: N, epsilon: null})" in caller.refusal("CALL neodp.budget('call')").hint
    assert caller.one("CALL neodp.budget.set('call', {releases: 2, epsilon: null})")["maxReleases"] == 2

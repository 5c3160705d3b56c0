"""Refusals of the plugin, in the very words of the client; and arguments that are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j.exceptions import ClientError

import neodp
from neodp.errors import NeodpError
from neodp.hints import VERBS, Call, Hint, in_cypher
from neodp.store import Store
from neodp.store.neo4j.plugin import recognized
from tests.plugin.calls import Caller, Refused
from tools.pages import blocks

pytestmark = pytest.mark.usefixtures("quiet")

MODES = ("stream", "stats", "write")
SECURITY = Path(__file__).parents[2] / "SECURITY.md"
WRITING = [
    "extend.write('g')",
    "boundary.balanced.write('g')",
    "answer('g', '1', 'spring')",
    "graph.drop('g')",
    "protect('p', {people: 'P', epsilon: 'e', properties: ['v']})",
    "protect.drop('staff')",
    "ask('staff', 'MATCH (a:P)', {atLeast: 1, release: 'spring'})",
    "poll('staff', {vote: 'v', release: 'spring'})",
    "budget.set('default', {releases: 99})",
]
DATASETS = "CREATE (:DatasetGraph {{name: 'g', colors: ['no', 'yes']}}), {} "


def _client(does: Callable[[], object]) -> Refused:
    """Return what the client refuses."""
    try:
        does()
    except NeodpError as error:
        return Refused(error.kind, error.message, in_cypher(error.hint, "g"))
    raise AssertionError("the client did not refuse it")


def _everything(caller: Caller) -> str:
    return repr(caller("MATCH (n) RETURN properties(n) AS properties ORDER BY elementId(n)"))


def _a(**values: Any) -> str:
    """A dataset of graph g in Cypher."""
    listed = ", ".join(f"{name}: {value}" for name, value in {"graph": "'g'", "color": "'no'", **values}.items())
    return f"(:Dataset {{{listed}}})"


def _edge(values: str) -> str:
    return (
        f"(a:Dataset {{graph: 'g', key: 'a', color: 'no'}})-[:NEIGHBOR {{{values}}}]->{_a(key=chr(39) + 'b' + chr(39))}"
    )


BAD = {
    "no datasets": "()",
    "no text as key": f"{_a(key=1)}, {_a(key=repr('b'))}",
    "no colour": "(:Dataset {graph: 'g', key: 'a'})",
    "unknown colour": _a(key="'a'", color="'maybe'"),
    "alpha is a text": _a(key="'a'", alpha="'half'"),
    "alpha beyond 1": _a(key="'a'", alpha="1.5"),
    "alpha of three": _a(key="'a'", alpha="[0.2, 0.3, 0.5]"),
    "alpha that does not add up": _a(key="'a'", alpha="[0.2, 0.3]"),
    "alpha with a gap": _a(key="'a'", alpha="[0.5, 0.0 / 0.0]"),
    "subnormal alpha": _a(key="'a'", alpha="1e-310"),
    "preference of strangers": _a(key="'a'", preference="['no', 'maybe']"),
    "preference beside the colour": _a(key="'a'", preference="['yes', 'no']"),
    "no epsilon": _edge("delta: 0.1"),
    "negative epsilon": _edge("epsilon: -1"),
    "huge epsilon": _edge("epsilon: 691"),
    "delta beyond 1": _edge("epsilon: 1.0, delta: 1.5"),
    "unhit boundary": (
        "(:Dataset {graph: 'g', key: 'it''s', color: 'no'})-[:NEIGHBOR {epsilon: 1}]->"
        "(:Dataset {graph: 'g', key: 'b\\n', color: 'yes'}), (:Dataset {graph: 'g', key: 'c', color: 'yes'})"
    ).replace("''", "\\'"),
    "incompatible alpha": (
        "(:Dataset {graph: 'g', key: 'a', color: 'no', alpha: 0.99})-[:NEIGHBOR {epsilon: 0.5, delta: 0.001}]->"
        "(:Dataset {graph: 'g', key: 'b', color: 'no'})-[:NEIGHBOR {epsilon: 0.25}]->"
        "(:Dataset {graph: 'g', key: 'c', color: 'yes', alpha: 0.01})"
    ),
    "alpha too low over the boundary": (
        "(:Dataset {graph: 'g', key: 'a', color: 'no', alpha: 0.01})-[:NEIGHBOR {epsilon: 0.5}]->"
        "(:Dataset {graph: 'g', key: 'c', color: 'yes', alpha: 0.99})"
    ),
}


@pytest.mark.parametrize("place", BAD)
def test_bad_graphs(caller: Caller, client: Store, place: str) -> None:
    """Whatever is wrong with a stored graph, both sides say the same and nothing is written."""
    caller(DATASETS.format(BAD[place]))
    before = _everything(caller)
    expected = _client(lambda: neodp.extend(client.read("g")))
    assert caller.refusal("CALL neodp.extend.write('g')") == expected
    assert _everything(caller) == before


def test_an_edge_to_itself(caller: Caller, client: Store) -> None:
    caller(DATASETS.format("(a:Dataset {graph: 'g', key: 'a', color: 'no'}), (a)-[:NEIGHBOR {epsilon: 1}]->(a)"))
    assert caller.refusal("CALL neodp.check('g')") == _client(lambda: client.read("g"))
    assert caller.refusal("CALL neodp.eval('g', ['a'])").message == "edge 'a' – 'a' joins a dataset to itself"


def test_an_edge_that_stands_twice(caller: Caller, client: Store) -> None:
    """The same twice is one edge; two that differ are refused."""
    caller(
        DATASETS.format(
            "(a:Dataset {graph: 'g', key: 'a', color: 'no'}), (b:Dataset {graph: 'g', key: 'b', color: 'no'})"
        )
    )
    join = "MATCH (a:Dataset {key: 'a'}), (b:Dataset {key: 'b'}) CREATE (%s)-[:NEIGHBOR {epsilon: %s}]->(%s)"
    caller(join % ("a", "0.5", "b"))
    caller(join % ("b", "0.5", "a"))
    assert caller.one("CALL neodp.extend.stats('g')")["relationshipCount"] == client.read("g").edges == 1
    caller(join % ("b", "0.25", "a"))
    refusal = caller.refusal("CALL neodp.check('g')")
    assert refusal.kind == "graph"
    assert "occurs twice, with (epsilon, delta) (0." in refusal.message
    assert "(0.25, 0)" in refusal.message


def test_edges_that_lead_out_of_the_graph(caller: Caller, client: Store) -> None:
    """Datasets of other graphs, and nodes that are none, do not count."""
    caller(
        DATASETS.format(
            "(a:Dataset {graph: 'g', key: 'a', color: 'no', alpha: 0.9}), (b:Dataset {graph: 'h', key: 'b'})"
        )
        + "CREATE (a)-[:NEIGHBOR {epsilon: 1}]->(b), (b)-[:NEIGHBOR]->(a), (a)-[:NEIGHBOR]->(:Other {graph: 'g'})"
    )
    assert caller.one("CALL neodp.extend.stats('g')")["relationshipCount"] == client.read("g").edges == 0
    assert caller.one("CALL neodp.eval('g', ['a'])")["pTrue"] == 0.9


def test_two_datasets_with_one_key(caller: Caller, client: Store) -> None:
    """Only a database without neodp's constraint can hold them."""
    caller("DROP CONSTRAINT neodp_dataset_key")
    try:
        caller(DATASETS.format(f"{_a(key=repr('a'))}, {_a(key=repr('a'))}"))
        refusal = caller.refusal("CALL neodp.check('g')")
        assert refusal == Refused("graph", "dataset 'a': the key 'a' occurs twice", "make keys unique")
    finally:
        caller("MATCH (n) DETACH DELETE n")
        client.init()


def test_unknown_and_unfinished(caller: Caller, client: Store) -> None:
    refusal = caller.refusal("CALL neodp.check('g')")
    assert (refusal.kind, refusal.hint) == ("unknown_graph", "it is empty; load or generate a graph first")
    client.load("survey", neodp.generate.path(4))
    assert caller.refusal("CALL neodp.check('surve')").hint == "it has survey"
    for state in ("loading", "dropping"):
        caller("MATCH (g:DatasetGraph) SET g.state = $state", state=state)
        assert caller.refusal("CALL neodp.extend.write('survey')") == _client(lambda: client.read("survey"))
        assert caller.refusal("CALL neodp.eval('survey', ['0'])").kind == "unfinished"


def test_colours(caller: Caller, client: Store) -> None:
    """With more than two, every dataset orders them; fewer are none."""
    caller("CREATE (:DatasetGraph {name: 'g', colors: ['a', 'b', 'c']}), (:Dataset {graph: 'g', key: '0', color: 'a'})")
    for call in ("extend.write('g')", "check('g')", "eval('g', ['0'])", "boundary.balanced.stream('g')"):
        assert caller.refusal(f"CALL neodp.{call}") == _client(lambda: client.extend("g", engine="client"))
    for colors in ("['a']", "['a', 'a']", "null"):
        caller(f"MATCH (g:DatasetGraph) SET g.colors = {colors}")
        assert caller.refusal("CALL neodp.check('g')") == _client(lambda: client.read("g"))


def test_no_mechanism(caller: Caller, client: Store) -> None:
    graph = neodp.generate.path(4)
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    assert caller.refusal("CALL neodp.audit('g')") == _client(lambda: client.mechanism("g"))
    caller.one("CALL neodp.extend.write('g')")
    caller("CREATE (:Dataset {graph: 'g', key: 'late', color: 'blue'})")
    caller("MATCH (d:Dataset {key: 'late'}) SET d.color = $color", color=graph.colors[0])
    assert caller.refusal("CALL neodp.audit('g')") == _client(lambda: client.mechanism("g"))
    caller("MATCH (d:Dataset {key: 'late'}) SET d.p = 0.7, d.q = 0.9")
    assert caller.refusal("CALL neodp.audit('g')") == _client(lambda: client.mechanism("g"))


def test_stale(caller: Caller, client: Store) -> None:
    """Somebody changes an edge; eval refuses to mix the old and the new, and audit says that it is stale."""
    graph = neodp.generate.path(6)
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    caller.one("CALL neodp.extend.write('g')")
    assert caller.one("CALL neodp.eval('g', ['0'])")["pTrue"] == client.evaluate("g", ["0"]).evaluations[0].p_true
    caller("MATCH (:Dataset {key: '0'})-[r:NEIGHBOR]-() SET r.epsilon = 0.125")
    expected = _client(lambda: client.evaluate("g", ["0"]))
    assert expected.kind == "stale"
    assert caller.refusal("CALL neodp.eval('g', ['0'])") == expected
    assert caller.refusal("CALL neodp.eval('g', ['0'], {engine: 'whole'})") == expected
    assert caller.one("CALL neodp.audit('g')")["stale"]
    assert client.mechanism("g").stale


def test_eval(caller: Caller, client: Store) -> None:
    """A key that is none, and a search that may see no more."""
    graph = neodp.generate.path(60)
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    for engine in ("auto", "ball", "whole"):
        refusal = caller.refusal("CALL neodp.eval('g', ['0', 'x'], {engine: $engine})", engine=engine)
        assert refusal == _client(lambda: client.evaluate("g", ["0", "x"]))
    refusal = caller.refusal("CALL neodp.eval('g', ['0'], {limit: 3, engine: 'ball'})")
    assert refusal == _client(lambda: client.evaluate("g", ["0"], engine="ball", limit=3))
    found = caller.one("CALL neodp.eval('g', ['0'], {limit: 3})")
    assert found["layers"] == 0
    assert found["proof"] == client.evaluate("g", ["0"], limit=3).proof
    assert caller("CALL neodp.eval('g', [])") == []


def test_hints_are_for_whoever_asks(caller: Caller, client: Store) -> None:
    """In Cypher, a hint is Cypher that can be pasted; in Python, it is Python. A strange name changes nothing."""
    name = "it's`\\"
    client.load(name, neodp.generate.path(4))
    with pytest.raises(ClientError) as inside:
        caller("CALL neodp.extend.write($name)", name=name)
    hint = re.findall(";\n.*?`(.+?)`", inside.value.message or "")[0]
    assert hint.startswith("CALL neodp.boundary.balanced.write('it")
    assert caller.one(hint)["boundaryCount"] == 2
    caller("CALL neodp.extend.write($name)", name=name)
    caller("MATCH (:Dataset {key: '0'})-[r:NEIGHBOR]-() SET r.epsilon = 0.125")
    with pytest.raises(ClientError) as inside:
        caller("CALL neodp.eval($name, ['0'])", name=name)
    hint = re.findall(";\n.*?`(.+?)`", inside.value.message or "")[0]
    assert caller.one(hint)["nodePropertiesWritten"] == 16
    assert recognized(f"run `{hint}` again", name, "default") == f"run `store.extend({name!r})` again"


@pytest.mark.parametrize("verb", [verb for verb, forms in VERBS.items() if forms.cypher])
def test_every_hint_is_cypher(caller: Caller, verb: str) -> None:
    cypher = in_cypher(Hint(Call(verb, graph="g", population="p")), "g")
    caller("EXPLAIN " + re.sub(r": [NE]\b", ": 1", cypher.strip("`")))


def test_eval_explains_as_the_client_does(caller: Caller, client: Store) -> None:
    graph = neodp.generate.counts([9, 7], epsilon=[0.25, 1.0])
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    keys = ["0-0", "4-4", "9-7", "0-0"]
    rows = caller("CALL neodp.eval('g', $keys)", keys=keys)
    found = client.evaluate("g", keys)
    assert [row["key"] for row in rows] == keys
    for row, evaluation in zip(rows, found.evaluations or [], strict=False):
        assert row["probabilities"] == evaluation.probabilities
        assert row["pTrue"] == evaluation.p_true
        assert sum(row["epsilons"]) == sum(evaluation.epsilons)
        for field in ("seen", "expanded", "layers", "reach", "rounded", "proof"):
            assert row[field] == getattr(found, field)


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (
            "extend.write('g', {concurency: 2})",
            "the configuration has the unknown key 'concurency'",
            "did you mean `{concurrency: ...}`? the keys are concurrency, batchSize, logProgress, jobId, nodeLabel, "
            "relationshipType, keyProperty, colorProperty, alphaProperty, preferenceProperty, epsilonProperty, "
            "deltaProperty, writeProperty, colors",
        ),
        ("extend.write('g', {concurrency: 0})", "concurrency is 0", "give a whole number from 1 to 64"),
        ("extend.stats('g', {batchSize: 1.5})", "batchSize is 1.5", "give a whole number from 1 to 1000000"),
        ("extend.write.estimate('g', {batchSize: 0})", "batchSize is 0", "give a whole number from 1 to 1000000"),
        ("extend.stats.estimate('g', {concurrency: 65})", "concurrency is 65", "give a whole number from 1 to 64"),
        ("eval('g', [], {limit: 'all'})", "limit is 'all'", "give a whole number from 1 to 2147483647"),
        ("eval('g', [], {engine: 'fast'})", "engine is 'fast'", "give one of auto, ball, whole"),
        ("audit('g', {worst: -1})", "worst is -1", "give a whole number from 0 to 1000000"),
        ("extend.stream('g', {logProgress: 1})", "logProgress is 1", "give true or false"),
        ("eval('g', null)", "the list of keys is null", "give a list of texts"),
        ("eval('g', ['0', null])", "a key is null", "give a list of texts"),
        ("eval(null, ['0'])", "the graph's name is null", "give a text"),
        ("extend.write.estimate(null)", "the graph's name is null", "give a text"),
        ("extend.write(null)", "the graph's name is null", "give a text"),
    ],
)
def test_options(caller: Caller, client: Store, call: str, message: str, hint: str) -> None:
    client.load("g", neodp.generate.path(4))
    assert caller.refusal(f"CALL neodp.{call}") == Refused("graph", message, hint)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("1.5, 1.0, 0.0", "p is 1.5"),
        ("1e-310, 1.0, 0.0", "p is 1e-310"),
        ("0.5, 691.0", "epsilon is 691.0"),
        ("0.5, 0.0 / 0.0", "epsilon is nan"),
        ("0.5, 1.0, -0.25", "delta is -0.25"),
    ],
)
def test_bound(caller: Caller, arguments: str, message: str) -> None:
    assert caller.refusal(f"RETURN neodp.bound({arguments})").message == message


def test_bound_of_nothing_is_nothing(caller: Caller) -> None:
    """As Cypher's own functions have it."""
    for arguments in ("null, 1.0", "0.5, null", "0.5, 1.0, null"):
        assert caller.one(f"RETURN neodp.bound({arguments}) AS bound") == {"bound": None}


def test_every_procedure_is_documented(caller: Caller) -> None:
    """SHOW PROCEDURES and SHOW FUNCTIONS say what each does, and which of them write."""
    modes = {
        row["name"]: row["mode"]
        for row in caller(
            "SHOW PROCEDURES YIELD name, mode, description WHERE name STARTS WITH 'neodp.' AND size(description) > 40 "
            "RETURN name, mode"
        )
    }
    assert modes == {
        "neodp.answer": "WRITE",
        "neodp.audit": "READ",
        "neodp.ask": "WRITE",
        "neodp.ask.reveal": "READ",
        "neodp.budget": "READ",
        "neodp.budget.set": "WRITE",
        "neodp.graph.drop": "WRITE",
        "neodp.graph.list": "READ",
        "neodp.list": "READ",
        "neodp.listProgress": "READ",
        "neodp.poll": "WRITE",
        "neodp.poll.reveal": "READ",
        "neodp.protect": "WRITE",
        "neodp.protect.drop": "WRITE",
        "neodp.protect.list": "READ",
        "neodp.releases": "READ",
        **{f"neodp.boundary.balanced.{mode}": "WRITE" if mode == "write" else "READ" for mode in MODES},
        **{f"neodp.extend.{mode}": "WRITE" if mode == "write" else "READ" for mode in MODES},
        **{
            f"neodp.{whole}.estimate": "READ"
            for whole in (
                "audit",
                "check",
                *(f"{verb}.{mode}" for verb in ("boundary.balanced", "extend") for mode in MODES),
            )
        },
        "neodp.check": "READ",
        "neodp.eval": "READ",
    }
    rows = caller("SHOW PROCEDURES YIELD name, argumentDescription, returnDescription WHERE name STARTS WITH 'neodp.'")
    fields = [field for row in rows for field in row["argumentDescription"] + row["returnDescription"]]
    assert len(fields) > 80
    assert [field for field in fields if "::" in field["description"]] == []  # as the server itself describes a field
    functions = caller(
        "SHOW FUNCTIONS YIELD name, description WHERE name STARTS WITH 'neodp.' RETURN name, description"
    )
    assert {row["name"] for row in functions if row["description"]} == {"neodp.bound", "neodp.version"}


def test_the_page_of_security_has_every_procedure_with_its_mode(caller: Caller) -> None:
    """The table of SECURITY.md; `.stats` and the like stand behind the name before them."""
    table = [
        line.split("|") for line in SECURITY.read_text(encoding="utf-8").splitlines() if line.startswith("| `neodp.")
    ]
    stated = {}
    for _, names, mode, *_ in table:
        whole = ""
        for name in re.findall(r"`([a-zA-Z.]+)`", names):
            whole = name if name.startswith("neodp.") else whole.rpartition(".")[0] + name
            stated[whole] = mode.strip()
    rows = caller("SHOW PROCEDURES YIELD name, mode WHERE name STARTS WITH 'neodp.' AND NOT name ENDS WITH '.estimate'")
    modes = {row["name"]: row["mode"] for row in rows}
    assert {name: mode for name, mode in stated.items() if name in modes} == modes
    assert stated.keys() - modes.keys() == {"neodp.version", "neodp.bound", "neodp.boundary.balanced.estimate"}


def test_the_grants_of_the_page_are_administration_commands(caller: Caller) -> None:
    """The Community Edition reads them, and has none of them; a slip in one of them is an error of its syntax."""
    page = SECURITY.read_text(encoding="utf-8")
    statements = [each for _, code, _ in blocks(page, "cypher") for each in code.split(";\n") if each.strip()]
    assert len(statements) > 15
    codes = {}
    for statement in [*statements, "GRANT EXECUTE BOOSTED neodp.answer ON DBMS TO neodp_analyst"]:
        with pytest.raises(ClientError) as refused, caller.driver.session(database="system") as session:
            session.run(statement).consume()
        codes[statement] = (refused.value.code or "").rpartition(".")[2]
    assert codes.popitem()[1] == "SyntaxError"
    assert set(codes.values()) == {"UnsupportedAdministrationCommand"}, codes


def test_reading_procedures_may_not_write(caller: Caller, client: Store) -> None:
    """A transaction for reading runs what reads, and refuses what writes."""
    client.load("g", (graph := neodp.generate.path(4)).with_alpha(neodp.balanced(graph)))
    client.protect(neodp.Protection("staff", "e", people="P", properties=("v",)))
    rows = caller("SHOW PROCEDURES YIELD name, mode WHERE name STARTS WITH 'neodp.' AND mode = 'WRITE'")
    assert {row["name"] for row in rows} == {f"neodp.{call.partition('(')[0]}" for call in WRITING}
    with caller.driver.session(default_access_mode="READ") as session:
        assert session.run("CALL neodp.extend.stats('g')").single() is not None
        for call in WRITING:
            with pytest.raises(ClientError) as refused:
                session.run(f"CALL neodp.{call}").consume()
            assert refused.value.code == "Neo.ClientError.Statement.AccessMode"
    assert client.info("g").mechanism is None
    assert [each.population for each in client.protections()] == ["staff"]
    assert caller("MATCH (n) WHERE n:NeodpRelease OR n:NeodpLedger RETURN n") == []

"""Questions: what can be asked, what cannot and why, and that no text of a question reaches an engine as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.asking.grammar import parse, parse_property
from neodp.asking.pattern import Pattern
from neodp.asking.protection import Protection
from neodp.asking.writing import Neo4jWriter
from neodp.errors import GraphError, NotAskable

STAFF = Protection(
    "staff",
    "epsilon",
    people="Person",
    properties=("ill", "age", "name", "amount"),
    owned=(("Account", "OWNS"),),
    public=("Office",),
)
PAIR = "MATCH (a:Person)-[r:KNOWS]-(b:Person)"


def ask(question: str) -> Pattern:
    return parse(question).checked(STAFF)


@pytest.mark.parametrize(
    ("question", "same"),
    [
        (f"{PAIR} WHERE a.ill AND b.ill", f"{PAIR} WHERE a.ill = true AND b.ill = true"),
        ("match (a:Person) where a.age>=18;", "MATCH (a:Person) WHERE a.age >= 18"),
        ("MATCH (a:Person {age: 3})", "MATCH (a:Person) WHERE a.age = 3"),
        ("MATCH (a:Person)<-[:KNOWS]-(b:Person)", "MATCH (b:Person)-[:KNOWS]->(a:Person)"),
        ("MATCH (a:Person)-->(b:Person)--(c:Office)", "MATCH (a:Person)-[]->(b:Person), (b)-[]-(c:Office)"),
        ("MATCH (a:Person)-[:A|:B|C*..3]-(b:Person)", "MATCH (a:Person)-[:A|B|C*1..3]-(b:Person)"),
        ("MATCH (a:Person)-[:A*2]-(b:Person)", "MATCH (a:Person)-[:A*2..2]-(b:Person)"),
        ("MATCH (a:Person) WHERE 18 <= a.age < 65", "MATCH (a:Person) WHERE 18 <= a.age AND a.age < 65"),
        ("MATCH (a:Person) WHERE a.age = -5 OR a.age > 1.5e1", "MATCH (a:Person) WHERE a.age = -5 OR a.age > 15.0"),
        ("MATCH (a:Person) WHERE a.age IN [1, 'x'] /* who */", 'MATCH (a:Person) WHERE a.age IN [1, "x"]'),
        (
            "MATCH (a:Person) WHERE NOT (a.ill XOR a.age IS NULL)",
            "MATCH (a:Person) WHERE NOT (a.ill = true XOR a.age IS NULL)",
        ),
        ("MATCH (a:Person), (b:Person) WHERE a <> b", "MATCH (a:Person), (b:Person) WHERE a <> b"),
        ("MATCH (a:Person) WHERE a.name STARTS WITH 'x' AND a.name ENDS WITH 'y'",) * 1
        + ('MATCH (a:Person) WHERE a.name STARTS WITH "x" AND a.name ENDS WITH "y"',),
        ("MATCH (a:Person) WHERE coalesce(a.age, 0) < 3", "MATCH (a:Person) WHERE coalesce(a.age, 0) < 3"),
        ("MATCH (o:Office)--(a:Person) WHERE o.anything = 1", "MATCH (o:Office)-[]-(a:Person) WHERE o.anything = 1"),
    ],
)
def test_a_question_has_one_form_which_reads_as_itself(question: str, same: str) -> None:
    assert ask(question).text == same
    assert ask(same).text == same


HOSTILE = [
    (f"{PAIR} OPTIONAL MATCH (b)--(c:Person)", "OPTIONAL cannot be asked"),
    ("OPTIONAL MATCH (a:Person)", "OPTIONAL cannot be asked"),
    ("MATCH (a:Person) WHERE NOT (a)-[:KNOWS]-()", "NOT of a pattern"),
    ("MATCH (a:Person) WHERE NOT (a)--(:Person)", "NOT of a pattern"),
    ("MATCH (a:Person) WHERE a.ill AND NOT ((a)<-[:KNOWS]-(:Person))", "NOT of a pattern"),
    ("MATCH (a:Person) WHERE EXISTS { (a)--(:Person) }", "EXISTS cannot be asked"),
    ("MATCH (a:Person) WHERE exists((a)--())", "EXISTS cannot be asked"),
    ("MATCH (a:Person) WHERE NOT EXISTS { MATCH (a)--(b:Person) WHERE b.ill }", "EXISTS cannot be asked"),
    ("MATCH (a:Person) WHERE COUNT { (a)--() } > 3", "COUNT cannot be asked"),
    ("MATCH (a:Person) RETURN count(*)", "COUNT cannot be asked"),
    ("MATCH (a:Person) WHERE size([(a)--(b) | b]) > 3", "a function cannot be asked"),
    ("MATCH (a:Person) WHERE COLLECT { MATCH (a)--(b) RETURN b } = []", "a subquery cannot be asked"),
    ("MATCH (a:Person) CALL { WITH a MATCH (a)--(b) RETURN b } RETURN b", "a subquery cannot be asked"),
    ("CALL db.labels()", "a procedure cannot be asked"),
    ("MATCH (a:Person) CALL apoc.util.sleep(1000) YIELD value", "a procedure cannot be asked"),
    ("MATCH (a:Person) WITH a LIMIT 1 MATCH (a)--(b:Person)", "WITH cannot be asked"),
    ("MATCH (a:Person) WITH count(a) AS n WHERE n > 3", "COUNT cannot be asked"),
    ("MATCH (a:Person) WITH sum(a.age) AS n WHERE n > 3", "an aggregation cannot be asked"),
    ("MATCH (a:Person) WHERE max(a.age) > 3", "an aggregation cannot be asked"),
    ("MATCH (a:Person) RETURN a", "RETURN cannot be asked"),
    ("MATCH (a:Person) LIMIT 5", "LIMIT cannot be asked"),
    ("MATCH (a:Person) SKIP 5", "SKIP cannot be asked"),
    ("MATCH (a:Person) ORDER BY a.age", "ORDER BY cannot be asked"),
    ("MATCH (a:Person) UNION MATCH (b:Person)", "UNION cannot be asked"),
    ("MATCH shortestPath((a:Person)-[:KNOWS*1..3]-(b:Person))", "a shortest path cannot be asked"),
    ("MATCH p = allShortestPaths((a:Person)-[*]-(b:Person))", "a shortest path cannot be asked"),
    ("MATCH SHORTEST 1 (a:Person)-[:KNOWS]-+(b:Person)", "a shortest path cannot be asked"),
    ("MATCH (a:Person)-[:KNOWS*]-(b:Person)", "a path of unbounded length cannot be asked"),
    ("MATCH (a:Person)-[:KNOWS*2..]-(b:Person)", "a path of unbounded length cannot be asked"),
    ("MATCH (a:Person)-[*..]-(b:Person)", "a path of unbounded length cannot be asked"),
    ("MATCH (a:Person)-[:KNOWS*0..2]-(b:Person)", "a path has from 0 to 2 relationships"),
    ("MATCH (a:Person)-[:KNOWS*3..2]-(b:Person)", "a path has from 3 to 2 relationships"),
    ("MATCH (a:Person)-[:KNOWS*1..9]-(b:Person)", "up to 9 relationships"),
    ("MATCH ((a:Person)-[:KNOWS]-(b:Person)){1,3}", "a quantified path cannot be asked"),
    ("MATCH (a)-[:KNOWS]-(b:Person)", r"the node \(a\) has no label"),
    ("MATCH (a:Person)--()", r"the node \(\) has no label"),
    ("MATCH (a:Person)--(c:City)", "the label 'City' is neither protected, owned nor public"),
    ("MATCH (a:Person)--(c:NeodpLedger)", "the label 'NeodpLedger' is neither"),
    ("MATCH (a:Person|Office)", "a label expression cannot be asked"),
    ("MATCH (a:Person&Office)", "a label expression cannot be asked"),
    ("MATCH (a:!Person)", "a label expression cannot be asked"),
    ("MATCH (a:%)", "a label expression cannot be asked"),
    ("MATCH (a:Person:Ill)", "a label expression cannot be asked"),
    ("MATCH (a:Person) WHERE a:Ill", "a label expression cannot be asked"),
    ("MATCH (a:Person) WHERE NOT a:Ill AND a.ill", "a label expression cannot be asked"),
    ("MATCH (a:Person) WHERE toLower(a.name) = 'x'", "a function cannot be asked"),
    ("MATCH (a:Person) WHERE toInteger(a.name) > 3", "a function cannot be asked"),
    ("MATCH (a:Person) WHERE apoc.text.distance(a.name, 'x') > 3", "a function cannot be asked"),
    ("MATCH (a:Person) WHERE size(a.name) > 3", "a function cannot be asked"),
    ("MATCH (a:Person) WHERE id(a) = 3", "an id cannot be asked"),
    ("MATCH (a:Person) WHERE elementId(a) = '3'", "an id cannot be asked"),
    ("MATCH (a:Person) WHERE a.age < timestamp()", "a clock cannot be asked"),
    ("MATCH (a:Person) WHERE date(a.name) < date('2020-01-01')", "a clock cannot be asked"),
    ("MATCH (a:Person) WHERE a.age > rand()", "a random number cannot be asked"),
    ("MATCH (a:Person) WHERE a.name = randomUUID()", "a random number cannot be asked"),
    ("MATCH (a:Person) WHERE 1/a.age > 3", "arithmetic cannot be asked"),
    ("MATCH (a:Person) WHERE a.age + 1 > 3", "arithmetic cannot be asked"),
    ("MATCH (a:Person) WHERE a.age - 1 > 3", "arithmetic cannot be asked"),
    ("MATCH (a:Person) WHERE a.age % 2 = 1", "arithmetic cannot be asked"),
    ("MATCH (a:Person) WHERE a.name =~ '(x+x+)+y'", "a regular expression cannot be asked"),
    ("MATCH (a:Person) WHERE a.age[0] = 3", "an element of a list cannot be asked"),
    ("MATCH (a:Person) WHERE a['name'] = 'x'", "an element of a list cannot be asked"),
    ("MATCH (a:Person) WHERE any(x IN a.age WHERE x > 3)", "a condition on a list cannot be asked"),
    ("MATCH (a:Person) WHERE CASE WHEN a.ill THEN true ELSE false END", "CASE cannot be asked"),
    ("MATCH (a:Person) WHERE a.name = $name", "a parameter cannot be asked"),
    ("MATCH (a:Person) WHERE a.epsilon > 1", "'epsilon' holds the epsilons"),
    ("MATCH (a:Person {epsilon: 1})", "'epsilon' holds the epsilons"),
    ("MATCH (a:Person)--(o:Office) WHERE o.epsilon = 1", "'epsilon' holds the epsilons"),
    ("MATCH (a:Person) WHERE a.pagerank > 1", "the property 'pagerank' may not be asked about"),
    (f"{PAIR} WHERE r.similarity > 1", "the property 'similarity' may not be asked about"),
    ("MATCH (o:Office)--(p:Office)", "the pattern contains no people"),
    ("USE other MATCH (a:Person)", "USE cannot be asked"),
    ("MATCH (a:Person) SET a.ill = true", "a write cannot be asked"),
    ("MATCH (a:Person) DETACH DELETE a", "a write cannot be asked"),
    ("CREATE (a:Person)", "a write cannot be asked"),
    ("LOAD CSV FROM 'file:///etc/passwd' AS x MATCH (a:Person)", "a write cannot be asked"),
    ("UNWIND [1, 2] AS x MATCH (a:Person)", "UNWIND cannot be asked"),
    ("EXPLAIN MATCH (a:Person)", "EXPLAIN cannot be asked"),
    ("MATCH (a:Person); MATCH (b:Person)", "MATCH twice cannot be asked"),
    ("MATCH (a:Person) MATCH (b:Person)", "MATCH twice cannot be asked"),
    ("MATCH p = (a:Person)--(b:Person)", "a named path cannot be asked"),
    ("MATCH (a:Person) WHERE a.age = null", "null as a value cannot be asked"),
    ("MATCH (a:Person) WHERE a.age IS :: INTEGER", "a type check cannot be asked"),
    ("MATCH (a:Person) WHERE b.age = 1", "the variable 'b' is not in the pattern"),
    ("MATCH (a:Person), (a:Office)", "'a' has two labels"),
    ("MATCH (a:Person)-[a:KNOWS]-(b:Person)", "the variable 'a' stands for two things"),
    ("MATCH (a:Person)-[r:KNOWS]-(b:Person)-[r:KNOWS]-(c:Person)", "the variable 'r' stands for two things"),
    ("MATCH (a:Person)-[r:KNOWS*1..2]-(b:Person) WHERE r.amount = 1", "'r' stands for several relationships"),
    (f"{PAIR} WHERE a = r", "a relationship is compared"),
    ("MATCH (a:`Per\\u0060son`)", "a name in the question is"),
    ("MATCH (a:Person) WHERE a.name = '\\u0027'", "the escape"),
    ("MATCH (a:Person) WHERE a.age = 99999999999999999999", "too large"),
    ("MATCH (a:Person) WHERE a.age = 1e999", "too large"),
    ("MATCH (a:Person) WHERE a", "cannot be read at its end"),
    ("MATCH (a:Person) WHERE", "cannot be read at its end"),
    ("MATCH", "cannot be read at its end"),
    ("hello", "cannot be read at character 1"),
    ("", "there is no question"),
    ("MATCH (a:Person) WHERE " + "(" * 100 + "a.ill" + ")" * 100, "nested too deeply"),
    ("MATCH (a:Person) WHERE " + "NOT " * 5000 + "a.ill", "characters"),
    ("MATCH (a:Person) WHERE " + "NOT " * 2000 + "a.ill", "nested too deeply"),
]


@pytest.mark.parametrize(("question", "why"), HOSTILE)
def test_a_hostile_question_is_refused_with_its_reason(question: str, why: str) -> None:
    with pytest.raises(NotAskable, match=why) as refused:
        ask(question)
    assert refused.value.hint
    assert "\n" not in str(refused.value)
    assert re.search(r"[.!?]\s+\S", re.sub(r"'[^']*'", "", refused.value.message)) is None  # one sentence
    assert not refused.value.message.endswith(".")


def test_at_least_sixty_questions_are_hostile() -> None:
    assert len({question for question, _ in HOSTILE}) >= 60


@pytest.mark.parametrize(
    "question",
    [
        "MATCH (a:Person) WHERE a.name = 'RETURN count(*) LIMIT 1; DROP'",
        'MATCH (`OPTIONAL`:Person) WHERE `OPTIONAL`.name = "x\' OR 1=1 //"',
        "MATCH (a:Person) // OPTIONAL MATCH",
    ],
)
def test_words_in_texts_names_and_comments_are_no_constructs(question: str) -> None:
    assert parse(ask(question).text) == ask(question)


NASTY = st.text(alphabet=st.sampled_from("ab`'\"\\{}()[]$;:/*-> \nü"), min_size=1, max_size=12)


@given(NASTY, NASTY)
def test_names_are_quoted_and_values_are_parameters(label: str, value: str) -> None:
    """Cypher in a name stays a name, and Cypher in a value is never part of a statement."""
    try:
        own = Protection("p", "epsilon", people=label, properties=("name",))
    except GraphError:
        assert "\\" in label or label != label.strip() or not label.isprintable()
        return
    written = "'" + "".join({"\\": "\\\\", "'": "\\'", "\n": "\\n"}.get(x, x) for x in value) + "'"
    name = "`" + label.replace("`", "``") + "`"
    pattern = parse(f"MATCH (a:{name}) WHERE a.name = {written}").checked(own)
    statement = Neo4jWriter(own).matches(pattern)
    assert statement.text == f"MATCH (n0:{name}) WHERE (n0.`name` = $p0) RETURN id(n0) AS n0 LIMIT 10000001"
    assert statement.parameters == {"p0": value}
    assert parse(pattern.text) == pattern


def test_a_path_of_several_lengths_stands_for_one_pattern_each_with_everybody_on_the_way() -> None:
    pattern = ask("MATCH (a:Person)-[:KNOWS*1..3]-(b:Person)")
    found = [Neo4jWriter(STAFF).matches(each) for each in pattern.alternatives()]
    assert [(each.nodes, each.links) for each in found] == [(2, 1), (3, 2), (4, 3)]
    assert "(n2:`Person` OR n2:`Account` OR n2:`Office`)" in found[1].text
    assert "id(r0) <> id(r1)" in found[1].text


def test_a_property_that_only_public_nodes_may_be_asked_is_not_asked_of_people_with_a_public_label() -> None:
    """A node with the labels Person and Office is a person: its unlisted properties may be computed from others."""
    statement = Neo4jWriter(STAFF).matches(ask("MATCH (o:Office)--(a:Person) WHERE o.rank > 3 AND a.ill"))
    assert "(NOT n0:`Person` AND NOT n0:`Account`)" in statement.text
    assert "NOT n1" not in statement.text


def test_the_property_of_a_sum_is_named_by_its_variable() -> None:
    pattern = ask(PAIR)
    assert parse_property(pattern, "r.amount").key == "amount"
    for text in ("amount", "r.amount + 1", "r.amount IS NULL OR a.ill", "x.amount", ""):
        with pytest.raises(NotAskable):
            parse_property(pattern, text)

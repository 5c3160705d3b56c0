"""The text of a question: reading it gives the same matches, and the same text again."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodp.asking.grammar import parse
from neodp.asking.pattern import Pattern, Place
from tests.asking.corpus import READ, corpus


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "MATCH (a:Person)-[:KNOWS {amount: 5}]-(b:Person)",
            "MATCH (a:Person)-[r1:KNOWS]-(b:Person) WHERE r1.amount = 5",
        ),
        (
            "MATCH (:Person {age: 3})-[r1:KNOWS]->(n1:Person {ill: true, age: 4}), (:Person {age: 5})",
            "MATCH (n2:Person)-[r1:KNOWS]->(n1:Person), (n3:Person) "
            "WHERE n2.age = 3 AND n1.ill = true AND n1.age = 4 AND n3.age = 5",
        ),
        (
            "MATCH (:Person)-[:A]-(:Person)<-[:B {x: 1}]-(:Person) WHERE true OR false",
            "MATCH (:Person)-[:A]-(n1:Person), (:Person)-[r1:B]->(n1) WHERE r1.x = 1 AND (true OR false)",
        ),
        (
            'MATCH (a:Person) WHERE a.name = "\\"\\\\\x01\\b\\f\\n\\r\\t\x7f\u2028"',
            'MATCH (a:Person) WHERE a.name = "\\"\\\\\x01\\b\\f\\n\\r\\t\x7f\u2028"',
        ),
    ],
)
def test_elements_without_a_name_get_one_where_it_is_needed_and_texts_are_read_back(question: str, text: str) -> None:
    assert parse(question).text == text
    assert parse(text).text == text
    assert meaning(parse(text)) == meaning(parse(question))


def meaning(pattern: Pattern) -> Pattern:
    """Return a pattern without names, its nodes numbered as its relationships meet them."""
    met = dict.fromkeys(number for link in pattern.links for number in (link.start, link.end))
    order = list(dict.fromkeys([*met, *range(len(pattern.nodes))]))
    number = {old: new for new, old in enumerate(order)}

    def moved(part: Any) -> Any:
        if isinstance(part, Place):
            return replace(part, number=number[part.number]) if part.kind == "node" else part
        if isinstance(part, tuple):
            return tuple(moved(each) for each in part)
        if is_dataclass(part) and not isinstance(part, type):
            return replace(part, **{each.name: moved(getattr(part, each.name)) for each in fields(part)})
        return part

    return Pattern(
        tuple(replace(pattern.nodes[old], name=None) for old in order),
        tuple(replace(link, name=None, start=number[link.start], end=number[link.end]) for link in pattern.links),
        moved(pattern.condition),
    )


def assert_reads_as_itself(question: str) -> None:
    first = parse(question)
    again = parse(first.text)
    assert again.text == first.text
    assert meaning(again) == meaning(first)


def test_every_question_of_the_corpus_reads_as_itself() -> None:
    texts = [row["question"] for row in corpus()["questions"] if "text" in row]
    assert len(texts) > len(READ)
    for question in texts:
        assert_reads_as_itself(question)


NAMES = st.sampled_from(["a", "b", "x1", "n1", "n2", "r1", "Match", "ünï", "`and or`", "`in`", "`a``b`"])
LABELS = st.sampled_from(["Person", "Office", "`Per``son`", "`where`"])
KEYS = st.sampled_from(["ill", "age", "`is ill`", "not_", "`null`"])
TEXTS = st.text(alphabet=st.sampled_from("ab`'\"\\$ \n\t\r\x01\x0b\x7fü\u2028𝔘"), max_size=5).map(
    lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
)
CONSTANTS = st.one_of(
    TEXTS,
    st.integers(-(2**63) + 1, 2**63 - 1).map(str),
    st.floats(0, allow_nan=False, allow_infinity=False).map(lambda x: f"-{x!r}"),
    st.floats(0, allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["true", "FALSE", "1.50", "2E-3", "٣"]),
)


@st.composite
def questions(draw: st.DrawFn) -> str:
    """Questions of all constructs that the grammar has."""
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    nodes: list[str] = []
    asked: list[str] = []

    def name(kept: list[str]) -> str:
        named: bool = draw(st.booleans())
        found = names.pop() if names and named else ""
        if found:
            kept.append(found)
        return found

    def braces() -> str:
        if draw(st.integers(0, 3)):
            return ""
        pairs = draw(st.lists(st.tuples(KEYS, CONSTANTS), min_size=1, max_size=2))
        return " {" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"

    def node() -> str:
        again: bool = draw(st.booleans())
        if nodes and again:
            return f"({draw(st.sampled_from(nodes))}{braces()})"
        return f"({name(nodes)}:{draw(LABELS)}{braces()})"

    def link() -> str:
        left, right = draw(st.sampled_from([("-", "-"), ("<-", "-"), ("-", "->")]))
        length = draw(st.sampled_from(["", "", "*2", "*..3", "*1..2", "*1"]))
        kinds = "|".join(draw(st.lists(LABELS, max_size=2)))
        inside = f"{name([] if length and length != '*1' else asked)}{':' if kinds else ''}{kinds}{length}"
        return f"{left}[{inside}{braces() if not length else ''}]{right}"

    paths = []
    for _ in range(draw(st.integers(1, 2))):
        path = node()
        for _ in range(draw(st.integers(0, 3))):
            path += link() + node()
        paths.append(path)
    where = draw(conditions(nodes, asked)) if draw(st.booleans()) else ""
    return f"MATCH {', '.join(paths)}{' WHERE ' if where else ''}{where}"


def conditions(nodes: list[str], links: list[str]) -> st.SearchStrategy[str]:
    """Conditions on the variables of a pattern."""
    named = nodes + links
    properties = [st.tuples(st.sampled_from(named), KEYS).map(".".join)] if named else []
    plain = st.one_of(CONSTANTS, *properties)
    operand = st.one_of(plain, st.lists(plain, min_size=1, max_size=3).map(lambda each: f"coalesce({', '.join(each)})"))
    signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "STARTS WITH", "ends  with", "CONTAINS"])
    leaf = st.one_of(
        st.tuples(operand, signs, operand).map(" ".join),
        st.tuples(operand, st.just("<"), operand, st.just("<="), operand).map(" ".join),
        st.tuples(operand, st.lists(CONSTANTS, max_size=3)).map(lambda x: f"{x[0]} IN [{', '.join(x[1])}]"),
        st.tuples(operand, st.sampled_from(["IS NULL", "is not null"])).map(" ".join),
        st.sampled_from(["true", "False"]),
        *properties,
        *([st.tuples(*[st.sampled_from(nodes)] * 2).map(" <> ".join)] if nodes else []),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map(lambda each: f"NOT {each}"),
            inner.map(lambda each: f"({each})"),
            st.tuples(inner, st.sampled_from([" AND ", " or ", " XOR "]), inner).map("".join),
        ),
        max_leaves=6,
    )


@settings(max_examples=100)
@given(questions())
def test_random_questions_read_as_themselves(question: str) -> None:
    assert_reads_as_itself(question)

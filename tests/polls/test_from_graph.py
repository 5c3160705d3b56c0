"""People from a graph: one row per node of one label, and its own properties only."""

import pytest

from neodp.errors import GraphError
from neodp.polls.from_graph import PeopleQuery


@pytest.mark.parametrize(
    ("text", "cypher"),
    [
        (
            "MATCH (p:Person) RETURN p.vote, p.epsilon",
            "MATCH (n:`Person`) RETURN n.`vote` AS `p.vote`, n.`epsilon` AS `p.epsilon`",
        ),
        (
            " match(p : Person)\nreturn p.vote as v , 0.3 AS epsilon ; ",
            "MATCH (n:`Person`) RETURN n.`vote` AS `v`, 0.3 AS `epsilon`",
        ),
        ("MATCH (`a b`:`Per, son`) RETURN `a b`.`my, vote` AS v", "MATCH (n:`Per, son`) RETURN n.`my, vote` AS `v`"),
    ],
)
def test_what_is_read(text: str, cypher: str) -> None:
    assert PeopleQuery.parse(text).cypher == cypher


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (p:Star) RETURN EXISTS {(p)-[:KNOWS]-(:Star {smoker: true})} AS vote, 0.3 AS epsilon",
        "MATCH (p)-[:KNOWS]-(q) RETURN p.vote, p.epsilon",
        "MATCH (p:Person), (q:Person) RETURN p.vote, p.epsilon",
        "MATCH (p:Person)--(q:Person) RETURN p.vote, q.epsilon",
        "MATCH (p:Person) RETURN q.vote, p.epsilon",
        "MATCH (p) RETURN p.vote, p.epsilon",
        "MATCH (p:Person|Robot) RETURN p.vote, p.epsilon",
        "MATCH (p:Person {age: 3}) RETURN p.vote, p.epsilon",
        "MATCH (p:Person) WHERE p.age > 3 RETURN p.vote, p.epsilon",
        "MATCH (p:Person) RETURN DISTINCT p.vote, p.epsilon",
        "MATCH (p:Person) RETURN p.vote, p.epsilon LIMIT 3",
        "MATCH (p:Person) RETURN p.vote, p.epsilon UNION MATCH (p:Person) RETURN p.vote, p.epsilon",
        "MATCH (p:Person) UNWIND [1, 2] AS i RETURN p.vote, p.epsilon",
        "MATCH (p:Person) RETURN count(p) AS vote, 1 AS epsilon",
        "MATCH (p:Person) RETURN p.vote + 1 AS vote, p.epsilon",
        "MATCH (p:Person) RETURN p, p.epsilon",
        "MATCH (p:Person) RETURN *",
        "MATCH (p:Person) RETURN p.friend.vote, p.epsilon",
        "MATCH (p:Person) RETURN p[$x], p.epsilon",
        "MATCH (p:Person) SET p.vote = 'no' RETURN p.vote, p.epsilon",
        "MATCH (p:`Person\\u0060)--(q:Person) RETURN q.vote, q.epsilon //`) RETURN p.vote",
        "MATCH (p:Person) RETURN p.vote AS `x``y`, p.epsilon",
        "MATCH (p:Person) RETURN",
        "MATCH (p:Person) RETURN p.vote,",
        "MATCH p:Person",
        "RETURN 1",
        "",
        "MATCH (p:Person) RETURN p.vote" + " " * 3_000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(GraphError, match="'neodp ask'"):
        PeopleQuery.parse(text)


def test_two_columns_of_one_name() -> None:
    with pytest.raises(GraphError, match="two columns 'v'"):
        PeopleQuery.parse("MATCH (p:Person) RETURN p.vote AS v, p.epsilon AS v")

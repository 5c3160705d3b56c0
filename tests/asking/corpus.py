"""Questions with what is read from them, for both languages that read them: Python here, and Java in the plugin.

``python -m tests.asking.corpus`` writes ``plugin/src/test/resources/questions.json`` again, after a change of the
language. Each question has the form in which it is kept and the statements that are written for it, or the sentence
with which it is refused, and its hint unless that names an option, which each language writes in its own way.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

from neodp.asking.grammar import parse
from neodp.asking.protection import Protection
from neodp.asking.writing import Neo4jWriter
from neodp.errors import NotAskable
from tests.asking.test_grammar import HOSTILE, STAFF

__all__ = ["FILE", "PROTECTIONS", "corpus", "questions", "verdict"]

FILE = Path(__file__).parents[2] / "plugin" / "src" / "test" / "resources" / "questions.json"
PROTECTIONS = {
    "staff": STAFF,
    "contacts": Protection(
        "contacts", "level", relationships="CONTACT", default_epsilon=0.5, public=("Person", "City")
    ),
    "odd": Protection("o'`d", "ε", people="A`B", properties=("is ill", "naïve"), public=("in",), most_matches=5),
}
MUTATED = 250
READ = [
    ("staff", "MATCH (a:Person)-[r:KNOWS]-(b:Person) WHERE a.ill AND b.ill"),
    ("staff", "match (a:Person) where a.age>=18;"),
    ("staff", "MATCH (a:Person {age: 3, ill: true})-[:KNOWS {amount: -0.0}]->(:Person)"),
    ("staff", "MATCH (a:Person)<-[:KNOWS]-(b:Person), (b)<--(c:Office)"),
    ("staff", "MATCH (a:Person)-->(b:Person)--(c:Office)- -(d:Office)- ->(e:Office)<- -(a)"),
    ("staff", "MATCH (a:Person)-[:A|:B|C|A*..3]-(b:Person)"),
    ("staff", "MATCH (a:Person)-[:A*2]-(b:Person)-[*1 .. 2]->(o:Office)"),
    ("staff", "MATCH (a:Person) WHERE 18 <= a.age < 65 <> b.age".replace("b.age", "a.age")),
    ("staff", "MATCH (a:Person) WHERE a.age = -5 OR a.age > 1.5e1 XOR a.age < - 2E-3 AND NOT a.ill"),
    ("staff", "MATCH (a:Person) WHERE a.age IN [1, 'x', -2.50, true] /* who */ OR a.name IN []"),
    ("staff", "MATCH (a:Person) WHERE NOT (a.ill XOR a.age IS NULL) AND (a.age IS NOT NULL)"),
    ("staff", "MATCH (a:Person), (b:Person) WHERE a <> b OR a = b"),
    ("staff", "MATCH (a:Person) WHERE a.name STARTS WITH 'x' AND a.name ENDS  WITH \"y\" OR a.name CONTAINS '\\n\\'z'"),
    ("staff", "MATCH (a:Person) WHERE coalesce(a.age, 0, coalesce(a.name)) < 3 AND coalesce(a.age, 1) IN [2, 3]"),
    ("staff", "MATCH (o:Office)--(a:Person) WHERE o.anything = 1 AND o.`b``c` = '`'"),
    ("staff", "MATCH (o:Office)-[r]-(p:Office)--(a:Person) WHERE r.any"),
    ("staff", "MATCH (a:Person) WHERE true OR false AND TRUE = a.ill"),
    ("staff", "MATCH (match:Person)-[where:`in`]-(`and or`:Person) WHERE match.age = 1 AND `and or`.ill"),
    ("staff", "MATCH (x:Account)-[:OWNS*1..2]-(a:Person)-[:KNOWS]-(b:Person)"),
    ("staff", "MATCH (a:Person) WHERE a.age = 9223372036854775807 OR a.age = -9223372036854775807"),
    ("staff", "MATCH (a:Person) WHERE a.age = ٣ OR a.age = ٤.٥"),
    ("staff", "MATCH (ünï:Person)\u00a0WHERE ünï.name = '\u2028𝔘' // end"),
    ("staff", "MATCH (a:Person) WHERE a.name = 'RETURN count(*) LIMIT 1; DROP'"),
    ("staff", "MATCH (a:Person) WHERE a.age = 0.1 OR a.age = 1e22 OR a.age = 123456789.123456789 OR a.age = 5e-324"),
    ("staff", "MATCH (n1:Person)-[:KNOWS {amount: 1}]-(:Person {age: 3})<-[r1:KNOWS]-(:Person)-->(:Office {rank: 2})"),
    ("staff", "MATCH (:Person)--(:Person)--(:Person), (:Person {ill: true})"),
    ("staff", "MATCH (a:Person) WHERE a.name = 'x\x01\\b\\f\\t\\r\x0b\x7f'"),
    ("contacts", "MATCH (a:Person)-[r:CONTACT]-(b:Person)"),
    ("contacts", "MATCH (a:Person)-[r:CONTACT*1..3]-(b:City) WHERE a.any = 1"),
    ("contacts", "MATCH (a:Person)-[r:CONTACT]-(b:Person)-[s:LIVES]->(c:City) WHERE s.since = 3"),
    ("odd", "MATCH (a:`A``B`) WHERE a.`is ill` AND a.naïve = 'é'"),
    ("odd", "MATCH (a:`A``B`)--(b:in) WHERE b.ε2 = 1 AND b.`x y` IS NULL"),
]
REFUSED = [
    ("staff", "MATCH (a:Person) WHERE a.age = " + "9" * 4301),
    ("staff", "MATCH (a:Person)-[*1.." + "9" * 4301 + "]-(b:Person)"),
    ("staff", "MATCH (a:Person)-[*1..99999999999999999]-(b:Person)-[*1..9223372036854775807]-(c:Person)"),
    ("staff", "MATCH (a:Person)-[*1..2]-(b:Person)-[*1..2]-(c:Person)-[*1..2]-(d:Person)-[*1..3]-(e:Person)"),
    ("staff", "MATCH (a:Person) WHERE a.name = 'x\\𝔘'"),
    ("staff", "MATCH (a:Person) WHERE a.name = 'x"),
    ("staff", "MATCH (`a``b:Person)"),
    ("staff", "MATCH (``:Person)"),
    ("staff", "MATCH (a:Person) /* never ends"),
    ("staff", "MATCH (a:Person) WHERE a.age ~ 𝔘𝔙 3"),
    ("staff", "MATCH (a:Person) WHERE (a.age) = 3"),
    ("staff", "MATCH (a:Person) WHERE a.age = b"),
    ("staff", "MATCH (a:Person) WHERE a <= a"),
    ("staff", "MATCH (a:Person) WHERE 'x'"),
    ("staff", "MATCH (a:Person) WHERE a.age = 1 STARTS WITH 'x'"),
    ("staff", "MATCH (a:Person) WHERE true.x = 1"),
    ("staff", "MATCH (a:Person)---(b:Person)"),
    ("staff", "MATCH (a:Person)<-[:KNOWS]->(b:Person)"),
    ("staff", "MATCH (a:Person)<- ->(b:Person)"),
    ("staff", "MATCH (a:Person)-[:KNOWS*1.5]-(b:Person)"),
    ("staff", "MATCH (a:Person)-[:KNOWS*1..2 {amount: 1}]-(b:Person)"),
    ("staff", "MATCH (a:" + "x" * 201 + ")"),
    ("staff", "MATCH (a:Person) WHERE a.`x\u200b` = 1"),
    ("staff", "MATCH (a:Person) WHERE a.` x` = 1"),
    ("staff", "   \n\t"),
    ("contacts", "MATCH (a:Person)-[:LIVES]-(b:City)"),
    ("contacts", "MATCH (a:Person)-[r]-(b:Person)"),
    ("contacts", "MATCH (a:Person)-[r:CONTACT|LIVES]-(b:Person) WHERE r.since = 1"),
    ("contacts", "MATCH (a:Person)-[r:CONTACT]-(b:Person) WHERE r.level = 1"),
    ("odd", "MATCH (a:Person)"),
]  # fmt: skip


def questions() -> list[tuple[str, str]]:
    """All questions, each with the name of its protection; the last ones are others with some words changed."""
    known = [*READ, *REFUSED, *(("staff", question) for question, _ in HOSTILE)]
    chance = random.Random(28)
    short = [(name, question) for name, question in known if len(question) < 200]
    words = sorted({word for _, question in short for word in _words(question)})
    mutated = []
    for number in range(MUTATED):
        name, question = chance.choice(READ if number % 2 else short)
        parts = _words(question)
        for _ in range(chance.choice((1, 1, 2))):
            place = chance.randrange(len(parts) + 1)
            parts[place : place + chance.choice((0, 1))] = chance.choice(([], [chance.choice(words)]))
        mutated.append((name, "".join(parts)))
    return list(dict.fromkeys([*known, *mutated]))


def _words(question: str) -> list[str]:
    return re.findall(r"\s+|\w+|\W", question)


def verdict(protection: Protection, question: str) -> dict[str, Any]:
    """Return the verdict of Python on a question."""
    try:
        pattern = parse(question).checked(protection)
    except NotAskable as error:
        return {"refused": error.message, **({} if "`" in error.hint else {"hint": error.hint})}
    written = [Neo4jWriter(protection).matches(each) for each in pattern.alternatives()]
    return {"text": pattern.text, "statements": [[each.text, dict(each.parameters)] for each in written]}


def corpus() -> dict[str, Any]:
    """The protections and the questions, as they are written down."""
    return {
        "protections": {
            name: {"text": each.text, "digest": each.digest, "units": Neo4jWriter(each).units()}
            for name, each in PROTECTIONS.items()
        },
        "questions": [
            {"protection": name, "question": question, **verdict(PROTECTIONS[name], question)}
            for name, question in questions()
        ],
    }


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in corpus()["questions"])
    heads = json.dumps(corpus()["protections"], ensure_ascii=False, indent=1)
    FILE.write_text(f'{{"protections": {heads},\n"questions": [\n{rows}\n]}}\n', "utf-8")

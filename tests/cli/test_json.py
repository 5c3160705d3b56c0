"""Every field that a command prints as JSON is explained on docs/reference/json.md, under that command."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neodp.cli import COMMANDS
from tests.cli.test_stretch import RATINGS
from tests.running import Run

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
NAMED_BY_DATA = {"entry", "probabilities", "alpha", "margin_for", "by", "rows", "votes", "scores"}
"""Fields whose own fields are called like answers, numbers or columns of the user, or follow another schema."""

ELSEWHERE = {"plugin status", "plugin install"}
"""Commands that need a server or a built plugin; tests/plugin runs them."""

_PAIRS = "'MATCH (a:Person)-[:KNOWS]-(b:Person)'"
CALLS = {
    "protect": [
        "protect staff --people Person --epsilon e --nodes Person=persons.csv --relationships KNOWS=friends.csv",
        "protect --list",
        "protect gone --people Cat --epsilon e",
        "protect gone --drop",
    ],
    "ask": [
        f"ask staff {_PAIRS} --at-least 2",
        f"ask staff {_PAIRS} --count",
        f"ask staff {_PAIRS} --at-least 2 --release pairs",
        f"ask staff {_PAIRS} --at-least 2 --reveal",
    ],
    "generate": ["generate counts survey 4 5 --epsilon 0.5,1", "generate path blocks 9 --to blocks --balanced"],
    "load": ["load loaded out/nodes.csv out/edges.csv --colors yes,no", "load again blocks"],
    "list": ["list"],
    "show": ["show survey"],
    "export": ["export survey out"],
    "drop": ["drop again --yes"],
    "init": ["init"],
    "boundary": [
        "boundary survey --balanced --write",
        "boundary survey --optimize --what-if 0.5",
        "boundary ranks --balanced --write",
    ],
    "check": ["check survey", "check loaded", "check broken"],
    "extend": [
        "extend survey",
        "extend ranks",
        "extend survey --mode estimate",
        "extend survey --mode stream",
        "extend blocks --engine blocks",
    ],
    "audit": [
        "audit survey",
        "audit ranks --optimality",
        "audit blocks --engine blocks",
        "audit --nodes m.csv --edges p.csv",
    ],
    "compare": ["compare survey worse.csv"],
    "what-if": ["what-if survey --by 0.5"],
    "eval": ["eval survey 2-2 --explain", "eval survey 2-2 --engine whole --explain"],
    "answer": ["answer survey 2-2 --release spring"],
    "releases": ["releases", "releases survey", "releases --registry"],
    "budget": ["budget default --releases 30 --epsilon 90 --plan 0.1x3", "budget"],
    "report": ["report spring -o spring.html"],
    "verify": ["verify spring.html"],
    "backup": ["backup b.db"],
    "ledger export": ["ledger export ledger.jsonl"],
    "ledger import": ["ledger import ledger.jsonl"],
    "query": ["query least_accurate survey", "query --list", "query summary --cypher"],
    "plot": ["plot survey -o survey.svg"],
    "explore": ["explore survey -o survey.html"],
    "poll": [
        "poll people.csv --vote answer --epsilon privacy --what-if 0.5 --reveal --population staff --mechanism weighted"
        " --release first",
        "poll people.csv --vote colour --epsilon privacy --query plurality --options red,green,blue --skip-empty",
        "poll people.csv --vote answer --epsilon privacy --secret-levels --share 0.1 --reveal --population others"
        " --expect '30 people, epsilons 1/2 about 1/2' --release secret",
        "poll people.csv --vote colour --epsilon 1 --secret-levels --query plurality --options red,green,blue --reveal",
    ],
    "doctor": ["doctor"],
    "demo": ["demo"],
    "stretch load": ["stretch load films.csv --threshold 4 --weights 0.5"],
    "stretch list": ["stretch list"],
    "stretch similarity": ["stretch similarity films u0 u3 --epsilon 0.5"],
    "stretch neighbors": ["stretch neighbors films --total 2 -k 2", "stretch neighbors films --user u0 --total 1 -k 2"],
    "stretch utility": ["stretch utility films --epsilon 1"],
    "stretch recall": ["stretch recall films --repeats 2 -k 2"],
    "stretch drop": ["stretch drop films --yes"],
}
"""What is run for each command."""

FIRST = ["generate", "boundary", "extend", "export", "load", "check", "answer"]
LAST = ["drop", "stretch drop"]
"""The commands whose results others need, and those that take them away."""


def paths(value: Any, before: str = "") -> Iterator[str]:
    """The fields of a document, those inside others after a dot; an array has the fields of its members."""
    if isinstance(value, list):
        for each in value:
            yield from paths(each, before)
    elif isinstance(value, dict) and before.rpartition(".")[2] not in NAMED_BY_DATA:
        for name, inner in value.items():
            path = f"{before}.{name}" if before else name
            yield path
            yield from paths(inner, path)


def explained() -> dict[str, set[str]]:
    """The fields in the tables of the page, by command."""
    found: dict[str, set[str]] = {}
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        cells = re.findall(r"^\| (`[^|]*`) \| [^|\n]{3,} \|$", body, re.MULTILINE)
        fields = {field for cell in cells for field in re.findall(r"`([^`]+)`", cell)}
        for command in re.findall(r"`neodp ([^`]+)`", heading):
            found[command] = fields
    return found


@pytest.fixture
def printed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The fields that each command printed, on small graphs of two and of three answers, a poll and profiles."""
    monkeypatch.chdir(tmp_path)
    files = {
        "films.csv": RATINGS,
        "people.csv": "answer,colour,privacy\nyes,red,2\nno,blue,0.3\nyes,red,2\nno,,1\nyes,green,0\n",
        "persons.csv": "id,e\nann,1\nbob,0.5\n",
        "friends.csv": "from,to\nann,bob\n",
        "m.csv": "key,yes,no\na,0.9,0.1\nb,0.2,0.8\n",
        "p.csv": "source,target,epsilon\na,b,0.5\n",
        "n.csv": "key,color,alpha\na,yes,0.99\nb,no,0.01\n",
        "e.csv": "source,target,epsilon\na,b,0.1\n",
        "worse.csv": "key,p_true\n" + "".join(f"{i}-{j},{0.5 + i / 10}\n" for i in range(5) for j in range(6)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert run("generate", "plurality", "ranks", "3", "--options", "3", "--epsilon", "0.5")[0] == 0
    assert run("load", "broken", "n.csv", "e.csv")[0] == 0
    found: dict[str, set[str]] = {command: set() for command in CALLS}
    for command in [*FIRST, *(words for words in CALLS if words not in FIRST + LAST), *LAST]:
        for call in CALLS[command]:
            code, out, err = run(*shlex.split(call), "--json")
            assert code in (0, 1), (call, err)
            assert out, (call, err)
            for line in out.splitlines():
                found[command] |= set(paths(json.loads(line)))
    return found


def test_the_calls_are_those_of_every_command() -> None:
    every = {command for commands in COMMANDS.values() for command in commands}
    assert set(CALLS) | ELSEWHERE == every


def test_the_page_has_every_field_that_is_printed_and_no_other(printed: dict[str, set[str]]) -> None:
    on_the_page = explained()
    assert set(on_the_page) == set(CALLS) | ELSEWHERE
    wrong = {command: sorted(fields ^ on_the_page[command]) for command, fields in printed.items()}
    assert {command: fields for command, fields in wrong.items() if fields} == {}

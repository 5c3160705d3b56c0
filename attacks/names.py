"""Hostile names (Cypher, HTML, SVG, terminals, spreadsheets) in all commands and pictures: they stay names."""

from __future__ import annotations

import csv
import json
import random
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

from attacks.arena import Arena
from attacks.attack import attack
from attacks.batches import batch, command
from attacks.judges import Failed, Outcome, behaved
from neodp import DatasetGraph
from neodp.data.names import normal
from neodp.store import open_store

__all__ = ["PARTS"]

PARTS = [
    *("'", '"', "`", "\\", "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e", "\r", "\n", "\x7f", "\u2028", "\ufeff"),
    *("</script><script>owned()</script>", "<img src=x onerror=owned()>", "]]><svg onload=owned()>", "&lt;", "--><b>"),
    *(
        "=cmd|'/c calc'!A1",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "}) DETACH DELETE n //",
        "'}) SET n.x=1 //",
        "$x",
        "{x}",
    ),
    *(
        "%s",
        "%n",
        "../../etc",
        "a,b",
        "a;b",
        "$HOME",
        "$(id)",
        "é",
        "😀",
        "[red]x[/red]",
        "**x**",
        "$\\frac{1}{2}$",
        "_",
    ),
]


class _Tags(HTMLParser):
    """The tags and attributes of a page that act."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.acts += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        if tag in ("iframe", "object", "embed") or (tag == "img" and ("src", "x") in attrs):
            self.acts.append(tag)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and "owned()" in data and "</" in data:
            self.acts.append("script")


def _picture(file: Path) -> None:
    """Refuse a picture that is more than a picture."""
    if file.suffix == ".svg":
        for element in ET.parse(file).iter():
            if "script" in str(element.tag) or any(name.startswith("on") for name in element.attrib):
                raise Failed(f"the picture acts: {element.tag} {element.attrib}")
    elif file.suffix == ".html":
        page = _Tags()
        page.feed(file.read_text(encoding="utf-8"))
        if page.acts:
            raise Failed(f"the page acts: {page.acts}")


def _json(done: Outcome) -> None:
    for line in done.out.splitlines() if done.code == 0 and "--json" in done.words else []:
        json.loads(line)


def one_name(rng: random.Random, folder: Path, address: str) -> None:
    """Put a graph whose name, keys, colours and releases are hostile through many commands."""
    name, one, two, release = ("".join(rng.choices(PARTS, k=rng.randint(1, 4))) + end for end in "abcd")
    name, release = _seen(name), _seen(release)
    store = address or str(folder / "s.db")
    graph = DatasetGraph.from_columns([one, two], [one, two], [one], [two], 1.0, alpha={one: 0.5})
    with open_store(store) as opened:
        opened.load(name, graph, replace=True, population=release)
    commands = [
        ["list"],
        ["show", "--", name],
        ["check", "--", name],
        ["boundary", "--", name],
        ["extend", "--", name],
        ["eval", "--explain", "--", name, one],
        ["eval", "--", name, "none" + two],
        ["audit", "--", name],
        ["query", "least_accurate", "--", name],
        ["answer", "--release", release, "--keep-key", "--", name, one],
        ["releases"],
        ["budget", "--", release],
        ["compare", "--", name, name],
        ["what-if", "--by", "0.5", "--", name],
        ["show", "--", name + "x"],
    ]
    for words in commands:
        done = behaved(command("--store", store, *rng.choice([[], ["--json"]]), *words), (0, 1, 2))
        _json(done)
    ending = rng.choice(["svg", "html", "png"])
    done = behaved(command("--store", store, "plot", "-o", f"p.{ending}", "--", name), (0, 1, 2))
    if done.code != 0:
        raise Failed(f"no picture: {done}")
    _picture(folder / f"p.{ending}")
    done = behaved(command("--store", store, "export", "--", name, "out"), (0, 2))
    if done.code == 0:
        with (folder / "out" / "nodes.csv").open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        if any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _number(cell) for cell in cells):
            raise Failed(f"a spreadsheet would compute what was exported: {cells}")
    behaved(command("--store", store, "export", "--formulas", "--force", "--", name, "out"), (0,))
    with open_store(store) as opened:
        if sorted(opened.read(name).keys.to_pylist()) != sorted([one, two]):
            raise Failed("the keys are not what was kept")
    again = DatasetGraph.from_tables(folder / "out/nodes.csv", folder / "out/edges.csv", colors=[one, two])
    if sorted(again.keys.to_pylist()) != sorted([one, two]):
        raise Failed(f"the exported keys are others: {again.keys.to_pylist()} for {[one, two]}")
    behaved(command("--store", store, "drop", "--yes", "--", name), (0,))


def _seen(text: str) -> str:
    """Return the characters of a text that can be seen: a graph or release may have no others in its name."""
    return normal("".join(letter for letter in text if letter.isprintable()).strip())


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@attack("names", "embedded", "neo4j", "plugin")
def names(rng: random.Random, arena: Arena) -> int:
    """Use Cypher, HTML, SVG, terminal codes and formulas as names in all commands and pictures: they stay names."""
    return batch(one_name, 4, rng, arena)

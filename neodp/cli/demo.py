"""``neodp demo``: three voters end to end on the embedded store, with a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import neodp
from neodp.cli.common import facts, say, show, table, typed
from neodp.cli.options import Json
from neodp.data import generate
from neodp.data.files import make_folder
from neodp.data.formatting import count, listed
from neodp.store import Store, open_store

__all__ = ["demo"]


NEXT = (
    "query accuracy_by_distance three_voters",
    "generate counts survey 20 30 10 --epsilon 0.1,0.5,1 --balanced --population survey --replace",
    "extend survey",
    "audit survey",
    "eval survey 8-12-5 --explain",
    "answer survey 8-12-5 --release spring",
)
"""Commands to try after the demo, in this order."""


def demo(
    folder: Annotated[Path, typer.Option("--dir", help="Where to keep the store and the picture.")] = Path(
        "neodp-demo"
    ),
    json: Json = False,
) -> None:
    """Run an example of three voters from beginning to end, in a file that needs no server.

    The demo makes a graph, chooses its boundary, extends it, audits and queries the mechanism, plots it, and answers.

    Example: `neodp demo`
    """
    make_folder(folder)
    file, picture = folder / "demo.db", folder / "three_voters.svg"
    with open_store(file) as store:
        graph = generate.three_voters()
        store.load("three_voters", graph.with_alpha(neodp.balanced(graph)), replace=True)
        mechanism = neodp.extend(store.read("three_voters"))
        written = store.write("three_voters", mechanism)
        stored = store.mechanism("three_voters")
        report = neodp.audit(stored.mechanism.graph, stored.mechanism)
        least = store.query("least_accurate", "three_voters", limit=3).to_pylist()
        answer = store.answer("three_voters", "121", "demo").answer
        friends = _friends(store)
    drawn = _picture(mechanism, picture)

    def text() -> None:
        say("Three people vote 1 or 2. What does the majority say? Nobody's vote may be exposed: changing one vote may")
        say("change the chance of an answer by a factor of e^1 at most, and by e^0.5 where voter 1 decides.")
        rows = [(k, c, *r) for k, c, r in _rows(mechanism)]
        table(("votes", "true answer", *(f"chance of {color}" for color in mechanism.graph.colors)), rows)
        facts(
            [
                ("stored", f"the chances of {count(written, 'dataset')}, in {file}"),
                ("audit", str(report)),
                ("query", f"least accurate are {listed([row['key'] for row in least])}"),
                ("picture", drawn),
                ("answer", f"drawn for the votes 121, and stored as release 'demo': {answer}"),
                ("people", f"among 60 friends, do at least 20 pairs both like jazz? Drawn and stored: {friends}"),
            ]
        )
        say("\nTry next:")
        for words in NEXT:
            say(f"  {typed(*words.split(), '--store', str(file))}")

    result: dict[str, Any] = {
        "store": str(file),
        "written": written,
        "violations": report.violations,
        "checks": report.checks,
        "picture": drawn,
        "answer": answer,
        "friends": friends,
    }
    show(result, json, text)


def _friends(store: Store) -> str:
    """Ask a graph of people, in which everybody has an epsilon of their own."""
    n = 60
    people = {"id": list(range(n)), "jazz": [i % 10 != 0 for i in range(n)], "epsilon": [1.0, 2.0, 4.0] * (n // 3)}
    knows = {"from": list(range(n)), "to": [(i + 1) % n for i in range(n)]}
    store.protect(neodp.Protection("friends", "epsilon", people="Person", properties=("jazz",)))
    asked = neodp.ask(
        store,
        "friends",
        "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.jazz AND b.jazz",
        at_least=20,
        share=0.5,
        nodes={"Person": people},
        relationships={"KNOWS": knows},
    )
    return asked.release("demo")


def _rows(mechanism: neodp.Mechanism) -> list[tuple[str, str, list[float]]]:
    graph = mechanism.graph
    colors = [graph.colors[c] for c in graph.color]
    return list(zip(graph.keys.to_pylist(), colors, mechanism.probabilities.tolist(), strict=True))


def _picture(mechanism: neodp.Mechanism, path: Path) -> str:
    """Draw the picture, and return its path, or how to get it."""
    from neodp.errors import NeodpError
    from neodp.plot import plot

    try:
        return str(plot(mechanism, path, title="Three voters"))
    except NeodpError as error:
        return f"none: {error}"

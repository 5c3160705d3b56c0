"""Commands that look at stored mechanisms: query, plot."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from neodp.cli.common import Session, progress, say, show, table
from neodp.cli.options import Force, Json, Quiet
from neodp.data.tables import whole
from neodp.errors import UnknownQuery
from neodp.store.cypher import every, subject

__all__ = ["plot", "query"]


def _names() -> list[str]:
    return list(every())


def query(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="The name of a canned query.", metavar="NAME", autocompletion=_names)
    ] = None,
    graph: Annotated[str | None, typer.Argument(help="The name of the graph or profiles.", metavar="GRAPH")] = None,
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Parameters as name=value.", metavar="NAME=VALUE")
    ] = None,
    all_: Annotated[bool, typer.Option("--list", help="List the canned queries.")] = False,
    text: Annotated[bool, typer.Option("--cypher", help="Show the query's Cypher instead of running it.")] = False,
    json: Json = False,
) -> None:
    """Run a canned Cypher query over a stored graph, or over stored profiles.

    Example: `neodp query least_accurate survey limit=5`

    Example: `neodp query --list`
    """
    if all_:
        _list(json)
        return
    if name is None or (graph is None and not text):
        raise UnknownQuery(
            "which query, on which graph?", "as in 'neodp query summary GRAPH'; 'neodp query --list' lists them"
        )
    if text:
        if name not in every():
            raise UnknownQuery(f"there is no query {name!r}", "'neodp query --list' lists them")
        show({"query": name, "cypher": every()[name].text}, json, lambda: say(every()[name].text.rstrip()))
        return
    session: Session = context.obj
    with session.open() as store:
        found = store.query(name, str(graph), **dict(map(_parameter, parameters or [])))
        rows = found.to_pylist()
        wants = not rows and "g.mechanism IS NOT NULL" in every()[name].text
        empty = wants and store.info(str(graph)).mechanism is None

    def picture() -> None:
        if not rows:
            say(f"{graph!r} has no mechanism yet: neodp extend {quote(str(graph))}" if empty else "no rows")
            return
        table([HEADINGS.get(name, name) for name in found.column_names], [list(row.values()) for row in rows])
        if any("accuracy" in HEADINGS.get(name, "") for name in found.column_names):
            say("Accuracy is the chance of the true answer.")

    show({"query": name, subject(name): graph, "columns": found.column_names, "rows": rows}, json, picture)


def plot(
    context: typer.Context,
    graph: Annotated[str, typer.Argument(help="The name of the graph.", metavar="GRAPH")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .svg, .png, .pdf or .html file.")],
    lines: Annotated[
        bool, typer.Option("--lines", help="Draw the chance of every answer by distance instead, one panel per order.")
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Draw the stored mechanism on its graph, and its accuracy against the distance from the boundary.

    Example: `neodp plot survey -o survey.svg`
    """
    from neodp.data.files import require_new
    from neodp.plot import plot as draw
    from neodp.plot import plot_lines as draw_lines

    if not force:
        require_new(output)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        stored = store.mechanism(graph, progress=tell)
    (draw_lines if lines else draw)(stored.mechanism, output, title=graph)
    show({"graph": graph, "file": str(output), "stale": stored.stale}, json, lambda: say(f"drew {output}"))


HEADINGS = {
    "color": "true answer",
    "distance": "edges from the boundary",
    "key": "dataset",
    "max_p_true": "greatest accuracy",
    "mean_p_true": "mean accuracy",
    "min_p_true": "least accuracy",
    "p_true": "accuracy",
}
"""The headings of the canned queries' columns in tables for people."""


def _list(json: bool) -> None:
    rows = [(q.name, subject(q.name), " ".join(q.parameters), q.answers) for q in every().values()]
    keys = ("name", "on", "parameters", "answers")
    result = {"queries": [dict(zip(keys, row, strict=True)) | {"parameters": row[2].split()} for row in rows]}
    brief = [(*row[:3], row[3].split(". ")[0].rstrip(".")) for row in rows]
    show(result, json, lambda: table(("query", "on", "parameters", "answers"), brief))


def _parameter(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise UnknownQuery(f"{text!r} is not a parameter", "give name=value, as in limit=5")
    try:
        return name, whole(value) if name == "limit" else value
    except ValueError:
        return name, value

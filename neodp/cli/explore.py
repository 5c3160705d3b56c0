"""``neodp explore``: look at graphs, mechanisms and answers in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from neodp.cli.common import Session, say, show
from neodp.cli.options import Force, Json
from neodp.data.files import require_new
from neodp.errors import GraphError

__all__ = ["explore"]


def explore(
    context: typer.Context,
    graph: Annotated[
        str | None, typer.Argument(help="The graph to show first. Default: the first by name.", metavar="GRAPH")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a single .html file that needs no server instead.", metavar="FILE"),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on. Default: any free port.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show graphs, mechanisms and answers in a browser, where nothing can be changed.

    The page is served on this machine only, at an address with a secret token, until Ctrl-C.

    Example: `neodp explore survey`

    Example: `neodp explore survey -o survey.html`
    """
    from neodp.explore import Source, prepared, write_page

    session: Session = context.obj
    session.require_right(of_server=True)
    source = Source(session.settings())
    try:
        if graph is not None:
            with source.store() as store:
                store.ready(graph)
        if output is not None:
            if graph is None:
                raise GraphError("a file is about one graph", "name it, as in 'neodp explore GRAPH -o FILE'")
            if output.suffix.lower() != ".html":
                raise GraphError(f"{str(output)!r} does not end in .html", "name an .html file")
            if not force:
                require_new(output)
            write_page(source, graph, output)
            show({"graph": graph, "file": str(output)}, json, lambda: say(f"wrote {output}"))
            return

        with prepared(source, port) as (address, serve, _):
            page = address + ("" if graph is None else f"#/{quote(graph, safe='')}/overview")
            text = f"{page}\nserved on this machine only, to anyone who has this address; Ctrl-C stops it"
            show({"address": page}, json, lambda: say(text))
            if browser:
                webbrowser.open(page)
            serve()
    finally:
        source.close()

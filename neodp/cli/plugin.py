"""Commands for the plugin inside Neo4j: status, install."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import neodp
from neodp.cli.common import Session, say, show
from neodp.cli.options import Json
from neodp.errors import StoreError

__all__ = ["install", "status"]


def status(context: typer.Context, json: Json = False) -> None:
    """Show which plugin the server has, which one neodp has, and what to do. The exit code is 1 unless it is used.

    Example: `neodp plugin status`
    """
    session: Session = context.obj
    from neodp.store import Settings
    from neodp.store.neo4j.plugin import find_jar, how_to_build

    settings = Settings.from_env(session.store)
    if not settings.is_neo4j:  # whether there is such a file or not
        raise StoreError(
            f"the store is a file, {settings.path}", "the plugin is for Neo4j: set NEO4J_URI, or give --store"
        )
    with session.open() as store:
        server = store.plugin_version()

    matches, jar = server == neodp.__version__, find_jar()
    facts = {"server": server, "client": neodp.__version__, "used": matches, "jar": None if jar is None else str(jar)}

    def text() -> None:
        if matches:
            say(f"the server has the plugin of neodp {server}, and neodp uses it")
            return
        mine = f"this is neodp {neodp.__version__}"
        if server is None:
            say(f"the server has no plugin; {mine}, which does the work itself")
        else:
            say(f"the server has the plugin of neodp {server}; {mine}, which does not use it")
        if jar is None:
            say(f"this installation came without the plugin: {how_to_build()}")
        else:
            say("run 'neodp plugin install DIR' with the server's plugins folder, and restart the server")

    show(facts, json, text)
    if not matches:
        raise typer.Exit(1)


def install(
    folder: Annotated[Path, typer.Argument(help="The plugins folder of the server.", metavar="DIR")], json: Json = False
) -> None:
    """Copy the plugin to the plugins folder of a server, which loads the plugin at its next start.

    Example: `neodp plugin install /var/lib/neo4j/plugins`
    """
    from neodp.store.neo4j.plugin import install as put

    jar = put(folder)
    show(
        {"jar": str(jar), "version": neodp.__version__},
        json,
        lambda: say(f"copied to {jar}; restart the server, then run 'neodp plugin status'"),
    )

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
    """Check that the server has this version of the plugin. The exit code is 1 if not.

    Example: `neodp plugin status`
    """
    session: Session = context.obj
    with session.open() as store:
        if store.server() is None:
            raise StoreError(f"{store.address} is a file", "the plugin is for Neo4j: set NEO4J_URI, or give --store")
        server = store.plugin_version()
    matches = server == neodp.__version__
    facts = {"server": server, "client": neodp.__version__, "used": matches}

    def text() -> None:
        if matches:
            say(f"the server has the plugin of neodp {server}, and neodp uses it")
        elif server is None:
            say("the server has no plugin: run 'neodp plugin install DIR' with its plugins folder, and restart it")
        else:
            say(
                f"the server has the plugin of neodp {server}, this is neodp {neodp.__version__}, which does not use "
                "it; run "
                "'neodp plugin install DIR' with its plugins folder, and restart it"
            )

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

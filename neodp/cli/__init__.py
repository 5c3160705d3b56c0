"""The command line: ``neodp [--store URI] COMMAND …``. A command parses, calls the library, and shows."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

import neodp
from neodp.cli import (
    answers,
    boundaries,
    budgets,
    demo,
    explore,
    graphs,
    mechanisms,
    plugin,
    poll,
    queries,
    stretch,
    studies,
)
from neodp.cli.common import INTERRUPTED, Session, fail, harmless

__all__ = ["app", "main"]

app = typer.Typer(
    name="neodp",
    help="Optimal differentially private answers on graphs of datasets, in Neo4j or in a file.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"neodp {neodp.__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    store: Annotated[
        str | None,
        typer.Option(help="neo4j://…, neo4j+s://…, bolt://… or a path. Default: NEODP_STORE, NEO4J_URI, ./neodp.lbdb."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="How many seconds a Neo4j server may be silent. Default: 75.", min=0.1)
    ] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Optimal differentially private answers on graphs of datasets, in Neo4j or in a file.

    Start with `neodp demo`. Passwords come from NEO4J_PASSWORD or a prompt, never from an argument.
    """
    context.obj = Session(store, timeout)


NAMES = {"list_graphs": "list", "evaluate": "eval", "what_if": "what-if"}
"""The commands whose name is not that of their function."""

for command in (
    demo.demo,
    graphs.init,
    graphs.load,
    graphs.generate,
    graphs.list_graphs,
    graphs.show,
    graphs.drop,
    graphs.export,
    mechanisms.check,
    boundaries.boundary,
    studies.compare,
    studies.what_if,
    mechanisms.extend,
    answers.evaluate,
    answers.answer,
    budgets.releases,
    budgets.budget,
    mechanisms.audit,
    queries.query,
    queries.plot,
    poll.poll,
    explore.explore,
):
    app.command(name=NAMES.get(command.__name__, command.__name__))(command)
app.add_typer(stretch.app)
app.add_typer(plugin.app)


def main(arguments: list[str] | None = None) -> int:
    """Run a command line; the exit code. Never a traceback, unless NEODP_DEBUG is set."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: typer.echo(f"neodp: {harmless(str(message))}", err=True)
            code = int(app(args=given, prog_name="neodp", standalone_mode=False) or 0)
        return fail(KeyboardInterrupt(), as_json="--json" in given) if code == INTERRUPTED else code
    except SystemExit as done:  # how Typer ends a request for a completion script
        return int(done.code or 0)
    except Exception as error:
        if os.environ.get("NEODP_DEBUG"):
            raise
        return fail(error, as_json="--json" in given)

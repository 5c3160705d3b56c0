"""The command line, ``neodp [--store URI] COMMAND …``: a command parses, calls the library, and shows the result."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.main import get_command

from neodp.cli import stretch
from neodp.cli.commands import CommandGroup, Later, own
from neodp.cli.common import INTERRUPTED, Session, fail, harmless
from neodp.cli.options import Json, Store, Timeout
from neodp.hints import in_shell

__all__ = ["COMMANDS", "main", "program"]

COMMANDS = {
    "Start here": {
        "demo": ("demo:demo", "Run a complete example with three voters, in a file, without a server."),
        "poll": (
            "poll:poll",
            "Answer a question about a table of people privately; everybody can have their own epsilon.",
        ),
        "protect": ("people:protect", "Say who is protected in a graph of people, and what may be asked about them."),
        "ask": (
            "people:ask",
            "Ask a graph of people privately: a pattern in Cypher, and everybody has an epsilon of their own.",
        ),
        "doctor": ("doctor:doctor", "Show what is installed, which store is used, what is missing and how to get it."),
    },
    "Graphs of datasets": {
        "generate": ("graphs:generate", "Make a graph of a known family: votes, counts, grid, path, …"),
        "load": ("graphs:load", "Load a graph from a table of datasets and a table of edges."),
        "list": ("graphs:list_graphs", "List the graphs of the store."),
        "show": ("graphs:show", "Show what is known about a graph."),
        "export": ("graphs:export", "Write a graph as two CSV files, which 'load' can read."),
        "drop": ("graphs:drop", "Delete a graph and its mechanism. The record of its answers is kept."),
        "init": ("graphs:init", "Create the constraints and indexes of the store; 'load' and 'generate' do so too."),
    },
    "The mechanism: how likely each answer is": {
        "boundary": (
            "boundaries:boundary",
            "Show where one person's data decides the answer, and choose how to answer there (alpha).",
        ),
        "check": ("mechanisms:check", "Check whether the graph has a private mechanism, and if not, show why."),
        "extend": ("mechanisms:extend", "Find the most accurate private mechanism, and store it on the datasets."),
        "audit": ("mechanisms:audit", "Check exactly, edge by edge, that a mechanism is private."),
        "compare": ("studies:compare", "Compare the accuracy of two mechanisms, dataset by dataset."),
        "what-if": ("studies:what_if", "Show how accurate answers would be if some people asked for less privacy."),
    },
    "Answers": {
        "eval": ("answers:evaluate", "Show the probabilities of the answers at single datasets."),
        "answer": ("answers:answer", "Draw one private answer, once, and store it."),
        "releases": ("budgets:releases", "List the answers given, and how to see them again."),
        "budget": (
            "budgets:budget",
            "Show how much privacy the answers have cost people, and what is left; set a limit.",
        ),
    },
    "Publish": {
        "report": ("reports:report", "Write a page about an answer, with a certificate that anybody can check."),
        "verify": ("reports:verify", "Check the certificate of a report: every inequality, in exact arithmetic."),
    },
    "Backup and transfer": {
        "backup": ("ledgers:backup", "Copy the store's file, even while it is in use."),
        "ledger export": ("ledgers:export_ledger", "Write the record of all answers to a file."),
        "ledger import": (
            "ledgers:import_ledger",
            "Import the record of another store, or of this one before it was restored.",
        ),
    },
    "Queries and pictures": {
        "query": ("queries:query", "Run one of the ready-made Cypher queries."),
        "plot": ("queries:plot", "Draw a mechanism: .svg, .png, .pdf or .html."),
        "explore": ("explore:explore", "Show graphs, mechanisms and answers in a browser."),
    },
    "More": {
        **stretch.COMMANDS,
        "plugin status": ("plugin:status", "Check whether the server has this version of the plugin."),
        "plugin install": ("plugin:install", "Copy the plugin to the plugins folder of a server."),
    },
}
"""Every command under its heading in the help, with its module and function, and one line of help."""

GROUPS = {
    "ledger": "The record of all answers, as a file: to move it between stores, or save it from a damaged one.",
    "stretch": "Private similarity of users, with a privacy weight for every item that they like.",
    "plugin": "The plugin that computes inside Neo4j: CALL neodp.…",
}
"""The first words of commands that consist of two words."""


def program() -> CommandGroup:
    """Return the whole command line; each command is loaded when it is called."""
    app = typer.Typer(name="neodp", cls=CommandGroup, rich_markup_mode="markdown")
    app.callback(context_settings={"help_option_names": ["-h", "--help"]})(start)
    made: Any = get_command(app)
    made.params = [own(param) for param in made.params]  # Typer adds those for completion late
    for panel, commands in COMMANDS.items():
        for words, (home, summary) in commands.items():
            group, _, name = words.rpartition(" ")
            if group and group not in made.commands:
                made.add_command(
                    CommandGroup(name=group, help=GROUPS[group], rich_markup_mode="markdown", rich_help_panel=panel)
                )
            (made.commands[group] if group else made).add_command(Later(name, home, summary, None if group else panel))
    return made  # type: ignore[no-any-return]


def _version(wanted: bool) -> None:
    if wanted:
        import neodp

        typer.echo(f"neodp {neodp.__version__}")
        raise typer.Exit


def _warned(message: Warning | str) -> str:
    return in_shell(message.args[0] if isinstance(message, Warning) and message.args else str(message))


def start(
    context: typer.Context,
    store: Store = None,
    timeout: Timeout = None,
    json: Json = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Answer questions about groups of people, as accurately as privacy allows, from Neo4j or from a file.

    Start with `neodp demo`, or with `neodp poll` and a table of your own. These options may also follow the command.
    Passwords come from NEO4J_PASSWORD or a prompt, never from an argument.
    """
    context.obj = context.obj or Session()


def main(arguments: list[str] | None = None) -> int:
    """Run a command line, and return the exit code; show no traceback, unless NEODP_DEBUG is set."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: typer.echo(f"neodp: {harmless(_warned(message))}", err=True)
            code = int(program()(args=given, prog_name="neodp", standalone_mode=False) or 0)
        return fail(KeyboardInterrupt(), as_json="--json" in given) if code == INTERRUPTED else code
    except SystemExit as done:  # how Typer ends a request for a completion script
        return int(done.code or 0)
    except Exception as error:
        if os.environ.get("NEODP_DEBUG"):
            raise
        return fail(error, as_json="--json" in given)

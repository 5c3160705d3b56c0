"""Arguments and options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

import typer

from neodp.cli.common import Session

if TYPE_CHECKING:
    from neodp.data.tables import ReadOptions
    from neodp.store.verbs import Engine as StoreEngine

__all__ = [
    "Colors",
    "ConstantWork",
    "Delimiter",
    "Encoding",
    "Engine",
    "Extra",
    "ExtraColumns",
    "Force",
    "FromLabels",
    "Graph",
    "HeaderRow",
    "Json",
    "Master",
    "Names",
    "Population",
    "Quiet",
    "Replace",
    "ReportFile",
    "ServerOrClient",
    "Sheet",
    "Store",
    "Timeout",
    "Title",
    "WithBlocks",
    "WithSearch",
    "Workers",
    "Yes",
    "reading",
]


# --- every command ------------------------------------------------------------------------------------------------


def _keep(name: str) -> Callable[[typer.Context, Any], Any]:
    """Return an option's callback, which saves the option's value for the command if it was given."""

    def keep(context: typer.Context, value: Any) -> Any:
        if value is not None:
            context.obj = replace(context.obj or Session(), **{name: value})
        return value

    return keep


def _json(context: typer.Context, value: bool) -> bool:
    """Return whether ``--json`` was given, before the command or after it."""
    context.obj = replace(context.obj or Session(), json=value or (context.obj is not None and context.obj.json))
    return bool(context.obj.json)


Store: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="ADDRESS",
        callback=_keep("store"),
        help="The store: neo4j://…, neo4j+s://…, bolt://… or a file. Default: NEODP_STORE, else NEO4J_URI, else the "
        "file neodp.db in this folder.",
    ),
]
Timeout: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        callback=_keep("timeout"),
        min=0.1,
        max=86400,
        help="How long to wait for a silent Neo4j server. Default: 75.",
    ),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", callback=_json, help="Print one JSON document on stdout, and nothing else there.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress bar.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


# --- graphs and people --------------------------------------------------------------------------------------------

Graph: TypeAlias = Annotated[str, typer.Argument(help="The name of the graph.", metavar="GRAPH")]
Colors: TypeAlias = Annotated[
    str | None, typer.Option(help="The possible answers, separated by commas; the first one is the first colour.")
]
Replace: TypeAlias = Annotated[
    bool, typer.Option("--replace", help="Replace the graph or the profiles of that name, if there are any.")
]
Population: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--population",
        help="The people whose data this is: all answers about the same people share one budget. Default: default.",
        metavar="NAME",
    ),
]


# --- tables -------------------------------------------------------------------------------------------------------

Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The encoding of a text table, such as windows-1252. Default: UTF-8, or what its BOM says."),
]
Delimiter: TypeAlias = Annotated[
    str | None, typer.Option(help="What separates the cells of a text table: ',', ';', '|' or tab. Default: detected.")
]
Sheet: TypeAlias = Annotated[
    str | None, typer.Option(help="The sheet of a workbook. Default: the only one that is not empty.", metavar="NAME")
]


class Extra(StrEnum):
    """The treatment of unexpected columns."""

    REFUSE = "refuse"
    IGNORE = "ignore"


ExtraColumns: TypeAlias = Annotated[
    Extra | None, typer.Option("--extra-columns", help="What to do with columns that the command does not use.")
]


FromLabels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Instead of tables: copy a graph of datasets of yours in Neo4j, by its label and its type.",
        metavar="LABEL,TYPE",
    ),
]
Names: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="With --from-labels: the properties, where they are named otherwise, as in key=id,color=vote.",
        metavar="NAME=PROPERTY,…",
    ),
]
HeaderRow: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="The row that names the columns, as spreadsheets count. Default: the first.", metavar="N"),
]


def reading(
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    extra: Extra | None = None,
    header_row: int | None = None,
) -> ReadOptions:
    """Return how to read tables, from the options of a command."""
    from neodp.data.tables import ReadOptions

    return ReadOptions(encoding, delimiter, sheet, None if extra is None else extra.value, header_row)


# --- where a computation runs -------------------------------------------------------------------------------------


class Engine(StrEnum):
    """The place where a computation runs, and its algorithm; each command takes some of these."""

    AUTO = "auto"
    SERVER = "server"
    CLIENT = "client"
    EXACT = "exact"
    BLOCKS = "blocks"
    SPARK = "spark"
    BALL = "ball"
    WHOLE = "whole"

    @property
    def of_store(self) -> StoreEngine:
        """The same engine, as stores call it."""
        assert self not in (Engine.BLOCKS, Engine.SPARK)
        return cast("StoreEngine", "client" if self is Engine.EXACT else self.value)


_WHERE = (
    "server: the plugin inside Neo4j; client: this process; auto: the plugin if the server has it, else this process"
)

ServerOrClient: TypeAlias = Annotated[
    Literal[Engine.AUTO, Engine.SERVER, Engine.CLIENT], typer.Option("--engine", help=f"{_WHERE}.")
]
WithBlocks: TypeAlias = Annotated[
    Literal[Engine.AUTO, Engine.SERVER, Engine.CLIENT, Engine.EXACT, Engine.BLOCKS, Engine.SPARK],
    typer.Option(
        "--engine",
        help=f"{_WHERE}; exact: the same as client; blocks: GRAPH is a folder of blocks; spark: the same on a cluster.",
    ),
]
WithSearch: TypeAlias = Annotated[
    Literal[Engine.AUTO, Engine.SERVER, Engine.CLIENT, Engine.BALL, Engine.WHOLE],
    typer.Option(
        "--engine",
        help=f"{_WHERE}; ball: a search by this process; whole: this process extends the whole graph. client takes the "
        "cheaper of these two.",
    ),
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="With blocks: the number of processes. Default: one per core.")
]
Master: TypeAlias = Annotated[
    str | None,
    typer.Option(help="With spark: the cluster, such as spark://HOST:7077, yarn or local\\[2].", metavar="MASTER"),
]
ConstantWork: TypeAlias = Annotated[
    bool,
    typer.Option("--constant-work", help="Extend the whole graph, so that the time does not depend on the dataset."),
]

ReportFile = Annotated[
    Path | None,
    typer.Option("--report", help="With --release: write a page to publish, .html, .md or .json.", metavar="FILE"),
]
Title = Annotated[str | None, typer.Option(help="With --report: the question in your own words.", metavar="TEXT")]

"""What all commands share: the store they talk to, how they show results, and how they fail."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import typer

from neodp import errors
from neodp.store import Settings, Store, open_store
from neodp.store.base import Progress, silent
from neodp.tables import ReadOptions

__all__ = [
    "PATIENCE",
    "Delimiter",
    "Encoding",
    "Extra",
    "ExtraColumns",
    "Graph",
    "Json",
    "Population",
    "Quiet",
    "Session",
    "Sheet",
    "confirm",
    "fail",
    "progress",
    "reading",
    "say",
    "show",
    "table",
]

Graph: TypeAlias = Annotated[str, typer.Argument(help="The graph's name.", metavar="GRAPH")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Population: TypeAlias = Annotated[
    str, typer.Option(help="Whose data it is: everything about the same people shares one budget.", metavar="NAME")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option(help="A text table's encoding, as in windows-1252. Default: UTF-8, or as its BOM says.")
]
Delimiter: TypeAlias = Annotated[
    str | None, typer.Option(help="What separates a text table's cells: ',', ';', '|' or tab. Default: found out.")
]
Sheet: TypeAlias = Annotated[
    str | None, typer.Option(help="A workbook's sheet. Default: the only one with cells.", metavar="NAME")
]


class Extra(StrEnum):
    """What to do with columns that nobody asked for."""

    REFUSE = "refuse"
    IGNORE = "ignore"


ExtraColumns: TypeAlias = Annotated[
    Extra | None,
    typer.Option("--extra-columns", help="What to do with columns that nobody asked for."),
]

PATIENCE = 120.0
"""How many seconds an answer waits for others who have the store's file."""

REFUSED = (
    errors.UnhitBoundary,
    errors.IncompatibleAlpha,
    errors.NotPrivate,
    errors.NoMechanism,
    errors.UnfinishedGraph,
    errors.Overtaken,
    errors.StaleMechanism,
    errors.BallTooLarge,
    errors.BudgetSpent,
    errors.OtherQuestion,
    errors.NotCertified,
    errors.DamagedRelease,
    errors.ReadOnlyStore,
)


@dataclass(frozen=True)
class Session:
    """What the words before the command say."""

    store: str | None

    def open(self, *, patience: float = 0.0) -> Store:
        """The store; where a password is needed and somebody sits at the terminal, it is asked for."""
        settings = replace(Settings.from_env(self.store), patience=patience)
        if settings.is_neo4j and settings.password is None and sys.stdin.isatty():
            settings = replace(settings, password=getpass.getpass(f"Password of {settings.user}: ", sys.stderr))
        return open_store(settings)


def reading(
    encoding: str | None = None, delimiter: str | None = None, sheet: str | None = None, extra: Extra | None = None
) -> ReadOptions:
    """How to read tables, as the options of a command say."""
    return ReadOptions(encoding, delimiter, sheet, None if extra is None else extra.value)


def say(text: str = "") -> None:
    """Text for people."""
    typer.echo(text)


def confirm(question: str) -> None:
    """Ask on stderr, so that stdout stays clean; anything but yes ends the command."""
    typer.echo(f"{question} [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Abort


def show(result: Mapping[str, Any], as_json: bool, text: Callable[[], None]) -> None:
    """One result: as a JSON document, or as text for people."""
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        text()


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table for people."""
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    picture = Table(*(Column(Text(name)) for name in columns), box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        picture.add_row(*(Text(_cell(value)) for value in row))
    terminal = sys.stdout.isatty()
    Console(soft_wrap=not terminal, width=None if terminal else 1000).print(picture)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "yes" if value is True else "no" if value is False else str(value)


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Progress bars on stderr where that is a terminal; else nothing."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield tell


def fail(error: Exception, *, as_json: bool) -> int:
    """Say what went wrong, in one sentence on stderr; the exit code."""
    kind, message, hint, code = _explained(error)
    if as_json:
        typer.echo(
            json.dumps({"error": {"kind": kind, "message": message, "hint": hint}}, ensure_ascii=False), err=True
        )
    else:
        typer.echo("neodp: " + (f"{message}; {hint}" if hint else message), err=True)
    return code


def _explained(error: Exception) -> tuple[str, str, str, int]:
    """The kind, message and hint of an error, and its exit code."""
    if isinstance(error, errors.NeodpError):
        code = 3 if isinstance(error, errors.StoreUnreachable) else 1 if isinstance(error, REFUSED) else 2
        return error.kind, error.message, error.hint, code
    if isinstance(error, typer.Abort):
        return "aborted", "nothing was done", "", 1
    if hasattr(error, "format_message"):  # what Typer raises for a wrong word on the command line
        context = getattr(error, "ctx", None)
        hint = f"see '{context.command_path} --help'" if context is not None else "see 'neodp --help'"
        return "usage", str(error.format_message()).rstrip("."), hint, 2
    if isinstance(error, MemoryError):
        return "memory", "there is not enough memory", "see 'neodp extend --mode estimate'", 1
    what = f"{type(error).__name__}: {error}"
    return "internal", f"something went wrong inside neodp ({what})", "set NEODP_DEBUG=1 to see where", 1

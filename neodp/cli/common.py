"""Code that all commands share: opening the store, showing results, and reporting errors.

Keys, names and answers come from the person who made a graph. Characters in them that would control a terminal, or that
reverse the order of letters, are shown as escapes and never sent: a key cannot clear the screen or retitle the window.
"""

from __future__ import annotations

import errno
import getpass
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from neodp import errors
from neodp.cli.roles import is_analyst, require_right
from neodp.data.formatting import number
from neodp.hints import in_shell

if TYPE_CHECKING:  # what takes time to import is imported where it is used: `neodp --help` needs none of it
    from neodp.core.mechanism import Optimality
    from neodp.data.progress import Progress
    from neodp.store import Settings, Store

__all__ = [
    "METHODS",
    "PATIENCE",
    "Session",
    "accuracy",
    "confirm",
    "document",
    "exit_code",
    "facts",
    "fail",
    "harmless",
    "inside",
    "progress",
    "say",
    "show",
    "table",
    "typed",
]

PATIENCE = 120.0
"""The number of seconds that an answer waits for other processes that use the store's file."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells. Typer returns it and prints nothing."""

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
    errors.OtherRelease,
    errors.NotCertified,
    errors.DamagedRelease,
    errors.ReadOnlyStore,
    errors.StewardOnly,
)


@dataclass(frozen=True)
class Session:
    """The values of ``--store``, ``--timeout`` and ``--json``, given before the command or after it."""

    store: str | None = None
    timeout: float | None = None
    json: bool = False

    def open(self, *, patience: float = 0.0, create: bool = False) -> Store:
        """Open the store, and ask for a password if one is needed and the terminal is interactive.

        Only commands that `create` make a file: reading from a misspelt name creates nothing.
        """
        from neodp.store import open_store

        store = open_store(replace(self.settings(), patience=patience, create=create))
        try:
            require_right(store)
        except BaseException:
            store.close()
            raise
        return store

    def require_right(self, *, of_server: bool = False) -> None:
        """Refuse a command that needs no store, if it is for the steward and the store is marked for analysts.

        A server is asked only if `of_server`, so that most such commands need no connection.
        """
        from neodp.store import Settings

        settings = Settings.from_env(self.store)  # without a prompt for a password
        if of_server if settings.is_neo4j else settings.path.exists():
            self.open().close()

    def store_is_for_analysts(self) -> bool:
        """Return whether an analyst runs the command; if nothing else tells, the store is asked, if it can be."""
        if not is_analyst():
            with suppress(errors.StoreError, errors.StewardOnly):
                self.require_right(of_server=True)
        return is_analyst()

    def settings(self) -> Settings:
        """Return the address and the credentials of the store."""
        from neodp.store import Settings

        settings = Settings.from_env(self.store)
        settings = settings if self.timeout is None else replace(settings, timeout=self.timeout)
        if settings.is_neo4j and settings.password is None and sys.stdin.isatty():
            settings = replace(settings, password=getpass.getpass(f"Password of {settings.user}: ", sys.stderr))
        return settings


OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that change the direction of writing or begin a line."""


def harmless(text: str, keep: str = "") -> str:
    r"""Replace the characters that control a terminal by escapes, except those to `keep`.

    Examples
    --------
    >>> harmless("red\x1b[31m")
    'red\\x1b[31m'
    """
    return OBEYED.sub(lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode(), text)


def document(value: Any) -> str:
    """Return a value as one line of JSON with harmless escapes, which a JSON parser reads as the same value."""
    text = json.dumps(value, ensure_ascii=False)
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str = "") -> None:
    """Print text for people."""
    typer.echo(harmless(text, keep="\n\t"))


def inside(engine: str) -> str:
    """Return the words to add to a result for people if the plugin computed it."""
    return ", inside the server" if engine == "server" else ""


def confirm(question: str) -> None:
    """Ask a question on stderr, so that stdout stays clean; any answer but yes ends the command."""
    typer.echo(f"{harmless(question)} [y/N] ", err=True, nl=False)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Abort


def show(result: Mapping[str, Any], as_json: bool, text: Callable[[], None]) -> None:
    """Show one result, as a JSON document or as text for people."""
    if as_json:
        typer.echo(document(result))
    else:
        text()


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table for people, as wide as the terminal or COLUMNS or, if neither is known, as wide as needed."""
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    numbers = [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(columns))]
    headings = (
        Column(Text(harmless(name)), justify="right" if right else "left", overflow="fold")
        for name, right in zip(columns, numbers, strict=True)
    )
    picture = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        picture.add_row(*(Text(harmless(_cell(value))) for value in row))
    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    Console(soft_wrap=not narrow, width=None if narrow else 1000).print(picture)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return number(value) if isinstance(value, int | float) else str(value)


METHODS = {
    "labels": "the optimum",
    "table": "the optimum",
    "prefix": "prefix sums: the chance of the best answer is as large as possible",
    "line": "the line: always private, a little below the optimum",
    "optimal": "the best on average, by a linear program",
    "distance": "distances to the answers: always private, without alpha",
}
"""The methods that find mechanisms, in words for people."""


def accuracy(least: float, mean: float) -> str:
    """Return how accurate a mechanism is, in words."""
    return f"the chance of the true answer is at least {number(least)}, and {number(mean)} on average over the datasets"


def optimality(proof: Optimality) -> str:
    """Return how close a mechanism is to the best one, in words."""
    prior = {"uniform": "averaged over all datasets", "given": "averaged with the given weights"}
    averaged = prior.get(proof.prior, f"averaged with the prior {proof.prior!r}")
    return (
        f"{number(proof.expected)} {averaged}; no private mechanism, with the same alpha if there is one, exceeds that "
        f"by more than {proof.gap:.2g}"
    )


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Print facts, one per line after its name."""
    width = max(len(name) for name, _ in rows) + 2
    for name, text in rows:
        say(f"{name:{width}}{text}")


def typed(*words: str) -> str:
    """Return a command as it can be typed here: with the path to ``neodp`` if that is not on the PATH."""
    script = Path(sys.argv[0])
    found = shutil.which("neodp")
    if script.name == "neodp" and (found is None or not script.exists() or not os.path.samefile(found, script)):
        call = [os.path.relpath(script)]
    elif script.name == "neodp" or found is not None:
        call = ["neodp"]
    else:
        call = [os.path.relpath(sys.executable), "-m", "neodp"]
    return shlex.join([*call, *words])


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show progress bars on stderr if it is a terminal; one of an unknown total, 0, only moves."""
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total or None)
            bars.update(tasks[what], completed=done, total=total or None)

        yield tell


def fail(error: BaseException, *, as_json: bool) -> int:
    """Report an error in one sentence on stderr, and return the exit code."""
    kind, message, hint, code = _explained(error)
    message, hint, *details = (
        in_shell(text, getattr(error, "graph", None)) for text in (message, hint, *getattr(error, "details", ()))
    )
    if as_json:
        found = {"kind": kind, "message": message, "hint": hint} | ({"details": details} if details else {})
        typer.echo(document({"error": found}), err=True)
    else:
        lines = errors.NeodpError(message, hint, details).lines
        typer.echo("neodp: " + "\n".join(map(harmless, lines)), err=True)
    return code


def exit_code(error: errors.NeodpError) -> int:
    """Return 3 if the store cannot be reached, 1 if the request is refused, and 2 for bad input."""
    return 3 if isinstance(error, errors.StoreUnreachable) else 1 if isinstance(error, REFUSED) else 2


def _explained(error: BaseException) -> tuple[str, str, str, int]:
    """Return the kind, message and hint of an error, and its exit code."""
    if errors.interrupted(error):
        return (
            "interrupted",
            "interrupted; unfinished changes were rolled back",
            "'neodp list' and 'neodp releases' show the present state",
            INTERRUPTED,
        )
    if isinstance(error, errors.NeodpError):
        return error.kind, error.message, error.hint, exit_code(error)
    if isinstance(error, typer.Abort):
        return "aborted", "nothing was done", "", 1
    if hasattr(error, "format_message"):  # what Typer raises for a wrong word on the command line
        context = getattr(error, "ctx", None)
        hint = f"see '{context.command_path} --help'" if context is not None else "see 'neodp --help'"
        return "usage", str(error.format_message()).rstrip("."), hint, 2
    if isinstance(error, MemoryError):
        return "memory", "there is not enough memory", "see 'neodp extend --mode estimate'", 1
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return "usage", f"no file can be called {harmless(str(error.filename))[:60]}…", "give a shorter path", 2
    what = f"{type(error).__name__}: {error}"
    return "internal", f"something went wrong inside neodp ({what})", "set NEODP_DEBUG=1 to see where", 1

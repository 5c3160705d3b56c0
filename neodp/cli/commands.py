"""Commands that are loaded when they are called, and the options that all commands share.

Only the module of the called command is imported: ``neodp --help`` knows each command by its name and one line of help.
``--store``, ``--timeout`` and ``--json`` may precede the command or follow it.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from neodp.cli.common import Session
from neodp.data.names import normal
from neodp.errors import GraphError, NeodpError

__all__ = ["Group", "Later", "Store", "Timeout"]


def _use(**changes: Any) -> Callable[..., Any]:
    """Return an option's callback, which saves the option's value for the command if it was given."""
    (name,) = changes

    def keep(context: typer.Context, value: Any) -> Any:
        if value is not None:
            context.obj = replace(context.obj or Session(), **{name: value})
        return value

    return keep


Store: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="ADDRESS",
        callback=_use(store=None),
        help="Where the graphs are: neo4j://…, neo4j+s://…, bolt://… or a file. Default: NEODP_STORE, else NEO4J_URI, "
        "else the file neodp.db in this folder.",
    ),
]
Timeout: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        callback=_use(timeout=None),
        min=0.1,
        max=86400,
        help="How long a Neo4j server may be silent. Default: 75.",
    ),
]


VALUES = {"str": "TEXT", "int": "N", "int range": "N", "float": "NUMBER", "path": "FILE"}
"""The kinds of values of options, in words for people; Typer would show the names of Python's types."""


class _AsGiven:
    """A converter for the values of a parameter: values that have the right type stay, and Typer converts the others.

    Typer has pydantic convert every value, even strings and defaults, and loading pydantic takes longer than most
    commands. Typer requires that an existing path can be read; no command of neodp requires more.
    """

    def __init__(self, kind: Any, typers: Callable[[], Any]) -> None:
        self._kind = kind
        self._typers = typers

    @classmethod
    def take(cls, param: Any) -> None:
        """Convert the values of a parameter, unless this is an older Typer, which does not use pydantic."""
        if hasattr(param, "get_runtime_param") and "get_runtime_param" not in vars(param):
            found = cls(param.type_descriptor.annotation, param.get_runtime_param)
            param.get_runtime_param = lambda: found

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) is self._kind:
            return value
        if self._kind == list[str] and isinstance(value, list | tuple) and {type(each) for each in value} <= {str}:
            return list(value)
        with suppress(ValueError):  # no system has such a path, and Typer says so
            if self._kind is Path and isinstance(value, str) and os.access(value, os.R_OK):
                return Path(value)
        return self._typers().coerce(value, param=param, ctx=ctx)


class _Plain:
    """A command that converts as few values as possible, and whose help does not show Python's types.

    In the help, a flag takes no value, and an argument is described by its own text.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            _AsGiven.take(param)
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None
            elif param.is_flag:
                param.metavar = ""
            elif param.metavar is None and hasattr(param, "display_type"):  # older Typers have words of their own
                shown = param.display_type(ctx).strip("<>")
                param.metavar = VALUES.get(shown, shown)
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class Command(_Plain, TyperCommand):
    """A command that is loaded."""


class Group(_Plain, TyperGroup):
    """Commands under one name, which shows its help if no command follows."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, show the help."""
        return super().parse_args(ctx, args or ["--help"])


class Later(TyperCommand):
    """A command whose module is imported when the command is called.

    Parameters
    ----------
    name : str
        The word to type.
    home : str
        The module in ``neodp.cli`` and the function there, as in ``"graphs:show"``.
    summary : str
        The line of help in a list of commands.
    panel : str, optional
        The heading of the command in that list.
    """

    def __init__(self, name: str, home: str, summary: str, panel: str | None = None) -> None:
        super().__init__(name, help=summary, rich_help_panel=panel)
        self.home = home

    def load(self) -> Any:
        """Import and return the command itself."""
        module, _, function = self.home.partition(":")
        app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        app.command(self.name, cls=Command)(_with_store(getattr(import_module(f"neodp.cli.{module}"), function)))
        command = get_command(app)
        for param in command.params:
            _strict(param)
        return command

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Load the command, and make its context."""
        return self.load().make_context(info_name, args, parent=parent, **extra)


def _strict(param: Any) -> None:
    """Restrict a parameter to the numbers that tables may hold: no 1_0, no inf, and no digits of other scripts."""
    process = param.process_value

    def strict(context: Any, value: Any) -> Any:
        found = process(context, value)  # which refuses whatever Python takes for no number
        typed, kept = (list(each) if isinstance(each, list | tuple) else [each] for each in (value, found))
        for text, number in zip(typed, kept, strict=False):
            if isinstance(text, str) and isinstance(number, int | float):
                _require_number(param.opts[0], text, whole=isinstance(number, int))
        return found

    param.process_value = strict


def _require_number(option: str, text: str, *, whole: bool) -> None:
    from neodp.data import tables  # which takes time to import

    try:
        (tables.whole if whole else tables.number)(text)
    except ValueError:
        raise GraphError(f"{option} is {text!r}", "give a number in plain digits, as in 12 or 0.5") from None


def _kept_name(parameter: str, value: Any) -> Any:
    """Return the value of a parameter; if it is a name, in the form in which stores keep names."""
    if parameter in ("graph", "population", "profile", "release") and isinstance(value, str):
        return value if os.path.isdir(value) else normal(value)  # which a name too long for a file is not
    return value


def _with_store(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--store`` and ``--timeout`` to a command's function if it takes the context, and so opens a store."""
    annotations = get_type_hints(function, include_extras=True)
    if "context" not in annotations:
        return function

    @functools.wraps(function)
    def call(*, store: str | None, timeout: float | None, **given: Any) -> Any:
        given = {key: _kept_name(key, value) for key, value in given.items()}
        try:
            return function(**given)
        except NeodpError as error:
            error.graph = given.get("graph")
            raise

    annotations |= {"store": Store, "timeout": Timeout}
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    defaults |= {"store": None, "timeout": None}
    call.__annotations__ = annotations
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotations[name])
            for name, default in defaults.items()
        ]
    )
    return call

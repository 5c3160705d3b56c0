"""Commands that are loaded when they are called.

Only the module of the called command is imported: ``neodp --help`` knows each command by its name and one line of help.
``--store``, ``--timeout`` and ``--json`` may precede the command or follow it.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from neodp.cli.options import Store, Timeout
from neodp.cli.roles import called
from neodp.data.names import normal
from neodp.errors import GraphError, NeodpError

__all__ = ["CommandGroup", "Later", "own"]


VALUES = {"str": "TEXT", "int": "N", "int range": "N", "float": "NUMBER", "path": "FILE"}
"""The kinds of values of options, in words for people; Typer would show the names of Python's types."""
NAMES = ("graph", "population", "profile", "release")
"""The parameters that are names of things in a store."""


# --- parameters ---------------------------------------------------------------------------------------------------


class _AsGiven:
    """A converter for the values of a parameter: values that have the right type stay, and Typer converts the others.

    Typer has pydantic convert every value, even strings and defaults, and loading pydantic takes longer than most
    commands. Typer requires that an existing path can be read; no command of neodp requires more.
    """

    def __init__(self, kind: Any, typers: Callable[[], Any]) -> None:
        self._kind = kind
        self._typers = typers

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) is self._kind or any(value is choice for choice in get_args(self._kind)):
            return value
        if self._kind == list[str] and isinstance(value, list | tuple) and {type(each) for each in value} <= {str}:
            return list(value)
        with suppress(ValueError):  # no system has such a path, and Typer says so
            if self._kind is Path and isinstance(value, str) and os.access(value, os.R_OK):
                return Path(value)
        return self._typers().coerce(value, param=param, ctx=ctx)


class _Value:
    """A parameter that converts as few values as possible, and takes only the numbers that tables may hold."""

    def get_runtime_param(self) -> Any:
        """Return the converter."""
        parent: Any = super()
        return _AsGiven(self.type_descriptor.annotation, parent.get_runtime_param)  # type: ignore[attr-defined]

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Convert a value; refuse 1_0, inf and digits of other scripts, which Python takes for numbers."""
        found = super().process_value(ctx, value)  # type: ignore[misc]
        typed, kept = (list(each) if isinstance(each, list | tuple) else [each] for each in (value, found))
        for text, number in zip(typed, kept, strict=False):
            if isinstance(text, str) and isinstance(number, int | float):
                _require_number(self.opts[0], text, whole=isinstance(number, int))  # type: ignore[attr-defined]
        return found


class _Argument(_Value, TyperArgument):
    """An argument, which its own text describes in the help."""

    def display_type_rich(self, ctx: Any) -> None:
        """Return no type."""

    def get_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the argument's name for the usage line, without braces."""
        return [piece.replace("{", "").replace("}", "") for piece in super().get_usage_pieces(ctx)]


class _Option(_Value, TyperOption):
    """An option, whose help does not show Python's types; a flag takes no value."""

    def display_type_rich(self, ctx: Any) -> str:
        """Return the kind of value in words for people."""
        shown = "" if self.is_flag else self.metavar or self.display_type(ctx).strip("<>")
        return VALUES.get(shown, shown)


def own(param: Any, **changes: Any) -> Any:
    """Return a parameter that Typer made, as one of neodp's."""
    kind = _Argument if isinstance(param, TyperArgument) else _Option
    made = kind.__new__(kind)
    vars(made).update(vars(param), **changes)
    return made


def _require_number(option: str, text: str, *, whole: bool) -> None:
    from neodp.data import tables  # which takes time to import

    try:
        (tables.whole if whole else tables.number)(text)
    except ValueError:
        raise GraphError(f"{option} is {text!r}", "give a number in plain digits, as in 12 or 0.5") from None


# --- commands -----------------------------------------------------------------------------------------------------


class _Plain:
    """A command with neodp's own parameters."""

    def __init__(self, *args: Any, params: Iterable[Any] | None = None, **settings: Any) -> None:
        super().__init__(*args, params=[own(param) for param in params or ()], **settings)  # type: ignore[call-arg]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option ``--help``, the same object each time."""
        found = super().get_help_option(ctx)  # type: ignore[misc]
        if found is not None and not isinstance(found, _Option):
            found = self._help_option = own(found)
        return found


class Command(_Plain, TyperCommand):
    """A command that is loaded."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, with names in the form in which stores keep them; an error knows the graph."""
        ctx.params = {name: _kept_name(name, value) for name, value in ctx.params.items()}
        try:
            with called(ctx.command_path.partition(" ")[2], ctx.params, self.params):
                return super().invoke(ctx)
        except NeodpError as error:
            error.graph = ctx.params.get("graph")
            raise


class CommandGroup(_Plain, TyperGroup):
    """Commands under one name, which shows its help if no command follows."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, show the help."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Later) else command, rest


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
        """Import and return the command itself, with ``--store`` and ``--timeout`` if it opens a store."""
        module, _, name = self.home.partition(":")
        function = getattr(import_module(f"neodp.cli.{module}"), name)
        command = _made(function, self.name)
        if "context" in inspect.signature(function).parameters:
            command.params += [own(param, expose_value=False) for param in _made(_shared).params]
        return command


def _made(function: Callable[..., Any], name: str | None = None) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    app.command(name, cls=Command)(function)
    return get_command(app)


def _shared(store: Store = None, timeout: Timeout = None) -> None:
    """Hold the options of all commands that open a store."""


def _kept_name(parameter: str, value: Any) -> Any:
    """Return the value of a parameter; if it is a name, in the form in which stores keep names."""
    if parameter in NAMES and isinstance(value, str):
        return value if os.path.isdir(value) else normal(value)  # which a name too long for a file is not
    return value

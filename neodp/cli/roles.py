"""Roles: a steward may do everything, an analyst sees private answers and public facts, and nothing else.

``NEODP_ROLE=analyst`` makes an analyst of whoever runs a command, and so does a store that ``neodp init --analyst`` has
marked, unless ``NEODP_ROLE=steward`` says otherwise. Commands and options are refused to analysts unless they are
listed here: a new command is the steward's until somebody has thought about it.

Two commands let their caller choose an epsilon: ``poll`` and ``stretch``. An analyst may use them about populations
whose total epsilon the steward has limited, and may poll with secret levels only: with public ones, the caller says
which columns are public, and the sizes of the groups of *any* column would be shown.

This guards a command line that is handed over, not the data: whoever can read the store's file, or write Python, needs
no command of neodp (SECURITY.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from neodp.errors import GraphError, StewardOnly
from neodp.hints import in_shell

if TYPE_CHECKING:
    from neodp.store import Store

__all__ = ["RIGHTS", "StoreRole", "called", "hidden", "is_analyst", "require_limit", "require_right"]


class StoreRole(StrEnum):
    """The role of whoever runs a command."""

    STEWARD = "steward"
    ANALYST = "analyst"


RIGHTS: Mapping[str, frozenset[str]] = {
    "demo": frozenset(),
    "doctor": frozenset(),
    "poll": frozenset(
        {"reveal", "by", "by_values", "by_other", "id", "options_file", "encoding", "delimiter", "sheet", "header_row"}
        | {"what_if", "margin", "plot", "mechanism"}
    ),
    "ask": frozenset({"reveal"}),
    "protect": frozenset(
        {"population", "people", "relationships", "epsilon", "default_epsilon", "properties", "owned", "public"}
        | {"nodes", "drop"}
    ),
    "list": frozenset(),
    "show": frozenset(),
    "check": frozenset(),
    "audit": frozenset({"losses", "nodes", "edges"}),
    "answer": frozenset({"keep_key"}),
    "releases": frozenset({"allow"}),
    "budget": frozenset({"releases", "epsilon", "delta"}),
    "report": frozenset(),
    "verify": frozenset(),
    "stretch similarity": frozenset(),
    "stretch neighbors": frozenset({"write"}),
    "plugin status": frozenset(),
}
"""The commands that an analyst may use, and their parameters that are for the steward only."""

ROLE = "NEODP_ROLE"
"""The variable of the environment that states the role."""

_command: ContextVar[tuple[str, dict[str, Any], Sequence[Any]]] = ContextVar("_command")
_analyst: ContextVar[bool] = ContextVar("_analyst", default=False)


def stated() -> StoreRole | None:
    """Return the role that the environment states; None if it states none.

    Raises
    ------
    GraphError
        If the environment states something else.
    """
    text = os.environ.get(ROLE) or None
    if text is not None and text not in set(StoreRole):
        raise GraphError(f"{ROLE} is {text!r}", f"set it to {' or '.join(StoreRole)}")
    return None if text is None else StoreRole(text)


@contextmanager
def called(name: str, params: dict[str, Any], parameters: Sequence[Any]) -> Iterator[None]:
    """Run a command with the values of its parameters, after refusing it to an analyst by the environment."""
    command = _command.set((name, params, parameters))
    analyst = _analyst.set(False)
    try:
        if stated() is StoreRole.ANALYST:
            _require(f"{ROLE} is {StoreRole.ANALYST.value}")
        yield
    finally:
        _analyst.reset(analyst)
        _command.reset(command)


def require_right(store: Store) -> None:
    """Refuse the command that runs if the store is for analysts, and the command is not.

    Raises
    ------
    StewardOnly
        If the store is marked, the environment states no role, and the command or an option is for the steward.
    """
    if stated() is None and store.role == StoreRole.ANALYST.value:
        _require(f"{store.address} is for analysts")


def is_analyst() -> bool:
    """Return whether an analyst runs the command, as far as the environment and the stores it has opened tell."""
    return _analyst.get()


def require_limit(store: Store, population: str) -> None:
    """Refuse an analyst's question about a population whose total epsilon is not limited.

    Raises
    ------
    StewardOnly
        If an analyst asks, and there is no such limit.
    """
    if is_analyst() and store.account(population).limit.epsilon is None:
        raise StewardOnly(
            f"population {population!r} has no limit in epsilon, and an analyst would choose how much to spend",
            "ask the steward for one: neodp budget POPULATION --epsilon E",
        )


def hidden() -> StewardOnly:
    """Return the error that takes the place of one about a table, which may quote what is in it."""
    return StewardOnly(
        "the poll and its table do not fit together", "the reason may quote the table: ask the steward to run the poll"
    )


def _require(why: str) -> None:
    """Refuse the command that runs, or an option of it, if it is for the steward."""
    _analyst.set(True)
    name, params, parameters = _command.get(("", {}, ()))
    if name and name not in RIGHTS:
        raise StewardOnly(
            in_shell(f"'neodp {name}' is for the steward"), f"{why}: an analyst may use {', '.join(RIGHTS)}"
        )
    for parameter in parameters:
        value = params.get(parameter.name)
        if parameter.name in RIGHTS.get(name, ()) and value not in (None, False, (), [], parameter.default):
            raise StewardOnly(f"{parameter.opts[0]!r} of 'neodp {name}' is for the steward", f"{why}: leave it out")
    if name == "poll":
        if not params.get("secret_levels"):
            raise StewardOnly(
                "a poll with public levels is for the steward: it shows how many people have each value of a column",
                f"{why}: add --secret-levels",
            )
        for option in ("levels", "map"):
            if "=" not in (params.get(option) or "="):
                raise StewardOnly(f"'{option}' from a file is for the steward", f"{why}: write it out, as in a=b")

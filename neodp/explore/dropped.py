"""A table of people that was dropped on the page: its columns, and the preview of a poll of it.

The page sends the bytes of the table with every request, to this machine only. They are read in memory and forgotten
with the request: nothing is stored, and what is returned depends on no vote (:mod:`neodp.polls.survey`).
"""

from __future__ import annotations

import base64
import binascii
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from neodp.data.tables import ReadOptions, TableSource, header, header_row, number, read_table, whole
from neodp.data.tables.names import is_alike
from neodp.errors import GraphError
from neodp.explore.polling import pictured
from neodp.polls.cells import bare
from neodp.polls.from_table import poll

__all__ = ["LARGEST_TABLE", "table"]

LARGEST_TABLE = 32 * 1024 * 1024
"""The largest table that is sent to this server, in bytes."""
LEVELS = 12
"""The greatest number of names of levels for which the page has fields."""
VOTES = ("vote", "answer", "choice", "response", "opinion", "ballot")
EPSILONS = ("epsilon", "privacy", "level", "protection")
"""The usual names of the two columns; one that is alike is proposed."""


def table(given: Any) -> dict[str, Any]:
    """Return the columns of a table and, if its columns of votes and epsilons are named, the preview of a poll.

    Parameters
    ----------
    given : mapping
        ``file`` and ``data``: the file's name, and its bytes in base 64. ``header_row`` and ``sheet`` as for ``neodp
        poll``. ``vote``: the column of the votes. ``epsilon``: the column of the epsilons, or ``everybody``: one
        epsilon. ``levels``: a mapping from names to epsilons. ``query``, ``options`` and ``skip_empty`` as for ``neodp
        poll``.

    Raises
    ------
    GraphError
        If the table cannot be read, or a value is invalid; the message says what is allowed.
    """
    source, reading = _source(given), _reading(given)
    reading = replace(reading, header_row=header_row(source, reading))
    columns = header(source, reading, closed=False)
    if not columns:
        raise GraphError(f"{source} has no named columns in its first row", "give the row that names the columns")
    vote, epsilon = (name if (name := _named(given, what)) in columns else None for what in ("vote", "epsilon"))
    facts: dict[str, Any] = {
        "name": str(source.path),
        "columns": columns,
        "header_row": reading.header_row,
        "rows": len(read_table(source, columns[:1], options=reading)[columns[0]]),
        "proposed": {"vote": _proposed(columns, VOTES), "epsilon": _proposed(columns, EPSILONS)},
        "levels": None if epsilon is None else _levels(source, epsilon, reading),
        "preview": None,
        "command": None,
    }
    everybody = str(given.get("everybody") or "").strip()
    if vote is None or not (epsilon or everybody):
        return facts
    named = given.get("levels")
    levels = {str(k): v for k, v in named.items() if str(v).strip()} if isinstance(named, Mapping) else {}
    chosen: dict[str, Any] = {
        "vote": vote,
        "epsilon": epsilon or _number(everybody),
        "levels": {name: _number(value) for name, value in levels.items()} if epsilon and levels else None,
        "query": str(given.get("query") or "majority"),
        "options": _named(given, "options"),
        "skip_empty": bool(given.get("skip_empty")),
    }
    if facts["levels"] and not chosen["levels"]:
        return facts  # the page asks for the epsilons of the levels first
    survey = poll(source, reading=reading, **chosen)
    question = survey.questions[0]
    return facts | {
        "preview": pictured(question.both) | {"skipped": question.tally.skipped, "silent": question.tally.silent},
        "command": _command(str(source.path), chosen, reading),
    }


def _source(given: Any) -> TableSource:
    try:
        data = base64.b64decode(str(given["data"]), validate=True)
    except (KeyError, TypeError, binascii.Error):
        raise GraphError("the table did not arrive", "choose the file again") from None
    if len(data) > LARGEST_TABLE:
        raise GraphError(
            f"the table has {len(data):,} bytes",
            f"up to {LARGEST_TABLE // 1024**2} MiB can be opened here; 'neodp poll' takes any size",
        )
    name = PurePosixPath(str(given.get("file") or "")).name
    return TableSource(Path(name or "table.csv"), data)


def _reading(given: Any) -> ReadOptions:
    row = _named(given, "header_row")
    try:
        number_of_row = None if row is None else whole(row)
    except ValueError:
        raise GraphError(f"the header row is {row!r}", "give a whole number of at least 1") from None
    return ReadOptions(header_row=number_of_row, sheet=_named(given, "sheet"))


def _named(given: Any, what: str) -> str | None:
    text = str(given.get(what) or "").strip()
    return text or None


def _number(text: Any) -> float:
    try:
        return number(str(text).strip())
    except ValueError:
        raise GraphError(f"the epsilon is {text!r}", "give a number, as in 0.5") from None


def _proposed(columns: list[str], words: tuple[str, ...]) -> str | None:
    """Return the first column whose name is alike to one of some words."""
    return next((column for word in words for column in columns if is_alike(column, word)), None)


def _levels(source: TableSource, column: str, reading: ReadOptions) -> list[str] | None:
    """Return the names in a column of epsilons; None if all are numbers."""
    cells = read_table(source, [column], numbers=[column], options=reading)[column]
    names = dict.fromkeys(bare(str(cell)) for cell in cells.unique().to_pylist() if cell is not None)
    found = [name for name in names if name and not _is_number(name)]
    if len(found) > LEVELS:
        raise GraphError(
            f"the column {column!r} has {len(found)} different names of levels",
            f"choose a column of numbers, or one with up to {LEVELS} levels",
        )
    return sorted(found) or None


def _is_number(text: str) -> bool:
    try:
        number(text)
    except ValueError:
        return False
    return True


def _command(name: str, chosen: dict[str, Any], reading: ReadOptions) -> str:
    """Return the command that previews the same, for a terminal in the folder of the file."""
    words = ["neodp", "poll", name, "--vote", chosen["vote"], "--epsilon", str(chosen["epsilon"])]
    if chosen["levels"]:
        words += ["--levels", ",".join(f"{level}={value:g}" for level, value in chosen["levels"].items())]
    if chosen["query"] != "majority":
        words += ["--query", chosen["query"]]
    for option, value in (
        ("--options", chosen["options"]),
        ("--header-row", reading.header_row),
        ("--sheet", reading.sheet),
    ):
        words += [] if value is None else [option, str(value)]
    return shlex.join(words + (["--skip-empty"] if chosen["skip_empty"] else []))

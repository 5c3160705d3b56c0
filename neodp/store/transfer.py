"""Ledgers as files, to move answers, their costs and the limits between stores of either kind.

The file is JSON, one object per line, in ASCII:

* the header, ``{"neodp": "ledger", "version": 1}``;
* for each population, a line with its name, its limit, and the total of what was spent
  (:attr:`Account.text <neodp.ledger.account.Account>`);
* after it, a line for each of its releases: every field of a :class:`~neodp.ledger.release.Release`, and its digest;
* at the end, the numbers of populations and releases, and the SHA-256 of all preceding lines.

Epsilons and deltas are strings, as Python's ``repr`` writes them: ``float(text)`` is the number, bit for bit.

An import checks the whole file before it writes anything: that the last line is there, that no line was changed, that
each release has its digest, and that the releases of a population add up to its account. The digests guard against
damage, not against forgery: anyone who writes a ledger decides what it says.

An import is all or nothing, and never lowers what was spent. A release that the store already has must be identical; a
new release is stored with its time, and counts whatever the limit, because its answer was given. A population that the
store knows keeps its limit, whether it is tighter or looser. Importing the same file twice changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from neodp.data.files import private, require_new
from neodp.errors import GraphError
from neodp.ledger.account import Ledger, Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store.service import Store

__all__ = ["Exported", "Imported", "export_ledger", "import_ledger", "read_ledger"]

VERSION = 1
"""The version of the format. A change that older programs would misread gets the next number."""
LARGEST_WHOLE = 2**63 - 1
"""The largest integer that both stores can hold."""


class Exported(NamedTuple):
    """The numbers of exported populations and releases."""

    populations: int
    releases: int


class Imported(NamedTuple):
    """The numbers of populations in an imported file, and of releases that were new and already known."""

    populations: int
    imported: int
    known: int


def export_ledger(store: Store, file: str | PathLike[str] | BinaryIO, *, force: bool = False) -> Exported:
    """Write the ledger of a store to a file.

    Only the ledger is read, so that the ledger of a store with damaged graphs can still be exported.

    Parameters
    ----------
    store : Store
    file : str, path or binary file
        A file at a path is readable by its owner only, and is written completely or not at all.
    force : bool
        Replace an existing file.

    Raises
    ------
    DamagedRelease, DamagedStore
        If the ledger is damaged; then nothing is written.
    GraphError
        If the file exists already, or cannot be written.
    """
    if isinstance(file, str | PathLike):
        _require_place(Path(file), store, force=force)
    ledgers = [ledger for ledger in store.ledgers() if ledger.used or ledger.limit != Limit()]
    text = _text(ledgers)
    _read(text, f"the ledger of {store.address}")  # what cannot be imported again is no export
    if isinstance(file, str | PathLike):
        with private(file) as opened:
            opened.write(text)
    else:
        file.write(text)
    return Exported(len(ledgers), sum(ledger.used for ledger in ledgers))


def import_ledger(store: Store, file: str | PathLike[str] | BinaryIO) -> Imported:
    """Import the ledger of another store from a file.

    Parameters
    ----------
    store : Store
    file : str, path or binary file
        A file that ``export_ledger`` wrote.

    Raises
    ------
    GraphError
        If the file cannot be read, or was changed or cut off.
    OtherRelease
        If the store has a different release of the same name.
    DamagedRelease, DamagedStore
        If the ledger of the store is damaged.
    """
    ledgers = read_ledger(file)
    new = store.adopt(ledgers)
    return Imported(len(ledgers), new, sum(ledger.used for ledger in ledgers) - new)


def read_ledger(file: str | PathLike[str] | BinaryIO) -> list[Ledger]:
    """Return the ledgers in a file, sorted by population, after checking the whole file.

    Raises
    ------
    GraphError
        If the file cannot be read, or was changed or cut off.
    """
    if not isinstance(file, str | PathLike):
        return _read(file.read(), str(getattr(file, "name", "the ledger")))
    try:
        data = Path(file).read_bytes()
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or e
        raise GraphError(f"{file} cannot be read: {reason}", "name another file") from None
    return _read(data, str(file))


def _require_place(path: Path, store: Store, *, force: bool) -> None:
    """Refuse to replace the store itself, or another file without `force`."""
    own = Path(store.address)
    if path.is_file() and own.is_file() and path.samefile(own):
        raise GraphError(f"{path} is the store itself", "name another file")
    if not force:
        require_new(path)


# --- writing --------------------------------------------------------------------------------------------------------


def _text(ledgers: Sequence[Ledger]) -> bytes:
    """Return the content of a file with some ledgers."""
    lines: list[Mapping[str, Any]] = [{"neodp": "ledger", "version": VERSION}]
    for ledger in ledgers:
        lines.append(_population(ledger))
        lines += map(_release, ledger.releases)
    body = b"".join(map(_line, lines))
    releases = sum(ledger.used for ledger in ledgers)
    return body + _line({"populations": len(ledgers), "releases": releases, "sha256": _digest(body)})


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _population(ledger: Ledger) -> dict[str, Any]:
    limit = ledger.limit
    epsilon = None if limit.epsilon is None else repr(float(limit.epsilon))
    return {
        "population": ledger.population,
        "limit": {"releases": limit.releases, "epsilon": epsilon, "delta": repr(float(limit.delta))},
        "spent": ledger.account.text,
    }


def _release(release: Release) -> dict[str, Any]:
    levels = [
        {"level": x.name, "epsilon": repr(x.epsilon), "delta": repr(x.delta), "people": x.people, "times": x.times}
        for x in release.levels
    ]
    return {
        "release": release.name,
        "about": release.graph,
        "population": release.population,
        "answer": release.answer,
        "time": release.time,
        "key": release.key,
        "asked": release.asked,
        "command": release.command,
        "levels": levels,
        "digest": release.digest,
    }


# --- reading --------------------------------------------------------------------------------------------------------


class _Altered(ValueError):
    """The error for an altered file; its message follows the name of the file."""


def _read(data: bytes, name: str) -> list[Ledger]:
    """Return the ledgers of a file that was not altered.

    Raises
    ------
    GraphError
        If the file was altered; the message says where.
    """
    header = _object(data.partition(b"\n")[0])
    if header.get("neodp") != "ledger":
        raise GraphError(f"{name} is not a ledger of neodp", "name a file that was exported as one")
    if header.get("version") != VERSION:
        version = header.get("version")
        raise GraphError(f"{name} has version {version!r}, and this neodp reads version {VERSION}", "update neodp")
    try:
        return _ledgers(*_lines(data))
    except _Altered as e:
        raise GraphError(f"{name} {e}", "take another copy, or export it again; nothing was imported") from e


def _lines(data: bytes) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the lines between the header and the last line, and the last line."""
    *lines, nothing = data.split(b"\n")
    last = _object(lines[-1]) if lines else {}
    if nothing or last.keys() != {"populations", "releases", "sha256"}:
        raise _Altered("was cut off: its last line is missing")
    if last["sha256"] != _digest(data[: -len(lines[-1]) - 1]):
        raise _Altered("was changed since it was written: its last line states another digest")
    return [_object(line) for line in lines[1:-1]], last


def _object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line; an empty one if there is none."""
    try:
        value = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _ledgers(lines: list[dict[str, Any]], last: Mapping[str, Any]) -> list[Ledger]:
    """Return the ledgers in some lines, if they are consistent."""
    found: list[tuple[str, Limit, str, list[Release]]] = []
    for number, line in enumerate(lines, 2):
        try:
            if "release" in line:
                found[-1][-1].append(_read_release(line))
            else:
                found.append((*_read_population(line), []))
        except (ArithmeticError, LookupError, TypeError, ValueError) as e:
            raise _Altered(f"was changed since it was written: line {number} is not what was exported") from e
    ledgers = []
    for population, limit, spent, releases in found:
        ledger = Ledger(population, limit, tuple(releases))
        if ledger.account.text != spent or any(release.population != population for release in releases):
            raise _Altered(f"does not have the releases about population {population!r} that were exported")
        ledgers.append(ledger)
    names = [(release.graph, release.name) for ledger in ledgers for release in ledger.releases]
    if (last["populations"], last["releases"]) != (len(ledgers), len(names)):
        raise _Altered("does not have as many lines as its last line states")
    if len(set(names)) < len(names) or len({ledger.population for ledger in ledgers}) < len(ledgers):
        raise _Altered("has a population or a release twice")
    return ledgers


def _read_population(line: object) -> tuple[str, Limit, str]:
    """Return the name, the limit and the account of a population."""
    population, limit, spent = _values(line, "population", "limit", "spent")
    releases, epsilon, delta = _values(limit, "releases", "epsilon", "delta")
    found = Limit(
        None if releases is None else _whole(releases),
        None if epsilon is None else _number(epsilon),
        _number(delta, most=1.0),
    )
    return _word(population), found, _word(spent)


def _read_release(line: object) -> Release:
    """Return the release in a line, if its digest is right."""
    values = _values(
        line, "release", "about", "population", "answer", "time", "key", "asked", "command", "levels", "digest"
    )
    name, subject, population, answer, time, key, asked, command, levels, digest = values
    found = Release(
        graph=_word(subject),
        name=_word(name),
        answer=_string(answer),
        time=None if time is None else _time(_string(time)),
        key=None if key is None else _string(key),
        population=_word(population),
        asked=_string(asked),
        levels=tuple(map(_read_level, levels)),
        command=_string(command),
    )
    if found.digest != digest or not isinstance(json.loads(found.asked), dict):
        raise ValueError("its digest does not match")
    return found


def _read_level(value: object) -> Level:
    """Return the cost of a release to the people of a level, which is never negative."""
    name, epsilon, delta, people, times = _values(value, "level", "epsilon", "delta", "people", "times")
    return Level(
        _number(epsilon),
        _number(delta, most=1.0),
        None if name is None else _word(name),
        None if people is None else _whole(people),
        _whole(times),
    )


def _values(value: object, *names: str) -> list[Any]:
    """Return the fields of an object, which must have exactly these."""
    if not isinstance(value, dict) or value.keys() != set(names):
        raise ValueError("its fields are different")
    return [value[name] for name in names]


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    value.encode()  # which refuses what is no text
    return value


def _word(value: object) -> str:
    """Return a value that is a nonempty string."""
    if not value:
        raise ValueError(value)
    return _string(value)


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_WHOLE:
        raise ValueError(value)
    return value


def _number(value: object, most: float = sys.float_info.max) -> float:
    """Return a number that was written as a string."""
    found = float(_string(value))
    if not 0.0 <= found <= most or repr(found) != value:
        raise ValueError(value)
    return found


def _time(text: str) -> str:
    """Return a time in UTC, with at least milliseconds, so that the strings sort in the order of the times.

    Examples
    --------
    >>> _time("2026-05-01T12:00:00.123456789Z"), _time("2026-05-01T12:00:00.5+02:00[Europe/Berlin]")
    ('2026-05-01T12:00:00.123456789Z', '2026-05-01T10:00:00.500Z')
    """
    found = datetime.fromisoformat(text.partition("[")[0])
    if found.tzinfo is None:
        raise ValueError(text)
    fraction = re.findall(r"\.(\d+)", text) or [""]
    return f"{found.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{fraction[0]:0<3}Z"

"""Cypher on an embedded store: a copy of a graph, or of everything, in the engine ladybug.

The copy is never the authoritative data: it is made from the store's own columns, queried, and thrown away. A small
copy stays in memory, for one query. The copy of a large graph is stored in the user's cache folder, under a name that
changes with the graph, its alpha and its mechanism, so that the next query finds it; the folder belongs to the user
alone, and may be deleted at any time.

The engine (ladybug 0.22) is used without compression, and without lists of doubles, which it loses at checkpoints. A
distribution over more than two colours is stored there as one column for each colour; ``d.alphas`` and
``d.probabilities`` in a query stand for the lists of these columns.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import ladybug
import pyarrow as pa

from neodp.core.estimate import memory
from neodp.data.files import make_folder
from neodp.errors import GraphError, StoreError

__all__ = ["Copied", "derived", "execute"]

LARGE = 200_000
"""A copy with at least this many datasets and edges, or users, items and likes, is stored in the cache folder."""
MAX_SIZE = 2**36
"""The largest size of a copy in bytes: 64 GiB of addresses, not of memory."""
LISTS = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | //[^\n]*
    |   (?P<node>\w+|`[^`]*`)\s*\.\s*(?P<list>alphas|probabilities)\b""",
    re.VERBOSE | re.DOTALL,
)
"""A string, a comment, or a property that stands for a list of doubles."""
COLUMN = {"alphas": "alpha", "probabilities": "probability"}
"""The names of the columns that make up a list."""


class Copied(NamedTuple):
    """The data from which a copy is made.

    Attributes
    ----------
    identity : strings
        Strings that distinguish the copy from every other one.
    size : int
        Approximate number of nodes and relationships.
    colors : int
        Largest number of colours of its graphs.
    tables : callable
        Returns the rows of each table, in the order in which the tables are to be loaded.
    """

    identity: tuple[str, ...]
    size: int
    colors: int
    tables: Any


@contextmanager
def derived(what: Copied) -> Iterator[ladybug.Connection]:
    """Open a connection to a copy."""
    with _database(what) as database, ladybug.Connection(database) as connection:
        yield connection


def execute(connection: ladybug.Connection, text: str, values: Mapping[str, Any], colors: int) -> pa.Table:
    """Run a query that only reads, and return its result.

    Raises
    ------
    StoreError
        If a parameter is missing, or the engine refuses the query.
    """
    needed = set(re.findall(r"\$(\w+)", re.sub(r"(?m)^//.*$", "", text)))
    if needed != set(values):  # a parameter that is missing would count as null
        raise StoreError(f"a statement needs {sorted(needed)} and was given {sorted(values)}", text)
    try:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        result = connection.execute(with_lists(text, colors), dict(values))
        if not isinstance(result, ladybug.QueryResult):
            raise StoreError("there is more than one Cypher statement", "give one")
        with result:
            return folded(result.get_as_arrow(-1))
    except RuntimeError as e:
        if "KeyboardInterrupt" in str(e):  # Ctrl-C, while the engine was asking Python for something
            raise KeyboardInterrupt from None
        said = re.sub(r"^\w+ exception: ", "", str(e)).split("\n")[0].rstrip(".")
        raise StoreError(f"the Cypher query was refused: {said}", "correct the query") from e


def with_lists(text: str, colors: int) -> str:
    """Return a query in which lists of doubles are replaced by lists of their columns.

    Examples
    --------
    >>> with_lists("RETURN d.alphas, 'd.alphas'", 3)
    "RETURN (CASE WHEN d.alpha_0 IS NULL THEN NULL ELSE [d.alpha_0, d.alpha_1, d.alpha_2] END), 'd.alphas'"
    """

    def one(found: re.Match[str]) -> str:
        if found["list"] is None:
            return found[0]
        if colors <= 2:
            return "CAST(NULL AS DOUBLE[])"
        each = [f"{found['node']}.{COLUMN[found['list']]}_{c}" for c in range(colors)]
        return f"(CASE WHEN {each[0]} IS NULL THEN NULL ELSE [{', '.join(each)}] END)"

    return LISTS.sub(one, text)


def folded(table: pa.Table) -> pa.Table:
    """Return a result with `alpha` and `alphas` as one column: of numbers for two colours, else of lists."""
    for lists in [name for name in table.column_names if name.endswith("alphas")]:
        single = lists.removesuffix("s")
        if single not in table.column_names:
            continue
        if table[single].null_count == len(table) > table[lists].null_count:
            table = table.set_column(table.column_names.index(single), single, table[lists])
        table = table.drop_columns([lists])
    return table


# --- where copies live --------------------------------------------------------------------------------------------


@contextmanager
def _database(what: Copied) -> Iterator[ladybug.Database]:
    """Open the database of a copy, in memory or in the cache folder."""
    folder = _cache() if what.size >= LARGE else None
    if folder is None:
        with _opened(":memory:") as database:
            _fill(database, what)
            yield database
        return
    store, *rest = what.identity
    kept = folder / f"{_short(store)}-{_short(json.dumps([ladybug.__version__, *rest]))}"
    if not _is_whole(kept):
        _make(kept, what)
    with _opened(kept / "copy", read_only=True) as database:
        yield database


def _is_whole(kept: Path) -> bool:
    """Return whether a copy exists and can be opened; delete one that cannot."""
    if not kept.exists():
        return False
    try:
        with _opened(kept / "copy", read_only=True):
            return True
    except (RuntimeError, ValueError, IndexError, OverflowError, OSError):
        shutil.rmtree(kept, ignore_errors=True)
        return False


def _make(kept: Path, what: Copied) -> None:
    """Make a copy, which gets its name when it is complete, and delete older copies of the same graph."""
    made = Path(tempfile.mkdtemp(dir=kept.parent, prefix="new-"))
    try:
        with _opened(made / "copy") as database:
            _fill(database, what)
        for older in kept.parent.glob(f"{kept.name.split('-')[0]}-*"):
            shutil.rmtree(older, ignore_errors=True)
        with suppress(OSError):  # somebody else was faster
            made.rename(kept)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _cache() -> Path | None:
    """Return the cache folder, which belongs to the user alone; None if it cannot be created."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        folder = make_folder(default / "neodp" / "cypher")
        found = folder.stat()
    except (GraphError, OSError, RuntimeError):
        return None
    foreign = os.name != "nt" and (found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077)
    return None if foreign else folder


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@contextmanager
def _opened(path: str | Path, *, read_only: bool = False) -> Iterator[ladybug.Database]:
    database = ladybug.Database(
        path, compression=False, read_only=read_only, max_db_size=MAX_SIZE, buffer_pool_size=memory() // 2
    )
    try:
        yield database
    finally:
        database.close()


def _fill(database: ladybug.Database, what: Copied) -> None:
    """Create the tables, and load them."""
    more = [f"{name}_{c} DOUBLE" for c in range(what.colors) for name in COLUMN.values()] if what.colors > 2 else []
    with ladybug.Connection(database) as connection:
        script = Path(__file__).with_name("derived.cypher").read_text(encoding="utf-8")
        for table in script.replace("{colors}", "".join(f", {each}" for each in more)).split(";")[:-1]:
            connection.execute(table)
        for name, rows in what.tables():
            if not len(rows):
                continue
            columns = "" if rows.column_names[:2] == ["from", "to"] else _names(rows.column_names)
            connection.execute(f"COPY {name}{columns} FROM $rows", {"rows": rows})


def _names(columns: list[str]) -> str:
    """Return names in parentheses, quoted because some of them are reserved words."""
    return "(" + ", ".join(f"`{column}`" for column in columns) + ")"

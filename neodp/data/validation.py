"""Columns of a graph: from user input to arrays that are known to be valid.

A graph is kept as columns, one array per property with one entry per dataset or per edge (:mod:`neodp.data.graph`). A
user passes lists, numpy or Arrow arrays, mappings, or the text of a file. This module converts these to arrays of one
fixed type each, and rejects invalid input with an error that says which dataset or edge is wrong.

Two rules hold throughout. *Keys are strings*: if a dataset is named by something else, such as a tuple or a whole
number from networkx, it is converted with ``str``. *A distribution is exact in every entry but the largest*,
which stands for one minus the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.compiled.labels import SMALLEST
from neodp.data.tables.cells import number, numbers
from neodp.data.tables.problems import Place, Problems
from neodp.errors import GraphError, UnknownKey, near
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "MAX_EPSILON",
    "Bools",
    "Columns",
    "Floats",
    "Ints",
    "Places",
    "distribution",
    "distributions",
    "fill",
    "keys_of",
    "own_and_rest",
    "plain",
    "positions",
    "preferences",
    "split_colors",
    "split_numbers",
    "unknown_key",
    "validate",
]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
MAX_EPSILON = 690.0
"""The largest epsilon: e^690 and its products still fit a double, and it is indistinguishable from no privacy."""
FEW = 10_000
"""The number of keys below which comparing them takes less time than loading a faster method."""


class Columns(NamedTuple):
    """The columns of a graph as they are passed, in any of the forms of ``DatasetGraph.from_columns``."""

    keys: Any
    color: Any
    source: Any
    target: Any
    epsilon: Any
    delta: Any
    alpha: Any
    preference: Any = None


@dataclass(frozen=True)
class Places:
    """The names of datasets and edges in error messages.

    Attributes
    ----------
    nodes, edges : callables, optional
        From a row to its place in a file. If they are missing, a dataset is named by its key, and an edge by the keys
        of its ends.
    """

    nodes: Place | None = None
    edges: Place | None = None

    def node(self, row: int, key: str | None = None) -> str:
        """Return the place of a dataset."""
        if self.nodes is not None:
            return self.nodes(row)
        return f"dataset {key!r}" if key is not None else f"dataset {row} (counted from 0)"

    def edge(self, row: int, source: Any = None, target: Any = None) -> str:
        """Return the place of an edge."""
        if self.edges is not None:
            return self.edges(row)
        return f"edge {source!r} – {target!r}" if source is not None else f"edge {row} (counted from 0)"


# --- keys that a user passes --------------------------------------------------------------------------------


def keys_of(keys: Any) -> list[str]:
    """Return one key, or several, as a list of strings.

    A string, and anything that cannot be iterated over, such as a whole number, is one key. Everything else is several
    keys; so a tuple that names a single dataset must be put into a list.

    Examples
    --------
    >>> keys_of("497"), keys_of(0), keys_of(["a", 1]), keys_of([("a", 1)])
    (['497'], ['0'], ['a', '1'], ["('a', 1)"])
    """
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        return [str(keys)]
    return [str(key) for key in keys]


def unknown_key(message: str, key: str, keys: pa.StringArray) -> UnknownKey:
    """Return the error for a key that a graph does not have; its hint names keys that look alike."""
    return UnknownKey(message, near(key, keys[:20_000].to_pylist()) or _HINT)


_HINT = "a key is a string: for datasets from networkx, what str() makes of the node"


def positions(given: Iterable[Any], keys: pa.StringArray, what: str) -> NDArray[np.int64]:
    """Return the positions of the datasets that a mapping names.

    Parameters
    ----------
    given : iterable
        The keys of the mapping: strings, or objects that are converted with ``str``.
    keys : Arrow array
        The keys of the graph.
    what : str
        The content of the mapping, for error messages.

    Raises
    ------
    UnknownKey
        If a key is not one of the graph's keys.
    GraphError
        If two keys are the same string.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = keys_of(given)
    if len(set(named)) < len(named):
        twice = next(key for i, key in enumerate(named) if key in named[:i])
        raise GraphError(f"{what} is given twice for {twice!r}", "give it once: keys are what str() makes of them")
    where: NDArray[np.int64] = np.asarray(pc.fill_null(pc.index_in(pa.array(named, pa.string()), keys), -1), np.int64)
    if (where < 0).any():
        key = named[int(np.argmin(where))]
        raise unknown_key(f"{what} is given for {key!r}, which is no dataset", key, keys)
    return where


# --- all columns together -----------------------------------------------------------------------------------


def validate(
    columns: Columns, colors: Sequence[str] | None, places: Places, problems: Problems | None = None
) -> dict[str, Any]:
    """Return the columns of a graph as ``DatasetGraph`` keeps them, by attribute name; reject invalid ones.

    Parameters
    ----------
    columns : Columns
        The columns, in any of the forms of ``DatasetGraph.from_columns``.
    colors : strings, optional
        The possible answers; by default those that occur.
    places : Places
        The names of datasets and edges in error messages.
    problems : Problems, optional
        The problems found so far; invalid colours, ends, epsilons, deltas and alpha are added, and reported together.

    Raises
    ------
    GraphError
        If a value is invalid; the message says where, and what is allowed.
    """
    problems = Problems(places.node) if problems is None else problems
    keys = _keys(columns.keys, places)
    named = _preferred(columns.preference) if colors is None else colors
    colors, color = _color(columns.color, named, keys, places, problems)
    source = _ends(columns.source, keys, columns, places, problems)
    target = _ends(columns.target, keys, columns, places, problems)
    if len(source) != len(target):
        raise GraphError(f"there are {len(source)} sources and {len(target)} targets", "give one of each per edge")

    def place(e: int) -> str:
        return places.edge(e, keys[int(source[e])].as_py(), keys[int(target[e])].as_py())

    epsilon = _numbers(columns.epsilon, len(source), "epsilon", MAX_EPSILON, place, problems)
    delta = _numbers(columns.delta, len(source), "delta", 1.0, place, problems)
    alpha = distributions(columns.alpha, keys, len(colors), places, problems)
    problems.raise_if_any()
    loops = np.flatnonzero(source == target)
    if len(loops):
        raise GraphError(f"{place(loops[0])} joins a dataset to itself", "remove it")
    keep = _single(source, target, epsilon, delta, len(keys), place)
    return {
        "keys": keys,
        "colors": colors,
        "color": color,
        "source": source[keep],
        "target": target[keep],
        "epsilon": epsilon[keep],
        "delta": delta[keep],
        "alpha": alpha,
        "preference": preferences(columns.preference, keys, colors, color, places),
    }


def _keys(keys: Any, places: Places) -> pa.StringArray:
    import pyarrow as pa

    keys = _strings(keys, "a key", places.node)
    if len(keys) == 0:
        raise GraphError("the graph has no datasets", "give at least one")
    if len(set(keys.to_pylist()) if len(keys) < FEW else keys.unique()) < len(keys):
        import pyarrow.compute as pc

        counts = pc.value_counts(keys)
        twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))[0]
        row = pc.index(keys.slice(pc.index(keys, twice).as_py() + 1), twice).as_py() + pc.index(keys, twice).as_py() + 1
        raise GraphError(
            f"{places.node(row, twice.as_py())}: the key {twice.as_py()!r} stands twice", "make keys unique"
        )
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


def _color(
    color: Any, colors: Sequence[str] | None, keys: pa.StringArray, places: Places, problems: Problems
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    import pyarrow as pa

    if len(color) != len(keys):
        raise GraphError(f"there are {len(keys)} keys and {len(color)} colours", "give one colour per dataset")

    def place(row: int) -> str:
        return places.node(row, keys[row].as_py())

    at = _given_positions(color)
    positions = at is not None
    color = at if positions else _strings(color, "a colour", place)
    if colors is None:
        if positions:
            raise GraphError("colours are given as positions, but no colors", Hint("name them with ", Option("colors")))
        colors = sorted(color.unique().to_pylist())
    named = tuple(map(str, colors))
    if len(named) < 2 or len(set(named)) < len(named):
        raise GraphError(
            f"the colours are {', '.join(named) or 'none'}",
            Hint("name at least two different ones with ", Option("colors")),
        )
    if len(named) > 127:
        raise GraphError(f"there are {len(named)} colours", "at most 127 are possible")
    code = color if positions else _codes(color, pa.array(named, pa.string()))
    wrong = np.flatnonzero((code < 0) | (code >= len(named)))

    def found(row: int) -> Any:
        return int(color[row]) if positions else color[row].as_py()

    problems.add_rows(
        "a colour",
        "unknown",
        wrong,
        found,
        hint=f"use one of {', '.join(named)}",
        place=place,
        alone=lambda row: f"{place(row)} has the unknown colour {found(row)!r}",
    )
    return named, np.where((code < 0) | (code >= len(named)), 0, code).astype(np.int8)


def _codes(texts: pa.StringArray, known: pa.StringArray) -> NDArray[np.int32]:
    """Return the position of each text among the known ones; -1 if it is none of them."""
    import pyarrow.compute as pc

    found: NDArray[np.int32] = pc.fill_null(pc.index_in(texts, known), -1).to_numpy()
    return found


def _ends(ends: Any, keys: pa.StringArray, columns: Columns, places: Places, problems: Problems) -> Ints:
    """Convert keys or positions to positions."""
    at = _given_positions(ends)
    if at is not None:
        wrong = np.flatnonzero((at < 0) | (at >= len(keys)))
        if len(wrong):
            raise GraphError(
                f"{places.edge(int(wrong[0]))}: there is no dataset at position {ends[wrong[0]]}",
                f"positions go from 0 to {len(keys) - 1}",
            )
        return at.astype(np.int32)
    import pyarrow.compute as pc

    ends = _strings(ends, "an end", places.edge)
    found = pc.index_in(ends, keys)
    if found.null_count:
        rows = np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))

        def place(row: int) -> str:
            return places.edge(row, _item(columns.source, row), _item(columns.target, row))

        problems.add_rows(
            "the end of an edge",
            "no dataset",
            rows,
            lambda row: ends[row].as_py(),
            hint=near(ends[int(rows[0])].as_py(), keys[:20_000].to_pylist()) or "add it, or remove the edge",
            place=place,
            alone=lambda row: f"{place(row)}: there is no dataset {ends[row].as_py()!r}",
        )
        found = pc.fill_null(found, 0)
    return np.asarray(found, dtype=np.int32)


def _numbers(values: Any, n: int, name: str, most: float, place: Place, problems: Problems) -> Floats:
    """Convert a column, or one number, to floats between 0 and `most`."""
    if values is None:
        raise GraphError(f"the edges have no {name}", Hint("give it as a column or as one number with ", Option(name)))
    missing: Any = ()
    if isinstance(values, list) and None in values:
        missing = [row for row, value in enumerate(values) if value is None]
        values = [0.0 if value is None else value for value in values]
    elif getattr(values, "null_count", 0):
        missing = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))
        values = values.fill_null(0.0)
    problems.add_rows(
        name,
        "missing",
        missing,
        hint=Hint("give it, or a default with ", Option(name)),
        place=place,
        alone=lambda row: f"{place(row)} has no {name}",
    )
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise GraphError(f"{name} is {values!r}, not a number", f"correct the {name}") from None
        row = next(i for i, x in enumerate(values) if not _is_number(x))
        raise GraphError(f"{place(row)}: {name} is {values[row]!r}, not a number", f"correct the {name}") from None
    if column.ndim == 0:
        if not 0.0 <= column <= most:
            raise GraphError(f"{name} is {float(column)!r}", f"give a number from 0 to {most:g}")
        column = np.broadcast_to(column, (n,))
    if column.shape != (n,):
        raise GraphError(f"there are {n} edges and {column.size} values of {name}", "give one per edge")
    right = (column >= 0.0) & (column <= most)
    problems.add_rows(
        name,
        "out of range",
        np.flatnonzero(~right),
        lambda row: float(column[row]),
        hint=f"give a number from 0 to {most:g}",
        place=place,
        alone=lambda row: f"{place(row)}: {name} is {float(column[row])!r}",
    )
    return np.where(right, column, 0.0) + 0.0  # a copy of our own, and 0 for -0


def _single(source: Ints, target: Ints, epsilon: Floats, delta: Floats, n: int, place: Any) -> Any:
    """Return the edges to keep so that each pair appears once."""
    pair = np.minimum(source, target).astype(np.int64) * n + np.maximum(source, target)
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not len(again):
        return slice(None)
    one, two = order[again], order[again + 1]
    wrong = np.flatnonzero((epsilon[one] != epsilon[two]) | (delta[one] != delta[two]))
    if len(wrong):
        a, b = int(one[wrong[0]]), int(two[wrong[0]])
        raise GraphError(
            f"{place(b)} stands twice, with (epsilon, delta) ({epsilon[a]:g}, {delta[a]:g}) "
            f"and ({epsilon[b]:g}, {delta[b]:g})",
            "keep one of them",
        )
    keep = np.ones(len(source), np.bool_)
    keep[two] = False
    return keep


def distributions(
    alpha: Any, keys: pa.StringArray, k: int, places: Places | None = None, problems: Problems | None = None
) -> Floats:
    """Convert alpha in any of the forms of ``from_columns`` to rows of doubles, the largest entry one minus the rest.

    Rows that are not distributions are added to the `problems`; if there is no such list, they raise an error.
    """
    places = places or Places()
    n = len(keys)
    rows = np.full((n, k), np.nan)
    if alpha is None:
        return rows
    if isinstance(alpha, Mapping):
        where = positions(alpha, keys, "alpha")
        values: Any = list(alpha.values())
    else:
        where = np.arange(n)
        values = (
            alpha
            if isinstance(alpha, np.ndarray)
            else alpha.to_pylist()
            if hasattr(alpha, "to_pylist")
            else list(alpha)
        )
        if len(values) != n:
            raise GraphError(f"there are {n} datasets and {len(values)} values of alpha", "give one per dataset")

    def place(row: int) -> str:
        return places.node(row, keys[row].as_py())

    if isinstance(values, np.ndarray) and values.ndim == 2:
        if values.shape[1] != k:
            raise GraphError(f"alpha has {values.shape[1]} columns", f"give one for each of the {k} colours")
        rows[:] = values
    elif isinstance(values, np.ndarray):
        _first(rows, where, values.astype(np.float64), k, place)
    else:
        single = [isinstance(x, int | float | np.number) for x in values]
        first = np.flatnonzero(single)
        _first(rows, where[first], np.array([float(values[i]) for i in first]), k, place)
        for i, x in enumerate(values):
            if single[i] or x is None:
                continue
            if not isinstance(x, Iterable) or len(x := list(x)) != k or not all(map(_is_number, x)):
                raise GraphError(
                    f"{place(int(where[i]))}: alpha is {x!r}",
                    f"give a number, or one for each of the {k} colours",
                )
            rows[where[i]] = x
    given = np.flatnonzero(~np.isnan(rows).all(axis=1))
    part = rows[given]
    inside = ((part >= 0.0) & (part <= 1.0)).all(axis=1)
    whole = np.abs(part.sum(axis=1) - 1.0) <= 1e-9
    tiny = ((part > 0.0) & (part < SMALLEST)).any(axis=1)
    found = Problems(place) if problems is None else problems
    for complaint, wrong, said, hint in (
        ("out of range", ~inside, "", "give probabilities from 0 to 1"),
        ("not a distribution", inside & ~whole, " and does not add up to 1", "correct it"),
        ("too small", inside & whole & tiny, "", f"give 0 or at least {SMALLEST!r}"),
    ):
        found.add_rows(
            "alpha",
            complaint,
            given[wrong],
            lambda row: plain(rows[row]),
            hint=hint,
            place=place,
            alone=lambda row, said=said: f"{place(row)}: alpha is {_shown(rows[row])}{said}",  # type: ignore[misc]
        )
    if problems is None:
        found.raise_if_any()
    right = inside & whole & ~tiny
    given, part = given[right], part[right]
    largest = part.argmax(axis=1)
    rest = part.copy()
    rest[np.arange(len(part)), largest] = 0.0
    remainder = 1.0 - rest.sum(axis=1)
    # with more than two colours, a largest entry that is correct up to rounding stays as it is
    off = (k == 2) | (np.abs(part.max(axis=1, initial=0.0) - remainder) > k * 2.0**-52)
    part[np.flatnonzero(off), largest[off]] = remainder[off]
    rows[given] = part + 0.0
    return rows


def own_and_rest(rows: Floats, color: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return, per row, the chance of one colour, and the chance of all the others.

    The second is a sum, not one minus the first, and so distinguishes chances close to certainty.

    Examples
    --------
    >>> own_and_rest(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0]))
    (array([0.75, 0.5 ]), array([0.25, 0.5 ]))
    """
    own, rest = rows[np.arange(len(rows)), color], np.zeros(len(rows))
    for c in range(rows.shape[1]):
        rest += np.where(color == c, 0.0, rows[:, c])
    return own, rest


def distribution(chances: Sequence[float], k: int | None = None, place: str = "the boundary") -> Floats:
    """Return one distribution over k outputs, by default one per chance; it is checked as in ``distributions``.

    Examples
    --------
    >>> distribution([0.25, 0.5, 0.25])
    array([0.25, 0.5 , 0.25])
    """
    import pyarrow as pa

    if k is not None and len(chances) != k:
        raise GraphError(f"alpha on {place} has {len(chances)} numbers", f"give one for each of the {k} colours")
    row: Floats = distributions([list(chances)], pa.array([place]), len(chances))[0]
    return row


def preferences(
    preference: Any,
    keys: pa.StringArray,
    colors: Sequence[str],
    color: NDArray[np.int8] | None = None,
    places: Places | None = None,
) -> NDArray[np.int8] | None:
    """Convert preference in any of the forms of ``from_columns`` to rows of positions, best first; None if absent."""
    places = places or Places()
    if preference is None or getattr(preference, "null_count", -1) == len(preference):
        return None
    if isinstance(preference, Mapping):
        rows_of = dict(zip(positions(preference, keys, "a preference").tolist(), preference.values(), strict=True))
        preference = [rows_of.get(v) for v in range(len(keys))]
    if len(preference) != len(keys):
        raise GraphError(f"there are {len(keys)} datasets and {len(preference)} preferences", "give one per dataset")
    rows, length = _positions(preference, colors, keys, places)
    given = rows[:, 0] >= 0
    wrong = np.flatnonzero((length != 0) & (np.sort(rows, axis=1) != np.arange(len(colors))).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        names = _item(preference, row)
        raise GraphError(
            f"{places.node(row, keys[row].as_py())}: the preference is {', '.join(map(str, names))}",
            f"name each of {', '.join(colors)} once, best first",
        )
    if color is not None and (wrong := np.flatnonzero(given & (rows[:, 0] != color))).size:
        row = int(wrong[0])
        raise GraphError(
            f"{places.node(row, keys[row].as_py())} has the colour {colors[color[row]]} and prefers "
            f"{colors[rows[row, 0]]}",
            "name its colour first",
        )
    return rows if given.any() else None


def _preferred(preference: Any) -> list[str] | None:
    """Return all colours that the first preference names, sorted; None if none does."""
    rows = preference.values() if isinstance(preference, Mapping) else preference
    if rows is None or isinstance(rows, np.ndarray):
        return None
    first = next((_item([row], 0) for row in rows if _item([row], 0) is not None), None)
    return sorted(first) if _is_names(first) and first else None


def _positions(
    preference: Any, colors: Sequence[str], keys: pa.StringArray, places: Places
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Convert rows of names or positions to positions, -1 if invalid; return also their lengths, 0 if not given."""
    import pyarrow as pa
    import pyarrow.compute as pc

    k = len(colors)
    rows = np.full((len(preference), k), -1, np.int8)
    if isinstance(preference, np.ndarray) and preference.ndim == 2 and preference.dtype.kind in "iu":
        given = (preference != -1).any(axis=1)
        if preference.shape[1] != k:
            return rows, np.full(len(preference), preference.shape[1])
        inside = ((preference >= 0) & (preference < k)).all(axis=1)
        rows[inside] = preference[inside]
        return rows, np.where(given, k, 0)
    if isinstance(preference, list | tuple) and all(
        row is None or _given_positions(row) is not None for row in preference
    ):
        for v, row in enumerate(preference):
            if row is not None and len(row) == k and all(0 <= c < k for c in row):
                rows[v] = row
        return rows, np.array([0 if row is None or set(row) == {-1} else len(row) for row in preference])
    if not isinstance(preference, pa.Array | pa.ChunkedArray):
        try:
            if any(isinstance(row, str) for row in preference):  # which Arrow takes for a list of letters
                raise TypeError
            preference = pa.array(preference, pa.list_(pa.string()))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            row = next(i for i, x in enumerate(preference) if not _is_names(x))
            raise GraphError(
                f"{places.node(row, keys[row].as_py())}: the preference is {preference[row]!r}",
                f"name each of {', '.join(colors)} once, best first",
            ) from None
    elif not (pa.types.is_list(preference.type) or pa.types.is_large_list(preference.type)):
        raise GraphError(f"preference is a column of {preference.type}", "give one of lists of colours, best first")
    if isinstance(preference, pa.ChunkedArray):
        preference = preference.combine_chunks()
    preference = preference.cast(pa.list_(pa.string()))
    length = pc.fill_null(pc.list_value_length(preference), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    fits = preference.filter(pa.array(length == k))
    found = pc.fill_null(pc.index_in(fits.flatten(), pa.array(colors, pa.string())), -1).to_numpy(zero_copy_only=False)
    rows[length == k] = found.reshape(-1, k)
    return rows, length


def _first(rows: Floats, where: NDArray[Any], values: Floats, k: int, place: Any) -> None:
    """Fill in rows that are given by Pr[first colour] alone."""
    given = ~np.isnan(values)
    if k > 2 and given.any():
        raise GraphError(
            f"{place(int(where[np.argmax(given)]))}: alpha is one number",
            f"give one for each of the {k} colours",
        )
    rows[where, 0], rows[where, 1] = values, 1.0 - values


# --- columns of text, as they stand in a file ---------------------------------------------------------------


def fill(column: pa.Array | None, name: str, default: float | None, place: Place, problems: Problems) -> Any:
    """Convert a column of a table to floats, with `default` for empty cells; text is read as numbers.

    A cell that is not a number is added to the `problems`, and counts as 0 until these are raised.
    """
    import pyarrow.compute as pc

    if column is None:
        return default
    found = numbers(column, name, problems, hint=f"correct the {name}", place=place, required=False)
    return found if default is None else pc.fill_null(found, default)


def split_numbers(column: pa.Array | None, place: Place, problems: Problems) -> Any:
    """Convert a column of alpha; text is a number, or numbers joined by semicolons, or nothing.

    A cell that is none of these is added to the `problems`, and so is a cell with ``nan``: only an empty cell says
    that there is no alpha.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if column is None:
        return column
    if pa.types.is_floating(column.type) and not pc.any(pc.is_nan(column)).as_py():
        return column
    hint = "give a number or numbers joined by ';', as in 0.2;0.8, or leave the cell empty"
    rows: list[Any] = []
    wrong: list[int] = []
    cells = column.to_pylist()
    for row, cell in enumerate(cells):
        parts = cell.strip().split(";") if isinstance(cell, str) else cell if isinstance(cell, list) else [cell]
        if parts in ([""], [None]):
            rows.append(None)
            continue
        try:
            found = [number(part) if isinstance(part, str) else float(part) for part in parts]
        except (TypeError, ValueError, OverflowError):
            found = []
        if not found or not np.isfinite(found).all():
            wrong.append(row)
            rows.append(None)
        else:
            rows.append(found if len(found) > 1 else found[0])
    problems.add_rows(
        "alpha",
        "not a number",
        wrong,
        cells.__getitem__,
        hint=hint,
        place=place,
        alone=lambda row: f"{place(row)}: alpha is {cells[row]!r}",
    )
    return rows if wrong or _is_text_column(column) or pa.types.is_null(column.type) else column


def split_colors(column: pa.Array | None) -> Any:
    """Convert a column of preferences; text is colours joined by semicolons, best first, or nothing."""
    if column is None or not _is_text_column(column):
        return column
    texts = column.to_pylist()
    return [[part.strip() for part in text.split(";")] if text and text.strip() else None for text in texts]


def _is_text_column(column: pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


# --- small things -------------------------------------------------------------------------------------------


def _given_positions(values: Any) -> NDArray[Any] | None:
    """Return positions as an array, from an array or a list of whole numbers; None if texts are given."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "iu" else None
    if not isinstance(values, list | tuple) or not values:
        return None
    whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in values)
    return np.array(values) if whole else None


def _strings(values: Any, what: str, place: Any) -> pa.StringArray:
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.array(values, pa.string())
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
            row = next(i for i, x in enumerate(values) if not _is_text(x))
            raise GraphError(f"{place(row)}: {what} is {values[row]!r}, not a text", "give a string") from None
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise GraphError(f"{place(row)}: {what} is missing", "give a string")
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values if pa.types.is_string(values.type) else values.cast(pa.string())


def _is_text(x: Any) -> bool:
    try:
        return isinstance(x, str) and bool(x.encode() is not None)
    except UnicodeEncodeError:
        return False


def _is_number(x: Any) -> bool:
    try:
        float(x)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_names(x: Any) -> bool:
    return x is None or (isinstance(x, Sequence) and not isinstance(x, str) and all(map(_is_text, x)))


def _item(column: Any, row: int) -> Any:
    item = column[row]
    return item.as_py() if hasattr(item, "as_py") else item


def _shown(row: Floats) -> str:
    return ", ".join(repr(float(x)) for x in row)


def plain(row: Floats) -> float | list[float]:
    """Return a distribution as one number if that states it exactly, else as a list."""
    if len(row) == 2 and row[1] == 1.0 - row[0]:
        return float(row[0])
    return [float(x) for x in row]

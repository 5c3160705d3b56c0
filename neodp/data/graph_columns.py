"""Columns of a graph: from user input to arrays that are known to be valid.

A graph is kept as columns, one array per property with one entry per dataset or per edge (:mod:`neodp.data.graph`). A
user passes lists, numpy or Arrow arrays, mappings, or the text of a file. This module converts these to arrays of one
fixed type each, and rejects invalid input with an error that says which dataset or edge is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.distributions import distributions
from neodp.data.preferences import colors_of_first, preferences
from neodp.data.tables.problems import Place, Problems
from neodp.data.validation import MAX_EPSILON, Floats, Ints, Places, given_positions, is_number, item, strings
from neodp.errors import GraphError, near
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["GraphColumns", "validate"]

FEW_KEYS = 10_000
"""The number of keys below which comparing them takes less time than loading a faster method."""


class GraphColumns(NamedTuple):
    """The columns of a graph as they are passed, in any of the forms of ``DatasetGraph.from_columns``."""

    keys: Any
    color: Any
    source: Any
    target: Any
    epsilon: Any
    delta: Any = 0.0
    alpha: Any = None
    preference: Any = None


def validate(
    columns: GraphColumns, colors: Sequence[str] | None, places: Places, problems: Problems | None = None
) -> dict[str, Any]:
    """Return the columns of a graph as ``DatasetGraph`` keeps them, by attribute name; reject invalid ones.

    Parameters
    ----------
    columns : GraphColumns
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
    named = colors_of_first(columns.preference) if colors is None else colors
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

    keys = strings(keys, "a key", places.node)
    if len(keys) == 0:
        raise GraphError("the graph has no datasets", "give at least one")
    if len(set(keys.to_pylist()) if len(keys) < FEW_KEYS else keys.unique()) < len(keys):
        import pyarrow.compute as pc

        counts = pc.value_counts(keys)
        twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))[0]
        row = pc.index(keys.slice(pc.index(keys, twice).as_py() + 1), twice).as_py() + pc.index(keys, twice).as_py() + 1
        raise GraphError(
            f"{places.node(row, twice.as_py())}: the key {twice.as_py()!r} occurs twice", "make keys unique"
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

    at = given_positions(color)
    positions = at is not None
    color = at if positions else strings(color, "a colour", place)
    if colors is None:
        if positions:
            raise GraphError(
                "colours are given as positions, without the list of colours", Hint("name them with ", Option("colors"))
            )
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


def _ends(ends: Any, keys: pa.StringArray, columns: GraphColumns, places: Places, problems: Problems) -> Ints:
    """Convert keys or positions to positions."""
    at = given_positions(ends)
    if at is not None:
        wrong = np.flatnonzero((at < 0) | (at >= len(keys)))
        if len(wrong):
            raise GraphError(
                f"{places.edge(int(wrong[0]))}: there is no dataset at position {ends[wrong[0]]}",
                f"positions go from 0 to {len(keys) - 1}",
            )
        return at.astype(np.int32)
    import pyarrow.compute as pc

    ends = strings(ends, "an end", places.edge)
    found = pc.index_in(ends, keys)
    if found.null_count:
        rows = np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))

        def place(row: int) -> str:
            return places.edge(row, item(columns.source, row), item(columns.target, row))

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
        row = next(i for i, x in enumerate(values) if not is_number(x))
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
            f"{place(b)} occurs twice, with (epsilon, delta) ({epsilon[a]:g}, {delta[a]:g}) "
            f"and ({epsilon[b]:g}, {delta[b]:g})",
            "keep one of them",
        )
    keep = np.ones(len(source), np.bool_)
    keep[two] = False
    return keep

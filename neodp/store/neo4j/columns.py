"""Conversion between the lists of values that are sent over the network, and columns and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from neodp.core.views import least_of
from neodp.data.distributions import plain
from neodp.data.graph import DatasetGraph, known_graph
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.store import refusals
from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["Numbers", "alphas", "columns", "least", "numbers", "require", "stored_graph", "stored_rows"]

Numbers: TypeAlias = NDArray[np.int64]
"""The server's internal numbers of nodes."""
DENSE = 8
"""A table of all numbers is made if their range is at most this many times the number of datasets."""


def alphas(graph: DatasetGraph, rows: NDArray[Any]) -> list[float | list[float] | None]:
    """Return alpha as properties: a number if that is exact, else a list; None where alpha is not given."""
    given = graph.given
    return [plain(graph.alpha[v]) if given[v] else None for v in rows.tolist()]


def columns(found: dict[str, Any]) -> dict[str, Any]:
    """Convert a part of a graph from the network to arrays; alpha to a mapping by key unless it is all numbers."""
    return {
        "alpha": _alpha(found["keys"], found["alphas"]),
        "keys": pa.array(found["keys"], pa.string()),
        "colors": _texts(found["colors"]),
        "preference": _by_key(found["keys"], found["preferences"]),
        **{name: np.asarray(found[name], np.int64) for name in ("numbers", "sources", "targets")},
        **{name: numbers(found[name]) for name in ("epsilons", "deltas")},
    }


def stored_graph(info: GraphInfo, parts: list[dict[str, Any]], color: str | None) -> StoredGraph:
    """Return a graph from its parts, without the edges that lead out of them."""
    keys, colors = (pa.concat_arrays([part[name] for part in parts]) for name in ("keys", "colors"))
    names = ("numbers", "sources", "targets", "epsilons", "deltas")
    number, source, target, epsilon, delta = (np.concatenate([part[name] for part in parts]) for name in names)
    alpha = _joined(parts)
    preference = {k: x for part in parts for k, x in part["preference"].items()}
    if color is not None:
        mask = np.asarray(pc.fill_null(pc.equal(colors, color), False))
        keys, colors, number = keys.filter(pa.array(mask)), colors.filter(pa.array(mask)), number[mask]
        if not len(keys):
            raise refusals.no_datasets(info.name)
        inside = set(keys.to_pylist())
        preference = {k: x for k, x in preference.items() if k in inside}
        alpha = {k: x for k, x in alpha.items() if k in inside} if isinstance(alpha, dict) else alpha[mask]
    source, target = _positions(number, source, target)
    inside_both = (source >= 0) & (target >= 0)
    graph = known_graph(
        keys,
        colors,
        source[inside_both],
        target[inside_both],
        epsilon[inside_both],
        delta[inside_both],
        alpha,
        preference or None,
        colors=info.colors,
        name=info.name,
    )
    return StoredGraph(**vars(graph), ids=pa.array(number))


def stored_rows(found: dict[str, Any], k: int) -> Floats:
    """Return the probabilities of datasets as rows; NaN where there are none."""
    if k > 2:
        return _distributions(found["distributions"], k)
    return np.column_stack([numbers(found["ps"]), numbers(found["qs"])])


def least(row: dict[str, Any]) -> Floats:
    """Return ``View.least``, from the extreme alpha among numbers and among lists.

    A list is found by its first entry, so that the second entry may be off by the rounding of the first.
    """
    lists = [(p, min(1.0, 1.0 - p + 2.0**-53) if p > 0.5 else 1.0 - p) for p, *_ in row["least_list"]]
    low = [(p, 1.0 - p) for p in row["least_number"]] + lists
    high = [(p, 1.0 - p) for p in row["greatest_number"]] + [(p, q) for p, q, *_ in row["greatest_list"]]
    return least_of(np.array(low + high, np.float64).reshape(-1, 2))


def require(name: str, keys: Sequence[str], known: list[str]) -> None:
    """Refuse keys that were not found in a graph."""
    missing = set(keys).difference(known)
    if missing:
        raise refusals.unknown_key(name, min(missing))


def numbers(values: list[Any]) -> Floats:
    """Return numbers as doubles; NaN for values that are not numbers, which the graph then refuses by name."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return np.array([x if isinstance(x, int | float) else np.nan for x in values], np.float64)


def _positions(known: Numbers, *wanted: Numbers) -> list[Numbers]:
    """Return the position of each wanted number among the known ones; -1 if it is unknown."""
    if not len(known):
        return [np.full(len(numbers), -1) for numbers in wanted]
    low, high = int(known.min()), int(known.max())
    if high - low < DENSE * len(known):
        index = np.full(high - low + 3, -1)
        index[known - low + 1] = np.arange(len(known))
        return [index[np.clip(numbers - low + 1, 0, high - low + 2)] for numbers in wanted]
    order = np.argsort(known)
    places = [order[np.minimum(np.searchsorted(known, x, sorter=order), len(order) - 1)] for x in wanted]
    return [np.where(known[place] == numbers, place, -1) for place, numbers in zip(places, wanted, strict=True)]


def _alpha(keys: list[str], values: list[Any]) -> Floats | dict[str, Any]:
    """Return alpha as numbers, NaN where not given; or as a mapping by key, if some are lists or invalid."""
    try:
        column = pa.array(values, pa.float64())
        if not pc.any(pc.is_nan(column)).as_py():
            return np.asarray(column.to_numpy(zero_copy_only=False))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    for key, value in zip(keys, values, strict=True):
        if not _is_alpha(value):
            raise GraphError(f"dataset {key!r}: alpha is {value!r}", "give a number or a list of numbers")
    return _by_key(keys, values)


def _joined(parts: list[dict[str, Any]]) -> Floats | dict[str, Any]:
    """Return the alpha of all parts, as numbers if it is numbers in every part."""
    if not any(isinstance(part["alpha"], dict) for part in parts):
        return np.concatenate([part["alpha"] for part in parts])
    found: dict[str, Any] = {}
    for part in parts:
        alpha = part["alpha"]
        if not isinstance(alpha, dict):
            given = np.flatnonzero(~np.isnan(alpha))
            keys = part["keys"].take(pa.array(given)).to_pylist()
            alpha = dict(zip(keys, alpha[given].tolist(), strict=True))
        found |= alpha
    return found


def _by_key(keys: list[str], values: list[Any]) -> dict[str, Any]:
    """Return the values that are not missing, by key."""
    if values.count(None) == len(values):
        return {}
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}


def _texts(values: list[Any]) -> pa.StringArray:
    """Return stored values of any type as a column of strings."""
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if x is None else str(x) for x in values], pa.string())


def _is_alpha(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return value is None or all(isinstance(x, int | float) for x in values)


def _distributions(values: list[Any], k: int) -> Floats:
    """Return lists of k numbers as rows; NaN for values that are not such lists, which are then refused by name."""
    return np.array([numbers(x) if isinstance(x, list) and len(x) == k else np.full(k, np.nan) for x in values])

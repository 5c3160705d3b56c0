"""Lists of values, as they come over the wire, as columns and rows; and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from neodp.ball import least_of
from neodp.columns import Floats, plain
from neodp.errors import GraphError
from neodp.graph import DatasetGraph
from neodp.store import refusals
from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["alphas", "columns", "least", "numbers", "require", "stored_graph", "stored_rows"]


def alphas(graph: DatasetGraph, rows: NDArray[Any]) -> list[float | list[float] | None]:
    """Alpha as properties: a number where that says it exactly, else a list; None where it is not given."""
    given = graph.given
    return [plain(graph.alpha[v]) if given[v] else None for v in rows.tolist()]


def columns(found: dict[str, Any]) -> dict[str, Any]:
    """A part of a graph as it came over the wire, in arrays."""
    for key, value in zip(found["keys"], found["alphas"], strict=True):
        if not _is_alpha(value):
            raise GraphError(f"dataset {key!r}: alpha is {value!r}", "give a number or a list of numbers")
    return {
        "alpha": {k: a for k, a in zip(found["keys"], found["alphas"], strict=True) if a is not None},
        **{name: pa.array(found[name], pa.string()) for name in ("ids", "keys")},
        "colors": pa.array([None if c is None else str(c) for c in found["colors"]], pa.string()),
        "preference": {k: p for k, p in zip(found["keys"], found["preferences"], strict=True) if p is not None},
        **{name: np.asarray(found[name], np.int64) for name in ("numbers", "sources", "targets")},
        **{name: numbers(found[name]) for name in ("epsilons", "deltas")},
    }


def stored_graph(info: GraphInfo, parts: list[dict[str, Any]], color: str | None) -> StoredGraph:
    """A graph from its parts; edges that lead out of them are left out."""
    keys, ids, colors = (pa.concat_arrays([part[name] for part in parts]) for name in ("keys", "ids", "colors"))
    names = ("numbers", "sources", "targets", "epsilons", "deltas")
    number, source, target, epsilon, delta = (np.concatenate([part[name] for part in parts]) for name in names)
    alpha, preference = ({k: x for part in parts for k, x in part[name].items()} for name in ("alpha", "preference"))
    if color is not None:
        mask = pc.fill_null(pc.equal(colors, color), False)
        keys, ids, colors, number = keys.filter(mask), ids.filter(mask), colors.filter(mask), number[np.asarray(mask)]
        alpha, preference = ({k: x[k] for k in keys.to_pylist() if k in x} for x in (alpha, preference))
    source, target = _positions(number, source), _positions(number, target)
    inside = (source >= 0) & (target >= 0)
    graph = DatasetGraph.from_columns(
        keys,
        colors,
        source[inside],
        target[inside],
        epsilon[inside],
        delta[inside],
        alpha,
        preference or None,
        colors=info.colors,
        name=info.name,
    )
    return StoredGraph(**vars(graph), ids=ids)


def stored_rows(found: dict[str, Any], k: int) -> Floats:
    """The probabilities that datasets have as rows; NaN where they have none."""
    if k > 2:
        return _distributions(found["distributions"], k)
    return np.column_stack([numbers(found["ps"]), numbers(found["qs"])])


def least(row: dict[str, Any]) -> Floats:
    """``View.least``, from the extreme alpha among numbers and among lists.

    A list is found by its first entry, so that the second may be off by the rounding of the first.
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
    """Numbers as doubles; NaN for what is none, which the graph then refuses by name."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return np.array([x if isinstance(x, int | float) else np.nan for x in values], np.float64)


def _positions(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each wanted number stands among the known ones; -1 where it does not."""
    order = np.argsort(known)
    place = np.searchsorted(known, wanted, sorter=order)
    found = order[np.minimum(place, len(order) - 1)] if len(order) else np.zeros(len(wanted), np.int64)
    return np.where(known[found] == wanted, found, -1) if len(order) else found - 1


def _is_alpha(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return value is None or all(isinstance(x, int | float) for x in values)


def _distributions(values: list[Any], k: int) -> Floats:
    """Lists of k numbers as rows; NaN for what is none, which is then refused by name."""
    return np.array([numbers(x) if isinstance(x, list) and len(x) == k else np.full(k, np.nan) for x in values])

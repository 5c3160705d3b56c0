"""Arrow tables, as the engine takes and gives them, as columns and rows; and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from neodp.columns import Bools, Floats
from neodp.errors import GraphError
from neodp.graph import DatasetGraph
from neodp.store.records import GraphInfo, StoredGraph

__all__ = [
    "alpha_columns",
    "alpha_rows",
    "folded",
    "ids_of",
    "keyed",
    "lists_of",
    "prefix",
    "repeated",
    "stored_graph",
    "stored_rows",
]


def repeated(text: str, n: int) -> pa.StringArray:
    """A column of one text."""
    return pa.repeat(pa.scalar(text, pa.string()), n)


def prefix(name: str) -> str:
    """What the ids of a graph's datasets begin with: its length first, so that no two graphs and keys share an id."""
    return f"{len(name)}:{name}:"


def ids_of(name: str, keys: pa.StringArray) -> pa.StringArray:
    """The ids of a graph's datasets, from their keys."""
    return pc.binary_join_element_wise(prefix(name), keys, "")


def keyed(name: str, keys: Sequence[str]) -> dict[str, str]:
    """Keys by id, each once."""
    begin = prefix(name)
    return {f"{begin}{key}": key for key in keys}


def alpha_columns(alpha: Floats) -> tuple[pa.Array, pa.Array]:
    """Alpha as two columns: Pr[first colour] of two, and the distributions that one number cannot say exactly."""
    given = ~np.isnan(alpha[:, 0])
    if alpha.shape[1] > 2:
        return pa.nulls(len(alpha), pa.float64()), lists_of(alpha, given)
    single = pa.array(alpha[:, 0], mask=~given)
    return single, lists_of(alpha, given & (alpha[:, 1] != 1.0 - alpha[:, 0]))


def alpha_rows(found: pa.Table, key: str, k: int) -> Floats:
    """The two columns as rows, NaN where alpha is not given; a list that `alpha` does not agree with is out of date."""
    rows = _rows(found, "alphas", key, k)
    single = found["alpha"].to_numpy()
    changed = ~np.isnan(single) & (single != rows[:, 0])
    if k > 2 and changed.any():
        name = found[key][int(np.argmax(changed))].as_py()
        raise GraphError(f"dataset {name!r}: alpha is one number", f"give alphas, one for each of the {k} colours")
    rows[changed, :2] = np.column_stack([single, 1.0 - single])[changed]
    return rows


def lists_of(rows: Floats, keep: Bools) -> pa.ListArray:
    """Rows as lists; null where they are not kept."""
    offsets = np.concatenate([[0], np.cumsum(keep) * rows.shape[1]])
    values = pa.array(rows[keep].ravel())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=pa.array(~keep))


def stored_rows(found: pa.Table, k: int) -> Floats:
    """The probabilities of datasets as rows; NaN where there are none."""
    if k == 2:
        return np.column_stack([found["p"].to_numpy(), found["q"].to_numpy()])
    return _rows(found, "probabilities", "id", k)


def _rows(found: pa.Table, column: str, key: str, k: int) -> Floats:
    """A column of lists of k numbers as rows; NaN where it is null."""
    lists = found[column].combine_chunks()
    length = pc.fill_null(pc.list_value_length(lists), k).to_numpy()
    if (length != k).any():
        wrong = int(np.argmax(length != k))
        raise GraphError(
            f"dataset {found[key][wrong].as_py()!r}: {column} is {lists[wrong].as_py()}",
            f"give a number for each of the {k} colours",
        )
    rows = np.full((len(lists), k), np.nan)
    rows[np.asarray(lists.is_valid())] = np.asarray(lists.flatten()).reshape(-1, k)
    return rows


def stored_graph(info: GraphInfo, found: pa.Table, edges: pa.Table) -> StoredGraph:
    """A graph from its datasets, by position, and edges, of which those with an end elsewhere are left out."""
    edges = edges.filter(pc.is_valid(edges["target"]))
    source, target = edges["source"].to_numpy(), edges["target"].to_numpy()
    index = _index(found["position"].to_numpy(), source, target)
    source, target = index[source], index[target]
    inside = np.flatnonzero((source >= 0) & (target >= 0))
    order = inside[np.lexsort((target[inside], source[inside]))]
    graph = DatasetGraph.from_columns(
        found["key"],
        found["color"],
        source[order],
        target[order],
        edges["epsilon"].to_numpy()[order],
        edges["delta"].to_numpy()[order],
        alpha_rows(found, "key", len(info.colors)),
        found["preference"],
        colors=info.colors,
        name=info.name,
    )
    return StoredGraph(**vars(graph), ids=found["id"].combine_chunks())


def _index(known: NDArray[np.int64], *others: NDArray[np.int64]) -> NDArray[np.int64]:
    """By the engine's position of a dataset, which of the known ones it is; -1 where it is none."""
    size = 1 + max(int(positions.max(initial=-1)) for positions in (known, *others))
    index = np.full(size, -1, np.int64)
    index[known] = np.arange(len(known))
    return index


def folded(table: pa.Table) -> pa.Table:
    """A query's result with `alpha` and `alphas` as one column: of numbers with two colours, else of lists."""
    for lists in [name for name in table.column_names if name.endswith("alphas")]:
        single = lists.removesuffix("s")
        if table[single].null_count == len(table) > table[lists].null_count:
            table = table.set_column(table.column_names.index(single), single, table[lists])
        table = table.drop_columns([lists])
    return table

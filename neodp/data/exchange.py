"""A graph in the forms of other programs: networkx, table files, and frames of pandas, polars and Arrow.

Reading gives columns that are not yet checked, with the places that error messages name; :class:`DatasetGraph
<neodp.data.graph.DatasetGraph>` checks them. Writing gives what the same form reads back.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neodp.data.distributions import plain
from neodp.data.files import private
from neodp.data.frames import named_columns
from neodp.data.graph_columns import GraphColumns
from neodp.data.tables import Format, Problems, ReadOptions, read_table
from neodp.data.text_columns import fill, split_colors, split_numbers
from neodp.data.validation import Places

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa

    from neodp.data.graph import DatasetGraph

__all__ = ["ReadGraph", "from_frames", "from_networkx", "from_tables", "to_arrow", "to_networkx", "write_csv"]

NODES = ("key", "color"), ("alpha", "preference")
"""The columns of the table of datasets: those it needs, and those it may have."""
EDGES = ("source", "target"), ("epsilon", "delta")
"""The columns of the table of edges: those it needs, and those it may have."""


class ReadGraph(NamedTuple):
    """The columns of a graph that was read, with what was wrong in its cells so far."""

    columns: GraphColumns
    places: Places
    problems: Problems
    name: str = "graph"


def from_networkx(graph: nx.Graph, epsilon: float | None, delta: float) -> GraphColumns:
    """Return the columns of a networkx graph; `epsilon` and `delta` are for the edges that have none."""
    position = {v: i for i, v in enumerate(graph)}
    edges = list(graph.edges(data=True))
    return GraphColumns(
        [str(v) for v in graph],
        [None if c is None else str(c) for _, c in graph.nodes(data="color")],
        np.fromiter((position[u] for u, _, _ in edges), np.int64, len(edges)),
        np.fromiter((position[v] for _, v, _ in edges), np.int64, len(edges)),
        [d.get("epsilon", epsilon) for _, _, d in edges],
        [d.get("delta", delta) for _, _, d in edges],
        [a for _, a in graph.nodes(data="alpha")],
        [[str(c) for c in p] if isinstance(p, list | tuple) else p for _, p in graph.nodes(data="preference")],
    )


def from_tables(
    nodes: str | PathLike[str],
    edges: str | PathLike[str],
    epsilon: float | None,
    delta: float,
    options: ReadOptions | None,
    format: Format | None,
) -> ReadGraph:
    """Return the columns of two table files; the name is that of the file of datasets."""
    how: Any = {"closed": True, "options": options, "format": format}
    vertices = read_table(nodes, *NODES, numbers=("alpha",), **how)
    links = read_table(edges, *EDGES, numbers=("epsilon", "delta"), **how)
    places, problems = Places(vertices.place, links.place), Problems(vertices.place)
    alpha = split_numbers(vertices.get("alpha"), places.node, problems)
    own = {"alpha": alpha, "preference": split_colors(vertices.get("preference"))}
    columns = _columns(vertices, links, epsilon, delta, places, problems, **own)
    return ReadGraph(columns, places, problems, vertices.source.stem)


def from_frames(nodes: Any, edges: Any, epsilon: float | None, delta: float, options: ReadOptions | None) -> ReadGraph:
    """Return the columns of two frames of any library."""
    what = "the table of datasets", "the table of edges"
    vertices = named_columns(nodes, what[0], *NODES, options)
    links = named_columns(edges, what[1], *EDGES, options)
    places = Places(*(lambda row, each=each: f"row {row + 1} of {each}" for each in what))
    problems = Problems(places.node)
    own = {"alpha": vertices.get("alpha"), "preference": vertices.get("preference")}
    return ReadGraph(_columns(vertices, links, epsilon, delta, places, problems, **own), places, problems)


def _columns(
    vertices: Any, links: Any, epsilon: float | None, delta: float, places: Places, problems: Problems, **own: Any
) -> GraphColumns:
    """Return the columns of a graph from those of its two tables; alpha and preference are already parsed."""
    return GraphColumns(
        vertices["key"],
        vertices["color"],
        links["source"],
        links["target"],
        fill(links.get("epsilon"), "epsilon", epsilon, places.edge, problems),
        fill(links.get("delta"), "delta", delta, places.edge, problems),
        **own,
    )


def to_networkx(graph: DatasetGraph) -> nx.Graph:
    """Return a graph as a networkx graph."""
    import networkx as nx

    keys = graph.keys.to_pylist()
    found = nx.Graph(name=graph.name, colors=list(graph.colors))
    found.add_nodes_from((k, {"color": graph.colors[c]}) for k, c in zip(keys, graph.color.tolist(), strict=True))
    for v in np.flatnonzero(graph.given).tolist():
        found.nodes[keys[v]]["alpha"] = plain(graph.alpha[v])
    for key, row in zip(keys, graph.preference_lists().to_pylist(), strict=True):
        if row is not None:
            found.nodes[key]["preference"] = row
    columns = (graph.source.tolist(), graph.target.tolist(), graph.epsilon.tolist(), graph.delta.tolist())
    found.add_edges_from((keys[u], keys[v], {"epsilon": e, "delta": d}) for u, v, e, d in zip(*columns, strict=True))
    return found


def to_arrow(graph: DatasetGraph) -> tuple[pa.Table, pa.Table]:
    """Return the datasets and the edges of a graph as two Arrow tables."""
    import pyarrow as pa

    nodes = {"key": graph.keys, "color": pa.array(graph.colors).take(pa.array(graph.color))}
    if graph.given.any():
        alpha = _plain_alpha(graph)
        if any(isinstance(row, list) for row in alpha):  # a column is of numbers or of lists
            alpha = [None if row is None else graph.alpha[v].tolist() for v, row in enumerate(alpha)]
        nodes["alpha"] = pa.array(alpha)
    if graph.preference is not None:
        nodes["preference"] = graph.preference_lists()
    ends = [graph.keys.take(pa.array(end)) for end in (graph.source, graph.target)]
    edges = {"source": ends[0], "target": ends[1], "epsilon": graph.epsilon, "delta": graph.delta}
    return pa.table(nodes), pa.table(edges)


def _plain_alpha(graph: DatasetGraph) -> list[float | list[float] | None]:
    """Return alpha by dataset: a number if that states it exactly, else a list; None if it is not given."""
    alpha: list[float | list[float] | None] = [None] * len(graph)
    for v in np.flatnonzero(graph.given).tolist():
        alpha[v] = plain(graph.alpha[v])
    return alpha


def write_csv(graph: DatasetGraph, nodes: str | PathLike[str], edges: str | PathLike[str]) -> None:
    """Write the datasets and the edges of a graph as two CSV files: lists are joined by semicolons."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    vertices, links = to_arrow(graph)
    names = vertices.column_names
    if "alpha" in names:
        cells = [
            None if row is None else ";".join(map(repr, row if isinstance(row, list) else [row]))
            for row in _plain_alpha(graph)
        ]
        vertices = vertices.set_column(names.index("alpha"), "alpha", pa.array(cells, pa.string()))
    if "preference" in names:
        joined = pc.binary_join(vertices["preference"], ";")
        vertices = vertices.set_column(names.index("preference"), "preference", joined)
    for table, target in ((vertices, nodes), (links, edges)):
        with private(target) as file:
            pa.csv.write_csv(table, file)

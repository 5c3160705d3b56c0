"""A user's own graphs of datasets in Neo4j, under other names: read, to be checked and loaded like any other.

All nodes of one label are the datasets, and the relationships of one type between them are the edges. Keys and colours
may be strings, integers or booleans; they are read as strings. The nodes stay unchanged. The plugin works on
such a graph in place, with the same names (``{nodeLabel: 'Answer', relationshipType: 'NEAR', keyProperty: 'id'}``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from neodp.asking.protection import require_word
from neodp.asking.writing import quoted
from neodp.data.graph import DatasetGraph
from neodp.errors import GraphError, StoreError, near
from neodp.store.service import Store

__all__ = ["Labels", "read_labels"]


@dataclass(frozen=True)
class Labels:
    """The names that a graph of datasets goes by: its label, its type and its properties.

    Attributes
    ----------
    node : str
        The label of the datasets.
    type : str
        The type of the relationships between neighbours.
    key, color, alpha, preference : str
        Properties of the datasets.
    epsilon, delta : str
        Properties of the relationships.

    Examples
    --------
    >>> Labels.parse("Answer,NEAR", "key=id,color=vote").edges
    'MATCH (a:`Answer`)-[r:`NEAR`]->(b:`Answer`) RETURN toString(a.`id`) AS source, ...'
    """

    node: str
    type: str = "NEIGHBOR"
    key: str = "key"
    color: str = "color"
    alpha: str = "alpha"
    preference: str = "preference"
    epsilon: str = "epsilon"
    delta: str = "delta"

    def __post_init__(self) -> None:
        for each in fields(self):
            require_word(f"the name of the {each.name}", getattr(self, each.name))

    @classmethod
    def parse(cls, labels: str, names: str | None = None) -> Self:
        """Return the names that two texts state: ``Answer,NEAR`` and ``key=id,color=vote``.

        Raises
        ------
        GraphError
            If a text is none; the message says what is expected.
        """
        node, _, kind = (part.strip() for part in labels.partition(","))
        known = [each.name for each in fields(cls)[2:]]
        given = {}
        for part in names.split(",") if names else ():
            name, equals, value = (each.strip() for each in part.partition("="))
            if not equals or name not in known:
                raise GraphError(
                    f"the names have {part.strip()!r}",
                    near(name, known) or f"give pairs such as key=id; there are {', '.join(known)}",
                )
            given[name] = value
        return cls(node, kind or "NEIGHBOR", **given)

    @property
    def nodes(self) -> str:
        """The datasets, in Cypher."""
        texts = [f"toString(n.{quoted(getattr(self, name))}) AS {name}" for name in ("key", "color")]
        others = [f"[] + n.{quoted(self.alpha)} AS alpha", f"n.{quoted(self.preference)} AS preference"]
        return f"MATCH (n:{quoted(self.node)}) RETURN {', '.join(texts + others)}"  # [] + x is a list, or null

    @property
    def edges(self) -> str:
        """The edges, in Cypher."""
        ends = [f"toString({end}.{quoted(self.key)}) AS {name}" for end, name in (("a", "source"), ("b", "target"))]
        others = [f"r.{quoted(getattr(self, name))} AS {name}" for name in ("epsilon", "delta")]
        label = quoted(self.node)
        return f"MATCH (a:{label})-[r:{quoted(self.type)}]->(b:{label}) RETURN {', '.join(ends + others)}"


def read_labels(
    store: Store,
    labels: Labels,
    *,
    colors: Sequence[str] | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    name: str = "graph",
) -> DatasetGraph:
    """Read a graph of datasets by its own names; datasets and edges are read one after another, in two transactions.

    Parameters
    ----------
    store : Store
        A store in Neo4j.
    labels : Labels
    colors : strings, optional
        The colours in order; by default those that there are, sorted.
    epsilon, delta : float
        Those of edges that have none.
    name : str
        The name of the graph.

    Raises
    ------
    StoreError
        If the store is a file, or no node has the label.
    GraphError
        If the graph is invalid; the message says where.
    """
    import pyarrow as pa

    if store.port.dialect == "embedded":
        raise StoreError(f"{store.address} is a file, with no labels of your own", "give a Neo4j server, or two tables")
    nodes, edges = store.select(labels.nodes), store.select(labels.edges)
    if not nodes.num_rows:
        raise StoreError(f"no node of {store.address} has the label {labels.node!r}", "correct the label")
    nodes = nodes.set_column(2, "alpha", pa.array([_alpha(each) for each in nodes.column("alpha").to_pylist()]))
    for column in ("alpha", "preference"):
        if nodes.column(column).null_count == nodes.num_rows:
            nodes = nodes.drop_columns([column])
    for column in ("epsilon", "delta"):
        if edges.column(column).null_count == edges.num_rows:
            edges = edges.drop_columns([column])
    return DatasetGraph.from_frames(nodes, edges, colors=colors, epsilon=epsilon, delta=delta, name=name)


def _alpha(value: Any) -> Any:
    """Return alpha as a list with a chance for each colour; one number is that of the first of two colours."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], int | float):
        return [float(value[0]), 1.0 - value[0]]
    return value

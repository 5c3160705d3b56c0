"""Dataset graphs in Neo4j: load, drop, list and read (``cypher/neo4j/graphs.cypher``).

Graphs are read and written as columns, some thousands of rows at a time, so that memory stays bounded on both sides.
They are loaded completely or not at all (:mod:`neodp.store.neo4j.loading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from neodp.core.views import Star
from neodp.data.distributions import distributions
from neodp.data.graph import DatasetGraph
from neodp.data.preferences import preferences
from neodp.data.progress import Progress, silent
from neodp.errors import Overtaken, ReadOnlyStore
from neodp.store import refusals
from neodp.store.cypher import Subject, statement
from neodp.store.neo4j.columns import Numbers, alphas, columns, numbers, require, stored_graph
from neodp.store.neo4j.connection import Connection, batches, side_by_side
from neodp.store.neo4j.loading import LoadedPart, Neo4jLoading
from neodp.store.port import Port
from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["Neo4jGraphs"]


class Neo4jGraphs(Port):
    """The operations of a Neo4j store on graphs."""

    connection: Connection

    def close(self) -> None:
        """Close the store."""
        self.connection.close()

    def init(self) -> list[str]:
        """Create the missing constraints and indexes, or tables, and return their names."""
        return self.connection.init()

    def graphs(self) -> list[GraphInfo]:
        """Return all graphs, sorted by name."""
        return [GraphInfo.from_row(row) for row in self.connection.rows("graphs")]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(
        self, name: str, graph: DatasetGraph, *, replace: bool, population: str | None, progress: Progress
    ) -> None:
        """Store a graph under a name; readers see all of it or nothing."""
        self.init()

        def make(place: str, writer: str) -> dict[str, Any]:
            numbers = self._create_datasets(place, writer, graph, progress)
            self._create_neighbors(place, writer, graph, numbers, progress)
            return {
                "colors": list(graph.colors),
                "datasets": len(graph),
                "edges": graph.edges,
                "population": population,
            }

        self._loading.load(name, make, replace=replace)

    def drop(self, info: GraphInfo, progress: Progress) -> int:
        """Delete a graph with everything that belongs to it, and return how many datasets it had."""
        return self._loading.drop(info.name, info.datasets, progress)

    @property
    def _loading(self) -> Neo4jLoading:
        return Neo4jLoading(
            self.connection,
            what="graph",
            parameter="graph",
            look="info",
            find="find_graph",
            claim="claim_graph",
            stage="stage_graph",
            staged="find_staged",
            lock="lock_switch",
            switch="switch_graphs",
            finish="finish_load",
            delete="delete_graph",
            parts=(LoadedPart("datasets", move="move_datasets", delete="delete_datasets"),),
        )

    def _create_datasets(self, name: str, writer: str, graph: DatasetGraph, progress: Progress) -> Numbers:
        """Create the datasets, and return the server's numbers of them."""

        def create(values: dict[str, list[Any]]) -> Numbers:
            found = self.connection.write("create_datasets", graph=name, writer=writer, **values)
            if found["rows"] != list(range(len(values["keys"]))):
                raise self._overtaken(name)
            return np.array(found["numbers"], np.int64)

        parts: list[Numbers] = []
        done = 0
        for part in side_by_side(create, _dataset_rows(graph)):
            parts.append(part)
            done += len(part)
            progress("datasets", done, len(graph))
        return np.concatenate(parts)

    def _create_neighbors(
        self, name: str, writer: str, graph: DatasetGraph, numbers: Numbers, progress: Progress
    ) -> None:
        rows = _neighbor_rows(graph, numbers)
        self._in_batches("create_neighbors", name, writer, rows, graph.edges, "edges", progress)

    def _in_batches(
        self,
        write: str,
        name: str,
        writer: str,
        rows: Iterable[dict[str, list[Any]]],
        total: int,
        what: str,
        progress: Progress,
    ) -> None:
        """Run a statement that writes some rows, and counts them, for all rows; refuse if another writer took over."""

        def work(values: dict[str, list[Any]]) -> int:
            count = len(next(iter(values.values())))
            if count not in self.connection.write(write, graph=name, writer=writer, **values).values():
                raise self._overtaken(name)
            return count

        done = 0
        for count in side_by_side(work, rows):
            done += count
            progress(what, done, total)

    def _overtaken(self, name: str) -> Overtaken:
        return self._loading.overtaken(name)

    # --- reading ------------------------------------------------------------------------------------------

    def read(
        self,
        name: str,
        *,
        keys: Sequence[str] | None = None,
        color: str | None = None,
        radius: int | None = None,
        progress: Progress = silent,
    ) -> StoredGraph:
        """Return a whole graph, or the subgraph of some of its datasets."""
        info = self.ready(name)
        refusals.check_subgraph(keys, color, radius, info)
        if keys is None:
            parts = self._datasets("read_datasets", info, progress)
        else:
            parts = iter([self.connection.read("find_datasets", graph=name, keys=self._ball(name, keys, radius or 0))])
        found = list(map(columns, parts))
        self._unchanged(info)
        return stored_graph(info, found, color)

    def _datasets(self, name: str, info: GraphInfo, progress: Progress = silent) -> Iterator[dict[str, Any]]:
        """Return the results of a statement about all datasets of a graph, in the order of their keys, page by page."""
        seen = 0
        for found in self.connection.spread(name, "next_key", graph=info.name):
            yield found
            seen += len(found["keys"])
            progress("reading", seen, max(seen, info.datasets))
        count = self.connection.read("count_datasets", graph=info.name)["datasets"]
        if count != seen:
            raise refusals.keys_not_texts("graph", info.name, "datasets", "key", count, seen)

    def _unchanged(self, info: GraphInfo) -> None:
        """Raise an error if the graph was changed while it was read."""
        if self.ready(info.name).revision != info.revision:
            raise refusals.changed_while_read("graph", info.name, self.address)

    def _ball(self, name: str, keys: Sequence[str], radius: int) -> list[str]:
        """Return the keys of the datasets up to `radius` edges away from the given ones, by one query per layer."""
        wanted = list(dict.fromkeys(keys))
        found = self.connection.read("find_datasets", graph=name, keys=wanted)
        require(name, wanted, found["keys"])
        seen, layer = set(wanted), wanted
        for _ in range(radius):
            layer = sorted(set(self.neighbors(name, layer).neighbor.to_pylist()) - seen)
            seen.update(layer)
        return sorted(seen)

    def layers(self, info: GraphInfo) -> int:
        """Return how many layers take as long as a pass: about three, and one more for every thousand datasets."""
        return min(200, 3 + info.datasets // 1000)

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""
        return self._star(self.ready(name), keys)

    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets of a graph that is known to be completely loaded."""
        found = self.connection.read("neighbors", graph=info.name, keys=list(keys))
        require(info.name, keys, found["known"])
        neighbor = pa.array(found["neighbors"], pa.string())
        return Star(
            pa.array(found["keys"], pa.string()),
            neighbor,
            pa.array(found["colors"], pa.string()),
            distributions(found["alphas"], neighbor, len(info.colors)),
            numbers(found["epsilons"]),
            numbers(found["deltas"]),
            preferences(found["preferences"], neighbor, info.colors),
        )

    # --- queries ------------------------------------------------------------------------------------------

    def query(self, text: str, values: Mapping[str, Any], subject: Subject, name: str) -> pa.Table:
        """Return the result of a reading query about one graph or one set of profiles."""
        own = {"graph": self.ready(name).name} if subject == "graph" else {"profiles": self.profiles.ready(name).name}
        return self.connection.table("query", text, {**values, **own})

    def select(self, text: str) -> pa.Table:
        """Return the result of a user's own Cypher, which was checked to only read."""
        try:
            return self.connection.table("select", text, {})
        except ReadOnlyStore:
            raise refusals.would_write() from None

    def column(self, name: str, property: str) -> pa.Table:
        """Return a property of a graph's datasets, whoever wrote it, as the columns `key` and `value`."""
        self.ready(name)
        text = statement("read_property", self.dialect)
        return self.connection.table("read_property", text, {"graph": name, "property": property})


def _dataset_rows(graph: DatasetGraph) -> Iterator[dict[str, list[Any]]]:
    """Return a graph's datasets in batches, as the statement ``create_datasets`` takes them."""
    alpha, preference = alphas(graph, np.arange(len(graph))), graph.preference_lists()
    for rows in batches(len(graph)):
        yield {
            "keys": graph.keys[rows].to_pylist(),
            "colors": [graph.colors[c] for c in graph.color[rows].tolist()],
            "alphas": alpha[rows],
            "preferences": preference[rows].to_pylist(),
        }


def _neighbor_rows(graph: DatasetGraph, numbers: Numbers) -> Iterator[dict[str, list[Any]]]:
    """Return a graph's edges in batches, as the statement ``create_neighbors`` takes them."""
    for rows in batches(graph.edges):
        yield {
            "sources": numbers[graph.source[rows]].tolist(),
            "targets": numbers[graph.target[rows]].tolist(),
            "epsilons": graph.epsilon[rows].tolist(),
            "deltas": graph.delta[rows].tolist(),
        }

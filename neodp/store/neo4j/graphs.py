"""Dataset graphs in Neo4j: load, drop, list and read (``cypher/neo4j/graphs.cypher``).

Graphs are read and written as columns, some thousands of rows at a time, so that memory stays bounded on both sides.
They are loaded whole or not at all (:mod:`neodp.store.neo4j.names`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from neodp.core.ball import Star
from neodp.data.graph import DatasetGraph
from neodp.data.validation import distributions, preferences
from neodp.errors import Overtaken, ReadOnlyStore
from neodp.store import refusals
from neodp.store.base import Progress, Store, silent
from neodp.store.cypher import bound, statement
from neodp.store.neo4j.columns import Numbers, alphas, columns, numbers, require, stored_graph
from neodp.store.neo4j.names import Names, Part
from neodp.store.neo4j.session import Session, batches, side_by_side
from neodp.store.reading import require_reading
from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["Graphs"]


class Graphs(Store):
    """What a store on Neo4j does with graphs."""

    _session: Session

    def close(self) -> None:
        self._session.close()

    def init(self) -> list[str]:
        return self._session.init()

    def graphs(self) -> list[GraphInfo]:
        return [GraphInfo.from_row(row) for row in self._session.rows("graphs")]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(
        self,
        name: str,
        graph: DatasetGraph,
        *,
        replace: bool = False,
        population: str | None = None,
        progress: Progress = silent,
    ) -> GraphInfo:
        name, population = refusals.named("graph", name, population)
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

        self._names.load(name, make, replace=replace)
        return self.info(name)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        return self._names.drop(name, self.info(name).datasets, progress)

    @property
    def _names(self) -> Names:
        return Names(
            self._session,
            what="graph",
            parameter="graph",
            look="store.info({name!r})",
            find="find_graph",
            claim="claim_graph",
            stage="stage_graph",
            staged="find_staged",
            lock="lock_switch",
            switch="switch_graphs",
            finish="finish_load",
            delete="delete_graph",
            parts=(Part("datasets", move="move_datasets", delete="delete_datasets"),),
        )

    def _create_datasets(self, name: str, writer: str, graph: DatasetGraph, progress: Progress) -> Numbers:
        """Create the datasets; the server's numbers of them."""

        def create(values: dict[str, list[Any]]) -> Numbers:
            found = self._session.write("create_datasets", graph=name, writer=writer, **values)
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
        """Run a statement that writes some rows, and counts them, for all rows; refused once the graph is lost."""

        def work(values: dict[str, list[Any]]) -> int:
            count = len(next(iter(values.values())))
            if count not in self._session.write(write, graph=name, writer=writer, **values).values():
                raise self._overtaken(name)
            return count

        done = 0
        for count in side_by_side(work, rows):
            done += count
            progress(what, done, total)

    def _overtaken(self, name: str) -> Overtaken:
        return self._names.overtaken(name)

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
        info = self.ready(name)
        refusals.check_subgraph(keys, color, radius, info)
        if keys is None:
            parts = self._datasets("read_datasets", info, progress)
        else:
            parts = iter([self._session.read("find_datasets", graph=name, keys=self._ball(name, keys, radius or 0))])
        found = list(map(columns, parts))
        self._unchanged(info)
        return stored_graph(info, found, color)

    def _datasets(self, name: str, info: GraphInfo, progress: Progress = silent) -> Iterator[dict[str, Any]]:
        """What a statement says about all of a graph's datasets, by key, some at a time."""
        seen = 0
        for found in self._session.spread(name, "next_key", graph=info.name):
            yield found
            seen += len(found["keys"])
            progress("reading", seen, max(seen, info.datasets))
        count = self._session.read("count_datasets", graph=info.name)["datasets"]
        if count != seen:
            raise refusals.keys_not_texts("graph", info.name, "datasets", "key", count, seen)

    def _unchanged(self, info: GraphInfo) -> None:
        """Refuse what was read if the graph was changed meanwhile."""
        if self.ready(info.name).revision != info.revision:
            raise refusals.changed_while_read("graph", info.name, self.address)

    def _ball(self, name: str, keys: Sequence[str], radius: int) -> list[str]:
        """The keys of the datasets up to `radius` edges away from some, one query per layer."""
        wanted = list(dict.fromkeys(keys))
        found = self._session.read("find_datasets", graph=name, keys=wanted)
        require(name, wanted, found["keys"])
        seen, layer = set(wanted), wanted
        for _ in range(radius):
            layer = sorted(set(self.neighbors(name, layer).neighbor.to_pylist()) - seen)
            seen.update(layer)
        return sorted(seen)

    def _layers(self, info: GraphInfo) -> int:
        """A pass takes about as long as three layers, and as one more for every thousand datasets."""
        return min(200, 3 + info.datasets // 1000)

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        return self._star(self.ready(name), keys)

    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        """The edges at some datasets of a graph that is known to be whole."""
        found = self._session.read("neighbors", graph=info.name, keys=list(keys))
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

    def _query(self, query: str, name: str, parameters: dict[str, Any]) -> pa.Table:
        text, values = bound(query, parameters, self.dialect)
        return self._session.table(query, text, values | self._subject(query, name))

    def select(self, text: str) -> pa.Table:
        require_reading(text)
        try:
            return self._session.table("select", text, {})
        except ReadOnlyStore:
            raise refusals.would_write() from None

    def column(self, name: str, property: str) -> pa.Table:
        self.ready(name)
        text = statement("read_property", self.dialect)
        return self._session.table("read_property", text, {"graph": name, "property": property})


def _dataset_rows(graph: DatasetGraph) -> Iterator[dict[str, list[Any]]]:
    """A graph's datasets, some at a time, as the statement ``create_datasets`` takes them."""
    alpha, preference = alphas(graph, np.arange(len(graph))), graph.preference_lists()
    for rows in batches(len(graph)):
        yield {
            "keys": graph.keys[rows].to_pylist(),
            "colors": [graph.colors[c] for c in graph.color[rows].tolist()],
            "alphas": alpha[rows],
            "preferences": preference[rows].to_pylist(),
        }


def _neighbor_rows(graph: DatasetGraph, numbers: Numbers) -> Iterator[dict[str, list[Any]]]:
    """A graph's edges, some at a time, as the statement ``create_neighbors`` takes them."""
    for rows in batches(graph.edges):
        yield {
            "sources": numbers[graph.source[rows]].tolist(),
            "targets": numbers[graph.target[rows]].tolist(),
            "epsilons": graph.epsilon[rows].tolist(),
            "deltas": graph.delta[rows].tolist(),
        }

"""Dataset graphs in Neo4j: load, drop, list and read (``cypher/neo4j/graphs.cypher``).

Graphs are read and written as columns, some thousands of rows at a time, so that memory stays bounded on both sides.
A writer owns a graph by its token on the ``(:DatasetGraph)`` node. Every batch locks that node and checks the token in
its own transaction, so that a writer that was overtaken cannot commit anything more, and nothing counts until the last
transaction declares it whole.

A graph that replaces another one is made beside it, under a name of its own. One transaction lets them change names;
what was there before is deleted after that. Whoever is interrupted leaves the old graph or the new one, whole.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from neodp.ball import Star
from neodp.columns import distributions, preferences
from neodp.errors import Overtaken, ReadOnlyStore, StoreError
from neodp.graph import DatasetGraph
from neodp.store import refusals
from neodp.store.base import Progress, Store, silent
from neodp.store.cypher import bound, statement
from neodp.store.neo4j.columns import Numbers, alphas, columns, numbers, require, stored_graph
from neodp.store.neo4j.session import Session, Transaction, ahead, batches
from neodp.store.reading import require_reading
from neodp.store.records import READY, GraphInfo, StoredGraph

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
        self.init()
        writer = uuid.uuid4().hex
        staged = f"{name} (replacement {writer})"

        def claim(tx: Transaction) -> str:
            state = tx.run("find_graph", graph=name)["state"]
            if state == READY and not replace:
                raise refusals.exists("graph", name, self.address)
            if state == READY:
                tx.run("stage_graph", graph=name, staged=staged, writer=writer)
                return staged
            tx.run("claim_graph", graph=name, state="loading", writer=writer)
            return name

        place = self._session.transaction("claim_graph", claim)
        try:
            for left in self._session.read("find_staged", graph=name)["names"]:
                if left != place:  # of somebody who was interrupted, or whom this one overtakes
                    self._remove(left)
            self._delete_datasets(place, writer)
            numbers = self._create_datasets(place, writer, graph, progress)
            self._create_neighbors(place, writer, graph, numbers, progress)
            whole = {
                "colors": list(graph.colors),
                "datasets": len(graph),
                "edges": graph.edges,
                "population": population,
            }
            if place == name:
                self._session.owned("finish_load", self._overtaken(name), graph=name, writer=writer, **whole)
            else:
                self._switch(name, staged, writer, whole)
        except BaseException:
            if place != name:
                with suppress(StoreError):
                    self._remove(staged)
            raise
        return self.info(name)

    def _switch(self, name: str, staged: str, writer: str, whole: dict[str, Any]) -> None:
        """Let a graph that is whole take the place of another, in one transaction, and delete that one after it."""
        removed = f"{name} (removed {writer})"

        def work(tx: Transaction) -> None:
            if tx.run("lock_switch", graph=name, staged=staged, writer=writer)["locked"] != 1:
                raise self._overtaken(name)
            tx.run("move_datasets", graph=name, to=removed)
            if tx.run("move_datasets", graph=staged, to=name)["moved"] != whole["datasets"]:
                raise self._overtaken(name)
            tx.run("switch_graphs", graph=name, staged=staged, removed=removed, writer=writer, **whole)

        self._session.transaction("switch_graphs", work)
        self._remove(removed)

    def _remove(self, name: str) -> None:
        """Delete what nobody uses, unless somebody else does already."""
        writer = uuid.uuid4().hex
        self._session.write("claim_graph", graph=name, state="dropping", writer=writer)
        self._delete_datasets(name, writer)
        self._session.write("delete_graph", graph=name, writer=writer)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        info = self.info(name)
        writer = uuid.uuid4().hex
        self._session.write("claim_graph", graph=name, state="dropping", writer=writer)
        deleted = self._delete_datasets(name, writer, info.datasets, progress)
        self._session.owned("delete_graph", self._overtaken(name), graph=name, writer=writer)
        return deleted

    def _delete_datasets(self, name: str, writer: str, total: int = 0, progress: Progress = silent) -> int:
        deleted = 0
        for count in self._session.repeated("delete_datasets", "deleted", graph=name, writer=writer):
            deleted += count
            progress("dropping", deleted, max(total, deleted))
        return deleted

    def _create_datasets(self, name: str, writer: str, graph: DatasetGraph, progress: Progress) -> Numbers:
        """Create the datasets; the server's numbers of them."""
        parts: list[Numbers] = []
        done = 0
        for values in ahead(_dataset_rows(graph)):
            found = self._session.write("create_datasets", graph=name, writer=writer, **values)
            if found["rows"] != list(range(len(values["keys"]))):
                raise self._overtaken(name)
            parts.append(np.array(found["numbers"], np.int64))
            done += len(parts[-1])
            progress("datasets", done, len(graph))
        return np.concatenate(parts)

    def _create_neighbors(
        self, name: str, writer: str, graph: DatasetGraph, numbers: Numbers, progress: Progress
    ) -> None:
        done = 0
        for values in ahead(_neighbor_rows(graph, numbers)):
            found = self._session.write("create_neighbors", graph=name, writer=writer, **values)
            if found["created"] != len(values["sources"]):
                raise self._overtaken(name)
            done += len(values["sources"])
            progress("edges", done, graph.edges)

    def _overtaken(self, name: str) -> Overtaken:
        return refusals.overtaken("graph", name, self.address, f"store.info({name!r})")

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
        for found in ahead(self._session.pages(name, "keys", graph=info.name)):
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

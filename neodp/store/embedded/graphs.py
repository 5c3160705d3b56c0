"""Dataset graphs in the embedded file: load, drop, list and read (``cypher/embedded/graphs.cypher``).

Graphs are read and written as columns, in Arrow tables, and every change is all or nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neodp.ball import Star
from neodp.columns import distributions, preferences
from neodp.errors import ReadOnlyStore, StoreError
from neodp.graph import DatasetGraph
from neodp.release import DEFAULT
from neodp.store import refusals
from neodp.store.base import Progress, Store, silent
from neodp.store.cypher import bound, statement
from neodp.store.embedded.columns import alpha_columns, alpha_rows, folded, ids_of, keyed, repeated, stored_graph
from neodp.store.embedded.session import Session, batches, now
from neodp.store.reading import require_reading
from neodp.store.records import READY, GraphInfo, StoredGraph

__all__ = ["Graphs"]

LOADING = "loading"
ROW = 250
"""How many bytes a dataset or an edge takes in the file, at most, besides its key."""


class Graphs(Store):
    """What the embedded store does with graphs."""

    _session: Session

    def close(self) -> None:
        self._session.close()

    def init(self) -> list[str]:
        return self._session.init()

    def graphs(self) -> list[GraphInfo]:
        if "DatasetGraph" not in self._session.tables:
            return []
        with self._session.transaction():
            return [self._info(row) for row in self._session.run("graphs").to_pylist()]

    def _info(self, row: dict[str, Any]) -> GraphInfo:
        """From a row, where whoever made the graph may have left out its counts."""
        for what, count in (("datasets", "count_datasets"), ("edges", "count_edges")):
            if row[what] is None:
                row[what] = self._count(count, graph=row["name"])
        return GraphInfo.from_row(row)

    def _count(self, count: str, **parameters: str) -> int:
        return int(self._session.run(count, **parameters)[0][0].as_py())

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
        with self._session.mutex:
            there = {info.name: info.population for info in self.graphs()}
            people = there.get(name, DEFAULT) if population is None else population
            if name not in there or replace:
                self._session.require_room(_room(graph) * (1 if name not in there else 3))
            if name not in there:
                self._load_new(name, graph, people, progress)
            elif replace:
                self._load_instead(name, graph, people, progress)
            else:
                raise refusals.exists("graph", name, self.address)
            return self.info(name)

    def _load_new(self, name: str, graph: DatasetGraph, population: str, progress: Progress) -> None:
        """Load by COPY, the engine's fast way.

        Its rows are in the file once they are committed, but never in the log: a kill in between would take them, and
        leave whatever else the transaction did. So the graph is marked before and after, in transactions of their own,
        and one that is still marked when the file is opened is deleted.
        """
        with self._session.transaction(write=True):
            self._delete(name)
            self._declare(name, graph, population, LOADING)
            before = self._count("count_all_edges")
        try:
            with self._session.transaction(write=True):
                self._create_datasets("copy_datasets", name, graph, progress)
            with self._session.transaction(write=True, ordered=False):
                self._create_neighbors("copy_neighbors", name, graph, progress)
            with self._session.transaction(write=True):
                self._finish(name, graph, before)
        except BaseException:
            with suppress(StoreError):
                self._delete_unfinished()
            raise

    def _load_instead(self, name: str, graph: DatasetGraph, population: str, progress: Progress) -> None:
        """Delete and create in one transaction, so without COPY."""
        with self._session.transaction(write=True):
            self._delete(name)
            self._declare(name, graph, population, READY)
            self._create_datasets("create_datasets", name, graph, progress)
            self._create_neighbors("create_neighbors", name, graph, progress)

    def _declare(self, name: str, graph: DatasetGraph, population: str, state: str) -> None:
        counts = {"datasets": len(graph), "edges": graph.edges}
        facts = {"colors": list(graph.colors), "population": population, "revision": uuid.uuid4().hex}
        self._session.run("create_graph", graph=name, state=state, created=now(), **counts, **facts)

    def _finish(self, name: str, graph: DatasetGraph, before: int) -> None:
        """Declare a graph whole if it is: there were so many edges in all `before` it came."""
        edges = self._count("count_all_edges") - before
        if (self._count("count_datasets", graph=name), edges) != (len(graph), graph.edges):
            raise StoreError(f"graph {name!r} did not fit into {self.address}: the disk may be full", "make room")
        self._session.run("finish_load", graph=name)

    def _delete_unfinished(self) -> None:
        for info in self.graphs():
            if info.state == LOADING:
                with self._session.transaction(write=True):
                    self._delete(info.name)

    def _create_datasets(self, statement: str, name: str, graph: DatasetGraph, progress: Progress) -> None:
        ids = ids_of(name, graph.keys)
        color = pa.array(graph.colors, pa.string()).take(pa.array(graph.color))
        alpha, alphas = alpha_columns(graph.alpha)
        preference = graph.preference_lists()
        for rows in batches(len(graph)):
            columns = {
                "dataset": ids[rows],
                "graph": repeated(name, rows.stop - rows.start),
                "key": graph.keys[rows],
                "color": color[rows],
                "alpha": alpha[rows],
                "alphas": alphas[rows],
                "preference": preference[rows],
            }
            self._session.run(statement, rows=pa.table(columns))
            progress("datasets", rows.stop, len(graph))

    def _create_neighbors(self, statement: str, name: str, graph: DatasetGraph, progress: Progress) -> None:
        """Create the edges by their sources, in whose order the engine keeps them."""
        ids = ids_of(name, graph.keys)
        order = np.argsort(graph.source, kind="stable")
        for rows in batches(graph.edges):
            edges = order[rows]
            columns = {
                "source": ids.take(pa.array(graph.source[edges])),
                "target": ids.take(pa.array(graph.target[edges])),
                "epsilon": pa.array(graph.epsilon[edges]),
                "delta": pa.array(graph.delta[edges]),
            }
            self._session.run(statement, rows=pa.table(columns))
            progress("edges", rows.stop, graph.edges)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        with self._session.transaction(write=True):
            self.info(name)
            deleted = self._delete(name)
            progress("dropping", deleted, deleted)
        return deleted

    def _delete(self, name: str) -> int:
        deleted = self._session.run("delete_datasets", graph=name)["deleted"][0].as_py()
        self._session.run("delete_graph", graph=name)
        return int(deleted)

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
        with self._session.transaction():
            info = self.ready(name)
            refusals.check_subgraph(keys, color, radius, info)
            found = self._ball(name, keys, radius or 0) if keys is not None else self._whole(name)
            if color is not None:
                found = found.filter(pc.equal(found["color"], color))
            progress("datasets", len(found), len(found))
            if keys is None:
                edges = self._session.run("read_neighbors", graph=name)
            else:
                edges = self._session.run("find_neighbors", ids=found["id"].to_pylist())
            progress("edges", len(edges), len(edges))
        return stored_graph(info, found, edges)

    def _whole(self, name: str) -> pa.Table:
        """All datasets of a graph, in the order in which they were loaded."""
        return self._session.run("read_datasets", graph=name).sort_by("position")

    def _ball(self, name: str, keys: Sequence[str], radius: int) -> pa.Table:
        """The datasets up to `radius` edges away from some, one query per layer."""
        wanted = keyed(name, keys)
        found = self._session.run("find_datasets", ids=list(wanted))
        self._require(wanted, found["id"], name)
        seen = layer = set(wanted)
        for _ in range(radius):
            layer = set(self._session.run("layer", graph=name, ids=sorted(layer))["id"].drop_null().to_pylist()) - seen
            seen = seen | layer
        if radius:
            found = self._session.run("find_datasets", ids=sorted(seen))
        return found.sort_by("position")

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        with self._session.transaction():
            return self._star(self.ready(name), keys)

    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        """The edges at some datasets of a graph that is known to be whole."""
        wanted = keyed(info.name, keys)
        found = self._session.run("neighbors", graph=info.name, ids=list(wanted))
        self._require(wanted, found["id"], info.name)
        found = found.filter(pc.is_valid(found["neighbor"]))
        key, neighbor, color = (found[c].combine_chunks() for c in ("key", "neighbor", "color"))
        k = len(info.colors)
        alpha = distributions(alpha_rows(found, "neighbor", k), neighbor, k)
        order = preferences(found["preference"], neighbor, info.colors)
        return Star(key, neighbor, color, alpha, found["epsilon"].to_numpy(), found["delta"].to_numpy(), order)

    def _require(self, wanted: dict[str, str], ids: pa.ChunkedArray, name: str) -> None:
        """Refuse keys, by id, that are not among the ids that were found."""
        missing = wanted.keys() - set(ids.to_pylist())
        if missing:
            raise refusals.unknown_key(name, min(wanted[i] for i in missing))

    def _query(self, query: str, name: str, parameters: dict[str, Any]) -> pa.Table:
        text, values = bound(query, parameters, self.dialect)
        with self._session.transaction():
            return folded(self._session.execute(text, values | self._subject(query, name)))

    def select(self, text: str) -> pa.Table:
        require_reading(text)
        try:
            with self._session.transaction():
                return self._session.execute(text, {})
        except ReadOnlyStore:
            raise refusals.would_write() from None

    def column(self, name: str, property: str) -> pa.Table:
        text = statement("read_property", self.dialect).replace("{property}", property.replace("`", ""))
        try:
            with self._session.transaction():
                self.ready(name)
                return self._session.execute(text, {"graph": name})
        except StoreError as e:
            if "Cannot find property" not in str(e):
                raise
        return pa.table({"key": pa.array([], pa.string()), "value": pa.array([], pa.float64())})


def _room(graph: DatasetGraph) -> int:
    """How many bytes a graph takes in the file, at most. One that replaces another goes through the log as well."""
    return int(ROW * (len(graph) + graph.edges) + 3 * graph.keys.nbytes)

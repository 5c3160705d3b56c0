"""Alpha and mechanisms on the datasets of graphs in Neo4j (``cypher/neo4j/mechanisms.cypher``).

A mechanism is written in batches by a writer that owns the graph (:mod:`neodp.store.neo4j.graphs`); alpha is written in
one transaction, since a part of alpha could be mistaken for all of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from neodp.core.boundary import distance
from neodp.core.evaluation import Evaluation
from neodp.core.mechanism import Mechanism
from neodp.core.views import Found
from neodp.data.distributions import distributions
from neodp.data.family import family
from neodp.data.graph import DatasetGraph
from neodp.data.progress import Progress, silent
from neodp.data.validation import Floats
from neodp.errors import Overtaken
from neodp.store import refusals
from neodp.store.neo4j.columns import Numbers, alphas, least, numbers, require, stored_rows
from neodp.store.neo4j.connection import Transaction, batches, side_by_side
from neodp.store.neo4j.graphs import Neo4jGraphs
from neodp.store.records import READY, GraphInfo, StoredGraph
from neodp.store.stored_privacy import StoredPrivacy, by_edge
from neodp.store.views import StoredView

__all__ = ["Neo4jMechanisms"]


class Neo4jMechanisms(Neo4jGraphs):
    """The operations of a Neo4j store on alpha and mechanisms."""

    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Store the alpha of `graph`, remove the mechanism, and return how many datasets have alpha."""
        refusals.check_colors(self.ready(name), graph)
        given = np.flatnonzero(graph.given)
        dataset = self._numbers(name, graph)
        alpha = alphas(graph, given)

        def work(tx: Transaction) -> None:
            if tx.run("clear_alpha", graph=name)["claimed"] != 1:
                raise self._overtaken(name)
            for rows in batches(len(given)):
                values = {"numbers": dataset[given[rows]].tolist(), "alphas": alpha[rows]}
                if tx.run("write_alpha", graph=name, **values)["written"] != len(values["numbers"]):
                    raise self._overtaken(name)
                progress("alpha", rows.stop, len(given))

        self.connection.transaction("write_alpha", work)
        return len(given)

    # --- a whole mechanism --------------------------------------------------------------------------------

    def write(self, name: str, mechanism: Mechanism, privacy: StoredPrivacy, progress: Progress) -> None:
        """Store a mechanism's probabilities on its datasets; readers see the whole mechanism or none."""
        info, graph, writer = self.ready(name), mechanism.graph, uuid.uuid4().hex
        refusals.check_colors(info, graph)
        dataset = self._numbers(name, graph)
        if self.connection.read("count_datasets", graph=name)["datasets"] != len(graph):
            stored = {key for part in self._datasets("read_numbers", info) for key in part["keys"]}
            others = stored.difference(graph.keys.to_pylist())
            raise refusals.not_covered(name, min(others)) if others else self._overtaken(name)
        facts = privacy.facts(mechanism)
        self.connection.owned("claim_mechanism", self._overtaken(name), graph=name, writer=writer)
        self._write_rows(name, writer, mechanism, dataset, progress)
        if privacy.mus is not None:
            self._write_mus(name, writer, graph, dataset, privacy.mus, progress)
        if mechanism.optimality is not None:
            proof = mechanism.optimality._asdict()
            self.connection.owned("write_optimality", self._overtaken(name), graph=name, writer=writer, **proof)
        self.connection.owned("finish_mechanism", self._overtaken(name), graph=name, writer=writer, **facts)

    def _write_rows(self, name: str, writer: str, mechanism: Mechanism, dataset: Numbers, progress: Progress) -> None:
        two = family(mechanism.graph).binary
        columns: dict[str, NDArray[Any]] = {"p_trues": mechanism.p_true, "distances": distance(mechanism.graph)}
        columns |= {"ps": mechanism.p, "qs": mechanism.q} if two else {"distributions": mechanism.probabilities}
        write = "write_probabilities" if two else "write_distributions"
        columns["numbers"] = dataset
        self._in_batches(write, name, writer, _rows(columns), len(mechanism), "probabilities", progress)

    def _write_mus(
        self, name: str, writer: str, graph: DatasetGraph, dataset: Numbers, mus: Floats, progress: Progress
    ) -> None:
        ends = {"sources": dataset[graph.source], "targets": dataset[graph.target]}
        columns: dict[str, NDArray[Any]] = {**ends, "mus": mus}
        self._in_batches("write_mus", name, writer, _rows(columns), graph.edges, "mu", progress)

    def _numbers(self, name: str, graph: DatasetGraph) -> Numbers:
        """Return the server's numbers of a graph's datasets."""
        if isinstance(graph, StoredGraph) and graph.ids is not None:
            return np.array(graph.ids, np.int64)
        parts = list(self._datasets("read_numbers", self.ready(name)))
        keys = pa.array([key for part in parts for key in part["keys"]], pa.string())
        where = pc.index_in(graph.keys, keys)
        if where.null_count:
            raise refusals.foreign_key(name, graph.key(int(np.argmin(np.asarray(where.is_valid())))))
        numbers: Numbers = np.concatenate([np.array(part["numbers"], np.int64) for part in parts])
        return np.take(numbers, np.asarray(where))

    def probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """Return the stored probabilities in the order of a graph's datasets; NaN where there are none."""
        assert graph.ids is not None
        numbers, rows = graph.ids, np.full((len(graph), len(graph.colors)), np.nan)

        def page(part: slice) -> tuple[slice, dict[str, Any]]:
            return part, self.connection.read("read_probabilities", numbers=numbers[part].to_pylist())

        for part, values in side_by_side(page, batches(len(graph))):
            if values["keys"] != graph.keys[part].to_pylist():
                raise Overtaken(f"graph {graph.name!r} was changed while it was read", "try again")
            rows[part] = stored_rows(values, len(graph.colors))
        return rows

    def mus(self, graph: StoredGraph) -> Floats:
        """Return the stored mu in the order of a graph's edges; NaN where there is none."""
        parts = list(self._datasets("read_mus", self.ready(graph.name)))
        sources, targets = (pa.array([x for p in parts for x in p[c]], pa.string()) for c in ("sources", "targets"))
        return by_edge(graph, sources, targets, numbers([x for part in parts for x in part["mus"]]))

    # --- single datasets ----------------------------------------------------------------------------------

    @contextmanager
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> Iterator[StoredView]:
        """Return a graph seen from some of its datasets; raise Overtaken at the end if it was changed meanwhile."""
        row = self.connection.read("view", graph=name, keys=list(keys))
        if row.get("state") != READY:
            self.ready(name)  # which says why not
        info = GraphInfo.from_row(row)
        require(name, keys, row["keys"])
        order = [row["keys"].index(key) for key in keys]
        alpha = distributions([row["alphas"][i] for i in order], pa.array(keys, pa.string()), len(info.colors))
        view = StoredView(
            info,
            keys,
            Found([row["found"][i] for i in order], alpha),
            stored_rows(row, len(info.colors))[order],
            least(row),
            neighbors=partial(self._star, info),
            write=partial(self._write_evaluations, info),
        )
        yield view
        view.queries += 1
        self._unchanged(info)

    def _write_evaluations(self, info: GraphInfo, evaluations: Sequence[Evaluation]) -> None:
        """Store probabilities on their datasets, if the graph has not changed."""
        rows: Any = [list(e.probabilities.values()) for e in evaluations]
        two = family(info).binary
        values = {
            "keys": [e.key for e in evaluations],
            "ps": [row[0] if two else None for row in rows],
            "qs": [row[1] if two else None for row in rows],
            "distributions": [None if two else row for row in rows],
            "p_trues": [e.p_true for e in evaluations],
        }
        found = self.connection.write("write_evaluations", graph=info.name, revision=info.revision, **values)
        if found["written"] != len(evaluations):
            raise self._overtaken(info.name)


def _rows(columns: dict[str, NDArray[Any]]) -> Iterator[dict[str, list[Any]]]:
    """Return columns as lists, in batches of rows."""
    for rows in batches(len(next(iter(columns.values())))):
        yield {name: column[rows].tolist() for name, column in columns.items()}

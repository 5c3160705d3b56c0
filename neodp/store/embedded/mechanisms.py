"""Alpha and mechanisms on the datasets of the embedded file (``cypher/embedded/mechanisms.cypher``).

Each is written in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neodp.ball import Evaluation, Found, least_of
from neodp.boundary import distance
from neodp.columns import Floats, distributions
from neodp.errors import StoreError
from neodp.family import family
from neodp.graph import DatasetGraph
from neodp.mechanism import Mechanism
from neodp.store import refusals
from neodp.store.base import Progress, silent
from neodp.store.demand import StoredView
from neodp.store.embedded.columns import alpha_columns, alpha_rows, ids_of, keyed, lists_of, stored_rows
from neodp.store.embedded.graphs import Graphs
from neodp.store.embedded.session import batches, now
from neodp.store.notions import Notion, by_edge
from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["Mechanisms"]


class Mechanisms(Graphs):
    """What the embedded store does with alpha and mechanisms."""

    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        given = np.flatnonzero(graph.given)
        alpha, alphas = alpha_columns(graph.alpha[given])
        with self._session.transaction(write=True):
            ids = self._stored(name, graph)[0].take(pa.array(given))
            self._session.run("clear_mechanism", graph=name, revision=uuid.uuid4().hex)
            self._session.run("clear_alpha", graph=name)
            self._update("write_alpha", "alpha", {"dataset": ids, "alpha": alpha, "alphas": alphas}, progress)
        return len(given)

    def _write(self, name: str, mechanism: Mechanism, notion: Notion, progress: Progress) -> None:
        graph = mechanism.graph
        columns = {"p_true": pa.array(mechanism.p_true), "distance": pa.array(distance(graph).astype(np.int64))}
        if family(graph).binary:
            write, columns = "write_probabilities", columns | {"p": pa.array(mechanism.p), "q": pa.array(mechanism.q)}
        else:
            rows = lists_of(mechanism.probabilities, np.ones(len(graph), np.bool_))
            write, columns = "write_distributions", columns | {"probabilities": rows}
        facts = notion.facts(mechanism)
        with self._session.transaction(write=True):
            ids, others = self._stored(name, graph)
            if len(others):
                raise refusals.not_covered(name, others[0].as_py())
            self._update(write, "probabilities", {"dataset": ids, **columns}, progress)
            if notion.mus is not None:
                self._write_mus(graph, ids, notion.mus, progress)
            self._session.run("finish_mechanism", graph=name, version=uuid.uuid4().hex, written=now(), **facts)

    def _write_mus(self, graph: DatasetGraph, ids: pa.StringArray, mus: Floats, progress: Progress) -> None:
        """Write mu to the edges. Each is looked for in both directions, since it is stored in one."""
        ends = (graph.source, graph.target)
        for rows in batches(graph.edges):
            one, two = (ids.take(pa.array(end[rows])) for end in ends)
            mu, edge = pa.array(mus[rows]), pa.array(np.arange(rows.start, rows.stop))
            columns = {"source": [one, two], "target": [two, one], "mu": [mu, mu], "edge": [edge, edge]}
            table = pa.table({name: pa.concat_arrays(parts) for name, parts in columns.items()})
            self._all(self._session.run("write_mus", rows=table), "edges", rows.stop - rows.start)
            progress("mu", rows.stop, graph.edges)

    def _stored(self, name: str, graph: DatasetGraph) -> tuple[pa.StringArray, pa.StringArray]:
        """The ids of a graph's datasets, and the keys of the stored ones that are not among them."""
        info = self.ready(name)
        refusals.check_colors(info, graph)
        found = self._whole(name)
        keys = found["key"].combine_chunks()
        where = pc.index_in(graph.keys, keys)
        if where.null_count:
            raise refusals.foreign_key(name, graph.key(pc.index(where.is_null(), True).as_py()))
        others = np.delete(np.arange(len(keys)), np.asarray(where))
        return found["id"].combine_chunks().take(where), keys.take(pa.array(others))

    def _update(self, name: str, what: str, columns: dict[str, pa.Array], progress: Progress) -> None:
        """Write columns to the datasets whose ids are the column `dataset`."""
        total = len(columns["dataset"])
        for rows in batches(total):
            table = pa.table({column: values[rows] for column, values in columns.items()})
            self._all(self._session.run(name, rows=table), "datasets", len(table))
            progress(what, rows.stop, total)

    def _all(self, found: pa.Table, what: str, count: int) -> None:
        """Refuse a change that did not find all that it is about."""
        written = found["written"][0].as_py()
        if written != count:
            raise StoreError(f"{self.address} wrote {written} of {count} {what}", "nothing was changed")

    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        with self._session.transaction():
            found = self._session.run("read_probabilities", graph=info.name)
        return stored_rows(found.take(pc.index_in(graph.ids, found["id"].combine_chunks())), len(graph.colors))

    def _mus(self, graph: StoredGraph) -> Floats:
        with self._session.transaction():
            found = self._session.run("read_mus", graph=graph.name)
        return by_edge(
            graph, found["source"].combine_chunks(), found["target"].combine_chunks(), found["mu"].to_numpy()
        )

    # --- single datasets ----------------------------------------------------------------------------------

    @contextmanager
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> Iterator[StoredView]:
        """All in one transaction, so that nothing can change meanwhile."""
        with self._session.transaction(write=write):
            info = self.ready(name)
            k, wanted = len(info.colors), keyed(name, keys)
            found = self._session.run("find_evaluated", ids=list(wanted))
            self._require(wanted, found["id"], name)
            found = found.take(pc.index_in(pa.array(keys, pa.string()), found["key"].combine_chunks()))
            column = found["key"].combine_chunks()
            alpha = distributions(alpha_rows(found, "key", k), column, k)
            given = self._session.run("read_alphas", graph=name)
            least = least_of(distributions(alpha_rows(given, "key", k), given["key"].combine_chunks(), k))
            yield StoredView(
                info,
                keys,
                Found(found["color"].to_pylist(), alpha),
                stored_rows(found, k),
                least,
                neighbors=partial(self._star, info),
                write=partial(self._write_evaluations, info),
            )

    def _write_evaluations(self, info: GraphInfo, evaluations: Sequence[Evaluation]) -> None:
        """Keep probabilities on their datasets."""
        rows = np.array([list(e.probabilities.values()) for e in evaluations])
        more = np.full(len(rows), not family(info).binary)
        columns = {
            "dataset": ids_of(info.name, pa.array([e.key for e in evaluations], pa.string())),
            "p": pa.array(rows[:, 0], mask=more),
            "q": pa.array(rows[:, 1], mask=more),
            "probabilities": lists_of(rows, more),
            "p_true": pa.array([e.p_true for e in evaluations]),
        }
        self._update("write_evaluations", "probabilities", columns, silent)

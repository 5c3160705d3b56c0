"""Alpha and mechanisms of the graphs in the embedded file; each is written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.data.progress import Progress, silent
from neodp.store import refusals
from neodp.store.embedded.columns import Array, Column
from neodp.store.embedded.content import Content, Held
from neodp.store.embedded.graphs import EmbeddedGraphs, least_text, star
from neodp.store.embedded.loading import new_version, now
from neodp.store.records import GraphInfo, StoredGraph, fingerprint
from neodp.store.views import StoredView

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.core.evaluation import Evaluation
    from neodp.core.mechanism import Mechanism
    from neodp.core.views import Star
    from neodp.data.graph import DatasetGraph
    from neodp.data.validation import Floats
    from neodp.store.stored_privacy import StoredPrivacy

__all__ = ["EmbeddedMechanisms"]

NO_MECHANISM: dict[str, Any] = dict.fromkeys(
    (
        *("mechanism", "written", "min_p_true", "mean_p_true", "method", "privacy", "mu", "expected", "bound", "prior"),
        "evaluated",
    )
) | {"stale": 0}
"""The columns of the table ``graph`` for a graph without a mechanism."""


class EmbeddedMechanisms(EmbeddedGraphs):
    """The operations of the embedded store on alpha and mechanisms."""

    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Store the alpha of `graph`, remove the mechanism, and return how many datasets have alpha."""
        with self._file.writing():
            row = self._row(name)
            places, _ = self._matched(row, graph)
            alpha = _placed(graph.alpha, places, row["datasets"])
            self._columns.delete(row["revision"], row["mechanism"], row["evaluated"])
            new = {**row, **NO_MECHANISM, "revision": new_version(), "certified": None, "least": least_text(alpha)}
            self._content(new).write_alpha(alpha)
            self._graphs.put(new)
        given = int(graph.given.sum())
        progress("alpha", given, given)
        return given

    def write(self, name: str, mechanism: Mechanism, privacy: StoredPrivacy, progress: Progress) -> None:
        """Store a mechanism's probabilities on its datasets; readers see the whole mechanism or none."""
        import pyarrow as pa

        from neodp.store.stored_privacy import by_edge

        graph, p_true, best = mechanism.graph, mechanism.p_true, mechanism.optimality
        with self._file.writing():
            row = self._row(name)
            places, fits = self._matched(row, graph)
            if len(graph) < row["datasets"]:
                other = np.delete(np.arange(row["datasets"]), places)[:1]
                raise refusals.not_covered(name, self._content(row).names(other)[0])
            self._columns.delete(row["mechanism"], row["evaluated"])
            new = row | {
                "mechanism": new_version(),
                "written": now(),
                "min_p_true": repr(float(p_true.min())),
                "mean_p_true": repr(float(p_true.mean())),
                "method": mechanism.method,
                "privacy": privacy.name,
                "mu": None if privacy.mu is None else repr(privacy.mu),
                "expected": None if best is None else repr(best.expected),
                "bound": None if best is None else repr(best.bound),
                "prior": None if best is None else best.prior,
                "stale": int(not fits),
                "evaluated": None,
            }
            rows = _placed(mechanism.probabilities, places, row["datasets"])
            self._columns.write(_rows(new, rows.shape[1]), rows)
            if privacy.mus is not None:
                stored = self._whole(row)
                one, two = (graph.keys.take(pa.array(end)) for end in (graph.source, graph.target))
                self._columns.write(_mu(new), by_edge(stored, one, two, privacy.mus))
            self._graphs.put(new)
        progress("probabilities", len(graph), len(graph))

    def _matched(self, row: Mapping[str, Any], graph: DatasetGraph) -> tuple[Array | slice, bool]:
        """Return the position of each of a graph's datasets in a stored graph, and whether both graphs are the same."""
        refusals.check_colors(self.info(row["name"]), graph)
        if isinstance(graph, StoredGraph) and graph.revision == row["revision"]:
            return slice(None), True
        import pyarrow.compute as pc

        stored = self._whole(row)
        where = pc.index_in(graph.keys, stored.keys)
        if where.null_count:
            raise refusals.foreign_key(row["name"], graph.key(pc.index(where.is_null(), True).as_py()))
        return np.asarray(where, np.int64), fingerprint(graph) == fingerprint(stored)

    def probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """Return the stored probabilities in the order of a graph's datasets; NaN where there are none."""
        with self._file.reading():
            row = self._row(info.name)
            if row["mechanism"] is None:
                return np.full((row["datasets"], len(info.colors)), np.nan)
            return self._columns.read(_rows(row, len(info.colors)))

    def mus(self, graph: StoredGraph) -> Floats:
        """Return the stored mu in the order of a graph's edges; NaN where there is none."""
        with self._file.reading():
            return self._columns.read(_mu(self._row(graph.name)))

    # --- single datasets ----------------------------------------------------------------------------------

    @contextmanager
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> Iterator[StoredView]:
        """Return a graph seen from some of its datasets, in one transaction, so that nothing can change meanwhile."""
        from neodp.core.views import Found

        with self._file.writing() if write else self._file.reading():
            info, row = self.ready(name), self._graphs.rows()[name]
            content = self._seen(row)
            places = self._places(content, name, keys)
            known = dict(zip(keys, places.tolist(), strict=True))

            def neighbors(keys: Sequence[str]) -> Star:
                found, others = star(content, keys, self._known(content, name, keys, known))
                known.update(others)
                return found

            def keep(evaluations: Sequence[Evaluation]) -> None:
                self._write_evaluations(row, places, evaluations)

            yield StoredView(
                info,
                keys,
                Found([info.colors[c] for c in content.color(places).tolist()], content.alpha(places)),
                self._stored_rows(row, places, len(info.colors)),
                np.array([float(x) for x in row["least"].split()]).reshape(-1, 2),
                neighbors=neighbors,
                write=keep,
                places=places.tolist(),
                validated=True,
            )

    def _known(self, content: Content | Held, name: str, keys: Sequence[str], known: Mapping[str, int]) -> Array:
        """Return the positions of some datasets, most of which were seen before."""
        new = [key for key in keys if key not in known]
        found = dict(known) | dict(zip(new, self._places(content, name, new).tolist(), strict=True)) if new else known
        return np.array([found[key] for key in keys], np.int64)

    def _stored_rows(self, row: Mapping[str, Any], places: Array, k: int) -> Floats:
        """Return the stored probabilities of some datasets; NaN where there are none."""
        if row["mechanism"] is None and row["evaluated"] is None:
            return np.full((len(places), k), np.nan)
        return self._columns.take(_rows(row, k), places)

    def _write_evaluations(self, row: Mapping[str, Any], places: Array, evaluations: Sequence[Evaluation]) -> None:
        """Store probabilities on their datasets, unless a complete mechanism has the same ones already."""
        if row["mechanism"] is not None:
            return
        rows = np.array([list(each.probabilities.values()) for each in evaluations])
        if row["evaluated"] is None:
            row = {**row, "evaluated": new_version()}
            self._columns.write_nan(_rows(row, rows.shape[1]))
            self._graphs.put(row)
        self._columns.put(_rows(row, rows.shape[1]), places, rows)

    # --- as tables ----------------------------------------------------------------------------------------

    def column(self, name: str, property: str) -> pa.Table:
        """Return a property of a graph's datasets; only those that neodp writes exist."""
        import pyarrow as pa

        with self._file.reading():
            row = self._row(name)
            table = _with_lists(self._nodes(row), len(json.loads(row["colors"])))
        if property not in table.column_names or property == "key":
            return pa.table({"key": pa.array([], pa.string()), "value": pa.array([], pa.float64())})
        found = table.select(["key", property]).rename_columns(["key", "value"])
        return found.filter(found["value"].is_valid())

    def _nodes(self, row: Mapping[str, Any]) -> pa.Table:
        """Return the datasets of a graph with their properties, as Cypher sees them."""
        import pyarrow as pa

        from neodp.core.boundary import distance
        from neodp.data.family import family

        graph, n, k = self._whole(row), row["datasets"], len(self._content(row).colors)
        none = row["mechanism"] is None and row["evaluated"] is None
        rows = np.full((n, k), np.nan) if none else self._columns.read(_rows(row, k))
        columns: dict[str, Any] = {
            "key": graph.keys,
            "color": pa.array(graph.colors, pa.string()).take(pa.array(graph.color)),
            "preference": graph.preference_lists(),
            "p_true": _nullable(rows[np.arange(n), graph.color]),
            "distance": pa.nulls(n, pa.int64()),
        }
        if row["mechanism"] is not None:
            columns["distance"] = pa.array(distance(graph).astype(np.int64))
        if family(graph).binary:
            columns |= {"alpha": _nullable(graph.alpha[:, 0]), "p": _nullable(rows[:, 0]), "q": _nullable(rows[:, 1])}
        else:
            columns |= {f"alpha_{c}": _nullable(graph.alpha[:, c]) for c in range(k)}
            columns |= {f"probability_{c}": _nullable(rows[:, c]) for c in range(k)}
        return pa.table(columns)


def _placed(rows: Floats, places: Array | slice, count: int) -> Floats:
    """Return `count` rows with the given ones at their positions, and NaN elsewhere."""
    if isinstance(places, slice):
        return rows
    found = np.full((count, rows.shape[1]), np.nan)
    found[places] = rows
    return found


def _nullable(values: Floats) -> pa.Array:
    import pyarrow as pa

    return pa.array(np.ascontiguousarray(values), from_pandas=True)


def _rows(row: Mapping[str, Any], k: int) -> Column:
    """Return the column of a complete mechanism or, if there is none, that of single datasets."""
    if row["mechanism"] is None:
        return Column(row["evaluated"], "evaluated", "<f8", row["datasets"], k, fixed=False)
    return Column(row["mechanism"], "probabilities", "<f8", row["datasets"], k)


def _mu(row: Mapping[str, Any]) -> Column:
    return Column(row["mechanism"], "mu", "<f8", row["edges"])


def _with_lists(table: pa.Table, k: int) -> pa.Table:
    """Return a table of datasets in which, for more than two colours, one column of lists replaces one per colour."""
    import pyarrow as pa

    for name, of in (("alpha", "alpha"), ("probabilities", "probability")):
        each = [f"{of}_{c}" for c in range(k)]
        if each[0] in table.column_names:
            rows = np.column_stack([table[column].to_numpy() for column in each])
            lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), k, mask=pa.array(np.isnan(rows[:, 0])))
            table = table.drop_columns(each).append_column(name, lists.cast(pa.list_(pa.float64())))
    return table

"""Dataset graphs in the embedded file: load, drop, list and read. Every change is one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.data.progress import Progress, silent
from neodp.store import refusals
from neodp.store.embedded.columns import Array, Columns
from neodp.store.embedded.content import Content, Held, levels_of
from neodp.store.embedded.file import File
from neodp.store.embedded.loading import EmbeddedLoading, new_version, now
from neodp.store.embedded.records import RecordTable
from neodp.store.port import Port
from neodp.store.records import READY, GraphInfo, StoredGraph

if TYPE_CHECKING:
    from neodp.core.views import Star
    from neodp.data.graph import DatasetGraph
    from neodp.data.validation import Floats

__all__ = ["GRAPH", "EmbeddedGraphs", "least_text", "star"]

GRAPH = (
    *("name", "colors", "datasets", "edges", "levels", "ordered", "least", "population", "created"),
    *("content", "revision", "certified", "mechanism", "written", "min_p_true", "mean_p_true"),
    *("method", "privacy", "mu", "expected", "bound", "prior", "stale", "evaluated"),
)
"""The columns of the table ``graph``."""
VERSIONS = ("content", "revision", "mechanism", "evaluated")
"""Those that name the versions of a graph's data columns."""
SMALL = 50_000
"""A graph of at most this many datasets and edges stays in memory after it was read, and so does its extension."""


class EmbeddedGraphs(Port):
    """The operations of the embedded store on graphs."""

    _file: File
    _columns: Columns
    _graphs: RecordTable
    _last: Held | None = None
    _listed: tuple[Mapping[str, Any], list[GraphInfo]] | None = None

    def close(self) -> None:
        """Close the store."""
        self._file.close()

    def init(self) -> list[str]:
        """Create the missing constraints and indexes, or tables, and return their names."""
        made, self._file.made = self._file.made, False
        return [self._file.path.name] if made else []  # a file is made whole

    def may_write(self) -> bool:
        """Return whether the user may write to the file."""
        return not self._file.read_only

    def graphs(self) -> list[GraphInfo]:
        """Return all graphs, sorted by name."""
        rows, listed = self._graphs.rows(), self._listed
        if listed is None or listed[0] is not rows:  # the same rows say the same: they are never changed
            listed = self._listed = rows, [_info(row) for row in rows.values()]
        return list(listed[1])

    def _row(self, name: str) -> dict[str, Any]:
        """Return the row of a graph."""
        self.ready(name)
        return self._graphs.rows()[name]

    def _content(self, row: Mapping[str, Any]) -> Content:
        return Content(self._columns, row, tuple(json.loads(row["colors"])))

    # --- load and drop ------------------------------------------------------------------------------------

    def load(
        self, name: str, graph: DatasetGraph, *, replace: bool, population: str | None, progress: Progress
    ) -> None:
        """Store a graph under a name; readers see all of it or nothing."""
        level, levels = levels_of(graph)
        row: dict[str, Any] = dict.fromkeys(GRAPH) | {
            "name": name,
            "colors": json.dumps(graph.colors, ensure_ascii=False),
            "datasets": len(graph),
            "edges": graph.edges,
            "levels": len(levels),
            "ordered": int(graph.preference is not None),
            "least": least_text(graph.alpha),
            "population": population,
            "created": now(),
            "content": new_version(),
            "revision": new_version(),
            "stale": 0,
        }
        with self._loading.replaced(row, replace=replace, progress=progress):
            self._content(row).write(graph, level, levels)

    def drop(self, info: GraphInfo, progress: Progress) -> int:
        """Delete a graph with everything that belongs to it, and return how many datasets it had."""
        return self._loading.drop(info.name, progress)

    @property
    def _loading(self) -> EmbeddedLoading:
        return EmbeddedLoading(self._file, self._graphs, self._columns, "graph", VERSIONS, ("datasets", "edges"))

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
        with self._file.reading():
            info, row = self.ready(name), self._graphs.rows()[name]
            refusals.check_subgraph(keys, color, radius, info)
            if keys is None:
                found = self._whole(row)
                if color is not None:
                    found = _induced(found, np.flatnonzero(found.color == info.colors.index(color)))
            else:
                found = self._ball(row, keys, radius or 0, color)
            if not len(found):
                raise refusals.no_datasets(name)
            progress("datasets", len(found), len(found))
            progress("edges", found.edges, found.edges)
        return found

    def _whole(self, row: Mapping[str, Any]) -> StoredGraph:
        """Return a whole graph, which stays in memory if it is small."""
        if self._last is not None and self._last.graph.revision == row["revision"]:
            return self._last.graph
        found = self._content(row).read()
        self._last = Held(found) if _is_small(row) else None
        return found

    def _seen(self, row: Mapping[str, Any]) -> Content | Held:
        """Return access to some datasets of a graph: in memory if the graph is small, else in the file."""
        if not _is_small(row):
            return self._content(row)
        self._whole(row)
        assert self._last is not None
        return self._last

    def layers(self, info: GraphInfo) -> int:
        """Return how many layers take as long as a pass: about one for every 10,000 datasets and edges.

        A small graph is not searched, since the result of a pass stays in memory.
        """
        size = info.datasets + info.edges
        return 0 if size <= SMALL else min(200, size // 10_000)

    def _ball(self, row: Mapping[str, Any], keys: Sequence[str], radius: int, color: str | None) -> StoredGraph:
        """Return the subgraph of the datasets within `radius` edges of the given ones, in the graph's order."""
        import pyarrow as pa

        content = self._seen(row)
        places = layer = np.unique(self._places(content, row["name"], keys))
        for _ in range(radius):
            layer = np.setdiff1d(content.edges_at(layer).neighbor, places)
            places = np.union1d(places, layer)
        colors = content.color(places)
        if color is not None:
            places, colors = (x[colors == content.colors.index(color)] for x in (places, colors))
        found = content.edges_at(places)
        inside = np.isin(found.neighbor, places) & (found.neighbor > places[found.at])  # each edge once
        ends = [found.at[inside], np.searchsorted(places, found.neighbor[inside])]
        preference = content.preference(places)
        return StoredGraph(
            keys=pa.array(content.names(places), pa.string()),
            colors=content.colors,
            color=colors,
            source=ends[0].astype(np.int32),
            target=ends[1].astype(np.int32),
            epsilon=found.epsilon[inside],
            delta=found.delta[inside],
            alpha=content.alpha(places),
            name=row["name"],
            preference=_ordered(preference),
        )

    def _places(self, content: Content | Held, name: str, keys: Sequence[str]) -> Array:
        """Return the positions of some datasets; refuse keys that the graph does not have."""
        places = content.find(keys)
        if (places < 0).any():
            raise refusals.unknown_key(name, min(key for key, place in zip(keys, places, strict=True) if place < 0))
        return places

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""
        with self._file.reading():
            content = self._seen(self._row(name))
            return star(content, keys, self._places(content, name, keys))[0]


def star(content: Content | Held, keys: Sequence[str], places: Array) -> tuple[Star, dict[str, int]]:
    """Return the edges at some datasets, and the positions of all neighbours."""
    import pyarrow as pa

    from neodp.core.views import Star

    found = content.edges_at(places)
    others, row = np.unique(found.neighbor, return_inverse=True)
    names = content.names(others)
    color = [content.colors[c] for c in content.color(others).tolist()]
    preference = content.preference(others)
    one = Star(
        key=pa.array([keys[i] for i in found.at.tolist()], pa.string()),
        neighbor=pa.array([names[i] for i in row.tolist()], pa.string()),
        color=pa.array([color[i] for i in row.tolist()], pa.string()),
        alpha=content.alpha(others)[row],
        epsilon=found.epsilon,
        delta=found.delta,
        preference=None if preference is None else _ordered(preference[row]),
    )
    return one, dict(zip(names, others.tolist(), strict=True))


def _is_small(row: Mapping[str, Any]) -> bool:
    return bool(row["datasets"] + row["edges"] <= SMALL)


def _induced(graph: StoredGraph, places: Array) -> StoredGraph:
    """Return the subgraph of some datasets."""
    import pyarrow as pa

    index = np.full(len(graph), -1, np.int32)
    index[places] = np.arange(len(places))
    source, target = index[graph.source], index[graph.target]
    edges = np.flatnonzero((source >= 0) & (target >= 0))
    return StoredGraph(
        keys=graph.keys.take(pa.array(places)),
        colors=graph.colors,
        color=graph.color[places],
        source=source[edges],
        target=target[edges],
        epsilon=graph.epsilon[edges],
        delta=graph.delta[edges],
        alpha=graph.alpha[places],
        name=graph.name,
        preference=None if graph.preference is None else _ordered(graph.preference[places]),
    )


def _ordered(preference: Array | None) -> Array | None:
    """Return how datasets order the colours; None if no dataset orders them."""
    return None if preference is None or (preference < 0).all() else preference


def _info(row: Mapping[str, Any]) -> GraphInfo:
    """Return what is known about a graph, from its row."""
    texts = ("min_p_true", "mean_p_true", "mu", "expected", "bound")
    numbers = {name: None if row[name] is None else float(row[name]) for name in texts}
    own = {"version": row["mechanism"], "fingerprint": None, "state": READY, "stale": bool(row["stale"])}
    return GraphInfo.from_row({**row, **numbers, **own, "colors": json.loads(row["colors"])})


def least_text(alpha: Floats) -> str:
    """Return the least chances in alpha (:func:`~neodp.core.views.least_of`) as text; empty for many colours."""
    if alpha.shape[1] != 2:
        return ""
    from neodp.core.views import least_of

    least = least_of(alpha[~np.isnan(alpha[:, 0])])
    return " ".join(repr(float(x)) for x in least.ravel())

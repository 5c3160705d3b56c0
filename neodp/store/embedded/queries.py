"""Cypher queries on the embedded store: the tables of a derived copy (:mod:`neodp.store.embedded.derived`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from neodp.data.progress import silent
from neodp.store.embedded.mechanisms import EmbeddedMechanisms
from neodp.store.records import READY

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.store.cypher import Subject
    from neodp.store.embedded.profiles import EmbeddedProfiles

__all__ = ["Queries"]

Row: TypeAlias = Mapping[str, Any]
Loaded: TypeAlias = "tuple[str, pa.Table]"


class Queries(EmbeddedMechanisms):
    """The operations of the embedded store on Cypher."""

    @property
    def profiles(self) -> EmbeddedProfiles:
        """The primitives on profiles, which are stored beside the graphs."""
        from neodp.store.embedded.profiles import EmbeddedProfiles

        return EmbeddedProfiles(self._file, self._columns)

    def query(self, text: str, values: Row, subject: Subject, name: str) -> pa.Table:
        """Return the result of a reading query about one graph or one set of profiles."""
        with self._file.reading():
            if subject == "profile":
                own = {"profiles": self.profiles.ready(name).name}
                return self._run(text, {**values, **own}, [], [self.profiles.rows()[name]])
            return self._run(text, {**values, "graph": self.ready(name).name}, [self._graphs.rows()[name]], [])

    def select(self, text: str) -> pa.Table:
        """Return the result of a user's own Cypher, which was checked to only read."""
        with self._file.reading():
            return self._run(text, {}, list(self._graphs.rows().values()), list(self.profiles.rows().values()))

    def _run(self, text: str, values: Row, graphs: Sequence[Row], profiles: Sequence[Row]) -> pa.Table:
        """Run a query on a copy of some graphs and profiles."""
        from neodp.store.embedded.derived import Copied, derived, execute

        colors = max((len(json.loads(row["colors"])) for row in graphs), default=2)
        size = sum(row["datasets"] + row["edges"] for row in graphs)
        size += sum(row["users"] + row["items"] + row["likes"] + row["similar"] for row in profiles)
        names = json.dumps([[row["name"] for row in rows] for rows in (graphs, profiles)])
        state = json.dumps([list(row.values()) for row in (*graphs, *profiles)]) + self._evaluated(graphs)
        what = Copied((f"{self._file.path}\t{names}", state), size, colors, lambda: self._tables(graphs, profiles))
        with derived(what) as connection:
            return execute(connection, text, values, colors)

    def _evaluated(self, graphs: Sequence[Row]) -> str:
        """Return the digests of the probabilities of single datasets, which change without their graph's row."""
        found = [self._file.execute("SELECT digest FROM chunk WHERE version = ?", [row["evaluated"]]) for row in graphs]
        return "".join(digest.hex() for rows in found for (digest,) in rows)

    def _tables(self, graphs: Sequence[Row], profiles: Sequence[Row]) -> Iterator[Loaded]:
        first = 0
        for row in graphs:
            yield from self._graph_tables(row, first)
            first += row["datasets"]
        users = items = 0
        for row in profiles:
            yield from self._profile_tables(row, users, items)
            users, items = users + row["users"], items + row["items"]

    def _graph_tables(self, row: Row, first: int) -> Iterator[Loaded]:
        """Yield the rows of a graph, whose datasets are numbered from `first` on."""
        import pyarrow as pa

        info = self.info(row["name"])
        mechanism = dict.fromkeys(("written", "min_p_true", "mean_p_true"))
        if info.mechanism is not None:
            mechanism = {name: getattr(info.mechanism, name) for name in mechanism}
        own = {
            name: row[name] for name in ("name", "created", "datasets", "edges", "mechanism", "population", "revision")
        }
        own |= {f"mechanism_{name}": row[name] for name in ("method", "privacy", "prior")} | mechanism
        own |= {"certified": row["certified"], "stale": bool(row["stale"]), "state": READY, "colors": list(info.colors)}
        numbers = ("mu", "expected", "bound")
        own |= {f"mechanism_{name}": None if row[name] is None else float(row[name]) for name in numbers}
        yield "DatasetGraph", pa.Table.from_pylist([own]).cast(_typed(own))
        nodes = self._nodes(row)
        columns = {"id": pa.array(np.arange(first, first + len(nodes))), "graph": pa.repeat(row["name"], len(nodes))}
        yield "Dataset", pa.table(columns | dict(zip(nodes.column_names, nodes.columns, strict=True)))
        graph = self._whole(row)
        each_mu = row["privacy"] == "gaussian" and row["mu"] is None
        mu = pa.array(self.mus(graph)) if each_mu else pa.nulls(graph.edges, pa.float64())
        ends = {"from": graph.source.astype(np.int64) + first, "to": graph.target.astype(np.int64) + first}
        yield "NEIGHBOR", pa.table(ends | {"epsilon": graph.epsilon, "delta": graph.delta, "mu": mu})

    def _profile_tables(self, row: Row, first_user: int, first_item: int) -> Iterator[Loaded]:
        """Yield the rows of profiles, whose users and items are numbered from `first_user` and `first_item` on."""
        import pyarrow as pa

        from neodp.store.embedded.profiles import MEASURES

        name, p = row["name"], self.profiles.read(row["name"], silent)
        own = {column: row[column] for column in ("name", "created", "users", "items", "likes", "population")}
        yield "NeodpProfiles", pa.Table.from_pylist([own])
        group = pa.nulls(len(p.users), pa.string()) if p.group is None else p.group
        numbers = np.arange(first_user, first_user + len(p.users))
        yield (
            "User",
            pa.table({"node": numbers, "profile": pa.repeat(name, len(p.users)), "id": p.users, "group": group}),
        )
        numbers = np.arange(first_item, first_item + len(p.items))
        yield "Item", pa.table({"node": numbers, "profile": pa.repeat(name, len(p.items)), "id": p.items})
        ends = {"from": p.user.astype(np.int64) + first_user, "to": p.item.astype(np.int64) + first_item}
        yield "LIKES", pa.table(ends | {"weight": p.weight, "value": p.value})
        similar = self.profiles.similar(row)
        ends = {
            "from": similar["user"].astype(np.int64) + first_user,
            "to": similar["other"].astype(np.int64) + first_user,
        }
        columns = {
            "score": pa.array(similar["score"], from_pandas=True),
            "rank": similar["rank"].astype(np.int64),
            "measure": pa.array([MEASURES[i].value for i in similar["measure"].tolist()], pa.string()),
            "epsilon": similar["epsilon"],
        }
        yield "SIMILAR", pa.table(ends | columns)


def _typed(row: Row) -> pa.Schema:
    """Return the types of a row of the table ``DatasetGraph``, some of whose values are null."""
    import pyarrow as pa

    kinds = {"datasets": pa.int64(), "edges": pa.int64(), "stale": pa.bool_(), "colors": pa.list_(pa.string())}
    kinds |= dict.fromkeys(("min_p_true", "mean_p_true", "mechanism_mu"), pa.float64())
    return pa.schema({name: kinds.get(name, pa.string()) for name in row})

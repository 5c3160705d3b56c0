"""Dataset graphs in Neo4j, over Bolt.

Managed transactions of the official driver with their retries, reads routed as reads, the database always named,
every transaction tagged with what it does. Graphs are read and written as columns, some thousands of rows at a time,
so that memory stays bounded on both sides.

A writer owns a graph by its token on the ``(:DatasetGraph)`` node. Every batch locks that node and checks the token in
its own transaction, so that a writer that was overtaken cannot commit anything more, and nothing counts until the last
transaction declares it whole.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeVar

import neo4j
import numpy as np
from neo4j import exceptions
from numpy.typing import NDArray

from neodp.ball import Evaluation, Found, Star, least_of
from neodp.errors import (
    GraphError,
    GraphExists,
    Overtaken,
    ReadOnlyStore,
    StoreError,
    StoreUnreachable,
    UnknownKey,
)
from neodp.graph import DatasetGraph, Floats, distributions, plain, preferences
from neodp.mechanism import Mechanism
from neodp.release import Ledger, Release
from neodp.store import base
from neodp.store.base import READY, GraphInfo, MechanismInfo, Progress, Store, StoredGraph, StoredView, silent
from neodp.store.cypher import bound, statement
from neodp.store.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.store.profiles import ProfileStore

__all__ = ["Neo4jStore"]

BATCH = 20_000
"""How many rows go over the wire in one transaction."""
SCHEMA = {
    "neodp_graph_name": "constraint_graph_name",
    "neodp_dataset_key": "constraint_dataset_key",
    "neodp_dataset_graph": "index_dataset_graph",
    "neodp_dataset_alpha": "index_dataset_alpha",
    "neodp_release_name": "constraint_release_name",
    "neodp_ledger_graph": "constraint_ledger_graph",
    "neodp_profiles_name": "constraint_profiles_name",
    "neodp_user_id": "constraint_user_id",
    "neodp_item_id": "constraint_item_id",
}
READ_ONLY = {
    "Neo.ClientError.Security.Forbidden",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Database.DatabaseIsReadOnly",
    "Neo.ClientError.Statement.AccessMode",
}

T = TypeVar("T")

logging.getLogger("neo4j").addHandler(
    logging.NullHandler()
)  # the driver's log goes where the user sends it, or nowhere


class Neo4jStore(Store):
    """A store on a Neo4j server, version 5.26 or newer."""

    def __init__(self, settings: Settings) -> None:
        self.address = f"{settings.uri} (database {settings.database})"
        self._database = settings.database
        self._has_password = settings.password is not None
        auth = (settings.user, settings.password) if settings.password is not None else None
        with self._translated():
            self._driver = neo4j.GraphDatabase.driver(
                settings.uri,
                auth=auth,
                user_agent="neodp",
                connection_timeout=10.0,
                connection_acquisition_timeout=20.0,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            )
            try:
                self._driver.verify_connectivity()  # at once, without the retries of a transaction
                self._read("schema")
            except BaseException:
                self._driver.close()
                raise

    def close(self) -> None:
        self._driver.close()

    # --- schema and lists ---------------------------------------------------------------------------------

    def init(self) -> list[str]:
        missing = [name for name in SCHEMA if name not in self._read("schema")["names"]]
        for name in missing:
            try:
                self._write(SCHEMA[name])
            except ReadOnlyStore:
                raise
            except StoreError:  # "if not exists" can still fail where another client creates the same
                if name not in self._read("schema")["names"]:
                    raise
        return missing

    def graphs(self) -> list[GraphInfo]:
        return [_info(row) for row in self._read_rows("graphs")]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(self, name: str, graph: DatasetGraph, *, replace: bool = False, progress: Progress = silent) -> GraphInfo:
        self.init()
        writer = uuid.uuid4().hex

        def claim(tx: neo4j.ManagedTransaction) -> None:
            state = _one(tx.run(statement("find_graph"), graph=name))["state"]
            if state == READY and not replace:
                raise GraphExists(f"there is a graph {name!r} in {self.address} already", "drop it, or use --replace")
            tx.run(statement("claim_graph"), graph=name, state="loading", writer=writer).consume()

        self._managed("claim_graph", claim)
        self._delete_datasets(name, writer)
        ids = self._create_datasets(name, writer, graph, progress)
        self._create_neighbors(name, writer, graph, ids, progress)
        colors = list(graph.colors)
        self._owned("finish_load", name, writer, colors=colors, datasets=len(graph), edges=graph.edges)
        return self.info(name)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        info = self.info(name)
        writer = uuid.uuid4().hex
        self._write("claim_graph", graph=name, state="dropping", writer=writer)
        deleted = self._delete_datasets(name, writer, info.datasets, progress)
        self._owned("delete_graph", name, writer)
        return deleted

    def _delete_datasets(self, name: str, writer: str, total: int = 0, progress: Progress = silent) -> int:
        deleted = 0
        while count := self._write("delete_datasets", graph=name, writer=writer, batch=BATCH)["deleted"]:
            deleted += count
            progress("dropping", deleted, max(total, deleted))
        return deleted

    def _create_datasets(self, name: str, writer: str, graph: DatasetGraph, progress: Progress) -> Any:
        ids: list[str] = []
        alpha, preference = _alphas(graph, np.arange(len(graph))), graph.preference_lists()
        for rows in _batches(len(graph)):
            keys = graph.keys[rows].to_pylist()
            colors = [graph.colors[c] for c in graph.color[rows].tolist()]
            orders = preference[rows].to_pylist()
            columns = {"keys": keys, "colors": colors, "alphas": alpha[rows], "preferences": orders}
            found = self._write("create_datasets", graph=name, writer=writer, **columns)
            if found["keys"] != keys:
                raise self._overtaken(name)
            ids += found["ids"]
            progress("datasets", len(ids), len(graph))
        return np.array(ids, dtype=object)

    def _create_neighbors(self, name: str, writer: str, graph: DatasetGraph, ids: Any, progress: Progress) -> None:
        for rows in _batches(graph.edges):
            columns = {
                "sources": ids[graph.source[rows]].tolist(),
                "targets": ids[graph.target[rows]].tolist(),
                "epsilons": graph.epsilon[rows].tolist(),
                "deltas": graph.delta[rows].tolist(),
            }
            found = self._write("create_neighbors", graph=name, writer=writer, **columns)
            if found["created"] != len(columns["sources"]):
                raise self._overtaken(name)
            progress("edges", min(rows.stop, graph.edges), graph.edges)

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
        base.check_subgraph(keys, color, radius, info)
        if keys is None:
            parts = self._chunks("read_datasets", info, progress)
        else:
            parts = iter([self._read("find_datasets", graph=name, keys=self._ball(name, keys, radius or 0))])
        columns = list(map(_columns, parts))
        if self.ready(name).revision != info.revision:
            raise Overtaken(f"graph {name!r} in {self.address} was changed while it was read", "try again")
        return _graph(info, columns, color)

    def _chunks(self, statement: str, info: GraphInfo, progress: Progress) -> Iterator[dict[str, Any]]:
        """All of a graph's datasets, by key, some at a time."""
        seen, after = 0, {"from": "", "done": 0}
        while found := self._read(statement, graph=info.name, batch=BATCH, **after):
            yield found
            seen += len(found["keys"])
            progress("reading", seen, max(seen, info.datasets))
            if len(found["keys"]) < BATCH:
                break
            after = dict.fromkeys(("from", "done"), found["keys"][-1])
        count = self._read("count_datasets", graph=info.name)["datasets"]
        if count != seen:
            raise GraphError(
                f"graph {info.name!r} has {count} datasets, but only {seen} of them have a text as key", "correct them"
            )

    def _ball(self, name: str, keys: Sequence[str], radius: int) -> list[str]:
        """The keys of the datasets up to `radius` edges away from some, one query per layer."""
        wanted = list(dict.fromkeys(keys))
        found = self._read("find_datasets", graph=name, keys=wanted)
        _require(name, wanted, found["keys"])
        seen, layer = set(wanted), wanted
        for _ in range(radius):
            layer = sorted(set(self.neighbors(name, layer).neighbor.to_pylist()) - seen)
            seen.update(layer)
        return sorted(seen)

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        return self._star(self.ready(name), keys)

    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        import pyarrow as pa

        found = self._read("neighbors", graph=info.name, keys=list(keys))
        _require(info.name, keys, found["known"])
        neighbor = pa.array(found["neighbors"], pa.string())
        return Star(
            pa.array(found["keys"], pa.string()),
            neighbor,
            pa.array(found["colors"], pa.string()),
            distributions(found["alphas"], neighbor, len(info.colors)),
            _numbers(found["epsilons"]),
            _numbers(found["deltas"]),
            preferences(found["preferences"], neighbor, info.colors),
        )

    @contextmanager
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> Iterator[StoredView]:
        import pyarrow as pa

        row = self._read("view", graph=name, keys=list(keys))
        if row.get("state") != READY:
            self.ready(name)  # which says why not
        info = _info(row)
        _require(name, keys, row["keys"])
        order = [row["keys"].index(key) for key in keys]
        alpha = distributions([row["alphas"][i] for i in order], pa.array(keys, pa.string()), len(info.colors))
        stored = _stored(row, len(info.colors))[order]
        view = StoredView(self, info, keys, Found([row["found"][i] for i in order], alpha), stored, _least(row))
        yield view
        view.queries += 1
        if self.ready(name).revision != info.revision:
            raise Overtaken(f"graph {name!r} in {self.address} was changed while it was read", "try again")

    def levels(self, name: str) -> tuple[float, float, float]:
        self.ready(name)
        row = self._read("levels", graph=name)
        return row["least"], row["greatest"], row["delta"]

    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        assert graph.ids is not None
        rows = np.full((len(graph), len(graph.colors)), np.nan)
        for part in _batches(len(graph)):
            found = self._read("read_probabilities", ids=graph.ids[part].to_pylist())
            if found["keys"] != graph.keys[part].to_pylist():
                raise Overtaken(f"graph {graph.name!r} was changed while it was read", "try again")
            rows[part] = _stored(found, len(graph.colors))
        return rows

    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        text, values = bound(query, parameters)
        return self._table(query, text, values | self._subject(query, name))

    def select(self, text: str) -> pa.Table:
        try:
            return self._table("select", text, {})
        except ReadOnlyStore:
            raise base.writes() from None

    def column(self, name: str, property: str) -> pa.Table:
        self.ready(name)
        return self._table("read_property", statement("read_property"), {"graph": name, "property": property})

    def _table(self, what: str, text: str, parameters: dict[str, Any]) -> pa.Table:
        """The result of a reading statement, as a table."""
        import pyarrow as pa

        def work(tx: neo4j.ManagedTransaction) -> tuple[list[str], list[list[Any]]]:
            result = tx.run(text, parameters)
            return list(result.keys()), [list(record.values()) for record in result]

        columns, rows = self._managed(what, work, read=True)
        return pa.table({c: _column([row[i] for row in rows]) for i, c in enumerate(columns)})

    @property
    def profiles(self) -> ProfileStore:
        from neodp.store.profiles_neo4j import Neo4jProfiles

        return Neo4jProfiles(self)

    # --- writing back -------------------------------------------------------------------------------------

    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        self.ready(name)
        given = np.flatnonzero(graph.given)
        ids = self._ids(name, graph)
        alpha = _alphas(graph, given)

        def work(tx: neo4j.ManagedTransaction) -> None:
            """All in one transaction: half of an alpha could be taken for a whole one."""
            if _one(tx.run(statement("clear_alpha"), graph=name))["claimed"] != 1:
                raise self._overtaken(name)
            for rows in _batches(len(given)):
                columns = {"ids": ids[given[rows]].tolist(), "alphas": alpha[rows]}
                found = _one(tx.run(statement("write_alpha"), graph=name, **columns))
                if found["written"] != len(columns["ids"]):
                    raise self._overtaken(name)
                progress("alpha", rows.stop, len(given))

        self._managed("write_alpha", work)
        return len(given)

    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        self.ready(name)
        graph, writer = mechanism.graph, uuid.uuid4().hex
        ids = self._ids(name, graph)
        if self._read("count_datasets", graph=name)["datasets"] != len(graph):
            stored = {key for part in self._chunks("read_ids", self.ready(name), silent) for key in part["keys"]}
            raise base.not_covered(name, min(stored.difference(graph.keys.to_pylist())))
        p_true, distance = mechanism.p_true, base.distance(graph)
        does = "write_probabilities" if len(graph.colors) == 2 else "write_distributions"
        if self._write("claim_mechanism", graph=name, writer=writer)["claimed"] != 1:
            raise self._overtaken(name)
        for rows in _batches(len(graph)):
            columns = {
                "ids": ids[rows].tolist(),
                "p_trues": p_true[rows].tolist(),
                "distances": distance[rows].tolist(),
            }
            if len(graph.colors) == 2:
                columns |= {"ps": mechanism.p[rows].tolist(), "qs": mechanism.q[rows].tolist()}
            else:
                columns["distributions"] = mechanism.probabilities[rows].tolist()
            found = self._write(does, graph=name, writer=writer, **columns)
            if found["written"] != len(columns["ids"]):
                raise self._overtaken(name)
            progress("probabilities", rows.stop, len(graph))
        self._owned(
            "finish_mechanism",
            name,
            writer,
            fingerprint=base.fingerprint(graph),
            min_p_true=float(p_true.min()),
            mean_p_true=float(p_true.mean()),
            datasets=len(graph),
            edges=graph.edges,
        )
        return len(graph)

    def _write_evaluations(self, info: GraphInfo, evaluations: Sequence[Evaluation]) -> None:
        rows: Any = [list(e.probabilities.values()) for e in evaluations]
        two = len(info.colors) == 2
        columns = {
            "keys": [e.key for e in evaluations],
            "ps": [row[0] if two else None for row in rows],
            "qs": [row[1] if two else None for row in rows],
            "distributions": [None if two else row for row in rows],
            "p_trues": [e.p_true for e in evaluations],
        }
        found = self._write("write_evaluations", graph=info.name, revision=info.revision, **columns)
        if found["written"] != len(evaluations):
            raise self._overtaken(info.name)

    # --- what was answered --------------------------------------------------------------------------------

    def ledger(self, graph: str) -> Ledger:
        return _ledger(graph, self._read("ledger", graph=graph))

    def allow(self, graph: str, releases: int) -> Ledger:
        self.init()
        self._write("allow", graph=graph, releases=releases)
        return self.ledger(graph)

    def keep(self, release: Release) -> Release:
        self.init()

        def work(tx: neo4j.ManagedTransaction) -> Release:
            """The answer was drawn before: however often this is tried, it is kept once."""
            tx.run(statement("lock_ledger"), graph=release.graph).consume()
            ledger = _ledger(release.graph, _one(tx.run(statement("ledger"), graph=release.graph)))
            kept = ledger.find(release.name)
            if kept is None:
                ledger.spend(release.name)
                parameters = {name: value for name, value in asdict(release).items() if name != "time"}
                kept = replace(release, time=_one(tx.run(statement("create_release"), parameters))["time"])
            return kept

        return self._managed("keep", work)

    def _ids(self, name: str, graph: DatasetGraph) -> Any:
        """The server's ids of a graph's datasets, as an object array."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(graph, StoredGraph) and graph.ids is not None:
            return graph.ids.to_numpy(zero_copy_only=False)
        parts = list(self._chunks("read_ids", self.ready(name), silent))
        keys, ids = (pa.array([x for part in parts for x in part[c]], pa.string()) for c in ("keys", "ids"))
        where = pc.index_in(graph.keys, keys)
        if where.null_count:
            missing = graph.key(int(np.argmin(np.asarray(where.is_valid()))))
            raise UnknownKey(f"there is no dataset {missing!r} in graph {name!r}", "write to the graph it came from")
        return ids.take(where).to_numpy(zero_copy_only=False)

    # --- transactions -------------------------------------------------------------------------------------

    def _read(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The one row of a reading statement."""
        return self._managed(name, lambda tx: _one(tx.run(statement(name), parameters)), read=True)

    def _read_rows(self, name: str) -> list[dict[str, Any]]:
        return self._managed(name, lambda tx: [dict(r) for r in tx.run(statement(name))], read=True)

    def _write(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The one row, if any, of a writing statement."""
        return self._managed(name, lambda tx: _one(tx.run(statement(name), parameters)))

    def _owned(self, name: str, graph: str, writer: str, **parameters: Any) -> None:
        """Run a statement that must find its writer still owning the graph."""
        if 1 not in self._write(name, graph=graph, writer=writer, **parameters).values():
            raise self._overtaken(graph)

    def _managed(self, what: str, work: Callable[[neo4j.ManagedTransaction], T], *, read: bool = False) -> T:
        """Run a unit of work in a managed transaction, with its retries."""
        tagged = neo4j.unit_of_work(metadata={"app": "neodp", "does": what})(work)
        mode = neo4j.READ_ACCESS if read else neo4j.WRITE_ACCESS
        with self._translated(), self._driver.session(database=self._database, default_access_mode=mode) as session:
            return session.execute_read(tagged) if read else session.execute_write(tagged)

    def _overtaken(self, name: str) -> Overtaken:
        return Overtaken(
            f"somebody else changed graph {name!r} in {self.address} while it was written; what they wrote stands",
            "look at it with 'neodp show', and run the command again if it is still wanted",
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The driver's errors in neodp's words; never with a secret."""
        try:
            yield
        except exceptions.AuthError as e:
            hint = "check NEO4J_USERNAME and NEO4J_PASSWORD" if self._has_password else "set NEO4J_PASSWORD"
            raise StoreUnreachable(f"{self.address} refused the user or password", hint) from e
        except (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError) as e:
            raise StoreUnreachable(f"no Neo4j server answers at {self.address}", "start it, or correct --store") from e
        except exceptions.Neo4jError as e:
            if e.code == "Neo.ClientError.Database.DatabaseNotFound":
                raise StoreUnreachable(f"there is no such database at {self.address}", "correct NEO4J_DATABASE") from e
            if e.code == "Neo.ClientError.Security.AuthenticationRateLimit":
                raise StoreUnreachable(f"{self.address} was given too many wrong passwords", "wait a little") from e
            if e.code in READ_ONLY:
                raise ReadOnlyStore(
                    f"{self.address} may be read but not written", "ask for the right to write, or use another store"
                ) from e
            raise StoreError(f"{self.address} refused: {e.message}", f"code {e.code}") from e
        except exceptions.DriverError as e:
            raise StoreUnreachable(f"{self.address} cannot be used: {e}", "correct --store") from e


# --- rows and columns -------------------------------------------------------------------------------------------


def _one(result: neo4j.Result) -> dict[str, Any]:
    record = result.single()
    return dict(record) if record is not None else {}


def _info(row: dict[str, Any]) -> GraphInfo:
    mechanism = None
    if row["version"] is not None:
        of_mechanism = ("version", "fingerprint", "written", "min_p_true", "mean_p_true")
        mechanism = MechanismInfo(**{name: row[name] for name in of_mechanism})
    of_graph = ("name", "datasets", "edges", "state", "created", "revision")
    return GraphInfo(colors=tuple(row["colors"] or ()), mechanism=mechanism, **{name: row[name] for name in of_graph})


def _stored(found: dict[str, Any], k: int) -> Floats:
    """The probabilities that datasets have as rows; NaN where they have none."""
    if k > 2:
        return _distributions(found["distributions"], k)
    return np.column_stack([_numbers(found["ps"]), _numbers(found["qs"])])


def _least(row: dict[str, Any]) -> Floats:
    """``View.least``, from the extreme alpha among numbers and among lists.

    A list is found by its first entry, so that the second may be off by the rounding of the first.
    """
    lists = [(p, min(1.0, 1.0 - p + 2.0**-53) if p > 0.5 else 1.0 - p) for p, *_ in row["least_list"]]
    low = [(p, 1.0 - p) for p in row["least_number"]] + lists
    high = [(p, 1.0 - p) for p in row["greatest_number"]] + [(p, q) for p, q, *_ in row["greatest_list"]]
    return least_of(np.array(low + high, np.float64).reshape(-1, 2))


def _ledger(graph: str, row: dict[str, Any]) -> Ledger:
    return Ledger(graph, row["max_releases"], tuple(Release(**release) for release in row["releases"]))


def _batches(n: int) -> Iterator[slice]:
    """Slices of at most BATCH rows; one, empty, where there are none."""
    for start in range(0, max(n, 1), BATCH):
        yield slice(start, min(start + BATCH, n))


def _alphas(graph: DatasetGraph, rows: Any) -> list[float | list[float] | None]:
    """Alpha as properties: a number where that says it exactly, else a list; None where it is not given."""
    given = graph.given
    return [plain(graph.alpha[v]) if given[v] else None for v in rows.tolist()]


def _require(name: str, keys: Sequence[str], known: list[str]) -> None:
    missing = set(keys).difference(known)
    if missing:
        raise base.unknown_key(name, min(missing))


def _columns(found: dict[str, Any]) -> dict[str, Any]:
    """A part of a graph as it came over the wire, in arrays."""
    import pyarrow as pa

    for key, value in zip(found["keys"], found["alphas"], strict=True):
        if not _is_alpha(value):
            raise GraphError(f"dataset {key!r}: alpha is {value!r}", "give a number or a list of numbers")
    return {
        "alpha": {k: a for k, a in zip(found["keys"], found["alphas"], strict=True) if a is not None},
        **{name: pa.array(found[name], pa.string()) for name in ("ids", "keys")},
        "colors": pa.array([None if c is None else str(c) for c in found["colors"]], pa.string()),
        "preference": {k: p for k, p in zip(found["keys"], found["preferences"], strict=True) if p is not None},
        **{name: np.asarray(found[name], np.int64) for name in ("numbers", "sources", "targets")},
        **{name: _numbers(found[name]) for name in ("epsilons", "deltas")},
    }


def _graph(info: GraphInfo, parts: list[dict[str, Any]], color: str | None) -> StoredGraph:
    """A graph from its parts; edges that lead out of them are left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys, ids, colors = (pa.concat_arrays([part[name] for part in parts]) for name in ("keys", "ids", "colors"))
    names = ("numbers", "sources", "targets", "epsilons", "deltas")
    number, source, target, epsilon, delta = (np.concatenate([part[name] for part in parts]) for name in names)
    alpha, preference = ({k: x for part in parts for k, x in part[name].items()} for name in ("alpha", "preference"))
    if color is not None:
        mask = pc.fill_null(pc.equal(colors, color), False)
        keys, ids, colors, number = keys.filter(mask), ids.filter(mask), colors.filter(mask), number[np.asarray(mask)]
        alpha, preference = ({k: x[k] for k in keys.to_pylist() if k in x} for x in (alpha, preference))
    source, target = _positions(number, source), _positions(number, target)
    inside = (source >= 0) & (target >= 0)
    graph = DatasetGraph.from_columns(
        keys,
        colors,
        source[inside],
        target[inside],
        epsilon[inside],
        delta[inside],
        alpha,
        preference or None,
        colors=info.colors,
        name=info.name,
    )
    return StoredGraph(**vars(graph), ids=ids)


def _positions(numbers: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each wanted number stands among the numbers; -1 where it does not."""
    order = np.argsort(numbers)
    place = np.searchsorted(numbers, wanted, sorter=order)
    found = order[np.minimum(place, len(order) - 1)] if len(order) else np.zeros(len(wanted), np.int64)
    return np.where(numbers[found] == wanted, found, -1) if len(order) else found - 1


def _is_alpha(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return value is None or all(isinstance(x, int | float) for x in values)


def _distributions(values: list[Any], k: int) -> Floats:
    """Lists of k numbers as rows; NaN for what is none, which is then refused by name."""
    return np.array([_numbers(x) if isinstance(x, list) and len(x) == k else np.full(k, np.nan) for x in values])


def _numbers(values: list[Any]) -> Floats:
    """Numbers as doubles; NaN for what is none, which the graph then refuses by name."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return np.array([x if isinstance(x, int | float) else np.nan for x in values], np.float64)


def _column(values: list[Any]) -> pa.Array:
    """A query result's column; of mixed types, as text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if x is None else str(x) for x in values])

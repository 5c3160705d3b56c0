"""Dataset graphs in one file, kept by the embedded database ladybug; no server.

Graphs are read and written as columns, in Arrow tables. Every change is all or nothing: whoever opens the file after a
kill at any moment finds the whole old state or the whole new one, and all graphs "ready". One process at a time holds
the file, by a lock on ``FILE.lock`` that ends with it; the threads of that process take turns.

How the engine wants to be used (measured with ladybug 0.22):

* An error ends a transaction and leaves its connection without one, so that the next statement would count by itself:
  a transaction ends at its first error, and its connection with it.
* A connection keeps whatever Arrow tables it was given, and one table given twice crashes the process: a connection
  lives for one transaction, a table for one statement.
* A parameter that is missing counts as null: the parameters are compared with the statement before it runs.
* After ``UNWIND``, a pattern with an edge in the same ``MATCH`` scans all edges: its statements use two clauses.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import sys
import threading
import time
import uuid
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ladybug
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from neodp.ball import Evaluation, Found, Star, least_of
from neodp.errors import GraphError, GraphExists, ReadOnlyStore, StoreError, StoreUnreachable, UnknownKey
from neodp.estimate import memory
from neodp.graph import Bools, DatasetGraph, Floats, distributions, preferences
from neodp.mechanism import Mechanism
from neodp.release import Ledger, Release
from neodp.store import base
from neodp.store.base import READY, GraphInfo, MechanismInfo, Progress, Store, StoredGraph, StoredView, silent
from neodp.store.cypher import bound, statement
from neodp.store.settings import Settings

if TYPE_CHECKING:
    from neodp.store.profiles import ProfileStore

__all__ = ["DamagedLogWarning", "EmbeddedStore"]

MAX_SIZE = 2**36
"""How large the file may grow: this takes 64 GiB of addresses, not of memory (the engine's own 8 TiB are refused where
addresses are limited)."""
LOADING = "loading"
BATCH = 250_000
"""How many rows go to the engine at once."""
SCHEMA = {
    "DatasetGraph": "table_dataset_graph",
    "Dataset": "table_dataset",
    "NEIGHBOR": "table_neighbor",
    "Ledger": "table_ledger",
    "Release": "table_release",
    "Profiles": "table_profiles",
    "User": "table_user",
    "Item": "table_item",
    "LIKES": "table_likes",
    "SIMILAR": "table_similar",
}
REASONS = {
    "not a valid Lbug database": ("is not a neodp store", "name another file"),
    "Could not set lock": ("is in use by another program", "wait for it, or use another file"),
    "different version": (
        "was written by another version of ladybug",
        "export the graphs with that one, and load them",
    ),
    "does not match the current database": ("has the log of another store beside it", "move its .wal file away"),
    "Mmap for size": ("needs more addresses than are allowed", "raise the limit (ulimit -v)"),
}
"""What the engine says when a file cannot be opened for a reason other than a damaged log, and what that means."""


class DamagedLogWarning(UserWarning):
    """The end of a store's log could not be read, as after a kill while it was written."""


class EmbeddedStore(Store):
    """A store in one file, made when it is opened for the first time."""

    def __init__(self, settings: Settings) -> None:
        self.address = str(settings.path)
        self._mutex = threading.RLock()
        self._connection: ladybug.Connection | None = None
        self._file = _File(settings.path, self.address, settings.patience)
        self._finalizer = weakref.finalize(self, self._file.close)
        try:
            with self._transaction():
                self._tables = set(self._run("schema")["name"].to_pylist())
            if not self._file.read_only:
                self._delete_unfinished()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with self._mutex:
            self._finalizer()

    # --- schema and lists ---------------------------------------------------------------------------------

    def init(self) -> list[str]:
        with self._mutex:
            missing = [table for table in SCHEMA if table not in self._tables]
            if missing:
                with self._transaction(write=True):
                    for table in missing:
                        self._run(SCHEMA[table])
                self._tables.update(missing)
        return missing

    def graphs(self) -> list[GraphInfo]:
        if "DatasetGraph" not in self._tables:
            return []
        with self._transaction():
            return [self._info(row) for row in self._run("graphs").to_pylist()]

    def _info(self, row: dict[str, Any]) -> GraphInfo:
        mechanism = None
        if row["version"] is not None:
            names = ("version", "fingerprint", "written", "min_p_true", "mean_p_true")
            mechanism = MechanismInfo(**{name: row[name] for name in names})
        for what in ("datasets", "edges"):
            if row[what] is None:
                row[what] = self._count(what, row["name"])
        names = ("name", "datasets", "edges", "state", "created")
        return GraphInfo(colors=tuple(row["colors"] or ()), mechanism=mechanism, **{name: row[name] for name in names})

    def _count(self, what: str, name: str) -> int:
        return int(self._run(f"count_{what}", graph=name)[what][0].as_py())

    # --- load and drop ------------------------------------------------------------------------------------

    def load(self, name: str, graph: DatasetGraph, *, replace: bool = False, progress: Progress = silent) -> GraphInfo:
        self.init()
        with self._mutex:
            if name not in {info.name for info in self.graphs()}:
                self._load_new(name, graph, progress)
            elif replace:
                self._load_instead(name, graph, progress)
            else:
                raise GraphExists(f"there is a graph {name!r} in {self.address} already", "drop it, or use --replace")
            return self.info(name)

    def _load_new(self, name: str, graph: DatasetGraph, progress: Progress) -> None:
        """Load by COPY, the engine's fast way.

        Its rows are in the file once they are committed, but never in the log: a kill in between would take them, and
        leave whatever else the transaction did. So the graph is marked before and after, in transactions of their own,
        and one that is still marked when the file is opened is deleted.
        """
        with self._transaction(write=True):
            self._delete(name)
            self._declare(name, graph, LOADING)
        try:
            with self._transaction(write=True):
                self._create(name, graph, "copy", progress)
            with self._transaction(write=True):
                self._finish(name, graph)
        except BaseException:
            with suppress(StoreError):
                self._delete_unfinished()
            raise

    def _load_instead(self, name: str, graph: DatasetGraph, progress: Progress) -> None:
        """Delete and create in one transaction, so without COPY."""
        with self._transaction(write=True):
            self._delete(name)
            self._declare(name, graph, READY)
            self._create(name, graph, "create", progress)

    def _declare(self, name: str, graph: DatasetGraph, state: str) -> None:
        colors, counts = list(graph.colors), {"datasets": len(graph), "edges": graph.edges}
        self._run("create_graph", graph=name, colors=colors, state=state, created=_now(), **counts)

    def _finish(self, name: str, graph: DatasetGraph) -> None:
        """Declare a graph whole if it is."""
        if (self._count("datasets", name), self._count("edges", name)) != (len(graph), graph.edges):
            raise StoreError(f"graph {name!r} did not fit into {self.address}: the disk may be full", "make room")
        self._run("finish_load", graph=name)

    def _delete_unfinished(self) -> None:
        for info in self.graphs():
            if info.state == LOADING:
                with self._transaction(write=True):
                    self._delete(info.name)

    def _create(self, name: str, graph: DatasetGraph, how: str, progress: Progress) -> None:
        ids = _ids(name, graph.keys)
        color = pa.array(graph.colors, pa.string()).take(pa.array(graph.color))
        alpha, alphas = _alpha_columns(graph.alpha)
        preference = graph.preference_lists()
        for rows in _batches(len(graph)):
            columns = {
                "dataset": ids[rows],
                "graph": pa.repeat(name, rows.stop - rows.start),
                "key": graph.keys[rows],
                "color": color[rows],
                "alpha": alpha[rows],
                "alphas": alphas[rows],
                "preference": preference[rows],
            }
            self._run(f"{how}_datasets", rows=pa.table(columns))
            progress("datasets", rows.stop, len(graph))
        for rows in _batches(graph.edges):
            columns = {
                "source": ids.take(pa.array(graph.source[rows])),
                "target": ids.take(pa.array(graph.target[rows])),
                "epsilon": pa.array(graph.epsilon[rows]),
                "delta": pa.array(graph.delta[rows]),
            }
            self._run(f"{how}_neighbors", rows=pa.table(columns))
            progress("edges", rows.stop, graph.edges)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        with self._transaction(write=True):
            self.info(name)
            deleted = self._delete(name)
            progress("dropping", deleted, deleted)
        return deleted

    def _delete(self, name: str) -> int:
        deleted = self._run("delete_datasets", graph=name)["deleted"][0].as_py()
        self._run("delete_graph", graph=name)
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
        with self._transaction():
            info = self.ready(name)
            base.check_subgraph(keys, color, radius, info)
            found = self._ball(name, keys, radius or 0) if keys is not None else self._whole(name)
            if color is not None:
                found = found.filter(pc.equal(found["color"], color))
            progress("datasets", len(found), len(found))
            if keys is None:
                edges = self._run("read_neighbors", graph=name)
            else:
                edges = self._run("find_neighbors", ids=found["id"].to_pylist())
            progress("edges", len(edges), len(edges))
        return _stored_graph(info, found, edges)

    def _whole(self, name: str) -> pa.Table:
        """All datasets of a graph, in the order in which they were loaded."""
        return self._run("read_datasets", graph=name).sort_by("position")

    def _ball(self, name: str, keys: Sequence[str], radius: int) -> pa.Table:
        """The datasets up to `radius` edges away from some, one query per layer."""
        wanted = _keyed(name, keys)
        found = self._run("find_datasets", ids=list(wanted))
        self._require(wanted, found["id"], name)
        seen = layer = set(wanted)
        for _ in range(radius):
            layer = set(self._run("layer", graph=name, ids=sorted(layer))["id"].drop_null().to_pylist()) - seen
            seen = seen | layer
        if radius:
            found = self._run("find_datasets", ids=sorted(seen))
        return found.sort_by("position")

    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        with self._transaction():
            return self._star(self.ready(name), keys)

    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        wanted = _keyed(info.name, keys)
        found = self._run("neighbors", graph=info.name, ids=list(wanted))
        self._require(wanted, found["id"], info.name)
        found = found.filter(pc.is_valid(found["neighbor"]))
        key, neighbor, color = (found[c].combine_chunks() for c in ("key", "neighbor", "color"))
        k = len(info.colors)
        alpha = distributions(_alpha_rows(found, "neighbor", k), neighbor, k)
        order = preferences(found["preference"], neighbor, info.colors)
        return Star(key, neighbor, color, alpha, found["epsilon"].to_numpy(), found["delta"].to_numpy(), order)

    @contextmanager
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> Iterator[StoredView]:
        """All in one transaction, so that nothing can change meanwhile."""
        with self._transaction(write=write):
            info = self.ready(name)
            k, wanted = len(info.colors), _keyed(name, keys)
            found = self._run("find_evaluated", ids=list(wanted))
            self._require(wanted, found["id"], name)
            found = found.take(pc.index_in(pa.array(keys, pa.string()), found["key"].combine_chunks()))
            column = found["key"].combine_chunks()
            alpha = distributions(_alpha_rows(found, "key", k), column, k)
            given = self._run("read_alphas", graph=name)
            least = least_of(distributions(_alpha_rows(given, "key", k), given["key"].combine_chunks(), k))
            yield StoredView(self, info, keys, Found(found["color"].to_pylist(), alpha), _stored_rows(found, k), least)

    def _require(self, wanted: dict[str, str], ids: pa.ChunkedArray, name: str) -> None:
        """Refuse keys, by id, that are not among the ids that were found."""
        missing = wanted.keys() - set(ids.to_pylist())
        if missing:
            raise base.unknown_key(name, min(wanted[i] for i in missing))

    def levels(self, name: str) -> tuple[float, float, float]:
        with self._transaction():
            self.ready(name)
            (row,) = self._run("levels", graph=name).to_pylist()
        return row["least"], row["greatest"], row["delta"]

    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        with self._transaction():
            found = self._run("read_probabilities", graph=info.name)
        return _stored_rows(found.take(pc.index_in(graph.ids, found["id"].combine_chunks())), len(graph.colors))

    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        text, values = bound(query, parameters, "embedded")
        with self._transaction():
            return _folded(self._execute(text, values | self._subject(query, name)))

    @property
    def profiles(self) -> ProfileStore:
        from neodp.store.profiles_embedded import EmbeddedProfiles

        return EmbeddedProfiles(self)

    def select(self, text: str) -> pa.Table:
        try:
            with self._transaction():
                return self._execute(text, {})
        except ReadOnlyStore:
            raise base.writes() from None

    def column(self, name: str, property: str) -> pa.Table:
        text = statement("read_property", "embedded").replace("{property}", property.replace("`", ""))
        try:
            with self._transaction():
                self.ready(name)
                return self._execute(text, {"graph": name})
        except StoreError as e:
            if "Cannot find property" not in str(e):
                raise
        return pa.table({"key": pa.array([], pa.string()), "value": pa.array([], pa.float64())})

    # --- writing back -------------------------------------------------------------------------------------

    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        given = np.flatnonzero(graph.given)
        alpha, alphas = _alpha_columns(graph.alpha[given])
        with self._transaction(write=True):
            ids = self._stored(name, graph)[0].take(pa.array(given))
            self._run("clear_mechanism", graph=name)
            self._run("clear_alpha", graph=name)
            self._update("write_alpha", "alpha", {"dataset": ids, "alpha": alpha, "alphas": alphas}, progress)
        return len(given)

    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        graph, p_true = mechanism.graph, mechanism.p_true
        columns = {"p_true": pa.array(p_true), "distance": pa.array(base.distance(graph).astype(np.int64))}
        if len(graph.colors) == 2:
            columns |= {"p": pa.array(mechanism.p), "q": pa.array(mechanism.q)}
        else:
            columns["probabilities"] = _lists(mechanism.probabilities, np.ones(len(graph), np.bool_))
        does = "write_probabilities" if len(graph.colors) == 2 else "write_distributions"
        values = {
            "version": uuid.uuid4().hex,
            "fingerprint": base.fingerprint(graph),
            "min_p_true": float(p_true.min()),
            "mean_p_true": float(p_true.mean()),
            "datasets": len(graph),
            "edges": graph.edges,
        }
        with self._transaction(write=True):
            ids, others = self._stored(name, graph)
            if len(others):
                raise base.not_covered(name, others[0].as_py())
            self._update(does, "probabilities", {"dataset": ids, **columns}, progress)
            self._run("finish_mechanism", graph=name, written=_now(), **values)
        return len(graph)

    def _stored(self, name: str, graph: DatasetGraph) -> tuple[pa.StringArray, pa.StringArray]:
        """The ids of a graph's datasets, and the keys of the stored ones that are not among them."""
        info = self.ready(name)
        if graph.colors != info.colors:
            raise GraphError(
                f"the colours are {', '.join(graph.colors)}, those of graph {name!r} are {', '.join(info.colors)}",
                "write to the graph it came from",
            )
        found = self._whole(name)
        keys = found["key"].combine_chunks()
        where = pc.index_in(graph.keys, keys)
        if where.null_count:
            missing = graph.key(pc.index(where.is_null(), True).as_py())
            raise UnknownKey(f"there is no dataset {missing!r} in graph {name!r}", "write to the graph it came from")
        others = np.delete(np.arange(len(keys)), np.asarray(where))
        return found["id"].combine_chunks().take(where), keys.take(pa.array(others))

    def _update(self, name: str, what: str, columns: dict[str, pa.Array], progress: Progress) -> None:
        """Write columns to the datasets whose ids are the column `dataset`."""
        total = len(columns["dataset"])
        for rows in _batches(total):
            table = pa.table({column: values[rows] for column, values in columns.items()})
            written = self._run(name, rows=table)["written"][0].as_py()
            if written != len(table):
                raise StoreError(f"{self.address} wrote {written} of {len(table)} datasets", "nothing was changed")
            progress(what, rows.stop, total)

    def _write_evaluations(self, info: GraphInfo, evaluations: Sequence[Evaluation]) -> None:
        rows = np.array([list(e.probabilities.values()) for e in evaluations])
        more = np.full(len(rows), len(info.colors) > 2)
        columns = {
            "dataset": _ids(info.name, pa.array([e.key for e in evaluations], pa.string())),
            "p": pa.array(rows[:, 0], mask=more),
            "q": pa.array(rows[:, 1], mask=more),
            "probabilities": _lists(rows, more),
            "p_true": pa.array([e.p_true for e in evaluations]),
        }
        self._update("write_evaluations", "probabilities", columns, silent)

    # --- what was answered --------------------------------------------------------------------------------

    def ledger(self, graph: str) -> Ledger:
        if not {"Ledger", "Release"} <= self._tables:
            return Ledger(graph, 1, ())
        with self._transaction():
            allowed = self._run("max_releases", graph=graph)["max_releases"].to_pylist()
            found = self._run("releases", graph=graph).to_pylist()
        return Ledger(graph, allowed[0] if allowed else 1, tuple(Release(**row) for row in found))

    def allow(self, graph: str, releases: int) -> Ledger:
        self.init()
        with self._transaction(write=True):
            self._run("allow", graph=graph, releases=releases)
        return self.ledger(graph)

    def keep(self, release: Release) -> Release:
        self.init()
        with self._transaction(write=True):
            ledger = self.ledger(release.graph)
            kept = ledger.find(release.name)
            if kept is None:
                ledger.spend(release.name)
                kept = replace(release, time=_now())
                values = {"release": kept.name, "answer": kept.answer, "time": kept.time, "key": kept.key}
                self._run("create_release", id=f"{_prefix(kept.graph)}{kept.name}", graph=kept.graph, **values)
        return kept

    # --- transactions -------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[None]:
        """All or nothing, one thread at a time; a transaction inside another is a part of it."""
        with self._mutex:
            if self._connection is not None:
                yield
                return
            if write and self._file.read_only:
                raise ReadOnlyStore(
                    f"{self.address} may be read but not written", "ask for the right to write, or use another store"
                )
            with self._connected(write=write):
                self._execute("BEGIN TRANSACTION" if write else "BEGIN TRANSACTION READ ONLY", {})
                try:
                    yield
                except BaseException:
                    with suppress(StoreError):
                        self._execute("ROLLBACK", {})
                    raise
                self._commit()

    @contextmanager
    def _connected(self, *, write: bool) -> Iterator[None]:
        with self._file.connect(threads=1 if write else 0) as self._connection:  # one keeps the order of rows
            try:
                yield
            finally:
                self._connection = None

    def _commit(self) -> None:
        assert self._connection is not None
        if self._connection.is_closed:
            raise StoreError(f"{self.address} refused a part of a change", "nothing was changed")
        try:
            self._execute("COMMIT", {})
        except StoreError as e:
            if "committed successfully" not in str(e.__cause__):
                self._file.abandon()
                raise
            self._file.reopen()  # only bringing the log into the file failed

    def _run(self, name: str, **parameters: Any) -> pa.Table:
        """The result of one of the store's own statements."""
        return self._execute(statement(name, "embedded"), parameters)

    def _execute(self, text: str, parameters: dict[str, Any]) -> pa.Table:
        assert self._connection is not None
        needed = set(re.findall(r"\$(\w+)", re.sub(r"(?m)^//.*$", "", text)))
        if needed != set(parameters):
            raise StoreError(f"a statement needs {sorted(needed)} and was given {sorted(parameters)}", text)
        try:
            result = self._connection.execute(text, parameters)
            if not isinstance(result, ladybug.QueryResult):
                raise StoreError("there is more than one Cypher statement", "give one")
            with result:
                return result.get_as_arrow(BATCH)
        except RuntimeError as e:
            self._connection.close()  # which ends the transaction, whatever the error left of it
            raise _refused(self.address, e) from e


# --- the file -----------------------------------------------------------------------------------------------------


class _File:
    """An open database file, and the lock that keeps all others out."""

    def __init__(self, path: Path, address: str, patience: float) -> None:
        self._address = address
        self._path = _place(path, address)
        self.read_only = not _is_writable(self._path)
        self._lock = _Lock(self._path, address, patience)
        self._database: ladybug.Database | None = None
        self._start()

    def connect(self, *, threads: int) -> ladybug.Connection:
        if self._database is None:
            raise StoreError(f"the store {self._address} was closed, or failed", "open it again")
        return ladybug.Connection(self._database, threads)

    def close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
            self._lock.release()

    def abandon(self) -> None:
        """Give up after a failed commit, until the process ends.

        Its log ends in the middle, and whatever came behind that would be lost. The engine ends the process if it is
        closed while the log cannot be written, so it never is.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._database))
        self._database = None

    def reopen(self) -> None:
        """Have the engine start again from what is in the file and its log."""
        if self._database is not None:
            self._database.close()
            self._database = None
            self._start()

    def _start(self) -> None:
        try:
            self._database = self._open()
        except (RuntimeError, OSError) as e:
            raise self._unreachable(e) from e
        finally:
            if self._database is None:
                self._lock.release()

    def _open(self) -> ladybug.Database:
        try:
            return self._engine()
        except RuntimeError as e:
            known = any(reason in str(e) for reason in REASONS)
            if known or self.read_only or not _logs(self._path):
                raise
        self._cut_log()
        return self._engine()

    def _cut_log(self) -> None:
        """Do without the end of the log that cannot be read, after a copy of the log was put aside."""
        now = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        logs = _logs(self._path)
        copies = [f"{log}.damaged-{now}" for log in logs]
        try:
            for log, copy in zip(logs, copies, strict=True):
                shutil.copy2(log, copy)
            database = self._engine(throw_on_wal_replay_failure=False)
        except (RuntimeError, OSError):
            for copy in copies:
                Path(copy).unlink(missing_ok=True)
            raise
        with ladybug.Connection(database) as connection:
            connection.execute("CHECKPOINT")  # or what is written next would stand behind the damage in the log
        database.close()
        warnings.warn(
            f"the end of the log of {self._address} could not be read, as after a kill while it was written: what had "
            f"been committed before is there; a copy of the log is {' and '.join(copies)}",
            DamagedLogWarning,
            stacklevel=7,
        )

    def _engine(self, **options: Any) -> ladybug.Database:
        return ladybug.Database(
            self._path, read_only=self.read_only, max_db_size=MAX_SIZE, buffer_pool_size=memory() // 2, **options
        )

    def _unreachable(self, error: RuntimeError | OSError) -> StoreUnreachable:
        for reason, (what, hint) in REASONS.items():
            if reason in str(error):
                return StoreUnreachable(f"the store {self._address} {what}", hint)
        return StoreUnreachable(
            f"the store {self._address} cannot be opened: {_said(error)}", "take it from a copy, or use another"
        )


class _Lock:
    """An operating system's lock, which ends with its process, on a file that names the process."""

    def __init__(self, path: Path, address: str, patience: float) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._address = address
        self._fd: int | None = None
        writable = os.access(path.parent, os.W_OK)
        until = time.monotonic() + patience
        try:
            while self._fd is None:
                try:
                    self._fd = self._acquire(os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY)
                except StoreUnreachable:
                    if time.monotonic() >= until:
                        raise
                    time.sleep(0.02)
            if writable:
                os.ftruncate(self._fd, 0)
                os.lseek(self._fd, 0, os.SEEK_SET)
                os.write(self._fd, str(os.getpid()).encode())
        except OSError as e:
            if not writable and isinstance(e, FileNotFoundError):
                return  # nobody holds it, and no lock can be made: the engine's own must do
            raise StoreUnreachable(f"the store {address} cannot be locked: {e.strerror}", f"see {self._path}") from e

    def release(self) -> None:
        if self._fd is not None:
            with suppress(OSError):  # Windows removes no open file
                self._path.unlink()
            os.close(self._fd)
            self._fd = None

    def _acquire(self, flags: int) -> int | None:
        """The locked file; None if its last holder removed it meanwhile."""
        fd = os.open(self._path, flags, 0o666)
        try:
            _try_lock(fd)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), os.stat(self._path)):
                    kept, fd = fd, -1
                    return kept
            return None
        except (BlockingIOError, PermissionError):
            os.lseek(fd, 0, os.SEEK_SET)
            raise self._taken(os.read(fd, 20).decode(errors="replace")) from None
        finally:
            if fd >= 0:
                os.close(fd)

    def _taken(self, holder: str) -> StoreUnreachable:
        if holder == str(os.getpid()):
            return StoreUnreachable(
                f"the store {self._address} is open in this process already", "use that one, or close it first"
            )
        who = f"process {holder}" if holder else "another process"
        return StoreUnreachable(f"the store {self._address} is in use by {who}", "wait for it, or use another file")


if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        os.lseek(fd, 2**30, os.SEEK_SET)  # not where the holder's number is: nobody else could read that
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _place(path: Path, address: str) -> Path:
    """The file itself, links followed; refused where there is none and none can be made."""
    try:
        path = path.resolve()
        wrong = _misplaced(path)
    except (OSError, RuntimeError, ValueError) as e:  # a folder is closed, a name too long, links go round in a circle
        raise StoreUnreachable(f"the store {address!r} cannot be opened: {_said(e)}", "correct --store") from e
    if wrong is not None:
        raise StoreUnreachable(f"the store {address} {wrong[0]}", wrong[1])
    return path


def _misplaced(path: Path) -> tuple[str, str] | None:
    """Why a path is no place for a store, and what to do about it."""
    if path.is_dir():
        return "is a folder", "name a file in it"
    if not path.parent.is_dir():
        return "is in no folder that exists", "make the folder, or correct --store"
    if not path.exists():
        logs = [log.name for log in _logs(path)]
        if logs:
            return f"is gone, but not its log {logs[0]}", "put it back, or move the log away"
        if not os.access(path.parent, os.W_OK):
            return "may not be made in its folder", "use another folder"
    elif not path.is_file():
        return "is not a file", "name another"
    elif not os.access(path, os.R_OK):
        return "may not be read", "ask for the right to, or use another file"
    return None


def _logs(path: Path) -> list[Path]:
    """The engine's logs beside a file, if any: the second is one that is being brought into the file."""
    return [log for log in (path.with_name(f"{path.name}{end}") for end in (".wal", ".wal.checkpoint")) if log.exists()]


def _is_writable(path: Path) -> bool:
    """Whether the file and its log can be written."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _refused(address: str, error: RuntimeError) -> StoreError:
    """The engine's error in neodp's words."""
    if "Buffer manager exception" in str(error):
        return StoreError(f"{address} needs more memory than half of this machine's", "use a larger one, or Neo4j")
    if "Cannot write to file" in str(error):
        return StoreError(f"{address} cannot be written: the disk may be full", "make room, and look what is there")
    if "Unable to cast Python" in str(error):
        return StoreError("a name or key is not a text that UTF-8 can write", "correct it")
    if "read-only" in str(error):
        return ReadOnlyStore(f"{address} may be read but not written", "use another store")
    return StoreError(f"{address} refused: {_said(error)}", "nothing was changed")


def _said(error: Exception) -> str:
    """The first sentence of what an error says, without the kind of exception."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return re.sub(r"^\w+ exception: ", "", said).split("\n")[0].split(". ")[0].rstrip(".")


# --- columns and rows ---------------------------------------------------------------------------------------------


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _batches(n: int) -> Iterator[slice]:
    """Slices of at most BATCH rows."""
    for start in range(0, n, BATCH):
        yield slice(start, min(start + BATCH, n))


def _prefix(name: str) -> str:
    """What the ids of a graph's datasets begin with: its length first, so that no two graphs and keys share an id."""
    return f"{len(name)}:{name}:"


def _ids(name: str, keys: pa.StringArray) -> pa.StringArray:
    return pc.binary_join_element_wise(_prefix(name), keys, "")


def _keyed(name: str, keys: Sequence[str]) -> dict[str, str]:
    """Keys by id, each once."""
    prefix = _prefix(name)
    return {f"{prefix}{key}": key for key in keys}


def _alpha_columns(alpha: Floats) -> tuple[pa.Array, pa.Array]:
    """Alpha as two columns: Pr[first colour] of two, and the distributions that one number cannot say exactly."""
    given = ~np.isnan(alpha[:, 0])
    if alpha.shape[1] > 2:
        return pa.nulls(len(alpha), pa.float64()), _lists(alpha, given)
    single = pa.array(alpha[:, 0], mask=~given)
    return single, _lists(alpha, given & (alpha[:, 1] != 1.0 - alpha[:, 0]))


def _alpha_rows(found: pa.Table, key: str, k: int) -> Floats:
    """The two columns as rows, NaN where alpha is not given; a list that `alpha` does not agree with is out of date."""
    rows = _rows(found, "alphas", key, k)
    single = found["alpha"].to_numpy()
    changed = ~np.isnan(single) & (single != rows[:, 0])
    if k > 2 and changed.any():
        name = found[key][int(np.argmax(changed))].as_py()
        raise GraphError(f"dataset {name!r}: alpha is one number", f"give alphas, one for each of the {k} colours")
    rows[changed, :2] = np.column_stack([single, 1.0 - single])[changed]
    return rows


def _lists(rows: Floats, keep: Bools) -> pa.ListArray:
    """Rows as lists; null where they are not kept."""
    offsets = np.concatenate([[0], np.cumsum(keep) * rows.shape[1]])
    values = pa.array(rows[keep].ravel())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=pa.array(~keep))


def _stored_rows(found: pa.Table, k: int) -> Floats:
    """The probabilities of datasets as rows; NaN where there are none."""
    if k == 2:
        return np.column_stack([found["p"].to_numpy(), found["q"].to_numpy()])
    return _rows(found, "probabilities", "id", k)


def _rows(found: pa.Table, column: str, key: str, k: int) -> Floats:
    """A column of lists of k numbers as rows; NaN where it is null."""
    lists = found[column].combine_chunks()
    length = pc.fill_null(pc.list_value_length(lists), k).to_numpy()
    if (length != k).any():
        wrong = int(np.argmax(length != k))
        raise GraphError(
            f"dataset {found[key][wrong].as_py()!r}: {column} is {lists[wrong].as_py()}",
            f"give a number for each of the {k} colours",
        )
    rows = np.full((len(lists), k), np.nan)
    rows[np.asarray(lists.is_valid())] = np.asarray(lists.flatten()).reshape(-1, k)
    return rows


def _stored_graph(info: GraphInfo, found: pa.Table, edges: pa.Table) -> StoredGraph:
    """A graph from its datasets, by position, and edges, of which those with an end elsewhere are left out."""
    edges = edges.filter(pc.is_valid(edges["target"]))
    source, target = edges["source"].to_numpy(), edges["target"].to_numpy()
    index = _index(found["position"].to_numpy(), source, target)
    source, target = index[source], index[target]
    inside = np.flatnonzero((source >= 0) & (target >= 0))
    order = inside[np.lexsort((target[inside], source[inside]))]
    graph = DatasetGraph.from_columns(
        found["key"],
        found["color"],
        source[order],
        target[order],
        edges["epsilon"].to_numpy()[order],
        edges["delta"].to_numpy()[order],
        _alpha_rows(found, "key", len(info.colors)),
        found["preference"],
        colors=info.colors,
        name=info.name,
    )
    return StoredGraph(**vars(graph), ids=found["id"].combine_chunks())


def _index(known: NDArray[np.int64], *others: NDArray[np.int64]) -> NDArray[np.int64]:
    """By the engine's position of a dataset, which of the known ones it is; -1 where it is none."""
    size = 1 + max(int(positions.max(initial=-1)) for positions in (known, *others))
    index = np.full(size, -1, np.int64)
    index[known] = np.arange(len(known))
    return index


def _folded(table: pa.Table) -> pa.Table:
    """A query's result with `alpha` and `alphas` as one column: of numbers with two colours, else of lists."""
    for lists in [name for name in table.column_names if name.endswith("alphas")]:
        single = lists.removesuffix("s")
        if table[single].null_count == len(table) > table[lists].null_count:
            table = table.set_column(table.column_names.index(single), single, table[lists])
        table = table.drop_columns([lists])
    return table

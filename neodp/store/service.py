"""The service: everything that users do with a store, once for all kinds of stores.

:class:`Store` is built on the primitives of a :class:`~neodp.store.port.Port`. Computations are verbs
(:mod:`neodp.store.verbs`), which this process or the plugin inside the server carries out; the choice between the two
is made here, once for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from neodp.data.frames import Tabular, html_table
from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.errors import NeodpError, ReadOnlyStore, StoreError
from neodp.hints import Call, Hint, Option
from neodp.ledger.release import Release
from neodp.store import refusals
from neodp.store.bookkeeping import Bookkeeping
from neodp.store.port import Port
from neodp.store.profiles import ProfileStore
from neodp.store.protections import Protections
from neodp.store.records import GraphInfo, StoredGraph, StoredMechanism
from neodp.store.verbs import AuditedMechanism, Declined, Engine, Manner, Ran, Row, Summary, Verbs

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.core.evaluation import Ball
    from neodp.core.extension import Check
    from neodp.core.mechanism import Mechanism
    from neodp.core.rainbow import Method
    from neodp.core.views import Star
    from neodp.data.graph import DatasetGraph
    from neodp.store.local import Local
    from neodp.store.views import StoredView

__all__ = ["Store"]

T = TypeVar("T")


class Store(Bookkeeping, Protections, Tabular):
    """A place where dataset graphs, profiles and answers are stored.

    Parameters
    ----------
    port : Port
        The primitives of a store on a Neo4j server, or in a file.
    """

    def __init__(self, port: Port) -> None:
        self.port = port

    @property
    def address(self) -> str:
        """The address of the store, without secrets."""
        return self.port.address

    @property
    def dialect(self) -> str:
        """The kind of the store: the folder of ``cypher/`` that holds its statements."""
        return self.port.dialect

    @property
    def made(self) -> bool:
        """True if the store is a file that was created when it was opened: no earlier answer is counted in it."""
        return self.port.made

    @property
    def plugin(self) -> Verbs | None:
        """The plugin inside the server; None if there is no server, or its plugin is missing or of another version."""
        return self.port.plugin

    def may_write(self) -> bool:
        """Return whether the user may write to the store, without changing anything."""
        return self.port.may_write()

    def server(self) -> str | None:
        """Return the name and version of the server, as in ``Neo4j/5.26.19``; None if there is no server."""
        return self.port.server()

    def plugin_version(self) -> str | None:
        """Return the version of the server's plugin; None if there is no server, or it has no plugin."""
        return self.port.plugin_version()

    # --- which engine -------------------------------------------------------------------------------------

    @cached_property
    def _local(self) -> Local:
        """The engine that is this process; imported with the first verb: a release about people needs none."""
        from neodp.store.local import Local

        return Local(self.port)

    def _by(self, engine: Engine, does: Callable[[Verbs], T]) -> Ran[T]:
        """Have an engine carry out a verb; with "auto", this process does what the plugin declines.

        Raises
        ------
        StoreError
            If `engine` is "server", and there is no plugin or it declines the task.
        """
        if engine in ("auto", "server") and self.plugin is not None:
            try:
                return Ran(does(self.plugin), self.plugin.where)
            except Declined:
                if engine == "server":
                    raise
        elif engine == "server":
            raise StoreError(
                f"{self.address} has no neodp plugin of this version",
                Hint("see ", Call("plugin_version"), ", or use ", Option("engine", "client")),
            )
        return Ran(does(self._local), self._local.where)

    # --- the store itself ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the store."""
        self.port.close()

    def init(self) -> list[str]:
        """Create the missing constraints and indexes, or tables, and return their names."""
        return self.port.init()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address!r}>"

    def to_arrow(self) -> pa.Table:
        """Return the graphs of the store as a table, one row each."""
        import pyarrow as pa

        return pa.Table.from_pylist([info.row() for info in self.graphs()], GraphInfo.schema())

    def _repr_html_(self) -> str:
        try:
            return html_table(repr(self), self.to_arrow())
        except NeodpError as e:  # closed, or out of reach: to be shown must not fail
            return html_table(f"{self!r}: {e}", GraphInfo.schema().empty_table())

    @checked
    def backup(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write a complete, checked copy of the store to a file, even while others use the store.

        Parameters
        ----------
        path : str or path
            The backup, readable by its owner only. It is a store itself: to restore it, put it in the store's place.
        force : bool
            Replace an existing file.

        Raises
        ------
        GraphError
            If a backup cannot be written to the path, or a file is there already.
        DamagedStore, DamagedRelease
            If the store is damaged; then a file at the path stays as it is.
        StoreError
            If the store is on a Neo4j server, which has its own backup tools.
        """
        self.port.backup(path, force=force)

    # --- graphs -------------------------------------------------------------------------------------------

    def graphs(self) -> list[GraphInfo]:
        """Return all graphs, sorted by name."""
        return self.port.graphs()

    @checked
    def info(self, name: str) -> GraphInfo:
        """Return what is known about a graph, in whatever state.

        Raises
        ------
        UnknownGraph
            If there is no graph of that name.
        """
        return self.port.info(name)

    @checked
    def ready(self, name: str) -> GraphInfo:
        """Return what is known about a completely loaded graph.

        Raises
        ------
        UnfinishedGraph
            If a load or a drop of the graph was interrupted, or is in progress.
        """
        return self.port.ready(name)

    @checked
    def load(
        self,
        name: str,
        graph: DatasetGraph,
        *,
        replace: bool = False,
        population: str | None = None,
        progress: Progress = silent,
    ) -> GraphInfo:
        """Store a graph under a name; readers see all of it or nothing.

        Parameters
        ----------
        population : str, optional
            The people whose data the graph is about; by default those of the graph that is replaced, or "default".

        Raises
        ------
        GraphExists
            If a graph of that name exists, unless `replace`; a graph whose load was interrupted is always replaced.
        """
        name, population = refusals.named("graph", name, population)
        self.port.load(name, graph, replace=replace, population=population, progress=progress)
        return self.port.info(name)

    @checked
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete a graph with everything that belongs to it, and return how many datasets it had."""
        return self.port.drop(self.port.info(name), progress)

    @checked
    def read(
        self,
        name: str,
        *,
        keys: Sequence[str] | None = None,
        color: str | None = None,
        radius: int | None = None,
        progress: Progress = silent,
    ) -> StoredGraph:
        """Return a whole graph, or the subgraph of some of its datasets.

        Parameters
        ----------
        keys : strings, optional
            Only these datasets.
        color : str, optional
            Only datasets of this colour.
        radius : int, optional
            With `keys`: also the datasets up to this many edges away.
        """
        return self.port.read(name, keys=keys, color=color, radius=radius, progress=progress)

    @checked
    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""
        return self.port.neighbors(name, keys)

    @checked
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> AbstractContextManager[StoredView]:
        """Return a graph seen from some of its datasets; raise Overtaken at the end if it was changed meanwhile.

        This takes one query at the beginning, one each time that neighbours are asked for, and one at the end.
        """
        return self.port.view(name, keys, write=write)

    @checked
    def column(self, name: str, property: str) -> pa.Table:
        """Return a property of a graph's datasets, whoever wrote it, as the columns `key` and `value`.

        Datasets without the property are left out.
        """
        return self.port.column(name, property)

    # --- alpha and mechanisms -----------------------------------------------------------------------------

    @checked
    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Store the alpha of `graph`, remove the mechanism, and return how many datasets have alpha."""
        return self.port.write_alpha(name, graph, progress=progress)

    @checked
    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        """Store a mechanism's probabilities on its datasets, and return how many datasets there are.

        Readers see the whole mechanism or none.

        Raises
        ------
        PrivacyError
            If its privacy notion cannot be stored (:mod:`neodp.store.stored_privacy`).
        """
        return self._local.write(name, mechanism, progress)

    @checked
    def mechanism(self, name: str, *, progress: Progress = silent) -> StoredMechanism:
        """Return the stored mechanism of a graph, complete or not at all.

        Raises
        ------
        NoMechanism
            If no mechanism is stored, writing one was interrupted, or a dataset has no probabilities.
        """
        return self._local.mechanism(name, progress)

    # --- what is computed ---------------------------------------------------------------------------------

    @checked
    def evaluate(
        self,
        name: str,
        keys: Sequence[str],
        *,
        engine: Engine = "auto",
        limit: int | None = None,
        write: bool = False,
    ) -> Ball:
        """Return the optimal mechanism at some datasets (:mod:`neodp.core.ball`).

        Parameters
        ----------
        engine : "auto", "server", "client", "ball" or "whole"
            "ball" searches around the datasets. "whole" reads and extends the whole graph, so that the work does not
            depend on the datasets. By default, neodp searches, and switches to the whole graph if that turns out to be
            cheaper and fits in memory; a server that has the plugin does this itself (:mod:`neodp.store.verbs`).
        limit : int, optional
            The most datasets that a search may visit; by default about as many as are cheaper than the whole graph.
        write : bool
            Store the probabilities on these datasets.

        Raises
        ------
        StaleMechanism
            If the graph has changed since the stored mechanism was made: answers must not come from a mixture of two
            mechanisms.
        """
        wanted = list(dict.fromkeys(keys))
        chosen = engine if wanted else "client"
        how: dict[str, Any] = {"engine": chosen, "limit": limit, "write": write}
        return self._by(chosen, lambda by: by.evaluate(name, wanted, **how)).result

    @checked
    def check(self, name: str, *, engine: Engine = "auto", progress: Progress = silent) -> Ran[Check]:
        """Check whether a graph can be extended (:func:`neodp.check`), and tell which engine checked it."""
        return self._by(engine, lambda by: by.check(name, progress))

    @checked
    def extend(
        self,
        name: str,
        *,
        engine: Engine = "auto",
        method: Method | None = None,
        prior: str | Mapping[str, float] | None = None,
        write: bool = True,
        progress: Progress = silent,
    ) -> Ran[Summary]:
        """Find the optimal mechanism of a graph (:func:`neodp.extend`), and tell which engine computed it.

        Parameters
        ----------
        engine : "auto", "server" or "client"
            Where the computation runs (:mod:`neodp.store.verbs`).
        method : "line", "prefix", "optimal" or "distance", optional
            As in :func:`neodp.extend`; if it is given, the client computes.
        prior : "uniform", "distance", or a mapping from keys to weights, optional
            With "optimal": how likely each dataset is (:func:`neodp.study.prior`); uniform by default.
        write : bool
            Store the probabilities on the datasets.
        """
        if prior is not None:
            return Ran(self._local.extend(name, method=method, write=write, progress=progress, prior=prior), "client")
        chosen = engine if method is None else "client"
        return self._by(chosen, lambda by: by.extend(name, method=method, write=write, progress=progress))

    @checked
    def stream(
        self, name: str, *, engine: Engine = "auto", method: Method | None = None, progress: Progress = silent
    ) -> Iterator[Row]:
        """Return the optimal mechanism of a graph, dataset by dataset, without storing it."""
        chosen = engine if method is None else "client"
        return self._by(chosen, lambda by: by.stream(name, method=method, progress=progress)).result

    @checked
    def estimate(self, name: str, *, engine: Engine = "auto") -> Ran[dict[str, Any]]:
        """Return the memory that ``extend`` takes, in bytes, and the engine that would use it."""
        return self._by(engine, lambda by: by.estimate(name))

    @checked
    def audit(
        self, name: str, *, engine: Engine = "auto", worst: int = 5, progress: Progress = silent
    ) -> Ran[AuditedMechanism]:
        """Check the stored mechanism of a graph on every edge (:func:`neodp.audit`), and tell which engine checked it.

        Raises
        ------
        NoMechanism
            As ``mechanism``.
        """
        return self._by(engine, lambda by: by.audit(name, worst, progress))

    @checked
    def certify(self, name: str, *, verify: bool = False) -> GraphInfo:
        """Return what is known about a certified graph (:mod:`neodp.store.answering`); certify it now if necessary."""
        return self._local.certified(name, verify=verify)

    @checked
    def answer(
        self,
        graph: str,
        key: str,
        release: str,
        *,
        keep_key: bool = False,
        constant_work: bool = False,
        verify: bool = False,
        engine: Engine = "client",
    ) -> Release:
        """Return the answer of a release (:mod:`neodp.ledger.release`): the stored one, or one drawn now for a dataset.

        Parameters
        ----------
        key : str
            Key of the dataset. The dataset is evaluated only if there is no answer yet.
        release : str
            Name of the question.
        keep_key : bool
            Store the dataset's key with the answer.
        constant_work : bool
            Extend the whole graph, so that the time it takes does not depend on the dataset.
        verify : bool
            Read the whole graph again, so that changes by others are noticed.
        engine : "client", "server" or "auto"
            Where the answer is drawn and stored (:mod:`neodp.store.verbs`); one name has one answer, on every engine.

        Raises
        ------
        OtherQuestion
            If a different question was asked under that name.
        BudgetSpent
            If the limit of the graph's population leaves no room for this answer.
        NotCertified, UnhitBoundary, IncompatibleAlpha, StaleMechanism
            If no answer may be given about the graph in its present state, whatever the dataset.
        """
        manner = Manner(keep_key, constant_work, verify)
        return self._by(engine, lambda by: by.answer(graph, key, release, manner)).result

    # --- Cypher and profiles ------------------------------------------------------------------------------

    @checked
    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        """Return the result of a canned query (:mod:`neodp.store.cypher`).

        If the query "stale" finds that a mechanism is stale, the mechanism is marked as stale for everybody.
        """
        from neodp.store.cypher import bound, subject

        text, values = bound(query, parameters, self.dialect)
        found = self.port.query(text, values, subject(query), name)
        if query == "stale" and any(str(reason).endswith("changed") for reason in found["reason"].to_pylist()):
            with suppress(ReadOnlyStore):
                self.port.mark_changed(name)
        return found

    @checked
    def select(self, text: str) -> pa.Table:
        """Return the result of a user's own Cypher, which may only read the graph (:mod:`neodp.store.reading`).

        Raises
        ------
        StoreError
            If the query does more than read the graph, or this store does not accept it as Cypher.
        """
        from neodp.store.reading import require_reading

        require_reading(text)
        return self.port.select(text)

    @property
    def profiles(self) -> ProfileStore:
        """The users, items and likes that are stored beside the graphs."""
        return ProfileStore(self.port)

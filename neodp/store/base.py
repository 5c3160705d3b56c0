"""The interface of every store.

A store holds several graphs, each under its own name and independent of the others. It stores the README's data model:
``(:DatasetGraph)``, ``(:Dataset)``, ``[:NEIGHBOR]``. It also promises that

* a graph that is only partly loaded is marked, and refused by everything but ``load`` and ``drop``;
* a mechanism that is only partly written is marked, and is never read as a mechanism;
* a mechanism is stored with the fingerprint of the graph it was made for, so that a change of the graph is noticed;
* a mechanism is stored with the method that found it and the privacy notion that it satisfies;
* if two processes write at once, the later one takes over, and the earlier one gets an error that says so.

A new kind of store is a subclass that implements the methods of the first part; the second part is built on them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from os import PathLike
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from neodp.data.frames import Tabular, html_table
from neodp.data.names import normal
from neodp.errors import NeodpError, NoMechanism, ReadOnlyStore
from neodp.hints import Call, Hint
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.question import DEFAULT
from neodp.ledger.release import Release
from neodp.store import refusals
from neodp.store.protections import Protections
from neodp.store.records import Certificate, GraphInfo, MechanismInfo, StoredGraph, StoredMechanism, fingerprint

if TYPE_CHECKING:  # imported where it is used: a release about people, with no graph, needs none of it
    import pyarrow as pa

    from neodp.core.evaluation import Ball
    from neodp.core.extension import Check
    from neodp.core.mechanism import Mechanism
    from neodp.core.rainbow import Method
    from neodp.core.views import Star
    from neodp.data.graph import DatasetGraph
    from neodp.data.validation import Floats
    from neodp.store.engines import Engine, Plugin, Ran, Row
    from neodp.store.notions import Notion
    from neodp.store.profiles import ProfileStore
    from neodp.store.views import StoredView
    from neodp.store.whole import AuditedMechanism, Summary

__all__ = [
    "GraphInfo",
    "MechanismInfo",
    "Progress",
    "Store",
    "StoredGraph",
    "StoredMechanism",
    "fingerprint",
    "silent",
]

Progress: TypeAlias = Callable[[str, int, int], None]
"""A callback that is given the name of the current step, how much of it is done, and how much there is in total."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


class Store(Protections, Tabular):
    """A place where dataset graphs are stored."""

    address: str
    """The address of the store, without secrets."""
    dialect: str
    """The folder of ``cypher/`` that holds the store's statements."""
    plugin: Plugin | None = None
    """The plugin inside the server; None if there is no server, or its plugin is missing or of another version."""

    # --- what a store must supply -------------------------------------------------------------------------

    @abstractmethod
    def close(self) -> None:
        """Close the store."""

    @abstractmethod
    def init(self) -> list[str]:
        """Create the missing constraints and indexes, or tables, and return their names."""

    @abstractmethod
    def graphs(self) -> list[GraphInfo]:
        """Return all graphs, sorted by name."""

    @abstractmethod
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

    @abstractmethod
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete a graph with everything that belongs to it, and return how many datasets it had."""

    @abstractmethod
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

    @abstractmethod
    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""

    @abstractmethod
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> AbstractContextManager[StoredView]:
        """Return a graph seen from some of its datasets; raise Overtaken at the end if it was changed meanwhile.

        This takes one query at the beginning, one each time that neighbours are asked for, and one at the end.
        """

    @abstractmethod
    def account(self, population: str = DEFAULT) -> Account:
        """Return a population's total spending and its limit, without reading every release.

        Raises
        ------
        DamagedRelease
            If the stored total was altered.
        """

    @abstractmethod
    def ledger(self, population: str = DEFAULT) -> Ledger:
        """Return everything that was answered about a population, and the limit of what may be answered.

        Raises
        ------
        DamagedRelease
            If one of the releases was altered, or the releases do not add up to the account.
        """

    @abstractmethod
    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of all populations that have an answer or a limit, sorted by name.

        Raises
        ------
        DamagedRelease, DamagedStore
            As ``ledger``. Damage to graphs does not matter here.
        """

    @abstractmethod
    def populations(self) -> list[str]:
        """Return the names of the populations that the store knows, sorted."""

    @abstractmethod
    def population_of(self, subject: str) -> str | None:
        """Return the population that a subject's last answer was about; None if there is no answer."""

    @abstractmethod
    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, in place of the previous limit.

        Raises
        ------
        DamagedRelease
            If the population's releases are damaged; then the limit stays as it is.
        """

    @abstractmethod
    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject; None if there is none.

        Raises
        ------
        DamagedRelease
            If the stored release was altered.
        """

    @abstractmethod
    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Store releases about one population, unless their names are taken, and return the stored ones.

        All of them are stored or none, and a stored release never changes. Releases that another store has given count
        whatever the limit, and keep their time.

        Raises
        ------
        BudgetSpent
            If the population's limit does not leave room for all releases.
        OtherRelease
            If a release was given elsewhere, and this store has a different one of the same name.
        """

    @abstractmethod
    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Store the ledgers of another store, all or nothing, and return how many releases are new.

        A population that this store knows keeps its limit; an unknown population gets the limit of its ledger. What was
        spent only grows.

        Raises
        ------
        OtherRelease
            If this store has a different release of the same name.
        DamagedRelease
            If this store's own releases about one of the populations are damaged.
        """

    @abstractmethod
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

    @abstractmethod
    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        """Store a graph's certificate, and whether its mechanism is stale, if the graph is still at that revision."""

    @abstractmethod
    def _mark_changed(self, name: str) -> None:
        """Revoke a graph's certificate, and mark its mechanism as stale."""

    @abstractmethod
    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Store the alpha of `graph`, remove the mechanism, and return how many datasets have alpha."""

    @abstractmethod
    def _write(self, name: str, mechanism: Mechanism, notion: Notion, progress: Progress) -> None:
        """Do the work of ``write``, for a privacy notion that can be stored."""

    @abstractmethod
    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """Return the stored probabilities in the order of a graph's datasets; NaN where there are none."""

    @abstractmethod
    def _mus(self, graph: StoredGraph) -> Floats:
        """Return the stored mu in the order of a graph's edges; NaN where there is none."""

    @abstractmethod
    def _layers(self, info: GraphInfo) -> int:
        """Return roughly how many layers a search may have before a pass over the whole graph would be cheaper.

        A layer is a query and a solution. A search that ends in a pass takes about twice as long as the pass alone.
        """

    def _made_for(self, graph: StoredGraph, info: GraphInfo) -> bool:
        """Return whether the stored mechanism was made for a graph as it was just read."""
        kept = info.mechanism
        return kept is None or self.notion(graph, kept).fingerprint(graph) == kept.fingerprint

    @abstractmethod
    def _query(self, query: str, name: str, parameters: dict[str, Any]) -> pa.Table:
        """Do the work of ``query``."""

    @property
    @abstractmethod
    def profiles(self) -> ProfileStore:
        """The users, items and likes that are stored beside the graphs."""

    @abstractmethod
    def select(self, text: str) -> pa.Table:
        """Return the result of a user's own Cypher, which may only read the graph (:mod:`neodp.store.reading`).

        Raises
        ------
        StoreError
            If the query does more than read the graph, or this store does not accept it as Cypher.
        """

    @abstractmethod
    def column(self, name: str, property: str) -> pa.Table:
        """Return a property of a graph's datasets, whoever wrote it, as the columns `key` and `value`.

        Datasets without the property are left out.
        """

    # --- what follows ------------------------------------------------------------------------------------

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

    def info(self, name: str) -> GraphInfo:
        """Return what is known about a graph, in whatever state.

        Raises
        ------
        UnknownGraph
            If there is no graph of that name.
        """
        return refusals.found("graph", name, self.graphs(), self.address, "it is empty; load or generate a graph first")

    def ready(self, name: str) -> GraphInfo:
        """Return what is known about a completely loaded graph.

        Raises
        ------
        UnfinishedGraph
            If a load or a drop of the graph was interrupted, or is in progress.
        """
        return refusals.whole("graph", self.info(name))

    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        """Store a mechanism's probabilities on its datasets, and return how many datasets there are.

        Readers see the whole mechanism or none.

        Raises
        ------
        PrivacyError
            If its privacy notion cannot be stored (:mod:`neodp.store.notions`).
        """
        from neodp.store.notions import Notion

        self._write(name, mechanism, Notion.of(mechanism, name), progress)
        return len(mechanism)

    def notion(self, graph: StoredGraph, info: MechanismInfo) -> Notion:
        """Return the privacy notion of the mechanism that is stored for a graph."""
        from neodp.store.notions import Notion, edge_values

        return Notion.read(info, lambda: edge_values(graph, self._mus(graph)))

    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        """Return the result of a canned query (:mod:`neodp.store.cypher`).

        If the query "stale" finds that a mechanism is stale, the mechanism is marked as stale for everybody.
        """
        found = self._query(query, name, parameters)
        if query == "stale" and any(str(reason).endswith("changed") for reason in found["reason"].to_pylist()):
            with suppress(ReadOnlyStore):
                self._mark_changed(name)
        return found

    def _subject(self, query: str, name: str) -> dict[str, str]:
        """Return the parameter of a canned query that names its graph or profile, which must be completely loaded."""
        from neodp.store.cypher import subject

        if subject(query) == "profile":
            return {"profiles": self.profiles.ready(name).name}
        return {"graph": self.ready(name).name}

    def mechanism(self, name: str, *, progress: Progress = silent) -> StoredMechanism:
        """Return the stored mechanism of a graph, complete or not at all.

        Raises
        ------
        NoMechanism
            If no mechanism is stored, writing one was interrupted, or a dataset has no probabilities.
        """
        import numpy as np

        from neodp.core.mechanism import Mechanism

        info = self.ready(name)
        if info.mechanism is None:
            raise NoMechanism(
                f"graph {name!r} has no whole mechanism", Hint("run ", Call("extend", graph=name), " first")
            )
        graph = self.read(name, progress=progress)
        rows = self._probabilities(graph, info)
        missing = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(missing):
            raise NoMechanism(
                f"dataset {graph.key(int(missing[0]))!r} of graph {name!r} has no probabilities: it came after the "
                "mechanism was written",
                Hint("run ", Call("extend", graph=name), " again"),
            )
        notion = self.notion(graph, info.mechanism)
        after = self.ready(name).mechanism
        if after is None or after.version != info.mechanism.version:
            raise NoMechanism(f"the mechanism of graph {name!r} was replaced while it was read", "try again")
        found = Mechanism.of(graph, rows, notion.privacy(graph))
        found = replace(found, method=info.mechanism.method or found.method)
        stale = not self._made_for(graph, info)
        if stale and not info.stale:
            with suppress(ReadOnlyStore):
                self._mark_changed(name)
        return StoredMechanism(found, info.mechanism, stale or info.stale)

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
            cheaper and fits in memory; a server that has the plugin does this itself (:mod:`neodp.store.engines`).
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
        from neodp.store import demand

        return demand.evaluate(self, name, keys, engine, limit, write)

    def check(self, name: str, *, engine: Engine = "auto", progress: Progress = silent) -> Ran[Check]:
        """Check whether a graph can be extended (:func:`neodp.check`), and tell which engine checked it."""
        from neodp.store import whole

        return whole.check(self, name, engine, progress)

    def extend(
        self,
        name: str,
        *,
        engine: Engine = "auto",
        method: Method | None = None,
        write: bool = True,
        progress: Progress = silent,
    ) -> Ran[Summary]:
        """Find the optimal mechanism of a graph (:func:`neodp.extend`), and tell which engine computed it.

        Parameters
        ----------
        engine : "auto", "server" or "client"
            Where the computation runs (:mod:`neodp.store.engines`).
            method : "line" or "prefix", optional
            As in :func:`neodp.extend`; if it is given, the client computes.
        write : bool
            Store the probabilities on the datasets.
        """
        from neodp.store import whole

        return whole.extend(self, name, engine, method, write, progress)

    def stream(
        self, name: str, *, engine: Engine = "auto", method: Method | None = None, progress: Progress = silent
    ) -> Iterator[Row]:
        """Return the optimal mechanism of a graph, dataset by dataset, without storing it."""
        from neodp.store import whole

        return whole.stream(self, name, engine, method, progress)

    def estimate(self, name: str, *, engine: Engine = "auto") -> Ran[dict[str, Any]]:
        """Return the memory that ``extend`` takes, in bytes, and the engine that would use it."""
        from neodp.store import whole

        return whole.estimate(self, name, engine)

    def audit(
        self, name: str, *, engine: Engine = "auto", worst: int = 5, progress: Progress = silent
    ) -> Ran[AuditedMechanism]:
        """Check the stored mechanism of a graph on every edge (:func:`neodp.audit`), and tell which engine checked it.

        Raises
        ------
        NoMechanism
            As ``mechanism``.
        """
        from neodp.store import whole

        return whole.audit(self, name, engine, worst, progress)

    def change_limit(
        self,
        population: str = DEFAULT,
        *,
        releases: int | EllipsisType | None = ...,
        epsilon: float | EllipsisType | None = ...,
        delta: float | EllipsisType = ...,
    ) -> Ledger:
        """Change some parts of a population's limit, and keep the others.

        Parameters
        ----------
        releases, epsilon, delta
            The parts of a :class:`~neodp.ledger.account.Limit`; None removes a part, and parts that are not given stay
            (:meth:`Limit.changed <neodp.ledger.account.Limit.changed>`).
        """
        said = not isinstance(releases, EllipsisType) and not isinstance(epsilon, EllipsisType)
        said = said and (epsilon is None or not isinstance(delta, EllipsisType))  # then the old limit may be damaged
        limit = Limit() if said else self.account(normal(population)).limit
        return self.allow(population, limit.changed(releases=releases, epsilon=epsilon, delta=delta))

    def certify(self, name: str, *, verify: bool = False) -> GraphInfo:
        """Return what is known about a certified graph (:mod:`neodp.store.answers`); certify it now if necessary."""
        from neodp.store import answers

        return answers.certified(self, name, verify=verify)

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
            Where the answer is drawn and stored (:mod:`neodp.store.engines`); one name has one answer, on every engine.

        Raises
        ------
        OtherQuestion
            If a different question was asked under that name.
        BudgetSpent
            If the limit of the graph's population leaves no room for this answer.
        NotCertified, UnhitBoundary, IncompatibleAlpha, StaleMechanism
            If no answer may be given about the graph in its present state, whatever the dataset.
        """
        from neodp.store import answers

        how = {"keep_key": keep_key, "constant_work": constant_work, "verify": verify}
        return answers.answer(self, graph, key, release, engine, **how)

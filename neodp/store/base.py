"""What every store can do.

A store holds graphs side by side, by name; none sees another. Its data are those of the README's data model:
``(:DatasetGraph)``, ``(:Dataset)``, ``[:NEIGHBOR]``. What it promises beyond that:

* a graph that is only partly loaded is marked, and refused by everything but ``load`` and ``drop``;
* a mechanism that is only partly written is marked, and is never read as one;
* a stored mechanism knows the fingerprint of the graph it was made for, so that a change of the graph shows;
* a stored mechanism knows how it was found and which privacy notion it keeps;
* of two writers at once, the later one takes over, and the earlier one is told so.

A new store is a subclass with the methods of the first part; the second part follows from them.
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
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.question import DEFAULT
from neodp.ledger.release import Release
from neodp.store import refusals
from neodp.store.records import Certificate, GraphInfo, MechanismInfo, StoredGraph, StoredMechanism, fingerprint

if TYPE_CHECKING:  # imported where it is used: a release about people, with no graph, needs none of it
    import pyarrow as pa

    from neodp.core.ball import Ball, Star
    from neodp.core.mechanism import Check, Mechanism
    from neodp.core.rainbow import Method
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
"""Told what is going on, how much of it is done, and how much there is."""


def silent(what: str, done: int, total: int) -> None:
    """Progress for nobody."""


class Store(Tabular):
    """A place where dataset graphs live."""

    address: str
    """Where it is, without secrets."""
    dialect: str
    """The folder of ``cypher/`` that holds its statements."""
    plugin: Plugin | None = None
    """The plugin inside the server, if there is a server that has one of this version."""

    # --- what a store must supply -------------------------------------------------------------------------

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    @abstractmethod
    def init(self) -> list[str]:
        """Create the constraints and indexes, or tables, that are missing; the names of those created."""

    @abstractmethod
    def graphs(self) -> list[GraphInfo]:
        """All graphs, by name."""

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
        """Keep a graph under a name; all or nothing for every reader.

        Parameters
        ----------
        population : str, optional
            Whose data it is about; by default that of the graph that is replaced, or "default".

        Raises
        ------
        GraphExists
            If there is one by that name, unless `replace`; one whose load was interrupted is always replaced.
        """

    @abstractmethod
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete a graph with all that belongs to it; how many datasets it had."""

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
        """A whole graph, or the subgraph of some of its datasets.

        Parameters
        ----------
        keys : strings, optional
            These datasets only.
        color : str, optional
            Datasets of this colour only.
        radius : int, optional
            With `keys`: also the datasets up to so many edges away.
        """

    @abstractmethod
    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """The edges at some datasets, in one query."""

    @abstractmethod
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> AbstractContextManager[StoredView]:
        """A graph seen from some of its datasets; at the end, Overtaken if it was changed meanwhile.

        One query to begin with, one for each time that neighbours are asked for, and one at the end.
        """

    @abstractmethod
    def account(self, population: str = DEFAULT) -> Account:
        """What was answered about a population in sum, and how much may be; without reading all of it.

        Raises
        ------
        DamagedRelease
            If the sum is not what was kept.
        """

    @abstractmethod
    def ledger(self, population: str = DEFAULT) -> Ledger:
        """What was answered about a population, and how much may be.

        Raises
        ------
        DamagedRelease
            If one of the releases is not what was kept, or they are not the ones that the account sums up.
        """

    @abstractmethod
    def ledgers(self) -> list[Ledger]:
        """The ledgers of all populations that something was answered about or allowed for, by name.

        Raises
        ------
        DamagedRelease, DamagedStore
            As ``ledger``. Damage to graphs does not matter here.
        """

    @abstractmethod
    def populations(self) -> list[str]:
        """The populations that the store knows, by name."""

    @abstractmethod
    def population_of(self, subject: str) -> str | None:
        """The population that was last asked about a subject; None if nobody was."""

    @abstractmethod
    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, in place of whatever was set before."""

    @abstractmethod
    def kept(self, subject: str, name: str) -> Release | None:
        """The release of a name about a subject, if there is one.

        Raises
        ------
        DamagedRelease
            If it is not what was kept.
        """

    @abstractmethod
    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Keep releases about one population unless there are some by their names; those that are kept.

        All or nothing, once for all time. Those that another store has given count whatever the limit, and keep their
        time.

        Raises
        ------
        BudgetSpent
            If the population's limit does not leave room for all of them.
        OtherRelease
            If one was given elsewhere, and the one of its name that is there is another.
        """

    @abstractmethod
    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Keep what another store has answered; how many releases are new. All or nothing.

        A population that this store knows keeps its limit; another gets that of its ledger. What was spent only grows.

        Raises
        ------
        OtherRelease
            If a release of the same name is there, and is not the same.
        DamagedRelease
            If what was answered here about one of the populations is damaged.
        """

    @abstractmethod
    def backup(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write a copy of the whole store to a file, whole and checked, while others use the store.

        Parameters
        ----------
        path : str or path
            The file, which its owner only may read. It is a store itself: to restore it, put it in place.
        force : bool
            Take the place of a file that is there.

        Raises
        ------
        GraphError
            If the path is no place for a backup, or a file is there.
        DamagedStore, DamagedRelease
            If the store is damaged; then what was at the path stays.
        StoreError
            If the store is on a Neo4j server, which has tools of its own.
        """

    @abstractmethod
    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        """Keep a graph's certificate, and whether its mechanism is stale, if the graph is still at that revision."""

    @abstractmethod
    def _mark_changed(self, name: str) -> None:
        """Take back a graph's certificate, and mark its mechanism as stale."""

    @abstractmethod
    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Keep the alpha of `graph` instead of the stored one; how many datasets have one. Unsets the mechanism."""

    @abstractmethod
    def _write(self, name: str, mechanism: Mechanism, notion: Notion, progress: Progress) -> None:
        """What ``write`` does, for a privacy notion that can be stored."""

    @abstractmethod
    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """The stored probabilities in the order of a graph's datasets; NaN where there are none."""

    @abstractmethod
    def _mus(self, graph: StoredGraph) -> Floats:
        """The stored mu in the order of a graph's edges; NaN where there is none."""

    @abstractmethod
    def _layers(self, info: GraphInfo) -> int:
        """How many layers a search may have before a pass over the whole graph would be cheaper, roughly.

        A layer is a query and a solution. A search that ends in a pass takes about twice as long as the pass alone.
        """

    def _made_for(self, graph: StoredGraph, info: GraphInfo) -> bool:
        """Return whether the stored mechanism was made for a graph as it was just read."""
        kept = info.mechanism
        return kept is None or self.notion(graph, kept).fingerprint(graph) == kept.fingerprint

    @abstractmethod
    def _query(self, query: str, name: str, parameters: dict[str, Any]) -> pa.Table:
        """What ``query`` does."""

    @property
    @abstractmethod
    def profiles(self) -> ProfileStore:
        """The users, items and likes that are kept beside the graphs."""

    @abstractmethod
    def select(self, text: str) -> pa.Table:
        """The result of somebody's own Cypher, which may read the graph and nothing else (:mod:`neodp.store.reading`).

        Raises
        ------
        StoreError
            If it does more than read the graph, or is no Cypher that this store takes.
        """

    @abstractmethod
    def column(self, name: str, property: str) -> pa.Table:
        """A property of a graph's datasets, whoever wrote it: the columns `key` and `value`, where there is one."""

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
        """The graphs of the store, a row each."""
        import pyarrow as pa

        return pa.Table.from_pylist([info.row() for info in self.graphs()], GraphInfo.schema())

    def _repr_html_(self) -> str:
        try:
            return html_table(repr(self), self.to_arrow())
        except NeodpError as e:  # closed, or out of reach: to be shown must not fail
            return html_table(f"{self!r}: {e}", GraphInfo.schema().empty_table())

    def info(self, name: str) -> GraphInfo:
        """What is known about a graph, in whatever state.

        Raises
        ------
        UnknownGraph
            If there is none by that name.
        """
        return refusals.found("graph", name, self.graphs(), self.address, "it is empty; load or generate a graph first")

    def ready(self, name: str) -> GraphInfo:
        """What is known about a graph that is whole.

        Raises
        ------
        UnfinishedGraph
            If its load or drop was interrupted, or is going on.
        """
        return refusals.whole("graph", self.info(name))

    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        """Keep a mechanism's probabilities on its datasets; all or nothing for every reader; how many.

        Raises
        ------
        PrivacyError
            If its privacy notion cannot be stored (:mod:`neodp.store.notions`).
        """
        from neodp.store.notions import Notion

        self._write(name, mechanism, Notion.of(mechanism, name), progress)
        return len(mechanism)

    def notion(self, graph: StoredGraph, info: MechanismInfo) -> Notion:
        """The privacy notion of the mechanism that is stored for a graph."""
        from neodp.store.notions import Notion, edge_values

        return Notion.read(info, lambda: edge_values(graph, self._mus(graph)))

    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        """The result of a canned query (:mod:`neodp.store.cypher`).

        What the query "stale" finds is known from then on, to everybody.
        """
        found = self._query(query, name, parameters)
        if query == "stale" and any(str(reason).endswith("changed") for reason in found["reason"].to_pylist()):
            with suppress(ReadOnlyStore):
                self._mark_changed(name)
        return found

    def _subject(self, query: str, name: str) -> dict[str, str]:
        """The parameter of a canned query that names its graph or profile, which must be whole."""
        from neodp.store.cypher import subject

        if subject(query) == "profile":
            return {"profiles": self.profiles.ready(name).name}
        return {"graph": self.ready(name).name}

    def mechanism(self, name: str, *, progress: Progress = silent) -> StoredMechanism:
        """The stored mechanism of a graph, whole or not at all.

        Raises
        ------
        NoMechanism
            If none is stored, writing one was interrupted, or a dataset has none.
        """
        import numpy as np

        from neodp.core.mechanism import Mechanism

        info = self.ready(name)
        if info.mechanism is None:
            raise NoMechanism(f"graph {name!r} has no whole mechanism", f"run `store.extend({name!r})` first")
        graph = self.read(name, progress=progress)
        rows = self._probabilities(graph, info)
        missing = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(missing):
            raise NoMechanism(
                f"dataset {graph.key(int(missing[0]))!r} of graph {name!r} has no probabilities: it came after the "
                "mechanism was written",
                f"run `store.extend({name!r})` again",
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
        """The optimal mechanism at some datasets (:mod:`neodp.core.ball`).

        Parameters
        ----------
        engine : "auto", "server", "client", "ball" or "whole"
            Search, or read and extend the whole graph: then the work does not depend on the datasets. By default a
            search, and the whole graph if that turns out to be cheaper and fits in memory; inside the server, if it has
            the plugin (:mod:`neodp.store.engines`).
        limit : int, optional
            How many datasets a search may see; by default about as many as are cheaper than the whole graph.
        write : bool
            Keep the probabilities on these datasets.

        Raises
        ------
        StaleMechanism
            If the store holds a mechanism that the graph no longer gives: nobody should be answered by a mixture.
        """
        from neodp.store import demand

        return demand.evaluate(self, name, keys, engine, limit, write)

    def check(self, name: str, *, engine: Engine = "auto", progress: Progress = silent) -> Ran[Check]:
        """Whether a graph can be extended (:func:`neodp.check`), and who looked."""
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
        """The optimal mechanism of a graph (:func:`neodp.extend`), kept unless told not to; and who computed it.

        Parameters
        ----------
        engine : "auto", "server" or "client"
            Who computes (:mod:`neodp.store.engines`).
        method : "line" or "prefix", optional
            As in :func:`neodp.extend`; the client then computes.
        write : bool
            Keep the probabilities on the datasets.
        """
        from neodp.store import whole

        return whole.extend(self, name, engine, method, write, progress)

    def stream(
        self, name: str, *, engine: Engine = "auto", method: Method | None = None, progress: Progress = silent
    ) -> Iterator[Row]:
        """The optimal mechanism of a graph, dataset by dataset; nothing is kept."""
        from neodp.store import whole

        return whole.stream(self, name, engine, method, progress)

    def estimate(self, name: str, *, engine: Engine = "auto") -> Ran[dict[str, Any]]:
        """The memory that ``extend`` takes, in bytes, and whose."""
        from neodp.store import whole

        return whole.estimate(self, name, engine)

    def audit(
        self, name: str, *, engine: Engine = "auto", worst: int = 5, progress: Progress = silent
    ) -> Ran[AuditedMechanism]:
        """Check the stored mechanism of a graph on every edge (:func:`neodp.audit`), and who did.

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
        """Change some parts of how much may be answered about a population, and keep the others.

        Parameters
        ----------
        releases, epsilon, delta
            The parts of a :class:`~neodp.ledger.account.Limit`; None takes one away, and what is not named stays
            (:meth:`Limit.changed <neodp.ledger.account.Limit.changed>`).
        """
        said = not isinstance(releases, EllipsisType) and not isinstance(epsilon, EllipsisType)
        said = said and (epsilon is None or not isinstance(delta, EllipsisType))  # then the old limit may be damaged
        limit = Limit() if said else self.account(normal(population)).limit
        return self.allow(population, limit.changed(releases=releases, epsilon=epsilon, delta=delta))

    def certify(self, name: str, *, verify: bool = False) -> GraphInfo:
        """What is known about a graph that is certified (:mod:`neodp.store.answers`); certified now if it is not."""
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
        """The answer of a release (:mod:`neodp.ledger.release`): the one that is kept, or one drawn now for a dataset.

        Parameters
        ----------
        key : str
            The dataset. It is evaluated on demand, and only if there is no answer yet.
        release : str
            The question's name.
        keep_key : bool
            Keep the dataset's key beside the answer.
        constant_work : bool
            Extend the whole graph, so that the time it takes does not depend on the dataset.
        verify : bool
            Read the whole graph again, so that changes by others are noticed.
        engine : "client", "server" or "auto"
            Who draws and keeps it (:mod:`neodp.store.engines`): under one name there is one answer, whoever is asked.

        Raises
        ------
        OtherQuestion
            If something else was asked under that name.
        BudgetSpent
            If the graph's population was asked about as much as is allowed.
        NotCertified, UnhitBoundary, IncompatibleAlpha, StaleMechanism
            If the graph is not in a state in which answers may be given, whatever the dataset.
        """
        from neodp.store import answers

        how = {"keep_key": keep_key, "constant_work": constant_work, "verify": verify}
        return answers.answer(self, graph, key, release, engine, **how)

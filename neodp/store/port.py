"""The port: what a store must be able to do.

A store holds several graphs, each under its own name and independent of the others. It stores the README's data model:
``(:DatasetGraph)``, ``(:Dataset)``, ``[:NEIGHBOR]``. It also promises that

* a graph that is only partly loaded is marked, and refused by everything but ``load`` and ``drop``;
* a mechanism that is only partly written is marked, and is never read as a mechanism;
* a mechanism is stored with the fingerprint of the graph it was made for, so that a change of the graph is noticed;
* a mechanism is stored with the method that found it and the privacy notion that it satisfies;
* if two processes write at once, the later one takes over, and the earlier one gets an error that says so.

A new kind of store implements :class:`Port` and :class:`ProfilePort`; what users call is built on these, once for all
stores (:mod:`neodp.store.service`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING, Any

from neodp.data.progress import Progress, silent
from neodp.hints import Call, Hint
from neodp.store import refusals
from neodp.store.records import Certificate, GraphInfo, ProfileInfo, StoredGraph

if TYPE_CHECKING:  # imported where it is used: a release about people, with no graph, needs none of it
    import pyarrow as pa

    from neodp.asking.source import PeopleFound, Wanted
    from neodp.core.mechanism import Mechanism
    from neodp.core.views import Star
    from neodp.data.graph import DatasetGraph
    from neodp.data.validation import Floats
    from neodp.ledger.account import Account, Ledger, Limit
    from neodp.ledger.release import Release
    from neodp.store.cypher import Subject
    from neodp.store.stored_privacy import StoredPrivacy
    from neodp.store.verbs import Verbs
    from neodp.store.views import StoredView
    from neodp.stretch.neighborhoods import Neighbors
    from neodp.stretch.profiles import Profiles
    from neodp.stretch.similarities import Measure

__all__ = ["Port", "ProfilePort"]


class ProfilePort(ABC):
    """The primitives of a store on sets of profiles: users, items, likes, and released neighbours."""

    address: str

    @abstractmethod
    def all(self) -> list[ProfileInfo]:
        """Return all sets of profiles, sorted by name."""

    @abstractmethod
    def load(self, name: str, profiles: Profiles, *, replace: bool, population: str | None, progress: Progress) -> None:
        """Store profiles under a name; readers see all of them or nothing."""

    @abstractmethod
    def drop(self, info: ProfileInfo, progress: Progress) -> int:
        """Delete profiles with everything that belongs to them, and return how many users there were."""

    @abstractmethod
    def read(self, name: str, progress: Progress) -> Profiles:
        """Return complete profiles."""

    @abstractmethod
    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, progress: Progress) -> int:
        """Store neighbours in place of the ones that their users have, and return how many were stored."""

    def info(self, name: str) -> ProfileInfo:
        """Return what is known about profiles, in whatever state."""
        empty = Hint("load some with ", Call("load_profiles"))
        return refusals.found("profile", name, self.all(), self.address, empty)

    def ready(self, name: str) -> ProfileInfo:
        """Return what is known about completely loaded profiles."""
        return refusals.whole("profile", self.info(name))


class Port(ABC):
    """The primitives of a store."""

    address: str
    """The address of the store, without secrets."""
    dialect: str
    """The folder of ``cypher/`` that holds the store's statements."""
    made: bool = False
    """True if the store is a file that was created when it was opened."""
    plugin: Verbs | None = None
    """The plugin inside the server; None if there is no server, or its plugin is missing or of another version."""

    # --- the store itself ---------------------------------------------------------------------------------

    @abstractmethod
    def close(self) -> None:
        """Close the store."""

    @abstractmethod
    def init(self) -> list[str]:
        """Create the missing constraints and indexes, or tables, and return their names."""

    @abstractmethod
    def role(self) -> str | None:
        """Return the role that was kept; None if none was."""

    @abstractmethod
    def put_role(self, role: str) -> None:
        """Keep the role of whoever uses the store, unless they state another one."""

    @abstractmethod
    def backup(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write a complete, checked copy of the store to a file, even while others use the store."""

    @abstractmethod
    def may_write(self) -> bool:
        """Return whether the user may write to the store, without changing anything."""

    def server(self) -> str | None:
        """Return the name and version of the server; None if there is no server."""
        return None

    def plugin_version(self) -> str | None:
        """Return the version of the server's plugin; None if there is no server, or it has no plugin."""
        return None

    # --- graphs -------------------------------------------------------------------------------------------

    @abstractmethod
    def graphs(self) -> list[GraphInfo]:
        """Return all graphs, sorted by name."""

    def info(self, name: str) -> GraphInfo:
        """Return what is known about a graph, in whatever state."""
        return refusals.found("graph", name, self.graphs(), self.address, "it is empty; load or generate a graph first")

    def ready(self, name: str) -> GraphInfo:
        """Return what is known about a completely loaded graph."""
        return refusals.whole("graph", self.info(name))

    @abstractmethod
    def load(
        self, name: str, graph: DatasetGraph, *, replace: bool, population: str | None, progress: Progress
    ) -> None:
        """Store a graph under a name; readers see all of it or nothing."""

    @abstractmethod
    def drop(self, info: GraphInfo, progress: Progress) -> int:
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
        """Return a whole graph, or the subgraph of some of its datasets."""

    @abstractmethod
    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""

    @abstractmethod
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> AbstractContextManager[StoredView]:
        """Return a graph seen from some of its datasets; raise Overtaken at the end if it was changed meanwhile.

        This takes one query at the beginning, one each time that neighbours are asked for, and one at the end.
        """

    @abstractmethod
    def layers(self, info: GraphInfo) -> int:
        """Return roughly how many layers a search may have before a pass over the whole graph would be cheaper.

        A layer is a query and a solution. A search that ends in a pass takes about twice as long as the pass alone.
        """

    @abstractmethod
    def column(self, name: str, property: str) -> pa.Table:
        """Return a property of a graph's datasets, whoever wrote it, as the columns `key` and `value`."""

    # --- alpha, mechanisms and certificates ---------------------------------------------------------------

    @abstractmethod
    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Store the alpha of `graph`, remove the mechanism, and return how many datasets have alpha."""

    @abstractmethod
    def write(self, name: str, mechanism: Mechanism, privacy: StoredPrivacy, progress: Progress) -> None:
        """Store a mechanism's probabilities on its datasets; readers see the whole mechanism or none."""

    @abstractmethod
    def probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """Return the stored probabilities in the order of a graph's datasets; NaN where there are none."""

    @abstractmethod
    def mus(self, graph: StoredGraph) -> Floats:
        """Return the stored mu in the order of a graph's edges; NaN where there is none."""

    @abstractmethod
    def certify(self, info: GraphInfo, certificate: Certificate, *, stale: bool) -> None:
        """Store a graph's certificate, and whether its mechanism is stale, if the graph is still at that revision."""

    @abstractmethod
    def mark_changed(self, name: str) -> None:
        """Revoke a graph's certificate, and mark its mechanism as stale."""

    # --- the ledger ---------------------------------------------------------------------------------------

    @abstractmethod
    def account(self, population: str) -> Account:
        """Return a population's total spending and its limit, without reading every release."""

    @abstractmethod
    def ledger(self, population: str) -> Ledger:
        """Return everything that was answered about a population, and the limit of what may be answered."""

    @abstractmethod
    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of all populations that have an answer or a limit, sorted by name."""

    @abstractmethod
    def populations(self) -> list[str]:
        """Return the names of the populations that the store knows, sorted."""

    @abstractmethod
    def population_of(self, subject: str) -> str | None:
        """Return the population that a subject's last answer was about; None if there is no answer."""

    @abstractmethod
    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject; None if there is none."""

    @abstractmethod
    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Store releases about one population in one transaction, unless their names are taken; return the stored ones.

        The same transaction asks the population's account (:meth:`Account.keep <neodp.ledger.account.Account.keep>`).
        """

    @abstractmethod
    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Store the ledgers of another store, all or nothing, and return how many releases are new."""

    @abstractmethod
    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, unless its ledger is damaged; return the ledger."""

    # --- Cypher and profiles ------------------------------------------------------------------------------

    @abstractmethod
    def protections(self) -> dict[str, str]:
        """Return the texts of all protections of graphs of people, by the name of their population."""

    @abstractmethod
    def put_protection(self, population: str, text: str) -> None:
        """Keep a protection, in place of any of the same population."""

    @abstractmethod
    def drop_protection(self, population: str) -> None:
        """Delete a protection."""

    @abstractmethod
    def people(self, wanted: Wanted) -> PeopleFound:
        """Read the matches of a question and the people, in one state of the graph of people, if there is one."""

    @abstractmethod
    def query(self, text: str, values: Mapping[str, Any], subject: Subject, name: str) -> pa.Table:
        """Return the result of a reading query about one graph or one set of profiles."""

    @abstractmethod
    def select(self, text: str) -> pa.Table:
        """Return the result of a user's own Cypher, which was checked to only read."""

    @property
    @abstractmethod
    def profiles(self) -> ProfilePort:
        """The primitives on profiles, which are stored beside the graphs."""

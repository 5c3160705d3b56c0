"""Where profiles live: users, items and likes, beside the dataset graphs of a store.

    (:User {profile, id, group})-[:LIKES {weight, value}]->(:Item {profile, id})
    (:User)-[:SIMILAR {score, rank, measure, epsilon}]->(:User)

Sets of profiles stand side by side by name, which is the property ``profile`` of their nodes; a node
``(:Profiles {name})`` says that there is one. What holds for graphs (:mod:`neodp.store.base`) holds for them: one that
is only partly loaded is refused by everything but ``load`` and ``drop``, and of two writers the later one takes over.
Neighbours are replaced whole: a user has all that were written last, or none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from neodp.ledger.question import DEFAULT
from neodp.store import refusals
from neodp.store.base import Progress, silent
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["ProfileInfo", "ProfileStore"]


@dataclass(frozen=True)
class ProfileInfo:
    """What a store knows about a set of profiles.

    `state` is "ready", "loading" or "dropping"; `population` says whose data it is (:mod:`neodp.ledger.release`).
    """

    name: str
    users: int
    items: int
    likes: int
    state: str
    created: str | None
    revision: str | None = None
    population: str = DEFAULT


class ProfileStore(ABC):
    """The profiles of a store."""

    address: str

    @abstractmethod
    def all(self) -> list[ProfileInfo]:
        """All sets of profiles, by name."""

    @abstractmethod
    def load(
        self,
        name: str,
        profiles: Profiles,
        *,
        replace: bool = False,
        population: str | None = None,
        progress: Progress = silent,
    ) -> ProfileInfo:
        """Keep profiles under a name; all or nothing for every reader.

        Parameters
        ----------
        population : str, optional
            Whose data it is; by default that of the profiles that are replaced, or "default".

        Raises
        ------
        GraphExists
            If there are profiles by that name, unless `replace`; those whose load was interrupted are always replaced.
        """

    @abstractmethod
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete profiles with all that belongs to them; how many users there were."""

    @abstractmethod
    def read(self, name: str, *, progress: Progress = silent) -> Profiles:
        """Whole profiles. A like without a weight has 0, the one that shows nothing; one without a value has 1."""

    @abstractmethod
    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, *, progress: Progress = silent) -> int:
        """Keep neighbours instead of those that their users have; how many."""

    def info(self, name: str) -> ProfileInfo:
        """What is known about profiles, in whatever state.

        Raises
        ------
        UnknownGraph
            If there are none by that name.
        """
        empty = "load some with `store.profiles.load(name, profiles)`"
        return refusals.found("profile", name, self.all(), self.address, empty)

    def ready(self, name: str) -> ProfileInfo:
        """What is known about profiles that are whole.

        Raises
        ------
        UnfinishedGraph
            If their load or drop was interrupted, or is going on.
        """
        return refusals.whole("profile", self.info(name))

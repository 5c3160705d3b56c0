"""Profiles in a store: users, items and likes, beside the dataset graphs.

    (:User {profile, id, group})-[:LIKES {weight, value}]->(:Item {profile, id})
    (:User)-[:SIMILAR {score, rank, measure, epsilon}]->(:User)

A store holds several sets of profiles, each with a name, which is the property ``profile`` of its nodes; a node
``(:NeodpProfiles {name})`` stands for the set. The rules for graphs (:mod:`neodp.store.base`) also hold here: a set
that is only partly loaded is refused by everything but ``load`` and ``drop``, and of two writers the later one takes
over. Neighbours are replaced as a whole: a user has all neighbours that were written last, or none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from neodp.data.progress import Progress, silent
from neodp.hints import Call, Hint
from neodp.ledger.question import DEFAULT
from neodp.store import refusals
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["ProfileInfo", "ProfileStore"]


@dataclass(frozen=True)
class ProfileInfo:
    """Facts about a stored set of profiles.

    `state` is "ready", "loading" or "dropping"; `population` names the people whose data it is
    (:mod:`neodp.ledger.release`).
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
        """Return all sets of profiles, sorted by name."""

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
        """Store profiles under a name; readers see all of them or nothing.

        Parameters
        ----------
        population : str, optional
            The people whose data it is; by default the population of the profiles that are replaced, or "default".

        Raises
        ------
        GraphExists
            If profiles of that name exist, unless `replace`; profiles whose load was interrupted are always replaced.
        """

    @abstractmethod
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete profiles with everything that belongs to them, and return how many users there were."""

    @abstractmethod
    def read(self, name: str, *, progress: Progress = silent) -> Profiles:
        """Return complete profiles.

        A like without a weight has the weight 0, which reveals nothing; a like without a value has the value 1.
        """

    @abstractmethod
    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, *, progress: Progress = silent) -> int:
        """Store neighbours in place of the ones that their users have, and return how many were stored."""

    def info(self, name: str) -> ProfileInfo:
        """Return what is known about profiles, in whatever state.

        Raises
        ------
        UnknownGraph
            If there are no profiles of that name.
        """
        empty = Hint("load some with ", Call("load_profiles"))
        return refusals.found("profile", name, self.all(), self.address, empty)

    def ready(self, name: str) -> ProfileInfo:
        """Return what is known about completely loaded profiles.

        Raises
        ------
        UnfinishedGraph
            If a load or a drop of the profiles was interrupted, or is in progress.
        """
        return refusals.whole("profile", self.info(name))

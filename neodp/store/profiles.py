"""Profiles in a store: users, items and likes, beside the dataset graphs.

    (:User {profile, id, group})-[:LIKES {weight, value}]->(:Item {profile, id})
    (:User)-[:SIMILAR {score, rank, measure, epsilon}]->(:User)

A store holds several sets of profiles, each with a name, which is the property ``profile`` of its nodes; a node
``(:NeodpProfiles {name})`` stands for the set. The rules for graphs (:mod:`neodp.store.port`) also hold here: a set
that is only partly loaded is refused by everything but ``load`` and ``drop``, and of two writers the later one takes
over. Neighbours are replaced as a whole: a user has all neighbours that were written last, or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.store import refusals
from neodp.store.port import Port
from neodp.store.records import ProfileInfo

if TYPE_CHECKING:
    from neodp.stretch.neighborhoods import Neighbors
    from neodp.stretch.profiles import Profiles
    from neodp.stretch.similarities import Measure

__all__ = ["ProfileStore"]


class ProfileStore:
    """The profiles of a store.

    Parameters
    ----------
    port : Port
        The primitives of the store.
    """

    def __init__(self, port: Port) -> None:
        self._port = port.profiles

    def all(self) -> list[ProfileInfo]:
        """Return all sets of profiles, sorted by name."""
        return self._port.all()

    @checked
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
        name, population = refusals.named("profile", name, population)
        self._port.load(name, profiles, replace=replace, population=population, progress=progress)
        return self._port.info(name)

    @checked
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete profiles with everything that belongs to them, and return how many users there were."""
        return self._port.drop(self._port.info(name), progress)

    @checked
    def read(self, name: str, *, progress: Progress = silent) -> Profiles:
        """Return complete profiles.

        A like without a weight has the weight 0, which reveals nothing; a like without a value has the value 1.
        """
        return self._port.read(name, progress)

    @checked
    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, *, progress: Progress = silent) -> int:
        """Store neighbours in place of the ones that their users have, and return how many were stored."""
        from neodp.stretch.similarities import Measure

        return self._port.write(profiles, found, Measure(measure), progress)

    @checked
    def info(self, name: str) -> ProfileInfo:
        """Return what is known about profiles, in whatever state.

        Raises
        ------
        UnknownGraph
            If there are no profiles of that name.
        """
        return self._port.info(name)

    @checked
    def ready(self, name: str) -> ProfileInfo:
        """Return what is known about completely loaded profiles.

        Raises
        ------
        UnfinishedGraph
            If a load or a drop of the profiles was interrupted, or is in progress.
        """
        return self._port.ready(name)

"""What has been answered, and how often a graph may be.

A *release* is one real-world question, asked once: it has a name, and its answer is drawn once and kept. Whoever asks
again under the same name gets the answer that is kept, also after the dataset has changed, and no matter how many ask
at once: each may draw for itself, one draw is kept, and nobody is shown any other. A draw that was never kept, because
its process ended first, was never seen either.

The *ledger* of a graph says how many releases it may have; one, unless somebody allows more. Every release of a graph
lets everybody learn more about the same people: n releases of mechanisms that keep (epsilon, delta) on an edge keep
(n epsilon, n delta) together (basic composition). Releases outlive their graph, or dropping it would be a way to ask
again.

What is kept is the answer, its name and its time: not the dataset that was asked for, unless that is wished, and not
its probabilities, which would tell how far it is from the boundary.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from neodp.errors import BudgetSpent, GraphError
from neodp.sampling import BITS, choose

__all__ = ["Keeper", "Ledger", "Release", "answer_once", "cost"]


@dataclass(frozen=True)
class Release:
    """An answer that was given.

    Attributes
    ----------
    graph : str
        What was asked about.
    name : str
        The question, as it is called.
    answer : str
        One of the graph's colours.
    time : str or None
        When it was kept, in UTC.
    key : str or None
        The dataset that was asked for, only where it was wished to keep that.
    """

    graph: str
    name: str
    answer: str
    time: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class Ledger:
    """The releases of a graph, by time, and how many it may have (`max_releases`)."""

    graph: str
    max_releases: int
    releases: tuple[Release, ...]

    @property
    def used(self) -> int:
        """How many releases there are."""
        return len(self.releases)

    @property
    def left(self) -> int:
        """How many more there may be."""
        return max(0, self.max_releases - self.used)

    def find(self, name: str) -> Release | None:
        """The release of a name."""
        return next((release for release in self.releases if release.name == name), None)

    def keep(self, release: Release, create: Callable[[Release], str]) -> Release:
        """The release that is kept under a name: the one that is there, or else the one given, if one is left.

        Both stores call this within the transaction that holds the ledger's lock.

        Parameters
        ----------
        create : callable
            Writes a new release, and returns the time at which it was kept.
        """
        kept = self.find(release.name)
        if kept is None:
            self.spend(release.name)
            kept = replace(release, time=create(release))
        return kept

    def spend(self, name: str) -> None:
        """Refuse a new release where none is left."""
        if not self.left:
            raise BudgetSpent(
                f"release {name!r} of {self.graph!r} is refused: requested 1, used {self.used}, "
                f"allowed {self.max_releases}",
                f"ask for one of those there are (neodp releases {self.graph}), or have more allowed with --allow",
            )


class Keeper(Protocol):
    """Where releases are kept: a store."""

    def ledger(self, graph: str) -> Ledger:
        """The ledger of a graph; an empty one where nothing was ever answered."""

    def keep(self, release: Release) -> Release:
        """Keep a release unless there is one by its name; the one that is kept. BudgetSpent if no more are allowed."""


def answer_once(
    keeper: Keeper,
    graph: str,
    name: str,
    distribution: Callable[[], Mapping[str, float]],
    *,
    key: str | None = None,
) -> Release:
    """The answer of a release: the one that is kept, or else one drawn now, once, and kept.

    Parameters
    ----------
    keeper : Keeper
        A store.
    graph : str
        What is asked about.
    name : str
        The release.
    distribution : callable
        Gives the possible answers with their probabilities; called only if there is no answer yet and one more is
        allowed.
    key : str, optional
        The dataset, if that is to be kept beside the answer.

    Raises
    ------
    BudgetSpent
        If there is none by that name, and no more are allowed.
    """
    if not name.strip():
        raise GraphError("the release has no name", "give the question a name of its own, as in --release spring")
    ledger = keeper.ledger(graph)
    kept = ledger.find(name)
    if kept is not None:
        return kept
    ledger.spend(name)
    found = distribution()
    answer = list(found)[choose(list(found.values()), secrets.randbits(BITS))]
    return keeper.keep(Release(graph, name, answer, key=key))


def cost(releases: int, epsilons: Sequence[float] = (), delta: float = 0.0) -> str:
    """What so many releases cost people with these epsilons, in plain words.

    Examples
    --------
    >>> print(cost(3, [0.5]))
    3 releases weaken what each person is promised 3 times over. Who sees all answers can shift the odds of a guess
    about a person with epsilon 0.5 by a factor of up to e^1.5 = 4.48 instead of e^0.5 = 1.65.
    """
    if releases <= 1:
        return "With 1 release at most, everybody keeps the privacy level of their edges."
    text = f"{releases} releases weaken what each person is promised {releases} times over."
    if epsilons:
        text += " Who sees all answers can shift the odds of a guess"
    for epsilon in epsilons:
        text += f"\nabout a person with epsilon {epsilon:g} by a factor of up to {_factor(releases * epsilon)}"
        text += f" instead of {_factor(epsilon)}" + ("." if epsilon == epsilons[-1] else ", and")
    return text + (f"\nDelta adds up likewise, to {min(1.0, releases * delta):g}." if delta else "")


def _factor(epsilon: float) -> str:
    return f"e^{epsilon:g}" + (f" = {math.exp(epsilon):.3g}" if epsilon < 700.0 else "")

"""What can be said of a poll before anybody's vote is read: balanced and weighted side by side.

Three figures tell the two mechanisms apart. All of them come from sizes, epsilons and a public prior.

* *Expected accuracy*: how often the answer is the true one, on average over the prior. Weighted is made for it.
* *Worst accuracy*: what every single table has at least. Balanced is made for it: it is never below a coin.
* *Where privacy goes with the answer*: those who ask for much privacy all choose one option, and all others another.
  A weighted poll hears the former least. If they are right, it can be wrong with a high chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from neodp.errors import GraphError
from neodp.polls.expected import Expected, balanced_accuracy, balanced_plurality
from neodp.polls.mechanism import Counts, Group, Plurality, Poll, Threshold, poll
from neodp.polls.prior import Prior
from neodp.polls.weighted import Weighted, weighted
from neodp.polls.weighted_plurality import WeightedPlurality

__all__ = ["Against", "Facts", "Preview", "against", "preview"]

DIFFER = 0.05
"""Mechanisms whose expected accuracy differs by more than this are not to be chosen by default."""
CUTS = 12
"""How many divisions of the people by privacy are looked at, besides the narrowest."""


@dataclass(frozen=True)
class Against:
    """A table where the people with the least epsilons choose what is true, and all others something else.

    Attributes
    ----------
    people : int
        How many they are.
    epsilon : float
        Their greatest epsilon.
    answer : str
        What they choose; it is the true answer.
    right : float
        The chance that it is the answer.
    """

    people: int
    epsilon: float
    answer: str
    right: float


@dataclass(frozen=True)
class Facts:
    """What is known of one mechanism.

    Attributes
    ----------
    poll : Poll
    expected : float
        The expected accuracy under the prior.
    method : str
        How it was found: ``exact`` sums, a ``normal`` distribution, or tables that were ``sampled`` from the prior.
    worst : float
        The accuracy that every table has at least.
    against : tuple of Against
        Tables where privacy goes with the answer, the narrowest ones first.
    """

    poll: Poll
    expected: float
    method: str
    worst: float
    against: tuple[Against, ...]

    @property
    def adversarial(self) -> float:
        """The least accuracy on those tables."""
        return min((each.right for each in self.against), default=1.0)


@dataclass(frozen=True)
class Preview:
    """Both mechanisms for one question.

    Attributes
    ----------
    prior : Prior
    balanced, weighted : Facts
        Where nothing better than balanced is found, the weighted poll is the balanced one itself.
    """

    prior: Prior
    balanced: Facts
    weighted: Facts

    @property
    def gain(self) -> float:
        """By how much the expected accuracy of weighted is greater."""
        return self.weighted.expected - self.balanced.expected

    @property
    def differ(self) -> bool:
        """Whether the choice matters so much that it should be made by somebody."""
        return self.gain > DIFFER


def preview(
    groups: Sequence[Group],
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    prior: str | Prior = "even",
) -> Preview:
    """Balanced and weighted side by side, without a vote.

    Parameters
    ----------
    groups, query, options
        As for :func:`neodp.polls.poll`.
    prior : str or Prior
        As in :mod:`neodp.polls.prior`.

    Raises
    ------
    GraphError
        If one of them is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> found = preview([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)])
    >>> round(found.balanced.expected, 3), round(found.weighted.expected, 3), found.differ
    (0.6, 0.781, True)
    >>> round(found.balanced.adversarial, 3), round(found.weighted.adversarial, 4)
    (0.525, 0.0001)
    """
    given = Prior.parse(prior)
    even, best = poll(groups, query, options), weighted(groups, query, options, given)
    facts = _facts(even, given)
    return Preview(given, facts, facts if type(best) is type(even) else _facts(best, given))


def _facts(poll: Poll, prior: Prior) -> Facts:
    found = _expected(poll, prior)
    if not math.isfinite(found.value):
        raise GraphError(
            f"how often the answer is right cannot be computed for the prior {prior.text!r}", "give another prior"
        )
    return Facts(poll, min(found.value, 1.0), found.method, poll.worst, against(poll))


def _expected(poll: Poll, prior: Prior) -> Expected:
    if isinstance(poll, Weighted):
        return Expected(poll.expected, "normal" if poll.approximate else "exact")
    if isinstance(poll, Threshold):
        return balanced_accuracy(poll, prior)
    if isinstance(poll, WeightedPlurality):
        return Expected(poll.expected, "exact" if poll.exact else "sampled")
    return balanced_plurality(cast(Plurality, poll), prior)


def against(poll: Poll) -> tuple[Against, ...]:
    """Tables where the people with the least epsilons choose what is true, and all others something else.

    First the narrowest, for each of the first two options: as few of them as make it true. Then those where whole
    groups are on one side.

    Examples
    --------
    >>> p = weighted([Group(0.001, 3), Group(2.0, 2)])
    >>> [(each.people, each.answer, round(each.right, 2)) for each in against(p)]
    [(3, 'yes', 0.07), (3, 'no', 0.07), (5, 'yes', 0.93), (5, 'no', 0.93)]
    """
    if not poll.largest_margin:
        return ()
    ends = np.unique(np.cumsum(poll._sizes)).tolist()
    if len(ends) > CUTS:
        ends = [ends[i] for i in np.linspace(0, len(ends) - 1, CUTS).astype(int)]
    fewest = [_fewest(poll, option) for option in range(2)]
    found = []
    for option in range(2):
        for people in [fewest[option], *(end for end in ends if end > fewest[option])]:
            counts = _divided(poll, people, option)
            if poll.truth(counts) == option and people:
                found.append((people != fewest[option], people, option, counts))
    found.sort(key=lambda each: each[:3])
    return tuple(
        Against(people, _greatest(poll, people), poll.options[option], poll.distribution(counts)[option])
        for _, people, option, counts in found
    )


def _fewest(poll: Poll, option: int) -> int:
    """How many must choose one of the first two options for it to be true, where all others choose the other one."""
    if isinstance(poll, Threshold):
        return poll.needed if option == 0 else poll.people - poll.needed + 1
    return (poll.people + 1) // 2 if option == 0 else poll.people // 2 + 1


def _divided(poll: Poll, people: int, option: int) -> Counts:
    """So many people of the least epsilons choose one of the first two options, all others the other one."""
    counts = np.zeros((len(poll.groups), len(poll.options)), np.int64)
    counts[:, option] = np.clip(people - (np.cumsum(poll._sizes) - poll._sizes), 0, poll._sizes)
    counts[:, 1 - option] = poll._sizes - counts[:, option]
    return counts


def _greatest(poll: Poll, people: int) -> float:
    """The greatest epsilon among so many people of the least epsilons."""
    return poll.groups[int(np.searchsorted(np.cumsum(poll._sizes), people))].epsilon

"""A comparison of the balanced and the weighted poll, before any vote is read.

Three figures distinguish the two mechanisms. All of them come from sizes, epsilons and a public prior.

* *Expected accuracy*: the chance of the true answer, on average over the prior. The weighted poll is designed for it.
* *Worst accuracy*: the least chance of the true answer at any table. The balanced poll is designed for it: it is
  never worse than a coin toss.
* *Accuracy if privacy and votes are correlated*: everybody who asks for much privacy chooses one option, and all others
  choose another. A weighted poll gives the least weight to the former. If their option is the true answer, the poll can
  be wrong with a high chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from neodp.errors import GraphError
from neodp.polls.asking import poll
from neodp.polls.choosing import weighted
from neodp.polls.expected import Expected, balanced_accuracy, balanced_plurality
from neodp.polls.mechanism import Counts, Group, Plurality, Poll, Threshold
from neodp.polls.prior import Prior
from neodp.polls.weighted import Weighted
from neodp.polls.weighted_plurality import WeightedPlurality

__all__ = ["Against", "ExpectedAccuracy", "Preview", "against", "expected_accuracy", "preview"]

DIFFER = 0.05
"""The greatest difference in expected accuracy at which a mechanism may be chosen by default."""
CUTS = 12
"""The number of divisions of the people by privacy that are considered, besides the narrowest."""


@dataclass(frozen=True)
class Against:
    """A table where the people with the least epsilons choose the true answer, and all others another option.

    Attributes
    ----------
    people : int
        The number of people with the least epsilons.
    epsilon : float
        Their greatest epsilon.
    answer : str
        The option they choose, which is the true answer.
    right : float
        The chance that the poll gives this answer.
    """

    people: int
    epsilon: float
    answer: str
    right: float


@dataclass(frozen=True)
class ExpectedAccuracy:
    """The accuracy of one mechanism, before any vote is read.

    Attributes
    ----------
    poll : Poll
    expected : float
        The expected accuracy under the prior.
    method : str
        The method that found it: ``exact`` sums, a ``normal`` distribution, or tables ``sampled`` from the prior.
    worst : float
        A lower bound on the accuracy at every table.
    against : tuple of Against
        Tables where privacy and votes are correlated, the narrowest ones first.
    """

    poll: Poll
    expected: float
    method: str
    worst: float
    against: tuple[Against, ...]

    @property
    def adversarial(self) -> float:
        """The least accuracy on the tables in ``against``."""
        return min((each.right for each in self.against), default=1.0)


@dataclass(frozen=True)
class Preview:
    """The accuracy of both mechanisms for one question.

    Attributes
    ----------
    prior : Prior
    balanced, weighted : ExpectedAccuracy
        The two mechanisms. If nothing better than balanced is found, the weighted poll is the balanced one.
    """

    prior: Prior
    balanced: ExpectedAccuracy
    weighted: ExpectedAccuracy

    @property
    def gain(self) -> float:
        """The expected accuracy of weighted minus that of balanced."""
        return self.weighted.expected - self.balanced.expected

    @property
    def differ(self) -> bool:
        """True if the mechanisms differ so much that the user should choose one."""
        return self.gain > DIFFER


def preview(
    groups: Sequence[Group],
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    prior: str | Prior = "even",
) -> Preview:
    """Compare the balanced and the weighted mechanism, without reading a vote.

    Parameters
    ----------
    groups, query, options
        As for :func:`neodp.polls.poll`.
    prior : str or Prior
        As in :mod:`neodp.polls.prior`.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

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


def _facts(poll: Poll, prior: Prior) -> ExpectedAccuracy:
    found = expected_accuracy(poll, prior)
    if not math.isfinite(found.value):
        raise GraphError(
            f"how often the answer is right cannot be computed for the prior {prior.text!r}", "give another prior"
        )
    return ExpectedAccuracy(poll, min(found.value, 1.0), found.method, poll.worst, against(poll))


def expected_accuracy(poll: Poll, prior: Prior) -> Expected:
    """Return the expected accuracy of a mechanism under a prior, and how it was found."""
    if isinstance(poll, Weighted):
        return Expected(poll.expected, "normal" if poll.approximate else "exact")
    if isinstance(poll, Threshold):
        return balanced_accuracy(poll, prior)
    if isinstance(poll, WeightedPlurality):
        return Expected(poll.expected, "exact" if poll.exact else "sampled")
    return balanced_plurality(cast(Plurality, poll), prior)


def against(poll: Poll) -> tuple[Against, ...]:
    """Return tables where the people with the least epsilons choose the true answer, and all others another option.

    The narrowest come first, for each of the first two options: just enough people choose the option to make it true.
    Then come tables where whole groups are on one side.

    Examples
    --------
    >>> p = weighted([Group(0.001, 3), Group(2.0, 2)])
    >>> [(each.people, each.answer, round(each.right, 2)) for each in against(p)]
    [(3, 'yes', 0.07), (3, 'no', 0.07), (5, 'yes', 0.93), (5, 'no', 0.93)]
    """
    if not poll.largest_margin:
        return ()
    ends = np.unique(np.cumsum(poll.sizes)).tolist()
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
    """Return how many must choose one of the first two options to make it true, if all others choose the other one."""
    if isinstance(poll, Threshold):
        return poll.needed if option == 0 else poll.people - poll.needed + 1
    return (poll.people + 1) // 2 if option == 0 else poll.people // 2 + 1


def _divided(poll: Poll, people: int, option: int) -> Counts:
    """Return the table where this many people of the least epsilons choose `option`, and all others the other one."""
    counts = np.zeros((len(poll.groups), len(poll.options)), np.int64)
    counts[:, option] = np.clip(people - (np.cumsum(poll.sizes) - poll.sizes), 0, poll.sizes)
    counts[:, 1 - option] = poll.sizes - counts[:, option]
    return counts


def _greatest(poll: Poll, people: int) -> float:
    """Return the greatest epsilon among this many people of the least epsilons."""
    return poll.groups[int(np.searchsorted(np.cumsum(poll.sizes), people))].epsilon

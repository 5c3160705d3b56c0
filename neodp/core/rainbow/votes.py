"""Plurality without a graph: which option has the most votes, for any number of people.

In the graph of ``generate.plurality`` with one group, a dataset is the number of votes for each option, and an edge
changes one vote. A dataset orders the options by their votes. Both the order and the distance from its boundary have a
closed form, so the mechanism of one dataset needs no graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from neodp.core.rainbow.choices import randomized_response
from neodp.core.rainbow.table import Table
from neodp.errors import GraphError

__all__ = ["plurality", "plurality_distance", "plurality_order"]


def plurality_order(votes: Sequence[int]) -> tuple[int, ...]:
    """Return the positions of all options by their votes, most first, with ties in the order of the options.

    Examples
    --------
    >>> plurality_order([3, 5, 3])
    (1, 0, 2)
    """
    return tuple(sorted(range(len(votes)), key=lambda option: (-votes[option], option)))


def plurality_distance(votes: Sequence[int]) -> int:
    """Return how many votes must change before the next change can change the order; -1 if nobody votes.

    It is the distance of a dataset of ``generate.plurality`` with one group from the boundary of its order, in closed
    form. For neighbouring ranks let g be the lead of the better option in votes, plus 1 if it also wins ties; then

        min over neighbouring ranks of ceil(g / 2), minus 1.

    A vote that changes takes at most 2 from a lead, and the order changes as soon as one of these leads is lost; votes
    that go from the better option of the closest two to the other take 2 each and no lead elsewhere. Votes for none of
    the options do not affect this, if everybody could also vote for one.

    Examples
    --------
    >>> plurality_distance([10, 4, 1]), plurality_distance([5, 5, 0])
    (1, 0)
    """
    if sum(votes) == 0:
        return -1
    order = plurality_order(votes)
    leads = [votes[x] - votes[y] + (x < y) for x, y in itertools.pairwise(order)]
    return min((lead + 1) // 2 for lead in leads) - 1


def plurality(votes: Sequence[int], epsilon: float, delta: float = 0.0) -> tuple[float, ...]:
    """Return the mechanism at one dataset of ``generate.plurality`` with one group and balanced alpha, with no graph.

    Any number of people is possible: the order and the distance from its boundary have a closed form, and on the
    boundary any option can become the best, so that ``balanced`` is randomised response.

    Parameters
    ----------
    votes : sequence of int
        The number of votes for each option; of options with equal votes, the first counts as better.
    epsilon, delta : float
        The privacy parameters for the change of one vote.

    Returns
    -------
    tuple of float
        The chance of each option, in the order of `votes`.

    Examples
    --------
    >>> [round(p, 6) for p in plurality([28_935, 19_584, 8_335], 0.001)]
    [0.993011, 0.003882, 0.003107]
    """
    if len(votes) < 2 or min(votes) < 0:
        raise GraphError(f"the votes are {list(votes)}", "give two numbers or more, each at least 0")
    order = plurality_order(votes)
    ranked = randomized_response(len(votes), epsilon, delta)
    alpha = [ranked[order.index(option)] for option in range(len(votes))]
    return Table({order: alpha}, epsilon, delta).at(order, plurality_distance(votes))

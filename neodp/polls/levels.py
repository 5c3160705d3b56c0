"""The accuracy of a poll if people asked for less privacy, that is, had a higher epsilon, group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neodp.data.kinds import checked
from neodp.data.validation import MAX_EPSILON
from neodp.errors import GraphError
from neodp.polls.mechanism import Group, Margin, Poll

__all__ = ["WhatIf", "raised_levels", "what_if"]


@dataclass(frozen=True)
class WhatIf:
    """The accuracy at some margin if one person in a group, or everybody in the group, had the epsilon `epsilon`."""

    group: Group
    epsilon: float
    one: Margin
    all: Margin


@checked
def what_if(poll: Poll, margin: int, raised: float, *, most: int = 20) -> list[WhatIf]:
    """Return, for each group, the accuracy at a margin if its epsilon were higher by `raised`.

    The epsilon is raised for one person in the group, and for everybody in it. Each case takes one more pass over the
    groups: the closed form needs no search, and no work per dataset. If there are more than `most` groups, only the
    largest are considered.
    """
    if not 1 <= margin <= poll.largest_margin:
        raise GraphError(f"the margin is {margin}", f"give a whole number from 1 to {poll.largest_margin:,}")
    return [
        WhatIf(group, epsilon, *(replace(poll, groups=groups).at(margin) for groups in both))
        for group, epsilon, both in raised_levels(poll.groups, raised, most=most)
    ]


def raised_levels(
    groups: Sequence[Group], raised: float, *, most: int = 20
) -> Iterator[tuple[Group, float, tuple[tuple[Group, ...], tuple[Group, ...]]]]:
    """Yield, for each group, its higher epsilon, and all groups if one person has it, and if the whole group has it.

    If there are more than `most` groups, only the largest are considered.

    Raises
    ------
    GraphError
        If `raised` is negative or not finite.
    """
    if not 0.0 <= raised < math.inf:
        raise GraphError(f"raised is {raised!r}", "give by how much an epsilon is raised, as in 0.5")
    for g in np.sort(np.argsort([-each.size for each in groups], kind="stable")[:most]).tolist():
        group = groups[g]
        epsilon = min(group.epsilon + raised, MAX_EPSILON)
        others = (*groups[:g], *groups[g + 1 :])
        rest = (replace(group, size=group.size - 1),) if group.size > 1 else ()
        one, every = (
            tuple(sorted(each, key=lambda group: group.epsilon))
            for each in ((*others, *rest, Group(epsilon, 1)), (*others, Group(epsilon, group.size)))
        )
        yield group, epsilon, (one, every)

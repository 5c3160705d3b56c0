"""The poll for a query: ``majority``, ``threshold:2/3`` or ``plurality``, with all its arguments checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Integral, Real

from neodp.data.tables import threshold_share
from neodp.data.validation import MAX_EPSILON
from neodp.errors import GraphError, near
from neodp.polls.mechanism import Group, Plurality, Poll, Threshold

__all__ = ["poll", "require_heard", "share_of", "valid_epsilon", "valid_options"]

MOST_PEOPLE = 10**9
"""The greatest number of people: products of two such numbers fit into 64 bits."""


def poll(groups: Sequence[Group], query: str = "majority", options: Sequence[str] = ("yes", "no")) -> Poll:
    """Return the poll for a query.

    Parameters
    ----------
    groups : sequence of Group
        The sizes and epsilons of the groups, in any order.
    query : str
        ``majority``: do more than half choose the first of two options? A tie means no. ``threshold:2/3``: does at
        least that share choose it? ``plurality``: which option is chosen most often? A tie goes to the option that is
        named first.
    options : strings
        The options.

    Raises
    ------
    GraphError
        If the query, a group or the options are invalid; the message says which, and what is allowed.

    Examples
    --------
    >>> p = poll([Group(0.5, 40), Group(1.0, 60)])
    >>> p.question
    "do at least 51 of 100 people choose 'yes'?"
    >>> import numpy as np
    >>> counts = np.array([[30, 10], [40, 20]])
    >>> p.options[p.truth(counts)], p.margin(counts)
    ('yes', 20)
    >>> p.distribution(counts)[1] < 1e-4
    True
    """
    if not isinstance(groups, Iterable):
        raise GraphError(f"the groups are {groups!r}", "give Groups, as in [Group(epsilon=0.5, size=40)]")
    ordered = tuple(sorted(map(_valid_group, groups), key=lambda group: group.epsilon))
    if not ordered:
        raise GraphError("nobody takes part", "a poll needs at least one person with an epsilon above 0")
    if sum(group.size for group in ordered) > MOST_PEOPLE:
        raise GraphError("there are too many people", f"a poll takes up to {MOST_PEOPLE:,}")
    names = valid_options(options)
    if not isinstance(query, str):
        raise GraphError(f"the query is {query!r}", "give majority, plurality, or a share as in threshold:2/3")
    if len(names) < 2 or len(set(names)) < len(names):
        raise GraphError(f"the options are {', '.join(names) or 'none'}", "name at least two different ones")
    if query == "plurality" and len(names) > 2:
        return Plurality(ordered, names)
    people = sum(group.size for group in ordered)
    needed = {"majority": people // 2 + 1, "plurality": (people + 1) // 2}.get(query)
    if needed is None:
        needed = math.ceil(share_of(query) * people)
    if len(names) > 2:
        raise GraphError(f"{query} is asked about {len(names)} options", "name two of them, or ask for plurality")
    return Threshold(ordered, names, needed)


def valid_epsilon(epsilon: float) -> float:
    """Return an epsilon, after checking that a person can have it.

    Raises
    ------
    GraphError
        If epsilon is negative, not a number, or above 690.
    """
    known = isinstance(epsilon, Real) and not isinstance(epsilon, bool)
    if not known or not 0.0 <= epsilon <= MAX_EPSILON:
        shown = float(epsilon) if known and abs(epsilon) < 2**1000 else epsilon
        raise GraphError(f"epsilon is {shown!r}", f"give a number from 0 to {MAX_EPSILON:g}")
    return float(epsilon) + 0.0


def valid_options(options: Sequence[str]) -> tuple[str, ...]:
    """Return options as a tuple, after checking that each is a text.

    Raises
    ------
    GraphError
        If they are no sequence of texts.
    """
    names = tuple(options) if isinstance(options, Iterable) else (options,)
    for name in names:
        if not isinstance(name, str):
            raise GraphError(f"{name!r} is given as an option", "give texts, as in ['tea', 'coffee']")
    return names


def _valid_group(group: Group) -> Group:
    """Return a group of at least one person, with a valid epsilon; else raise GraphError."""
    if not isinstance(group, Group):
        raise GraphError(f"{group!r} is given as a group", "give Groups, as in Group(epsilon=0.5, size=40)")
    valid_epsilon(group.epsilon)
    if isinstance(group.size, bool) or not isinstance(group.size, Integral) or group.size < 1:
        hint = "give at least one" if group.size == 0 else "give a whole number of at least 1"
        raise GraphError(f"the group with epsilon {group.epsilon:g} has {group.size!r} people", hint)
    return group if type(group.size) is int else replace(group, size=int(group.size))


def share_of(query: str) -> Fraction:
    """Return the share of ``threshold:2/3``, from 0 to 1, or raise GraphError."""
    try:
        return threshold_share(query)
    except ValueError:
        hint = near(query, ("majority", "plurality")) or "give majority, plurality, or a share as in threshold:2/3"
        raise GraphError(f"the query is {query!r}", hint) from None


def require_heard(asked: Poll) -> None:
    """Refuse a poll with people of epsilon 0, on whom no answer may depend.

    Raises
    ------
    GraphError
        If a group has epsilon 0.
    """
    if not asked.groups[0].epsilon:
        raise GraphError("a group has epsilon 0", "leave it out: no answer may depend on these people")

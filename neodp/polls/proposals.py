"""Epsilons for an accuracy: the way back from "right 19 times in 20" to what people must agree to.

Accuracy grows with one epsilon for everybody, with a factor on the present epsilons, or, under a prior, with the number
of people. For each of the three, bisection finds the least number that reaches the accuracy; it is rounded up to three
digits, and the accuracy that is stated is computed again at the rounded number.

With a *margin*, the accuracy is the guaranteed one: the chance of the true answer at every table where so many people
would have to answer otherwise to change it. For a count it is the chance to be off by at most so many people. Without
one, it is the expected accuracy under the prior. Nothing depends on a vote.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from neodp.data.validation import MAX_EPSILON
from neodp.errors import GraphError
from neodp.polls.mechanism import Group

__all__ = ["Measure", "Proposal", "proposal", "valid_accuracy"]

Measure = Callable[[Sequence[Group]], float]
"""A function from groups to an accuracy, which grows with every epsilon."""
LEAST = 1e-3
"""The least epsilon that is proposed."""
PEOPLE = 1_000
"""The greatest factor on the number of people that is tried."""
STEPS = 12
"""The number of halvings: a number is then known up to three digits."""


@dataclass(frozen=True)
class Proposal:
    """The ways to reach an accuracy; None where there is none.

    Attributes
    ----------
    accuracy : float
        The accuracy that is wanted.
    now : float
        The accuracy with the present epsilons.
    epsilon : float or None
        One epsilon for everybody.
    epsilon_reaches : float or None
        The accuracy with it.
    factor : float or None
        A factor on everybody's present epsilon.
    factor_reaches : float or None
    people : int or None
        How many people there must be in all, in the present proportions; None if more people do not help.
    people_reaches : float or None
    """

    accuracy: float
    now: float
    epsilon: float | None
    epsilon_reaches: float | None
    factor: float | None
    factor_reaches: float | None
    people: int | None
    people_reaches: float | None


def valid_accuracy(accuracy: float) -> float:
    """Return an accuracy, after checking that it can be wanted.

    Raises
    ------
    GraphError
        If it is not above 0 and below 1.
    """
    known = isinstance(accuracy, int | float) and not isinstance(accuracy, bool)
    if not known or not 0.0 < accuracy < 1.0:
        raise GraphError(f"the accuracy is {accuracy!r}", "give a number above 0 and below 1, such as 0.95")
    return float(accuracy)


def proposal(
    measure: Measure, groups: Sequence[Group], accuracy: float, *, apart: bool = False, more_people: bool = True
) -> Proposal:
    """Find one epsilon for everybody, a factor, and a number of people that reach an accuracy.

    Parameters
    ----------
    measure : function
        The accuracy for some groups.
    groups : sequence of Group
        The people with their present epsilons.
    accuracy : float
    apart : bool
        True if levels matter beyond their epsilons, as for a prior that names them.
    more_people : bool
        False if the number of people is not wanted.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> found = proposal(lambda groups: poll(groups).worst_at(3), [Group(0.5, 10), Group(1.0, 11)], 0.95)
    >>> found.epsilon, round(found.epsilon_reaches, 4), found.factor, found.people
    (0.884, 0.9501, 1.77, None)
    """
    wanted = valid_accuracy(accuracy)
    people = sum(group.size for group in groups)
    now = measure(groups)

    def same(epsilon: float) -> float:
        return measure([replace(group, epsilon=epsilon) for group in groups] if apart else [Group(epsilon, people)])

    def scaled(factor: float) -> float:
        return measure([replace(group, epsilon=min(group.epsilon * factor, MAX_EPSILON)) for group in groups])

    def more(number: float) -> float:
        return measure([replace(group, size=math.ceil(group.size * number / people)) for group in groups])

    epsilon = _least(same, wanted, LEAST, MAX_EPSILON)
    top = MAX_EPSILON / max(group.epsilon for group in groups)
    factor = _least(scaled, wanted, LEAST, top)
    found: tuple[float, float] | None = (float(people), now) if now >= wanted else None
    if more_people and found is None and more(2.0 * people) > now + 1e-9:
        found = _least(more, wanted, float(people), float(PEOPLE * people))
    return Proposal(
        wanted,
        now,
        None if epsilon is None else epsilon[0],
        None if epsilon is None else epsilon[1],
        None if factor is None else factor[0],
        None if factor is None else factor[1],
        None if found is None else math.ceil(found[0]),
        None if found is None else found[1],
    )


def _least(reaches: Callable[[float], float], wanted: float, low: float, high: float) -> tuple[float, float] | None:
    """Return the least number that reaches an accuracy, rounded up to three digits, and what it reaches."""
    at_once = reaches(low)
    if at_once >= wanted:
        return low, at_once
    step = min(low * 4.0, high)
    while reaches(step) < wanted:  # upwards, since large numbers take long
        if step >= high:
            return None
        low, step = step, min(step * 4.0, high)
    high = step
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reaches(middle) >= wanted else (middle, high)
    digits = 2 - math.floor(math.log10(high))
    rounded = math.ceil(round(high * 10.0**digits, 6)) / 10.0**digits
    return rounded, reaches(rounded)

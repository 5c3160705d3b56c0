"""Epsilons for an accuracy: the way back from "right 19 times in 20" to what people must agree to.

Accuracy grows with one epsilon for everybody, with a factor on the present epsilons, or, under a prior, with the number
of people. For each of the three, the least number of three digits that reaches the accuracy is searched. Where an
accuracy takes a linear program, a lower bound in closed form says where to look, so that few programs are solved.

With a *margin*, the accuracy is the guaranteed one: the chance of the true answer at every table where that many people
would have to answer differently to change it. For a count it is the chance of being off by at most that many. Without
one, it is the expected accuracy under the prior. Nothing depends on a vote.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

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
MOST_TRIED = 60
"""The greatest number of accuracies that are computed in one search."""


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
    measure: Measure,
    groups: Sequence[Group],
    accuracy: float,
    *,
    apart: bool = False,
    more_people: bool = True,
    guess: Measure | None = None,
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
    guess : function, optional
        An approximation of the accuracy that takes less time. It decides where the search begins, and nothing else.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> found = proposal(lambda groups: poll(groups).worst_at(3), [Group(0.5, 10), Group(1.0, 11)], 0.95)
    >>> found.epsilon, round(found.epsilon_reaches, 4), found.factor, found.people
    (0.884, 0.9501, 1.77, None)
    """
    wanted = valid_accuracy(accuracy)
    people = sum(group.size for group in groups)
    near = None if guess is None else cache(guess)
    at = cache(measure)
    now = at(tuple(groups))

    def same(epsilon: float) -> tuple[Group, ...]:
        return tuple(replace(group, epsilon=epsilon) for group in groups) if apart else (Group(epsilon, people),)

    def scaled(factor: float) -> tuple[Group, ...]:
        return tuple(replace(group, epsilon=min(group.epsilon * factor, MAX_EPSILON)) for group in groups)

    def more(number: float) -> tuple[Group, ...]:
        return tuple(replace(group, size=math.ceil(group.size * number / people)) for group in groups)

    def least(change: Callable[[float], tuple[Group, ...]], low: float, high: float) -> tuple[float, float] | None:
        quick = None if near is None else lambda number: near(change(number))
        whole = _whole if change is more else None
        return _least(lambda number: at(change(number)), wanted, low, high, quick, whole)

    epsilon = least(same, LEAST, MAX_EPSILON)
    factor = least(scaled, LEAST, MAX_EPSILON / max(group.epsilon for group in groups))
    found: tuple[float, float] | None = (float(people), now) if now >= wanted else None
    if more_people and found is None and at(more(2.0 * people)) > now + 1e-9:
        found = least(more, float(people), float(PEOPLE * people))
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


def _least(
    reaches: Callable[[float], float],
    wanted: float,
    low: float,
    high: float,
    guess: Callable[[float], float] | None = None,
    digits: Callable[[float], float] | None = None,
) -> tuple[float, float] | None:
    """Return the least number of three digits that reaches an accuracy, and what it reaches; None if none does.

    The next number to try is where `guess`, moved by its error at the last number, reaches the accuracy; without a
    guess, it is interpolated between the nearest numbers known. From the sixth number on, what is left is halved.
    """
    up = digits or _three_digits
    below, above = 0.0, math.inf
    value: dict[float, float] = {}
    tried, off = up(low), 0.0
    for turn in range(MOST_TRIED):
        if guess is not None and turn < 6:
            tried = up(_root(guess, wanted - off, low, high))
        elif above < math.inf:
            start = max(below, low / 2.0)
            tried = up(math.sqrt(start * above) if turn >= 6 or not below else _between(value, below, above, wanted))
        elif below:
            tried = up(min(below * 4.0, high))
        tried = min(max(tried, up(low), up(below * (1.0 + 1e-9)) if below else 0.0), up(high))
        if tried >= above:
            tried = _before(above, up)
        if tried <= below or tried in value:
            break
        value[tried] = reaches(tried)
        off = value[tried] - guess(tried) if guess is not None else 0.0
        below, above = (below, tried) if value[tried] >= wanted else (tried, above)
        if above <= up(low) or below >= up(high):
            break
    return (above, value[above]) if above < math.inf else None


def _three_digits(number: float) -> float:
    """Return a number rounded up to three digits."""
    digits = 2 - math.floor(math.log10(number))
    return math.ceil(round(number * 10.0**digits, 6)) / 10.0**digits


def _whole(number: float) -> float:
    """Return a number rounded up to a whole one of three digits, or to a whole one below 1,000."""
    return float(math.ceil(round(_three_digits(number), 6)))


def _before(number: float, up: Callable[[float], float]) -> float:
    """Return the last number of three digits before one of them."""
    step = 10.0 ** (math.floor(math.log10(number * (1.0 - 1e-9))) - 2)
    return up(number - (max(step, 1.0) if up is _whole else step))


def _between(value: dict[float, float], below: float, above: float, wanted: float) -> float:
    """Return where the accuracy, linear in the logarithm, would be reached."""
    share = (wanted - value[below]) / max(value[above] - value[below], 1e-12)
    return below * math.exp(math.log(above / below) * min(max(share, 0.0), 1.0))


def _root(guess: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Return where a guess, which may be evaluated often, reaches an accuracy; `high` if nowhere."""
    while guess(low) < wanted:
        step = min(low * 2.0, high)
        if guess(step) >= wanted:
            for _ in range(STEPS - 2):
                middle = math.sqrt(low * step)
                low, step = (low, middle) if guess(middle) >= wanted else (middle, step)
            return step
        if step >= high:
            return high
        low = step
    return low

"""Planning of a poll: the accuracy of both mechanisms by margin, before any vote is read.

Everything is computed from sizes, epsilons and a prior (:mod:`neodp.polls.comparison`); there are no votes here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from neodp.data.formatting import count
from neodp.data.tables import number, whole
from neodp.data.validation import MAX_EPSILON, large_epsilon
from neodp.errors import GraphError
from neodp.explore.overview import chance
from neodp.explore.source import Source
from neodp.polls import Group
from neodp.polls import poll as balanced
from neodp.polls.comparison import ExpectedAccuracy, Preview, preview
from neodp.polls.proposals import proposal, valid_accuracy

__all__ = ["STUDY", "aim", "pictured", "poll", "population"]

STUDY = [(0.1, 10), (1.0, 10), (2.0, 11)]
"""The example that is shown before the first poll: epsilons, and how many people have each."""
PEOPLE = 100_000
GROUPS = 8
OPTIONS = 12
MARGINS, MARGIN = 48, 5
"""The limits on people, groups and options; the number of margins in a picture, and the margin to begin with."""


def population(source: Source) -> list[dict[str, Any]]:
    """Return the groups to begin with: those of the poll that was answered last, else an example."""
    with source.store() as store:
        ledgers = [store.ledger(name) for name in store.populations()]
    releases = sorted((r for ledger in ledgers for r in ledger.releases), key=lambda r: r.time or "", reverse=True)
    for release in releases:
        groups = [(level.epsilon, level.people, level.name) for level in release.levels if level.people]
        if groups and len(groups) <= GROUPS and len(groups) == len(release.levels):
            return [{"epsilon": e, "people": n, "name": name} for e, n, name in groups]
    return [{"epsilon": e, "people": n, "name": None} for e, n in STUDY]


def poll(given: Any) -> dict[str, Any]:
    """Return the accuracy of both mechanisms for some groups.

    Parameters
    ----------
    given : mapping
        ``groups``: a list of {epsilon, people}; ``query`` and ``prior`` as for ``neodp poll``; ``options``: the number
        of options, for a plurality.

    Raises
    ------
    GraphError
        If a value is invalid; the message says what is allowed.
    """
    groups, query, options = _asked(given)
    return pictured(preview(groups, query, options, prior=str(given.get("prior", "even"))))


def aim(given: Any) -> dict[str, Any]:
    """Return the epsilon for an accuracy, or the accuracy of an epsilon, guaranteed at a margin by balanced.

    Parameters
    ----------
    given : mapping
        ``groups``, ``query`` and ``options`` as for :func:`poll`; ``margin``: how many people would have to vote
        otherwise to change the true answer, by default 5, or the greatest there is. ``change``: ``epsilon``, one for
        everybody, or ``factor``, on everybody's own. ``accuracy``: the one that is wanted, between 0 and 1, or
        ``value``: the epsilon or factor.

    Returns
    -------
    dict
        ``value``, None if nothing reaches the accuracy; ``reaches``: the accuracy with it; ``now``: that of the present
        epsilons; ``largest``: the greatest margin; and the same in words.

    Raises
    ------
    GraphError
        If a value is invalid; the message says what is allowed.
    """
    groups, query, options = _asked(given)
    largest = balanced(groups, query, options).largest_margin
    change = "factor" if given.get("change") == "factor" else "epsilon"
    try:
        margin = min(MARGIN, largest) if given.get("margin") is None else whole(str(given["margin"]))
        wanted = None if given.get("accuracy") is None else number(str(given["accuracy"]))
        value = None if wanted is not None else number(str(given["value"]))
    except (KeyError, ValueError, OverflowError):
        raise GraphError("the accuracy cannot be read", "give an accuracy or an epsilon, and a margin") from None
    if not largest:
        raise GraphError("only one answer is possible, and it is always right", "ask another question, or more people")
    if not 1 <= margin <= largest:
        raise GraphError(f"the margin is {margin:,}", f"give a number from 1 to {largest:,}")

    def right(people: Sequence[Group]) -> float:
        return balanced(people, query, options).worst_at(margin)

    reaches: float | None
    if value is None:
        found = proposal(right, groups, valid_accuracy(cast(float, wanted)), more_people=False)
        value, reaches = getattr(found, change), getattr(found, f"{change}_reaches")
    else:
        same = change == "epsilon"
        reaches = right(
            [replace(group, epsilon=value if same else min(group.epsilon * value, MAX_EPSILON)) for group in groups]
        )
    return {
        "value": value,
        "reaches": reaches,
        "now": right(groups),
        "margin": margin,
        "largest": largest,
        "words": _aimed(change, value, reaches, margin),
        "now_words": f"With the epsilons of the groups as they are: right {_times(right(groups))}.",
    }


def _times(share: float) -> str:
    """Return a chance as so many times in 100, rounded down."""
    if share > 0.99 + 1e-11:
        return "more than 99 times in 100"
    return f"at least {math.floor(100.0 * share + 1e-9)} times in 100"


def _aimed(change: str, value: float | None, reaches: float | None, margin: int) -> str:
    """Return an accuracy and its epsilon in words."""
    votes = f"at a margin of {count(margin, 'vote')}"
    if value is None or reaches is None:
        return f"No epsilon that neodp accepts is right this often {votes}."
    how = (
        f"if everybody has epsilon {value:.3g}"
        if change == "epsilon"
        else f"with {value:.3g} times everybody's epsilon"
    )
    return f"Right {_times(reaches)} {votes}, {how}."


def _asked(given: Any) -> tuple[list[Group], str, Sequence[str]]:
    """Return the groups, the query and the options of a request."""
    try:
        groups = [Group(number(str(each["epsilon"])), whole(str(each["people"]))) for each in given["groups"]]
        query, options = str(given.get("query", "majority")), whole(str(given.get("options", 3)))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise GraphError("the groups cannot be read", "give each an epsilon and a number of people") from None
    people = sum(group.size for group in groups)
    if people > PEOPLE or len(groups) > GROUPS:
        raise GraphError(
            f"there are {len(groups)} groups of {people:,} people",
            f"up to {GROUPS} groups and {PEOPLE:,} people can be shown here; 'neodp poll' takes any number",
        )
    if not 2 <= options <= OPTIONS:
        raise GraphError(f"there are {options} options", f"give a number from 2 to {OPTIONS}")
    return groups, query, [chr(ord("A") + i) for i in range(options)] if query == "plurality" else ("yes", "no")


def pictured(both: Preview) -> dict[str, Any]:
    """Return the accuracy of both mechanisms of a poll by margin."""
    asked = both.balanced.poll
    named = {"balanced": both.balanced, "weighted": both.weighted}
    if both.weighted is both.balanced:
        named.pop("weighted")
    margins = _margins(both.balanced)
    return {
        "question": asked.question,
        "people": asked.people,
        "coin": 1 / len(asked.options),
        "margins": margins,
        "caution": large_epsilon([group.epsilon for group in asked.groups]),
        "mechanisms": [{"name": name, **_facts(facts, margins)} for name, facts in named.items()],
    }


def _margins(facts: ExpectedAccuracy) -> list[int]:
    most = facts.poll.margin_for(0.999) or facts.poll.largest_margin
    return (
        [] if not facts.poll.largest_margin else np.unique(np.linspace(1, max(1, most), MARGINS).astype(int)).tolist()
    )


def _facts(facts: ExpectedAccuracy, margins: list[int]) -> dict[str, Any]:
    known = [facts.poll.at(margin) for margin in margins]
    return {
        "expected": chance(facts.expected),
        "method": facts.method,
        "worst": chance(facts.worst),
        "against": chance(facts.adversarial),
        "least": [chance(each.worst) for each in known],
        "even": [None if each.even is None else chance(each.even) for each in known],
    }

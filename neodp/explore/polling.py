"""Planning of a poll: the accuracy of both mechanisms by margin, before any vote is read.

Everything is computed from sizes, epsilons and a prior (:mod:`neodp.polls.comparison`); there are no votes here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neodp.data.tables import number, whole
from neodp.errors import GraphError
from neodp.explore.overview import chance
from neodp.explore.source import Source
from neodp.polls import Group
from neodp.polls.comparison import ExpectedAccuracy, Preview, preview

__all__ = ["STUDY", "pictured", "poll", "population"]

STUDY = [(0.1, 10), (1.0, 10), (2.0, 11)]
"""The example that is shown before the first poll: epsilons, and how many people have each."""
PEOPLE = 100_000
GROUPS = 8
OPTIONS = 12
MARGINS = 48
"""The limits on people, groups and options, and the number of margins at which the accuracy is drawn."""


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
    try:
        groups = [Group(number(str(each["epsilon"])), whole(str(each["people"]))) for each in given["groups"]]
        query, prior = str(given.get("query", "majority")), str(given.get("prior", "even"))
        count = whole(str(given.get("options", 3)))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise GraphError("the groups cannot be read", "give each an epsilon and a number of people") from None
    people = sum(group.size for group in groups)
    if people > PEOPLE or len(groups) > GROUPS:
        raise GraphError(
            f"there are {len(groups)} groups of {people:,} people",
            f"up to {GROUPS} groups and {PEOPLE:,} people can be shown here; 'neodp poll' takes any number",
        )
    if not 2 <= count <= OPTIONS:
        raise GraphError(f"there are {count} options", f"give a number from 2 to {OPTIONS}")
    options = [chr(ord("A") + i) for i in range(count)] if query == "plurality" else ("yes", "no")
    return pictured(preview(groups, query, options, prior=prior))


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

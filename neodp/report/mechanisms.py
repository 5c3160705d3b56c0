"""Mechanisms as whole numbers, for certificates: each kind in the form that :mod:`neodp.ledger.verification` checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from neodp.asking.matches import MOST_EPSILON
from neodp.asking.mechanism import AtLeast, Counting
from neodp.compiled import kernel
from neodp.core.mechanism import Mechanism
from neodp.data.graph import DatasetGraph
from neodp.data.validation import UNIT
from neodp.ledger.certificate import chance
from neodp.ledger.verification import LISTED
from neodp.polls.chance_programs import ONE
from neodp.polls.costs import crossing, units
from neodp.polls.mechanism import Group, Plurality, Poll, Threshold
from neodp.polls.outcomes.figures import OutcomeAccuracy
from neodp.polls.outcomes.query import UNIT as OUTCOME_UNIT
from neodp.polls.secret import RATE, STEP, SecretPoll
from neodp.polls.weighted import Weighted
from neodp.polls.weighted_plurality import WeightedPlurality

__all__ = ["KINDS", "MOST_EDGES", "Own", "of_graph", "of_outcomes", "of_own", "of_poll"]

Own: TypeAlias = AtLeast | Counting | SecretPoll
"""The mechanisms for people whose epsilons nobody learns."""

MOST_EDGES = 50_000
"""The greatest number of edges of a graph that a certificate lists."""


def of_poll(poll: Poll, part: str | None = None) -> dict[str, Any]:
    """Return the mechanism of a poll, which does not depend on the votes.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> found = of_poll(poll([Group(1.0, 3)]))
    >>> found["kind"], found["needed"], found["groups"][0]["units"] == 2**50 - 2
    ('balanced', 2, True)
    """
    return {"part": part, "options": list(poll.options)} | KINDS[type(poll)](poll)


def _groups(people: Sequence[Group], **more: Any) -> list[dict[str, Any]]:
    """Return the groups with further columns."""
    own = [{"level": group.level, "epsilon": group.epsilon, "people": group.size} for group in people]
    rest = [dict(zip(more, values, strict=True)) for values in zip(*more.values(), strict=True)]
    return [a | b for a, b in zip(own, rest or [{}] * len(own), strict=True)]


def _balanced(poll: Any) -> dict[str, Any]:
    k = len(poll.options)
    whole = [units(group.epsilon, k) for group in poll.groups]
    groups = _groups(poll.groups, units=whole, crossing=[crossing(each, k) for each in whole])
    return {"kind": "balanced", "needed": getattr(poll, "needed", None), "groups": groups}


def _scores(poll: Any) -> dict[str, Any]:
    rows = zip(poll.first.tolist(), poll.second.tolist(), strict=True)
    return {
        "kind": "scores",
        "needed": poll.needed,
        "groups": _groups(poll.groups, weight=[int(weight) for weight in poll.weights]),
        "low": int(poll.low),
        "below": int(poll.below),
        "above": int(poll.above),
        "chances": [[0, *chance(p)] if p <= q else [1, *chance(q)] for p, q in rows],
    }


def _plurality(poll: Any) -> dict[str, Any]:
    weights = {} if poll.kind == "tables" else {"weight": [int(weight) for weight in poll.weights]}
    own: dict[str, Any] = {"kind": poll.kind, "groups": _groups(poll.groups, **weights)}
    if poll.kind == "flip":
        return own | {"rate": int(poll.rate)}
    if poll.kind != "tables":
        own["reach"] = int(poll.reach)
    return own | {"rows": [[list(key), [int(p * ONE) for p in row]] for key, row in poll.rows.items()]}


KINDS: dict[type[Poll], Callable[[Any], dict[str, Any]]] = {
    Threshold: _balanced,
    Plurality: _balanced,
    Weighted: _scores,
    WeightedPlurality: _plurality,
}
"""The kinds of polls that certificates have."""


def of_outcomes(drawn: OutcomeAccuracy, query: str, part: str | None = None) -> list[dict[str, Any]]:
    """Return the mechanism of a question with several outcomes; one for each option if every option is counted.

    Neither the votes nor, in a ranking, the ballots that were cast are in it.

    Examples
    --------
    >>> from neodp.polls import Group
    >>> from neodp.polls.outcomes.figures import outcome_preview
    >>> from neodp.polls.outcomes.quantile import Quantile
    >>> from neodp.polls.prior import Prior
    >>> median = outcome_preview(Quantile(tuple("123")), [Group(0.5, 3)], Prior()).balanced
    >>> (found,) = of_outcomes(median, "median")
    >>> found["kind"], found["options"], found["groups"][0]["units"], found["unit"] == 2 * found["rate"] == 2**-16
    ('by distance', ['1', '2', '3'], 32768, True)
    """
    how = drawn.how
    own = {
        "options": list(drawn.query.outcomes),
        "kind": {"distance": "by distance", "heard": "by weight", "noise": "with noise"}[how.kind],
        "unit": OUTCOME_UNIT,
        "rate": OUTCOME_UNIT if how.kind == "noise" else OUTCOME_UNIT / 2,
        "groups": _groups(drawn.groups, units=list(how.units)),
    }
    return [{"part": part, "counted": each, **own} for each in (drawn.query.options if query == "counts" else [None])]


def of_own(mechanism: Own) -> dict[str, Any]:
    """Return a mechanism for people whose epsilons nobody learns: its parameters, which do not depend on the people.

    Examples
    --------
    >>> found = of_own(AtLeast(500, 0.05))
    >>> found["kind"], found["options"], found["chances"][0][:2]
    ('at least', ['yes', 'no'], [0, 0])
    >>> of_own(Counting((0, 10, 100), coarse=True))["options"]
    ['0 to 9', '10 to 99', '100 or more']
    """
    if isinstance(mechanism, SecretPoll):
        two = len(mechanism.options) == 2
        kind, rate = ("heard scores", RATE / UNIT) if two else ("heard flip", STEP / 2)
        own = {"options": list(mechanism.options), "kind": kind, "cap": mechanism.cap, "step": STEP, "rate": rate}
    elif isinstance(mechanism, AtLeast):
        rows = []
        for k in LISTED:
            yes, no = mechanism.chances(k).values()
            rows.append([k, 0, *chance(yes)] if yes <= no else [k, 1, *chance(no)])
        own = {"options": list(mechanism.answers), "kind": "at least", "cap": MOST_EPSILON, "unit": mechanism.unit}
        own |= {"factor": float(kernel.factor(mechanism.unit)), "chances": rows}
    else:
        own = {"options": list(mechanism.answers), "kind": "ranges", "cap": MOST_EPSILON, "unit": mechanism.unit}
        own |= {"rate": mechanism.unit / 2, "shift": mechanism.shift, "depth": mechanism.depth}
    return {"part": None, **own}


def of_graph(graph: DatasetGraph, mechanism: Mechanism) -> dict[str, Any]:
    """Return the mechanism on a graph: all datasets with their chances, and all edges."""
    keys, alpha = graph.keys.to_pylist(), graph.alpha
    datasets = []
    for i, row in enumerate(mechanism.probabilities.tolist()):
        largest = row.index(max(row))
        known = None if np.isnan(alpha[i]).any() else alpha[i].tolist()
        order = None if graph.preference is None else graph.preference[i].tolist()
        chances = [None if j == largest else chance(p) for j, p in enumerate(row)]
        each = {"key": keys[i], "color": int(graph.color[i]), "alpha": known, "preference": order, "chances": chances}
        datasets.append(each)
    columns = (graph.source, graph.target, graph.epsilon, graph.delta)
    edges = [list(edge) for edge in zip(*(column.tolist() for column in columns), strict=True)]
    return {"part": None, "options": list(graph.colors), "kind": "graph", "datasets": datasets, "edges": edges}

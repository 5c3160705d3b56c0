"""The question for a query such as ``median``, ``quantile:0.9``, ``count:yes``, ``counts`` or ``ranking``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from neodp.data.tables import fraction, whole
from neodp.errors import GraphError, near
from neodp.hints import Hint, Option
from neodp.polls.outcomes.counting import Count, ranges_of
from neodp.polls.outcomes.quantile import Quantile
from neodp.polls.outcomes.query import OutcomeQuery
from neodp.polls.outcomes.ranking import Ballot, Ranking

__all__ = ["NAMES", "has_outcomes", "outcome_queries"]

NAMES = ("median", "quantile", "count", "counts", "ranking")
"""The names of these queries, without their arguments."""
MOST_RANGES = 20_000
"""The greatest number of ranges."""


def has_outcomes(query: object) -> bool:
    """Return whether a query is one of these.

    Examples
    --------
    >>> has_outcomes("quantile:0.9"), has_outcomes("majority")
    (True, False)
    """
    return isinstance(query, str) and query.partition(":")[0] in NAMES


def outcome_queries(
    query: str,
    options: Sequence[str],
    people: int,
    *,
    ranges: str | None = None,
    ballots: Sequence[Ballot] = (),
) -> Mapping[str | None, OutcomeQuery]:
    """Return the question for a query; for ``counts`` one for each option, by its name.

    Parameters
    ----------
    query : str
    options : strings
        The options; for quantiles in ascending order.
    people : int
        The number of people who are asked.
    ranges : str, optional
        For counts: the width of all ranges, as in ``50``, or their first numbers, as in ``0,100,200``.
    ballots : sequence of ballots
        For rankings: the ballots that the columns of a table stand for.

    Raises
    ------
    GraphError
        If the query, the options or the ranges are invalid.

    Examples
    --------
    >>> outcome_queries("count:no", ("yes", "no"), 5, ranges="2")[None].outcomes
    ('0 to 1', '2 to 3', '4 to 5')
    """
    kind, _, rest = query.partition(":")
    names = tuple(options)
    if len(names) < 2 or len(set(names)) < len(names):
        raise GraphError(f"the options are {', '.join(names) or 'none'}", "name at least two different ones")
    if ranges is not None and kind not in ("count", "counts"):
        raise GraphError(f"{kind} has no ranges", Hint("leave out ", Option("ranges"), ", or ask for count"))
    if rest and kind in ("median", "counts", "ranking"):
        raise GraphError(f"the query is {query!r}", f"give {kind} alone")
    if kind == "median":
        return {None: Quantile(names)}
    if kind == "quantile":
        return {None: Quantile(names, _share(query, rest))}
    if kind == "ranking":
        return {None: Ranking(names, tuple(ballots))}
    starts = _starts(people, ranges)
    if kind == "counts":
        return {name: Count(names, i, people, starts) for i, name in enumerate(names)}
    option = rest or names[0]
    if option not in names:
        hint = near(option, names) or f"the options are {', '.join(names)}"
        raise GraphError(f"the query is {query!r}, and {option!r} is not an option", hint)
    return {None: Count(names, names.index(option), people, starts)}


def _share(query: str, text: str) -> Fraction:
    try:
        return fraction(text)
    except ValueError:
        raise GraphError(f"the query is {query!r}", "give a number above 0 and at most 1, as in quantile:0.9") from None


def _starts(people: int, ranges: str | None) -> tuple[int, ...]:
    """Return the first numbers of the ranges."""
    if ranges is None:
        return ranges_of(people)
    try:
        numbers = [whole(each.strip()) for each in str(ranges).split(",")]
    except ValueError:
        hint = "give the width of all ranges, as in 50, or the first number of each, as in 0,100,200"
        raise GraphError(f"the ranges are {ranges!r}", hint) from None
    if len(numbers) == 1 and numbers[0] < 1:
        raise GraphError(f"the ranges are {ranges!r}", "give a width of at least 1")
    found = ranges_of(people, numbers[0]) if len(numbers) == 1 else tuple(numbers)
    if len(found) > MOST_RANGES:
        raise GraphError(f"there are {len(found):,} ranges", f"give at most {MOST_RANGES:,}, that is wider ones")
    return found

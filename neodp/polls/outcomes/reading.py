"""A question with several outcomes, from the columns of a table: votes are counted by group, and so are ballots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neodp.data.tables import Problems
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.hints import Hint, Option
from neodp.polls.cells import WORDS, Cells
from neodp.polls.mechanism import Group
from neodp.polls.outcomes.parsing import outcome_queries
from neodp.polls.outcomes.query import Ints
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.outcomes.ranking import Ballot
from neodp.polls.people import People
from neodp.polls.prior import Prior
from neodp.polls.question import MechanismName
from neodp.polls.table import Tally, tally, vote_codes

__all__ = ["ballots_of", "outcome_question"]


def outcome_question(
    people: People,
    columns: Sequence[str],
    epsilon: Floats,
    rows: Ints | None,
    query: str,
    options: Sequence[str] | None,
    levels: Mapping[str, float],
    cells: Cells,
    problems: Problems,
    *,
    ranges: str | None = None,
    mechanism: MechanismName = "balanced",
    prior: Prior,
    part: str | None = None,
) -> OutcomeQuestion:
    """Return the question about some columns of votes, and some of the people.

    Raises
    ------
    GraphError
        If nobody takes part, a cell is invalid, or the query does not fit.
    """
    name = " ".join(column.strip() for column in columns)
    ballots: tuple[Ballot, ...] = ()
    if query == "ranking":
        counted, ballots = ballots_of(people, columns, epsilon, rows, options or (), levels, cells, problems)
    else:
        counted = tally(
            people.columns[columns[0]],
            epsilon,
            people.place,
            options=options,
            levels=levels,
            cells=cells,
            rows=rows,
            problems=problems,
        )
    problems.raise_if_any()
    if not counted.groups:
        where = "the table" if part is None else f"the part {part!r}"
        raise GraphError(f"{name!r} cannot be asked: nobody in {where} voted", "a poll needs a person with an epsilon")
    number = sum(group.size for group in counted.groups)
    asks = outcome_queries(query, tuple(options or WORDS), number, ranges=ranges, ballots=ballots)
    return OutcomeQuestion(name, tuple(columns), query, asks, counted, mechanism, prior, part, ranges)


def ballots_of(
    people: People,
    columns: Sequence[str],
    epsilon: Floats,
    rows: Ints | None,
    options: Sequence[str],
    levels: Mapping[str, float],
    cells: Cells,
    problems: Problems,
) -> tuple[Tally, tuple[Ballot, ...]]:
    """Count ranked ballots by group; return them with the ballots that the columns of the counts stand for.

    A rank may be empty. An option that a ballot names twice counts at its first place. Whoever ranks no option is left
    out if empty cells are, and otherwise reported.
    """
    given = np.arange(len(epsilon)) if rows is None else rows
    asked = given[epsilon[given] > 0.0]
    empty = replace(cells, skip_empty=True)
    ranks = np.column_stack(
        [
            vote_codes(
                people.columns[column],
                asked,
                people.place,
                options=options,
                cells=empty,
                problems=problems,
                what=f"the vote in {column!r}",
            )
            for column in columns
        ]
    )
    different, which = np.unique(ranks, axis=0, return_inverse=True)
    read = [tuple(dict.fromkeys(option for option in row if option >= 0)) for row in different.tolist()]
    places = {ballot: i for i, ballot in enumerate(dict.fromkeys(ballot for ballot in read if ballot))}
    ballot = np.array([places.get(each, -1) for each in read], np.int64)[which.reshape(-1)]
    took_part = ballot >= 0
    if not cells.skip_empty and not took_part.all():
        hint = Hint("rank an option, or leave such people out with ", Option("skip_empty", True))
        problems.add_rows("the ballot", "missing", asked[~took_part], hint=hint)
    levels_of, group = np.unique(epsilon[asked][took_part], return_inverse=True)
    counts = np.zeros((len(levels_of), max(len(places), 1)), np.int64)
    np.add.at(counts, (group, ballot[took_part]), 1)
    called = {value: name for name, value in levels.items()}
    sizes = counts.sum(axis=1).tolist()
    groups = tuple(Group(e, size, called.get(e)) for e, size in zip(levels_of.tolist(), sizes, strict=True))
    without = int(np.isnan(epsilon[given]).sum())
    skipped = int((~took_part).sum()) + without
    return Tally(groups, counts, skipped, len(given) - without - len(asked)), tuple(places)

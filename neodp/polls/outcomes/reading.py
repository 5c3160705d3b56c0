"""Ranked ballots, from the columns of a table: they are counted by group, as votes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neodp.hints import Hint, Option
from neodp.polls.outcomes.query import Ints
from neodp.polls.outcomes.ranking import Ballot
from neodp.polls.table import Tally, Voters, counted, vote_codes

__all__ = ["ballots_of"]


def ballots_of(voters: Voters, columns: Sequence[str], rows: Ints | None) -> tuple[Tally, tuple[Ballot, ...]]:
    """Count ranked ballots by group; return them with the ballots that the columns of the counts stand for.

    A rank may be empty. An option that a ballot names twice counts at its first place. Whoever ranks no option is left
    out if empty cells are, and otherwise reported.
    """
    people, epsilon, cells, problems = voters.people, voters.epsilon, voters.cells, voters.problems
    given = np.arange(len(epsilon)) if rows is None else rows
    asked = given[epsilon[given] > 0.0]
    empty = replace(cells, skip_empty=True)
    ranks = np.column_stack(
        [
            vote_codes(
                people.columns[column],
                asked,
                people.place,
                options=voters.options,
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
    if not cells.skip_empty and (ballot < 0).any():
        hint = Hint("rank an option, or leave such people out with ", Option("skip_empty", True))
        problems.add_rows("the ballot", "missing", asked[ballot < 0], hint=hint)
    return counted(ballot, max(len(places), 1), epsilon, given, voters.levels), tuple(places)

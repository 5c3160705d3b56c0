"""Polls: people, each with a choice and an epsilon, and one private answer for all of them.

>>> from neodp.polls import Group, poll
>>> p = poll([Group(epsilon=0.5, size=40), Group(epsilon=1.0, size=60)], "majority")
>>> p.question
"do at least 51 of 100 people choose 'yes'?"
>>> round(p.at(10).worst, 4)  # the chance of the true answer where ten people would have to change their vote
0.9958

The balanced mechanism, with the proof that it is private, is in :mod:`neodp.polls.mechanism` and
:mod:`neodp.polls.costs`; :mod:`neodp.polls.asking` returns it for a query. The weighted ones are in
:mod:`neodp.polls.weighted` (:mod:`~neodp.polls.scores`, :mod:`~neodp.polls.score_programs`) and
:mod:`neodp.polls.weighted_plurality` (:mod:`~neodp.polls.samples`, :mod:`~neodp.polls.gap_programs`, both with
:mod:`~neodp.polls.chance_programs`, from which :mod:`neodp.polls.prices` has the prices of levels);
:mod:`neodp.polls.choosing` and :mod:`neodp.polls.choosing_plurality` find the best ones, and
:mod:`neodp.polls.comparison` compares them with the balanced ones.
:mod:`neodp.polls.secret` and :mod:`neodp.polls.secret_survey` are polls whose levels nobody learns.
:mod:`neodp.polls.outcomes` has medians, quantiles, counts and ranked ballots.
:mod:`neodp.polls.people` and :mod:`neodp.polls.table` read a table of people and count the votes,
:mod:`neodp.polls.question` holds one question with its secret counts, :mod:`neodp.polls.survey` is the poll of a whole
table, :mod:`neodp.polls.from_table` makes one, which is ``neodp.poll``, and :mod:`neodp.polls.levels` computes the
gain from a higher epsilon.
"""

from neodp.polls.asking import poll, valid_epsilon
from neodp.polls.cells import WORDS, Cells
from neodp.polls.levels import WhatIf, what_if
from neodp.polls.mechanism import Counts, Group, Margin, Plurality, Poll, Threshold, violations
from neodp.polls.people import People, read_levels, read_list, read_mapping
from neodp.polls.prior import Prior
from neodp.polls.question import PollQuestion
from neodp.polls.secret_survey import Expectation, SecretSurvey
from neodp.polls.survey import Survey
from neodp.polls.table import Tally, epsilons, tally

__all__ = [
    "WORDS",
    "Cells",
    "Counts",
    "Expectation",
    "Group",
    "Margin",
    "People",
    "Plurality",
    "Poll",
    "PollQuestion",
    "Prior",
    "SecretSurvey",
    "Survey",
    "Tally",
    "Threshold",
    "WhatIf",
    "epsilons",
    "poll",
    "read_levels",
    "read_list",
    "read_mapping",
    "tally",
    "valid_epsilon",
    "violations",
    "what_if",
]

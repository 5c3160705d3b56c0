"""A poll: people, each with a choice and an epsilon, and the private answer of all of them.

>>> from neodp.polls import Group, poll
>>> p = poll([Group(epsilon=0.5, size=40), Group(epsilon=1.0, size=60)], "majority")
>>> p.question
"do at least 51 of 100 people choose 'yes'?"
>>> round(p.at(10).worst, 4)  # the chance of the true answer where ten people would have to change their vote
0.9958

The mechanism, with the proof that it is private, is in :mod:`neodp.polls.mechanism`. :mod:`neodp.polls.people` reads a
table of people, :mod:`neodp.polls.table` counts their votes, :mod:`neodp.polls.question` keeps one question with its
secret counts, and :mod:`neodp.polls.levels` says what a higher epsilon would bring.
"""

from neodp.polls.levels import WhatIf, what_if
from neodp.polls.mechanism import (
    Counts,
    Group,
    Margin,
    Plurality,
    Poll,
    Threshold,
    poll,
    valid_epsilon,
    violations,
)
from neodp.polls.people import People, read_levels
from neodp.polls.question import Question
from neodp.polls.table import WORDS, Place, Tally, epsilons, tally

__all__ = [
    "WORDS",
    "Counts",
    "Group",
    "Margin",
    "People",
    "Place",
    "Plurality",
    "Poll",
    "Question",
    "Tally",
    "Threshold",
    "WhatIf",
    "epsilons",
    "poll",
    "read_levels",
    "tally",
    "valid_epsilon",
    "violations",
    "what_if",
]

"""Questions of a table with more outcomes than options to vote for: medians, quantiles, counts and ranked ballots.

:mod:`neodp.polls.outcomes.query` has the mechanisms with their proofs; :mod:`~neodp.polls.outcomes.quantile`,
:mod:`~neodp.polls.outcomes.counting` and :mod:`~neodp.polls.outcomes.ranking` have the questions,
:mod:`~neodp.polls.outcomes.parsing` finds the one for a text, :mod:`~neodp.polls.outcomes.figures` computes what is
known before a vote is read, and :mod:`~neodp.polls.outcomes.survey` is the poll of a whole table.
"""

__all__: list[str] = []

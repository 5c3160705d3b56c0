"""Answers that are drawn once.

A *release* is one real-world question, asked once: it has a name, and its answer is drawn once and kept. Whoever asks
again under the same name gets the answer that is kept, also after the dataset has changed, and no matter how many ask
at once: each may draw for itself, one draw is kept, and nobody is shown any other. A draw that was never kept, because
its process ended first, was never seen either.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from neodp.core.sampling import BITS, choose
from neodp.data.names import normal, valid_name
from neodp.errors import BudgetSpent
from neodp.ledger.account import Account
from neodp.ledger.question import Question
from neodp.ledger.release import Release

__all__ = ["Keeper", "answer_once"]


class Keeper(Protocol):
    """Where releases are kept: a store."""

    def account(self, population: str) -> Account:
        """The account of a population; an empty one where nothing was ever answered."""

    def kept(self, subject: str, name: str) -> Release | None:
        """The release of a name about a subject, whatever its population."""

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        """Keep releases of one population unless there are some by their names; those that are kept. All or nothing."""


def answer_once(
    keeper: Keeper,
    questions: Sequence[Question],
    name: str,
    distribution: Callable[[Question], Mapping[str, Any]],
    *,
    key: str | None = None,
) -> list[Release]:
    """The answers to questions of one population under one name: those that are kept, or else drawn now and kept.

    Parameters
    ----------
    keeper : Keeper
        A store.
    questions : Questions
        Each about a subject of its own. All of them are answered, or none.
    name : str
        The release.
    distribution : callable
        Gives the possible answers to a question with their probabilities, or such a mapping for each of its parts;
        called only for questions that have no answer yet, and only if as many answers are allowed.
    key : str, optional
        The dataset, if that is to be kept beside the answer.

    Raises
    ------
    OtherQuestion
        If something else was asked under that name.
    BudgetSpent
        If the limit of the population does not leave room for all.
    """
    found = [keeper.kept(question.subject, name) for question in questions]
    if not any(found) and name != normal(name):
        return answer_once(keeper, questions, normal(name), distribution, key=key)
    for release, question in zip(found, questions, strict=True):
        if release is not None:
            release.require(question)
    new = [question for release, question in zip(found, questions, strict=True) if release is None]
    if not new:
        return [release for release in found if release is not None]
    valid_name("release", name)
    valid_name("population", new[0].population)
    try:
        keeper.account(new[0].population).spend([name] * len(new), [question.levels for question in new])
    except BudgetSpent:
        if not all(keeper.kept(question.subject, name) for question in new):
            raise
        return answer_once(keeper, questions, name, distribution, key=key)  # somebody was faster, and that was counted
    drawn = []
    for release, question in zip(found, questions, strict=True):
        if release is None:
            release = Release.of(question, name, _drawn(question, distribution(question)), key)
        drawn.append(release)
    kept = keeper.keep(drawn)
    for release, question in zip(kept, questions, strict=True):
        release.require(question)  # somebody may have been faster, with another question
    return kept


def _drawn(question: Question, chances: Mapping[str, Any]) -> str:
    """An answer; for a question about several parts, one for each of them, each with random bits of its own."""

    def one(chances: Mapping[str, float]) -> str:
        return list(chances)[choose(list(chances.values()), secrets.randbits(BITS))]

    if not question.parts:
        return one(chances)
    return json.dumps({part: one(chances[part]) for part in question.parts}, ensure_ascii=False)

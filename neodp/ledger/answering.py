"""Answers that are drawn once.

A *release* is one real-world question, asked once: it has a name, and its answer is drawn once and stored. Asking again
under the same name returns the stored answer, even after the dataset has changed, and however many processes ask at
once: each process may draw an answer, but only one draw is stored, and no other is ever shown. A draw that was never
stored, because its process ended first, was never seen either.
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
    """A place where releases are stored: a store."""

    def account(self, population: str) -> Account:
        """Return the account of a population; an empty account if nothing was ever answered about it."""

    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release with this name about a subject, whatever its population."""

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        """Store releases of one population unless their names are taken; return the stored ones. All or nothing."""


def answer_once(
    keeper: Keeper,
    questions: Sequence[Question],
    name: str,
    distribution: Callable[[Question], Mapping[str, Any]],
    *,
    key: str | None = None,
) -> list[Release]:
    """Return the answers to questions of one population under one name: the stored ones, or new ones drawn now.

    New answers are stored before they are returned.

    Parameters
    ----------
    keeper : Keeper
        A store.
    questions : Questions
        The questions, each about a different subject. All of them are answered, or none.
    name : str
        The name of the release.
    distribution : callable
        Gives the possible answers to a question with their probabilities, or such a mapping for each of its parts. It
        is called only for questions that have no answer yet, and only if the limit allows that many answers.
    key : str, optional
        The dataset, if it should be stored beside the answer.

    Raises
    ------
    OtherQuestion
        If a different question was asked under that name.
    BudgetSpent
        If the limit of the population does not allow all of them.
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
    """Draw an answer; for a question about several parts, one for each part, each with its own random bits."""

    def one(chances: Mapping[str, float]) -> str:
        return list(chances)[choose(list(chances.values()), secrets.randbits(BITS))]

    if not question.parts:
        return one(chances)
    return json.dumps({part: one(chances[part]) for part in question.parts}, ensure_ascii=False)

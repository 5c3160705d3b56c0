"""Answers that are drawn once.

A *release* is one real-world question, asked once: it has a name, and its answer is drawn once and stored. Asking again
under the same name returns the stored answer, even after the dataset has changed, and however many processes ask at
once: each process may draw an answer, but only one draw is stored, and no other is ever shown. A draw that was never
stored, because its process ended first, was never seen either.

Whoever answers does three things in a row: :func:`look_up` what is stored, and have it admitted (:func:`admit`);
compute the chances of the questions that have no answer yet; and :func:`draw_and_keep`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from neodp.core.sampling import BITS, choose
from neodp.data.names import normal, valid_name
from neodp.data.validation import is_text
from neodp.errors import BudgetSpent, GraphError
from neodp.ledger.account import Account
from neodp.ledger.question import Question
from neodp.ledger.release import Release

__all__ = ["Keeper", "LookedUp", "admit", "draw_and_keep", "look_up"]


class Keeper(Protocol):
    """A place where releases are stored: a store."""

    def account(self, population: str) -> Account:
        """Return the account of a population; an empty account if nothing was ever answered about it."""

    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release with this name about a subject, whatever its population."""

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        """Store releases of one population unless their names are taken; return the stored ones. All or nothing."""


@dataclass(frozen=True)
class LookedUp:
    """The releases of one name about some subjects.

    Attributes
    ----------
    name : str
        The name of the release, in the form in which it is stored.
    releases : mapping
        The stored release about each subject; None if there is none.
    """

    name: str
    releases: Mapping[str, Release | None]

    @property
    def missing(self) -> list[str]:
        """The subjects without a stored release."""
        return [subject for subject, release in self.releases.items() if release is None]


def look_up(keeper: Keeper, subjects: Sequence[str], name: str) -> LookedUp:
    """Return the stored releases of a name, in the form given or else in the form in which names are stored."""
    found = LookedUp(name, {subject: keeper.kept(subject, name) for subject in subjects})
    if len(found.missing) == len(subjects) and name != normal(name):
        return look_up(keeper, subjects, normal(name))
    return found


def admit(keeper: Keeper, found: LookedUp, questions: Sequence[Question]) -> LookedUp:
    """Refuse questions that may not be answered; return what is stored, looked up again if somebody was faster.

    Parameters
    ----------
    keeper : Keeper
        A store.
    found : LookedUp
        What is stored about the subjects of the questions.
    questions : Questions
        The questions, of one population, each about a different subject. All of them are answered, or none.

    Raises
    ------
    OtherQuestion
        If a different question was asked under that name.
    BudgetSpent
        If the limit of the population does not allow all answers that are missing.
    GraphError
        If a name is invalid, or the question is not valid Unicode.
    """
    for question in questions:
        release = found.releases[question.subject]
        if release is not None:
            release.require(question)
    new = [question for question in questions if question.subject in found.missing]
    if not new:
        return found
    valid_name("release", found.name)
    valid_name("population", new[0].population)
    if not all(is_text(text) for question in new for text in (question.subject, question.asked, question.command)):
        raise GraphError("the question has a character that is not valid Unicode", "leave it out")
    try:
        keeper.account(new[0].population).spend([found.name] * len(new), [question.levels for question in new])
    except BudgetSpent:
        again = look_up(keeper, list(found.releases), found.name)
        if again.missing:
            raise
        return admit(keeper, again, questions)  # somebody was faster, and that was counted
    return found


def draw_and_keep(
    keeper: Keeper,
    found: LookedUp,
    questions: Sequence[Question],
    chances: Mapping[str, Mapping[str, Any]],
    *,
    key: str | None = None,
) -> list[Release]:
    """Return the answers to questions: the stored ones, and new ones, drawn now and stored before they are told.

    Parameters
    ----------
    keeper : Keeper
        A store.
    found : LookedUp
        What ``admit`` returned.
    questions : Questions
        The same questions.
    chances : mapping
        For each subject without an answer, the possible answers with their probabilities, or such a mapping for each
        part of its question.
    key : str, optional
        The dataset, if it should be stored beside the answer.

    Raises
    ------
    OtherQuestion
        If somebody was faster, and asked a different question under that name.
    BudgetSpent
        If the limit of the population does not allow all of them any more.
    """
    if not found.missing:
        return [release for release in found.releases.values() if release is not None]
    drawn = [
        found.releases[question.subject]
        or Release.of(question, found.name, _drawn(question, chances[question.subject]), key)
        for question in questions
    ]
    kept = keeper.keep(drawn)
    for release, question in zip(kept, questions, strict=True):
        release.require(question)
    return kept


def _drawn(question: Question, chances: Mapping[str, Any]) -> str:
    """Draw an answer; for a question about several parts, one for each part, each with its own random bits."""

    def one(chances: Mapping[str, float]) -> str:
        return list(chances)[choose(list(chances.values()), secrets.randbits(BITS))]

    if not question.parts:
        return one(chances)
    return json.dumps({part: one(chances[part]) for part in question.parts}, ensure_ascii=False)

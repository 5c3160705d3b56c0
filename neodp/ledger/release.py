"""Answers that were given, with their questions and costs.

*One name, one question.* A release stores the question, a :class:`~neodp.ledger.question.Question` with all public
facts about it. A different question under the same name is refused, and the error names the difference. Releases
outlive their graph; otherwise, dropping the graph would be a way to ask again.

A release stores the question, the answer, its name, its time and its cost. It does not store the dataset unless the
user asks for that, nor the probabilities, which would reveal how far the dataset is from the boundary. A digest over
everything stored is checked before an answer is given again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neodp.errors import DamagedRelease, OtherQuestion, OtherRelease
from neodp.hints import Call, Hint
from neodp.ledger.question import DEFAULT, Level, Question

__all__ = ["NOT_KEPT", "Release", "damaged"]

NOT_KEPT = "numbers with noise, not kept"
"""The text in place of the answer of a release that only stores its cost."""


@dataclass(frozen=True)
class Release:
    """An answer that was given.

    Attributes
    ----------
    graph : str
        The question's subject.
    name : str
        The name of the release.
    answer : str
        One of the possible answers; if several parts of the people have one each, or every option its own number, a
        JSON object of them.
    time : str or None
        The time at which the release was stored, in UTC.
    key : str or None
        The dataset that was asked about, only if the user asked to store it.
    population : str
        The people whose data it is about.
    asked : str
        The question's facts, as JSON.
    levels : tuple of Level
        The cost of the answer.
    command : str
        The command that asked the question; if the answer was stored, it shows the answer again under its name.
    """

    graph: str
    name: str
    answer: str
    time: str | None = None
    key: str | None = None
    population: str = DEFAULT
    asked: str = "{}"
    levels: tuple[Level, ...] = ()
    command: str = ""

    @classmethod
    def of(cls, question: Question, name: str, answer: str, key: str | None = None) -> Release:
        """Return a release of a question, not yet stored."""
        asked = question.asked
        return cls(
            question.subject, name, answer, None, key, question.population, asked, question.levels, question.command
        )

    @property
    def can_be_shown(self) -> bool:
        """True if the command shows the answer again: there is a command, and the answer was stored."""
        return bool(self.command) and self.answer != NOT_KEPT

    @cached_property
    def answers(self) -> dict[str | None, str]:
        """The answers as text for people, by part of the people; under None, if there is one for all."""
        if self.answer == NOT_KEPT:
            return {None: self.answer}
        facts: dict[str, Any] = json.loads(self.asked)
        parts = json.loads(self.answer) if "parts" in facts else {None: self.answer}
        if facts.get("query") != "counts":
            return dict(parts)
        return {
            part: "; ".join(f"{option}: {number}" for option, number in json.loads(each).items())
            for part, each in parts.items()
        }

    @property
    def shown(self) -> str:
        """All answers in one text for people."""
        return ", ".join(text if part is None else f"{part}: {text}" for part, text in self.answers.items())

    @cached_property
    def digest(self) -> str:
        """A digest of everything but the time, which reveals damage to any of it.

        The digest is not a secret: anyone who may write to the store can compute one.
        """
        kept: list[Any] = [self.graph, self.name, self.answer, self.key, self.population, self.asked, self.command]
        kept += [[x.epsilon.hex(), x.delta.hex(), x.name, x.people, x.times] for x in self.levels]
        return hashlib.sha256(json.dumps(kept, ensure_ascii=False).encode()).hexdigest()

    def require(self, question: Question) -> None:
        """Refuse a question that differs from the one that was asked under this name.

        Raises
        ------
        OtherQuestion
            If the questions differ; the message names the differences.
        """
        then, now = json.loads(self.asked), json.loads(question.asked)
        for fact in sorted(then.keys() | now.keys()):
            if then.get(fact) != now.get(fact):
                raise OtherQuestion(
                    f"release {self.name!r} of {self.graph!r} was asked with {fact} {_shown(then.get(fact))}, "
                    f"and is now asked with {fact} {_shown(now.get(fact))}",
                    Hint(
                        "ask the same question again, or give this one another name; ",
                        Call("releases", population=self.population),
                        " shows what was asked",
                    ),
                )

    def require_same(self, other: Release) -> None:
        """Refuse a different release of the same name, such as one that is being imported.

        Raises
        ------
        OtherRelease
            If it differs in anything but the time; the message names the differences.
        """
        if other.digest == self.digest:
            return
        names = {"population": "population", "asked": "question", "answer": "answer", "levels": "cost", "key": "key"}
        what = next((name for part, name in names.items() if getattr(self, part) != getattr(other, part)), "command")
        raise OtherRelease(
            f"release {other.name!r} of {other.graph!r} is in the store already, with another {what}",
            "nothing was imported; import into another store, or restore this one as it was before, see docs/backup.md",
        )

    def check(self, digest: str | None) -> Release:
        """Return this release if it is unchanged since it was stored.

        Raises
        ------
        DamagedRelease
            If the digest that was kept with it is another one, or is gone.
        """
        if digest != self.digest:
            raise damaged(self.graph, self.name)
        return self


def damaged(graph: object, name: object) -> DamagedRelease:
    """Return the error for a release that was altered since it was stored."""
    return DamagedRelease(
        f"release {name!r} of {graph!r} was altered: the store was damaged or edited",
        "restore the store from a backup, see docs/backup.md; nothing was answered",
    )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= 60 else text[:57] + "…") if isinstance(value, str) else text[:120]

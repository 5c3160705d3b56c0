"""Answers that were given: what was asked, what was answered, and what it cost.

*One name, one question.* A release keeps what was asked, the :class:`~neodp.ledger.question.Question` with all that is
public about it. Under the same name nothing else can be asked: it is refused, and the difference is named. Releases
outlive their graph, or dropping it would be a way to ask again.

What is kept is the question, the answer, its name, its time and its cost: not the dataset that was asked for, unless
that is wished, and not its probabilities, which would tell how far it is from the boundary. A digest over all of it is
checked before an answer is given again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neodp.errors import DamagedRelease, OtherQuestion, OtherRelease
from neodp.ledger.question import DEFAULT, Level, Question

__all__ = ["NOT_KEPT", "Release", "damaged"]

NOT_KEPT = "numbers with noise, not kept"
"""What stands for the answer of a release that only keeps what it cost."""


@dataclass(frozen=True)
class Release:
    """An answer that was given.

    Attributes
    ----------
    graph : str
        What was asked about: the question's subject.
    name : str
        The release, as it is called.
    answer : str
        One of the possible answers; where several parts of the people have one each, a JSON object of them.
    time : str or None
        When it was kept, in UTC.
    key : str or None
        The dataset that was asked for, only where it was wished to keep that.
    population : str
        Whose data it is about.
    asked : str
        The question's facts, as JSON.
    levels : tuple of Level
        What it cost.
    command : str
        The words that asked it; where the answer was kept, they show it again under its name.
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
        """A release of a question, not yet kept."""
        asked = question.asked
        return cls(
            question.subject, name, answer, None, key, question.population, asked, question.levels, question.command
        )

    @property
    def can_be_shown(self) -> bool:
        """Whether its command shows the answer again: if there is one, and the answer was kept."""
        return bool(self.command) and self.answer != NOT_KEPT

    @cached_property
    def digest(self) -> str:
        """A digest of everything but the time, which shows whether any of it was damaged.

        It is not a secret: whoever may write to the store can make one.
        """
        kept: list[Any] = [self.graph, self.name, self.answer, self.key, self.population, self.asked, self.command]
        kept += [[x.epsilon.hex(), x.delta.hex(), x.name, x.people, x.times] for x in self.levels]
        return hashlib.sha256(json.dumps(kept, ensure_ascii=False).encode()).hexdigest()

    def require(self, question: Question) -> None:
        """Refuse to answer a question that is not the one that was asked under this name.

        Raises
        ------
        OtherQuestion
            If they differ; the message says in what.
        """
        then, now = json.loads(self.asked), json.loads(question.asked)
        for fact in sorted(then.keys() | now.keys()):
            if then.get(fact) != now.get(fact):
                raise OtherQuestion(
                    f"release {self.name!r} of {self.graph!r} was asked with {fact} {_shown(then.get(fact))}, "
                    f"and is now asked with {fact} {_shown(now.get(fact))}",
                    "ask the same question again, or give this one another name; "
                    f"`store.ledger({self.population!r})` shows what was asked",
                )

    def require_same(self, other: Release) -> None:
        """Refuse another release of the same name, as one that is to be imported.

        Raises
        ------
        OtherRelease
            If it differs in anything but the time; the message says in what.
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
        """This release, if it is what was kept.

        Raises
        ------
        DamagedRelease
            If the digest that was kept with it is another one, or is gone.
        """
        if digest != self.digest:
            raise damaged(self.graph, self.name)
        return self


def damaged(graph: object, name: object) -> DamagedRelease:
    """The error for a release that is not what was kept."""
    return DamagedRelease(
        f"release {name!r} of {graph!r} is not what was kept: the store was damaged or edited",
        "restore the store from a backup, see docs/backup.md; nothing was answered",
    )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= 60 else text[:57] + "…") if isinstance(value, str) else text[:120]

"""Questions about people: the public facts about a question, and the cost of an answer.

A *question* is one thing that is asked about the data of some people, the *population*. A :class:`Question` holds all
public facts about the question, so that two questions can be compared, and the cost of an answer to the people, level
by level.

*Parts.* A question can be put to disjoint parts of the people at once, such as departments, with an answer for each.
That is one release, and everybody pays once: each person's part is public, the answers are drawn independently, and a
person's data enters only one of them. So if that data changes, the chance of all answers together changes by no more
than that person's own epsilon allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DEFAULT", "Level", "Question", "levels_of"]

DEFAULT = "default"
"""The population of everything that was not given another one."""
MOST_LEVELS = 64
"""The number of levels that a question keeps apart; beyond that, epsilons are rounded up to this many levels."""


@dataclass(frozen=True)
class Level:
    """The cost of one answer to the people of one privacy level.

    Attributes
    ----------
    epsilon, delta : float
    name : str or None
        The name of the level, if it has one.
    people : int or None
        The number of people at this level, if known.
    times : int
        How often one answer costs them this much: the number of numbers at this epsilon that the answer consists of.
    """

    epsilon: float
    delta: float = 0.0
    name: str | None = None
    people: int | None = None
    times: int = 1

    @property
    def label(self) -> str:
        """The name that distinguishes this level from others."""
        return self.name if self.name is not None else f"epsilon {self.epsilon:g}"


def levels_of(epsilons: Iterable[float], deltas: Iterable[float]) -> tuple[Level, ...]:
    """Return the levels of edges with these epsilons and deltas, by ascending epsilon.

    A level has the greatest delta of its edges. If there are more than 64 different epsilons, they are rounded up to 64
    of them.

    Examples
    --------
    >>> levels_of([1.0, 0.5, 1.0], [0.0, 0.0, 0.1])  # doctest: +ELLIPSIS
    (Level(epsilon=0.5, delta=0.0, ...), Level(epsilon=1.0, delta=0.1, ...))
    """
    most: dict[float, float] = {}
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        most[epsilon] = max(delta, most.get(epsilon, 0.0))
    known = sorted(most)
    ends = (
        known if len(known) <= MOST_LEVELS else [known[-1 - len(known) * i // MOST_LEVELS] for i in range(MOST_LEVELS)]
    )
    found, delta = [], 0.0
    for epsilon in known:
        delta = max(delta, most[epsilon])
        if epsilon in ends:
            found.append(Level(epsilon, delta))
            delta = 0.0
    return tuple(found)


@dataclass(frozen=True)
class Question:
    """The public facts about a question.

    Attributes
    ----------
    subject : str
        The subject of the question: a graph, or a table and its column.
    facts : mapping
        The facts that determine the meaning of the answer, by name, as JSON values.
    levels : tuple of Level
        The cost of an answer.
    population : str
        The people whose data the question is about.
    command : str
        The command that asks the question, without the secret.
    parts : tuple of str
        The disjoint parts of the people that each get an answer, if there are any.
    """

    subject: str
    facts: Mapping[str, Any]
    levels: tuple[Level, ...]
    population: str = DEFAULT
    command: str = ""
    parts: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """The facts in a form that allows two questions to be compared."""
        return json.dumps({"population": self.population, **self.facts}, sort_keys=True, ensure_ascii=False)

"""Questions about people: what is public about them, and what an answer costs.

A *question* is one thing that is asked about the data of some people, the *population*. A :class:`Question` holds all
that is public about it, so that two questions can be compared, and what an answer costs the people, level by level.

*Parts.* A question can be put to disjoint parts of the people at once, such as departments, with an answer for each.
That is one release, and everybody pays once: who belongs to which part is public, the answers are drawn independently,
and a person's data enters one of them only. So if it changes, the chance of all answers together changes by no more
than that person's own epsilon allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DEFAULT", "Level", "Question", "levels_of"]

DEFAULT = "default"
"""The population of everything that was not told another one."""
MOST_LEVELS = 64
"""How many levels a question keeps apart; beyond that, they are rounded up to so many."""


@dataclass(frozen=True)
class Level:
    """What one answer costs the people of one privacy level.

    Attributes
    ----------
    epsilon, delta : float
    name : str or None
        What the level is called, if it has a name.
    people : int or None
        How many people have it, where that is known.
    times : int
        How often an answer takes that much from them: how many numbers of this epsilon it is made of.
    """

    epsilon: float
    delta: float = 0.0
    name: str | None = None
    people: int | None = None
    times: int = 1

    @property
    def label(self) -> str:
        """What tells the level from others."""
        return self.name if self.name is not None else f"epsilon {self.epsilon:g}"


def levels_of(epsilons: Iterable[float], deltas: Iterable[float]) -> tuple[Level, ...]:
    """The levels of edges with these epsilons and deltas, by ascending epsilon.

    A level has the greatest delta of its edges. Where there are more than 64 different epsilons, they are rounded up
    to 64 of them.

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
    """All that is public about a question.

    Attributes
    ----------
    subject : str
        What it is about: a graph, or a table and its column.
    facts : mapping
        What decides the meaning of its answer, by name, in the terms of JSON.
    levels : tuple of Level
        What an answer costs.
    population : str
        Whose data it is about.
    command : str
        The words that ask it, without the secret.
    parts : tuple of str
        The disjoint parts of the people that each get an answer, if there are some.
    """

    subject: str
    facts: Mapping[str, Any]
    levels: tuple[Level, ...]
    population: str = DEFAULT
    command: str = ""
    parts: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """The facts in a form that two questions can be compared by."""
        return json.dumps({"population": self.population, **self.facts}, sort_keys=True, ensure_ascii=False)

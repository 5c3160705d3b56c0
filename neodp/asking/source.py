"""Sources of a graph of people.

A source is asked once for everything that an answer depends on, the matches, the units with their epsilons, and who
owns what, all of it in one state of the graph: :class:`Wanted` says what, and :class:`PeopleFound` is the result. A
Neo4j store is such a source, and so are tables (:mod:`neodp.asking.tables`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from neodp.asking.cover import Cover, Ints
from neodp.asking.matches import Matches, Units, amounts, weights
from neodp.asking.pattern import Pattern, Place, Property
from neodp.asking.protection import Protection
from neodp.asking.writing import QuestionText

__all__ = ["PeopleFound", "PeopleSource", "Wanted"]


@dataclass(frozen=True)
class Wanted:
    """The request for what a question needs.

    Attributes
    ----------
    protection : Protection
    pattern : Pattern
    amount : Property or None
        What is added up, if matches are not just counted.
    cap : int
        The greatest amount of a match.
    distinct : Place or None
        The place whose nodes are counted, each once.
    """

    protection: Protection
    pattern: Pattern
    amount: Property | None = None
    cap: int = 1
    distinct: Place | None = None

    def matches(self) -> Matches:
        """Return where the matches of all alternatives are collected; nothing is in it yet."""
        width = max(len(each.nodes) + len(each.links) for each in self.pattern.alternatives())
        return Matches(width, self.protection.most_matches)

    def add(self, to: Matches, statement: QuestionText, columns: Sequence[Any]) -> None:
        """Add rows of a statement, as columns: ids of nodes, ids of relationships, and amounts if there are any."""
        if not len(columns[0]):
            return
        ids = [np.asarray(column, np.int64) for column in columns[: statement.nodes + statement.links]]
        nodes, links = ids[: statement.nodes], ids[statement.nodes :]
        group = None
        if self.distinct is not None:
            group = (nodes if self.distinct.kind == "node" else links)[self.distinct.number]
        to.add(nodes, links, amounts(columns[-1], self.cap) if statement.amount else None, group)


@dataclass(frozen=True)
class PeopleFound:
    """The result of reading: the matches, the ids of the units with the values of their epsilons, and who owns what."""

    matches: Matches
    id: Ints
    epsilon: Sequence[Any]
    owned: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    belongs: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    owner: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    names: Sequence[str] | None = None

    def name(self, number: int) -> str:
        """Return the name of a unit for the steward: that of its table, or its id in the database."""
        return str(self.id[number]) if self.names is None else self.names[number]

    def cover(self, wanted: Wanted, share: Fraction, unit: float, ignore_below: float) -> Cover:
        """Return the program that the answer depends on."""
        protection = wanted.protection
        weight = weights(self.epsilon, share, unit, protection.default_epsilon, ignore_below)
        units = Units(self.id, weight, self.owned, self.belongs, self.owner, protection.people is None)
        return self.matches.cover(units, distinct=wanted.distinct is not None)

    def everything(self, wanted: Wanted) -> int:
        """Return the true number, of everybody, whatever their epsilon."""
        alike = np.ones(len(self.id), np.int64)
        units = Units(self.id, alike, self.owned, self.belongs, self.owner, wanted.protection.people is None)
        return self.matches.cover(units, distinct=wanted.distinct is not None).count


class PeopleSource(Protocol):
    """A graph of people."""

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read what is wanted, in one state of the graph.

        Raises
        ------
        TooManyMatches
            If there are more matches than the population's public limit.
        """

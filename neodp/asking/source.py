"""Sources of a graph of people.

A source is asked once for everything that an answer depends on, the matches, the units with their epsilons, and who
owns what: :class:`Wanted` says what, and :class:`PeopleFound` is the result. Tables are such a source, in one state
(:mod:`neodp.asking.tables`), and so is a Neo4j store, in one transaction (:mod:`neodp.store.neo4j.people` says what
that means while others write).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from neodp.asking.cover import Cover, Ints
from neodp.asking.matches import Matches, Units, amounts, weights
from neodp.asking.pattern import Pattern, Place, Property
from neodp.asking.protection import Protection, Role
from neodp.asking.writing import QuestionText
from neodp.data.progress import Progress, silent

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
    progress : Progress
        Told which part of the reading is under way, and nothing that depends on the graph.
    rows : Progress
        Told how many rows were read so far. Their number is secret: it is for the steward alone.
    """

    protection: Protection
    pattern: Pattern
    amount: Property | None = None
    cap: int = 1
    distinct: Place | None = None
    progress: Progress = field(default=silent, compare=False, repr=False)
    rows: Progress = field(default=silent, compare=False, repr=False)

    def matches(self) -> Matches:
        """Return where the matches of all alternatives are collected; nothing is in it yet."""
        width = max(len(each.nodes) + len(each.links) for each in self.pattern.alternatives())
        return Matches(width, self.protection.most_matches)

    def alternatives(self) -> Iterator[Pattern]:
        """Yield the patterns of fixed lengths whose matches are to be read, and tell which one it is."""
        every = list(self.pattern.alternatives())
        for number, each in enumerate(every):
            self.progress("reading matches", number, len(every) if len(every) > 1 else 0)
            yield each
        self.progress("reading matches", len(every), len(every))

    @property
    def may_match_others(self) -> bool:
        """True if a match can contain what is nobody's: a public node, or a relationship of another type."""
        protection = self.protection
        if protection.people is None:
            return any(set(link.types) != {protection.relationships} for link in self.pattern.links)
        longest = any(link.varies for link in self.pattern.links)
        return longest or any(protection.role(node.label or "") in (None, Role.PUBLIC) for node in self.pattern.nodes)

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
        self.rows("matches read", to.seen, self.protection.most_matches)


@dataclass(frozen=True)
class PeopleFound:
    """The result of reading: the matches, the ids of the units with the values of their epsilons, and who owns what.

    The ids in `others` are known to be nobody's; if it is None, all are that belong to no unit (:class:`Units`).
    """

    matches: Matches
    id: Ints
    epsilon: Sequence[Any]
    owned: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    belongs: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    owner: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    names: Sequence[str] | None = None
    others: Ints | None = None

    def name(self, number: int) -> str:
        """Return the name of a unit for the steward: that of its table, or its id in the database."""
        return str(self.id[number]) if self.names is None else self.names[number]

    def cover(self, wanted: Wanted, share: Fraction, unit: float, ignore_below: float) -> Cover:
        """Return the program that the answer depends on."""
        protection = wanted.protection
        weight = weights(self.epsilon, share, unit, protection.default_epsilon, ignore_below)
        units = Units(self.id, weight, self.owned, self.belongs, self.owner, protection.people is None, self.others)
        return self.matches.cover(units, distinct=wanted.distinct is not None)

    def everything(self, wanted: Wanted) -> int:
        """Return the true number, of everybody, whatever their epsilon."""
        alike, links = np.ones(len(self.id), np.int64), wanted.protection.people is None
        units = Units(self.id, alike, self.owned, self.belongs, self.owner, links, self.others)
        return self.matches.cover(units, distinct=wanted.distinct is not None).count


class PeopleSource(Protocol):
    """A graph of people."""

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read what is wanted.

        Raises
        ------
        TooManyMatches
            If there are more matches than the population's public limit.
        """

"""Protections in a store: who is protected in a graph of people (:mod:`neodp.asking.protection`).

What was spent belongs to the label: protecting it again, under this name or another one, changes nothing about that,
and neither does dropping it (:mod:`neodp.ledger.shares`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.data.names import normal
from neodp.data.validation import caution
from neodp.errors import UnknownGraph, near
from neodp.hints import Call, Hint
from neodp.store.port import Port

if TYPE_CHECKING:
    from neodp.asking.protection import Protection
    from neodp.asking.source import PeopleFound, Wanted

__all__ = ["Protections"]


class Protections:
    """The part of :class:`~neodp.store.service.Store` that knows who is protected in a graph of people."""

    port: Port
    """The primitives of the store."""

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read the matches of a question and the people, in one state of the graph that the store holds.

        Raises
        ------
        StoreError
            If the store holds no graph of people.
        TooManyMatches
            If there are more matches than the population's public limit.
        """
        return self.port.people(wanted)

    def protections(self) -> list[Protection]:
        """Return all protections, sorted by the name of their population."""
        from neodp.asking.protection import Protection

        return [Protection.read(text) for _, text in sorted(self.port.protections().items())]

    def protection(self, population: str) -> Protection:
        """Return the protection of a population.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        from neodp.asking.protection import Protection

        found = self.port.protections()
        text = found.get(population, found.get(normal(population)))
        if text is None:
            hint = near(population, found) or Hint("protect people first: ", Call("protect"))
            raise UnknownGraph(f"no people are protected as population {population!r}", hint)
        return Protection.read(text)

    def protect(self, protection: Protection) -> Protection:
        """Keep a protection, in place of any of the same population."""
        caution(protection.default_epsilon or 0.0)
        self.port.put_protection(protection.population, protection.text)
        return protection

    def unprotect(self, population: str) -> None:
        """Drop a protection; what was answered and spent stays.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        self.port.drop_protection(self.protection(population).population)

"""Protections in a store: who is protected in a graph of people (:mod:`neodp.asking.protection`).

What was spent belongs to the label: protecting it again, under this name or another one, changes nothing about that,
and neither does dropping it (:mod:`neodp.ledger.shares`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.data.kinds import checked
from neodp.data.names import normal
from neodp.data.validation import caution
from neodp.errors import StoreError, UnknownGraph, near
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
        return [_read(population, text) for population, text in sorted(self.port.protections().items())]

    @checked
    def protection(self, population: str) -> Protection:
        """Return the protection of a population.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        found = self.port.protections()
        text = found.get(population, found.get(normal(population)))
        if text is None:
            hint = near(population, found) or Hint("protect people first: ", Call("protect"))
            raise UnknownGraph(f"no people are protected as population {population!r}", hint)
        return _read(population, text)

    @checked
    def protect(self, protection: Protection) -> Protection:
        """Keep a protection, in place of any of the same population."""
        caution(protection.default_epsilon or 0.0)
        self.port.put_protection(protection.population, protection.text)
        return protection

    @checked
    def unprotect(self, population: str) -> None:
        """Drop a protection; what was answered and spent stays.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        self.port.drop_protection(self.protection(population).population)


def _read(population: str, text: str) -> Protection:
    """Return the protection that a stored text states."""
    from neodp.asking.protection import Protection

    try:
        return Protection.read(text)
    except (AttributeError, TypeError, ValueError) as e:  # no JSON, no object, or other fields
        raise StoreError(
            f"the protection of population {population!r} cannot be read: the store was damaged or edited",
            Hint("protect it again: ", Call("protect")),
        ) from e

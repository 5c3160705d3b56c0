"""Protections in a store: who is protected in a graph of people (:mod:`neodp.asking.protection`).

The first protection of a label opens the account of its people: shares of everybody's epsilon, 1 in all. Protecting the
same label again, under this name or another one, changes nothing about what was spent, and neither does dropping it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from neodp.data.names import normal
from neodp.errors import UnknownGraph, near
from neodp.hints import Call, Hint
from neodp.ledger.account import Account, Ledger, Limit

if TYPE_CHECKING:
    from neodp.asking.protection import Protection
    from neodp.asking.source import Found, Wanted

__all__ = ["Protections"]


class Protections(ABC):
    """The operations of a store on protections."""

    @abstractmethod
    def account(self, population: str) -> Account:
        """Return a population's total spending and its limit."""

    @abstractmethod
    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population."""

    @abstractmethod
    def _protections(self) -> dict[str, str]:
        """Return the texts of all protections by the name of their population."""

    @abstractmethod
    def _put_protection(self, population: str, text: str) -> None:
        """Keep a protection, in place of any of the same population."""

    @abstractmethod
    def _drop_protection(self, population: str) -> None:
        """Delete a protection."""

    @abstractmethod
    def people(self, wanted: Wanted) -> Found:
        """Read the matches of a question and the people, in one state of the graph that the store holds.

        Raises
        ------
        StoreError
            If the store holds no graph of people.
        TooManyMatches
            If there are more matches than the population's public limit.
        """

    def protections(self) -> list[Protection]:
        """Return all protections, sorted by the name of their population."""
        from neodp.asking.protection import Protection

        return [Protection.read(text) for _, text in sorted(self._protections().items())]

    def protection(self, population: str) -> Protection:
        """Return the protection of a population.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        from neodp.asking.protection import Protection

        found = self._protections()
        text = found.get(population, found.get(normal(population)))
        if text is None:
            hint = near(population, found) or Hint("protect people first: ", Call("protect"))
            raise UnknownGraph(f"no people are protected as population {population!r}", hint)
        return Protection.read(text)

    def protect(self, protection: Protection) -> Protection:
        """Keep a protection, in place of any of the same population, and open the account of its label."""
        account = self.account(protection.account)
        if account.used == 0 and account.limit == Limit():
            self.allow(protection.account, Limit(None, 1.0))
        self._put_protection(protection.population, protection.text)
        return protection

    def unprotect(self, population: str) -> None:
        """Drop a protection; what was answered and spent stays.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """
        self._drop_protection(self.protection(population).population)

"""The ledger of a store: what was answered about a population, what it cost, what may be answered, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

from neodp.data.kinds import checked
from neodp.data.names import normal, valid_name
from neodp.data.validation import caution
from neodp.errors import GraphError
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.question import DEFAULT
from neodp.ledger.release import Release
from neodp.store.port import Port

__all__ = ["Bookkeeping"]


class Bookkeeping:
    """The part of :class:`~neodp.store.service.Store` that keeps the ledger."""

    port: Port
    """The primitives of the store."""

    @property
    def role(self) -> str:
        """The role of whoever runs commands on the store and states none: "steward" or "analyst" (SECURITY.md).

        It restricts the command line. In Python, it is only kept.
        """
        return self.port.role() or "steward"

    def set_role(self, role: str) -> None:
        """Keep the role of whoever runs commands on the store.

        Raises
        ------
        GraphError
            If it is neither "steward" nor "analyst".
        """
        if role not in ("steward", "analyst"):
            raise GraphError(f"the role is {role!r}", "give steward or analyst")
        self.port.put_role(str(role))

    @checked
    def account(self, population: str = DEFAULT) -> Account:
        """Return a population's total spending and its limit, without reading every release.

        Raises
        ------
        DamagedRelease
            If the stored total was altered.
        """
        return self.port.account(population)

    @checked
    def ledger(self, population: str = DEFAULT) -> Ledger:
        """Return everything that was answered about a population, and the limit of what may be answered.

        Raises
        ------
        DamagedRelease
            If one of the releases was altered, or the releases do not add up to the account.
        """
        return self.port.ledger(population)

    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of all populations that have an answer or a limit, sorted by name.

        Raises
        ------
        DamagedRelease, DamagedStore
            As ``ledger``. Damage to graphs does not matter here.
        """
        return self.port.ledgers()

    def populations(self) -> list[str]:
        """Return the names of the populations that the store knows, sorted."""
        return self.port.populations()

    def population_of(self, subject: str) -> str | None:
        """Return the population that a subject's last answer was about; None if there is no answer."""
        return self.port.population_of(subject)

    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject; None if there is none.

        Raises
        ------
        DamagedRelease
            If the stored release was altered.
        """
        return self.port.kept(subject, name)

    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Store releases about one population, unless their names are taken, and return the stored ones.

        All of them are stored or none, and a stored release never changes. Releases that another store has given count
        whatever the limit, and keep their time.

        Raises
        ------
        BudgetSpent
            If the population's limit does not leave room for all releases.
        OtherRelease
            If a release was given elsewhere, and this store has a different one of the same name.
        """
        return self.port.keep(releases, given_elsewhere=given_elsewhere)

    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Store the ledgers of another store, all or nothing, and return how many releases are new.

        A population that this store knows keeps its limit; an unknown population gets the limit of its ledger. What was
        spent only grows.

        Raises
        ------
        OtherRelease
            If this store has a different release of the same name.
        DamagedRelease
            If this store's own releases about one of the populations are damaged.
        """
        return self.port.adopt(ledgers)

    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, in place of the previous limit.

        Raises
        ------
        DamagedRelease
            If the population's releases are damaged; then the limit stays as it is.
        """
        return self.port.allow(valid_name("population", population), limit)

    @checked
    def change_limit(
        self,
        population: str = DEFAULT,
        *,
        releases: int | EllipsisType | None = ...,
        epsilon: float | EllipsisType | None = ...,
        delta: float | EllipsisType = ...,
    ) -> Ledger:
        """Change some parts of a population's limit, and keep the others.

        Parameters
        ----------
        releases, epsilon, delta
            The parts of a :class:`~neodp.ledger.account.Limit`; None removes a part, and parts that are not given stay
            (:meth:`Limit.changed <neodp.ledger.account.Limit.changed>`).
        """
        if not isinstance(epsilon, EllipsisType):
            caution(epsilon or 0.0)
        said = not isinstance(releases, EllipsisType) and not isinstance(epsilon, EllipsisType)
        said = said and (epsilon is None or not isinstance(delta, EllipsisType))  # then the old limit may be damaged
        limit = Limit() if said else self.account(normal(population)).limit
        return self.allow(population, limit.changed(releases=releases, epsilon=epsilon, delta=delta))

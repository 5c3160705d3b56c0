"""What was answered, in Neo4j (``cypher/neo4j/releases.cypher``): one transaction with a lock keeps answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from neodp.errors import DamagedRelease, ReadOnlyStore
from neodp.names import valid_name
from neodp.release import DEFAULT, Account, Ledger, Limit, Release
from neodp.store.base import Store
from neodp.store.neo4j.session import Session, Transaction
from neodp.store.records import Certificate, GraphInfo, account_of, ledger_of, release_of, release_row

__all__ = ["Releases"]


class Releases(Store):
    """What a store on Neo4j does with releases and certificates."""

    _session: Session

    def ledger(self, population: str = DEFAULT) -> Ledger:
        try:
            return ledger_of(population, self._session.read("ledger", population=population))
        except DamagedRelease:  # or somebody kept a release in between: look again while nobody can
            with suppress(ReadOnlyStore):
                return self._session.transaction("ledger", lambda tx: _locked(tx, population), harmless_twice=True)
            raise

    def account(self, population: str = DEFAULT) -> Account:
        kept = account_of(population, self._session.read("account", population=population))
        return kept or self.ledger(population).account

    def populations(self) -> list[str]:
        return [row["population"] for row in self._session.rows("populations")]

    def population_of(self, subject: str) -> str | None:
        return self._session.read("find_population", graph=subject).get("population")

    def allow(self, population: str, limit: Limit) -> Ledger:
        population = valid_name("population", population)
        self.init()
        values = {"releases": limit.releases, "epsilon": limit.epsilon, "delta": limit.delta}
        self._session.write("allow", population=population, **values)
        return self.ledger(population)

    def kept(self, subject: str, name: str) -> Release | None:
        return release_of(self._session.read("find_release", graph=subject, release=name).get("release"))

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        self.init()
        population = releases[0].population

        def work(tx: Transaction) -> list[Release]:
            """The answers were drawn before: however often this is tried, they are kept once."""
            tx.run("lock_ledger", population=population)  # before anything is read
            there = [release_of(tx.run("find_release", graph=r.graph, release=r.name).get("release")) for r in releases]
            if all(there):
                return [release for release in there if release is not None]
            account = account_of(population, tx.run("account", population=population))
            account = account or ledger_of(population, tx.run("ledger", population=population)).account
            return account.keep(
                releases,
                there,
                create=lambda new: str(tx.run("create_release", **release_row(new))["time"]),
                write=lambda text: tx.run("set_account", population=population, account=text),
            )

        return self._session.transaction("keep", work, harmless_twice=True)

    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        text = certificate.text()
        self._session.write("certify", graph=info.name, revision=info.revision, certificate=text, stale=stale)

    def _mark_changed(self, name: str) -> None:
        self._session.write("mark_changed", graph=name)


def _locked(tx: Transaction, population: str) -> Ledger:
    tx.run("lock_ledger", population=population)
    return ledger_of(population, tx.run("ledger", population=population))

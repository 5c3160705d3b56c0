"""Releases in Neo4j (``cypher/neo4j/releases.cypher``): answers are stored in one transaction, under a lock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from neodp.errors import DamagedRelease, ReadOnlyStore
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.release import Release
from neodp.store.neo4j.connection import Connection, Transaction
from neodp.store.port import Port
from neodp.store.records import Certificate, GraphInfo, account_of, ledger_of, release_of, release_row

__all__ = ["Neo4jReleases"]


class Neo4jReleases(Port):
    """The operations of a Neo4j store on releases and certificates."""

    connection: Connection

    def ledger(self, population: str) -> Ledger:
        """Return everything that was answered about a population, and the limit of what may be answered."""
        try:
            return ledger_of(population, self.connection.read("ledger", population=population))
        except DamagedRelease:  # or somebody kept a release in between: look again while nobody can
            with suppress(ReadOnlyStore):
                return self.connection.transaction("ledger", lambda tx: _locked(tx, population), harmless_twice=True)
            raise

    def account(self, population: str) -> Account:
        """Return a population's total spending and its limit, without reading every release."""
        kept = account_of(population, self.connection.read("account", population=population))
        return kept or self.ledger(population).account

    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of all populations that have an answer or a limit, sorted by name."""
        return [self.ledger(row["population"]) for row in self.connection.rows("ledgers")]

    def populations(self) -> list[str]:
        """Return the names of the populations that the store knows, sorted."""
        return [row["population"] for row in self.connection.rows("populations")]

    def population_of(self, subject: str) -> str | None:
        """Return the population that a subject's last answer was about; None if there is no answer."""
        return self.connection.read("find_population", graph=subject).get("population")

    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, in place of the previous limit."""
        self.init()
        values = {"releases": limit.releases, "epsilon": limit.epsilon, "delta": limit.delta}

        def work(tx: Transaction) -> Ledger:
            tx.run("allow", population=population, **values)
            return ledger_of(population, tx.run("ledger", population=population))  # if it is damaged, nothing is set

        return self.connection.transaction("allow", work)

    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject; None if there is none."""
        return release_of(self.connection.read("find_release", graph=subject, release=name).get("release"))

    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Store releases about one population, unless their names are taken, and return the stored ones."""
        self.init()
        return self.connection.transaction(
            "keep", lambda tx: _keep(tx, releases, given_elsewhere=given_elsewhere), harmless_twice=True
        )

    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Store the ledgers of another store, all or nothing, and return how many releases are new."""
        self.init()
        ordered = sorted(ledgers, key=lambda ledger: ledger.population)  # so that no two wait for each other
        return self.connection.transaction("adopt", lambda tx: sum(_adopt(tx, each) for each in ordered))

    def certify(self, info: GraphInfo, certificate: Certificate, *, stale: bool) -> None:
        """Store a graph's certificate, and whether its mechanism is stale, if the graph is still at that revision."""
        text = certificate.text()
        self.connection.write("certify", graph=info.name, revision=info.revision, certificate=text, stale=stale)

    def mark_changed(self, name: str) -> None:
        """Revoke a graph's certificate, and mark its mechanism as stale."""
        self.connection.write("mark_changed", graph=name)


def _keep(tx: Transaction, releases: Sequence[Release], *, given_elsewhere: bool) -> list[Release]:
    """Store releases; they were drawn before, so that repeated attempts store them only once."""
    population = releases[0].population
    tx.run("lock_ledger", population=population)  # before anything is read
    there = [release_of(tx.run("find_release", graph=r.graph, release=r.name).get("release")) for r in releases]
    if all(there) and not given_elsewhere:
        return [release for release in there if release is not None]
    account = account_of(population, tx.run("account", population=population))
    account = account or ledger_of(population, tx.run("ledger", population=population)).account
    after = account.admit(releases, there, given_elsewhere=given_elsewhere)
    if None in there:
        tx.run("set_account", population=population, account=after.text)
    return [kept or _create(tx, new) for new, kept in zip(releases, there, strict=True)]


def _create(tx: Transaction, release: Release) -> Release:
    """Write a release, and return it with its time."""
    row = tx.run("create_release", **release_row(release))
    if release.time is not None:
        row = tx.run("set_time", graph=release.graph, release=release.name, time=release.time)
    return replace(release, time=str(row["time"]))


def _adopt(tx: Transaction, ledger: Ledger) -> int:
    """Store the ledger of another store, and return how many of its releases are new."""
    limit = {"releases": ledger.limit.releases, "epsilon": ledger.limit.epsilon, "delta": ledger.limit.delta}
    tx.run("lock_ledger_with", population=ledger.population, **limit)
    before = ledger_of(ledger.population, tx.run("ledger", population=ledger.population))
    if not ledger.releases:
        return 0
    _keep(tx, ledger.releases, given_elsewhere=True)
    there = {(release.graph, release.name) for release in before.releases}
    return sum((release.graph, release.name) not in there for release in ledger.releases)


def _locked(tx: Transaction, population: str) -> Ledger:
    tx.run("lock_ledger", population=population)
    return ledger_of(population, tx.run("ledger", population=population))

"""What was answered, in Neo4j (``cypher/neo4j/releases.cypher``): one transaction with a lock keeps answers."""

from __future__ import annotations

from collections.abc import Sequence

from neodp.release import DEFAULT, Ledger, Limit, Release
from neodp.store.base import Store
from neodp.store.neo4j.session import Session, Transaction
from neodp.store.records import Certificate, GraphInfo, ledger_of, release_of, release_row

__all__ = ["Releases"]


class Releases(Store):
    """What a store on Neo4j does with releases and certificates."""

    _session: Session

    def ledger(self, population: str = DEFAULT) -> Ledger:
        return ledger_of(population, self._session.read("ledger", population=population))

    def populations(self) -> list[str]:
        return [row["population"] for row in self._session.rows("populations")]

    def population_of(self, subject: str) -> str | None:
        return self._session.read("find_population", graph=subject).get("population")

    def allow(self, population: str, limit: Limit) -> Ledger:
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
            tx.run("lock_ledger", population=population)
            there = [release_of(tx.run("find_release", graph=r.graph, release=r.name).get("release")) for r in releases]
            if all(there):
                return [release for release in there if release is not None]
            ledger = ledger_of(population, tx.run("ledger", population=population))
            return ledger.keep(releases, there, create=lambda new: _created(tx, new))

        return self._session.transaction("keep", work, harmless_twice=True)

    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        epsilons, deltas = ([getattr(level, x) for level in certificate.levels] for x in ("epsilon", "delta"))
        values = {"fingerprint": certificate.fingerprint, "stale": stale, "epsilons": epsilons, "deltas": deltas}
        self._session.write("certify", graph=info.name, revision=info.revision, **values)

    def _mark_changed(self, name: str) -> None:
        self._session.write("mark_changed", graph=name)


def _created(tx: Transaction, release: Release) -> str:
    """Write a release; the server's time."""
    return str(tx.run("create_release", **release_row(release))["time"])

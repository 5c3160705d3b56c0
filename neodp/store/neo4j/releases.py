"""What was answered, in Neo4j (``cypher/neo4j/releases.cypher``): an answer is kept while the ledger is locked."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from neodp.release import Ledger, Release
from neodp.store.base import Store
from neodp.store.neo4j.session import Session, Transaction

__all__ = ["Releases"]


class Releases(Store):
    """What a store on Neo4j does with releases."""

    _session: Session

    def ledger(self, graph: str) -> Ledger:
        return _ledger(graph, self._session.read("ledger", graph=graph))

    def allow(self, graph: str, releases: int) -> Ledger:
        self.init()
        self._session.write("allow", graph=graph, releases=releases)
        return self.ledger(graph)

    def keep(self, release: Release) -> Release:
        self.init()

        def work(tx: Transaction) -> Release:
            """The answer was drawn before: however often this is tried, it is kept once."""
            tx.run("lock_ledger", graph=release.graph)
            ledger = _ledger(release.graph, tx.run("ledger", graph=release.graph))
            return ledger.keep(release, create=lambda new: _created(tx, new))

        return self._session.transaction("keep", work)


def _created(tx: Transaction, release: Release) -> str:
    """Write a release; the server's time."""
    values = {name: value for name, value in asdict(release).items() if name not in ("name", "time")}
    return str(tx.run("create_release", release=release.name, **values)["time"])


def _ledger(graph: str, row: dict[str, Any]) -> Ledger:
    return Ledger(graph, row["max_releases"], tuple(Release(**release) for release in row["releases"]))

"""What was answered, in the embedded file (``cypher/embedded/releases.cypher``): one transaction keeps an answer."""

from __future__ import annotations

from neodp.release import Ledger, Release
from neodp.store.base import Store
from neodp.store.embedded.columns import prefix
from neodp.store.embedded.session import Session, now

__all__ = ["Releases"]


class Releases(Store):
    """What the embedded store does with releases."""

    _session: Session

    def ledger(self, graph: str) -> Ledger:
        if not {"Ledger", "Release"} <= self._session.tables:
            return Ledger(graph, 1, ())
        with self._session.transaction():
            allowed = self._session.run("max_releases", graph=graph)["max_releases"].to_pylist()
            found = self._session.run("releases", graph=graph).to_pylist()
        return Ledger(graph, allowed[0] if allowed else 1, tuple(Release(**row) for row in found))

    def allow(self, graph: str, releases: int) -> Ledger:
        self.init()
        with self._session.transaction(write=True):
            self._session.run("allow", graph=graph, releases=releases)
        return self.ledger(graph)

    def keep(self, release: Release) -> Release:
        self.init()
        with self._session.transaction(write=True):
            return self.ledger(release.graph).keep(release, create=self._create_release)

    def _create_release(self, release: Release) -> str:
        """Write a release; the time."""
        time, id = now(), f"{prefix(release.graph)}{release.name}"
        values = {"release": release.name, "answer": release.answer, "time": time, "key": release.key}
        self._session.run("create_release", id=id, graph=release.graph, **values)
        return time

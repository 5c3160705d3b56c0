"""What was answered, in the embedded file (``cypher/embedded/releases.cypher``): one transaction keeps answers."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from neodp.names import valid_name
from neodp.release import DEFAULT, Account, Ledger, Limit, Release
from neodp.store.base import Store
from neodp.store.embedded.columns import prefix
from neodp.store.embedded.session import Session, now
from neodp.store.records import Certificate, GraphInfo, account_of, ledger_of, release_of, release_row

__all__ = ["Releases"]


class Releases(Store):
    """What the embedded store does with releases and certificates."""

    _session: Session

    def ledger(self, population: str = DEFAULT) -> Ledger:
        if not self._has_ledgers:
            return Ledger(population)
        with self._session.transaction():
            row = self._account_row(population)
            releases = self._session.run("releases", population=population).to_pylist()
        return ledger_of(population, {**row, "releases": releases})

    def account(self, population: str = DEFAULT) -> Account:
        if not self._has_ledgers:
            return Account(population)
        with self._session.transaction():
            return account_of(population, self._account_row(population)) or self.ledger(population).account

    def populations(self) -> list[str]:
        if not {"DatasetGraph", "Ledger", "Release", "Profiles"} <= self._session.tables:
            return []
        with self._session.transaction():
            return sorted(set(self._session.run("populations")["population"].to_pylist()))

    def population_of(self, subject: str) -> str | None:
        if not self._has_ledgers:
            return None
        with self._session.transaction():
            found = self._session.run("find_population", graph=subject)["population"].to_pylist()
        return found[0] if found else None

    def allow(self, population: str, limit: Limit) -> Ledger:
        population = valid_name("population", population)
        self.init()
        values = {"releases": limit.releases, "epsilon": limit.epsilon, "delta": limit.delta}
        with self._session.transaction(write=True):
            self._session.run("allow", population=population, **values)
        return self.ledger(population)

    def kept(self, subject: str, name: str) -> Release | None:
        if not self._has_ledgers:
            return None
        with self._session.transaction():
            found = self._session.run("find_release", id=_id(subject, name)).to_pylist()
        return release_of(found[0] if found else None)

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        self.init()
        with self._session.transaction(write=True):
            there = [self.kept(release.graph, release.name) for release in releases]
            population = releases[0].population
            return self.account(population).keep(
                releases,
                there,
                create=self._create_release,
                write=lambda text: self._session.run("set_account", population=population, account=text),
            )

    def _account_row(self, population: str) -> dict[str, Any]:
        found = self._session.run("account", population=population).to_pylist()
        return {"known": bool(found), "account": None, **(found[0] if found else {})}

    @property
    def _has_ledgers(self) -> bool:
        return {"Ledger", "Release"} <= self._session.tables

    def _create_release(self, release: Release) -> str:
        """Write a release; the time."""
        time = now()
        self._session.run("create_release", id=_id(release.graph, release.name), time=time, **release_row(release))
        return time

    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        now = info.revision or uuid.uuid4().hex
        values = {"revision_now": now, "certified": f"{now}\t{certificate.text()}", "stale": stale}
        with self._session.transaction(write=True):
            self._session.run("certify", graph=info.name, revision=info.revision, **values)

    def _mark_changed(self, name: str) -> None:
        with self._session.transaction(write=True):
            self._session.run("mark_changed", graph=name)


def _id(subject: str, name: str) -> str:
    return f"{prefix(subject)}{name}"

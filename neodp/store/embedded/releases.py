"""The ledger in the embedded file: storing answers and setting limits.

An answer is stored in one transaction, together with the total that its population has spent. A lookup that decides
whether an answer is drawn uses two indexes, which must agree: because of a flipped bit in an index, a search could miss
an existing release (:mod:`~neodp.store.embedded.ledgers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.release import Release
from neodp.store.embedded.file import File
from neodp.store.embedded.ledgers import RELEASE, Ledgers, digest_of_release, identity_of
from neodp.store.embedded.loading import now
from neodp.store.embedded.records import RecordTable
from neodp.store.port import Port
from neodp.store.records import Certificate, GraphInfo

__all__ = ["EmbeddedReleases"]


class EmbeddedReleases(Port):
    """The operations of the embedded store on releases and certificates."""

    _file: File
    _graphs: RecordTable
    _ledgers: Ledgers

    def ledger(self, population: str) -> Ledger:
        """Return everything that was answered about a population, and the limit of what may be answered."""
        return self._ledgers.one(population)

    def ledgers(self) -> list[Ledger]:
        """Return the ledgers of all populations that have an answer or a limit, sorted by name."""
        return self._ledgers.all()

    def account(self, population: str) -> Account:
        """Return a population's total spending and its limit, without reading every release."""
        with self._file.reading():
            self._ledgers.require_sound()
            return self._ledgers.account(population)

    def populations(self) -> list[str]:
        """Return the names of the populations that the store knows, sorted."""
        with self._file.reading():
            about = {info.population for info in self.graphs()} | {info.population for info in self.profiles.all()}
            return sorted(about | self._ledgers.populations.rows().keys())

    def population_of(self, subject: str) -> str | None:
        """Return the population that a subject's last answer was about; None if there is no answer."""
        every = [release for ledger in self.ledgers() for release in ledger.releases]
        found = [(release.time or "", release.population) for release in every if release.graph == subject]
        return max(found)[1] if found else None

    def allow(self, population: str, limit: Limit) -> Ledger:
        """Set how much may be answered about a population, in place of the previous limit."""
        with self._file.writing():
            self._set(population, **_parts(limit))
            return self._ledgers.one(population)  # if it is damaged, nothing is set

    def kept(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject; None if there is none."""
        with self._file.reading():
            self._ledgers.require_sound()
            return self._ledgers.find(subject, name)

    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        """Store releases about one population, unless their names are taken, and return the stored ones."""
        population = releases[0].population
        with self._file.writing():
            self._ledgers.require_sound()
            there = [self._ledgers.find(release.graph, release.name) for release in releases]
            account = self._ledgers.account(population).admit(releases, there, given_elsewhere=given_elsewhere)
            if None in there:
                self._set(population, account=account.text)
            return [kept or self._create_release(new) for new, kept in zip(releases, there, strict=True)]

    def adopt(self, ledgers: Sequence[Ledger]) -> int:
        """Store the ledgers of another store, all or nothing, and return how many releases are new."""
        with self._file.writing():
            return sum(map(self._adopt, ledgers))

    def _adopt(self, ledger: Ledger) -> int:
        """Store the ledger of another store, and return how many of its releases are new."""
        if ledger.population not in self._ledgers.populations.rows():
            self._set(ledger.population, **_parts(ledger.limit))
        before = self._ledgers.one(ledger.population).used
        if ledger.releases:
            self.keep(ledger.releases, given_elsewhere=True)
        return self._ledgers.account(ledger.population).used - before

    # --- rows ---------------------------------------------------------------------------------------------

    def _create_release(self, release: Release) -> Release:
        """Write a release, and return it with its time."""
        time = release.time or now()
        (last,) = self._file.execute("SELECT coalesce(max(id), 0) FROM release")
        values = [last[0] + 1, release.graph, release.name, release.population, release.answer, time, release.key]
        values += [release.asked, release.command, identity_of(release.graph, release.name)]
        levels = [(x.name, repr(x.epsilon), repr(x.delta), x.people, x.times) for x in release.levels]
        marks = ", ".join("?" * (len(RELEASE) + 1))
        self._file.execute(f"INSERT INTO release VALUES ({marks})", [*values, digest_of_release(values, levels)])
        for position, level in enumerate(levels):
            self._file.execute("INSERT INTO level VALUES (?, ?, ?, ?, ?, ?, ?)", [values[0], position, *level])
        return replace(release, time=time)

    def _set(self, population: str, **changes: Any) -> None:
        """Change the row of a population; a new one has the default limit."""
        row = self._ledgers.populations.rows().get(population)
        new = {"name": population, "account": None, **_parts(Limit())}
        self._ledgers.populations.put((row or new) | changes)

    # --- certificates -------------------------------------------------------------------------------------

    def certify(self, info: GraphInfo, certificate: Certificate, *, stale: bool) -> None:
        """Store a graph's certificate, and whether its mechanism is stale, if the graph is still at that revision."""
        with self._file.writing():
            row = self._graphs.rows().get(info.name)
            if row is not None and row["revision"] == info.revision:
                self._graphs.put(row | {"certified": f"{info.revision}\t{certificate.text()}", "stale": int(stale)})

    def mark_changed(self, name: str) -> None:
        """Revoke a graph's certificate, and mark its mechanism as stale."""
        with self._file.writing():
            row = self._graphs.rows().get(name)
            if row is not None:
                self._graphs.put(row | {"certified": None, "stale": int(row["mechanism"] is not None)})


def _parts(limit: Limit) -> dict[str, Any]:
    """Return a limit as the columns of its row."""
    epsilon = None if limit.epsilon is None else repr(float(limit.epsilon))
    return {"max_releases": limit.releases, "epsilon": epsilon, "delta": repr(float(limit.delta))}

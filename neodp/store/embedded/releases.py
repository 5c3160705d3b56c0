"""The ledger in the embedded file: releases, what they cost, and how much may be answered.

An answer is kept in one transaction, with the sum of what its population has spent. A look-up that decides whether an
answer is drawn goes through two indexes, which must agree: a flipped bit in an index makes a search miss what is there.
Before the first such look-up, the releases are counted, in the table and in each index: there must be as many as all
accounts say. So the file is refused if only a part of a change reached it, as in a copy that was made during a change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from neodp.names import valid_name
from neodp.release import DEFAULT, Account, Ledger, Level, Limit, Release, damaged
from neodp.store.base import Store
from neodp.store.embedded.file import File
from neodp.store.embedded.graphs import now
from neodp.store.embedded.records import Table, digest_of
from neodp.store.records import Certificate, GraphInfo

__all__ = ["POPULATION", "Releases"]

POPULATION = ("name", "max_releases", "epsilon", "delta", "account")
"""The columns of the table ``population``."""
RELEASE = ("id", "subject", "name", "population", "answer", "time", "key", "asked", "command", "identity")
"""The columns of the table ``release`` but for its digest."""
LEVEL = ("name", "epsilon", "delta", "people", "times")
"""The columns of the table ``level`` but for its place."""
COUNTS = (
    "NOT INDEXED",
    "INDEXED BY release_by_name WHERE subject >= ''",
    "INDEXED BY release_by_identity WHERE identity >= ''",
    "INDEXED BY release_by_population WHERE population >= ''",
)
"""Ways to count all releases: in the table and in each of its indexes."""


class Releases(Store):
    """What the embedded store does with releases and certificates."""

    _file: File
    _graphs: Table
    _populations: Table
    _counted = False

    def ledger(self, population: str = DEFAULT) -> Ledger:
        with self._file.reading():
            account = self._account(population)
            rows = self._file.execute(
                f"SELECT {', '.join(RELEASE)}, digest FROM release WHERE population = ? ORDER BY time, name",
                [population],
            )
            releases = tuple(self._release(row) for row in rows)
        ledger = Ledger(population, account.limit, releases)
        if (account.used, account.seal) != (ledger.used, ledger.account.seal):
            raise account.damaged(f"has {account.used:,} releases, and {ledger.used:,} are there, or not the same ones")
        return ledger

    def account(self, population: str = DEFAULT) -> Account:
        with self._file.reading():
            self._require_sound()
            return self._account(population)

    def _account(self, population: str) -> Account:
        row = self._populations.rows().get(population)
        if row is None:
            return Account(population)
        epsilon = None if row["epsilon"] is None else float(row["epsilon"])
        free = row["max_releases"] is None and epsilon is None
        limit = Limit() if free else Limit(row["max_releases"], epsilon, float(row["delta"]))
        account = Account(population, limit)
        return account if row["account"] is None else account.read(row["account"])

    def populations(self) -> list[str]:
        with self._file.reading():
            about = {info.population for info in self.graphs()} | {info.population for info in self.profiles.all()}
            return sorted(about | self._populations.rows().keys())

    def population_of(self, subject: str) -> str | None:
        with self._file.reading():
            every = [release for population in self.populations() for release in self.ledger(population).releases]
        found = [(release.time or "", release.population) for release in every if release.graph == subject]
        return max(found)[1] if found else None

    def allow(self, population: str, limit: Limit) -> Ledger:
        population = valid_name("population", population)
        with self._file.writing():
            row = self._populations.rows().get(population)
            epsilon = None if limit.epsilon is None else repr(float(limit.epsilon))
            values = {"max_releases": limit.releases, "epsilon": epsilon, "delta": repr(float(limit.delta))}
            account = None if row is None else row["account"]
            self._populations.put({"name": population, "account": account, **values})
        return self.ledger(population)

    def kept(self, subject: str, name: str) -> Release | None:
        with self._file.reading():
            self._require_sound()
            return self._find(subject, name)

    def keep(self, releases: Sequence[Release], *, given_elsewhere: bool = False) -> list[Release]:
        population = releases[0].population
        with self._file.writing():
            self._require_sound()
            there = [self._find(release.graph, release.name) for release in releases]
            return self._account(population).keep(
                releases,
                there,
                create=self._create_release,
                write=lambda text: self._set_account(population, text),
                given_elsewhere=given_elsewhere,
            )

    def _require_sound(self) -> None:
        """Have the whole file checked and the releases counted, once for as long as the file is open.

        Raises
        ------
        DamagedStore
            If the file is damaged, or there are not as many releases as all accounts say.
        """
        self._file.require_sound()
        if self._counted:
            return
        found = {self._file.execute(f"SELECT count(*) FROM release {way}")[0][0] for way in COUNTS}
        said = sum(self._account(population).used for population in self._populations.rows())
        if found != {said}:
            raise self._file.damaged(f"its accounts say {said:,} releases, and not just as many are there")
        self._counted = True

    # --- rows ---------------------------------------------------------------------------------------------

    def _find(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject, found in both indexes or in none."""
        by_name = self._file.execute(
            "SELECT id FROM release INDEXED BY release_by_name WHERE subject = ? AND name = ?", [subject, name]
        )
        by_identity = self._file.execute(
            "SELECT id FROM release INDEXED BY release_by_identity WHERE identity = ?", [_identity(subject, name)]
        )
        if by_name != by_identity:
            raise self._file.damaged("an index of its releases was altered")
        if not by_name:
            return None
        rows = self._file.execute(f"SELECT {', '.join(RELEASE)}, digest FROM release WHERE id = ?", by_name[0])
        found = [self._release(row) for row in rows]
        if [(one.graph, one.name) for one in found] != [(subject, name)]:
            raise self._file.damaged("an index of its releases was altered")
        return found[0]

    def _release(self, row: tuple[Any, ...]) -> Release:
        """Return a release from its row.

        Raises
        ------
        DamagedRelease
            If the release or what it cost was altered.
        """
        levels = self._file.execute(
            f"SELECT {', '.join(LEVEL)} FROM level WHERE release = ? ORDER BY position", [row[0]]
        )
        *values, digest = row
        if _digest(values, levels) != digest:
            raise damaged(row[1], row[2])
        found = dict(zip(RELEASE, values, strict=True))
        return Release(
            graph=found["subject"],
            name=found["name"],
            answer=found["answer"],
            time=found["time"],
            key=found["key"],
            population=found["population"],
            asked=found["asked"],
            levels=tuple(
                Level(float(epsilon), float(delta), name, people, times)
                for name, epsilon, delta, people, times in levels
            ),
            command=found["command"],
        )

    def _create_release(self, release: Release) -> str:
        """Write a release; return its time."""
        time = release.time or now()
        (last,) = self._file.execute("SELECT coalesce(max(id), 0) FROM release")
        values = [last[0] + 1, release.graph, release.name, release.population, release.answer, time, release.key]
        values += [release.asked, release.command, _identity(release.graph, release.name)]
        levels = [(x.name, repr(x.epsilon), repr(x.delta), x.people, x.times) for x in release.levels]
        marks = ", ".join("?" * (len(RELEASE) + 1))
        self._file.execute(f"INSERT INTO release VALUES ({marks})", [*values, _digest(values, levels)])
        for position, level in enumerate(levels):
            self._file.execute("INSERT INTO level VALUES (?, ?, ?, ?, ?, ?, ?)", [values[0], position, *level])
        return time

    def _set_account(self, population: str, text: str) -> None:
        row = self._populations.rows().get(population)
        limit = {"max_releases": Limit().releases, "epsilon": None, "delta": repr(Limit().delta)}
        self._populations.put((row or {"name": population, **limit}) | {"account": text})

    # --- certificates -------------------------------------------------------------------------------------

    def _certify(self, info: GraphInfo, certificate: Certificate, stale: bool) -> None:
        with self._file.writing():
            row = self._graphs.rows().get(info.name)
            if row is not None and row["revision"] == info.revision:
                self._graphs.put(row | {"certified": f"{info.revision}\t{certificate.text()}", "stale": int(stale)})

    def _mark_changed(self, name: str) -> None:
        with self._file.writing():
            row = self._graphs.rows().get(name)
            if row is not None:
                self._graphs.put(row | {"certified": None, "stale": int(row["mechanism"] is not None)})


def _identity(subject: str, name: str) -> str:
    """Return what stands for a subject and a name in the second index."""
    return hashlib.sha256(json.dumps([subject, name]).encode()).hexdigest()


def _digest(values: Sequence[Any], levels: Sequence[Sequence[Any]]) -> str:
    return digest_of("release", [*values, *map(list, levels)])

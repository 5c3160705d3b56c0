"""The ledger in the embedded file, read and verified.

Every release has a digest, and every population the sum of its releases' digests
(:class:`neodp.ledger.account.Account`), so that altered data is refused. No other table is read: the ledger of a file
with damaged graphs can still be read, and :func:`is_whole` tells whether it can.

A lookup reads a single release. So before the first lookup, the releases are counted, in the table and in its indexes:
their number must be the one that all accounts state. This reveals a change of which only a part reached the file, as in
a copy made while another process was writing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from neodp.errors import NeodpError
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release, damaged
from neodp.store.embedded.file import File
from neodp.store.embedded.records import RecordTable, digest_of

__all__ = ["LEVEL", "RELEASE", "Ledgers", "digest_of_release", "identity_of", "is_whole"]

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
"""The ways to count all releases: in the table and in each of its indexes."""


class Ledgers:
    """The ledgers of a file.

    Attributes
    ----------
    populations : RecordTable
        The limits, and the accounts as strings.
    """

    def __init__(self, file: File) -> None:
        self._file = file
        self._counted = False
        self.populations = RecordTable(file, "population", POPULATION)

    def require_sound(self) -> None:
        """Check the whole file and count the releases, once while the file is open.

        Raises
        ------
        DamagedStore
            If the file is damaged, or the number of releases is not the one that all accounts state.
        """
        self._file.require_sound()
        if self._counted:
            return
        found = {self._file.execute(f"SELECT count(*) FROM release {way}")[0][0] for way in COUNTS}
        said = sum(self.account(population).used for population in self.populations.rows())
        if found != {said}:
            raise self._file.damaged(f"its accounts state {said:,} releases, but a different number is there")
        self._counted = True

    def all(self) -> list[Ledger]:
        """Return the ledgers of all populations, sorted by name.

        Raises
        ------
        DamagedStore, DamagedRelease
            If any of them is damaged.
        """
        with self._file.reading():
            names = set(self.populations.rows())
            names |= {row[0] for row in self._file.execute("SELECT DISTINCT population FROM release NOT INDEXED")}
            if not all(isinstance(name, str) for name in names):
                raise self._file.damaged("a row of its table 'release' was altered")
            return [self.one(name) for name in sorted(names)]

    def one(self, population: str) -> Ledger:
        """Return the ledger of a population."""
        with self._file.reading():
            account = self.account(population)
            rows = self._file.execute(
                f"SELECT {', '.join(RELEASE)}, digest FROM release WHERE population = ? ORDER BY time, name",
                [population],
            )
            releases = tuple(self.release(row) for row in rows)
        ledger = Ledger(population, account.limit, releases)
        if (account.used, account.seal) != (ledger.used, ledger.account.seal):
            raise account.damaged(f"has {account.used:,} releases, but {ledger.used:,} are there, or different ones")
        return ledger

    def account(self, population: str) -> Account:
        """Return the account of a population."""
        row = self.populations.rows().get(population)
        if row is None:
            return Account(population)
        epsilon = None if row["epsilon"] is None else float(row["epsilon"])
        free = row["max_releases"] is None and epsilon is None
        limit = Limit() if free else Limit(row["max_releases"], epsilon, float(row["delta"]))
        account = Account(population, limit)
        return account if row["account"] is None else account.read(row["account"])

    def find(self, subject: str, name: str) -> Release | None:
        """Return the release of a name about a subject, which must be in both indexes or in none."""
        by_name = self._file.execute(
            "SELECT id FROM release INDEXED BY release_by_name WHERE subject = ? AND name = ?", [subject, name]
        )
        by_identity = self._file.execute(
            "SELECT id FROM release INDEXED BY release_by_identity WHERE identity = ?", [identity_of(subject, name)]
        )
        if by_name != by_identity:
            raise self._file.damaged("an index of its releases was altered")
        if not by_name:
            return None
        rows = self._file.execute(f"SELECT {', '.join(RELEASE)}, digest FROM release WHERE id = ?", by_name[0])
        found = [self.release(row) for row in rows]
        if [(one.graph, one.name) for one in found] != [(subject, name)]:
            raise self._file.damaged("an index of its releases was altered")
        return found[0]

    def release(self, row: tuple[Any, ...]) -> Release:
        """Return a release from its row.

        Raises
        ------
        DamagedRelease
            If the release or its cost was altered.
        """
        levels = self._file.execute(
            f"SELECT {', '.join(LEVEL)} FROM level WHERE release = ? ORDER BY position", [row[0]]
        )
        *values, digest = row
        if digest_of_release(values, levels) != digest:
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


def is_whole(file: File) -> bool:
    """Return whether the whole ledger of a file can be read without damage."""
    try:
        Ledgers(file).all()
    except NeodpError:
        return False
    return True


def identity_of(subject: str, name: str) -> str:
    """Return the entry of the second index for a subject and a name."""
    return hashlib.sha256(json.dumps([subject, name]).encode()).hexdigest()


def digest_of_release(values: Sequence[Any], levels: Sequence[Sequence[Any]]) -> str:
    """Return the digest of a row of the table ``release``, with its levels."""
    return digest_of("release", [*values, *map(list, levels)])

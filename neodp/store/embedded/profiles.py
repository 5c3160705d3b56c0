"""Profiles in the embedded file: users, items, likes, and released neighbours. Every change is one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neodp.data.progress import Progress
from neodp.hints import Call
from neodp.store import refusals
from neodp.store.embedded.columns import Array, Column, Columns
from neodp.store.embedded.file import File
from neodp.store.embedded.loading import EmbeddedLoading, new_version, now
from neodp.store.embedded.records import RecordTable
from neodp.store.embedded.texts import Texts
from neodp.store.port import ProfilePort
from neodp.store.records import READY, ProfileInfo
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["PROFILE", "EmbeddedProfiles"]

PROFILE = ("name", "users", "items", "likes", "grouped", "population", "created", "content", "neighbors", "similar")
"""The columns of the table ``profile``."""
SIMILAR = {"user": "<i4", "other": "<i4", "score": "<f8", "rank": "<i4", "measure": "u1", "epsilon": "<f8"}
"""The columns of the released neighbours, with their types."""
MEASURES = tuple(Measure)


class EmbeddedProfiles(ProfilePort):
    """The profiles of an embedded store."""

    def __init__(self, file: File, columns: Columns) -> None:
        self._file, self._columns = file, columns
        self._profiles = RecordTable(file, "profile", PROFILE)
        self.address = file.address

    def all(self) -> list[ProfileInfo]:
        """Return all sets of profiles, sorted by name."""
        return [_info(row) for row in self._profiles.rows().values()]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(self, name: str, profiles: Profiles, *, replace: bool, population: str | None, progress: Progress) -> None:
        """Store profiles under a name; readers see all of them or nothing."""
        row: dict[str, Any] = dict.fromkeys(PROFILE) | {
            "name": name,
            "users": len(profiles.users),
            "items": len(profiles.items),
            "likes": profiles.likes,
            "grouped": int(profiles.group is not None),
            "population": population,
            "created": now(),
            "content": new_version(),
            "similar": 0,
        }
        with self._loading.replaced(row, replace=replace, progress=progress):
            self._create(row, profiles)

    def _create(self, row: Mapping[str, Any], p: Profiles) -> None:
        texts = {"user.id": p.users, "item.id": p.items} | ({} if p.group is None else {"user.group": p.group})
        for name, column in texts.items():
            Texts(self._columns, row["content"], name, len(column)).write(column, indexed=False)
        columns: list[Array] = [p.user, p.item, p.value, p.weight]
        for column, values in zip(_likes(row), columns, strict=True):
            self._columns.write(column, values)

    def drop(self, info: ProfileInfo, progress: Progress) -> int:
        """Delete profiles with everything that belongs to them, and return how many users there were."""
        return self._loading.drop(info.name, progress)

    @property
    def _loading(self) -> EmbeddedLoading:
        counts = ("users", "items", "likes")
        return EmbeddedLoading(self._file, self._profiles, self._columns, "profile", ("content", "neighbors"), counts)

    # --- reading and writing back -------------------------------------------------------------------------

    def read(self, name: str, progress: Progress) -> Profiles:
        """Return complete profiles."""
        with self._file.reading():
            self.ready(name)
            row = self._profiles.rows()[name]
            user, item, value, weight = (self._columns.read(column) for column in _likes(row))
            group = self._texts(row, "user.group") if row["grouped"] else None
            users, items = self._texts(row, "user.id"), self._texts(row, "item.id")
            progress("reading", len(user), len(user))
        return Profiles(users, items, user, item, value, weight, group, name)

    def _texts(self, row: Mapping[str, Any], name: str) -> pa.StringArray:
        return Texts(self._columns, row["content"], name, row["items" if name == "item.id" else "users"]).read()

    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, progress: Progress) -> int:
        """Store neighbours in place of the ones that their users have, and return how many were stored."""
        k, total = found.neighbor.shape[1], found.neighbor.size
        new: dict[str, Array] = {
            "user": np.repeat(found.users, k),
            "other": found.neighbor.ravel(),
            "score": found.score.ravel(),  # NaN where it was not released
            "rank": np.tile(np.arange(1, k + 1), len(found.users)),
            "measure": np.full(total, MEASURES.index(measure)),
            "epsilon": np.full(total, float(found.cost.epsilon)),
        }
        with self._file.writing():
            self.ready(profiles.name)
            row = self._profiles.rows()[profiles.name]
            place = self._places(row, profiles)
            new |= {"user": place[new["user"]], "other": place[new["other"]]}
            stays = ~np.isin(self.similar(row)["user"], place[found.users])
            both = {name: np.concatenate([old[stays], new[name]]) for name, old in self.similar(row).items()}
            self._columns.delete(row["neighbors"])
            row |= {"neighbors": new_version(), "similar": len(both["user"])}
            for name, values in both.items():
                self._columns.write(_similar(row, name), values.astype(SIMILAR[name]))
            self._profiles.put(row)
        progress("neighbors", total, total)
        return total

    def _places(self, row: Mapping[str, Any], profiles: Profiles) -> Array:
        """Return the position of each user of some profiles among the stored users."""
        where = pc.index_in(profiles.users, self._texts(row, "user.id"))
        if where.null_count:
            raise refusals.overtaken("profile", row["name"], self.address, Call("profiles"))
        return np.asarray(where, np.int64)

    def similar(self, row: Mapping[str, Any]) -> dict[str, Array]:
        """Return the released neighbours as columns: positions of users and measures, and numbers."""
        if row["neighbors"] is None:
            return {name: np.empty(0, dtype) for name, dtype in SIMILAR.items()}
        return {name: self._columns.read(_similar(row, name)) for name in SIMILAR}

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the row of each set of profiles, by name."""
        return self._profiles.rows()


def _info(row: Mapping[str, Any]) -> ProfileInfo:
    counts = {name: row[name] for name in ("name", "users", "items", "likes", "created", "population")}
    return ProfileInfo(**counts, state=READY, revision=row["content"])


def _likes(row: Mapping[str, Any]) -> list[Column]:
    kinds = {"user": "<i4", "item": "<i4", "value": "<f8", "weight": "<f8"}
    return [Column(row["content"], f"like.{name}", dtype, row["likes"]) for name, dtype in kinds.items()]


def _similar(row: Mapping[str, Any], name: str) -> Column:
    return Column(row["neighbors"], f"similar.{name}", SIMILAR[name], row["similar"])

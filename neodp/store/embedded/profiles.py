"""Profiles in the embedded file (``cypher/embedded/profiles.cypher``): every change is one transaction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from neodp.errors import StoreError
from neodp.release import DEFAULT
from neodp.store import refusals
from neodp.store.base import Progress, silent
from neodp.store.embedded.columns import ids_of, repeated
from neodp.store.embedded.session import Session, batches, now
from neodp.store.profiles import ProfileInfo, ProfileStore
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["EmbeddedProfiles"]


class EmbeddedProfiles(ProfileStore):
    """The profiles of an embedded store."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.address = session.address

    def all(self) -> list[ProfileInfo]:
        if "Profiles" not in self._session.tables:
            return []
        with self._session.transaction():
            return [ProfileInfo(**row) for row in self._session.run("profiles").to_pylist()]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(
        self,
        name: str,
        profiles: Profiles,
        *,
        replace: bool = False,
        population: str | None = None,
        progress: Progress = silent,
    ) -> ProfileInfo:
        name, population = refusals.named("profile", name, population)
        self._session.init()
        with self._session.transaction(write=True):
            there = {info.name: info.population for info in self.all()}
            if name in there:
                if not replace:
                    raise refusals.exists("profile", name, self.address)
                self._delete(name)
            counts = {"users": len(profiles.users), "items": len(profiles.items), "likes": profiles.likes}
            people = there.get(name, DEFAULT) if population is None else population
            self._session.run("create_profiles", profiles=name, created=now(), population=people, **counts)
            self._create(name, profiles, progress)
        return self.info(name)

    def _create(self, name: str, p: Profiles, progress: Progress) -> None:
        users, items = ids_of(name, p.users), ids_of(name, p.items)
        group = pa.nulls(len(p.users), pa.string()) if p.group is None else p.group
        columns = {"key": users, "name": repeated(name, len(users)), "id": p.users, "grp": group}
        self._insert("create_users", "users", columns, progress)
        columns = {"key": items, "name": repeated(name, len(items)), "id": p.items}
        self._insert("create_items", "items", columns, progress)
        ends = {"user": users.take(pa.array(p.user)), "item": items.take(pa.array(p.item))}
        columns = {**ends, "weight": pa.array(p.weight), "value": pa.array(p.value)}
        self._insert("create_likes", "likes", columns, progress)

    def _insert(self, statement: str, what: str, columns: dict[str, pa.Array], progress: Progress) -> None:
        total = len(next(iter(columns.values())))
        for rows in batches(total):
            self._session.run(statement, rows=pa.table({c: values[rows] for c, values in columns.items()}))
            progress(what, rows.stop, total)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        with self._session.transaction(write=True):
            self.info(name)
            deleted = self._delete(name)
            progress("dropping", deleted, deleted)
        return deleted

    def _delete(self, name: str) -> int:
        deleted = self._session.run("delete_users", profiles=name)["deleted"][0].as_py()
        self._session.run("delete_items", profiles=name)
        self._session.run("delete_profiles", profiles=name)
        return int(deleted)

    # --- reading and writing back -------------------------------------------------------------------------

    def read(self, name: str, *, progress: Progress = silent) -> Profiles:
        with self._session.transaction():
            self.ready(name)
            users = self._session.run("read_users", profiles=name).sort_by("position")
            items = self._session.run("read_items", profiles=name).sort_by("position")
            likes = self._session.run("read_likes", profiles=name)
            progress("reading", len(likes), len(likes))
        return Profiles.from_columns(
            likes["user"],
            likes["item"],
            likes["value"].to_numpy(),
            likes["weight"].to_numpy(),
            users=users["id"],
            items=items["id"],
            group=None if users["grp"].null_count or not len(users) else users["grp"],
            name=name,
            place=lambda row: f"profile {name!r}, user {likes['user'][row].as_py()!r}",
        )

    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, *, progress: Progress = silent) -> int:
        ids = ids_of(profiles.name, profiles.users)
        k = found.neighbor.shape[1]
        total = found.neighbor.size
        columns: dict[str, Any] = {
            "user": ids.take(pa.array(np.repeat(found.users, k))),
            "other": ids.take(pa.array(found.neighbor.ravel())),
            "score": pa.array(found.score.ravel(), from_pandas=True),  # one that was not released is null
            "place": pa.array(np.tile(np.arange(1, k + 1), len(found.users))),
            "measure": repeated(measure.value, total),
            "epsilon": pa.repeat(float(found.cost.epsilon), total),
        }
        with self._session.transaction(write=True):
            self.ready(profiles.name)
            if len(found.users):
                self._session.run("clear_similar", rows=pa.table({"user": ids.take(pa.array(found.users))}))
            for rows in batches(total):
                table = pa.table({c: values[rows] for c, values in columns.items()})
                written = self._session.run("create_similar", rows=table)["created"][0].as_py()
                if written != len(table):
                    raise StoreError(
                        f"{self.address} wrote {written} of {len(table)} neighbours", "nothing was changed"
                    )
                progress("neighbors", rows.stop, total)
        return total

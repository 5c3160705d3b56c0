"""Profiles in Neo4j: loaded in batches by a writer that owns them, read as columns, neighbours in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import neo4j
import numpy as np

from neodp.errors import GraphError, GraphExists, Overtaken
from neodp.store.base import READY, Progress, silent
from neodp.store.cypher import statement
from neodp.store.neo4j import BATCH, Neo4jStore, _batches, _numbers, _one
from neodp.store.profiles import ProfileInfo, ProfileStore
from neodp.stretch.neighbors import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarity import Measure

__all__ = ["Neo4jProfiles"]

USERS = 500
"""How many users go over the wire at once where their likes go with them."""


class Neo4jProfiles(ProfileStore):
    """The profiles of a Neo4j store."""

    def __init__(self, store: Neo4jStore) -> None:
        self._store = store
        self.address = store.address

    def all(self) -> list[ProfileInfo]:
        return [ProfileInfo(**row) for row in self._store._read_rows("profiles")]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(self, name: str, profiles: Profiles, *, replace: bool = False, progress: Progress = silent) -> ProfileInfo:
        self._store.init()
        writer = uuid.uuid4().hex

        def claim(tx: neo4j.ManagedTransaction) -> None:
            state = _one(tx.run(statement("find_profiles"), profiles=name))["state"]
            if state == READY and not replace:
                raise GraphExists(f"there is a profile {name!r} in {self.address} already", "drop it, or use --replace")
            tx.run(statement("claim_profiles"), profiles=name, state="loading", writer=writer).consume()

        self._store._managed("claim_profiles", claim)
        self._delete(name, writer, 0, silent)
        users = self._create("users", name, writer, profiles.users.to_pylist(), progress, groups=_groups(profiles))
        items = self._create("items", name, writer, profiles.items.to_pylist(), progress)
        self._create_likes(name, writer, profiles, users, items, progress)
        counts = {"users": len(users), "items": len(items), "likes": profiles.likes}
        self._owned("finish_profiles", name, writer, **counts)
        return self.info(name)

    def drop(self, name: str, *, progress: Progress = silent) -> int:
        info = self.info(name)
        writer = uuid.uuid4().hex
        self._store._write("claim_profiles", profiles=name, state="dropping", writer=writer)
        deleted = self._delete(name, writer, info.users, progress)
        self._owned("delete_profiles", name, writer)
        return deleted

    def _delete(self, name: str, writer: str, total: int, progress: Progress) -> int:
        deleted = 0
        while count := self._store._write("delete_users", profiles=name, writer=writer, batch=USERS)["deleted"]:
            deleted += count
            progress("dropping", deleted, max(total, deleted))
        while self._store._write("delete_items", profiles=name, writer=writer, batch=BATCH)["deleted"]:
            pass
        return deleted

    def _create(self, what: str, name: str, writer: str, ids: list[str], progress: Progress, **more: list[Any]) -> Any:
        """Create users or items; the server's ids of them, as an object array."""
        nodes: list[str] = []
        for rows in _batches(len(ids)):
            columns = {"ids": ids[rows], **{column: values[rows] for column, values in more.items()}}
            found = self._store._write(f"create_{what}", profiles=name, writer=writer, **columns)["nodes"]
            if len(found) != len(ids[rows]):
                raise self._overtaken(name)
            nodes += found
            progress(what, len(nodes), len(ids))
        return np.array(nodes, dtype=object)

    def _create_likes(self, name: str, writer: str, p: Profiles, users: Any, items: Any, progress: Progress) -> None:
        for rows in _batches(p.likes):
            columns = {
                "users": users[p.user[rows]].tolist(),
                "items": items[p.item[rows]].tolist(),
                "weights": p.weight[rows].tolist(),
                "values": p.value[rows].tolist(),
            }
            found = self._store._write("create_likes", profiles=name, writer=writer, **columns)
            if found["created"] != len(columns["users"]):
                raise self._overtaken(name)
            progress("likes", rows.stop, p.likes)

    # --- reading and writing back -------------------------------------------------------------------------

    def read(self, name: str, *, progress: Progress = silent) -> Profiles:
        info = self.ready(name)
        items = [i for part in self._chunks("read_items", name, BATCH) for i in part["ids"]]
        users: list[str] = []
        groups: list[str | None] = []
        likes: dict[str, list[Any]] = {"owners": [], "items": [], "weights": [], "values": []}
        for part in self._chunks("read_likes", name, USERS):
            likes["owners"] += [part["ids"][owner] for owner in part["owners"]]
            for column in ("items", "weights", "values"):
                likes[column] += part[column]
            users += part["ids"]
            groups += part["groups"]
            progress("reading", len(users), max(len(users), info.users))
        self._all_read(name, len(users), len(items))
        if self.ready(name).revision != info.revision:
            raise Overtaken(f"profile {name!r} in {self.address} was changed while it was read", "try again")
        return Profiles.from_columns(
            likes["owners"],
            likes["items"],
            _numbers(likes["values"]),
            _numbers(likes["weights"]),
            users=users,
            items=items,
            group=None if None in groups or not groups else [str(g) for g in groups],
            name=name,
            place=lambda row: f"profile {name!r}, user {likes['owners'][row]!r}",
        )

    def _chunks(self, what: str, name: str, batch: int) -> Iterator[dict[str, Any]]:
        """All users or items, by id, some at a time."""
        after: dict[str, Any] = {"from": "", "done": 0}
        while (found := self._store._read(what, profiles=name, batch=batch, **after))["ids"]:
            yield found
            if len(found["ids"]) < batch:
                return
            after = dict.fromkeys(("from", "done"), found["ids"][-1])

    def _all_read(self, name: str, users: int, items: int) -> None:
        count = self._store._read("count_profiles", profiles=name)
        for what, seen in (("users", users), ("items", items)):
            if count[what] != seen:
                raise GraphError(
                    f"profile {name!r} has {count[what]} {what}, but only {seen} of them have a text as id",
                    "correct them",
                )

    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, *, progress: Progress = silent) -> int:
        name, ids = profiles.name, np.array(profiles.users.to_pylist(), dtype=object)
        k = found.neighbor.shape[1]
        users, others = np.repeat(ids[found.users], k), ids[found.neighbor.ravel()]
        ranks = np.tile(np.arange(1, k + 1), len(found.users))
        constant: dict[str, Any] = {"profiles": name, "measure": measure.value, "epsilon": found.cost.epsilon}

        def work(tx: neo4j.ManagedTransaction) -> None:
            """All in one transaction: half of the neighbours could be taken for all."""
            for rows in _batches(len(found.users)):
                asked = ids[found.users[rows]].tolist()
                if _one(tx.run(statement("clear_similar"), profiles=name, users=asked))["found"] != len(asked):
                    raise self._overtaken(name)
            for rows in _batches(len(users)):
                columns = {"users": users, "others": others, "ranks": ranks, "scores": found.score.ravel()}
                values = {column: array[rows].tolist() for column, array in columns.items()}
                if _one(tx.run(statement("create_similar"), **constant, **values))["created"] != len(values["users"]):
                    raise self._overtaken(name)
                progress("neighbors", rows.stop, len(users))

        self._store._managed("create_similar", work)
        return len(users)

    def _owned(self, what: str, name: str, writer: str, **values: Any) -> None:
        """Run a statement that must find its writer still owning the profiles."""
        if 1 not in self._store._write(what, profiles=name, writer=writer, **values).values():
            raise self._overtaken(name)

    def _overtaken(self, name: str) -> Overtaken:
        return Overtaken(
            f"somebody else changed profile {name!r} in {self.address} while it was written; what they wrote stands",
            "look at it with 'neodp stretch list', and run the command again if it is still wanted",
        )


def _groups(profiles: Profiles) -> list[str | None]:
    return [None] * len(profiles) if profiles.group is None else profiles.group.to_pylist()

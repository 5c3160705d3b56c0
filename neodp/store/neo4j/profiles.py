"""Profiles in Neo4j (``cypher/neo4j/profiles.cypher``).

Profiles are loaded completely or not at all (:mod:`neodp.store.neo4j.loading`), and read as columns; neighbours are
written in one transaction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neodp.data.progress import Progress
from neodp.store import refusals
from neodp.store.neo4j.columns import numbers
from neodp.store.neo4j.connection import Connection, Transaction, batches
from neodp.store.neo4j.loading import LoadedPart, Neo4jLoading
from neodp.store.port import ProfilePort
from neodp.store.records import ProfileInfo
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["Neo4jProfiles"]

USERS = 500
"""The number of users that are sent at once together with their likes."""


class Neo4jProfiles(ProfilePort):
    """The profiles of a Neo4j store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.address = connection.address
        self._loading = Neo4jLoading(
            connection,
            what="profile",
            parameter="profiles",
            look="profiles",
            find="find_profiles",
            claim="claim_profiles",
            stage="stage_profiles",
            staged="find_staged_profiles",
            lock="lock_switch_profiles",
            switch="switch_profiles",
            finish="finish_profiles",
            delete="delete_profiles",
            parts=(
                LoadedPart("users", move="move_users", delete="delete_users", batch=USERS),
                LoadedPart("items", move="move_items", delete="delete_items"),
            ),
        )

    def all(self) -> list[ProfileInfo]:
        """Return all sets of profiles, sorted by name."""
        return [ProfileInfo(**row) for row in self._connection.rows("profiles")]

    # --- load and drop ------------------------------------------------------------------------------------

    def load(self, name: str, profiles: Profiles, *, replace: bool, population: str | None, progress: Progress) -> None:
        """Store profiles under a name; readers see all of them or nothing."""
        self._connection.init(stretching=True)

        def make(place: str, writer: str) -> dict[str, Any]:
            nodes = {"ids": profiles.users.to_pylist(), "groups": _groups(profiles)}
            users = self._create("create_users", "users", place, writer, nodes, progress)
            items = self._create("create_items", "items", place, writer, {"ids": profiles.items.to_pylist()}, progress)
            self._create_likes(place, writer, profiles, users, items, progress)
            return {"users": len(users), "items": len(items), "likes": profiles.likes, "population": population}

        self._loading.load(name, make, replace=replace)

    def drop(self, info: ProfileInfo, progress: Progress) -> int:
        """Delete profiles with everything that belongs to them, and return how many users there were."""
        return self._loading.drop(info.name, info.users, progress)

    def _create(
        self, statement: str, what: str, name: str, writer: str, columns: dict[str, list[Any]], progress: Progress
    ) -> Any:
        """Create users or items, and return the server's ids of them as an object array."""
        nodes: list[str] = []
        total = len(columns["ids"])
        for rows in batches(total):
            values = {column: every[rows] for column, every in columns.items()}
            found = self._connection.write(statement, profiles=name, writer=writer, **values)["nodes"]
            if len(found) != len(values["ids"]):
                raise self._loading.overtaken(name)
            nodes += found
            progress(what, len(nodes), total)
        return np.array(nodes, dtype=object)

    def _create_likes(self, name: str, writer: str, p: Profiles, users: Any, items: Any, progress: Progress) -> None:
        for rows in batches(p.likes):
            columns = {
                "users": users[p.user[rows]].tolist(),
                "items": items[p.item[rows]].tolist(),
                "weights": p.weight[rows].tolist(),
                "values": p.value[rows].tolist(),
            }
            found = self._connection.write("create_likes", profiles=name, writer=writer, **columns)
            if found["created"] != len(columns["users"]):
                raise self._loading.overtaken(name)
            progress("likes", rows.stop, p.likes)

    # --- reading and writing back -------------------------------------------------------------------------

    def read(self, name: str, progress: Progress) -> Profiles:
        """Return complete profiles."""
        info = self.ready(name)
        items = [i for part in self._connection.pages("read_items", "ids", profiles=name) for i in part["ids"]]
        users: list[str] = []
        groups: list[str | None] = []
        likes: dict[str, list[Any]] = {"owners": [], "items": [], "weights": [], "values": []}
        for part in self._connection.pages("read_likes", "ids", batch=USERS, profiles=name):
            likes["owners"] += [part["ids"][owner] for owner in part["owners"]]
            for column in ("items", "weights", "values"):
                likes[column] += part[column]
            users += part["ids"]
            groups += part["groups"]
            progress("reading", len(users), max(len(users), info.users))
        self._all_read(name, len(users), len(items))
        if self.ready(name).revision != info.revision:
            raise refusals.changed_while_read("profile", name, self.address)
        return Profiles.from_columns(
            likes["owners"],
            likes["items"],
            numbers(likes["values"]),
            numbers(likes["weights"]),
            users=users,
            items=items,
            group=None if None in groups or not groups else [str(g) for g in groups],
            name=name,
            place=lambda row: f"profile {name!r}, user {likes['owners'][row]!r}",
        )

    def _all_read(self, name: str, users: int, items: int) -> None:
        count = self._connection.read("count_profiles", profiles=name)
        for what, seen in (("users", users), ("items", items)):
            if count[what] != seen:
                raise refusals.keys_not_texts("profile", name, what, "id", count[what], seen)

    def write(self, profiles: Profiles, found: Neighbors, measure: Measure, progress: Progress) -> int:
        """Store neighbours in place of the ones that their users have, and return how many were stored."""
        name, ids = profiles.name, np.array(profiles.users.to_pylist(), dtype=object)
        k = found.neighbor.shape[1]
        users, others = np.repeat(ids[found.users], k), ids[found.neighbor.ravel()]
        ranks = np.tile(np.arange(1, k + 1), len(found.users))
        scores = found.score.ravel().astype(object)
        scores[np.isnan(found.score.ravel())] = None  # they were not released
        constant: dict[str, Any] = {"profiles": name, "measure": measure.value, "epsilon": found.cost.epsilon}

        def work(tx: Transaction) -> None:
            """Write all neighbours in one transaction, since a part could be mistaken for all of them."""
            for rows in batches(len(found.users)):
                asked = ids[found.users[rows]].tolist()
                if tx.run("clear_similar", profiles=name, users=asked)["found"] != len(asked):
                    raise self._loading.overtaken(name)
            for rows in batches(len(users)):
                columns = {"users": users, "others": others, "ranks": ranks, "scores": scores}
                values = {column: array[rows].tolist() for column, array in columns.items()}
                if tx.run("create_similar", **constant, **values)["created"] != len(values["users"]):
                    raise self._loading.overtaken(name)
                progress("neighbors", rows.stop, len(users))

        self._connection.transaction("create_similar", work)
        return len(users)


def _groups(profiles: Profiles) -> list[str | None]:
    return [None] * len(profiles) if profiles.group is None else profiles.group.to_pylist()

"""Loading and dropping in Neo4j, of graphs and profiles alike: data is loaded completely or not at all.

A writer owns a name through its token on the node that stands for the name. Every batch locks that node and checks the
token in its own transaction, so that a writer that was overtaken cannot commit anything more, and nothing counts until
the last transaction declares the data complete.

A replacement is created beside the old data, under a temporary name. One transaction exchanges the two names; the old
data is deleted after that. An interruption leaves the old data or the new data, complete.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from neodp.data.progress import Progress, silent
from neodp.errors import Overtaken
from neodp.hints import Call
from neodp.store import refusals
from neodp.store.neo4j.connection import BATCH, Connection, Transaction
from neodp.store.records import READY

__all__ = ["LoadedPart", "Neo4jLoading"]


@dataclass(frozen=True)
class LoadedPart:
    """Nodes that belong to a name: the statements that rename them and that delete some of them."""

    count: str
    """The name of the property that holds the number of these nodes."""
    move: str
    delete: str
    batch: int = BATCH


@dataclass(frozen=True)
class Neo4jLoading:
    """All names of one kind: the word for the kind, the verb that shows them, and the statements that do each step."""

    connection: Connection
    what: str
    parameter: str
    look: str
    find: str
    claim: str
    stage: str
    staged: str
    lock: str
    switch: str
    finish: str
    delete: str
    parts: tuple[LoadedPart, ...]

    def load(self, name: str, make: Callable[[str, str], dict[str, Any]], *, replace: bool) -> None:
        """Load under a name the data that ``make(name, writer)`` creates and whose facts it returns."""
        writer = uuid.uuid4().hex
        staged = f"{name} (replacement {writer})"

        def claim(tx: Transaction) -> str:
            state = tx.run(self.find, **self._named(name))["state"]
            if state == READY and not replace:
                raise refusals.exists(self.what, name, self.connection.address)
            if state == READY:
                tx.run(self.stage, staged=staged, writer=writer, **self._named(name))
                return staged
            tx.run(self.claim, state="loading", writer=writer, **self._named(name))
            return name

        place = self.connection.transaction(self.claim, claim)
        try:
            for left in self.connection.read(self.staged, **self._named(name))["names"]:
                if left != place:  # of somebody who was interrupted, or whom this one overtakes
                    self._remove(left)
            self._empty(place, writer)
            whole = make(place, writer)
            if place == name:
                self.connection.owned(self.finish, self.overtaken(name), writer=writer, **self._named(name), **whole)
            else:
                self._exchange(name, staged, writer, whole)
        except BaseException:
            if place != name:
                with suppress(Exception):  # it must not hide what happened; the next load removes what is left
                    self._remove(staged)
            raise

    def drop(self, name: str, total: int, progress: Progress) -> int:
        """Delete a name with all its nodes, and return how many nodes of the first part there were."""
        writer = uuid.uuid4().hex
        self.connection.write(self.claim, state="dropping", writer=writer, **self._named(name))
        deleted = self._empty(name, writer, total, progress)
        self.connection.owned(self.delete, self.overtaken(name), writer=writer, **self._named(name))
        return deleted

    def overtaken(self, name: str) -> Overtaken:
        """Return the error for a writer that a later one has overtaken."""
        return refusals.overtaken(self.what, name, self.connection.address, Call(self.look, graph=name))

    def _exchange(self, name: str, staged: str, writer: str, whole: dict[str, Any]) -> None:
        """Replace the old data by the complete new data in one transaction, and then delete the old data."""
        removed = f"{name} (removed {writer})"

        def work(tx: Transaction) -> None:
            if tx.run(self.lock, staged=staged, writer=writer, **self._named(name))["locked"] != 1:
                raise self.overtaken(name)
            for part in self.parts:
                tx.run(part.move, to=removed, **self._named(name))
                if tx.run(part.move, to=name, **self._named(staged))["moved"] != whole[part.count]:
                    raise self.overtaken(name)
            tx.run(self.switch, staged=staged, removed=removed, writer=writer, **self._named(name), **whole)

        self.connection.transaction(self.switch, work)
        self._remove(removed)

    def _remove(self, name: str) -> None:
        """Delete data that is no longer used, unless another writer is deleting it already."""
        writer = uuid.uuid4().hex
        self.connection.write(self.claim, state="dropping", writer=writer, **self._named(name))
        self._empty(name, writer)
        self.connection.write(self.delete, writer=writer, **self._named(name))

    def _empty(self, name: str, writer: str, total: int = 0, progress: Progress = silent) -> int:
        """Delete all nodes of a name that the writer owns, and return how many of the first part there were."""
        owned: dict[str, Any] = {"writer": writer, **self._named(name)}
        first, *others = self.parts
        deleted = 0
        for count in self.connection.repeated(first.delete, "deleted", batch=first.batch, **owned):
            deleted += count
            progress("dropping", deleted, max(total, deleted))
        for part in others:
            for _ in self.connection.repeated(part.delete, "deleted", batch=part.batch, **owned):
                pass
        return deleted

    def _named(self, name: str) -> dict[str, Any]:
        return {self.parameter: name}

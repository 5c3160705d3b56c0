"""A Neo4j database, asked by the names of statements.

Managed transactions of the official driver with their retries, reads routed as reads, the database always named, every
transaction tagged with what it does, and the driver's errors in neodp's words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import neo4j
from neo4j import exceptions

from neodp.errors import Overtaken, ReadOnlyStore, StoreError, StoreUnreachable
from neodp.store import refusals
from neodp.store.cypher import Dialect, statement, statements
from neodp.store.neo4j.plugin import refusal
from neodp.store.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH", "Session", "Transaction", "batches"]

BATCH = 20_000
"""How many rows go over the wire in one transaction."""
READ_ONLY = {
    "Neo.ClientError.Security.Forbidden",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Database.DatabaseIsReadOnly",
    "Neo.ClientError.Statement.AccessMode",
}

T = TypeVar("T")

# the driver's log goes where the user sends it, or nowhere
logging.getLogger("neo4j").addHandler(logging.NullHandler())


class Transaction:
    """A transaction that is going on."""

    def __init__(self, tx: neo4j.ManagedTransaction, dialect: Dialect) -> None:
        self._tx = tx
        self._dialect = dialect

    def run(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The one row, if any, of a statement."""
        record = self._tx.run(statement(name, self._dialect), parameters).single()
        return dict(record) if record is not None else {}

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """All rows of a statement."""
        return [dict(record) for record in self._tx.run(statement(name, self._dialect), parameters)]

    def execute(self, text: str, parameters: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
        """The columns' names and the rows of any Cypher."""
        result = self._tx.run(text, parameters)
        return list(result.keys()), [list(record.values()) for record in result]


class Session:
    """Statements by name, and transactions.

    Parameters
    ----------
    settings : Settings
        Where the server is, who asks, and which database.
    dialect : str
        The folder of ``cypher/`` with the statements.
    driver : neo4j.Driver, optional
        A driver to use instead of a new one; it stays open.
    auth : neo4j.Auth, optional
        Instead of the user and password of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        dialect: Dialect,
        driver: neo4j.Driver | None = None,
        auth: neo4j.Auth | None = None,
    ) -> None:
        self.address = f"{settings.uri} (database {settings.database})"
        self._database = settings.database
        self._dialect = dialect
        self._owns = driver is None
        self._who = _who(settings, driver, auth)
        if auth is None and settings.password is not None:
            auth = neo4j.basic_auth(settings.user, settings.password)
        with self._translated():
            self._driver = driver or neo4j.GraphDatabase.driver(
                settings.uri,
                auth=auth,
                user_agent="neodp",
                connection_timeout=10.0,
                connection_acquisition_timeout=20.0,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            )
            try:
                server = self._driver.get_server_info()  # at once, without the retries of a transaction
                if driver is not None:
                    self.address = f"{server.address} (database {settings.database})"
                self.read("show_schema")
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        if self._owns:
            self._driver.close()

    def init(self) -> list[str]:
        """Make the constraints and indexes that are missing; their names."""
        wanted = [name for name in statements(self._dialect, "schema") if name != "show_schema"]
        there = self.read("show_schema")["names"]
        missing = [name for name in wanted if name not in there]
        for name in missing:
            try:
                self.write(name)
            except ReadOnlyStore:
                raise
            except StoreError:  # "if not exists" can still fail where another client creates the same
                if name not in self.read("show_schema")["names"]:
                    raise
        return missing

    # --- one statement ------------------------------------------------------------------------------------

    def read(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The one row of a reading statement."""
        return self.transaction(name, lambda tx: tx.run(name, **parameters), read=True)

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """All rows of a reading statement."""
        return self.transaction(name, lambda tx: tx.rows(name, **parameters), read=True)

    def pages(self, name: str, by: str, *, batch: int | None = None, **parameters: Any) -> Iterator[dict[str, Any]]:
        """The rows of a statement that reads $batch things in the order of the texts in its column `by`.

        Each begins after what the one before it ended with ($from and $done); the last is not full.
        """
        size = batch or BATCH
        after: dict[str, Any] = {"from": "", "done": 0}
        while True:
            found = self.read(name, batch=size, **after, **parameters)
            yield found
            if len(found[by]) < size:
                return
            after = dict.fromkeys(("from", "done"), found[by][-1])

    def write(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The one row, if any, of a writing statement."""
        return self.transaction(name, lambda tx: tx.run(name, **parameters))

    def repeated(self, name: str, counts: str, *, batch: int | None = None, **parameters: Any) -> Iterator[int]:
        """Run a statement that writes $batch things, again and again until it counts none; how many each time."""
        while count := self.write(name, batch=batch or BATCH, **parameters)[counts]:
            yield count

    def owned(self, name: str, lost: Overtaken, **parameters: Any) -> None:
        """Run a statement that must find its $writer still owning what it writes; `lost` is raised if not."""
        if 1 not in self.write(name, **parameters).values():
            raise lost

    def table(self, what: str, text: str, parameters: dict[str, Any]) -> pa.Table:
        """The result of any reading Cypher, as a table."""
        import pyarrow as pa

        columns, rows = self.transaction(what, lambda tx: tx.execute(text, parameters), read=True)
        return pa.table({c: _column([row[i] for row in rows]) for i, c in enumerate(columns)})

    # --- several statements -------------------------------------------------------------------------------

    def transaction(self, what: str, work: Callable[[Transaction], T], *, read: bool = False) -> T:
        """Run a unit of work in a managed transaction, with its retries: all or nothing."""
        tag = neo4j.unit_of_work(metadata={"app": "neodp", "does": what})
        tagged = tag(lambda tx: work(Transaction(tx, self._dialect)))
        mode = neo4j.READ_ACCESS if read else neo4j.WRITE_ACCESS
        with self._translated(), self._driver.session(database=self._database, default_access_mode=mode) as session:
            return session.execute_read(tagged) if read else session.execute_write(tagged)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The driver's errors in neodp's words; never with a secret."""
        try:
            yield
        except exceptions.AuthError as e:
            raise StoreUnreachable(f"{self.address} refused the user or password", self._who) from e
        except (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError) as e:
            raise StoreUnreachable(f"no Neo4j server answers at {self.address}", "start it, or correct --store") from e
        except exceptions.Neo4jError as e:
            if e.code == "Neo.ClientError.Database.DatabaseNotFound":
                raise StoreUnreachable(f"there is no such database at {self.address}", "correct NEO4J_DATABASE") from e
            if e.code == "Neo.ClientError.Security.AuthenticationRateLimit":
                raise StoreUnreachable(f"{self.address} was given too many wrong passwords", "wait a little") from e
            if (refused := refusal(e)) is not None:
                raise refused from e
            if e.code in READ_ONLY:
                raise refusals.read_only(self.address) from e
            raise StoreError(f"{self.address} refused: {e.message}", f"code {e.code}") from e
        except exceptions.DriverError as e:
            raise StoreUnreachable(f"{self.address} cannot be used: {e}", "correct --store") from e


def batches(n: int) -> Iterator[slice]:
    """Slices of at most BATCH rows; one, empty, where there are none."""
    for start in range(0, max(n, 1), BATCH):
        yield slice(start, min(start + BATCH, n))


def _who(settings: Settings, driver: neo4j.Driver | None, auth: neo4j.Auth | None) -> str:
    """What to do where the server refuses the one who asks."""
    if driver is not None or auth is not None:
        return f"check the auth of {'the driver' if driver is not None else 'open_store'}"
    return "check NEO4J_USERNAME and NEO4J_PASSWORD" if settings.password is not None else "set NEO4J_PASSWORD"


def _column(values: list[Any]) -> pa.Array:
    """A result's column; of mixed types, as text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if x is None else str(x) for x in values])

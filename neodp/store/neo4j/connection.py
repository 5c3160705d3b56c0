"""A connection to a Neo4j database, which runs statements by name.

It uses managed transactions of the official driver with their retries, routes reads as reads, always names the
database, tags every transaction with its purpose, and puts the driver's errors into neodp's words.

The driver repeats a transaction when a connection is lost, except in one case: the connection is lost after the commit
was sent and before it was confirmed. Then it is unknown whether the change was made. If repeating the transaction does
no harm, it is repeated; else UnknownOutcome is raised.
"""

from __future__ import annotations

import logging
import re
import ssl
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import neo4j
from neo4j import exceptions

from neodp.data.tables import as_text
from neodp.errors import Overtaken, ReadOnlyStore, StoreError, StoreUnreachable, UnknownOutcome, causes, interrupted
from neodp.hints import Hint, Option
from neodp.store import refusals
from neodp.store.cypher import VERSION, Dialect, schema, statement
from neodp.store.neo4j.plugin import refusal
from neodp.store.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH", "Connection", "PlainConnectionWarning", "Transaction", "batches", "side_by_side"]

BATCH = 20_000
"""The number of rows that are sent in one transaction."""
LANES = 2
"""The number of independent transactions that run at once."""
STRETCHING = {"neodp_profiles_name", "neodp_user_id", "neodp_item_id"}
"""The constraints of profiles; others may use the same labels, so they are only created with the first profiles."""
CLOSINGS = 3
"""The number of attempts to close a session after an error."""
READ_ONLY = {
    "Neo.ClientError.Security.Forbidden",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Database.DatabaseIsReadOnly",
    "Neo.ClientError.Statement.AccessMode",
}

LOST = (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError)
"""The driver's errors for a connection that failed or was lost."""

S = TypeVar("S")
T = TypeVar("T")

# the driver's log goes where the user sends it, or nowhere
logging.getLogger("neo4j").addHandler(logging.NullHandler())


class PlainConnectionWarning(UserWarning):
    """A warning that a password and private data are sent to another machine without encryption."""


class Transaction:
    """An open transaction."""

    def __init__(self, tx: neo4j.ManagedTransaction, dialect: Dialect) -> None:
        self._tx = tx
        self._dialect = dialect

    def run(self, name: str, **parameters: Any) -> dict[str, Any]:
        """Return the only row, if any, of a statement."""
        record = self._tx.run(statement(name, self._dialect), parameters).single()
        return dict(record) if record is not None else {}

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Return all rows of a statement."""
        return [dict(record) for record in self._tx.run(statement(name, self._dialect), parameters)]

    def execute(self, text: str, parameters: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
        """Return the names of the columns and the rows of any Cypher."""
        result = self._tx.run(text, parameters)
        return list(result.keys()), [_values(record) for record in result]

    def stream(self, text: str, parameters: dict[str, Any], rows: int) -> Iterator[list[list[Any]]]:
        """Yield the rows of any Cypher as they come, as columns of at most so many rows."""
        result = self._tx.run(text, parameters)
        while found := [_values(record) for record in islice(result, rows)]:
            yield [list(column) for column in zip(*found, strict=True)]


class Connection:
    """A connection that runs statements by name, and transactions.

    Parameters
    ----------
    settings : Settings
        Address, credentials and database.
    dialect : str
        Folder of ``cypher/`` with the statements.
    driver : neo4j.Driver, optional
        A driver to use instead of a new one; it stays open.
    auth : neo4j.Auth, optional
        Credentials to use instead of those of the settings.
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
        self._timeout = settings.timeout
        self._read_only = settings.read_only
        self._answered = False
        if driver is None and settings.exposed_to is not None:
            warnings.warn(
                f"the password and all data go to {settings.exposed_to} without encryption: use +s, as in neo4j+s://HOST",
                PlainConnectionWarning,
                stacklevel=4,
            )
        if auth is None and settings.password is not None:
            auth = neo4j.basic_auth(settings.user, settings.password)
        with self._translated():
            self.driver = driver or neo4j.GraphDatabase.driver(
                settings.uri,
                auth=auth,
                user_agent="neodp",
                connection_timeout=min(10.0, settings.timeout),
                connection_acquisition_timeout=min(20.0, settings.timeout),
                max_transaction_retry_time=min(30.0, settings.timeout),
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            )
            try:
                if self._owns:
                    _give_up_after(self.driver, settings.timeout)
                server = self.driver.get_server_info()  # at once, without the retries of a transaction
                if driver is not None:
                    self.address = f"{server.address} (database {settings.database})"
                self._answered = True
                self._version = self._found_version()
            except ValueError as e:  # the host's name is none, or nobody knows it
                self.close()
                raise self._lost(e) from e
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Close the store."""
        if self._owns:
            self.driver.close()

    def init(self, *, stretching: bool = False) -> list[str]:
        """Create the missing constraints and indexes, those of profiles only for `stretching`; return their names.

        Raises
        ------
        StoreError
            If nodes of others violate a constraint; the message names them.
        """
        there = self.read("show_schema")["names"]
        wanted = [name for name in schema(self._dialect) if stretching or name not in STRETCHING]
        missing = [name for name in wanted if name not in there]
        for name in missing:
            try:
                self.write(name)
            except ReadOnlyStore:
                raise
            except StoreError as e:  # "if not exists" can still fail where another client creates the same
                if name not in self.read("show_schema")["names"]:
                    raise self._in_the_way(name, e) from e
        if self._version != VERSION:
            self.write("set_version", version=VERSION)
            self._version = VERSION
        return missing

    def _in_the_way(self, name: str, error: StoreError) -> StoreError:
        """Return the error for a constraint or an index that cannot be created; it names nodes with equal values."""
        required = re.search(r"FOR \(\w+:(\w+)\) REQUIRE (.+) IS UNIQUE", statement(name, self._dialect))
        if required is None:
            return error
        label, keys = required[1], re.findall(r"\w+\.(\w+)", required[2])
        found = self.rows("show_alike", label=label, first=keys[0], last=keys[-1])
        if not found:
            return StoreError(error.message, f"drop what is in the way of {name}, or use another database")
        most = found[0]
        values = " and ".join(f"{key} {value!r}" for key, value in zip(keys, most["values"], strict=False))
        more = f", and there are {len(found) - 1} more such groups" if len(found) > 1 else ""
        return StoreError(
            f"{self.address} has {most['count']} nodes (:{label}) with {values}{more}: neodp needs one at most",
            f"look at them with MATCH (n:{label}) WHERE elementId(n) IN {most['nodes']} RETURN n, and delete or rename "
            "them; or give neodp a database of its own (NEO4J_DATABASE)",
        )

    def server(self) -> str:
        """Return the name and version of the server, as in ``Neo4j/5.26.19``."""
        with self._translated(read=True):
            return str(self.driver.get_server_info().agent)

    def may_write(self) -> bool:
        """Return whether the user may write to the database, by a change that is rolled back."""

        def attempt(tx: Transaction) -> None:
            tx.run("set_version", version=VERSION)
            raise _TakenBack

        try:
            self.transaction("set_version", attempt)
        except _TakenBack:
            return True
        except ReadOnlyStore:
            return False
        raise AssertionError("unreachable")

    def _found_version(self) -> int:
        """Return the version of the schema that is there; 0 where it has none."""
        return refusals.check_version(self.address, self.read("show_version")["version"])

    # --- one statement ------------------------------------------------------------------------------------

    def read(self, name: str, **parameters: Any) -> dict[str, Any]:
        """Return the only row of a reading statement."""
        return self.transaction(name, lambda tx: tx.run(name, **parameters), read=True)

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Return all rows of a reading statement."""
        return self.transaction(name, lambda tx: tx.rows(name, **parameters), read=True)

    def pages(self, name: str, by: str, *, batch: int | None = None, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of a statement that reads a page of $batch items, in the order of the strings in column `by`.

        Each page begins after the last item of the previous page ($from and $done); the last page is not full.
        """
        size = batch or BATCH
        after: dict[str, Any] = {"from": "", "done": 0}
        while True:
            found = self.read(name, batch=size, **after, **parameters)
            yield found
            if len(found[by]) < size:
                return
            after = dict.fromkeys(("from", "done"), found[by][-1])

    def spread(self, name: str, after: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of a statement that reads a page of $batch items from $from on, in the order of their strings.

        The statement `after` returns, as `next`, the first item of the following page, so that two pages are read at
        once.
        """

        def starts() -> Iterator[str]:
            start: str | None = ""
            while start is not None:
                yield start
                start = self.read(after, batch=BATCH, **{"from": start}, **parameters).get("next")

        def page(start: str) -> dict[str, Any]:
            return self.read(name, batch=BATCH, **{"from": start}, **parameters)

        return side_by_side(page, starts())

    def write(self, name: str, **parameters: Any) -> dict[str, Any]:
        """Return the only row, if any, of a writing statement."""
        return self.transaction(name, lambda tx: tx.run(name, **parameters))

    def repeated(self, name: str, counts: str, *, batch: int | None = None, **parameters: Any) -> Iterator[int]:
        """Run a statement that writes $batch items until it counts none; yield the count of each run."""
        while count := self.write(name, batch=batch or BATCH, **parameters)[counts]:
            yield count

    def owned(self, name: str, lost: Overtaken, **parameters: Any) -> None:
        """Run a statement whose $writer must still own the data; raise `lost` if it does not."""
        if 1 not in self.write(name, **parameters).values():
            raise lost

    def table(self, what: str, text: str, parameters: dict[str, Any]) -> pa.Table:
        """Return the result of any reading Cypher as a table."""
        import pyarrow as pa

        columns, rows = self.transaction(what, lambda tx: tx.execute(text, parameters), read=True)
        return pa.table({c: _column([row[i] for row in rows]) for i, c in enumerate(columns)})

    # --- several statements -------------------------------------------------------------------------------

    def transaction(
        self, what: str, work: Callable[[Transaction], T], *, read: bool = False, harmless_twice: bool = False
    ) -> T:
        """Run a unit of work in a managed transaction, with its retries; all or nothing.

        Work that is `harmless_twice` is repeated even if the first attempt may have been committed.
        """
        if self._read_only and not read:
            raise refusals.read_only(self.address)
        tag = neo4j.unit_of_work(metadata={"app": "neodp", "does": what})
        tagged = tag(lambda tx: work(Transaction(tx, self._dialect)))
        mode = neo4j.READ_ACCESS if read else neo4j.WRITE_ACCESS
        with self._translated(read=read), self._session(mode) as session:
            try:
                return session.execute_read(tagged) if read else session.execute_write(tagged)
            except exceptions.IncompleteCommit as unknown:
                if read:
                    return session.execute_read(tagged)
                if not harmless_twice:
                    raise unknown
                try:
                    return session.execute_write(tagged)
                except LOST:
                    raise unknown from None

    @contextmanager
    def _session(self, mode: str) -> Iterator[neo4j.Session]:
        """Open a session, and close it whatever happens.

        After Ctrl-C the driver may send a message twice when it closes the session, and gives up when the server
        refuses that; the next attempt succeeds.
        """
        session = self.driver.session(database=self._database, default_access_mode=mode)
        try:
            yield session
        except BaseException:
            for _ in range(CLOSINGS):
                with suppress(Exception):
                    session.close()
            raise
        session.close()

    @contextmanager
    def _translated(self, *, read: bool = False) -> Iterator[None]:
        """Translate the driver's errors into neodp's words, without secrets.

        After Ctrl-C, the driver may fail on its buffer, or because it sends a message twice.
        """
        try:
            with _interruptible():
                yield
        except exceptions.AuthError as e:
            raise StoreUnreachable(f"{self.address} refused the user or password", self._who) from e
        except exceptions.IncompleteCommit as e:
            if read:
                raise self._lost(e) from e
            raise UnknownOutcome(
                f"the connection to {self.address} was lost before a change was confirmed, so that it may have been "
                "made or not",
                "ask again under the same name, or check what is stored",
            ) from e
        except LOST as e:
            raise self._lost(e) from e
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
            raise StoreUnreachable(f"{self.address} cannot be used: {e}", Hint("correct ", Option("uri"))) from e

    def _lost(self, error: Exception) -> StoreUnreachable:
        """Return the error for a connection that failed or was lost, with the reason as far as it is known."""
        chain = list(causes(error))
        for cause in chain:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return StoreUnreachable(
                    f"the certificate of {self.address} is not trusted: {cause.verify_message}",
                    "make this machine trust it, or use +ssc instead of +s if the network is your own",
                )
            if isinstance(cause, ssl.SSLError):
                return StoreUnreachable(
                    f"{self.address} does not speak TLS as +s asks for",
                    "switch TLS on in the server, or leave out +s if the network is your own",
                )
        if any("Deadline" in type(cause).__name__ or isinstance(cause, TimeoutError) for cause in chain):
            return StoreUnreachable(
                f"{self.address} was silent for {self._timeout:g} seconds",
                Hint("check whether it is busy, or raise ", Option("timeout")),
            )
        if self._answered:
            return StoreUnreachable(
                f"the connection to {self.address} was lost", "check that the server is running, and try again"
            )
        if any(word in str(error) for word in ("handshake", "Bolt service")):
            return StoreUnreachable(
                f"the server at {self.address} does not speak Bolt, or only with TLS",
                "correct the port, or use +s, as in neo4j+s://HOST",
            )
        return StoreUnreachable(
            f"no Neo4j server answers at {self.address}", Hint("start it, or correct ", Option("uri"))
        )


@contextmanager
def _interruptible() -> Iterator[None]:
    """Report Ctrl-C as Ctrl-C, whatever other errors it causes."""
    try:
        yield
    except Exception as e:
        if interrupted(e):
            raise KeyboardInterrupt from e
        raise


class _TakenBack(Exception):
    """An exception that rolls back a transaction."""


def _give_up_after(driver: neo4j.Driver, seconds: float) -> None:
    """Treat each connection of a driver as lost once the server has sent nothing for this many seconds.

    The driver does this for servers that advise it, and has no setting for it. So the timeout is set on each connection
    when it is opened.
    """
    pool: Any = driver._pool
    opener = pool.opener

    def opened(*args: Any, **options: Any) -> Any:
        connection = opener(*args, **options)
        connection.socket.set_read_timeout(seconds)
        return connection

    pool.opener = opened


def batches(n: int) -> Iterator[slice]:
    """Yield slices of at most BATCH rows; one empty slice if there are no rows."""
    for start in range(0, max(n, 1), BATCH):
        yield slice(start, min(start + BATCH, n))


def side_by_side(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """Yield the result of the work for each item, in the order of the items, computed in LANES threads.

    So the server reads two pages at once, while this process converts a third. Of two batches that are written, one
    waits for the lock on the graph's node: it is sent over the network while the server writes the other.
    """
    workers = ThreadPoolExecutor(LANES, "neodp")
    coming: deque[Future[T]] = deque()
    try:
        for item in items:
            coming.append(workers.submit(work, item))
            if len(coming) > LANES:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    finally:
        workers.shutdown(cancel_futures=True)


def _who(settings: Settings, driver: neo4j.Driver | None, auth: neo4j.Auth | None) -> str:
    """Return the hint for a server that refuses the credentials."""
    if driver is not None or auth is not None:
        return f"check the auth of {'the driver' if driver is not None else 'open_store'}"
    return "check NEO4J_USERNAME and NEO4J_PASSWORD" if settings.password is not None else "set NEO4J_PASSWORD"


def _values(record: neo4j.Record) -> list[Any]:
    """Return the values of a row; one that the driver cannot read is a text, since an error would tell of it."""
    try:
        return record.values()
    except exceptions.BrokenRecordError:  # such as a time in a zone that only the server knows
        return [_value(record, place) for place in range(len(record))]


def _value(record: neo4j.Record, place: int) -> Any:
    try:
        return record[place]
    except exceptions.BrokenRecordError:
        return "a value that cannot be read"


def _column(values: list[Any]) -> pa.Array:
    """Return a column of a result; one of mixed types as texts, each of which depends on its own value alone."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if x is None else as_text(x) for x in values])

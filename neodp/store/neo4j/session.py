"""A Neo4j database, asked by the names of statements.

Managed transactions of the official driver with their retries, reads routed as reads, the database always named, every
transaction tagged with what it does, and the driver's errors in neodp's words.

The driver tries a transaction again where a connection is lost, but for one case: the connection is lost after the
commit was sent and before it was confirmed. Then nobody knows whether it was done. What can be done twice without harm
is tried again; else UnknownOutcome says so.
"""

from __future__ import annotations

import logging
import re
import ssl
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import neo4j
from neo4j import exceptions

from neodp.errors import Overtaken, ReadOnlyStore, StoreError, StoreUnreachable, UnknownOutcome, causes, interrupted
from neodp.store import refusals
from neodp.store.cypher import VERSION, Dialect, schema, statement
from neodp.store.neo4j.plugin import refusal
from neodp.store.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH", "PlainConnectionWarning", "Session", "Transaction", "batches", "side_by_side"]

BATCH = 20_000
"""How many rows go over the wire in one transaction."""
LANES = 2
"""How many transactions are under way at once where one does not need the other."""
STRETCHING = {"neodp_profiles_name", "neodp_user_id", "neodp_item_id"}
"""The constraints of profiles, on labels that other people's data may well have: made with the first profile."""
READ_ONLY = {
    "Neo.ClientError.Security.Forbidden",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Database.DatabaseIsReadOnly",
    "Neo.ClientError.Statement.AccessMode",
}

LOST = (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError)
"""What the driver says when there is no connection, or no longer."""

S = TypeVar("S")
T = TypeVar("T")

# the driver's log goes where the user sends it, or nowhere
logging.getLogger("neo4j").addHandler(logging.NullHandler())


class PlainConnectionWarning(UserWarning):
    """A password and private data go to another machine without encryption."""


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
            self._driver = driver or neo4j.GraphDatabase.driver(
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
                    _give_up_after(self._driver, settings.timeout)
                server = self._driver.get_server_info()  # at once, without the retries of a transaction
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
        if self._owns:
            self._driver.close()

    def init(self, *, stretching: bool = False) -> list[str]:
        """Make the constraints and indexes that are missing; their names. Those of profiles only for `stretching`.

        Raises
        ------
        StoreError
            If somebody else's nodes are in the way; the message says which.
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
        """Why a constraint or an index cannot be made: which nodes are alike, if any are."""
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
        """What the server calls itself, as in ``Neo4j/5.26.19``."""
        with self._translated(read=True):
            return str(self._driver.get_server_info().agent)

    def may_write(self) -> bool:
        """Whether the user may write to the database: tried, and taken back."""

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

    def spread(self, name: str, after: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """The rows of a statement that reads $batch things in the order of their texts, each beginning with $from.

        The statement `after` says, as `next`, with what the row after that one begins; so two are read at once.
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

    def transaction(
        self, what: str, work: Callable[[Transaction], T], *, read: bool = False, harmless_twice: bool = False
    ) -> T:
        """Run a unit of work in a managed transaction, with its retries: all or nothing.

        What is `harmless_twice` is tried again even where the first time may have been done.
        """
        if self._read_only and not read:
            raise refusals.read_only(self.address)
        tag = neo4j.unit_of_work(metadata={"app": "neodp", "does": what})
        tagged = tag(lambda tx: work(Transaction(tx, self._dialect)))
        mode = neo4j.READ_ACCESS if read else neo4j.WRITE_ACCESS
        asking = self._driver.session(database=self._database, default_access_mode=mode)
        with self._translated(read=read), asking as session:
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
    def _translated(self, *, read: bool = False) -> Iterator[None]:
        """The driver's errors in neodp's words; never with a secret.

        After Ctrl-C the driver stumbles: over its buffer, or since it sends once more what it had sent.
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
                f"the connection to {self.address} was lost before a change was confirmed: this may have been done",
                "ask again under the same name, or look at what is there",
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
            raise StoreUnreachable(f"{self.address} cannot be used: {e}", "correct `uri=...`") from e

    def _lost(self, error: Exception) -> StoreUnreachable:
        """Why there is no connection, or no longer, as far as one can tell."""
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
                "see whether it is at work; raise `timeout=...`",
            )
        if self._answered:
            return StoreUnreachable(
                f"the connection to {self.address} was lost", "see whether the server runs, and try again"
            )
        if any(word in str(error) for word in ("handshake", "Bolt service")):
            return StoreUnreachable(
                f"what answers at {self.address} does not speak Bolt, or only with TLS",
                "correct the port, or use +s, as in neo4j+s://HOST",
            )
        return StoreUnreachable(f"no Neo4j server answers at {self.address}", "start it, or correct `uri=...`")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C remains Ctrl-C, whatever else comes of it."""
    try:
        yield
    except Exception as e:
        if interrupted(e):
            raise KeyboardInterrupt from e
        raise


class _TakenBack(Exception):
    """Ends a transaction without its changes."""


def _give_up_after(driver: neo4j.Driver, seconds: float) -> None:
    """Have each connection of a driver count as lost once the server has sent nothing for so long.

    The driver does this for servers that advise it, and has no setting of its own. So its connections are told where
    they are opened.
    """
    pool: Any = driver._pool
    opener = pool.opener

    def opened(*args: Any, **options: Any) -> Any:
        connection = opener(*args, **options)
        connection.socket.set_read_timeout(seconds)
        return connection

    pool.opener = opened


def batches(n: int) -> Iterator[slice]:
    """Slices of at most BATCH rows; one, empty, where there are none."""
    for start in range(0, max(n, 1), BATCH):
        yield slice(start, min(start + BATCH, n))


def side_by_side(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """What the work gives for each item, in the order of the items, done in LANES threads.

    So the server reads two pages at once, while this process converts a third. Of two batches that are written, one
    waits for the lock of the graph's node: it has come over the wire by then, while the server wrote the other.
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

"""Shared by all tests: a profile of hypothesis, one real Neo4j server, one store, twice, and a command line on it."""

from __future__ import annotations

import os
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from hypothesis import settings
from neo4j import Driver

import neodp
from neodp.cli import main
from neodp.store import GraphInfo, Store, open_store
from tests.running import Run, empty_store
from tools import neo4j_server as servers

settings.register_profile("neodp", deadline=None, derandomize=True)
settings.register_profile("fast", parent=settings.get_profile("neodp"), max_examples=20)
settings.load_profile("neodp")


def pytest_configure(config: pytest.Config) -> None:
    """Each of several parallel workers keeps what it compiles to itself: two that write numba's cache at the same
    time can mix up the code of two signatures. Python keeps its bytecode, so that the many commands that tests start
    are quick. And Ctrl-C is heeded, also where the tests run in the background."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(config.rootpath / ".pytest_cache" / f"numba-{worker}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests with "neo4j" in their names or in their files' names run on one worker and share its server.

    So do those of the plugin, which share another. The first worker begins with the former; all other files go one by
    one to whoever is free, so that what a file makes once is made by one worker only. xdist's own way, a mark and
    ``--dist loadgroup``, does nothing under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneServer(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            groups = ("tests/plugin", "neo4j", nodeid.partition("::")[0])
            return next(group for group in groups if group in nodeid)

    return OneServer(config, log)


Start = Callable[..., AbstractContextManager[servers.Server]]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test sees a terminal of no known width."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def start_server() -> Start:
    """Starts a server of one's own. Without a way to, tests are skipped on a developer's machine and fail in CI."""

    @contextmanager
    def start(**wishes: Any) -> Iterator[servers.Server]:
        try:
            with servers.running(**wishes) as server:
                yield server
        except servers.ServerUnavailable as unavailable:
            if os.environ.get("CI", "").lower() in {"true", "1"}:
                pytest.fail(str(unavailable), pytrace=False)
            pytest.skip(str(unavailable))

    return start


@pytest.fixture(scope="session")
def neo4j_server(start_server: Start) -> Iterator[servers.Server]:
    """The server that most tests share."""
    with start_server() as server:
        yield server


@pytest.fixture(scope="session")
def read_only(
    start_server: Start, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[servers.Server, GraphInfo]]:
    """A server that was started again on its data, now read-only: (:Kept {x: 0.1}), and the graph "g", extended.

    And what the store said of the graph before.
    """
    folder = tmp_path_factory.mktemp("read_only")
    home, jar = folder / "home", folder / "nothing.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    with start_server(home=home, memory="512m", plugins=[jar]) as server, server.driver() as driver:
        driver.execute_query("CREATE (:Kept {x: 0.1})")
        with open_store(driver) as store:
            graph = neodp.generate.path(6)
            store.load("g", graph.with_alpha(neodp.balanced(graph)))
            store.write("g", neodp.extend(store.read("g")))
            before = store.info("g")
    with start_server(home=home, memory="512m", password=server.password, config=servers.READ_ONLY) as server:
        yield server, before


@pytest.fixture
def neo4j_driver(neo4j_server: servers.Server) -> Iterator[Driver]:
    """A driver for an empty database: nothing of a test before, except for neodp's own constraints and indexes."""
    with neo4j_server.driver() as driver:
        servers.wipe(driver, keep="neodp_")
        yield driver


@pytest.fixture(params=["embedded", "neo4j"])
def address(request: pytest.FixtureRequest) -> str:
    """The address of an empty store: a file, then a real server."""
    return empty_store(request.param, request)


@pytest.fixture
def bare(address: str, request: pytest.FixtureRequest) -> None:
    """Makes the store a new one, without constraints and indexes either."""
    if "://" in address:
        with request.getfixturevalue("neo4j_server").driver() as driver:
            servers.wipe(driver)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """An empty store."""
    with open_store(address) as store:
        store.init()
        yield store


@pytest.fixture
def raw(store: Store, request: pytest.FixtureRequest) -> Callable[..., list[list[Any]]]:
    """Somebody's own Cypher, past neodp: rows of values. An embedded store can only be read that way."""
    if "://" not in store.address:
        return lambda text: [list(row.values()) for row in store.select(text).to_pylist()]

    def run(text: str, **values: Any) -> list[list[Any]]:
        server = request.getfixturevalue("neo4j_server")
        with server.driver() as driver:
            return [list(record.values()) for record in driver.execute_query(text, values, database_="neo4j").records]

    return run


@pytest.fixture
def run(address: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on an empty store; its exit code, output and errors."""
    open_store(address).close()

    def go(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["--store", address, *words])
        out, err = capsys.readouterr()
        return code, out, err

    return go


@pytest.fixture
def survey(run: Run) -> Run:
    """A store with the graph "survey", balanced and extended."""
    assert run("generate", "counts", "survey", "4", "5", "--epsilon", "0.5,1", "--balanced")[0] == 0
    assert run("extend", "survey")[0] == 0
    return run

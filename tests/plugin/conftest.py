"""A real server with the plugin in its plugins folder, shared by all tests of this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from neodp.store import Store, open_store
from tests.plugin.calls import Caller, guests, transactions, with_plugin
from tools import neo4j_server as servers

Start = Callable[..., AbstractContextManager[servers.Server]]

PROJECT = Path(__file__).resolve().parents[2]
JAR = PROJECT / "plugin" / "target" / "neodp-plugin.jar"


def _build() -> Path:
    """The jar, built where a source is newer."""
    shared = ("cypher", "neodp/asking/reasons.json", "neodp/polls/words.json")
    folders = [PROJECT / name for name in ("plugin/src", "plugin/pom.xml", *shared)]
    sources = [file for folder in folders for file in (folder.rglob("*") if folder.is_dir() else [folder])]
    if not JAR.exists() or JAR.stat().st_mtime < max(file.stat().st_mtime for file in sources if file.is_file()):
        maven = shutil.which("mvn")
        if maven is None:
            raise servers.ServerUnavailable("Maven (`mvn`) is not on the path, and the plugin is not built")
        subprocess.run(
            [maven, "--batch-mode", "--quiet", "-DskipTests", "package"],  # make runs the tests of the Java
            cwd=PROJECT / "plugin",
            check=True,
            stdin=subprocess.DEVNULL,
        )
    return JAR


@pytest.fixture(scope="session")
def jar() -> Path:
    """The plugin. Without Maven, tests are skipped on a developer's machine and fail in CI."""
    try:
        return _build()
    except servers.ServerUnavailable as unavailable:
        if os.environ.get("CI", "").lower() in {"true", "1"}:
            pytest.fail(str(unavailable), pytrace=False)
        pytest.skip(str(unavailable))


@pytest.fixture(scope="session")
def plugin_home(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a new server, with the plugin."""
    return with_plugin(tmp_path_factory.mktemp("server"), jar)


@pytest.fixture(scope="session")
def plugin_server(plugin_home: Path, start_server: Start) -> Iterator[servers.Server]:
    """The server that the tests of the plugin share.

    It looks for transactions that are out of time all the time, and lets each take 256 MB.
    """
    config = {"db.transaction.monitor.check.interval": "50ms", "db.memory.transaction.max": "256m"}
    with start_server(home=plugin_home, config=config) as server:
        yield server


@pytest.fixture
def caller(plugin_server: servers.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """Cypher on an empty database."""
    for name, value in plugin_server.environment().items():
        monkeypatch.setenv(name, value)
    options: dict[str, Any] = {"notifications_min_severity": "OFF"}
    with plugin_server.driver(**options) as driver:
        servers.wipe(driver, keep="neodp_")
        yield Caller(driver)


@pytest.fixture
def client(caller: Caller, plugin_server: servers.Server) -> Iterator[Store]:
    """The client's store on the same database."""
    with open_store(plugin_server.uri) as store:
        store.init()
        yield store


@pytest.fixture
def quiet(caller: Caller, plugin_server: servers.Server) -> Iterator[None]:
    """Checks that a test leaves no thread and no transaction behind."""
    yield
    assert guests(plugin_server) == []
    assert transactions(caller) == []

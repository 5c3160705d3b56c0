"""The client on a server with the plugin: it asks the plugin by itself, and says the same whoever computes."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph
from neodp.cli import main
from neodp.errors import NeodpError
from neodp.store import Store, open_store
from neodp.store.neo4j import plugin
from neodp.store.verbs import Declined
from tests.plugin.calls import Caller, with_plugin
from tests.running import Run
from tools import neo4j_server as servers

Start = Callable[..., AbstractContextManager[servers.Server]]

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def graph() -> DatasetGraph:
    graph = neodp.generate.counts([9, 12], epsilon=[0.2, 1.0])
    return graph.with_alpha(neodp.balanced(graph))


@pytest.fixture
def run(caller: Caller, plugin_server: servers.Server, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the server with the plugin."""

    def go(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["--store", plugin_server.uri, *words])
        out, err = capsys.readouterr()
        return code, out, err

    return go


def _error(does: Callable[[], object]) -> tuple[type[NeodpError], str, str]:
    with pytest.raises(NeodpError) as error:
        does()
    return type(error.value), error.value.message, error.value.hint


def test_both_engines_agree(client: Store, graph: DatasetGraph) -> None:
    """extend, check, audit and evaluate by the server and by the client, and by default by the server."""
    client.load("g", graph)
    engines: tuple[Any, ...] = ("auto", "server", "client")
    checks = [client.check("g", engine=engine) for engine in engines]
    stats = [client.extend("g", engine=engine, write=False) for engine in engines]
    assert client.info("g").mechanism is None
    written = [client.extend("g", engine=engine) for engine in engines]
    audits = [client.audit("g", engine=engine) for engine in engines]
    balls = [client.evaluate("g", ["0-0", "4-4"], engine=engine) for engine in engines]
    for ran in (checks, stats, written, audits, balls):
        assert [found.engine for found in ran] == ["server", "server", "client"]
    assert len({found.result for found in checks}) == 1
    assert len({found.result for found in stats}) == 1
    assert len({found.result for found in written}) == 1
    assert written[0].result.written == len(graph)
    assert {found.result.report.violations for found in audits} == {0}
    assert {found.result.report.checks for found in audits} == {4 * graph.edges}
    assert not any(found.result.stale for found in audits)
    search = client.evaluate("g", ["0-0", "4-4"], engine="ball")
    for ball in balls:
        assert [list(e.probabilities.items()) for e in ball.evaluations] == [
            list(e.probabilities.items()) for e in search.evaluations
        ]
    for ball in balls[:2]:  # each has a search of its own, and sees what that needs
        assert 0 < ball.expanded <= ball.seen <= len(graph)
        assert ball.proof
    assert balls[0].queries == 1
    assert sorted(client.stream("g", engine="server")) == sorted(client.stream("g", engine="client"))


def test_eval_keeps_what_the_plugin_found(client: Store, caller: Caller, graph: DatasetGraph) -> None:
    client.load("g", graph)
    found = client.evaluate("g", ["0-0"], write=True)
    assert found.engine == "server"
    kept = caller.one("MATCH (d:Dataset {key: '0-0'}) RETURN d.p_true AS p_true")
    assert kept["p_true"] == found.evaluations[0].p_true


def test_answer(client: Store, graph: DatasetGraph) -> None:
    """An answer is drawn from what the plugin evaluates, and kept as ever."""
    client.load("g", graph)
    first = client.answer("g", "0-0", "spring")
    assert first.answer in graph.colors
    assert client.answer("g", "9-12", "spring") == first


def test_what_the_plugin_leaves_to_the_client(client: Store, caller: Caller, graph: DatasetGraph) -> None:
    """Another privacy notion, a graph too large for the heap; not more than two colours."""
    rainbow = neodp.generate.plurality(4, epsilon=0.5)
    client.load("three", rainbow.with_alpha(neodp.balanced(rainbow)))
    assert client.extend("three").engine == "server"
    assert client.check("three").engine == "server"
    assert client.audit("three").engine == "server"
    assert client.evaluate("three", [rainbow.key(0)]).engine == "server"
    client.load("g", graph)
    client.write("g", neodp.extend(graph, neodp.Gaussian(1.0)))
    assert client.audit("g").engine == "client"
    assert client.evaluate("g", ["0-0"]).engine == "client"
    with pytest.raises(Declined, match=r"is gaussian, and the plugin supports only \(epsilon, delta\)"):
        client.audit("g", engine="server")
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = 1000000000")
    assert client.extend("g").engine == "client"
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = 1000000000")
    with pytest.raises(Declined, match="of the server's heap"):
        client.extend("g", engine="server")


def test_a_server_whose_inside_is_another_one(
    jar: Path, start_server: Start, tmp_path: Path, graph: DatasetGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin looks for a method that the server does not have: it goes on by the public interface, and logs it."""
    stranger = tmp_path / jar.name
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(stranger, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"allocateNodeCursor", b"allocateNodeRunner"))
    home = with_plugin(tmp_path / "home", stranger)
    with start_server(home=home, memory="512m") as server, server.driver() as driver:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        with open_store(server.uri) as store:
            store.load("g", graph)
            assert Caller(driver).one("CALL neodp.extend.write('g')")["nodePropertiesWritten"] == 4 * len(graph)
            np.testing.assert_array_equal(
                store.mechanism("g").mechanism.probabilities, neodp.extend(store.read("g")).probabilities
            )
            for found in (store.extend("g"), store.audit("g"), store.check("g"), store.evaluate("g", ["0-0"])):
                assert found.engine == "server"
    log = (home / "logs" / "neo4j.log").read_text(encoding="utf-8")
    assert log.count("neodp uses the public interface from now on") == 1
    assert "NoSuchMethodError" in log


def test_errors_are_the_clients_own(client: Store, caller: Caller, graph: DatasetGraph) -> None:
    """Kind, message and hint, whoever refuses."""

    def same(does: Callable[[Any], object]) -> None:
        assert _error(lambda: does("server")) == _error(lambda: does("client"))

    client.load("path", neodp.generate.path(6))
    same(lambda engine: client.extend("path", engine=engine))
    same(lambda engine: client.audit("path", engine=engine))
    client.load("g", graph)
    same(lambda engine: client.evaluate("g", ["x"], engine=engine))
    client.extend("g")
    caller("MATCH (:Dataset {key: '0-0'})-[r:NEIGHBOR]-() SET r.epsilon = 0.001")
    same(lambda engine: client.evaluate("g", ["0-0"], engine=engine))
    assert client.audit("g", engine="server").result.stale
    caller("MATCH (d:Dataset {key: '4-4'}) SET d.alpha = 0.999999, d.color = $color", color=graph.colors[0])
    same(lambda engine: client.extend("g", engine=engine))
    report = [client.check("g", engine=engine).result for engine in ("server", "client")]
    assert report[0].compatible is report[1].compatible is False
    assert str(report[0].witness) == str(report[1].witness)


def test_the_command_line_says_who_computed(run: Run, client: Store, graph: DatasetGraph) -> None:
    client.load("g", graph)
    for words, engine in (((), "server"), (("--engine", "client"), "client"), (("--engine", "server"), "server")):
        for command in ("extend", "check", "audit"):
            code, out, err = run(command, "g", "--json", *words)
            assert (code, err) == (0, ""), command
            assert json.loads(out)["engine"] == engine
        line = json.loads(run("eval", "g", "0-0", "--json", "--explain", *words)[1])
        assert line["explain"]["engine"] == engine
        assert list(line["probabilities"]) == list(graph.colors)
    assert json.loads(run("extend", "g", "--engine", "exact", "--json")[1])["engine"] == "client"
    assert json.loads(run("extend", "g", "--mode", "estimate", "--json")[1])["engine"] == "server"
    assert "inside the server" in run("audit", "g")[1]
    assert "inside the server" not in run("audit", "g", "--engine", "client")[1]
    streams = [
        run("extend", "g", "--mode", "stream", "--json", "--engine", engine)[1] for engine in ("server", "client")
    ]
    assert streams[0] == streams[1]
    assert run("extend", "g", "--engine", "server", "--method", "line")[0] == 2
    code, _, err = run("eval", "g", "0-0", "--engine", "server", "--constant-work")
    assert (code, "cannot be combined" in err) == (2, True)
    code, _, err = run("eval", "g", "x", "--json")
    assert (code, json.loads(err)["error"]["kind"]) == (2, "unknown_key")


@pytest.mark.filterwarnings("default:the server has the plugin")
def test_another_version_is_not_used(
    run: Run, client: Store, plugin_server: servers.Server, graph: DatasetGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.load("g", graph)
    monkeypatch.setattr(neodp, "__version__", "99.0")
    with open_store(plugin_server.uri) as store, pytest.warns(UserWarning, match="has the plugin of neodp 0"):
        assert store.check("g").engine == "client"
    code, out, err = run("check", "g", "--json")
    assert (code, json.loads(out)["engine"]) == (0, "client")
    assert "so the client does the work; bring the server up to date with 'neodp plugin install DIR'" in err
    assert run("check", "g", "--engine", "server")[0] == 2
    code, out, _ = run("plugin", "status")
    assert (code, "does not use it" in out) == (1, True)


def test_status(run: Run, jar: Path) -> None:
    assert run("plugin", "status")[:2] == (
        0,
        f"the server has the plugin of neodp {neodp.__version__}, and neodp uses it\n",
    )
    facts = {"server": neodp.__version__, "client": neodp.__version__, "used": True, "jar": str(jar)}
    assert json.loads(run("plugin", "status", "--json")[1]) == facts


def test_a_file_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = ["--store", str(tmp_path / "a.db")]
    for there in (False, True):
        assert main([*address, "plugin", "status"]) == 2, there
        assert "the plugin is for Neo4j: set NEO4J_URI" in capsys.readouterr().err
        assert main([*address, "init"]) == 0
        capsys.readouterr()


def test_install(jar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    assert main(["plugin", "install", str(tmp_path)]) == 0
    assert (tmp_path / jar.name).read_bytes() == jar.read_bytes()
    assert main(["plugin", "install", str(tmp_path / "none")]) == 2
    assert "give the plugins folder of the server" in capsys.readouterr().err
    package = tmp_path / "site-packages" / "neodp"
    package.mkdir(parents=True)
    monkeypatch.setattr(neodp, "__file__", str(package / "__init__.py"))
    monkeypatch.setattr(plugin, "checkout", lambda: None)
    assert main(["plugin", "install", str(tmp_path)]) == 2
    assert "came without the plugin; run 'make plugin' in a checkout of neodp" in capsys.readouterr().err
    monkeypatch.setattr(plugin, "checkout", lambda: tmp_path / "neodp")  # as pip records it for `pip install .`
    assert main(["plugin", "install", str(tmp_path)]) == 2
    assert f"came without the plugin; run 'make plugin' in {tmp_path / 'neodp'}" in capsys.readouterr().err
    built = tmp_path / "neodp" / "plugin" / "target"
    built.mkdir(parents=True)
    shutil.copy(jar, built)  # which it does
    assert main(["plugin", "install", str(tmp_path)]) == 0
    (package / jar.name).write_bytes(b"its own")  # as a wheel has it that was built after `make plugin`
    assert main(["plugin", "install", str(tmp_path)]) == 0
    assert (tmp_path / jar.name).read_bytes() == b"its own"  # whatever was built in the checkout since


def test_the_checkout_that_pip_installed_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pip writes it down (PEP 610)."""

    said: list[str | None] = [None]

    class Recorded:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return said[0]

    monkeypatch.setattr(metadata, "distribution", lambda name: Recorded())
    assert plugin.checkout() == PROJECT  # whatever other checkout was installed: this one runs
    monkeypatch.setattr(neodp, "__file__", str(tmp_path / "site-packages" / "neodp" / "__init__.py"))
    folder = tmp_path / "a checkout"
    said[0] = json.dumps({"url": folder.as_uri(), "dir_info": {}})
    assert plugin.checkout() is None
    (folder / "plugin").mkdir(parents=True)
    (folder / "plugin" / "pom.xml").touch()
    assert plugin.checkout() == folder
    for other in (None, "{}", "no json", json.dumps({"url": "https://example.org/neodp.whl"})):
        said[0] = other
        assert plugin.checkout() is None


def test_versions_agree() -> None:
    """The jar of these sources is of the version of these sources."""
    pom = ElementTree.parse(PROJECT / "plugin" / "pom.xml").getroot()
    version = pom.find("{http://maven.apache.org/POM/4.0.0}version")
    assert version is not None
    assert version.text == neodp.__version__


def test_stored_probabilities_are_the_same(client: Store, graph: DatasetGraph) -> None:
    """A mechanism does not show who wrote it."""
    client.load("g", graph)
    client.extend("g", engine="server")
    one = client.mechanism("g")
    client.extend("g", engine="client")
    two = client.mechanism("g")
    np.testing.assert_array_equal(one.mechanism.probabilities, two.mechanism.probabilities)
    for field in ("fingerprint", "min_p_true", "mean_p_true", "method", "privacy", "mu"):
        assert getattr(one.info, field) == getattr(two.info, field)

"""The place of the store: reading makes nothing, and what looks like an address is never a path."""

from pathlib import Path

import pytest

from neodp.cli import main
from neodp.errors import StoreError, StoreUnreachable
from neodp.store import Settings, open_store
from neodp.store.neo4j.connection import PlainConnectionWarning

READING = [
    ["list"],
    ["show", "g"],
    ["drop", "g", "--yes"],
    ["export", "g", "out"],
    ["check", "g"],
    ["boundary", "g"],
    ["compare", "g", "h"],
    ["what-if", "g", "--by", "1"],
    ["extend", "g"],
    ["eval", "g", "1"],
    ["answer", "g", "1", "--release", "r"],
    ["releases"],
    ["budget"],
    ["audit", "g"],
    ["query", "summary", "g"],
    ["plot", "g", "-o", "p.svg"],
    ["poll", "--cypher", "MATCH (p:P) RETURN p.vote, p.epsilon"],
    ["stretch", "list"],
    ["stretch", "similarity", "p", "1", "2", "--epsilon", "1"],
]


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_command_that_reads_makes_no_store(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--store", "typo.db", *words]) == 3
    said = "there is no store typo.db; correct --store, or make one with 'neodp init --store typo.db'"
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_init_makes_one_and_python_may_choose(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="there is no store"):
        open_store(tmp_path / "s.db", create=False)
    assert main(["--store", str(tmp_path / "s.db"), "init"]) == 0
    with open_store(tmp_path / "s.db", create=False) as store:
        assert store.graphs() == []


def test_a_link_to_nothing_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.db").symlink_to(tmp_path / "target")
    with pytest.raises(StoreUnreachable, match="is a link to nothing; remove the link, or name the file itself"):
        open_store(tmp_path / "s.db")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(
    "uri",
    [
        "neo4j:secret@host",
        "//me:secret@host",
        " bolt:secret@host",
        "neo4j:secret@host:7687",
        "me:secret@host/db",
        "neo4j:/secret@host",
        "bolt+s:host-secret",
        "secret.example.org:7687",
        "secret:7687/db",
        "secret@host",
        "//secret@host",
        "secret@host.example.org/db",
        "//secret:7687",
        "bolt//secret",
        "neo4j+s//secret",
        "neo4j://me:secret@host",
        "neo4j://secret@host",
        "neo4j://host//+ssecret@",
        "neo4j:secret@://host",
        "bolt://[::1secret",
        "bolt://host:secret",
        "http://secret",
    ],
)
def test_what_looks_like_an_address_is_no_path_and_is_not_repeated(
    uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--store", uri, "init"]) == 2
    out, err = capsys.readouterr()
    assert "store" in err
    assert "something went wrong" not in err
    assert "secret" not in out + err
    assert list(tmp_path.iterdir()) == []


def test_a_password_that_would_travel_in_the_open_is_noted() -> None:
    told = r"the password and all data go to 192\.0\.2\.1 without encryption: use \+s, as in neo4j\+s://HOST"
    for scheme in ("bolt", "neo4j"):
        settings = Settings(f"{scheme}://192.0.2.1:1", password="x", timeout=0.1)
        with pytest.warns(PlainConnectionWarning, match=told), pytest.raises(StoreUnreachable):
            open_store(settings)


@pytest.mark.parametrize(
    ("uri", "other"),
    [
        ("bolt://db.example.org:7687", "db.example.org"),
        ("neo4j://10.0.0.7", "10.0.0.7"),
        ("neo4j://[fe80::1]:7687", "fe80::1"),
        ("bolt://127.example.org", "127.example.org"),
        ("bolt://localhost.example.org", "localhost.example.org"),
        ("bolt://localhost:7687", None),
        ("neo4j://LOCALHOST", None),
        ("bolt://127.0.0.1:7687", None),
        ("bolt://127.9.8.7", None),
        ("bolt://[::1]:7687", None),
        ("bolt://", None),
        ("neo4j+s://db.example.org", None),
        ("bolt+ssc://db.example.org", None),
    ],
)
def test_where_a_password_would_travel_in_the_open(uri: str, other: str | None) -> None:
    assert Settings(uri, password="x").exposed_to == other
    assert Settings(uri).exposed_to is None


@pytest.mark.filterwarnings("always::neodp.store.neo4j.connection.PlainConnectionWarning")
def test_a_command_notes_once_that_a_password_would_travel_in_the_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "x")
    for _ in range(2):  # each of them, once
        assert main(["--store", "bolt://192.0.2.1:1", "--timeout", "0.1", "list"]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("without encryption") == 1


@pytest.mark.parametrize("uri", ["localhost", "LocalHost/", "127.0.0.1", "//10.0.0.7", "::1", "[::1]", "fe80::1"])
def test_a_host_alone_is_no_path(uri: str) -> None:
    with pytest.raises(StoreError, match=r"looks like an address, but is incomplete; write bolt://HOST:PORT"):
        Settings.from_env(uri)


@pytest.mark.parametrize("uri", ["host:7687", "file.db", "localhost"])
def test_neo4j_uri_is_an_address_in_full(uri: str) -> None:
    with pytest.raises(StoreError, match="NEO4J_URI is not a complete address; set it to bolt://HOST:PORT"):
        Settings.from_env(environ={"NEO4J_URI": uri})


@pytest.mark.parametrize(
    "uri",
    [
        *("neodp.db", "./host:7687", "/tmp/x:1", "C:\\data\\x.db", "C:x.db", "bolt", "neo4j/x.db"),
        *("a@b.db", "me@example.org.db", "me@work/x.db", "./me@host", "data/me@host", "/tmp/me@host"),
        *("localhost.db", "./localhost", "10.0.0.7.db", "1.2.3", "a.b:c.db"),
    ],
)
def test_what_does_not_look_like_an_address_is_a_path(uri: str) -> None:
    assert not Settings.from_env(uri).is_neo4j

"""Connections to Neo4j that are lost, at every moment that matters: what is done, and what is said."""

import gc
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j._async_compat.network._bolt_socket import BoltSocketBase

import neodp
from neodp import generate
from neodp.errors import StoreUnreachable, UnknownOutcome
from neodp.ledger.account import Limit
from neodp.store import Settings, Store, open_store
from tests.proxy import BEGIN, COMMIT, PULL, Proxy, proxy
from tools import neo4j_server as servers

KEEP = b"SET l.touched"
"""A part of the statement that locks the ledger before an answer is kept."""


@pytest.fixture
def cutter(neo4j_server: servers.Server, neo4j_driver: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    with proxy(int(neo4j_server.uri.rsplit(":", 1)[1])) as made:
        yield made


@pytest.fixture
def store(cutter: Proxy) -> Iterator[Store]:
    graph = generate.path(5)
    with open_store(f"bolt://127.0.0.1:{cutter.port}") as store:
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
        store.certify("g")
        store.allow("default", Limit(5))
        yield store


def test_an_answer_whose_commit_was_lost_on_the_way_back_is_found_again(store: Store, cutter: Proxy) -> None:
    cutter.at(COMMIT, "after", behind=KEEP)
    first = store.answer("g", "2", "spring")
    assert cutter.done == 1
    assert [release.answer for release in store.ledger().releases] == [first.answer]
    assert store.answer("g", "2", "spring") == first


def test_an_answer_whose_commit_never_arrived_is_kept_once(store: Store, cutter: Proxy) -> None:
    cutter.at(COMMIT, "before", behind=KEEP)
    first = store.answer("g", "2", "spring")
    assert cutter.done == 1
    assert store.ledger().releases == (first,)


@pytest.mark.parametrize("message", [BEGIN, COMMIT])
def test_ctrl_c_just_after_something_was_sent_is_ctrl_c(
    store: Store, message: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver then sends it again, and the server refuses that, since it was done."""
    first = store.answer("g", "2", "spring")
    send = BoltSocketBase.sendall

    def pressed(self: BoltSocketBase, data: bytes) -> None:
        send(self, data)  # type: ignore[no-untyped-call]
        if message in bytes(data):
            monkeypatch.setattr(BoltSocketBase, "sendall", send)
            raise KeyboardInterrupt

    monkeypatch.setattr(BoltSocketBase, "sendall", pressed)
    with pytest.raises(KeyboardInterrupt):
        store.answer("g", "3", "summer")
    monkeypatch.undo()
    gc.collect()  # a session that was left open would complain now
    assert store.answer("g", "2", "spring") == first


def test_where_nobody_knows_whether_it_was_done_that_is_said(store: Store, cutter: Proxy) -> None:
    told = (
        r"the connection to .* was lost before a change was confirmed, so that it may have been made or not; "
        "ask again under the same name, or check what is stored"
    )
    cutter.at(COMMIT, "after", times=2, behind=KEEP)
    with pytest.raises(UnknownOutcome, match=told):
        store.answer("g", "2", "spring")
    kept = store.ledger().releases
    assert store.answer("g", "2", "spring").answer == kept[0].answer
    cutter.at(COMMIT, "after", behind=b"SET l.max_releases")
    with pytest.raises(UnknownOutcome, match=told):
        store.allow("default", Limit(7))
    assert store.ledger().limit == Limit(7)


def test_a_read_that_was_cut_is_tried_again(store: Store, cutter: Proxy) -> None:
    for where in ("before", "after"):
        cutter.at(PULL, where)
        assert len(store.read("g")) == 5
        assert cutter.done == 1


def test_a_server_that_is_silent_is_given_up(cutter: Proxy) -> None:
    settings = Settings.from_env(f"bolt://127.0.0.1:{cutter.port}")
    with open_store(replace(settings, timeout=0.5)) as store:
        cutter.at(PULL, "stall", times=100)
        with pytest.raises(StoreUnreachable, match=r"was silent for 0\.5 seconds; check whether it is busy, or raise"):
            store.graphs()


def test_a_server_that_dies_is_said_to_be_lost(cutter: Proxy) -> None:
    from dataclasses import replace

    settings = Settings.from_env(f"bolt://127.0.0.1:{cutter.port}")
    with open_store(replace(settings, timeout=0.5)) as store:
        cutter.close()
        with pytest.raises(StoreUnreachable, match=r"the connection to .* was lost; check that the server is running"):
            store.graphs()


@contextmanager
def answering(reply: Callable[[socket.socket], None]) -> Iterator[int]:
    """Something that listens, and treats each connection in its own way."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                with suppress(OSError), client:
                    reply(client)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def refused(uri: str) -> str:
    with pytest.raises(StoreUnreachable) as caught:
        open_store(uri, auth=("neo4j", "x"))
    return str(caught.value)


def test_tls_where_the_server_has_none_neo4j(neo4j_server: servers.Server) -> None:
    port = neo4j_server.uri.rsplit(":", 1)[1]
    assert "does not speak TLS as +s asks for; switch TLS on in the server" in refused(f"bolt+s://127.0.0.1:{port}")


def test_a_certificate_that_nobody_signed(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def hello(client: socket.socket) -> None:
        with context.wrap_socket(client, server_side=True) as secure:
            secure.recv(1)

    with answering(hello) as port:
        told = refused(f"bolt+s://127.0.0.1:{port}")
    assert "is not trusted: self-signed certificate; make this machine trust it, or use +ssc" in told


def test_something_that_speaks_no_bolt() -> None:
    def http(client: socket.socket) -> None:
        client.recv(100)
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    for reply in (http, lambda client: client.close()):
        with answering(reply) as port:
            told = refused(f"bolt://127.0.0.1:{port}")
        assert "does not speak Bolt, or only with TLS; correct the port, or use +s" in told


def test_nobody_there_and_no_such_host() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # it does not listen, and nobody else can take the port
        for uri in (f"bolt://127.0.0.1:{held.getsockname()[1]}", "bolt://no.such.host.invalid"):
            assert f"no Neo4j server answers at {uri} (database neo4j); start it, or correct `uri=...`" in refused(uri)

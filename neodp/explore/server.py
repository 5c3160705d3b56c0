"""The explorer over HTTP, for one person on this machine.

The server accepts requests

* only from this machine: the server listens on 127.0.0.1 and nowhere else;
* only from clients that know the address: its path begins with a token that is drawn anew at every start;
* from no other site: a request must name this server as its Host, which rules out a foreign name that points to this
  machine, and as its Origin if it has one. A POST request must have an Origin.

Nothing can be changed (:mod:`neodp.explore.source`), and a table that somebody drops on the page is read in memory only
(:mod:`neodp.explore.dropped`). Keys of datasets are sent in the body of a request, never in an
address, and nothing is logged: neither a history nor a log tells which dataset somebody looked at.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neodp.errors import NeodpError
from neodp.explore.changes import Changes, what_if
from neodp.explore.dataset import dataset
from neodp.explore.drawing import drawing
from neodp.explore.dropped import LARGEST_TABLE, table
from neodp.explore.overview import graphs, overview, said
from neodp.explore.polling import aim, poll, population
from neodp.explore.records import queries, releases, run_query
from neodp.explore.source import Source

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["HOST", "STATIC", "application", "prepared"]

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
LONGEST = 1_000_000
"""The largest size of a posted request, in bytes; one with a table may be longer."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every response: run only scripts from this server, contact no other server, and store nothing."""

Call = Callable[[dict[str, Any]], Any]


def application(source: Source, token: str, port: int) -> Starlette:
    """Return the web application, for a server at a port of this machine.

    Raises
    ------
    NeodpError
        If Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles
    except ImportError:
        raise missing() from None

    def graph(given: dict[str, Any]) -> str:
        return str(given.get("graph", ""))

    asked: dict[str, Call] = {
        "graphs": lambda given: graphs(source),
        "overview": lambda given: overview(source, graph(given)),
        "drawing": lambda given: drawing(source, graph(given)),
        "queries": lambda given: queries(),
        "releases": lambda given: releases(source),
        "population": lambda given: population(source),
    }
    posted: dict[str, Call] = {
        "dataset": lambda given: dataset(
            source, graph(given), str(given.get("key", "")), Changes.parse(given.get("changes") or {})
        ),
        "what-if": lambda given: what_if(source, graph(given), Changes.parse(given.get("changes") or {})),
        "query": lambda given: run_query(
            source, graph(given), str(given.get("query", "")), given.get("parameters") or {}
        ),
        "poll": poll,
        "aim": aim,
        "table": table,
    }
    longest = {"table": LONGEST + 4 * LARGEST_TABLE // 3}
    routes = [
        *(Route(f"/api/{name}", _answer(call), methods=["GET"]) for name, call in asked.items()),
        *(
            Route(f"/api/{name}", _answer(call, longest.get(name, LONGEST)), methods=["POST"])
            for name, call in posted.items()
        ),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[Middleware(Guard, port=port)])


def _answer(call: Call, longest: int = LONGEST) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that responds with a function's result for a request, or with the error that it raises."""

    async def endpoint(request: Request) -> Response:
        import json

        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse

        given: Any = dict(request.query_params)
        if request.method == "POST":
            try:
                given = json.loads(await _body(request, longest))
            except (ValueError, RecursionError):
                given = None
        if not isinstance(given, dict):
            problem = {"kind": "usage", "message": "the request is not a JSON object", "hint": "reload the page"}
            return JSONResponse({"error": problem}, 400)
        try:
            return JSONResponse(await run_in_threadpool(call, given))
        except NeodpError as e:
            return JSONResponse(
                {"error": said(e, given.get("graph"))}
            )  # a refusal is an answer, and no fault of the connection
        except Exception as e:  # whose words may have a key in them: they are not written anywhere
            if os.environ.get("NEODP_DEBUG"):
                raise
            what = f"something went wrong inside neodp ({type(e).__name__})"
            internal = {"kind": "internal", "message": what, "hint": "set NEODP_DEBUG=1 to see where"}
            return JSONResponse({"error": internal}, 500)

    return endpoint


async def _body(request: Request, longest: int) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > longest:
            raise ValueError("too long")
    return bytes(body)


class Guard:
    """Middleware that admits requests only from this server's own pages, and adds the headers."""

    def __init__(self, app: Any, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in own]
                message = {**message, "headers": [*kept, *own.items()]}
            await send(message)

        if scope["type"] == "http" and not self._allowed(scope):
            await with_headers(
                {"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]}
            )
            await with_headers(
                {"type": "http.response.body", "body": b"This request is not from the explorer's own page.\n"}
            )
        elif scope["type"] != "websocket":
            await self.app(scope, receive, with_headers)

    def _allowed(self, scope: Any) -> bool:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        sites = [value for name, value in headers if name == "sec-fetch-site"]
        if len(hosts) != 1 or hosts[0] not in self.hosts or len(origins) > 1:
            return False
        if any(site not in ("same-origin", "none") for site in sites):
            return False
        return origins == [f"http://{hosts[0]}"] or (not origins and scope["method"] in ("GET", "HEAD"))


def listen(port: int = 0) -> socket.socket:
    """Open a socket that only this machine can reach; port 0 stands for any free port.

    Raises
    ------
    NeodpError
        If the port is in use.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.bind((HOST, port))
        found.listen()  # so that whoever is told the address can come at once
    except OSError as e:
        found.close()
        raise NeodpError(
            f"port {port} cannot be used: {e.strerror}", "name another with --port, or leave it out"
        ) from None
    return found


@contextmanager
def prepared(source: Source, port: int = 0) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """Give an address on this machine, a function that serves there until it is stopped, and one that stops it.

    Raises
    ------
    NeodpError
        If uvicorn is not installed, or the port is in use.
    """
    try:
        import uvicorn
    except ImportError:
        raise missing() from None
    token = secrets.token_urlsafe(24)
    with listen(port) as bound:
        number = bound.getsockname()[1]
        config = uvicorn.Config(
            application(source, token, number),
            log_level="critical",
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)

        def stop() -> None:
            server.should_exit = True

        yield f"http://{HOST}:{number}/{token}/", lambda: server.run(sockets=[bound]), stop


def missing() -> NeodpError:
    """Return the error for missing packages, which says what to install."""
    return NeodpError("the explorer needs starlette and uvicorn", "pip install '.[explore]' in the checkout")

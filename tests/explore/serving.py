"""A server for the tests of the explorer: a real server on a port of this machine, in a thread."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

from neodp.explore import Source, prepared
from neodp.store import Settings

__all__ = ["Site", "serving"]


class Site:
    """An explorer that runs, and requests to it."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        self.host, self.base = parts.netloc, parts.path

    def request(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; `path` is under the token unless it begins with a slash."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        sent = {"Host": self.host} | ({} if method == "GET" else {"Origin": f"http://{self.host}"})
        changed: dict[str, str | None] = {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.putrequest(method, path if path.startswith("/") else self.base + path, skip_host=True)
        for name, value in changed.items():
            if value is not None:
                connection.putheader(name, value)
        if data is not None:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        response = connection.getresponse()
        try:
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def get(self, name: str, **given: str) -> Any:
        """Return what an address under api/ answers."""
        query = "&".join(f"{key}={quote(value, safe='')}" for key, value in given.items())
        status, _, body = self.request("GET", f"api/{name}" + (f"?{query}" if query else ""))
        return json.loads(body) | {"status": status} if status != 200 else json.loads(body)

    def post(self, name: str, **given: Any) -> Any:
        """Return what an address under api/ answers to what is posted."""
        status, _, body = self.request("POST", f"api/{name}", given)
        return json.loads(body) | {"status": status} if status != 200 else json.loads(body)


@contextmanager
def serving(address: str) -> Iterator[Site]:
    """An explorer of the store at an address."""
    source = Source(Settings.from_env(address))
    with prepared(source) as (page, serve, stop):
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            site = Site(page)
            _wait(site)
            yield site
        finally:
            stop()
            thread.join()
            source.close()


def _wait(site: Site) -> None:
    for _ in range(200):
        try:
            site.request("GET", "")
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the explorer does not listen")

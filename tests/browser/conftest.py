"""A real browser: the one that is installed, driven by Playwright; and pages that watch what a page does.

`make test-browser` runs these. They take the browser that ``NEODP_TEST_BROWSER`` names, else Chromium or Chrome where
the system has one. Without one they are skipped and say how to get it; with ``CI=true`` they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.store import open_store
from tests.explore.serving import Site, serving

HOW = "install Debian's package (apt-get install chromium), or name a browser in NEODP_TEST_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]
SIZES = {"desktop": (1280, 860), "phone": (390, 800)}
KEYS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "a'b\\c {0} ${x}"]
COLORS = ["<b>yes</b>", "</script><script>alert(2)</script>"]
HOSTILE = "</title><svg/onload=alert(3)>"


def lacking(what: str, how: str) -> Any:
    """Without a browser, tests are skipped on a developer's machine and fail in CI."""
    if os.environ.get("CI", "").lower() in {"true", "1"}:
        pytest.fail(f"{what}: {how}", pytrace=False)
    pytest.skip(f"{what}: {how}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking("there is no Playwright", "pip install '.[browser]' in the checkout")
    named = os.environ.get("NEODP_TEST_BROWSER")
    path = named or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        lacking("there is no browser", HOW)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


class Watched:
    """A page, and everything that it asked for, said or opened meanwhile."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog: Any) -> None:
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, address: str) -> Any:
        """Go to an address, and wait until its view is there."""
        self.page.goto(address)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is under way."""
        self.page.wait_for_selector("main:not([aria-busy]) h1")
        self.page.wait_for_load_state("networkidle")

    def clean(self) -> None:
        """Nothing was said, no box was opened, and nobody but this machine was asked."""
        assert self.said == []
        for url in self.requests:
            parts = urlsplit(url)
            assert parts.scheme in ("data", "file", "blob") or parts.hostname == "127.0.0.1", url


Watch = Callable[..., Watched]


@pytest.fixture
def watch(browser: Any) -> Iterator[Watch]:
    """Opens pages of a size and a colour scheme; at the end, all of them must be clean."""
    opened: list[tuple[Any, Watched]] = []

    def go(size: str = "desktop", scheme: str = "light", **options: Any) -> Watched:
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
            has_touch=size == "phone",
            **options,
        )
        context.set_default_timeout(60_000)
        found = Watched(context.new_page())
        opened.append((context, found))
        return found

    yield go
    for context, watched in opened:
        context.close()
        watched.clean()


def balanced(graph: DatasetGraph) -> DatasetGraph:
    """The graph with the balanced alpha."""
    return graph.with_alpha(neodp.balanced(graph))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with graphs of all kinds."""
    address = str(tmp_path_factory.mktemp("browser") / "neodp.db")
    graphs = {
        "three_voters": generate.three_voters(),
        "team": generate.counts([4, 5], epsilon=[0.5, 1.0]),
        "survey": generate.counts([20, 30, 10], epsilon=[0.1, 0.5, 1.0]),
        "best of three": generate.plurality(6, options=3),
        HOSTILE: DatasetGraph.from_columns(
            KEYS, [COLORS[0]] * 2 + [COLORS[1]] * 2, KEYS[:3], KEYS[1:], 1.0, colors=COLORS
        ),
    }
    with open_store(address) as opened:
        opened.init()
        for name, graph in graphs.items():
            opened.load(name, balanced(graph))
            opened.write(name, neodp.extend(opened.read(name)))
        opened.load("no alpha yet", generate.path(6))
        opened.answer("three_voters", "121", "spring", keep_key=True)
    return address


@pytest.fixture(scope="session")
def site(store: str) -> Iterator[Site]:
    """An explorer of that file."""
    with serving(store) as running:
        yield running


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """The folder for new screenshots of the docs, if somebody wants them (`make screenshots`)."""
    wanted = os.environ.get("NEODP_SCREENSHOTS")
    return None if not wanted else Path(wanted)

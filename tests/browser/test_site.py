"""The home page of the documentation, as `make docs` builds it."""

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Watch, lacking

SITE = Path(__file__).parents[2] / "site"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    """The address of the built site, on this machine."""
    if not (SITE / "index.html").exists():
        lacking("the site is not built", "run 'make docs', or 'make test-browser', which does")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_home_page_asks_nobody_else(watch: Watch, home: str, size: str) -> None:
    """No request leaves this machine, and nothing is wrong (`watch` checks both at the end)."""
    watched = watch(size)
    watched.page.goto(home)
    watched.page.wait_for_load_state("networkidle")
    assert watched.page.locator("h1").first.is_visible()
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= watched.page.viewport_size["width"]
    broken = watched.page.evaluate(
        "() => [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src)"
    )
    assert broken == []


def test_readers_of_a_report_can_download_the_program_that_checks_it() -> None:
    if not (SITE / "index.html").exists():
        lacking("the site is not built", "run 'make docs', or 'make test-browser', which does")
    assert 'href="verify_release.py"' in (SITE / "publish.html").read_text(encoding="utf-8")
    assert (SITE / "verify_release.py").read_bytes() == (SITE.parent / "tools" / "verify_release.py").read_bytes()


def test_no_page_of_the_reference_has_a_raw_role_or_an_example_as_a_quotation() -> None:
    """A page per subject; roles are links, doctests are code, and nothing is escaped twice."""
    if not (SITE / "index.html").exists():
        lacking("the site is not built", "run 'make docs', or 'make test-browser', which does")
    found = {page.name: page.read_text(encoding="utf-8") for page in (SITE / "reference").rglob("*.html")}
    assert len(found) > 12
    assert [name for name, text in found.items() if re.search(r":(?:class|meth|func|mod|data|attr|exc):", text)] == []
    assert [name for name, text in found.items() if "<blockquote>" in text or "\\&lt;" in text] == []
    assert [name for name, text in found.items() if re.search(r"&lt;=x|x&gt;=|\\\[|::</p>", text)] == []
    written = {name: re.sub(r"(?s)<(script|style|pre|code)\b.*?</\1>", "", text) for name, text in found.items()}
    assert [name for name, text in written.items() if "`" in text] == []
    anchors = set(re.findall(r'id="(neodp[\w.]+)"', "".join(found.values())))
    public = {"ask", "poll", "extend", "audit", "evaluate", "open_store", "Protection", "DatasetGraph", "Mechanism"}
    assert {name for name in public if not any(each.endswith(f".{name}") for each in anchors)} == set()
    proofs = [page.name for page in SITE.glob("*.html") if "python/proofs.html#" in page.read_text(encoding="utf-8")]
    assert {"poll.html", "ask.html", "answers.html", "scale.html"} <= set(proofs)

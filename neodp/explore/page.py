"""A page that needs no server: everything that is known about one graph, the scripts and the styles in one file.

The file's content security policy allows the scripts and styles by their digests and nothing else, so that not even a
script in a key could run. Results that would need a new computation (other alpha, other epsilons) are not in the file,
and the page says so.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from os import PathLike
from pathlib import Path
from typing import Any

from neodp.data.files import private
from neodp.explore.dataset import dataset
from neodp.explore.drawing import drawing
from neodp.explore.overview import graphs, overview
from neodp.explore.polling import poll, population
from neodp.explore.records import queries, releases, run_query
from neodp.explore.server import STATIC
from neodp.explore.source import Source

__all__ = ["contents", "write_page"]

MOST_DATASETS = 2_000
"""Up to this many datasets, the page includes the path that decides each dataset."""
SCRIPTS = (
    "dom.js",
    "api.js",
    "picture.js",
    "chart.js",
    "overview.js",
    "dataset.js",
    "what_if.js",
    "graph.js",
    "aim.js",
    "poll.js",
    "preview.js",
    "tables.js",
    "start.js",
    "app.js",
)
"""The modules of the page, each after those that it imports."""


def write_page(source: Source, name: str, path: str | PathLike[str]) -> Path:
    """Write a page about one graph to an ``.html`` file, for its owner only.

    Raises
    ------
    GraphError
        If the file cannot be written.
    UnknownGraph, UnfinishedGraph
        If there is no such graph, or it is not completely loaded.
    """
    page = assembled(contents(source, name))
    with private(path) as file:
        file.write(page.encode())
    return Path(path)


def contents(source: Source, name: str) -> dict[str, Any]:
    """Return the data of the page: the response to every request that the page can make, by request."""
    listed = graphs(source)
    listed["graphs"] = [each for each in listed["graphs"] if each["name"] == name]
    found: dict[str, Any] = {"graphs": listed, "overview": overview(source, name), "drawing": drawing(source, name)}
    keys = found["drawing"].get("keys", [])
    found["datasets"] = {key: dataset(source, name, key) for key in keys} if len(keys) <= MOST_DATASETS else {}
    found["queries"] = [each for each in queries() if all(p["default"] is not None for p in each["parameters"])]
    found["tables"] = {each["name"]: run_query(source, name, each["name"], {}) for each in found["queries"]}
    found["releases"] = releases(source)
    found["population"] = population(source)
    found["poll"] = poll({"groups": found["population"]})
    return found


def assembled(data: dict[str, Any]) -> str:
    """Return the text of the page."""
    style = (STATIC / "app.css").read_text(encoding="utf-8")
    component = (STATIC / "vendor" / "cytoscape.min.js").read_text(encoding="utf-8")
    script = "\n".join(_plain((STATIC / name).read_text(encoding="utf-8")) for name in SCRIPTS)
    held = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src {_digest(component)} {_digest(script)}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<style id="__________cytoscape_stylesheet">{style}</style>'
    )
    tail = (
        f'<script type="application/json" id="held">{held}</script>\n'
        f"<script>{component}</script>\n"
        f'<script type="module">{script}</script>'
    )
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"<!-- head -->.*?<!-- end -->", lambda _: head, page, flags=re.DOTALL)
    return re.sub(r"<!-- scripts -->.*?<!-- end -->", lambda _: tail, page, flags=re.DOTALL)


def _plain(module: str) -> str:
    """Return a module's text without its imports and exports, since all modules of the page share one scope."""
    module = re.sub(r"(?m)^import [^;]*;\n", "", module)
    return re.sub(r"(?m)^export ", "", module)


def _digest(text: str) -> str:
    """Return the digest of a script or style, as a content security policy writes it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

"""The documentation as a site: ``python -m tools.site``, or ``make docs``, builds it into ``site/`` and checks it.

The pages are those of ``docs/``, with two changes. A line ``<!-- from the code: NAME -->`` is replaced by text from the
program: the commands with their options, the canned queries with their Cypher. Links to source files, which the site
does not have, become plain words, but for the program that checks a report, which the site has as it is. Zensical
renders the result, as configured in ``mkdocs.yml``.

The check: every link and every anchor of every page leads somewhere, and no page loads anything from elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["ROLE", "build", "commands", "link_roles", "problems", "queries"]

ROOT = Path(__file__).parents[1]
PROOFS = "reference/python/proofs.md"
"""The page with the proofs, which links to their modules lead to."""
VERIFIER = Path("tools", "verify_release.py")
"""The program that readers of a report may want: the site has a copy of it."""
EVERYWHERE = {"store", "timeout", "json"}
"""The options of every command, which are shown once."""
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""The tags that make a browser load something, and the attributes with the address."""
NOT_LOADED = {"canonical", "prev", "next", "alternate", "edit"}
"""Links in a page's head that a browser does not load."""


def build(folder: Path = ROOT) -> Path:
    """Build the site of a checkout, and return its folder.

    Raises
    ------
    SystemExit
        If there is a warning, a link that leads nowhere, or something that would be loaded from elsewhere.
    """
    pages = folder / "build" / "docs"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(folder / "docs", pages)
    shutil.copy(folder / VERIFIER, pages)
    proven = _documented(pages / "reference" / "python" / "proofs.md")
    for page in pages.rglob("*.md"):
        up = "../" * (len(page.relative_to(pages).parts) - 1)
        led = {name: f"{up}{PROOFS}#{place}" for name, place in proven.items()}
        led["tools.verify_release"] = f"{up}{VERIFIER.name}"
        text = _filled(page.read_text(encoding="utf-8"), page, led)
        page.write_text(text, encoding="utf-8")
    shutil.rmtree(folder / "site", ignore_errors=True)
    subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], cwd=folder, check=True)
    link_roles(folder / "site", {name: f"{PROOFS.removesuffix('.md')}.html#{place}" for name, place in proven.items()})
    if wrong := problems(folder / "site"):
        raise SystemExit("\n".join(wrong))
    return folder / "site"


def _documented(page: Path) -> dict[str, str]:
    """Return the anchors of a page's headings by the modules that are shown below them."""
    found = re.findall(r"^## (.+)\n\n::: (neodp[\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {module: re.sub(r"[^\w]+", "-", heading.lower()).strip("-") for heading, module in found}


def _filled(text: str, page: Path | None = None, proofs: Mapping[str, str] | None = None) -> str:
    """Return a page with what comes from the code; a link to a module with a proof leads to the proof."""
    makers = {"commands": commands, "queries": queries}
    text = re.sub(r"^<!-- from the code: (\w+) -->$", lambda line: makers[line[1]](), text, flags=re.MULTILINE)

    def link(found: re.Match[str]) -> str:
        place = (proofs or {}).get(found[2].lstrip("./").removesuffix(".py").replace("/", "."))
        there = page is not None and (page.parent / found[2].partition("#")[0]).is_file()
        return f"[{found[1]}]({place})" if place else found[0] if there else found[1]

    return re.sub(r"\[([^\]]+)\]\(((?:\.\./)+[^)]*)\)", link, text)


ROLE = re.compile(r":(?:class|meth|func|mod|data|attr|exc|obj):<code>~?([^<]*)</code>")
"""A role of a docstring, as it is drawn: its name in colons, and code."""


def link_roles(site: Path, proofs: Mapping[str, str] | None = None) -> int:
    """Turn the roles on all pages into links to what they name, or into code if no page has it; return their number.

    A name that is not written in full is one of the same page, or else the only one that ends like it. A module with a
    proof leads to the proof: `proofs` has the addresses.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: re.findall(r'id="(neodp\.[\w.]+)"', text) for path, text in texts.items()}
    places = {name: path for path, names in anchors.items() for name in names}
    count = 0
    for path, text in texts.items():

        def link(found: re.Match[str], path: Path = path) -> str:
            name = found[1]
            ends = [each for each in (*anchors[path], *places) if each == name or each.endswith(f".{name}")]
            short = name.rpartition(".")[2] if "~" in found[0] or ends else name
            folder = "../" * (len(path.relative_to(site).parts) - 1)
            if not ends and name in (proofs or {}):
                return f'<a href="{folder}{(proofs or {})[name]}"><code>{name}</code></a>'
            if not ends:
                return f"<code>{short}</code>"
            return f'<a href="{folder}{places[ends[0]].relative_to(site)}#{ends[0]}"><code>{short}</code></a>'

        changed, n = ROLE.subn(link, text)
        count += n
        if n:
            path.write_text(changed, encoding="utf-8")
    return count


# --- what comes from the code -------------------------------------------------------------------------------------


def commands() -> str:
    """Return a description of every command: what it does, its arguments and its options."""
    from typer import Context

    from neodp.cli import COMMANDS, program

    root: Any = program()
    context = Context(root, info_name="neodp")
    parts = ["## Before or after every command\n", _options(root, context)]
    for panel, listed in COMMANDS.items():
        parts.append(f"## {panel}\n")
        for words in listed:
            command: Any = root
            for word in words.split():
                command = command.get_command(context, word)
            command = command.load()
            own = Context(command, info_name=words)
            usage = " ".join(["neodp", words, *command.collect_usage_pieces(own)])
            help_text = _plain(command.help or "").strip()
            parts.append(f"### neodp {words}\n\n```text\n{usage}\n```\n\n{help_text}\n\n{_options(command, own)}")
    return "\n".join(parts)


def _options(command: Any, context: Any) -> str:
    rows = []
    for parameter in command.get_params(context):
        if getattr(parameter, "hidden", False) or parameter.name == "help":
            continue
        if context.info_name != "neodp" and parameter.name in EVERYWHERE:
            continue
        record = parameter.get_help_record(context)
        name, text = record if record else (parameter.make_metavar(context), getattr(parameter, "help", None) or "")
        rows.append(f"| `{name}` | {_plain(_ranged(' '.join(text.split())))} |".replace("||", "|"))
    return "\n".join(["| option | meaning |", "|---|---|", *rows, ""]) if rows else ""


def _ranged(text: str) -> str:
    """Return help with the range of a number in words, as in "from 0.1 to 86400" instead of [0.1<=x<=86400]."""
    text = re.sub(r"([\d.]+)<=x<=([\d.]+)", r"from \1 to \2", text.replace("\\[", "["))
    return re.sub(r"x>=([\d.]+)", r"at least \1", text)


def _plain(text: str) -> str:
    """Return help as Markdown, escaped where it would be read as a link, a cell or a tag."""
    quoted = re.split(r"(`[^`]*`)", text.replace("\b", "").split("\f")[0])
    escaped = [
        part if part.startswith("`") else re.sub(r"([\[\]*])", r"\\\1", part).replace("<", "&lt;") for part in quoted
    ]
    return "".join(escaped).replace("|", "\\|")


def queries() -> str:
    """Return a description of every canned query: what it answers, its parameters and its Cypher."""
    from neodp.store.cypher import canned

    parts = []
    for title, found in (("About a graph", canned(on="graph")), ("About profiles", canned(on="profile"))):
        parts.append(f"## {title}\n")
        for name, query in found.items():
            given = ", ".join(f"`{parameter}`" for parameter in query.parameters) or "none"
            parts.append(
                f"### {name}\n\n{query.answers}\n\nParameters: {given}.\n\n```cypher\n{query.text.strip()}\n```\n"
            )
    return "\n".join(parts)


# --- the check ----------------------------------------------------------------------------------------------------


class _Page(HTMLParser):
    """The links and anchors of a page, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given and given.get("rel") not in NOT_LOADED:
            self.loads.append(given[LOADS[tag]])


def problems(site: Path) -> list[str]:
    """Return the problems of a site, one per line."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong = []
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links are for a site at the root of a server
        name = path.relative_to(site)
        wrong += [f"{name} loads {load} from elsewhere" for load in page.loads if urlsplit(load).netloc]
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                wrong.append(f"{name} links to {link}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name} links to {link}, whose anchor is not there")
    return wrong


if __name__ == "__main__":
    print(f"built {build().relative_to(ROOT)}/index.html")

"""``neodp doctor``: versions, extras, Java, the store with its rights and plugin; what is missing, and how to get it.

Only the store decides the exit code: 3 if it cannot be reached, 1 if something is wrong with it. Whatever is merely not
installed is optional.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from shlex import quote
from typing import Any

import typer

import neodp
from neodp.cli.common import Session, exit_code, say, show, table
from neodp.cli.options import Json
from neodp.errors import NeodpError
from neodp.hints import in_shell
from neodp.store import Settings, Store

__all__ = ["doctor"]

LIBRARIES = ("numpy", "numba", "scipy", "highspy", "pyarrow", "networkx", "neo4j", "ladybug", "lark", "typer", "rich")
"""The libraries on which neodp depends."""

FOR_DEVELOPERS = {"all", "test", "lint", "bench", "docs", "browser"}
"""Extras for developers, which users need not be told about."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    what : str
        The thing that was checked.
    state : str
        "ok", "missing" if it is optional, or "wrong".
    found : str
        A description of what is there.
    remedy : str
        A command to type or a thing to do; empty if there is nothing to do.
    """

    what: str
    state: str
    found: str
    remedy: str = ""


def doctor(context: typer.Context, json: Json = False) -> None:
    """Show what is installed, which store is used, what you may do there, what is missing and how to get it.

    The exit code is 3 if the store cannot be reached, and 1 if something about it is wrong; else it is 0.

    Example: `neodp doctor`

    Example: `neodp doctor --store neo4j://localhost`
    """
    session: Session = context.obj
    found = [*_installation(), *_extras(), _java(), _compiled()]
    code = 0
    try:
        found += _store(session)
    except NeodpError as error:
        found.append(Finding("store", "wrong", in_shell(error.message), in_shell(error.hint)))
        code = exit_code(error)
    code = code or int(any(each.state == "wrong" for each in found))
    show({"ok": code == 0, "findings": [asdict(each) for each in found]}, json, lambda: _text(found))
    if code:
        raise typer.Exit(code)


def _text(found: list[Finding]) -> None:
    table(("", "", "what is there"), [(each.what, each.state, each.found) for each in found])
    remedies = [each for each in found if each.remedy]
    if not remedies:
        say("Nothing is missing.")
    for each in remedies:
        say(f"{each.what}: {each.remedy}")


def _installation() -> Iterator[Finding]:
    """Check neodp itself, Python, and the required libraries."""
    here = Path(neodp.__file__).parent
    yield Finding("neodp", "ok", f"{neodp.__version__}, in {here}")
    yield Finding("Python", "ok", f"{platform.python_version()}, {platform.system()} {platform.machine()}")
    versions = ", ".join(f"{name} {_version(name) or 'not found'}" for name in LIBRARIES)
    absent = [name for name in LIBRARIES if _version(name) is None]
    remedy = f"install neodp again: {', '.join(absent)} should have come with it" if absent else ""
    yield Finding("libraries", "wrong" if absent else "ok", versions, remedy)


def _extras() -> Iterator[Finding]:
    """Check each extra for the packages that the installed neodp lists for it."""
    facts: Any = metadata.metadata("neodp")
    for extra in facts.get_all("Provides-Extra") or []:
        if extra in FOR_DEVELOPERS:
            continue
        needs = sorted(
            re.split(r"[^\w.-]", line, maxsplit=1)[0]
            for line in metadata.requires("neodp") or []
            if re.search(rf"extra == ['\"]{re.escape(extra)}['\"]", line)
        )
        there = {name: _version(name) for name in needs if name != "neodp"}
        absent = [name for name, version in there.items() if version is None]
        text = ", ".join(f"{name} {version or 'not installed'}" for name, version in there.items())
        remedy = f"pip install '.[{extra}]' in the checkout" if absent else ""
        yield Finding(f"extra {extra}", "missing" if absent else "ok", text, remedy)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _java() -> Finding:
    """Check Java, which is needed only to start a Neo4j server here."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
    if java is None:
        remedy = "only needed to start a Neo4j server here: install Java 17 (Neo4j 5.26) or 21 (2026.x)"
        return Finding("Java", "missing", "JAVA_HOME does not lead to Java" if home else "not on the PATH", remedy)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "([^"]+)"', said.stderr + said.stdout)
    return Finding("Java", "ok", f"{version[1] if version else 'of unknown version'}, {java}")


def _compiled() -> Finding:
    """Check the folder for compiled code, without which every start would compile again."""
    place = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(neodp.__file__).parent / "__pycache__")
    near = next((folder for folder in (place, *place.parents) if folder.exists()), place)
    if os.access(near, os.W_OK):
        return Finding("compiled code", "ok", f"is kept in {place}")
    kept = "cannot be kept beside the package; numba keeps it in the user's cache folder, if it can"
    return Finding("compiled code", "ok", kept, "if every start is slow, set NUMBA_CACHE_DIR to a folder of yours")


def _store(session: Session) -> Iterator[Finding]:
    """Check the store: its address, its kind, and what the user may do there."""
    settings = Settings.from_env(session.store)
    if session.store:
        origin = "--store"
    else:
        origin = next((name for name in ("NEODP_STORE", "NEO4J_URI") if os.environ.get(name)), "by default")
    if not settings.is_neo4j and not settings.path.exists():
        folder = settings.path.absolute().parent
        if not os.access(folder, os.W_OK):
            remedy = "give another file with --store, or ask for the right to write to the folder"
            yield Finding("store", "wrong", f"{settings.path} ({origin}): it cannot be created in {folder}", remedy)
            return
        remedy = "'neodp init', 'neodp generate' or 'neodp load' creates it"
        yield Finding("store", "ok", f"{settings.path} ({origin}): the file does not exist yet", remedy)
        return
    with session.open() as store:
        yield Finding("store", "ok", f"{store.address} ({origin})")
        yield from _file(settings) if not settings.is_neo4j else _server(store)
        graphs = store.graphs()
        unfinished = [info.name for info in graphs if info.state != "ready"]
        remedy = f"load again or drop: {', '.join(map(quote, unfinished))}" if unfinished else ""
        yield Finding("graphs", "wrong" if unfinished else "ok", f"{len(graphs):,}", remedy)


def _file(settings: Settings) -> Iterator[Finding]:
    """Check the rights on an embedded file."""
    path = settings.path
    if not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)):
        yield Finding("rights", "ok", "the file may be read, not written", "ask for the right to write, if you need it")
        return
    others = path.stat().st_mode & 0o077
    remedy = f"it may hold private data: chmod 600 {quote(str(path))}" if others else ""
    yield Finding("rights", "ok", f"read and write, {'also for others' if others else 'for the owner alone'}", remedy)


def _server(store: Store) -> Iterator[Finding]:
    """Check the version of a server, the rights of its user, and the plugin."""
    yield Finding("server", "ok", str(store.server()))
    if store.may_write():
        yield Finding("rights", "ok", "read and write")
    else:
        yield Finding("rights", "ok", "read only", "ask for the right to write, if you need it")
    version = store.plugin_version()
    remedy = "optional: 'neodp plugin install DIR' with the server's plugins folder, then restart the server"
    if version is None:
        yield Finding("plugin", "missing", "the server has none, so this process computes", remedy)
    elif version != neodp.__version__:
        yield Finding("plugin", "missing", f"of neodp {version}, another version, so this process computes", remedy)
    else:
        yield Finding("plugin", "ok", f"of neodp {version}: the server computes")

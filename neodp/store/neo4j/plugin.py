"""The plugin inside a Neo4j server: its version, and its procedures as Python methods.

The plugin is a jar (``plugin/`` in the sources), which ``neodp plugin install`` copies to the server's plugins folder.
If one of its procedures refuses a request, the client raises the same error as for its own computations.
"""

from __future__ import annotations

import json
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from neo4j import exceptions

import neodp
from neodp import errors
from neodp.core.auditing import Audit, EdgeAudit
from neodp.core.evaluation import Ball, Evaluation
from neodp.core.extension import Check
from neodp.core.witness import OrderConflict, Witness
from neodp.data.progress import Progress
from neodp.errors import NeodpError, ReadOnlyStore, StaleMechanism, StoreError
from neodp.hints import VERBS, Call, Hint, Option, in_cypher
from neodp.ledger.answering import look_up
from neodp.ledger.question import DEFAULT
from neodp.ledger.release import Release
from neodp.store import evaluation
from neodp.store.port import Port
from neodp.store.verbs import AuditedMechanism, Declined, Engine, Manner, Row, Summary

if TYPE_CHECKING:
    from neodp.core.rainbow import Method
    from neodp.store.neo4j.connection import Connection

__all__ = [
    "JAR",
    "ServerPlugin",
    "checkout",
    "find_jar",
    "how_to_build",
    "install",
    "look",
    "recognized",
    "refusal",
    "server_version",
]

JAR = "neodp-plugin.jar"
"""The name of the plugin's file."""

_CODE = "Neo.ClientError.Procedure.ProcedureCallFailed"
_REFUSAL = re.compile(r"(.*);\n(.*) \[(\w+)\]", re.DOTALL)


class ServerPlugin:
    """The verbs, computed by the procedures of one server (:class:`neodp.store.verbs.Verbs`)."""

    where = "server"

    def __init__(self, connection: Connection, port: Port) -> None:
        self._connection, self._port = connection, port

    def extend(self, name: str, *, method: Method | None, write: bool, progress: Progress) -> Summary:
        """Find the optimal mechanism of a graph and, with `write`, store it."""
        row = self._one(f"CALL neodp.extend.{'write' if write else 'stats'}($graph)", write=write, graph=name)
        return Summary(
            graph=name,
            vertices=row["nodeCount"],
            edges=row["relationshipCount"],
            boundary=row["boundaryCount"],
            filled=row["filled"],
            rounded=row["rounded"],
            min_p_true=row["minPTrue"],
            mean_p_true=row["meanPTrue"],
            method=row["method"],
            written=row["nodeCount"] if write else 0,
        )

    def stream(self, name: str, *, method: Method | None, progress: Progress) -> Iterator[Row]:
        """Return the optimal mechanism of a graph, dataset by dataset."""
        text = "CALL neodp.extend.stream($graph) YIELD key, color, probabilities, pTrue"
        colors = self._port.info(name).colors
        rows = self._rows(text, graph=name)[1]
        return iter([(key, color, [chances[c] for c in colors], own) for key, color, chances, own in rows])

    def estimate(self, name: str) -> dict[str, Any]:
        """Return the memory of the server that an extension takes."""
        row = self._one("CALL neodp.extend.write.estimate($graph)", graph=name)
        return {
            "vertices": row["nodeCount"],
            "edges": row["relationshipCount"],
            "bytes_min": row["bytesMin"],
            "bytes_max": row["bytesMax"],
            "bytes_available": row["bytesAvailable"],
            "fits": row["fits"],
        }

    def check(self, name: str, progress: Progress) -> Check:
        """Check whether a graph can be extended."""
        row = self._one("CALL neodp.check($graph)", graph=name)
        unhit, witness = row["unhit"], row["witness"]
        return Check(
            connected=row["connected"],
            components=row["componentCount"],
            boundary=row["boundaryCount"],
            boundary_hit=row["boundaryHit"],
            unhit=tuple(unhit) if unhit is not None else None,
            compatible=row["compatible"],
            witness=None if witness is None else _witness(witness),
            rounded=row["rounded"],
            filled=row["filled"],
        )

    def audit(self, name: str, worst: int, progress: Progress) -> AuditedMechanism:
        """Check the stored probabilities on every edge."""
        row = self._one("CALL neodp.audit($graph, {worst: $worst})", graph=name, worst=worst)
        edges = (EdgeAudit(**edge | {"broken": tuple(edge["broken"])}) for edge in row["worst"])
        counts = {count: row[count] for count in ("checks", "violations", "undecided")}
        report = Audit(edges=row["relationshipCount"], **counts, exact=True, tolerance=0.0, worst=tuple(edges))
        if row["stale"]:
            self._mark_changed(name)
        return AuditedMechanism(report, row["stale"], row["written"])

    def evaluate(self, name: str, keys: Sequence[str], *, engine: Engine, limit: int | None, write: bool) -> Ball:
        """Return the optimal mechanism at some datasets and, with `write`, store it there."""
        try:
            found = self._evaluated(name, keys, limit)
        except StaleMechanism:
            self._mark_changed(name)
            raise
        return evaluation.keep(self._port, name, found) if write else found

    def _evaluated(self, name: str, keys: Sequence[str], limit: int | None) -> Ball:
        options = {} if limit is None else {"limit": limit}
        columns, rows = self._rows("CALL neodp.eval($graph, $keys, $options)", graph=name, keys=keys, options=options)
        found = [dict(zip(columns, row, strict=True)) for row in rows]
        evaluations = tuple(
            Evaluation(
                key=row["key"],
                color=row["color"],
                probabilities={color: row["probabilities"][color] for color in row["colors"]},
                path=tuple(row["path"]),
                epsilons=tuple(row["epsilons"]),
                deltas=tuple(row["deltas"]),
            )
            for row in found
        )
        how = ("seen", "expanded", "layers", "reach", "rounded", "proof")
        return Ball(evaluations, **{name: found[0][name] for name in how}, queries=1, engine="server")

    def answer(self, name: str, key: str, release: str, manner: Manner) -> Release:
        """Return the stored answer, or draw one and store it now."""
        options = {"keepKey": manner.keep_key, "constantWork": manner.constant_work, "verify": manner.verify}
        text = "CALL neodp.answer($graph, $key, $release, $options) YIELD answer"
        self._one(text, write=True, graph=name, key=key, release=release, options=options)
        kept = look_up(self._port, [name], release).releases[name]
        if kept is None:
            raise Declined(f"release {release!r} of {name!r} was deleted as soon as it was kept", "ask the client")
        return kept

    def _mark_changed(self, name: str) -> None:
        """Mark a graph as changed for everybody, whichever dataset they ask for."""
        with suppress(ReadOnlyStore):
            self._port.mark_changed(name)

    def _one(self, text: str, *, write: bool = False, **parameters: Any) -> dict[str, Any]:
        columns, (row,) = self._rows(text, write=write, **parameters)
        return dict(zip(columns, row, strict=True))

    def _rows(self, text: str, *, write: bool = False, **parameters: Any) -> tuple[list[str], list[list[Any]]]:
        try:
            return self._connection.transaction("plugin", lambda tx: tx.execute(text, parameters), read=not write)
        except NeodpError as e:
            if "`" in e.hint:
                population = {info.name: info.population for info in self._port.graphs()}.get(parameters["graph"])
                e.hint = recognized(e.hint, parameters["graph"], population or DEFAULT)
            raise


def _witness(facts: Mapping[str, Any]) -> Witness | OrderConflict:
    """Return the reason why alpha is not compatible, from the plugin's account of it."""
    names = {"originValue": "origin_value", "otherValue": "other_value"}
    values = {names.get(name, name): value for name, value in facts.items() if name != "sentence"}
    if "order" in values:
        return OrderConflict(**values)
    return Witness(**values | {"path": tuple(values["path"])})


def server_version(connection: Connection) -> str | None:
    """Return the version of a server's plugin; None if it has none."""
    text = "RETURN neodp.version() AS version"
    try:
        _, rows = connection.transaction("plugin", lambda tx: tx.execute(text, {}), read=True)
    except StoreError as e:
        if isinstance(e.__cause__, exceptions.CypherSyntaxError):  # there is no such function
            return None
        raise
    return str(rows[0][0])


def look(connection: Connection, port: Port) -> ServerPlugin | None:
    """Return the plugin of a server if it has this version; warn if it has another version."""
    version = server_version(connection)
    if version is not None and version != neodp.__version__:
        warnings.warn(
            Hint(
                f"the server has the plugin of neodp {version}, this is neodp {neodp.__version__}, so the client does "
                "the work; bring the server up to date with ",
                Call("install_plugin"),
            ),
            stacklevel=2,
        )
    return ServerPlugin(connection, port) if version == neodp.__version__ else None


def refusal(error: exceptions.Neo4jError) -> NeodpError | None:
    """Return a refusal by the plugin as the error of the client, its hint still in Cypher; None for any other error."""
    found = _REFUSAL.fullmatch(error.message or "") if error.code == _CODE else None
    if found is None:
        return None
    message, hint, kind = found.groups()
    if kind in ("client", "memory"):
        return Declined(message, hint)
    named = (getattr(errors, name) for name in errors.__all__)
    known = [other for other in named if isinstance(other, type) and issubclass(other, NeodpError)]
    return next((other for other in known if other.kind == kind), StoreError)(message, hint)


def recognized(hint: str, graph: str, population: str) -> Hint:
    """Return a hint of the plugin as data: the calls that it gives as Cypher, about a graph and its population.

    Examples
    --------
    >>> recognized("run `CALL neodp.extend.write('survey')` again", "survey", "default")
    "run `store.extend('survey')` again"
    """
    codes: list[Call | Option] = [Option("engine", "whole"), Option("colors")]
    codes += [Call(verb, graph=graph, population=population) for verb, forms in VERBS.items() if forms.cypher]
    known = {in_cypher(Hint(code), graph): code for code in codes}
    pieces = hint.split("`")
    return Hint(*(known.get(f"`{piece}`", f"`{piece}`") if i % 2 else piece for i, piece in enumerate(pieces)))


def checkout() -> Path | None:
    """Return the checkout that this neodp runs in or, as pip recorded it, was installed from; None if there is none."""
    own = Path(neodp.__file__).parents[1]
    if (own / "plugin" / "pom.xml").is_file():
        return own
    with suppress(metadata.PackageNotFoundError, ValueError):
        recorded = json.loads(metadata.distribution("neodp").read_text("direct_url.json") or "{}")
        address = urlsplit(recorded.get("url", ""))
        folder = Path(unquote(address.path))
        if address.scheme == "file" and (folder / "plugin" / "pom.xml").is_file():
            return folder
    return None


def find_jar() -> Path | None:
    """Return the plugin's file: the one that came with neodp or was built in its checkout; None without any."""
    package, folder = Path(neodp.__file__).parent, checkout()
    came, built = package / JAR, [] if folder is None else [folder / "plugin" / "target" / JAR]
    places = [*built, came] if folder == package.parent else [came, *built]  # the one that fits the code that runs
    return next((jar for jar in places if jar.is_file()), None)


def how_to_build() -> str:
    """Return the sentence for somebody whose neodp came without the plugin."""
    folder = checkout()
    where = "a checkout of neodp" if folder is None else str(folder)
    return f"run 'make plugin' in {where} (Java 17 and Maven), then this again"


def install(folder: Path) -> Path:
    """Copy the plugin to the plugins folder of a server, which loads the plugin at its next start.

    Raises
    ------
    StoreError
        If there is no such folder, or this installation of neodp came without the plugin.
    """
    if not folder.is_dir():
        raise StoreError(f"there is no folder {folder}", "give the plugins folder of the server")
    jar = find_jar()
    if jar is None:
        raise StoreError("this installation of neodp came without the plugin", how_to_build())
    return Path(shutil.copy(jar, folder / JAR))

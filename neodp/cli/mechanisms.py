"""Commands for mechanisms: check, extend, audit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, NamedTuple, cast

import typer

import neodp
from neodp import blocks, study
from neodp.cli.common import METHODS, Session, accuracy, document, facts, inside, progress, say, show
from neodp.cli.common import optimality as described
from neodp.cli.options import (
    Delimiter,
    Encoding,
    Engine,
    Force,
    Graph,
    Json,
    Master,
    Quiet,
    ServerOrClient,
    WithBlocks,
    Workers,
    reading,
)
from neodp.cli.studies import prior_of
from neodp.core import rainbow
from neodp.core.auditing import Audit
from neodp.core.mechanism import Mechanism, Optimality
from neodp.core.probability_table import Tabulated
from neodp.data.files import require_new
from neodp.data.formatting import count, moment, number
from neodp.data.formatting import size as megabytes
from neodp.errors import GraphError, UnknownGraph
from neodp.store import Store
from neodp.store.verbs import Row

__all__ = ["audit", "check", "extend"]


class Mode(StrEnum):
    """The ways to use the mechanism, as in Neo4j GDS."""

    STREAM = "stream"
    STATS = "stats"
    WRITE = "write"
    ESTIMATE = "estimate"


class Method(StrEnum):
    """The methods for more than two colours."""

    PREFIX = "prefix"
    OPTIMAL = "optimal"
    LINE = "line"
    DISTANCE = "distance"


def check(
    context: typer.Context, graph: Graph, engine: ServerOrClient = Engine.AUTO, quiet: Quiet = False, json: Json = False
) -> None:
    """Check that the graph is connected, and that alpha is given where needed and allows a private mechanism.

    If not, the exit code is 1, and the output names the datasets that show why.

    Example: `neodp check survey`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        found = store.check(graph, engine=engine.of_store, progress=tell)
    report = found.result

    def text() -> None:
        say(str(report))
        if found.engine == "server":
            say("checked inside the server")
        if report:
            say(f"next: neodp extend {quote(graph)}")
        elif report.unhit is not None:
            say(f"choose alpha first: neodp boundary {quote(graph)} --balanced --write")
        elif report.compatible is False:
            say(f"choose a compatible alpha: neodp boundary {quote(graph)} --balanced --write")

    show(asdict(report) | {"engine": found.engine}, json, text)
    if not report:
        raise typer.Exit(1)


def extend(
    context: typer.Context,
    graph: Graph,
    mode: Annotated[
        Mode,
        typer.Option(
            help="write: store the mechanism; stream: print it; stats: only sum it up; estimate: only show the "
            "memory it would take."
        ),
    ] = Mode.WRITE,
    engine: WithBlocks = Engine.AUTO,
    workers: Workers = None,
    master: Master = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="For more than two colours: prefix (the largest chances; refused if not private), optimal (the best "
            "on average, by a linear program; needs no alpha), line (always private) or distance (always private; "
            "needs no alpha). Default, if epsilons differ: prefix where it is private, else optimal on small graphs, "
            "else line."
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="With --method optimal: uniform (the default), distance (every distance from the boundary is equally "
            "likely), a property of the datasets, or a table of key,weight (.csv, .xlsx, .parquet, …)."
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the most accurate private mechanism, and store its probabilities on the datasets.

    Example: `neodp extend survey --mode stats`

    Example: `neodp extend poll --method optimal --prior distance`

    Example: `neodp extend DIR --engine blocks`
    """
    cluster = _cluster(engine.value, master)
    if engine in (Engine.BLOCKS, Engine.SPARK):
        _extend_blocks(Path(graph), mode, method, workers, cluster, quiet, json)
        return
    session: Session = context.obj
    how = cast("rainbow.Method | None", method and method.value)
    if method is not None and engine is Engine.SERVER:
        raise GraphError(
            "--method and --engine server cannot be combined",
            "leave one of them out: the plugin does not support --method",
        )
    if prior is not None and (method is not Method.OPTIMAL or mode not in (Mode.WRITE, Mode.STATS)):
        raise GraphError("--prior only works with --method optimal, and --mode write or stats", "give these as well")
    with _or_folder(graph, "extend"), session.open() as store, progress(quiet) as tell:
        if mode is Mode.STREAM:
            colors = store.ready(graph).colors
            _stream(store.stream(graph, engine=engine.of_store, method=how, progress=tell), colors, json)
            return
        if mode is Mode.ESTIMATE:
            estimated = store.estimate(graph, engine=engine.of_store)
            memory = estimated.result | {"engine": estimated.engine}
            show(memory, json, lambda: _estimated(memory))
            return
        found = store.extend(
            graph,
            engine=engine.of_store,
            method=how,
            prior=None if prior is None else prior_of(store, graph, prior),
            write=mode is Mode.WRITE,
            progress=tell,
        )
        result = asdict(found.result) | {"engine": found.engine}
    show(result, json, lambda: _extended(result, f"neodp audit {quote(graph)}"))


def audit(
    context: typer.Context,
    graph: Annotated[str | None, typer.Argument(help="The name of the graph.", metavar="GRAPH")] = None,
    nodes: Annotated[
        Path | None,
        typer.Option(help="Instead of a graph: a table with the column key and one column per output.", metavar="FILE"),
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(
            help="With --nodes: a table with the columns source,target and optionally epsilon,delta.", metavar="FILE"
        ),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="With --edges: the epsilon of all edges, if there is no such column.")
    ] = None,
    losses: Annotated[
        Path | None,
        typer.Option(
            help="Write the actual privacy loss of each edge: the least epsilon at its delta, and the least delta at "
            "its epsilon.",
            metavar="FILE",
        ),
    ] = None,
    force: Force = False,
    worst: Annotated[int, typer.Option(min=0, help="The number of edges to show, worst first.")] = 5,
    optimality: Annotated[
        bool,
        typer.Option(
            "--optimality",
            help="Also prove how far the stored mechanism is from the best one, by solving its linear program again.",
        ),
    ] = False,
    prior: Annotated[
        str | None,
        typer.Option(
            help="With --optimality: the prior, as in `neodp extend`; by default the one that the mechanism was made "
            "for, else uniform."
        ),
    ] = None,
    engine: WithBlocks = Engine.AUTO,
    workers: Workers = None,
    master: Master = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check exactly, on every edge, that a mechanism is private: a stored mechanism, or one from two tables.

    The exit code is 1 if an inequality is broken, or the graph has changed since its mechanism was written; with
    --optimality, also if the mechanism is less accurate than the accuracy stored with it.

    Example: `neodp audit survey`

    Example: `neodp audit poll --optimality`

    Example: `neodp audit --nodes mine.csv --edges pairs.csv --losses losses.csv`
    """
    if (graph is None) == (nodes is None) or (nodes is None) != (edges is None):
        raise GraphError("nothing to audit", "give a graph, or --nodes and --edges")
    if prior is not None and not optimality:
        raise GraphError("--prior only works with --optimality", "give --optimality as well")
    if optimality and (graph is None or engine in (Engine.BLOCKS, Engine.SPARK)):
        raise GraphError("--optimality needs a graph in a store", "load the graph, and name it")
    if losses is not None and not force:
        require_new(losses)
    if nodes is not None and edges is not None:
        _audit_tables(
            Tabulated.from_tables(nodes, edges, epsilon=epsilon, options=reading(encoding, delimiter)),
            losses,
            worst,
            json,
        )
        return
    assert graph is not None
    cluster = _cluster(engine.value, master)
    if engine in (Engine.BLOCKS, Engine.SPARK):
        _audit_blocks(Path(graph), losses, worst, workers, cluster, quiet, json)
        return
    session: Session = context.obj
    with _or_folder(graph, "audit"), session.open() as store, progress(quiet) as tell:
        if losses is not None:
            _write_losses(store.mechanism(graph, progress=tell).mechanism, losses)
        found = store.audit(graph, engine=engine.of_store, worst=worst, progress=tell)
        stored, report = found.result, found.result.report
        proof = _proven(store, graph, prior) if optimality and report and not stored.stale else None

    def text() -> None:
        say(str(report) + inside(found.engine))
        if proof is not None:
            say(f"Proven again: {described(proof.now)}.")
            if proof.stored is not None and proof.lost:
                say(f"The stored accuracy, {number(proof.stored)}, is not that of the stored mechanism.")
        if stored.stale:
            when = moment(stored.written)
            say(f"The graph has changed since the mechanism was written, {when}: neodp extend {quote(graph)}")
        _worst(report)

    more = {"graph": graph, "stale": stored.stale, "written": stored.written, "engine": found.engine}
    if proof is not None:
        more |= proof.now._asdict() | {"stored": proof.stored}
    show(asdict(report) | more, json, text)
    if not report or stored.stale or (proof is not None and proof.lost):
        raise typer.Exit(1)


class _Proof(NamedTuple):
    """The distance of a stored mechanism from the best one, computed again, and the accuracy stored with it."""

    now: Optimality
    stored: float | None

    @property
    def lost(self) -> bool:
        """True if more accuracy was stored than there is; the margin is that of two roundings."""
        return self.stored is not None and self.stored > self.now.expected + 1e-12


def _proven(store: Store, name: str, prior: str | None) -> _Proof:
    """Solve the linear program of a stored mechanism again."""
    kept = store.mechanism(name).mechanism
    claim = kept.optimality
    given = prior or (claim.prior if claim is not None else "uniform")
    if prior is None and given not in ("uniform", "distance"):
        raise GraphError(
            f"the weights for which the mechanism of graph {name!r} is the best are not stored",
            "give them with --prior",
        )
    weights = study.prior(kept.graph, prior_of(store, name, given))
    named = given if given in ("uniform", "distance") else "given"
    now = neodp.optimality(kept, rainbow.DatasetPrior(named, weights))
    return _Proof(now, claim.expected if claim is not None and claim.prior == named else None)


@contextmanager
def _or_folder(graph: str, command: str) -> Iterator[None]:
    """Say how to name a folder, if the store has no such graph but a folder of that name exists."""
    try:
        yield
    except UnknownGraph as error:
        if not os.path.isdir(graph):
            raise
        meant = f"if the folder is meant, type 'neodp {command} {quote(graph)} --engine blocks'"
        raise UnknownGraph(error.message, meant) from None


def _cluster(engine: str, master: str | None) -> str | None:
    """Return the Spark cluster that is to compute; None if there is none."""
    if (engine == "spark") == (master is None):
        raise GraphError("--engine spark and --master go together", "give both, as in --engine spark --master local[2]")
    return master


def _extend_blocks(
    folder: Path,
    mode: Mode,
    method: Method | None,
    workers: int | None,
    master: str | None,
    quiet: bool,
    json: bool,
) -> None:
    """Extend a folder of blocks, and write the mechanism there."""
    if mode is not Mode.WRITE or method is not None:
        raise GraphError(
            "--engine blocks and spark always write the mechanism, and know two colours only",
            "leave out --mode and --method",
        )
    with progress(quiet) as tell:
        found = blocks.extend(folder, workers=workers or os.cpu_count() or 1, master=master, progress=tell)
    result = {name: value for name, value in asdict(found).items() if name != "state"}
    result |= {"filled": 0, "method": "labels", "written": found.vertices, "mechanism": str(folder / "mechanism")}
    show(result, json, lambda: _extended(result, f"neodp audit {quote(str(folder))} --engine blocks"))


def _audit_blocks(
    folder: Path,
    losses: Path | None,
    worst: int,
    workers: int | None,
    master: str | None,
    quiet: bool,
    json: bool,
) -> None:
    """Audit the mechanism in a folder of blocks."""
    if losses is not None:
        raise GraphError("--losses does not work with a folder of blocks", "load the folder into a store first")
    with progress(quiet) as tell:
        many = workers or os.cpu_count() or 1
        report = blocks.audit(folder, worst=worst, workers=many, master=master, progress=tell)
    stale = blocks.is_stale(folder)

    def text() -> None:
        say(str(report))
        if stale:
            again = f"neodp extend {quote(str(folder))} --engine blocks"
            say(f"A file of the graph was written after the mechanism: {again}")
        _worst(report)

    show(asdict(report) | {"graph": str(folder), "stale": stale}, json, text)
    if not report or stale:
        raise typer.Exit(1)


def _audit_tables(given: Tabulated, losses: Path | None, worst: int, json: bool) -> None:
    """Audit a mechanism from two tables."""
    report = given.audit(worst=worst)
    if losses is not None:
        given.write_losses(losses)

    def text() -> None:
        say(str(report))
        _worst(report)

    show(asdict(report), json, text)
    if not report:
        raise typer.Exit(1)


def _write_losses(mechanism: Mechanism, file: Path) -> None:
    """Write the actual privacy loss on each edge of a stored mechanism."""
    graph = mechanism.graph
    columns = (graph.source, graph.target, graph.epsilon, graph.delta)
    Tabulated(tuple(graph.keys.to_pylist()), graph.colors, mechanism.probabilities, *columns).write_losses(file)


def _stream(rows: Iterable[Row], colors: Sequence[str], json: bool) -> None:
    """Print every dataset, as a line of JSON or a line of text."""
    for key, color, row, own in rows:
        if json:
            probabilities = dict(zip(colors, row, strict=True))
            line = {"key": key, "color": color, "probabilities": probabilities, "p_true": own}
            say(document(line))
        else:
            say("\t".join([key, color, *map(repr, row)]))


def _worst(report: Audit) -> None:
    """Show the edges that come closest to their limit, or exceed it."""
    if report.worst:
        say(
            "The edges, broken ones first, and how much of their epsilon they use:"
            if not report
            else "The tightest edges:"
        )
    for edge in report.worst:
        say(f"  {edge}")


def _extended(found: dict[str, Any], next_one: str) -> None:
    """Describe a mechanism in words."""
    size = f"{count(found['vertices'], 'dataset')}, {count(found['edges'], 'edge')}"
    boundary = f"{count(found['boundary'], 'dataset')} where one person's data decides"
    rows = [
        ("graph", f"{found['graph']}: {size}, {boundary}"),
        ("accuracy", accuracy(found["min_p_true"], found["mean_p_true"])),
        ("method", METHODS[found["method"]] + inside(found.get("engine", ""))),
    ]
    if found.get("bound") is not None:
        rows.append(("optimality", described(Optimality(found["expected"], found["bound"], found["prior"]))))
    if found["rounded"]:
        rows.append(("alpha", f"lowered at {count(found['rounded'], 'dataset')}, where it was off by a rounding error"))
    if found["filled"]:
        rows.append(
            (
                "alpha",
                f"{count(found['filled'], 'boundary dataset')} took alpha from datasets with the same order",
            )
        )
    if found["written"]:
        rows.append(("stored", f"on {count(found['written'], 'dataset')}; next: {next_one}"))
    else:
        rows.append(("stored", "no: --mode write stores it"))
    facts(rows)


def _estimated(found: dict[str, Any]) -> None:
    """Tell in words how much memory a mechanism would take."""
    size = f"{count(found['vertices'], 'dataset')}, {count(found['edges'], 'edge')}"
    memory = f"{megabytes(found['bytes_min'])} to {megabytes(found['bytes_max'])}{inside(found['engine'])}"
    facts([("graph", size), ("memory", memory)])

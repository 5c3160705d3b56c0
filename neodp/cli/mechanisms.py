"""Commands for mechanisms: check, extend, audit."""

from __future__ import annotations

import json as jsonlib
import os
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import neodp
from neodp import Mechanism, blocks, rainbow
from neodp.boundary import boundary_vertices
from neodp.cli.common import Graph, Json, Quiet, Session, progress, say, show
from neodp.errors import GraphError
from neodp.estimate import estimate
from neodp.tabulated import Tabulated

__all__ = ["audit", "check", "extend"]


class Mode(StrEnum):
    """What to do with the mechanism, as in Neo4j GDS."""

    STREAM = "stream"
    STATS = "stats"
    WRITE = "write"
    ESTIMATE = "estimate"


class Method(StrEnum):
    """What to do with more than two colours where epsilon differs between edges."""

    LINE = "line"
    PREFIX = "prefix"


class Engine(StrEnum):
    """What computes the mechanism: one pass in memory, or block by block, on files."""

    EXACT = "exact"
    BLOCKS = "blocks"


def check(context: typer.Context, graph: Graph, quiet: Quiet = False, json: Json = False) -> None:
    """Is the graph connected, its boundary hit, its alpha compatible? Exit code 1 if it cannot be extended.

    Example: `neodp check survey`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        report = neodp.check(store.read(graph, progress=tell))
    show(asdict(report), json, lambda: say(str(report)))
    if not report:
        raise typer.Exit(1)


def extend(
    context: typer.Context,
    graph: Graph,
    mode: Annotated[
        Mode, typer.Option(help="stream: show all; stats: sum up; write: keep; estimate: memory only.")
    ] = Mode.WRITE,
    engine: Annotated[
        Engine,
        typer.Option(help="exact: the compiled pass, in memory. blocks: GRAPH is a folder of blocks, of any size."),
    ] = Engine.EXACT,
    workers: Annotated[
        int | None, typer.Option(min=1, help="With blocks: how many processes. Default: one per core.")
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="More than two colours and different epsilons: prefix (the largest chances; refused if not private) "
            "or line (always private). Default: prefix where it is private, else line."
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the optimal mechanism, and keep its probabilities on the datasets.

    Example: `neodp extend survey --mode stats`, `neodp extend DIR --engine blocks`
    """
    if engine is Engine.BLOCKS:
        _extend_blocks(Path(graph), mode, method, workers, quiet, json)
        return
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        if mode is Mode.ESTIMATE:
            info = store.ready(graph)
            facts: dict[str, Any] = asdict(estimate(info.datasets, info.edges))
            show(facts, json, lambda: _facts(facts))
            return
        read = store.read(graph, progress=tell)
        mechanism = neodp.extend(read, method=cast("rainbow.Method | None", method and method.value))
        if mode is Mode.STREAM:
            _stream(mechanism, json)
            return
        written = store.write(graph, mechanism, progress=tell) if mode is Mode.WRITE else 0
    facts = {
        "graph": graph,
        "vertices": len(read),
        "edges": read.edges,
        "boundary": len(boundary_vertices(read)),
        "min_p_true": float(mechanism.p_true.min()),
        "mean_p_true": float(mechanism.p_true.mean()),
        "rounded": len(mechanism.rounded),
        "filled": len(mechanism.filled),
        "method": mechanism.method,
        "written": written,
    }
    show(facts, json, lambda: _facts(facts))


def audit(
    context: typer.Context,
    graph: Annotated[str | None, typer.Argument(help="The graph's name.", metavar="[GRAPH]")] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="Instead of a graph: a table of key and a column per output.", metavar="FILE")
    ] = None,
    edges: Annotated[
        Path | None, typer.Option(help="With --nodes: a table of source,target[,epsilon][,delta].", metavar="FILE")
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="With --edges: where there is no such column.")] = None,
    losses: Annotated[
        Path | None,
        typer.Option(
            help="Write what each edge really loses: the least epsilon at its delta, the least delta at its epsilon.",
            metavar="FILE",
        ),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="exact: a graph of the store. blocks: GRAPH is a folder of blocks.")
    ] = Engine.EXACT,
    workers: Annotated[
        int | None, typer.Option(min=1, help="With blocks: how many processes. Default: one per core.")
    ] = None,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst edges to show.")] = 5,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check probabilities on every edge, exactly: of a stored graph, or anybody's from two tables.

    The exit code is 1 if an inequality is broken, or the graph has changed since its mechanism was written.

    Example: `neodp audit survey`, `neodp audit --nodes mine.csv --edges pairs.csv --losses losses.csv`
    """
    if (graph is None) == (nodes is None) or (nodes is None) != (edges is None):
        raise GraphError("what is to be audited?", "give a graph, or --nodes and --edges")
    if nodes is not None and edges is not None:
        _audit_tables(Tabulated.from_tables(nodes, edges, epsilon=epsilon), losses, worst, json)
        return
    assert graph is not None
    if engine is Engine.BLOCKS:
        _audit_blocks(Path(graph), losses, worst, workers, quiet, json)
        return
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        stored = store.mechanism(graph, progress=tell)
    read, probabilities = stored.mechanism.graph, stored.mechanism.probabilities
    report = neodp.audit(read, stored.mechanism, worst=worst)
    if losses is not None:
        columns = (read.source, read.target, read.epsilon, read.delta)
        Tabulated(tuple(read.keys.to_pylist()), read.colors, probabilities, *columns).write_losses(losses)

    def text() -> None:
        say(str(report))
        if stored.stale:
            say(f"stale: the graph has changed since the mechanism was written, {stored.info.written}; extend it again")
        for edge in report.worst:
            say(f"  {edge}")

    show(asdict(report) | {"graph": graph, "stale": stored.stale, "written": stored.info.written}, json, text)
    if not report or stored.stale:
        raise typer.Exit(1)


def _extend_blocks(
    folder: Path, mode: Mode, method: Method | None, workers: int | None, quiet: bool, json: bool
) -> None:
    """Extend a folder of blocks, and write the mechanism there."""
    if mode is not Mode.WRITE or method is not None:
        raise GraphError(
            "--engine blocks writes the mechanism of two colours to the folder", "leave out --mode and --method"
        )
    with progress(quiet) as tell:
        found = blocks.extend(folder, workers=workers or os.cpu_count() or 1, progress=tell)
    facts = {name: value for name, value in asdict(found).items() if name != "state"}
    facts |= {"filled": 0, "method": "labels", "written": found.vertices, "mechanism": str(folder / "mechanism")}
    show(facts, json, lambda: _facts(facts))


def _audit_blocks(folder: Path, losses: Path | None, worst: int, workers: int | None, quiet: bool, json: bool) -> None:
    """Audit the mechanism in a folder of blocks."""
    if losses is not None:
        raise GraphError("--losses is not there for a folder of blocks", "load the folder into a store first")
    with progress(quiet) as tell:
        report = blocks.audit(folder, worst=worst, workers=workers or os.cpu_count() or 1, progress=tell)
    stale = blocks.is_stale(folder)

    def text() -> None:
        say(str(report))
        if stale:
            say("stale: a file of the graph was written after the mechanism; extend it again")
        for edge in report.worst:
            say(f"  {edge}")

    show(asdict(report) | {"graph": str(folder), "stale": stale}, json, text)
    if not report or stale:
        raise typer.Exit(1)


def _audit_tables(given: Tabulated, losses: Path | None, worst: int, json: bool) -> None:
    """Audit a mechanism that stands in two tables."""
    report = given.audit(worst=worst)
    if losses is not None:
        given.write_losses(losses)

    def text() -> None:
        say(str(report))
        for edge in report.worst:
            say(f"  {edge}")

    show(asdict(report), json, text)
    if not report:
        raise typer.Exit(1)


def _stream(mechanism: Mechanism, json: bool) -> None:
    """Every dataset: one JSON object a line, or one line of text."""
    graph = mechanism.graph
    keys, p_true = graph.keys.to_pylist(), mechanism.p_true.tolist()
    rows = zip(keys, graph.color.tolist(), mechanism.probabilities.tolist(), p_true, strict=True)
    for key, color, row, own in rows:
        if json:
            probabilities = dict(zip(graph.colors, row, strict=True))
            line = {"key": key, "color": graph.colors[color], "probabilities": probabilities, "p_true": own}
            say(jsonlib.dumps(line, ensure_ascii=False))
        else:
            say("\t".join([key, graph.colors[color], *map(repr, row)]))


def _facts(facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else value
        say(f"{name:12} {shown}")

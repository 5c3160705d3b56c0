"""Commands for mechanisms: check, boundary, extend, audit."""

from __future__ import annotations

import json as jsonlib
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

import neodp
from neodp import DatasetGraph, Mechanism, rainbow
from neodp import boundary as boundaries
from neodp.cli import boundaries as boundaries_cli
from neodp.cli.common import Graph, Json, Quiet, Session, progress, say, show, table
from neodp.errors import GraphError
from neodp.estimate import estimate

__all__ = ["audit", "boundary", "check", "extend"]


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
    """What computes the mechanism. There is one; the option keeps its place on the command line."""

    EXACT = "exact"


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


def boundary(
    context: typer.Context,
    graph: Annotated[str | None, typer.Argument(help="The graph's name.", metavar="GRAPH")] = None,
    balanced: Annotated[bool, typer.Option("--balanced", help="Share every boundary edge evenly.")] = False,
    alpha: Annotated[
        str | None,
        typer.Option(
            help="Chance of the truth at the first colour's boundary; the other colour gets the best that fits. "
            "With more than two: of the best one, the others share the rest; or of every rank, as in '0.5;0.3;0.2'."
        ),
    ] = None,
    optimize: Annotated[
        bool,
        typer.Option(
            "--optimize", "--optimise", help="The greatest expected accuracy under a prior over the datasets."
        ),
    ] = False,
    prior: Annotated[
        str,
        typer.Option(
            help="With --optimize: uniform, distance (every distance from the boundary alike), a property of the "
            "datasets, or a table of key,weight (.csv, .parquet)."
        ),
    ] = "uniform",
    fair: Annotated[
        bool, typer.Option("--fair", help="With --optimize: only where the worst accuracy is the greatest possible.")
    ] = False,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Two graphs with mechanisms, or tables of key,p_true: does one dominate?", metavar="A B"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --compare: draw both, to a .svg or .png file.")
    ] = None,
    what_if: Annotated[
        float | None,
        typer.Option(help="What if the edges of one epsilon had one higher by so much?", metavar="EPSILON"),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Keep the chosen alpha.")] = False,
    limit: Annotated[int, typer.Option(help="How many datasets to show; --json shows all.")] = 20,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the boundary between colours, and choose alpha on it.

    Example: `neodp boundary survey --balanced --write`, `neodp boundary survey --optimize --prior distance`,
    `neodp boundary --compare before after -o picture.svg`
    """
    if compare is not None:
        boundaries_cli.compared(context, compare, output, quiet, json)
        return
    if graph is None:
        raise GraphError("which graph?", "as in 'neodp boundary GRAPH'; 'neodp list' lists them")
    chosen = {"--balanced": balanced, "--alpha": alpha is not None, "--optimize": optimize}
    given = [option for option, is_given in chosen.items() if is_given]
    if len(given) > 1:
        raise GraphError(f"{given[0]} and {given[1]} are two choices", "give one of them")
    if (fair or prior != "uniform") and not optimize:
        raise GraphError(f"{'--fair' if fair else '--prior'} says what is best", "give --optimize as well")
    if write and not given:
        raise GraphError("there is no alpha to write", "choose one with --balanced, --alpha or --optimize")
    session: Session = context.obj
    found: dict[str, Any] = {}
    with session.open() as store, progress(quiet) as tell:
        read: DatasetGraph = store.read(graph, progress=tell)
        if balanced:
            read = read.with_alpha(neodp.balanced(read))
        elif alpha is not None:
            read = read.with_alpha(neodp.homogeneous(read, _chances(alpha)))
        elif optimize:
            read, found = boundaries_cli.optimized(store, read, prior, fair)
        if what_if is not None:
            found["what_if"] = boundaries_cli.raised(read, what_if)
        written = store.write_alpha(graph, read, progress=tell) if write else 0
    ends = boundaries.boundary_vertices(read)
    two = len(read.colors) == 2
    facts = {
        "graph": graph,
        "boundary": len(ends),
        "boundary_edges": len(boundaries.boundary_edges(read)),
        "orders": len(np.unique(read.order[ends])),
        "minimum_hitting_set": len(boundaries.minimum_hitting_set(read)) if two else None,
        "given": int(read.given.sum()),
        "hit": boundaries.is_hitting_set(read, read.given) if two else rainbow.unhit_edge(read) is None,
        "written": written,
    }

    def text() -> None:
        for name, value in facts.items():
            if value is not None:
                say(f"{name:20} {value}")
        boundaries_cli.tables(found)
        columns = ("key", "truth" if two else "preference", *(f"alpha {color}" for color in read.colors))
        rows = [(read.key(v), _preferred(read, int(v)), *_numbers(read.alpha[v])) for v in ends[:limit]]
        table(columns, rows)
        if len(ends) > limit:
            say(f"… and {len(ends) - limit:,} more")

    datasets = [_given(read, int(v)) for v in ends] if json else []
    show(facts | found | {"datasets": datasets}, json, text)


def extend(
    context: typer.Context,
    graph: Graph,
    mode: Annotated[
        Mode, typer.Option(help="stream: show all; stats: sum up; write: keep; estimate: memory only.")
    ] = Mode.WRITE,
    engine: Annotated[Engine, typer.Option(help="exact: the compiled pass, private to the last bit.")] = Engine.EXACT,
    method: Annotated[
        Method | None,
        typer.Option(
            help="More than two colours and different epsilons: line (the default, always private), or prefix (larger, "
            "refused where it is not private)."
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the optimal mechanism, and keep its probabilities on the datasets.

    Example: `neodp extend survey --mode stats`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        if mode is Mode.ESTIMATE:
            info = store.ready(graph)
            facts: dict[str, Any] = asdict(estimate(info.datasets, info.edges))
            show(facts, json, lambda: _facts(facts))
            return
        read = store.read(graph, progress=tell)
        mechanism = {Engine.EXACT: neodp.extend}[engine](
            read, method=cast("rainbow.Method | None", method and method.value)
        )
        if mode is Mode.STREAM:
            _stream(mechanism, json)
            return
        written = store.write(graph, mechanism, progress=tell) if mode is Mode.WRITE else 0
    facts = {
        "graph": graph,
        "vertices": len(read),
        "edges": read.edges,
        "boundary": len(boundaries.boundary_vertices(read)),
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
    graph: Graph,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst edges to show.")] = 5,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check the stored probabilities on every edge, exactly. Exit code 1 if one is broken, or the graph has changed.

    Example: `neodp audit survey`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        stored = store.mechanism(graph, progress=tell)
    report = neodp.audit(stored.mechanism.graph, stored.mechanism, worst=worst)

    def text() -> None:
        say(str(report))
        if stored.stale:
            say(f"stale: the graph has changed since the mechanism was written, {stored.info.written}; extend it again")
        for edge in report.worst:
            say(f"  {edge}")

    show(asdict(report) | {"graph": graph, "stale": stored.stale, "written": stored.info.written}, json, text)
    if not report or stored.stale:
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


def _given(graph: DatasetGraph, vertex: int) -> dict[str, Any]:
    row = _numbers(graph.alpha[vertex])
    alpha = None if row[0] is None else dict(zip(graph.colors, row, strict=True))
    given = {"key": graph.key(vertex), "color": graph.colors[graph.color[vertex]], "alpha": alpha}
    return given if graph.preference is None else given | {"preference": _preferred(graph, vertex).split(" > ")}


def _preferred(graph: DatasetGraph, vertex: int) -> str:
    """A dataset's colour; where it orders them, all colours."""
    if len(graph.colors) == 2:
        return graph.colors[graph.color[vertex]]
    return rainbow.order_name(graph, int(graph.order[vertex]))


def _chances(text: str) -> float | list[float]:
    """A number, or numbers joined by semicolons."""
    try:
        values = [float(part) for part in text.split(";")]
    except ValueError:
        raise GraphError(f"--alpha is {text!r}", "give a number, or one per rank joined by ';'") from None
    return values[0] if len(values) == 1 else values


def _numbers(row: Any) -> list[float | None]:
    return [None if np.isnan(x) else float(x) for x in row]

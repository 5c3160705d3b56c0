"""Commands for mechanisms: check, extend, audit."""

from __future__ import annotations

import json as jsonlib
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any, cast

import typer

import neodp
from neodp import Mechanism, rainbow
from neodp.boundary import boundary_vertices
from neodp.cli.common import Graph, Json, Quiet, Session, progress, say, show
from neodp.estimate import estimate

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
    """What computes the mechanism: the engines that exist. Today there is one."""

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


def extend(
    context: typer.Context,
    graph: Graph,
    mode: Annotated[
        Mode, typer.Option(help="stream: show all; stats: sum up; write: keep; estimate: memory only.")
    ] = Mode.WRITE,
    engine: Annotated[
        Engine, typer.Option(help="exact, the only one today: the compiled pass, private to the last bit.")
    ] = Engine.EXACT,
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

"""Commands for single datasets: eval, answer."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from neodp.cli.common import PATIENCE, Session, document, inside, say, show, table
from neodp.cli.options import ConstantWork, Engine, Graph, Json, ServerOrClient, WithSearch
from neodp.core.evaluation import Ball, Evaluation
from neodp.data.formatting import count
from neodp.errors import GraphError

__all__ = ["answer", "evaluate"]


def evaluate(
    context: typer.Context,
    graph: Graph,
    keys: Annotated[list[str], typer.Argument(help="The keys of the datasets.", metavar="KEY")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which dataset's alpha decides, and why the search could stop.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Store the probabilities on these datasets.")] = False,
    engine: WithSearch = Engine.AUTO,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The largest number of datasets that a search may visit.")
    ] = None,
    constant_work: ConstantWork = False,
    json: Json = False,
) -> None:
    """Show the probabilities at single datasets, found by a search around them; `extend` would give the same.

    Example: `neodp eval survey 12 13 --explain`
    """
    if constant_work and engine in (Engine.BALL, Engine.SERVER):
        raise GraphError(f"--constant-work and --engine {engine} cannot be combined", "give one of them")
    session: Session = context.obj
    chosen = Engine.WHOLE if constant_work else engine
    with session.open() as store:
        found = store.evaluate(graph, keys, engine=chosen.of_store, limit=limit, write=write)
    if json:
        for evaluation in found.evaluations:
            line = _dataset(evaluation) | ({"explain": _explained(found, evaluation)} if explain else {})
            say(document(line))
        return
    colors = list(found.evaluations[0].probabilities)
    rows = [(e.key, e.color, e.p_true, *e.probabilities.values()) for e in found.evaluations]
    table(("dataset", "true answer", "chance of the true answer", *(f"chance of {color}" for color in colors)), rows)
    if explain:
        _explain(found)


def answer(
    context: typer.Context,
    graph: Graph,
    key: Annotated[str, typer.Argument(help="The key of the dataset; - reads it from standard input.", metavar="KEY")],
    release: Annotated[
        str, typer.Option(help="The name of the question: each name has one answer, which never changes.")
    ],
    keep_key: Annotated[bool, typer.Option("--keep-key", help="Store the dataset's key with the answer.")] = False,
    constant_work: ConstantWork = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole graph again, to notice changes made by others.")
    ] = False,
    engine: ServerOrClient = Engine.CLIENT,
    json: Json = False,
) -> None:
    """Answer for a dataset: draw the answer once, store it, and repeat it whenever the same name is asked again.

    Example: `neodp answer survey 12 --release spring`
    """
    session: Session = context.obj
    asked = sys.stdin.readline().rstrip("\n") if key == "-" else key
    with session.open(patience=PATIENCE) as store:
        how = {"keep_key": keep_key, "constant_work": constant_work, "verify": verify}
        kept = store.answer(graph, asked, release, engine=engine.of_store, **how)
    show({"graph": graph, "release": release, "answer": kept.answer}, json, lambda: say(kept.answer))


def _dataset(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "key": evaluation.key,
        "color": evaluation.color,
        "probabilities": dict(evaluation.probabilities),
        "p_true": evaluation.p_true,
    }


def _explained(found: Ball, evaluation: Evaluation) -> dict[str, Any]:
    return {
        "decider": evaluation.decider,
        "path": evaluation.path,
        "epsilons": evaluation.epsilons,
        "deltas": evaluation.deltas,
        "seen": found.seen,
        "expanded": found.expanded,
        "layers": found.layers,
        "reach": found.reach,
        "queries": found.queries,
        "rounded": found.rounded,
        "proof": found.proof,
        "engine": found.engine,
    }


def _explain(found: Ball) -> None:
    for e in found.evaluations:
        if not e.path:
            say(f"{e.key}: always the true answer, since no path leads to a dataset with alpha")
            continue
        if len(e.path) == 1:
            say(f"{e.key} is decided by its own alpha")
            continue
        steps = "".join(
            f" –({epsilon:g}{f', {delta:g}' if delta else ''})– {key}"
            for epsilon, delta, key in zip(e.epsilons, e.deltas, e.path[1:], strict=True)
        )
        say(f"{e.key} is decided by the alpha of {e.decider}, epsilon {sum(e.epsilons):g} away: {e.path[0]}{steps}")
    if not found.layers:
        say(f"How it was found: {found.proof}{inside(found.engine)}.")
        return
    say(
        f"The search visited {count(found.seen, 'dataset')}, up to {count(found.reach, 'edge')} away, in "
        f"{count(found.queries, 'query', 'queries')}{inside(found.engine)}."
    )
    if found.rounded:
        say(f"Alpha was lowered at {count(found.rounded, 'dataset')}, where it was off by a rounding error.")
    say(f"Why it could stop: {found.proof}.")

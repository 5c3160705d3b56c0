"""Commands that compare mechanisms, and that change the graph hypothetically: compare, what-if."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from neodp import study
from neodp.cli.common import Session, progress, say, show, table
from neodp.cli.options import Force, Graph, Json, Quiet
from neodp.data.family import family
from neodp.data.files import require_new
from neodp.data.formatting import number
from neodp.data.graph import DatasetGraph
from neodp.data.tables import is_table
from neodp.errors import GraphError
from neodp.store import Store
from neodp.study import Accuracy, Comparison
from neodp.study.levels import MOST_CHANCES
from neodp.study.tables import read_weights, weights

__all__ = ["compare", "prior_of", "raised", "raised_table", "what_if"]

EITHER = "A graph with a stored mechanism, or a table of key,p_true (.csv, .xlsx, .parquet, …)."


def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help=EITHER, metavar="A")],
    second: Annotated[str, typer.Argument(help=EITHER, metavar="B")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw both mechanisms, to a .svg, .png or .pdf file.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare two mechanisms dataset by dataset, and show whether one is at least as accurate everywhere.

    Example: `neodp compare before after -o picture.svg`
    """
    if output is not None and not force:
        require_new(output)
    result = study.compare(*_accuracies(context.obj, (first, second), quiet))
    if output is not None:
        from neodp.plot import plot_comparison

        plot_comparison(result, output)
    facts = asdict(result) | {"file": None if output is None else str(output)}
    for arrays in ("first", "second"):
        del facts[arrays]
    show(facts, json, lambda: _compared(result, output))


def what_if(
    context: typer.Context,
    graph: Graph,
    by: Annotated[float, typer.Option(help="How much to raise the epsilon by, as in 0.5.", metavar="EPSILON")],
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show how accurate answers would be if a single epsilon of the graph were raised, for each epsilon.

    The accuracy is that of the balanced mechanism or, with more than two colours, of the best one on average; a stored
    mechanism is neither used nor changed.

    Example: `neodp what-if survey --by 0.5`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.read(graph, progress=tell)
    rows = raised(read, by)
    show({"graph": graph, "by": by, "what_if": rows}, json, lambda: raised_table(rows, read))


def raised(graph: DatasetGraph, by: float) -> list[dict[str, Any]]:
    """Return the accuracy with each epsilon raised alone, one row each; the first row is the graph as it is."""
    return [asdict(row) for row in study.what_if(graph, by)]


def raised_table(rows: list[dict[str, Any]], graph: DatasetGraph) -> None:
    """Show the same rows as a table for people."""
    by = "with the balanced alpha" if family(graph).binary else "by the best mechanism on average"
    if not family(graph).binary and len(graph) * len(graph.colors) > MOST_CHANCES:
        by = "by distances, since the graph is large"
    say(f"The accuracy of answers if everybody of one epsilon asked for a higher one, {by}:")
    columns = ("people of epsilon", "raised to", "edges", "datasets answered better", "mean accuracy", "least accuracy")
    first, *others = (tuple(row.values()) for row in rows)
    table(columns, [("as it is", *first[1:]), *((number(row[0]), *row[1:]) for row in others)])
    say("Accuracy is the chance of the true answer, over all datasets.")


def prior_of(store: Store, name: str, prior: str) -> str | dict[str, float]:
    """Return the name of a prior, or weights from a table or from a property of the stored datasets."""
    if prior in ("uniform", "distance"):
        return prior
    if is_table(prior):
        return read_weights(prior)
    found = store.column(name, prior)
    if not len(found["key"]):
        raise GraphError(
            f"no dataset of graph {name!r} has a property {prior!r}",
            "give uniform, distance, a property of the datasets, or a table of key,weight (.csv, .xlsx, .parquet, …)",
        )
    return weights(found["key"], found["value"], f"graph {name!r}")


def _accuracies(session: Session, names: tuple[str, str], quiet: bool) -> list[Accuracy]:
    """Return the accuracy of two mechanisms; open no store if both are tables."""
    if all(map(is_table, names)):
        return [study.read_accuracy(name) for name in names]
    with session.open() as store, progress(quiet) as tell:
        return [
            study.read_accuracy(name)
            if is_table(name)
            else Accuracy.of(store.mechanism(name, progress=tell).mechanism, name)
            for name in names
        ]


def _compared(result: Comparison, output: Path | None) -> None:
    say(str(result))
    columns = ("mechanism", "datasets answered better", "mean accuracy", "least accuracy")
    better = (result.first_better, result.second_better)
    table(columns, [(result.names[i], better[i], result.mean[i], result.worst[i]) for i in range(2)])
    say("Accuracy is the chance of the true answer, over all datasets.")
    gains = [*result.first_gains, *result.second_gains]
    if gains:
        say("The chance of the true answer where they differ most:")
        table(("dataset", *result.names), [(d.key, d.first, d.second) for d in gains])
    if output is not None:
        say(f"drew {output}")

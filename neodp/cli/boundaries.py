"""The command for the boundary between colours, ``boundary``: it shows the boundary, and chooses and stores alpha."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import numpy as np
import typer

import neodp
from neodp import study
from neodp.cli import studies
from neodp.cli.common import Session, progress, say, show, table
from neodp.cli.options import Force, Json, Quiet
from neodp.cli.studies import prior_of
from neodp.core import boundary as boundaries
from neodp.core import rainbow
from neodp.data.family import family
from neodp.data.formatting import count
from neodp.data.graph import DatasetGraph
from neodp.data.tables import number
from neodp.errors import GraphError
from neodp.store import Store

__all__ = ["boundary"]


def boundary(
    context: typer.Context,
    graph: Annotated[str | None, typer.Argument(help="The name of the graph.", metavar="GRAPH")] = None,
    balanced: Annotated[
        bool,
        typer.Option("--balanced", help="Give both ends of a boundary edge the same chance of the true answer."),
    ] = False,
    alpha: Annotated[
        str | None,
        typer.Option(
            help="The chance of the true answer at the first colour's boundary; the other colour gets the best that "
            "fits. "
            "With more than two colours: the chance of the best one, while the others share the rest; or one chance "
            "per rank, as in '0.5;0.3;0.2'."
        ),
    ] = None,
    optimize: Annotated[
        bool,
        typer.Option(
            "--optimize",
            "--optimise",
            help="Choose the alpha with the greatest expected accuracy under a prior over the datasets.",
        ),
    ] = False,
    prior: Annotated[
        str,
        typer.Option(
            help="With --optimize: uniform, distance (every distance from the boundary is equally likely), a "
            "property of the "
            "datasets, or a table of key,weight (.csv, .xlsx, .parquet, …)."
        ),
    ] = "uniform",
    fair: Annotated[
        bool,
        typer.Option(
            "--fair", help="With --optimize: choose only among those with the greatest possible worst accuracy."
        ),
    ] = False,
    compare: Annotated[
        tuple[str, str] | None, typer.Option(help="The same as `neodp compare A B`.", metavar="A B")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="With --compare: draw both mechanisms, to a .svg, .png or .pdf file."),
    ] = None,
    force: Force = False,
    what_if: Annotated[
        float | None,
        typer.Option(help="Also show the output of `neodp what-if GRAPH --by EPSILON`.", metavar="EPSILON"),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Store the chosen alpha.")] = False,
    limit: Annotated[int, typer.Option(help="The number of datasets to show; --json shows all.")] = 20,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the boundary between the answers, and choose alpha, the chance of each answer there.

    Example: `neodp boundary survey --balanced --write`

    Example: `neodp boundary survey --optimize --prior distance`
    """
    if compare is not None:
        studies.compare(context, *compare, output=output, force=force, quiet=quiet, json=json)
        return
    if graph is None:
        raise GraphError("which graph?", "as in 'neodp boundary GRAPH'; 'neodp list' lists them")
    _one_choice(balanced, alpha, optimize, prior, fair, write)
    session: Session = context.obj
    found: dict[str, Any] = {}
    with session.open() as store, progress(quiet) as tell:
        read: DatasetGraph = store.read(graph, progress=tell)
        if balanced:
            read = read.with_alpha(neodp.balanced(read))
        elif alpha is not None:
            read = read.with_alpha(neodp.homogeneous(read, _chances(alpha)))
        elif optimize:
            read, found = _optimized(store, read, prior, fair)
        if what_if is not None:
            found["what_if"] = studies.raised(read, what_if)
        replaced = write and store.ready(graph).mechanism is not None
        written = store.write_alpha(graph, read, progress=tell) if write else 0
    facts = {"graph": graph} | _facts(read) | {"written": written, "replaced": replaced}
    free = alpha is not None and not family(read).binary  # then any numbers may be given, and not all fit
    next_one = "check" if free else "extend"
    datasets = [_given(read, int(v)) for v in boundaries.boundary_vertices(read)] if json else []
    chosen = balanced or optimize or alpha is not None
    show(facts | found | {"datasets": datasets}, json, lambda: _text(read, facts, found, limit, chosen, next_one))


def _one_choice(balanced: bool, alpha: str | None, optimize: bool, prior: str, fair: bool, write: bool) -> None:
    """Reject options that do not go together."""
    chosen = {"--balanced": balanced, "--alpha": alpha is not None, "--optimize": optimize}
    given = [option for option, is_given in chosen.items() if is_given]
    if len(given) > 1:
        raise GraphError(f"{given[0]} and {given[1]} cannot be combined", "give one of them")
    if (fair or prior != "uniform") and not optimize:
        raise GraphError(f"{'--fair' if fair else '--prior'} only works with --optimize", "give --optimize as well")
    if write and not given:
        raise GraphError("there is no alpha to write", "choose one with --balanced, --alpha or --optimize")


def _chances(text: str) -> float | list[float]:
    """Return a number, or numbers joined by semicolons."""
    try:
        values = [number(part) for part in text.split(";")]
    except ValueError:
        raise GraphError(f"--alpha is {text!r}", "give a number, or one per rank joined by ';'") from None
    return values[0] if len(values) == 1 else values


def _optimized(store: Store, graph: DatasetGraph, prior: str, fair: bool) -> tuple[DatasetGraph, dict[str, Any]]:
    """Return a graph with the best alpha for a prior, and a comparison with other choices."""
    best, *others = study.choices(graph, study.prior(graph, prior_of(store, graph.name, prior)), fair=fair)
    rows = [{"choice": c.name, "expected": c.expected, "worst": c.worst} for c in (best, *others)]
    facts = {"bound": best.bound, "classes": best.classes, "rows": best.rows, "rounds": best.rounds}
    return graph.with_alpha(best.alpha), {"prior": prior, "fair": fair, "choices": rows} | facts


def _facts(graph: DatasetGraph) -> dict[str, Any]:
    """Return how large the boundary is, and whether the given alpha hits it."""
    ends, two = boundaries.boundary_vertices(graph), family(graph).binary
    return {
        "boundary": len(ends),
        "boundary_edges": len(boundaries.boundary_edges(graph)),
        "orders": len(np.unique(graph.order[ends])),
        "minimum_hitting_set": len(boundaries.minimum_hitting_set(graph)) if two else None,
        "given": int(graph.given.sum()),
        "hit": boundaries.is_hitting_set(graph, graph.given) if two else rainbow.unhit_edge(graph) is None,
    }


def _text(
    graph: DatasetGraph, facts: dict[str, Any], found: dict[str, Any], limit: int, chosen: bool, next_one: str
) -> None:
    _in_words(facts, chosen, next_one)
    if "choices" in found:
        table(("choice of alpha", "expected accuracy", "least accuracy"), [tuple(r.values()) for r in found["choices"]])
        say("Accuracy is the chance of the true answer; expected if the prior is true, least over all datasets.")
    if "what_if" in found:
        studies.raised_table(found["what_if"], graph)
    ends = boundaries.boundary_vertices(graph)
    truth = "true answer" if family(graph).binary else "order of the answers"
    rows = [(graph.key(v), _preferred(graph, int(v)), *_numbers(graph.alpha[v])) for v in ends[:limit]]
    table(("dataset", truth, *(f"alpha: chance of {color}" for color in graph.colors)), rows)
    if len(ends) > limit:
        say(f"… and {count(len(ends) - limit, 'more dataset')}: --limit shows more")


def _in_words(facts: dict[str, Any], chosen: bool, next_one: str) -> None:
    """Tell how large the boundary is, which alpha it has, and what to do next."""
    name, size, given = quote(facts["graph"]), facts["boundary"], facts["given"]
    say(
        f"{facts['graph']!r} has {count(size, 'dataset')} on the boundary: one person's data decides there, on "
        f"{count(facts['boundary_edges'], 'edge')} to a dataset with another answer."
    )
    if facts["minimum_hitting_set"] is not None:
        say(f"Alpha at {facts['minimum_hitting_set']:,} of these datasets can be enough.")
    else:
        say(f"Their answers are ranked in {count(facts['orders'], 'order')}; alpha is needed at one dataset of each.")
    if not given:
        say(f"None of them has alpha yet: neodp boundary {name} --balanced --write")
    elif not facts["hit"]:
        say(f"{given:,} have alpha, but others need it too: neodp query missing_alpha {name}")
    elif facts["written"]:
        gone = ", and removed the mechanism that was made before" if facts["replaced"] else ""
        say(f"Stored alpha at {count(facts['written'], 'dataset')}{gone}; next: neodp {next_one} {name}")
    elif chosen:
        say(f"This alpha, at {count(given, 'dataset')}, is not stored: add --write to store it.")
    else:
        say(f"{count(given, 'dataset has', 'datasets have')} alpha, which is enough; next: neodp extend {name}")


def _given(graph: DatasetGraph, vertex: int) -> dict[str, Any]:
    row = _numbers(graph.alpha[vertex])
    alpha = None if row[0] is None else dict(zip(graph.colors, row, strict=True))
    given = {"key": graph.key(vertex), "color": graph.colors[graph.color[vertex]], "alpha": alpha}
    return given if graph.preference is None else given | {"preference": _preferred(graph, vertex).split(" > ")}


def _preferred(graph: DatasetGraph, vertex: int) -> str:
    """Return a dataset's colour or, if the dataset orders the colours, all of them in that order."""
    if family(graph).binary:
        return str(graph.colors[graph.color[vertex]])
    return rainbow.order_name(graph, int(graph.order[vertex]))


def _numbers(row: Any) -> list[float | None]:
    return [None if np.isnan(x) else float(x) for x in row]

"""What ``neodp boundary`` does beyond showing the boundary: the best alpha for a prior, and two mechanisms compared."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import typer

from neodp import DatasetGraph
from neodp.cli.common import Session, progress, say, show, table
from neodp.errors import GraphError
from neodp.graph import Floats, read_columns
from neodp.store import Store
from neodp.store.base import Progress
from neodp.study import optimum as best
from neodp.study.comparison import Accuracy, compare
from neodp.study.levels import what_if

__all__ = ["compared", "optimized", "raised", "tables"]


def optimized(store: Store, graph: DatasetGraph, prior: str, fair: bool) -> tuple[DatasetGraph, dict[str, Any]]:
    """A graph with the best alpha for a prior, and how that compares with other choices."""
    if prior in ("uniform", "distance"):
        weights = best.prior(graph, prior)
    else:
        weights = best.prior(graph, _weights(store, graph.name, prior))
    found = best.choices(graph, weights, fair=fair)
    rows = [{"choice": c.name, "expected": c.expected, "worst": c.worst} for c in found]
    facts = {"bound": found[0].bound, "classes": found[0].classes, "rows": found[0].rows, "rounds": found[0].rounds}
    return graph.with_alpha(found[0].alpha), {"prior": prior, "fair": fair, "choices": rows} | facts


def raised(graph: DatasetGraph, by: float) -> list[dict[str, Any]]:
    """What a higher epsilon of each level would bring."""
    return [asdict(row) for row in what_if(graph, by)]


def tables(facts: dict[str, Any]) -> None:
    """How the ways to choose alpha compare, and what higher epsilons would bring, where that was asked for."""
    if "choices" in facts:
        table(("choice", "expected accuracy", "worst accuracy"), [tuple(row.values()) for row in facts["choices"]])
    if "what_if" in facts:
        say("If the edges of one epsilon had a higher one, with the balanced alpha:")
        columns = ("epsilon", "raised to", "edges", "datasets better off", "mean accuracy", "worst accuracy")
        table(columns, [tuple(row.values()) for row in facts["what_if"]])


def compared(context: typer.Context, pair: tuple[str, str], output: Path | None, quiet: bool, json: bool) -> None:
    """Two mechanisms, dataset by dataset."""
    session: Session = context.obj
    files = [Path(name).suffix.lower() in (".csv", ".parquet") for name in pair]
    if all(files):
        one, two = (_read(Path(name)) for name in pair)
    else:
        with session.open() as store, progress(quiet) as tell:
            one, two = (
                _read(Path(name)) if file else _stored(store, name, tell)
                for name, file in zip(pair, files, strict=True)
            )
    result = compare(one, two)
    if output is not None:
        from neodp.plot import plot_comparison

        plot_comparison(result, output)

    def text() -> None:
        say(str(result))
        columns = ("mechanism", "better on", "mean accuracy", "worst accuracy")
        better = (result.first_better, result.second_better)
        table(columns, [(result.names[i], f"{better[i]:,}", result.mean[i], result.worst[i]) for i in range(2)])
        gains = [*result.first_gains, *result.second_gains]
        if gains:
            say("where they differ most:")
            table(("key", *result.names), [(d.key, d.first, d.second) for d in gains])
        if output is not None:
            say(f"drew {output}")

    facts = asdict(result) | {"file": None if output is None else str(output)}
    for name in ("first", "second"):
        del facts[name]
    show(facts, json, text)


def _stored(store: Store, name: str, tell: Progress) -> Accuracy:
    return Accuracy.of(store.mechanism(name, progress=tell).mechanism, name)


def _read(path: Path) -> Accuracy:
    """The accuracy of a mechanism from a table of keys and chances of the true answer."""
    columns = read_columns(path, ("key", "p_true"))
    true = _numbers(path, "p_true", columns["p_true"])
    wrong = np.flatnonzero(~((true >= 0.0) & (true <= 1.0)))
    if len(wrong):
        key = columns["key"][int(wrong[0])].as_py()
        raise GraphError(f"{path}: p_true of {key!r} is {true[wrong[0]]}", "give a probability from 0 to 1")
    return Accuracy(str(path), columns["key"], true, 1.0 - true)


def _weights(store: Store, name: str, prior: str) -> dict[str, float]:
    """Weights from a table of keys and weights, or from a property of the stored datasets."""
    path = Path(prior)
    if path.suffix.lower() in (".csv", ".parquet"):
        columns = read_columns(path, ("key", "weight"))
        keys, values, place = columns["key"], columns["weight"], str(path)
    else:
        found = store.column(name, prior)
        keys, values, place = found["key"], found["value"], f"graph {name!r}"
        if not len(keys):
            raise GraphError(
                f"no dataset of {place} has a property {prior!r}",
                "give uniform, distance, a property of the datasets, or a table of key,weight (.csv, .parquet)",
            )
    return dict(zip(keys.to_pylist(), _numbers(place, "the weight", values).tolist(), strict=True))


def _numbers(place: Path | str, name: str, column: Any) -> Floats:
    """A column as numbers."""
    values = column.to_pylist()
    try:
        return np.array([float(x) for x in values])
    except (TypeError, ValueError):
        wrong = next(x for x in values if not _is_number(x))
        raise GraphError(f"{place}: {name} is {wrong!r}", "give numbers") from None


def _is_number(x: Any) -> bool:
    try:
        float(x)
    except (TypeError, ValueError):
        return False
    return True

"""Commands for graphs: init, load, generate, list, show, drop, export."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar

import typer

import neodp
from neodp import blocks
from neodp.cli.common import METHODS, Session, accuracy, confirm, facts, optimality, progress, say, table
from neodp.cli.common import show as present
from neodp.cli.options import (
    Colors,
    Delimiter,
    Encoding,
    ExtraColumns,
    Force,
    FromLabels,
    Graph,
    HeaderRow,
    Json,
    Names,
    Population,
    Quiet,
    Replace,
    Sheet,
    Yes,
    reading,
)
from neodp.cli.roles import StoreRole
from neodp.data.files import make_folder, require_new
from neodp.data.formatting import count, moment
from neodp.data.generate import FAMILIES
from neodp.data.generate.lattices import LATTICES
from neodp.data.graph import DatasetGraph
from neodp.data.tables import number, whole
from neodp.errors import GraphError, near
from neodp.store import GraphInfo
from neodp.store.labels import Labels, read_labels

__all__ = ["drop", "export", "generate", "init", "list_graphs", "load", "show"]

T = TypeVar("T")
FORMULA = r"^[=@\t\r]|^[+-].*[^0-9.eE+-]"
"""The beginning of a text that spreadsheets take for a formula; a number with a sign is not a formula."""


def init(
    context: typer.Context,
    analyst: Annotated[
        bool | None,
        typer.Option(
            "--analyst/--steward",
            help="Mark the store: commands show private answers only, unless NEODP_ROLE=steward; or unmark it.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Create the constraints and indexes that are missing. Running it again does no harm.

    Example: `neodp init --store neo4j://localhost`

    Example: `neodp init --analyst`
    """
    session: Session = context.obj
    with session.open(create=True) as store:
        created = store.init()
        if analyst is not None:
            store.set_role(StoreRole.ANALYST if analyst else StoreRole.STEWARD)
        role = store.role
        text = f"created {', '.join(created)}" if created else "everything already exists"
        if role == StoreRole.ANALYST:
            text += "; commands on it show private answers only, unless NEODP_ROLE=steward"
        present({"store": store.address, "created": created, "role": role}, json, lambda: say(text))


def load(
    context: typer.Context,
    graph: Graph,
    nodes: Annotated[
        Path | None,
        typer.Argument(
            help="A table with the columns key,color and optionally alpha,preference; - is stdin. Or a folder of "
            "blocks.",
            metavar="NODES",
        ),
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Argument(
            help="A table with the columns source,target and optionally epsilon,delta; - is stdin. Not with a folder.",
            metavar="EDGES",
        ),
    ] = None,
    colors: Colors = None,
    epsilon: Annotated[float | None, typer.Option(help="The epsilon of edges without one.")] = None,
    delta: Annotated[float, typer.Option(help="The delta of edges without one.")] = 0.0,
    replace: Replace = False,
    population: Population = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    extra_columns: ExtraColumns = None,
    from_labels: FromLabels = None,
    names: Names = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Load a graph from two tables (.csv, .tsv, .xlsx, .ods, .parquet or .arrow, also with .gz), all or nothing.

    A folder of blocks is loaded together with the mechanism that `extend --engine blocks` wrote there, if any.

    Example: `neodp load survey nodes.csv edges.csv --colors yes,no --epsilon 0.5`

    Example: `neodp load survey DIR`

    Example: `neodp load survey --from-labels Answer,NEAR --names key=id,color=vote`
    """
    if from_labels is not None or names is not None:
        if from_labels is None or nodes is not None:
            raise GraphError(
                "--names is for a graph by its labels, and not for tables", "give --from-labels LABEL,TYPE"
            )
        labels = Labels.parse(from_labels, names)
        with context.obj.open() as store:
            found = read_labels(store, labels, colors=_split(colors), epsilon=epsilon, delta=delta, name=graph)
        _keep(context, graph, found, replace, population, quiet, json)
        return
    if nodes is None:
        raise GraphError("which graph?", "give NODES and EDGES, a folder of blocks, or --from-labels LABEL,TYPE")
    if os.path.isdir(nodes):
        if edges is not None or colors is not None or epsilon is not None:
            raise GraphError(
                f"{nodes} is a folder of blocks, which already has colours, epsilons and edges",
                "give nothing but the folder",
            )
        folder = blocks.open_folder(nodes)
        _keep(context, graph, blocks.read_graph(folder), replace, population, quiet, json, folder)
        return
    if edges is None:
        raise GraphError("the table of edges is missing", "give NODES and EDGES, or a folder of blocks")
    loaded = DatasetGraph.from_tables(
        nodes,
        edges,
        colors=_split(colors),
        epsilon=epsilon,
        delta=delta,
        name=graph,
        options=reading(encoding, delimiter, sheet, extra_columns, header_row),
    )
    _keep(context, graph, loaded, replace, population, quiet, json)


def generate(
    context: typer.Context,
    family: Annotated[str, typer.Argument(help=f"One of {', '.join(FAMILIES)}.", metavar="FAMILY")],
    graph: Graph,
    sizes: Annotated[
        list[int] | None,
        typer.Argument(help="The size: people, groups or sides, depending on the family.", metavar="SIZE"),
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="One number, or one per voter, group or axis: 0.1,0.5,1.")] = None,
    delta: Annotated[
        str | None, typer.Option(help="Like epsilon: one number, or one per voter, group or axis.")
    ] = None,
    colors: Colors = None,
    rule: Annotated[
        str | None, typer.Option(help="votes, counts: majority, threshold:2/3 or a number; votes, hamming: plurality.")
    ] = None,
    choices: Annotated[int | None, typer.Option("--options", help="votes, plurality: the number of options.")] = None,
    threshold: Annotated[
        int | None, typer.Option(help="grid, hypercube, hamming: the smallest sum that has the first colour.")
    ] = None,
    split: Annotated[int | None, typer.Option(help="path: the number of datasets with the first colour.")] = None,
    deciding: Annotated[float | None, typer.Option(help="three_voters: the epsilon where voter 1 decides.")] = None,
    degree: Annotated[float | None, typer.Option(help="random_geometric: the mean degree.")] = None,
    edges: Annotated[int | None, typer.Option(help="random_graph: the number of edges.")] = None,
    seed: Annotated[int | None, typer.Option(help="random_…: the same seed gives the same graph.")] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Also choose the balanced alpha for the boundary.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            help="Write a folder of blocks for extend --engine blocks instead; grid and counts can have any size.",
            metavar="DIR",
        ),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--blocks", min=1, help="With --to: the least number of blocks.", metavar="N")
    ] = None,
    replace: Replace = False,
    population: Population = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a graph of a family: path, grid, hypercube, hamming, votes, three_voters, counts, plurality and others.

    Example: `neodp generate counts survey 20 30 10 --epsilon 0.1,0.5,1 --balanced`
    """
    family = family.replace("-", "_")
    if family not in FAMILIES:
        raise GraphError(f"there is no family {family!r}", near(family, FAMILIES) or f"there are {', '.join(FAMILIES)}")
    given: dict[str, Any] = {
        "epsilon": _numbers("epsilon", epsilon),
        "delta": _numbers("delta", delta),
        "colors": _split(colors),
        "rule": _rule(rule),
        "options": choices,
        "threshold": threshold,
        "split": split,
        "deciding": deciding,
        "degree": degree,
        "edges": edges,
        "seed": seed,
    }
    options = {k: v for k, v in given.items() if v is not None} | {"name": graph}
    if to is not None:
        _make_blocks(family, sizes or [], options, to, count, balanced, quiet, json)
        return
    if count is not None:
        raise GraphError("--blocks is for a folder", "give it with --to DIR")
    made = _make(FAMILIES[family], family, sizes or [], options)
    made = made.with_alpha(neodp.balanced(made)) if balanced else made
    _keep(context, graph, made, replace, population, quiet, json)


def list_graphs(context: typer.Context, json: Json = False) -> None:
    """List the graphs of the store.

    Example: `neodp list`
    """
    session: Session = context.obj
    with session.open() as store:
        graphs = store.graphs()

        def text() -> None:
            if not graphs:
                say(f"{store.address} has no graphs yet; make one with 'neodp generate' or 'neodp load'")
                return
            columns = ("graph", "datasets", "edges", "answers", "state", "mechanism")
            table(columns, [_row(info) for info in graphs])

        present({"graphs": [_as_json(info) for info in graphs]}, json, text)


def show(context: typer.Context, graph: Graph, json: Json = False) -> None:
    """Show what is known about a graph.

    Example: `neodp show survey`
    """
    session: Session = context.obj
    with session.open() as store:
        info = store.info(graph)
        present(_as_json(info), json, lambda: facts(_in_words(info)))


def drop(
    context: typer.Context,
    graph: Graph,
    yes: Yes = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Delete a graph and its mechanism, after asking. Answers about it stay in the ledger.

    Example: `neodp drop survey --yes`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        info = store.info(graph)
        kept = sum(release.graph == graph for release in store.ledger(info.population).releases)
        if not yes:
            confirm(f"Delete graph {graph!r} with {count(info.datasets, 'dataset')}?")
        dropped = store.drop(graph, progress=tell)
        text = f"dropped {graph!r}: {count(dropped, 'dataset')}"
        text += (
            f"; {count(kept, 'answer given about it stays', 'answers given about it stay')} known ('neodp releases')"
            if kept
            else ""
        )
        present({"graph": graph, "dropped": dropped}, json, lambda: say(text))


def export(
    context: typer.Context,
    graph: Graph,
    folder: Annotated[
        Path, typer.Argument(help="Where to write nodes.csv and edges.csv, or the blocks.", metavar="DIR")
    ],
    count: Annotated[
        int | None,
        typer.Option("--blocks", min=1, help="Write a folder of this many blocks instead of CSV files.", metavar="N"),
    ] = None,
    formulas: Annotated[
        bool,
        typer.Option("--formulas", help="Also write keys that a spreadsheet would run as a formula, such as '=1+1'."),
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a graph as two CSV files, which `load` can read, or as a folder of blocks.

    Example: `neodp export survey backup/`

    Example: `neodp export survey DIR --blocks 16`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.read(graph, progress=tell)
    if count is not None:
        _wrote(_write_blocks(read, folder, count), json)
        return
    nodes, edges = folder / "nodes.csv", folder / "edges.csv"
    if not force:
        require_new(nodes, edges)
    if not formulas:
        _require_no_formulas(read)
    make_folder(folder)
    read.to_csv(nodes, edges)
    result = {"graph": graph, "nodes": str(nodes), "edges": str(edges), "colors": list(read.colors)}
    again = f"neodp load NAME {quote(str(nodes))} {quote(str(edges))} --colors {quote(','.join(read.colors))}"
    present(result, json, lambda: say(f"wrote {nodes} and {edges}; to load them: {again}"))


def _make_blocks(
    family: str,
    sizes: list[int],
    options: dict[str, Any],
    to: Path,
    count: int | None,
    balanced: bool,
    quiet: bool,
    json: bool,
) -> None:
    """Write a graph of a family as a folder of blocks; grid and counts block by block, the others from memory."""
    with progress(quiet) as tell:
        if family in LATTICES:
            lattice = _make(LATTICES[family], family, sizes, options)
            folder = blocks.write_lattice(lattice, to, count or _default_blocks(lattice.datasets), progress=tell)
        else:
            folder = _write_blocks(_make(FAMILIES[family], family, sizes, options), to, count)
        if balanced:
            blocks.balanced(to, workers=os.cpu_count() or 1, progress=tell)
    _wrote(folder, json)


def _write_blocks(graph: DatasetGraph, to: Path, count: int | None) -> blocks.Folder:
    partition = blocks.by_growth(graph, count or _default_blocks(len(graph)))
    return blocks.write_graph(graph, partition, to, "grown")


def _wrote(folder: blocks.Folder, json: bool) -> None:
    result = {"graph": folder.name, "folder": str(folder.path), "blocks": folder.blocks}
    result |= {"datasets": folder.datasets, "edges": folder.edges}
    text = f"wrote {folder.path}: {_size(folder)} in {count(folder.blocks, 'block')}"
    present(result, json, lambda: say(f"{text}; next: neodp extend {folder.path} --engine blocks"))


def _default_blocks(datasets: int) -> int:
    """Return the number of blocks of 250,000 datasets, each of which takes some hundred megabytes in memory."""
    return -(-datasets // 2**18)


def _keep(
    context: typer.Context,
    name: str,
    graph: DatasetGraph,
    replace: bool,
    population: str | None,
    quiet: bool,
    json: bool,
    folder: blocks.Folder | None = None,
) -> None:
    """Store a graph; one from a folder of blocks together with its mechanism."""
    session: Session = context.obj
    with session.open(create=True) as store, progress(quiet) as tell:
        info = store.load(name, graph, replace=replace, population=population, progress=tell)
        result = {"graph": name, "datasets": info.datasets, "edges": info.edges, "store": store.address}
        text = f"loaded {name!r}: {_size(info)}"
        if folder is not None and folder.summary is not None and not blocks.is_stale(folder.path):
            result["written"] = store.write(name, blocks.read_mechanism(folder, graph), progress=tell)
            text += ", with its mechanism"
        elif graph.given.any():
            text += f"; next: neodp extend {quote(name)}"
        else:
            text += f"; next: neodp boundary {quote(name)} --balanced --write"
        present(result, json, lambda: say(text))


def _size(graph: GraphInfo | blocks.Folder) -> str:
    return f"{count(graph.datasets, 'dataset')}, {count(graph.edges, 'edge')}"


def _require_no_formulas(graph: DatasetGraph) -> None:
    """Refuse to write text that a spreadsheet would run as a formula."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for what, texts in (("key", graph.keys), ("colour", pa.array(graph.colors, pa.string()))):
        found = texts.filter(pc.match_substring_regex(texts, FORMULA))
        if len(found):
            raise GraphError(
                f"the {what} {found[0].as_py()!r} of graph {graph.name!r} would be run as a formula by a spreadsheet",
                "use --formulas to write it anyway, and do not open the files in a spreadsheet",
            )


def _make(function: Callable[..., T], family: str, sizes: list[int], options: dict[str, Any]) -> T:
    """Call a generator with the arguments of the command line, or say which of them do not fit."""
    parameters = inspect.signature(function).parameters
    wrong = [name for name in options if name not in parameters]
    if wrong:
        takes = ", ".join(f"--{n}" for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY and n != "name")
        raise GraphError(f"{family} has no --{wrong[0]}", f"it has {takes}")
    places = [
        p for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY, p.VAR_POSITIONAL)
    ]
    if family == "counts":
        return function(sizes, **options)
    many = any(p.kind is p.VAR_POSITIONAL for p in places)
    if not many and len(sizes) != len(places):
        needs = ", ".join(p.name for p in places) or "no sizes"
        raise GraphError(f"{family} was given {len(sizes)} sizes", f"it takes {needs}")
    required = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    missing = [name for name in required if name not in options]
    if missing:
        raise GraphError(f"{family} needs --{missing[0]}", "add it")
    return function(*sizes, **options)


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _numbers(name: str, text: str | None) -> float | list[float] | None:
    if text is None:
        return None
    try:
        values = [number(part) for part in text.split(",")]
    except ValueError:
        raise GraphError(f"--{name} is {text!r}", "give a number, or numbers joined by commas") from None
    return values[0] if len(values) == 1 else values


def _rule(text: str | None) -> str | int | None:
    """Read a rule: a number of people, or a name."""
    try:
        return None if text is None else whole(text)
    except ValueError:
        return text


def _row(info: GraphInfo) -> tuple[Any, ...]:
    written = "none yet" if info.mechanism is None else f"written {moment(info.mechanism.written)}"
    mechanism = f"{written}, before the graph changed" if info.stale else written
    return info.name, info.datasets, info.edges, ", ".join(info.colors), info.state, mechanism


def _in_words(info: GraphInfo) -> list[tuple[str, str]]:
    """Return what is known about a graph, in words for people."""
    rows = [
        ("graph", info.name),
        ("answers", ", ".join(info.colors)),
        ("size", _size(info)),
        ("about", f"population {info.population!r}, whose budget 'neodp budget {quote(info.population)}' shows"),
        ("state", f"{info.state}, created {moment(info.created)}" if info.created else info.state),
    ]
    if info.mechanism is None:
        return [*rows, ("mechanism", f"none yet: neodp extend {quote(info.name)}")]
    found = info.mechanism
    rows.append(
        ("mechanism", f"{METHODS.get(found.method or '', 'of unknown method')}, written {moment(found.written)}")
    )
    if info.stale:
        rows.append(("", f"the graph has changed since then: neodp extend {quote(info.name)}"))
    rows.append(("accuracy", accuracy(found.min_p_true, found.mean_p_true)))
    if found.optimality is not None:
        rows.append(("optimality", optimality(found.optimality)))
    rows.append(("privacy", "(epsilon, delta) of every edge" if found.privacy == "epsilon-delta" else found.privacy))
    checked = "checked as a whole" if info.certificate is not None else "the first answer checks the graph as a whole"
    return [*rows, ("answering", checked)]


def _as_json(info: GraphInfo) -> dict[str, Any]:
    found = asdict(info) | {"colors": list(info.colors), "certified": info.certificate is not None}
    del found["revision"], found["certificate"]
    return found

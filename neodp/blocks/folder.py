"""A graph as a folder of blocks: the format.

::

    DIR/graph.json                    {"format": 1, "name", "colors": [two], "blocks", "datasets", "edges", "partition"}
    DIR/nodes/00000.parquet           key: string, color: string                       the datasets of block 0
    DIR/edges/00000.parquet           source: int32, block: int32, target: int32, epsilon: double, delta: double
    DIR/alpha/00000.parquet           place: int32, p: double, q: double               optional
    DIR/mechanism/00000.parquet       key: string, p_true: double, p: double, q: double     what ``extend`` writes
    DIR/mechanism/summary.json        the summary of the result, and the state of the input files
    DIR/work/                         intermediate files, from which ``extend`` continues after an interruption

A block has one file of each kind, named by its number. A dataset is identified by its block and its *place*, which is
its row in ``nodes``, from 0. Every edge is stored once, in the file of the block of its ``source``; ``target`` is a
place in ``block``. A row of ``alpha`` gives Pr[first colour] and Pr[second colour] at a dataset; the smaller one is
exact, and the other is one minus it, rounded. If there is no folder ``alpha``, or it has no file for a block, no
dataset of that block has alpha.

``graph.json`` is written last: without it, the folder is not a graph. ``alpha`` and ``mechanism`` are written under
another name and renamed at the end, so that each is either complete or absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta
from neodp.data.family import family, require_binary
from neodp.data.files import make_folder, masked
from neodp.data.graph import DatasetGraph, known_graph
from neodp.data.kinds import checked, position
from neodp.data.progress import Progress, silent
from neodp.data.validation import LARGEST, Floats, Ints
from neodp.errors import GraphError
from neodp.hints import Call, Hint

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = [
    "Alpha",
    "BlockEdges",
    "Folder",
    "open_folder",
    "read_graph",
    "read_mechanism",
    "write_blocks",
    "write_graph",
]

FORMAT = 1
"""The version of the format, as stated in graph.json."""


class BlockEdges(NamedTuple):
    """The edges in the file of one block."""

    source: Ints
    block: Ints
    target: Ints
    epsilon: Floats
    delta: Floats


class Alpha(NamedTuple):
    """The alpha of one block, at the datasets that have it."""

    place: Ints
    p: Floats
    q: Floats


@dataclass(frozen=True)
class Folder:
    """An open folder of blocks.

    Attributes
    ----------
    path : Path
    name : str
    colors : tuple of two strings
    blocks, datasets, edges : int
        The number of each.
    partition : str
        A description of how the graph was cut.
    """

    path: Path
    name: str
    colors: tuple[str, ...]
    blocks: int
    datasets: int
    edges: int
    partition: str = ""

    @checked
    def file(self, kind: str, block: int) -> Path:
        """Return the path of a block's Parquet file of a kind (nodes, edges, alpha, mechanism)."""
        return self.path / kind / f"{position('block', block, self.blocks):05d}.parquet"

    def keys(self, block: int) -> pa.StringArray:
        """Return the keys of a block."""
        return _columns(self.file("nodes", block), "key")[0]

    def key(self, block: int, place: int) -> str:
        """Return the key of one dataset."""
        keys = self.keys(block)
        return str(keys[position("place", place, len(keys))].as_py())

    def color(self, block: int) -> NDArray[np.int8]:
        """Return the position of the colour of each dataset of a block.

        Raises
        ------
        GraphError
            If the file is damaged, or a colour is not one of the graph's colours.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        path = self.file("nodes", block)
        named = _columns(path, "color")[0]
        at = pc.index_in(named.cast(pa.string()), pa.array(self.colors))
        if at.null_count:
            row = int(np.flatnonzero(at.is_null().to_numpy(zero_copy_only=False))[0])
            raise GraphError(
                f"{path}, row {row + 1}: the colour is {named[row].as_py()!r}",
                f"graph.json names the colours {', '.join(self.colors)}",
            )
        color: NDArray[np.int8] = at.to_numpy().astype(np.int8)
        return color

    def links(self, block: int) -> BlockEdges:
        """Return the edges in the file of a block.

        Raises
        ------
        GraphError
            If the file is damaged, or a value is out of range; the message names the row.
        """
        path = self.file("edges", block)
        columns = BlockEdges(*_numbers(path, *BlockEdges._fields))
        for name, most in LARGEST.items():
            column = getattr(columns, name)
            _refuse(path, name, column, ~((column >= 0.0) & (column <= most)), f"give a number from 0 to {most:g}")
        _refuse(
            path,
            "block",
            columns.block,
            (columns.block < 0) | (columns.block >= self.blocks),
            f"there are the blocks 0 to {self.blocks - 1}",
        )
        itself = (columns.block == block) & (columns.source == columns.target)
        _refuse(path, "target", columns.target, itself, "an edge joins two datasets, not one with itself")
        return columns

    def alpha(self, block: int) -> Alpha:
        """Return the alpha of a block.

        Raises
        ------
        GraphError
            If the file is damaged, or a row is not a probability distribution; the message names the row.
        """
        path = self.file("alpha", block)
        if not path.exists():
            return Alpha(np.empty(0, np.int32), np.empty(0), np.empty(0))
        alpha = Alpha(*_numbers(path, *Alpha._fields))
        wrong = ~((alpha.p >= 0.0) & (alpha.q >= 0.0) & (np.abs(alpha.p + alpha.q - 1.0) <= 1e-9))
        _refuse(path, "p", alpha.p, wrong, "give p and q from 0 to 1 that add up to 1")
        return alpha

    def rows(self, block: int) -> Floats:
        """Return the probabilities of the datasets of a block, one row per dataset, as ``extend`` wrote them.

        Raises
        ------
        GraphError
            If there is no mechanism.
        """
        path = self.file("mechanism", block)
        if not path.exists():
            raise GraphError(
                f"{self.path} has no mechanism", Hint("run ", Call("extend_blocks", folder=str(self.path)), " first")
            )
        return np.column_stack(_numbers(path, "p", "q"))

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary written with the mechanism, or None if there is no mechanism."""
        path = self.path / "mechanism" / "summary.json"
        found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return found

    def state(self, *kinds: str) -> str:
        """Return a digest of the names, sizes and times of the files of some kinds: it changes if one is written."""
        digest = hashlib.sha256((self.path / "graph.json").read_bytes())
        for kind in kinds:
            for file in sorted((self.path / kind).glob("*.parquet")):
                status = file.stat()
                digest.update(f"{kind}/{file.name} {status.st_size} {status.st_mtime_ns}\n".encode())
        return digest.hexdigest()


@checked
def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Open a folder of blocks.

    Raises
    ------
    GraphError
        If the path is not a folder of blocks, or a file is missing.
    """
    path = Path(path)
    try:
        facts = json.loads((path / "graph.json").read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise GraphError(
                f"{path} has the format {facts['format']!r}", f"this version of neodp reads the format {FORMAT}"
            )
        folder = Folder(
            path,
            str(facts["name"]),
            tuple(map(str, facts["colors"])),
            blocks=int(facts["blocks"]),
            datasets=int(facts["datasets"]),
            edges=int(facts["edges"]),
            partition=str(facts.get("partition", "")),
        )
    except (FileNotFoundError, NotADirectoryError):
        raise GraphError(
            f"{path} is not a folder of blocks: it has no graph.json",
            Hint(
                "make one with ",
                Call("write_blocks", folder=str(path)),
                " or ",
                Call("write_lattice", folder=str(path)),
            ),
        ) from None
    except (KeyError, TypeError, ValueError) as e:
        if isinstance(e, GraphError):
            raise
        raise GraphError(f"{path / 'graph.json'} is damaged: {e!r}", "make the folder again") from None
    if not family(folder).binary:
        raise GraphError(f"{folder.name!r} has {len(folder.colors)} colours", "blocks support two colours only")
    for block in range(folder.blocks):
        for kind in ("nodes", "edges"):
            if not folder.file(kind, block).exists():
                raise GraphError(f"{folder.file(kind, block)} is missing", "make the folder again")
    return folder


def write_blocks(
    folder: Folder,
    blocks: Iterable[tuple[pa.StringArray, NDArray[np.int8], BlockEdges, Alpha]],
    *,
    progress: Progress = silent,
) -> Folder:
    """Write a graph block by block, given the keys, colours, edges and alpha of each block.

    Only one block needs to be in memory at a time.

    Parameters
    ----------
    folder : Folder
        The folder to write; its ``datasets`` and ``edges`` are ignored, and counted during writing.

    Raises
    ------
    GraphError
        If the path already exists and is not an empty folder.
    """
    import pyarrow as pa

    if folder.path.exists() and (not folder.path.is_dir() or any(folder.path.iterdir())):
        raise GraphError(f"{folder.path} already exists, and is not empty", "give another folder, or delete it")
    make_folder(folder.path)
    for kind in ("nodes", "edges", "alpha"):
        (folder.path / kind).mkdir(mode=0o700)
    colors = pa.array(folder.colors)
    datasets = edges = given = 0
    for block, (keys, color, links, alpha) in enumerate(blocks):
        named = pa.DictionaryArray.from_arrays(pa.array(color), colors)
        write_table(folder.file("nodes", block), {"key": keys, "color": named})
        write_table(folder.file("edges", block), links._asdict())
        write_table(folder.file("alpha", block), alpha._asdict())
        datasets, edges, given = datasets + len(keys), edges + len(links.source), given + len(alpha.place)
        progress("blocks", block + 1, folder.blocks)
    if not given:
        shutil.rmtree(folder.path / "alpha")
    folder = replace(folder, datasets=datasets, edges=edges)
    facts = {"format": FORMAT} | {name: getattr(folder, name) for name in ("name", "colors", "blocks")}
    facts |= {"datasets": datasets, "edges": edges, "partition": folder.partition}
    write_text(folder.path / "graph.json", json.dumps(facts, ensure_ascii=False, indent=1))
    return folder


@checked
def write_graph(graph: DatasetGraph, partition: Ints, path: str | os.PathLike[str], how: str = "") -> Folder:
    """Write a graph that is in memory as a folder of blocks.

    Parameters
    ----------
    graph : DatasetGraph
        A graph with two colours.
    partition : array of int
        Per dataset, the number of its block (:mod:`neodp.blocks.partition`).
    path : path
        A folder that is empty or does not exist yet.
    how : str
        A description of how the graph was cut, for graph.json.

    Raises
    ------
    GraphError
        If the graph does not have two colours, or the path already exists and is not an empty folder.

    Examples
    --------
    >>> import tempfile, neodp
    >>> g = neodp.generate.path(6)
    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = write_graph(g, np.array([0, 0, 0, 1, 1, 1], np.int32), path)
    ...     folder.blocks, folder.links(0).block.tolist(), len(read_graph(folder))
    (2, [0, 0, 1], 6)
    """
    require_binary(graph)
    partition = np.asarray(partition)
    if partition.shape != (len(graph),) or partition.dtype.kind not in "iu" or (partition < 0).any():
        raise GraphError(
            "the partition does not fit the graph", "give the number of a block for each dataset, from 0 on"
        )
    order = np.argsort(partition, kind="stable")
    blocks = int(partition.max(initial=-1)) + 1
    begins = np.searchsorted(partition[order], np.arange(blocks + 1))
    place = np.empty(len(graph), np.int32)
    place[order] = np.arange(len(graph)) - begins[partition[order]]
    home = partition[graph.source]
    by_home = np.argsort(home, kind="stable")
    firsts = np.searchsorted(home[by_home], np.arange(blocks + 1))

    def contents() -> Iterator[tuple[pa.StringArray, NDArray[np.int8], BlockEdges, Alpha]]:
        for block in range(blocks):
            members = order[begins[block] : begins[block + 1]]
            e = by_home[firsts[block] : firsts[block + 1]]
            far = graph.target[e]
            links = BlockEdges(
                place[graph.source[e]], partition[far].astype(np.int32), place[far], graph.epsilon[e], graph.delta[e]
            )
            given = members[graph.given[members]]
            alpha = Alpha(place[given], graph.alpha[given, 0], graph.alpha[given, 1])
            yield graph.keys.take(members), graph.color[members], links, alpha

    return write_blocks(Folder(Path(path), graph.name, graph.colors, blocks, 0, 0, how), contents())


@checked
def read_graph(folder: Folder) -> DatasetGraph:
    """Read the whole graph into memory: the datasets of block 0, then those of block 1, and so on.

    Raises
    ------
    GraphError
        If a file is damaged or a value is out of range.
    """
    import pyarrow as pa

    colors = [folder.color(block) for block in range(folder.blocks)]
    begins = np.concatenate([[0], np.cumsum([len(color) for color in colors])]).astype(np.int64)
    links = [folder.links(block) for block in range(folder.blocks)]
    rows = np.full((int(begins[-1]), 2), np.nan)
    for block in range(folder.blocks):
        alpha = folder.alpha(block)
        rows[begins[block] + alpha.place, 0], rows[begins[block] + alpha.place, 1] = alpha.p, alpha.q
    return known_graph(
        pa.concat_arrays([folder.keys(block) for block in range(folder.blocks)]),
        np.concatenate(colors),
        np.concatenate([begins[block] + column.source for block, column in enumerate(links)]),
        np.concatenate([begins[column.block] + column.target for column in links]),
        np.concatenate([column.epsilon for column in links]),
        np.concatenate([column.delta for column in links]),
        rows,
        colors=folder.colors,
        name=folder.name,
    )


@checked
def read_mechanism(folder: Folder, graph: DatasetGraph) -> Mechanism:
    """Read the mechanism of a folder into memory, on the graph that ``read_graph`` returned.

    Raises
    ------
    GraphError
        If the folder has no mechanism.
    """
    rows = np.concatenate([folder.rows(block) for block in range(folder.blocks)])
    return Mechanism(graph, rows, EpsilonDelta.of(graph), method="labels")


# --- files --------------------------------------------------------------------------------------------------


def write_table(path: Path, columns: dict[str, Any]) -> None:
    """Write a Parquet file, either completely or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(path) as temporary:
        pq.write_table(pa.table(columns), temporary)


def write_text(path: Path, text: str) -> None:
    """Write a text file, either completely or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the name of a temporary file, readable by its owner only, which replaces `path` at the end."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with masked():
        yield temporary
    os.replace(temporary, path)


def replace_folder(new: Path, old: Path) -> None:
    """Move a finished folder to the place of an old one, which need not exist."""
    aside = old.with_name(f".{old.name}.old")
    shutil.rmtree(aside, ignore_errors=True)
    if old.exists():
        os.replace(old, aside)
    os.replace(new, old)
    shutil.rmtree(aside, ignore_errors=True)


def _columns(path: Path, *names: str) -> list[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=list(names), use_threads=False)
        columns = [table.column(name).combine_chunks() for name in names]
    except (pa.ArrowInvalid, KeyError, OSError) as e:
        hint = f"make the folder again ({str(e).splitlines()[0]})"
        raise GraphError(f"{path} has no readable columns {', '.join(names)}", hint) from None
    for name, column in zip(names, columns, strict=True):
        if column.null_count:
            raise GraphError(f"{path} has {column.null_count} rows without {name}", "fill them")
    return columns


def _numbers(path: Path, *names: str) -> list[NDArray[Any]]:
    """Read columns of numbers: int32 for places and blocks, doubles for the rest."""
    columns = [column.to_numpy(zero_copy_only=False) for column in _columns(path, *names)]
    for name, column in zip(names, columns, strict=True):
        wanted = np.dtype(np.int32 if name in ("source", "block", "target", "place") else np.float64)
        if column.dtype != wanted:
            raise GraphError(f"{path} has {name} as {column.dtype}", f"write it as {wanted}")
    return columns


def _refuse(path: Path, name: str, column: NDArray[Any], wrong: NDArray[np.bool_], hint: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise GraphError(f"{path}, row {row + 1}: {name} is {column[row].item()!r}", hint)

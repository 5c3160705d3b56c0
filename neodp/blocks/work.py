"""The folder in which a graph of blocks is extended: prepared blocks, labels and mail, in files.

::

    DIR/work/PURPOSE/state.json                the state of the input, and the progress of each pass
                     parts/BLOCK/…             the contents of ``passes.Part`` and ``block.Block``
                     mirror/BLOCK/OTHER        cut edges that are stored in the file of another block
                     PASS/labels/BLOCK/ROUND   labels after that round; all certain if there is no file
                     PASS/mail/ROUND/BLOCK/FROM        messages, to be read in that round

Arrays are memory-mapped: a process needs memory only for the block it is working on, and the operating system reads
only the parts that are used.

The work can continue after any interruption, for these reasons. A file is written under another name and then renamed,
so it is either complete or absent. A step starts from the labels of an earlier round; it writes its mail first, and the
labels of its own round last. The mail of a round is deleted only after every block of the round has its labels, and
labels are deleted only after two later ones exist. So a step that is run again finds all of its input, and does the
same. The same holds if two processes run one step: the slower one finds the labels of the round and writes nothing; if
it does not find them, the round is not over, and all the mail was there when it looked.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from neodp.blocks.arrays import load_array, load_arrays, save_arrays
from neodp.blocks.block import CERTAIN, Block, Cut, Links, Mail, Messages, merged, runs, step
from neodp.blocks.folder import Folder, write_text
from neodp.blocks.passes import (
    BlockPart,
    CutEdges,
    InnerEdges,
    begin_even,
    begin_first,
    begin_own,
    cut_of,
    labels_of,
    links_of,
    unhit,
)
from neodp.core.privacy import Labels
from neodp.data.files import make_folder
from neodp.data.validation import Ints
from neodp.errors import GraphError, UnhitBoundary
from neodp.hints import Call, Hint

__all__ = ["Pass", "Work"]

Pass: TypeAlias = Literal["own", "first", "rounded", "even"]
"""The passes; "rounded" is "own" with an alpha that was rounded in."""

BEGIN = {"own": begin_own, "rounded": begin_own, "first": begin_first, "even": begin_even}
HALF_EDGE = np.dtype(
    [("here", np.int32), ("block", np.int32), ("there", np.int32), ("epsilon", np.float64), ("delta", np.float64)]
)


@dataclass(frozen=True)
class Work:
    """The working folder of a run, and the operations on one block at a time. Every method may be called again.

    Attributes
    ----------
    folder : Folder
        The graph.
    purpose : "extend" or "balanced"
        The result to compute: the mechanism for the given alpha, or the balanced alpha.
    """

    folder: Folder
    purpose: Literal["extend", "balanced"]

    @cached_property
    def path(self) -> Path:
        """The working folder for this purpose."""
        return self.folder.path / "work" / self.purpose

    @property
    def input(self) -> str:
        """The state of the files on which the result depends."""
        return self.folder.state("nodes", "edges", *(["alpha"] if self.purpose == "extend" else []))

    def open(self) -> dict[str, Any]:
        """Return the progress of the work so far; work that was done for another input is deleted."""
        try:
            state: dict[str, Any] = json.loads((self.path / "state.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            state = {}
        if state.get("input") != self.input:
            self.clear()
            make_folder(self.path)
            state = {"input": self.input, "prepared": False, "passes": {}}
            self.save(state)
        return state

    def save(self, state: dict[str, Any]) -> None:
        """Save the progress of the work."""
        write_text(self.path / "state.json", json.dumps(state))

    def clear(self) -> None:
        """Delete all work done so far."""
        shutil.rmtree(self.path, ignore_errors=True)

    # --- preparing ------------------------------------------------------------------------------------------

    def prepare(self, block: int) -> None:
        """Read and check the files of a block, write the input of its steps, and pass its cut edges to other blocks."""
        folder = self.folder
        color, edges = folder.color(block), folder.links(block)
        n = len(color)
        _within(folder.file("edges", block), "source", edges.source, n, block)
        inner = edges.block == block
        _within(folder.file("edges", block), "target", edges.target[inner], n, block)
        given, own = np.zeros(n, np.bool_), np.full(n, CERTAIN)
        if self.purpose == "extend":
            alpha = folder.alpha(block)
            _within(folder.file("alpha", block), "place", alpha.place, n, block)
            labels = labels_of(alpha.p, alpha.q)
            given[alpha.place] = True
            own[alpha.place] = np.where(color[alpha.place] == 0, labels, -labels)
        inside = InnerEdges(edges.source, edges.target, edges.epsilon, edges.delta).where(inner)
        crossing = color[inside.source] != color[inside.target]
        cut = np.empty(int(np.count_nonzero(~inner)), HALF_EDGE)
        cut["here"], cut["block"], cut["there"] = edges.source[~inner], edges.block[~inner], edges.target[~inner]
        cut["epsilon"], cut["delta"] = edges.epsilon[~inner], edges.delta[~inner]
        for far in np.unique(cut["block"]).tolist():
            theirs = cut[cut["block"] == far]
            mirrored = theirs.copy()
            mirrored["here"], mirrored["there"], mirrored["block"] = theirs["there"], theirs["here"], block
            save_arrays(self.path / "mirror" / str(far) / str(block), cut=mirrored)
        rim = {f"rim_{name}": column for name, column in inside.where(crossing)._asdict().items()}
        save_arrays(self._part(block, "part"), color=color, given=given, own=own, out=cut, **rim)
        self._save_links(block, "color", links_of(n, inside, ~crossing))

    def connect(self, block: int) -> int:
        """Gather the cut edges of a block, its own and the mirrored ones; return its number of boundary datasets.

        Raises
        ------
        UnhitBoundary
            If alpha is needed, and a boundary edge of the block has alpha at neither end.
        """
        mine = load_arrays(self._part(block, "part"))
        mirrors = sorted(_files(self.path / "mirror" / str(block)), key=lambda file: int(file.name))
        cut = np.concatenate([mine["out"], *(load_array(file, "cut") for file in mirrors)])
        cut = cut[np.argsort(cut["block"], kind="stable")]
        color = mine["color"]
        _within(self.folder.file("nodes", block), "the end of a cut edge", cut["here"], len(color), block)
        crossing = self.far(cut["block"], cut["there"], "color") != color[cut["here"]]
        halves = CutEdges(*(np.ascontiguousarray(cut[name]) for name in HALF_EDGE.names or ()))
        save_arrays(self._part(block, "cut"), crossing=crossing, **halves._asdict())
        save_arrays(self._part(block, "cut_color"), **cut_of(halves, ~crossing)._asdict())
        part = self.part(block)
        if self.purpose == "extend":
            across = part.across
            edge = unhit(part, self.far(across.block, across.there, "given"))
            if edge is not None:
                raise self._unhit(block, part, *edge)
        return len(part.boundary)

    def _unhit(self, block: int, part: BlockPart, inner: int, cut: int) -> UnhitBoundary:
        keys = self.folder.keys(block)
        if inner >= 0:
            ends = (int(part.rim.source[inner]), int(part.rim.target[inner]))
            names = [keys[place].as_py() for place in ends]
            here = ends[0]
        else:
            here = int(part.across.here[cut])
            names = [keys[here].as_py(), self.folder.key(int(part.across.block[cut]), int(part.across.there[cut]))]
        one = self.folder.colors[part.color[here]]
        other = self.folder.colors[1 - part.color[here]]
        return UnhitBoundary(
            f"the boundary edge {names[0]!r} – {names[1]!r} ({one}, {other}) has alpha at neither end",
            Hint("give alpha to one of them, or use ", Call("balance_blocks", folder=str(self.folder.path))),
        )

    # --- a pass ---------------------------------------------------------------------------------------------

    def begin(self, name: Pass, block: int) -> int:
        """Post the first messages of a pass as the mail of round 1; return how many go to other blocks."""
        own, others = BEGIN[name](self.part(block, name))
        self._post(name, 1, block, {**others, block: own})
        return sum(len(messages.place) for messages in others.values())

    def waiting(self, name: Pass, number: int) -> list[int]:
        """Return the blocks that have mail in a round."""
        path = self._mail(name, number)
        return sorted(int(entry.name) for entry in path.iterdir()) if path.exists() else []

    def step(self, name: Pass, number: int, block: int) -> int:
        """Step a block with its mail of a round; return the number of messages it sends."""
        before = self._latest(name, block, number - 1)
        after, mail = step(self.block(block, name, number - 1), self._mail_of(name, number, block))
        done = self._label(name, block, number)
        if done.exists():  # written by another process, or before an interruption
            return 0
        self._post(name, number + 1, block, mail)
        save_arrays(done, label=after.label)
        for old in _files(done.parent):
            if int(old.name) < before:
                old.unlink(missing_ok=True)
        return sum(len(messages.place) for messages in mail.values())

    def forget(self, name: Pass, number: int) -> None:
        """Delete the mail of a finished round."""
        shutil.rmtree(self._mail(name, number), ignore_errors=True)

    def _mail(self, name: Pass, number: int) -> Path:
        return self.path / name / "mail" / str(number)

    def _post(self, name: Pass, number: int, sender: int, mail: Mail) -> None:
        for block, messages in mail.items():
            if len(messages.place):
                save_arrays(self._mail(name, number) / str(block) / str(sender), **messages._asdict())

    def _mail_of(self, name: Pass, number: int, block: int) -> Messages:
        files = _files(self._mail(name, number) / str(block))
        return merged([Messages(**load_arrays(file)) for file in files])

    # --- stored data ----------------------------------------------------------------------------------------

    def part(self, block: int, name: Pass = "own") -> BlockPart:
        """Return the alpha of a block in a pass, with its edges to other colours and to other blocks."""
        columns = load_arrays(self._part(block, "part"))
        cut = load_arrays(self._part(block, "cut"))
        own = load_array(self.path / "rounded" / "own" / str(block), "own") if name == "rounded" else columns["own"]
        return BlockPart(
            color=columns["color"],
            given=columns["given"],
            own=own,
            rim=InnerEdges(*(columns[f"rim_{field}"] for field in InnerEdges._fields)),
            cut=CutEdges(*(cut[field] for field in CutEdges._fields)),
            crossing=cut["crossing"],
        )

    def save_rounded(self, block: int, own: Labels) -> None:
        """Save labels of an alpha that was rounded in, for the pass "rounded"."""
        save_arrays(self.path / "rounded" / "own" / str(block), own=own)

    def block(self, block: int, name: Pass, number: int | None = None) -> Block:
        """Return a block with its labels after a round; by default after the last round."""
        kind = "all" if name == "first" else "color"
        if not self._part(block, f"links_{kind}").exists():  # only needed if alpha has to be rounded in
            part, edges = self.part(block), self.inner(block)
            self._save_links(block, "all", links_of(len(part.color), edges, np.ones(len(edges.source), np.bool_)))
            cut = cut_of(part.cut, np.ones(len(part.crossing), np.bool_))
            save_arrays(self._part(block, "cut_all"), **cut._asdict())
        links = load_arrays(self._part(block, f"links_{kind}"))
        shift = int(links.pop("shift")[0])
        return Block(
            Links(**links, shift=shift),
            Cut(**load_arrays(self._part(block, f"cut_{kind}"))),
            self.label(block, name, number),
        )

    def label(self, block: int, name: Pass, number: int | None = None) -> Labels:
        """Return the labels of a block after a round; by default after the last round."""
        latest = self._latest(name, block, number)
        if latest:
            return load_array(self._label(name, block, latest), "label")
        return np.full(len(load_array(self._part(block, "part"), "color")), CERTAIN)

    def _label(self, name: Pass, block: int, number: int) -> Path:
        return self.path / name / "labels" / str(block) / str(number)

    def _latest(self, name: Pass, block: int, number: int | None) -> int:
        """Return the last round, up to `number`, in which a block was stepped; 0 if there is none."""
        rounds = [int(file.name) for file in _files(self.path / name / "labels" / str(block))]
        return max((r for r in rounds if number is None or r <= number), default=0)

    def inner(self, block: int) -> InnerEdges:
        """Return the inner edges of a block, from its file."""
        edges = self.folder.links(block)
        return InnerEdges(edges.source, edges.target, edges.epsilon, edges.delta).where(edges.block == block)

    def far(self, block: Ints, place: Ints, what: str) -> NDArray[Any]:
        """Return a column (color, given, or the labels of a pass) at datasets of other blocks, ordered by block."""
        found = []
        for number, run in runs(block):
            if what in ("color", "given"):
                stored = load_array(self._part(number, "part"), what)
            else:
                stored = self.label(number, cast("Pass", what))
            if what == "color":
                _within(self.folder.file("nodes", number), "the end of a cut edge", place[run], len(stored), number)
            found.append(stored[place[run]])
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _part(self, block: int, kind: str) -> Path:
        return self.path / "parts" / str(block) / kind

    def _save_links(self, block: int, kind: str, links: Links) -> None:
        columns = {**links._asdict(), "shift": np.array([links.shift])}
        save_arrays(self._part(block, f"links_{kind}"), **columns)


def _files(path: Path) -> list[Path]:
    """Return the files in a folder, without the partial ones that a killed process left."""
    return [file for file in path.iterdir() if not file.name.startswith(".")] if path.exists() else []


def _within(path: Path, name: str, column: Ints, n: int, block: int) -> None:
    wrong = np.flatnonzero((column < 0) | (column >= n))
    if len(wrong):
        raise GraphError(f"{path}: {name} is {int(column[wrong[0]])}", f"block {block} has places 0 to {n - 1}")

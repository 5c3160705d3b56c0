"""The reason why an alpha cannot be kept, for a graph in blocks.

There are the same two cases as in :mod:`neodp.core.binary`: the label of a source fell, or a source gives the answer of
a neighbour across the boundary more often than that neighbour allows. The path is traced backwards over tight edges;
only blocks on the way are read. If there are several such sources, the error names the one with the greatest fall, as
in memory; if there are several paths, it names one with the fewest edges, which may differ from the one in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from neodp import compiled
from neodp.blocks.passes import BlockPart, InnerEdges, dropped, too_low
from neodp.blocks.work import Work
from neodp.core import traversal
from neodp.core.privacy import EpsilonDelta, Labels
from neodp.core.witness import Witness
from neodp.data.graph import Adjacency
from neodp.errors import IncompatibleAlpha
from neodp.hints import Call, Hint

__all__ = ["Conflict", "conflict_in", "incompatible", "worst_of"]


class Conflict(NamedTuple):
    """A source whose alpha cannot be kept.

    ``drop`` is the amount by which its label fell. It is 0 if the source conflicts with a neighbour across the
    boundary, over the edge at position ``inner`` of the rim or at position ``cut`` of the cut edges across.
    """

    drop: int
    block: int
    place: int
    inner: int
    cut: int


def conflict_in(work: Work, block: int) -> Conflict | None:
    """Return the worst conflict in a block after the pass "own", or None."""
    part, label = work.part(block), work.label(block, "own")
    fell = dropped(part, label)
    if fell is not None:
        return Conflict(fell[0], block, fell[1], -1, -1)
    across = part.across
    low = too_low(part, label, work.far(across.block, across.there, "own"))
    return None if low is None else Conflict(0, block, *low)


def worst_of(conflicts: list[Conflict]) -> Conflict | None:
    """Return the conflict with the greatest fall among those of all blocks; the first one if no label fell."""
    return max(conflicts, key=lambda conflict: conflict.drop, default=None)


def incompatible(work: Work, conflict: Conflict) -> IncompatibleAlpha:
    """Return the error that names the datasets of a conflict and the path between them."""
    witness = _witness(work, conflict)
    return IncompatibleAlpha(
        str(witness),
        Hint("lower the one or raise the other, or see ", Call("suggest"), " for a choice that fits"),
        witness,
    )


class _Loaded(NamedTuple):
    part: BlockPart
    edges: InnerEdges
    adjacency: Adjacency
    label: Labels


def _witness(work: Work, conflict: Conflict) -> Witness:
    @lru_cache(maxsize=8)
    def loaded(block: int) -> _Loaded:
        part, edges = work.part(block), work.inner(block)
        keep = np.ones(len(edges.source), np.bool_)
        adjacency = Adjacency(*compiled.kernel.adjacency(len(part.color), edges.source, edges.target, keep, True))
        return _Loaded(part, edges, adjacency, work.label(block, "own"))

    allowed: list[tuple[float, float]] = []  # indexed by the numbers of the edges in the search

    def color(w: int) -> int:
        return int(loaded(w >> 32).part.color[w & 0xFFFFFFFF])

    def trace(v: int) -> traversal.Path:
        end_color = color(v)

        def is_source(w: int) -> bool:  # a source of the other colour ends the path too
            here, place = loaded(w >> 32), w & 0xFFFFFFFF
            return bool(
                here.part.color[place] != end_color
                or (here.part.given[place] and here.label[place] == here.part.own[place])
            )

        def before(w: int) -> Iterator[tuple[int, int]]:
            """Yield the datasets before w, over edges that are tight."""
            number, place = w >> 32, w & 0xFFFFFFFF
            here = loaded(number)
            row = slice(here.adjacency.indptr[place], here.adjacency.indptr[place + 1])
            cut = np.flatnonzero(here.part.cut.here == place)
            edges = here.adjacency.edge[row]
            ends = [(number, int(u)) for u in here.adjacency.neighbor[row]]
            ends += [(int(here.part.cut.block[e]), int(here.part.cut.there[e])) for e in cut]
            epsilon = np.concatenate([here.edges.epsilon[edges], here.part.cut.epsilon[cut]])
            delta = np.concatenate([here.edges.delta[edges], here.part.cut.delta[cut]])
            for (block, u), e, d in zip(ends, epsilon.tolist(), delta.tolist(), strict=True):
                there = loaded(block)
                same = there.part.color[u] == here.part.color[place]
                value = there.label[u] if same else -there.part.own[u]
                bound = EpsilonDelta(np.array([e]), np.array([d])).relax(np.array([value]), np.zeros(1, np.int64))[0]
                if bound == here.label[place] and (same or there.part.given[u]):
                    allowed.append((e, d))
                    yield block << 32 | u, len(allowed) - 1

        return traversal.trace(v, is_source, before)

    folder, here = work.folder, loaded(conflict.block)
    v = conflict.block << 32 | conflict.place
    if conflict.drop:
        asked = color(v)
        value, bound = here.part.own[conflict.place], here.label[conflict.place]
        path, edges = trace(v)
    else:  # v is too likely to answer as its neighbour over that edge does
        if conflict.inner >= 0:
            rim = here.part.rim
            w = conflict.block << 32 | int(rim.source[conflict.inner] + rim.target[conflict.inner] - conflict.place)
            over = float(rim.epsilon[conflict.inner]), float(rim.delta[conflict.inner])
        else:
            across = here.part.across
            w = int(across.block[conflict.cut]) << 32 | int(across.there[conflict.cut])
            over = float(across.epsilon[conflict.cut]), float(across.delta[conflict.cut])
        asked, value = color(w), -here.part.own[conflict.place]
        rule = EpsilonDelta(np.array([over[0]]), np.array([over[1]]))
        bound = rule.relax(np.array([loaded(w >> 32).label[w & 0xFFFFFFFF]]), np.zeros(1, np.int64))[0]
        path, edges = trace(w)
        path.append(v)
        allowed.append(over)
        edges.append(len(allowed) - 1)
    names = [folder.key(u >> 32, u & 0xFFFFFFFF) for u in path]
    alpha = folder.alpha(path[0] >> 32)
    at = int(np.flatnonzero(alpha.place == path[0] & 0xFFFFFFFF)[0])
    decode = EpsilonDelta(np.empty(0), np.empty(0)).decode
    return Witness(
        dataset=folder.key(conflict.block, conflict.place),
        color=folder.colors[asked],
        value=float(decode(np.array([value]))[0][0]),
        bound=float(decode(np.array([bound]))[0][0]),
        origin=names[0],
        origin_value=float((alpha.p, alpha.q)[asked][at]),
        path=tuple(names),
        epsilon=sum(allowed[e][0] for e in edges),
        delta=sum(allowed[e][1] for e in edges),
    )

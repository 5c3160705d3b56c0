"""The optimal extension by the shortest paths of other libraries, for delta = 0.

Let c be the colour of v, and u range over the sources of that colour's part of the graph. With one epsilon
per edge as its length and d the distance,

    D(w) = min over u of log Pr[M(u) = c] + d(u, w)
    R(v) = min over w with D(w) < 0 of -log(1 - e^D(w)) + d(w, v)
    Pr[M(v) = c] = 1 - e^-R(v).

No path leaves a colour, so that both colours are one graph, without the edges between them, and one *forward*
run for D and one *backward* run for R suffice for all vertices. Every library has single-source distances only, so
the sources are connected to a virtual vertex by edges as long as their offsets.

Each library is made as fast as possible:

* offsets are precomputed (see :class:`Problem`), vertices are integers, results end as one numpy array;
* scipy: a CSR matrix with 32-bit indices and the virtual vertex as its last row, so that only the tail of
  the arrays changes between runs; ``limit`` ends the forward run at D = 0;
* networkx: the adjacency dictionaries, ``cutoff`` ends the forward run at D = 0;
* rustworkx: an undirected PyGraph with floats as edge data and ``float`` as the cost function, the fastest
  callable there is; it has no limit, so the forward run goes on to the end;
* igraph: the virtual vertex is part of the graph from the start, weights are passed per run; no limit either.

If no source is below 1/2, as with the balanced alpha, R alone with the sources' own offsets is exact: then the
forward run could be left out. For that reason, the two runs are timed separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.process import Spent, mark_peak, peak, spend

__all__ = ["PEERS", "TOLERANCE", "Problem", "Solved", "build", "solve", "warm"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

TOLERANCE = 1e-9
"""The largest difference between a peer and neodp, relative to 1 - p; so p itself agrees at least as well."""
SMALLEST = 2.0**-1022
"""The smallest positive probability of neodp."""


@dataclass(frozen=True)
class Problem:
    """The extension as a problem of shortest paths, and neodp's solution.

    Attributes
    ----------
    source, target, length : arrays, one entry per edge within a colour
    forward, backward : arrays, one entry per vertex
        The offsets of the sources: log p and -log(1 - p) of what alpha allows there, also over an edge between colours;
        infinite elsewhere.
    complement : array
        Pr[other colour] at each vertex, as neodp found it.
    """

    source: Ints
    target: Ints
    length: Floats
    forward: Floats
    backward: Floats
    complement: Floats

    def save(self, folder: str) -> None:
        """Write the arrays to a folder."""
        for name, column in vars(self).items():
            np.save(Path(folder) / f"{name}.npy", column)

    @classmethod
    def load(cls, folder: str) -> Problem:
        """Read the arrays from a folder."""
        return cls(**{name: np.load(Path(folder) / f"{name}.npy") for name in cls.__dataclass_fields__})

    def __len__(self) -> int:
        return len(self.forward)


class Peer(Protocol):
    """A library's graph."""

    def __init__(self, problem: Problem) -> None: ...

    def distances(self, offset: Floats, limit: float = np.inf) -> Floats:
        """Return min over u of offset[u] + d(u, v), per vertex v; exact below `limit`, and at least `limit` elsewhere.

        Offsets are at least 0.
        """


class Scipy:
    def __init__(self, problem: Problem) -> None:
        from scipy.sparse import csr_array

        n, s, t, length = len(problem), problem.source, problem.target, problem.length
        both = (np.concatenate([s, t]), np.concatenate([t, s]))
        graph = csr_array((np.concatenate([length, length]), both), shape=(n + 1, n + 1))
        self.stored = graph.nnz
        self.indptr = graph.indptr
        self.indices = np.concatenate([graph.indices, np.empty(n, graph.indices.dtype)])
        self.data = np.concatenate([graph.data, np.empty(n)])

    def distances(self, offset: Floats, limit: float = np.inf) -> Floats:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        sources = np.flatnonzero(np.isfinite(offset))
        n, end = len(offset), self.stored + len(sources)
        self.indices[self.stored : end] = sources
        self.data[self.stored : end] = offset[sources]
        self.indptr[n + 1] = end
        graph = csr_array((self.data[:end], self.indices[:end], self.indptr), shape=(n + 1, n + 1))
        found: Floats = dijkstra(graph, indices=n, limit=limit)[:n]
        return found


class Rustworkx:
    def __init__(self, problem: Problem) -> None:
        import rustworkx as rx

        self.graph = rx.PyGraph()
        self.graph.add_nodes_from(range(len(problem)))
        columns = (problem.source.tolist(), problem.target.tolist(), problem.length.tolist())
        self.graph.add_edges_from(list(zip(*columns, strict=True)))

    def distances(self, offset: Floats, limit: float = np.inf) -> Floats:
        import rustworkx as rx

        sources = np.flatnonzero(np.isfinite(offset))
        virtual = self.graph.add_node(None)
        edges = zip([virtual] * len(sources), sources.tolist(), offset[sources].tolist(), strict=True)
        self.graph.add_edges_from(list(edges))
        lengths = rx.dijkstra_shortest_path_lengths(self.graph, virtual, float)
        self.graph.remove_node(virtual)
        return _column(lengths, len(offset))


class Igraph:
    def __init__(self, problem: Problem) -> None:
        import igraph

        n = len(problem)
        self.length = problem.length
        self.sources = np.flatnonzero(np.isfinite(problem.forward))
        source = np.concatenate([problem.source, np.full(len(self.sources), n)])
        target = np.concatenate([problem.target, self.sources])
        self.graph = igraph.Graph(n + 1, np.stack([source, target], axis=1))

    def distances(self, offset: Floats, limit: float = np.inf) -> Floats:
        n = len(offset)
        new = np.setdiff1d(np.flatnonzero(np.isfinite(offset)), self.sources)
        if len(new):  # only where a source is below 1/2
            self.graph.add_edges(np.stack([np.full(len(new), n), new], axis=1))
            self.sources = np.concatenate([self.sources, new])
        weights = np.concatenate([self.length, offset[self.sources]])  # infinite: no edge
        found: Floats = np.array(self.graph.distances(n, weights=weights, algorithm="dijkstra")[0][:n])
        return found


class Networkx:
    def __init__(self, problem: Problem) -> None:
        import networkx as nx

        self.graph = nx.Graph()
        self.graph.add_nodes_from(range(len(problem)))
        columns = (problem.source.tolist(), problem.target.tolist(), problem.length.tolist())
        self.graph.add_weighted_edges_from(zip(*columns, strict=True))

    def distances(self, offset: Floats, limit: float = np.inf) -> Floats:
        import networkx as nx

        n = len(offset)
        sources = np.flatnonzero(np.isfinite(offset))
        edges = zip([n] * len(sources), sources.tolist(), offset[sources].tolist(), strict=True)
        self.graph.add_weighted_edges_from(edges)
        cutoff = None if limit == np.inf else limit
        lengths = nx.single_source_dijkstra_path_length(self.graph, n, cutoff=cutoff)
        self.graph.remove_node(n)
        return _column(lengths, n)


def _column(lengths: Any, n: int) -> Floats:
    """Return a mapping from vertices to distances as an array; infinite where there is no distance."""
    vertices = np.fromiter(lengths.keys(), np.int64, len(lengths))
    values = np.fromiter(lengths.values(), np.float64, len(lengths))
    column = np.full(n + 1, np.inf)  # the virtual vertex is among them in networkx
    column[vertices] = values
    return column[:n]


PEERS: dict[str, type[Peer]] = {"scipy": Scipy, "rustworkx": Rustworkx, "igraph": Igraph, "networkx": Networkx}
"""The libraries by name."""


# --- in the peer's process ----------------------------------------------------------------------------------


class Solved(NamedTuple):
    """The times of the two runs, by how many bytes the peak rose, and the difference from neodp's result."""

    forward: Spent
    backward: Spent
    memory: int
    difference: float


class _Job:
    """The state of this process between calls."""

    problem: ClassVar[Problem]
    peer: ClassVar[Peer]


def warm(name: str) -> None:
    """Import the library and run it once, on a path of three vertices."""
    line = np.array([0, 1], np.int32)
    p = np.array([0.5, np.inf, np.inf])
    peer = PEERS[name](Problem(line, line + 1, np.ones(2), forward=p, backward=p, complement=p))
    if not np.array_equal(peer.distances(p), [0.5, 1.5, 2.5]):
        raise AssertionError(f"{name} does not find the distances on a path")


def build(name: str, folder: str) -> Spent:
    """Load a problem, build the library's graph, and return the time of the latter."""
    _Job.problem = Problem.load(folder)
    spent, _Job.peer = spend(lambda: PEERS[name](_Job.problem))
    return spent


def solve() -> Solved:
    """Find the extension, and compare it with neodp's.

    Raises
    ------
    AssertionError
        If the two differ by more than TOLERANCE.
    """
    problem, peer = _Job.problem, _Job.peer
    before = mark_peak()
    forward, start = spend(lambda: _forward(problem, peer))
    backward, (distance, complement) = spend(lambda: _backward(peer, start))
    memory = peak() - before
    complement = np.where(np.isfinite(distance), np.maximum(complement, SMALLEST), 0.0)
    difference = _difference(complement, problem.complement)
    if not difference <= TOLERANCE:
        raise AssertionError(f"{type(peer).__name__} and neodp differ by {difference:.3g}, more than {TOLERANCE:g}")
    return Solved(forward, backward, memory, difference)


def _forward(problem: Problem, peer: Peer) -> Floats:
    """Return the offsets of the backward run."""
    lift = -problem.forward.min()  # so that no offset is negative
    distance = peer.distances(problem.forward + lift, limit=lift) - lift
    start = problem.backward.copy()
    below = np.flatnonzero(distance < 0.0)
    start[below] = np.minimum(start[below], -np.log(-np.expm1(distance[below])))
    return start


def _backward(peer: Peer, start: Floats) -> tuple[Floats, Floats]:
    """Return R and 1 - p = e^-R."""
    distance = peer.distances(start)
    return distance, np.exp(-distance)


def _difference(found: Floats, expected: Floats) -> float:
    """Return the largest relative difference in 1 - p, which bounds that in p and also covers p that round to 1."""
    if not np.array_equal(found == 0.0, expected == 0.0):
        return np.inf  # a dataset is certain in one of them only
    positive = expected > 0.0
    return float(np.max(np.abs(found[positive] / expected[positive] - 1.0), initial=0.0))

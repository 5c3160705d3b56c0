"""Graphs with more than two colours, for tests."""

from collections.abc import Mapping, Sequence

import numpy as np

import neodp
from neodp import DatasetGraph, Mechanism
from tests.rainbow_reference import Rainbow

__all__ = ["COLORS", "graph_of", "path_of", "prefix_sums"]

COLORS = tuple("abcdefghijklmnop")


def graph_of(problem: Rainbow, alpha: dict[tuple[int, ...], list[float]] | None = None) -> DatasetGraph:
    u, v, epsilon, delta = (np.array(column) for column in zip(*problem.edges, strict=True))
    keys = [f"v{i}" for i in range(problem.n)]
    given = {keys[i]: alpha[problem.order[i]] for i in problem.boundary()} if alpha else None
    order = np.array(problem.order)
    return DatasetGraph.from_columns(
        keys,
        order[:, 0],
        u.astype(np.int64),
        v.astype(np.int64),
        epsilon,
        delta,
        given,
        order,
        colors=COLORS[: problem.k],
    )


def prefix_sums(problem: Rainbow, m: Mechanism, j: int) -> list[float]:
    """Per dataset, the chance of its best j outputs."""
    rows = m.probabilities.tolist()
    return [sum(rows[v][o] for o in order[:j]) for v, order in enumerate(problem.order)]


def path_of(
    rows: Mapping[tuple[str, ...], Sequence[float]],
    lengths: list[int],
    epsilon: float = 0.5,
    delta: float = 0.0,
    given: Mapping[str, Sequence[float]] | None = None,
) -> DatasetGraph:
    """A path with stretches of different orders."""
    orders = list(rows)
    preference = [orders[i] for i, length in enumerate(lengths) for _ in range(length)]
    n = sum(lengths)
    keys = [str(i) for i in range(n)]
    g = DatasetGraph.from_columns(
        keys, [p[0] for p in preference], keys[:-1], keys[1:], epsilon, delta, None, [list(p) for p in preference],
        colors=sorted(orders[0]),
    )  # fmt: skip
    ends = {g.key(v): rows[preference[v]] for v in neodp.boundary.boundary_vertices(g)}
    return g.with_alpha({**ends, **(given or {})})

"""Random dataset graphs of all kinds, as neodp's own."""

from __future__ import annotations

import math
import random

import numpy as np

import neodp
from neodp import DatasetGraph
from tests import reference

__all__ = ["KINDS", "LOG2", "graph_of", "path_of_four", "random_graph"]

LOG2 = math.log(2)

KINDS = ("compatible", "uniform", "rounded", "tied", "hit", "arbitrary")


def graph_of(problem: reference.Problem) -> DatasetGraph:
    u, v, epsilon, delta = (np.array(column) for column in zip(*problem.edges, strict=True))
    return DatasetGraph.from_columns(
        [f"v{i}" for i in range(problem.n)],
        np.array(problem.color),
        u.astype(np.int64),
        v.astype(np.int64),
        epsilon,
        delta,
        {f"v{i}": a for i, a in problem.alpha.items()},
        colors=["first", "second"],
    )


def random_graph(kind: str, seed: int) -> DatasetGraph:
    """A random graph with alpha on a boundary-hitting set.

    compatible, uniform, arbitrary: as in reference.random_problem, the last one often incompatible. rounded: a tight
    mechanism computed in doubles, off by rounding. tied: 20 to 60 datasets, balanced; hit: alpha on a smallest
    boundary-hitting set only.
    """
    rng = random.Random(f"{kind} {seed}")
    graph = _random_graph(kind, rng)
    while kind != "arbitrary" and not neodp.check(graph):  # the reference computes in doubles
        graph = _random_graph(kind, rng)
    return graph


def _random_graph(kind: str, rng: random.Random) -> DatasetGraph:
    if kind == "rounded":
        return _rounded(rng)
    if kind in ("tied", "hit"):
        return _larger(rng, hit=kind == "hit")
    if kind == "arbitrary":
        return graph_of(reference.random_problem(rng, mode="arbitrary"))
    return graph_of(reference.random_problem(rng, uniform=kind == "uniform", largest=25 if kind == "uniform" else 14))


def _rounded(rng: random.Random) -> DatasetGraph:
    problem = reference.random_problem(rng, large=5.0)
    values = reference.extension(problem)
    assert values is not None
    noisy = {
        v: min(1.0, max(0.0, p * (1 + rng.uniform(-1, 1) * 1e-14)))
        for v, p in enumerate(values)
        if v in problem.alpha or rng.random() < 0.7
    }
    return graph_of(reference.Problem(problem.n, problem.color, problem.edges, noisy))


def _larger(rng: random.Random, *, hit: bool) -> DatasetGraph:
    n = rng.randint(20, 60)
    pairs = {(rng.randrange(i), i) for i in range(1, n)}
    pairs |= {(min(pair), max(pair)) for pair in (rng.sample(range(n), 2) for _ in range(rng.randint(0, n)))}
    source, target = np.array(sorted(pairs)).T
    share = rng.random()
    color = [int(i < share * n) if rng.random() < 0.9 else rng.randrange(2) for i in range(n)]
    epsilon = [rng.choice([0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 30.0, rng.random()]) for _ in pairs]
    delta = [rng.choice([0.0, 0.0, 1e-9, 0.01]) for _ in pairs] if rng.random() < 0.5 else 0.0
    graph = DatasetGraph.from_columns(
        [f"v{i}" for i in range(n)], np.array(color), source, target, epsilon, delta, colors=["first", "second"]
    )
    alpha = neodp.balanced(graph)
    if hit:
        others = np.ones(n, np.bool_)
        others[neodp.minimum_hitting_set(graph)] = False
        alpha[others] = np.nan
    return graph.with_alpha(alpha)


def path_of_four(alpha: dict[str, float], epsilon: float = LOG2) -> DatasetGraph:
    """Fig. 2 of paper 002: red, blue, blue, red; blue is the first colour."""
    return DatasetGraph.from_columns(
        ["v1", "v2", "v3", "v4"],
        ["red", "blue", "blue", "red"],
        ["v1", "v2", "v3"],
        ["v2", "v3", "v4"],
        epsilon,
        0.0,
        alpha,
    )

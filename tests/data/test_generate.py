"""Families of dataset graphs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb, inf, nan
from typing import TypeAlias

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from neodp import generate
from neodp.data.generate import (
    FAMILIES,
    counts,
    grid,
    hamming,
    hypercube,
    path,
    plurality,
    random_geometric,
    random_graph,
    three_voters,
    votes,
)
from neodp.data.graph import DatasetGraph
from neodp.errors import GraphError

Family: TypeAlias = Callable[..., DatasetGraph]

SMALL: dict[str, Family] = {
    "path": partial(path, 5),
    "grid": partial(grid, 2, 3, 4),
    "hypercube": partial(hypercube, 4),
    "hamming": partial(hamming, 3, 4),
    "votes": partial(votes, 3, options=3),
    "three_voters": three_voters,
    "counts": partial(counts, [2, 3]),
    "plurality": partial(plurality, 2, 3),
    "random_geometric": partial(random_geometric, 200, epsilon=(0.1, 2.0), seed=7),
    "random_graph": partial(random_graph, 30, edges=60, delta=(0.0, 0.1), seed=7),
}


def refusal(call: Family) -> tuple[str, str]:
    """Return what is wrong, and what to do about it."""
    with pytest.raises(GraphError) as error:
        call()
    return error.value.message, error.value.hint


def colors_of(g: DatasetGraph) -> dict[str, str]:
    return {key: g.colors[c] for key, c in zip(g.keys.to_pylist(), g.color.tolist(), strict=True)}


def epsilons_of(g: DatasetGraph) -> dict[frozenset[str], float]:
    ends = zip(g.source.tolist(), g.target.tolist(), g.epsilon.tolist(), strict=True)
    return {frozenset((g.key(u), g.key(v))): e for u, v, e in ends}


def yes_where(g: DatasetGraph, yes: Callable[[str], bool]) -> bool:
    return all((color == g.colors[0]) == yes(key) for key, color in colors_of(g).items())


def place_of_difference(u: str, v: str) -> int:
    """The only place in which two words differ."""
    (place,) = (i for i, (a, b) in enumerate(zip(u, v, strict=True)) if a != b)
    return place


# --- every family -------------------------------------------------------------------------------------------


def test_families_are_the_public_functions() -> None:
    assert set(FAMILIES) == set(generate.__all__) - {"FAMILIES", "counts_lattice", "grid_lattice"} == set(SMALL)
    assert all(FAMILIES[name] is getattr(generate, name) for name in FAMILIES)


@pytest.mark.parametrize("name", SMALL)
def test_columns_are_what_validation_would_make_of_them(name: str) -> None:
    g = SMALL[name]()
    checked = DatasetGraph.from_columns(
        g.keys, g.color, g.source, g.target, g.epsilon, g.delta, colors=g.colors, name=name
    )
    assert (g.name, g.colors) == (name, checked.colors)
    assert g.keys.type == pa.string()
    assert g.keys.equals(checked.keys)
    for column in ("color", "source", "target", "epsilon", "delta", "alpha"):
        ours, theirs = getattr(g, column), getattr(checked, column)
        assert ours.dtype == theirs.dtype
        assert ours.flags.c_contiguous
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", SMALL)
def test_colors_and_name(name: str) -> None:
    family = SMALL[name]
    g = family(colors=["ja", "nein"], name="frage", delta=0.25, epsilon=0.5)
    assert (g.colors, g.name) == (("ja", "nein"), "frage")
    assert (g.delta == 0.25).all()
    for wrong, said in ((("a",), "a"), (("a", "a"), "a, a"), ((), "none"), ((1, 2), "1, 2")):
        assert refusal(partial(family, colors=wrong)) == (
            f"the colours are {said}",
            "name two different ones with `colors=...`",
        )


@pytest.mark.parametrize(
    ("family", "hint"),
    [
        (partial(path, 4), "give one number, or 3: one per edge"),
        (partial(grid, 2, 2, 2), "give one number, or 3: one per axis"),
        (partial(hypercube, 3), "give one number, or 3: one per axis"),
        (partial(hamming, 3, 2), "give one number, or 3: one per place"),
        (partial(votes, 3), "give one number, or 3: one per voter"),
        (partial(counts, [1, 2, 3]), "give one number, or 3: one per group"),
        (three_voters, "give one number"),
    ],
)
def test_the_wrong_number_of_epsilons_or_deltas(family: Family, hint: str) -> None:
    assert refusal(partial(family, epsilon=[0.1, 0.2])) == ("epsilon has 2 values", hint)
    assert refusal(partial(family, delta=[0.1, 0.2])) == ("delta has 2 values", hint)


@pytest.mark.parametrize("family", [partial(random_geometric, 5), partial(random_graph, 5, edges=5)])
def test_what_is_no_range(family: Family) -> None:
    hint = "give one number, or a pair (low, high)"
    assert refusal(partial(family, epsilon=(2.0, 1.0))) == ("epsilon is (2.0, 1.0)", hint)
    assert refusal(partial(family, delta=[0.1, 0.2, 0.3])) == ("delta is [0.1, 0.2, 0.3]", hint)


@pytest.mark.parametrize(
    "family", [partial(path, 3), partial(votes, 2), partial(counts, [1, 1]), partial(random_geometric, 3)]
)
def test_epsilon_or_delta_that_is_none(family: Family) -> None:
    for epsilon in (-0.5, 690.5, nan, inf):
        said = (f"epsilon is {epsilon}", "give a number from 0 to 690")
        assert refusal(partial(family, epsilon=epsilon)) == said
    assert refusal(partial(family, epsilon=[1.0, nan])) == ("epsilon[1] is nan", "give a number from 0 to 690")
    assert refusal(partial(family, delta=1.5)) == ("delta is 1.5", "give a number from 0 to 1")
    for values in ("much", [[1.0, 2.0]], 10**400):
        said = (f"epsilon is {values!r}", "give a number, or a row of numbers")
        assert refusal(partial(family, epsilon=values)) == said


def test_minus_zero_is_zero() -> None:
    assert not np.signbit(path(2, epsilon=-0.0).epsilon).any()


COUNT = "give a whole number from 1 to 2,147,483,647"


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (partial(path, 0), "n is 0", COUNT),
        (partial(FAMILIES["path"], "5"), "n is '5'", COUNT),
        (partial(path, 3, split=4), "split is 4", "give a whole number from 0 to 3"),
        (grid, "the grid has no axes", "give the length of each, as in `grid(3, 4)`"),
        (partial(FAMILIES["grid"], 3, 2.5), "shape[1] is 2.5", COUNT),
        (partial(FAMILIES["grid"], (3, 2)), "shape[0] is (3, 2)", COUNT),
        (partial(grid, 3, 2, threshold=5), "threshold is 5", "give a whole number from 0 to 4"),
        (partial(hypercube, 31), "d is 31", "give a whole number from 1 to 30"),
        (partial(hypercube, 3, threshold=-1), "threshold is -1", "give a whole number from 0 to 4"),
        (partial(hamming, 0, 2), "n is 0", "give a whole number from 1 to 30"),
        (partial(hamming, 2, 1), "q is 1", "give a whole number from 2 to 2,147,483,647"),
        (partial(hamming, 2, 3, threshold=4), "threshold is 4", "give a whole number from 0 to 3"),
        (partial(votes, 0), "voters is 0", COUNT),
        (partial(votes, 2, options=1), "options is 1", "give a whole number from 2 to 2,147,483,647"),
        (partial(votes, 2, rule=4), "rule is 4", "give a whole number from 0 to 3"),
        (partial(three_voters, deciding=-1.0), "deciding is -1.0", "give a number from 0 to 690"),
        (partial(counts, []), "groups is []", "give the number of people in each, as in [3, 2]"),
        (partial(FAMILIES["counts"], 5), "groups is 5", "give the number of people in each, as in [3, 2]"),
        (partial(counts, [2, 0]), "groups[1] is 0", COUNT),
        (partial(random_geometric, 0), "n is 0", COUNT),
        (partial(random_geometric, 9, degree=-1.0), "degree is -1.0", "give a number from 0 to 2,147,483,647"),
        (partial(random_geometric, 9, seed=-1), "seed is -1", "give a whole number from 0 to 2,147,483,647"),
        (partial(random_graph, 0, edges=0), "n is 0", COUNT),
        (partial(random_graph, 5, edges=3), "edges is 3", "give a whole number from 4 to 10"),
        (partial(random_graph, 5, edges=11), "edges is 11", "give a whole number from 4 to 10"),
    ],
)
def test_arguments_that_are_none(call: Family, message: str, hint: str) -> None:
    assert refusal(call) == (message, hint)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (partial(path, 2**31 - 1), "characters of keys"),
        (partial(grid, *[10] * 5000), "edges"),
        (partial(hypercube, 30), "edges"),
        (partial(hamming, 30, 2**31 - 1), "edges"),
        (partial(counts, [10**5, 10**5]), "edges"),
        (partial(random_geometric, 10**6, degree=10**6), "edges"),
        (partial(random_graph, 10**5, edges=3 * 10**9), "edges"),
    ],
)
def test_graphs_that_are_too_large(call: Family, what: str) -> None:
    assert refusal(call) == (f"the graph has more than 2,147,483,647 {what}", "make it smaller")


def test_too_many_voters() -> None:
    said = ("1,000 voters make too many datasets", "count the votes in groups of equal epsilon: counts")
    assert refusal(partial(votes, 1000)) == said


@pytest.mark.parametrize("family", [partial(votes, 3), partial(counts, [3])])
def test_rules_that_are_none(family: Family) -> None:
    for rule in ("threshold", "threshold:x", "threshold:1/0", "threshold:4/3", "share:1/2"):
        assert refusal(partial(family, rule=rule)) == (
            f"rule is {rule!r}",
            "give 'majority', a share from 0 to 1 as in 'threshold:2/3', or a number",
        )


# --- path, grid, hypercube, hamming -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_path(n: int) -> None:
    g = path(n, epsilon=np.linspace(0.0, 1.0, n - 1), delta=np.linspace(1.0, 0.0, n - 1))
    assert g.keys.to_pylist() == [str(i) for i in range(n)]
    assert list(zip(g.source.tolist(), g.target.tolist(), strict=True)) == list(pairwise(range(n)))
    assert yes_where(g, lambda key: int(key) < n / 2)
    np.testing.assert_array_equal(g.epsilon, np.linspace(0.0, 1.0, n - 1))
    np.testing.assert_array_equal(g.delta, np.linspace(1.0, 0.0, n - 1))


def test_path_split() -> None:
    assert [int((path(4, split=split).color == 0).sum()) for split in range(5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("shape", [(1,), (7,), (1, 4), (2, 3), (4, 3, 2), (2, 1, 3, 2), (12, 2)])
def test_grid(shape: tuple[int, ...]) -> None:
    levels = [0.5 + i for i in range(len(shape))]
    g = grid(*shape, epsilon=levels)
    assert g.keys.to_pylist() == ["-".join(map(str, x)) for x in np.ndindex(*shape)]
    assert nx.is_isomorphic(g.to_networkx(), nx.grid_graph(shape))
    half = sum(length - 1 for length in shape) / 2
    assert yes_where(g, lambda key: sum(map(int, key.split("-"))) > half)
    for edge, epsilon in epsilons_of(g).items():
        x, y = ([int(c) for c in key.split("-")] for key in edge)
        (step,) = np.flatnonzero(np.subtract(x, y))
        assert abs(x[step] - y[step]) == 1
        assert epsilon == levels[step]


def test_grid_threshold() -> None:
    assert yes_where(grid(3, 4, threshold=2), lambda key: int(key[0]) + int(key[2]) >= 2)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_hypercube(d: int) -> None:
    levels = [0.5 + i for i in range(d)]
    g = hypercube(d, epsilon=levels)
    assert g.keys.to_pylist() == [f"{v:0{d}b}" for v in range(2**d)]
    assert g.edges == d * 2 ** (d - 1)
    assert nx.is_isomorphic(g.to_networkx(), nx.hypercube_graph(d))
    assert yes_where(g, lambda key: key.count("1") > d / 2)
    assert all(epsilon == levels[place_of_difference(*edge)] for edge, epsilon in epsilons_of(g).items())


def test_hypercube_threshold() -> None:
    assert [(hypercube(4, threshold=t).color == 0).sum() for t in range(6)] == [
        sum(comb(4, k) for k in range(t, 5)) for t in range(6)
    ]


@pytest.mark.parametrize(("n", "q"), [(1, 2), (1, 5), (2, 3), (3, 3), (4, 2), (2, 9)])
def test_hamming(n: int, q: int) -> None:
    levels = [0.5 + i for i in range(n)]
    g = hamming(n, q, epsilon=levels)
    assert g.keys.to_pylist() == ["".join(str(a + 1) for a in x) for x in np.ndindex(*[q] * n)]
    assert g.edges == n * (q - 1) * q**n // 2
    power = nx.complete_graph(q)
    for _ in range(n - 1):
        power = nx.cartesian_product(power, nx.complete_graph(q))
    assert nx.is_isomorphic(g.to_networkx(), power)
    assert yes_where(g, lambda key: key.count("1") > n / 2)
    assert all(epsilon == levels[place_of_difference(*edge)] for edge, epsilon in epsilons_of(g).items())


def test_hamming_with_more_than_nine_answers() -> None:
    g = hamming(2, 11, threshold=1)
    assert g.keys.to_pylist() == [f"{a}-{b}" for a in range(1, 12) for b in range(1, 12)]
    assert yes_where(g, lambda key: "1" in key.split("-"))


# --- votes and counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [2, 3])
@pytest.mark.parametrize("voters", [1, 2, 3, 4])
def test_votes(voters: int, options: int) -> None:
    levels = [0.1 * (i + 1) for i in range(voters)]
    g = votes(voters, options=options, epsilon=levels)
    assert len(g) == options**voters
    assert yes_where(g, lambda key: 2 * key.count("1") > voters)
    assert all(epsilon == levels[place_of_difference(*edge)] for edge, epsilon in epsilons_of(g).items())


@pytest.mark.parametrize("share", ["0", "1/3", "0.5", "2/3", "3/4", "1"])
def test_votes_with_a_share(share: str) -> None:
    for voters in range(1, 7):
        g = votes(voters, rule=f"threshold:{share}")
        assert yes_where(g, lambda key: Fraction(key.count("1"), len(key)) >= Fraction(share))


def test_votes_with_a_number() -> None:
    assert yes_where(votes(4, options=3, rule=1), lambda key: "1" in key)


def test_three_voters() -> None:
    """Fig. 1 of Heterogeneous Differential Privacy via Graphs."""
    g = three_voters(epsilon=2.0, deciding=0.25)
    blue = {"111", "112", "121", "211"}
    assert colors_of(g) == {key: "blue" if key in blue else "red" for key in g.keys.to_pylist()}
    assert len(g) == 8
    special = {frozenset(("121", "221")), frozenset(("112", "212"))}
    edges = [("111", "112"), ("111", "121"), ("111", "211"), ("112", "122"), ("112", "212"), ("121", "122")]
    edges += [("121", "221"), ("122", "222"), ("211", "212"), ("211", "221"), ("212", "222"), ("221", "222")]
    assert epsilons_of(g) == {e: 0.25 if e in special else 2.0 for e in map(frozenset, edges)}


@pytest.mark.parametrize("rule", ["majority", "threshold:2/3", 2])
@pytest.mark.parametrize("groups", [[4], [1, 1, 1], [3, 2], [2, 1, 3], [2, 2, 2]])
def test_counts_are_the_quotient_of_votes(groups: list[int], rule: str | int) -> None:
    levels = [0.25 * (i + 1) for i in range(len(groups))]
    people = np.repeat(levels, groups)
    g = votes(sum(groups), rule=rule, epsilon=people)
    quotient = counts(groups, rule=rule, epsilon=levels)
    ends = np.cumsum(groups).tolist()

    def count(key: str) -> str:
        return "-".join(str(key[a:b].count("1")) for a, b in pairwise([0, *ends]))

    colors = colors_of(quotient)
    assert {(count(key), color) for key, color in colors_of(g).items()} == set(colors.items())
    mapped = {(frozenset(map(count, edge)), epsilon) for edge, epsilon in epsilons_of(g).items()}
    assert mapped == set(epsilons_of(quotient).items())


def test_counts_of_three_hundred_people() -> None:
    g = counts([100, 100, 100], epsilon=[0.1, 0.5, 1.0])
    assert (len(g), g.edges) == (101**3, 3 * 100 * 101**2)
    assert g.key(len(g) - 1) == "100-100-100"
    assert [g.colors[g.color[g.index(key)]] for key in ("50-50-51", "50-50-50")] == ["yes", "no"]


# --- random graphs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random_geometric", "random_graph"])
def test_equal_seeds_give_equal_graphs(name: str) -> None:
    g, same = SMALL[name](), SMALL[name]()
    for column in ("color", "source", "target", "epsilon", "delta"):
        np.testing.assert_array_equal(getattr(g, column), getattr(same, column))


def test_other_seeds_give_other_graphs() -> None:
    assert len({tuple(random_graph(50, edges=90, seed=seed).source) for seed in (1, 2, None, None)}) == 4


def test_random_geometric_joins_the_close_points() -> None:
    """Against the definition: the points are the first numbers of the generator."""
    n, degree, seed = 150, 8.0, 3
    g = random_geometric(n, degree=degree, seed=seed)
    points = np.random.default_rng(seed).random((n, 2))
    distance = np.hypot(*(points[:, None] - points[None]).T)
    close = np.triu((n - 1) * np.pi * distance**2 <= degree, 1)
    assert set(zip(g.source.tolist(), g.target.tolist(), strict=True)) == set(map(tuple, np.argwhere(close).tolist()))
    np.testing.assert_array_equal(g.color == 0, points[:, 0] < 0.5)


def test_random_geometric_degree() -> None:
    g = random_geometric(20_000, degree=10.0, epsilon=(0.5, 1.5), seed=1)
    assert 2 * g.edges / len(g) == pytest.approx(10.0, rel=0.05)
    assert 0.5 <= g.epsilon.min() < 0.51
    assert 1.49 < g.epsilon.max() <= 1.5
    assert (random_geometric(1, seed=1).edges, random_geometric(5, degree=0.0, seed=1).edges) == (0, 0)
    assert random_geometric(5, degree=100.0, seed=1).edges == 10


@pytest.mark.parametrize(("n", "edges"), [(1, 0), (2, 1), (3, 2), (3, 3), (9, 8), (9, 20), (9, 36), (2000, 5000)])
def test_random_graph_is_connected_and_simple(n: int, edges: int) -> None:
    for seed in range(5):
        g = random_graph(n, edges=edges, epsilon=(0.25, 0.5), delta=(0.0, 0.125), seed=seed)
        G = g.to_networkx()
        assert (len(G), G.number_of_edges(), g.edges) == (n, edges, edges)
        assert nx.is_connected(G)
        assert nx.number_of_selfloops(G) == 0
        assert ((g.epsilon >= 0.25) & (g.epsilon <= 0.5)).all()
        assert ((g.delta >= 0.0) & (g.delta <= 0.125)).all()


def test_random_graph_reaches_every_graph() -> None:
    """Every dataset but the first has an earlier neighbour; 9 such graphs have 4 datasets and 4 edges."""
    graphs = (random_graph(4, edges=4, seed=seed) for seed in range(200))
    assert len({frozenset(epsilons_of(g)) for g in graphs}) == 9

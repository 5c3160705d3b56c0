"""Blocks give the mechanism of one pass over the whole graph, bit for bit, whatever the partition."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, blocks
from neodp.core.witness import Witness
from neodp.data.validation import Ints
from neodp.errors import IncompatibleAlpha, UnhitBoundary
from tests.problems import KINDS, random_graph

PARTITIONS = ("one", "single", "random", "growth")


def partition(graph: DatasetGraph, how: str) -> Ints:
    """All in one block, a block for every dataset, blocks that are strewn over the graph, or grown ones."""
    if how == "one":
        return np.zeros(len(graph), np.int32)
    if how == "single":
        return np.arange(len(graph), dtype=np.int32)
    if how == "random":
        return np.random.default_rng(len(graph)).integers(0, 4, len(graph)).astype(np.int32)
    return blocks.by_growth(graph, 5)


def rows(path: Path) -> dict[str, tuple[float, ...]]:
    """Key, and p and q, as a folder has them."""
    folder = blocks.open_folder(path)
    return {
        key: tuple(row)
        for block in range(folder.blocks)
        for key, row in zip(folder.keys(block).to_pylist(), folder.rows(block).tolist(), strict=True)
    }


def same(path: Path, mechanism: neodp.Mechanism) -> bool:
    expected = zip(mechanism.graph.keys.to_pylist(), mechanism.probabilities.tolist(), strict=True)
    return rows(path) == {key: tuple(row) for key, row in expected}


@pytest.mark.parametrize("how", PARTITIONS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "arbitrary"])
def test_the_mechanism_is_that_of_memory(kind: str, how: str, tmp_path: Path) -> None:
    """Mixed epsilon, delta, smallest hitting sets, alpha inside, alpha that is rounded in."""
    for seed in range(1 if how == "single" else 2):
        graph, path = random_graph(kind, seed), tmp_path / str(seed)
        expected = neodp.extend(graph)
        blocks.write_graph(graph, partition(graph, how), path)
        found = blocks.extend(path)
        assert same(path, expected)
        assert found.rounded == len(expected.rounded)
        assert (found.vertices, found.edges) == (len(graph), graph.edges)
        assert found.boundary == len(neodp.boundary.boundary_vertices(graph))
        assert found.min_p_true == expected.p_true.min()
        assert found.mean_p_true == pytest.approx(expected.p_true.mean(), rel=1e-12)
        assert not (path / "work" / "extend").exists()


def test_some_of_these_round_alpha_in() -> None:
    assert any(len(neodp.extend(random_graph("rounded", seed)).rounded) for seed in range(3))


@pytest.mark.parametrize("how", PARTITIONS)
def test_incompatible_alpha_is_refused_with_a_witness(how: str, tmp_path: Path) -> None:
    """The same dataset, figures and bound as in memory wherever an alpha had to drop; else a witness that holds."""
    refused = 0
    for seed in range(4 if how == "single" else 8):
        graph, path = random_graph("arbitrary", seed), tmp_path / str(seed)
        blocks.write_graph(graph, partition(graph, how), path)
        theirs = neodp.check(graph).witness
        if theirs is not None:
            refused += 1
            assert isinstance(theirs, Witness)
            with pytest.raises(IncompatibleAlpha, match="lower the first or raise the second") as caught:
                blocks.extend(path)
            mine = caught.value.witness
            assert isinstance(mine, Witness)
            own = graph.colors[graph.color[graph.index(theirs.dataset)]]
            if own == theirs.color:
                figures = ("dataset", "color", "value", "bound")
                assert [getattr(mine, name) for name in figures] == [getattr(theirs, name) for name in figures]
            assert mine.value > mine.bound
            assert (mine.path[0], mine.path[-1]) == (mine.origin, mine.dataset)
            index = [graph.index(key) for key in mine.path]
            pairs = {frozenset(pair) for pair in zip(graph.source.tolist(), graph.target.tolist(), strict=True)}
            assert all(frozenset(pair) in pairs for pair in pairwise(index))
            assert not (path / "mechanism").exists()
        else:
            blocks.extend(path)
            assert same(path, neodp.extend(graph))
    assert refused


def test_both_kinds_of_conflict_cross_a_cut(tmp_path: Path) -> None:
    g = neodp.generate.path(4, epsilon=0.5)
    for number, alpha in enumerate(({"0": 0.9, "1": 0.1}, {"1": 0.9, "2": 0.1})):
        given = g.with_alpha({"1": 0.5} | alpha)
        path = tmp_path / str(number)
        blocks.write_graph(given, np.arange(4, dtype=np.int32), path)
        with pytest.raises(IncompatibleAlpha) as memory:
            neodp.extend(given)
        with pytest.raises(IncompatibleAlpha) as found:
            blocks.extend(path)
        assert str(found.value) == str(memory.value)


def test_a_boundary_that_is_not_hit_is_named(tmp_path: Path) -> None:
    g = neodp.generate.path(4)
    for number, cut in enumerate(([0, 0, 0, 0], [0, 0, 1, 1])):
        blocks.write_graph(g, np.array(cut, np.int32), tmp_path / str(number))
        with pytest.raises(UnhitBoundary) as caught:
            blocks.extend(tmp_path / str(number))
        assert caught.value.message == "the boundary edge '1' – '2' (yes, no) has alpha at neither end"
        assert "neodp.blocks.balanced(" in caught.value.hint


@pytest.mark.parametrize("how", PARTITIONS)
def test_balanced_alpha_is_that_of_memory(how: str, tmp_path: Path) -> None:
    for seed in range(1 if how == "single" else 2):
        graph, path = random_graph("tied", seed), tmp_path / str(seed)
        blocks.write_graph(graph.with_alpha(None), partition(graph, how), path)
        blocks.balanced(path)
        read = blocks.read_graph(blocks.open_folder(path))
        expected = neodp.balanced(graph)
        for key, row in zip(read.keys.to_pylist(), read.alpha, strict=True):
            assert np.array_equal(row, expected[graph.index(key)], equal_nan=True)


@pytest.mark.parametrize("shape", [(5,), (7, 4), (4, 3, 5)])
@pytest.mark.parametrize("count", [1, 3, 8, 1000])
def test_lattices_are_written_box_by_box(shape: tuple[int, ...], count: int, tmp_path: Path) -> None:
    epsilon = [0.1 * (i + 1) for i in range(len(shape))]
    whole = neodp.generate.counts([length - 1 for length in shape], epsilon=epsilon, delta=0.01)
    lattice = neodp.generate.counts_lattice([length - 1 for length in shape], epsilon=epsilon, delta=0.01)
    folder = blocks.write_lattice(lattice, tmp_path / "g", count)
    read = blocks.read_graph(blocks.open_folder(tmp_path / "g"))
    assert (folder.datasets, folder.edges) == (len(whole), whole.edges) == (lattice.datasets, lattice.edges)

    def edges(graph: DatasetGraph) -> set[tuple[str, str, float, float]]:
        keys = graph.keys.to_pylist()
        ends = zip(graph.source, graph.target, graph.epsilon.tolist(), graph.delta.tolist(), strict=True)
        return {(min(keys[u], keys[v]), max(keys[u], keys[v]), e, d) for u, v, e, d in ends}

    def colors(graph: DatasetGraph) -> dict[str, int]:
        return dict(zip(graph.keys.to_pylist(), graph.color.tolist(), strict=True))

    assert edges(read) == edges(whole)
    assert colors(read) == colors(whole)
    if whole.crossing.any() and count < 100:
        blocks.balanced(tmp_path / "g")
        blocks.extend(tmp_path / "g")
        assert same(tmp_path / "g", neodp.extend(whole.with_alpha(neodp.balanced(whole))))


def test_round_blocks_take_fewer_rounds_than_long_or_strewn_ones(tmp_path: Path) -> None:
    g = neodp.generate.grid(12, 12, epsilon=[0.1, 0.3])
    g = g.with_alpha(neodp.balanced(g))
    rounds = {}
    for name, cut in {
        "cubes": blocks.by_cubes((12, 12), 9),
        "growth": blocks.by_growth(g, 9),
        "prefix": blocks.by_prefix(g, 2),
        "strewn": np.random.default_rng(1).integers(0, 9, 144).astype(np.int32),
    }.items():
        blocks.write_graph(g, cut, tmp_path / name)
        rounds[name] = blocks.extend(tmp_path / name).rounds
    assert max(rounds["cubes"], rounds["growth"]) < min(rounds["prefix"], rounds["strewn"])
    assert blocks.by_growth(g, 9).max() == 8
    assert set(np.bincount(blocks.by_growth(g, 9))) == {16}


@pytest.mark.parametrize("how", PARTITIONS)
def test_the_audit_is_that_of_memory(how: str, tmp_path: Path) -> None:
    graph = random_graph("tied", 1)
    mechanism = neodp.extend(graph)
    blocks.write_graph(graph, partition(graph, how), tmp_path / "g")
    blocks.extend(tmp_path / "g")
    mine, theirs = blocks.audit(tmp_path / "g"), neodp.audit(graph, mechanism)
    for name in ("edges", "checks", "violations", "undecided", "exact"):
        assert getattr(mine, name) == getattr(theirs, name)
    assert [edge.tightness for edge in mine.worst] == [edge.tightness for edge in theirs.worst]


def test_the_audit_finds_a_planted_violation_across_a_cut(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    g = neodp.generate.path(6, epsilon=0.5)
    g = g.with_alpha(neodp.balanced(g))
    blocks.write_graph(g, np.array([0, 0, 0, 1, 1, 1], np.int32), tmp_path / "g")
    blocks.extend(tmp_path / "g")
    assert blocks.audit(tmp_path / "g")
    file = tmp_path / "g" / "mechanism" / "00001.parquet"
    table = pq.read_table(file)
    p = table["p"].to_numpy().copy()
    p[0] *= 1 - 1e-14
    pq.write_table(table.set_column(table.column_names.index("p"), "p", pa.array(p)), file)
    report = blocks.audit(tmp_path / "g", worst=1)
    assert not report
    assert (report.worst[0].source, report.worst[0].target) == ("2", "3")
    assert report.worst[0].broken[0].startswith("Pr[yes] is ")

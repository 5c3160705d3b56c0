"""Anybody's mechanism as a table: the exact audit, the losses, and every message."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

import neodp
from neodp.cli import main
from neodp.core.probability_table import Tabulated
from neodp.errors import GraphError

NODES = "key,a,b,c,d\nx,0.4,0.3,0.2,0.1\ny,0.3,0.3,0.3,0.1\nz,0.1,0.2,0.3,0.4\n"

EDGES = "source,target,epsilon\n"


def files(
    folder: Path, nodes: str = NODES, edges: str = "source,target,epsilon\nx,y,0.5\ny,z,1.5\n"
) -> tuple[str, str]:
    one, two = folder / "nodes.csv", folder / "edges.csv"
    one.write_text(nodes)
    two.write_text(edges)
    return str(one), str(two)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["audit", *words])
    return code, *capsys.readouterr()


def test_any_number_of_outputs_without_a_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nodes, edges = files(tmp_path)
    code, out, err = run(capsys, "--nodes", nodes, "--edges", edges, "--losses", "losses.csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["edges"], found["checks"], found["violations"], found["exact"]) == (2, 16, 0, True)
    with open("losses.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["source"] for row in rows] == ["x", "y"]
    assert float(rows[0]["least_epsilon"]) == pytest.approx(math.log(1.5))
    assert float(rows[1]["least_epsilon"]) == pytest.approx(math.log(4))
    assert [float(row["least_delta"]) for row in rows] == [0.0, 0.0]
    assert not list(tmp_path.glob("*.db*"))


def test_a_broken_edge_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes, edges = files(tmp_path, edges="source,target,epsilon,delta\nx,y,0.5,0\ny,z,1,0.05\n")
    code, out, _ = run(capsys, "--nodes", nodes, "--edges", edges)
    assert code == 1
    assert out.startswith("NOT private: 1 of 10 inequalities on 2 edges is broken, checked exactly\n")
    assert "Pr[d] is 0.4" in out
    found = Tabulated.from_tables(nodes, edges).losses()
    assert found.delta[1] == pytest.approx(0.4 - 0.1 * math.e)
    assert found.epsilon[1] == pytest.approx(math.log(0.35 / 0.1))


def test_our_own_mechanism_exported_as_a_table_passes(tmp_path: Path) -> None:
    g = neodp.generate.counts([3, 4], epsilon=[0.3, 1.0])
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    keys = g.keys.to_pylist()
    one, two = ([keys[v] for v in end] for end in (g.source, g.target))
    mine = neodp.Tabulated.from_columns(keys, g.colors, m.probabilities, one, two, g.epsilon)
    assert mine.audit().violations == neodp.audit(g, m).violations == 0
    assert (mine.losses().epsilon <= g.epsilon).all()


def test_a_stored_graph_writes_its_losses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "s.db")
    assert main(["--store", store, "generate", "path", "g", "4", "--epsilon", "0.5", "--balanced"]) == 0
    assert main(["--store", store, "extend", "g"]) == 0
    assert main(["--store", store, "audit", "g", "--losses", str(tmp_path / "l.parquet")]) == 0
    import pyarrow.parquet as pq

    found = pq.read_table(tmp_path / "l.parquet")
    assert found.column_names == ["source", "target", "epsilon", "delta", "least_epsilon", "least_delta"]
    assert max(found["least_epsilon"].to_pylist()) <= 0.5


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ("key,a,b\nx,0.5,0.6\n", EDGES, "dataset 'x': the probabilities add up to 1.1"),
        ("key,a,b\nx,0.5,half\n", EDGES, "nodes.csv, line 2: b is 'half', not a number; give a number"),
        (
            "key,a\nx,1\n",
            EDGES,
            "nodes.csv has 1 column of probabilities; give one for each output",
        ),
        ("name,a,b\nx,1,0\n", EDGES, "nodes.csv has no column 'key'"),
        ("key,a,b\nx,1,0\nx,1,0\n", EDGES, "dataset 'x' occurs twice; give every dataset one row"),
        ("key,a,b\nx,1,0\n", EDGES + "x,y,1\n", "an edge has the end 'y', which is not a dataset"),
        (
            "key,a,b\nx,1,0\ny,1,0\n",
            EDGES + "x,y,-1\n",
            "edge 'x' – 'y': epsilon is -1.0; give",
        ),
        (
            "key,a,b\nx,1,0\ny,1,0\n",
            "source,target\nx,y\n",
            "edges.csv has no column 'epsilon'; add it",
        ),
    ],
)
def test_bad_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str], nodes: str, edges: str, message: str) -> None:
    one, two = files(tmp_path, nodes, edges)
    code, out, err = run(capsys, "--nodes", one, "--edges", two)
    assert (code, out) == (2, "")
    assert message in err
    with pytest.raises(GraphError):
        Tabulated.from_tables(one, two)


def test_what_is_to_be_audited(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("g", "--nodes", "x.csv"), ("--nodes", "x.csv")):
        code, _, err = run(capsys, *words)
        assert (code, err) == (2, "neodp: nothing to audit; give a graph, or --nodes and --edges\n")

"""Folders of blocks on the command line: written, extended, audited, and to and from a store."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import neodp
from neodp import blocks
from neodp.cli import main
from tests.blocks.test_blocks import same
from tests.running import Run, both_stores, document


@pytest.fixture
def neodp_without_store(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, in which no store may appear."""
    monkeypatch.chdir(tmp_path)

    def go(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(words))
        assert not list(tmp_path.glob("*.db"))
        out, err = capsys.readouterr()
        return code, out, err

    return go


WORDS = ("counts", "survey", "6", "7", "--epsilon", "0.5,1", "--balanced", "--to", "D", "--blocks", "4")


def test_generate_extend_and_audit_a_folder(neodp_without_store: Run) -> None:
    run = neodp_without_store
    made = document(run("generate", *WORDS, "--json"))
    assert made == {"graph": "survey", "folder": "D", "blocks": 4, "datasets": 56, "edges": 97}
    g = neodp.generate.counts([6, 7], epsilon=[0.5, 1.0])
    g = g.with_alpha(neodp.balanced(g))
    m = neodp.extend(g)
    found = document(run("extend", "D", "--engine", "blocks", "--workers", "1", "--json"))
    assert same(Path("D"), m)
    assert (found["graph"], found["vertices"], found["edges"], found["written"]) == ("survey", 56, 97, 56)
    assert (found["boundary"], found["min_p_true"]) == (len(neodp.boundary.boundary_vertices(g)), m.p_true.min())
    assert found["rounds"] > 1
    report = document(run("audit", "D", "--engine", "blocks", "--workers", "1", "--json"))
    assert (report["violations"], report["edges"], report["checks"], report["stale"]) == (0, 97, 388, False)
    blocks.balanced("D")
    code, out, _ = run("audit", "D", "--engine", "blocks", "--workers", "1")
    assert code == 1
    assert "A file of the graph was written after the mechanism: neodp extend D --engine blocks" in out


def test_other_families_are_cut_as_they_grow(neodp_without_store: Run) -> None:
    run = neodp_without_store
    assert run("generate", "path", "line", "30", "--to", "P", "--blocks", "3")[0] == 0
    folder = blocks.open_folder("P")
    assert (folder.blocks, folder.partition, folder.datasets) == (3, "grown", 30)
    code, _, err = run("extend", "P", "--engine", "blocks")
    assert code == 1
    assert err == (
        "neodp: the boundary edge '14' – '15' (yes, no) has alpha at neither end; "
        "give alpha to one of them, or use 'neodp generate FAMILY NAME … --balanced --to P'\n"
    )


def test_what_does_not_go_with_a_folder_is_refused(neodp_without_store: Run) -> None:
    run = neodp_without_store
    for words, message in (
        (("extend", "nowhere", "--engine", "blocks"), "nowhere is not a folder of blocks: it has no graph.json"),
        (
            ("extend", "D", "--engine", "blocks", "--mode", "stats"),
            "--engine blocks and spark always write the mechanism, and know two colours only",
        ),
        (("extend", "D", "--engine", "spark"), "--engine spark and --master go together; give both, as in --engine"),
        (("audit", "D", "--engine", "blocks", "--master", "yarn"), "--engine spark and --master go together"),
        (("audit", "D", "--engine", "blocks", "--losses", "x"), "--losses does not work with a folder of blocks"),
        (("generate", "path", "p", "4", "--blocks", "2"), "--blocks is for a folder; give it with --to DIR"),
        (("generate", "counts", "p", "4", "--to", "D", "--split", "2"), "counts has no --split"),
        (("load", "g", "nodes.csv"), "the table of edges is missing; give NODES and EDGES, or a folder of blocks"),
        (
            ("load", "g", ".", "e.csv"),
            ". is a folder of blocks, which already has colours, epsilons and edges; give nothing but the folder",
        ),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert message in err


def test_spark_that_is_not_there(neodp_without_store: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run = neodp_without_store
    assert run("generate", "path", "line", "30", "--to", "S", "--blocks", "3", "--balanced")[0] == 0
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    code, out, err = run("extend", "S", "--engine", "spark", "--master", "local[2]")
    assert (code, out) == (2, "")
    assert err == "neodp: the engine spark needs PySpark; pip install '.[spark]' in the checkout; Java 17\n"


@both_stores
def test_from_a_store_to_a_folder_and_back(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "D")
    assert run("generate", "counts", "survey", "4", "5", "--epsilon", "0.5,1", "--balanced")[0] == 0
    assert document(run("export", "survey", path, "--blocks", "3", "--json"))["blocks"] == 3
    code, _, err = run("extend", path)
    assert (code, f"if the folder is meant, type 'neodp extend {path} --engine blocks'" in err) == (2, True)
    assert run("extend", path, "--engine", "blocks", "--workers", "1")[0] == 0
    assert document(run("load", "again", path, "--json"))["written"] == 30
    for name in ("survey", "again"):
        if name == "survey":
            assert run("extend", name)[0] == 0
        assert document(run("audit", name, "--json"))["violations"] == 0
    streams = [sorted(run("extend", name, "--mode", "stream")[1].splitlines()) for name in ("survey", "again")]
    assert streams[0] == streams[1]
    evaluated = [run("eval", name, "2-3", "--json")[1] for name in ("survey", "again")]
    assert evaluated[0].count("p_true") == evaluated[1].count("p_true") == 1

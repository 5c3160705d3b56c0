"""The commands that keep graphs: init, load, generate, list, show, export and drop, on both stores."""

import gzip
import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neodp import DatasetGraph, generate
from neodp.cli import main
from neodp.store import open_store
from tests.running import Run, both_stores, document, tables


@pytest.mark.usefixtures("bare")
@pytest.mark.usefixtures("bare")
@both_stores
def test_init_twice(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--store", address, *words])
        return code, *capsys.readouterr()

    first, second = document(run("init", "--json")), document(run("init", "--json"))
    assert first["created"]
    assert second["created"] == []
    assert run("init")[1] == "everything already exists\n"


@both_stores
def test_load_list_show_export_drop(run: Run, tmp_path: Path) -> None:
    nodes, edges = tables(tmp_path, "key,color,alpha\na,yes,0.6\nb,no,\n", "source,target,epsilon\na,b,0.5\n")
    loaded = document(run("load", "g", nodes, edges, "--colors", "yes,no", "--json"))
    assert (loaded["graph"], loaded["datasets"], loaded["edges"]) == ("g", 2, 1)
    (listed,) = document(run("list", "--json"))["graphs"]
    assert (listed["name"], listed["colors"], listed["state"], listed["mechanism"]) == (
        "g",
        ["yes", "no"],
        "ready",
        None,
    )
    shown = document(run("show", "g", "--json"))
    assert shown == listed
    assert "none yet: neodp extend g" in run("show", "g")[1]
    written = document(run("export", "g", str(tmp_path / "out"), "--json"))
    assert Path(written["nodes"]).read_text() == '"key","color","alpha"\n"a","yes","0.6"\n"b","no",\n'
    assert (
        document(run("load", "h", written["nodes"], written["edges"], "--colors", "yes,no", "--json"))["datasets"] == 2
    )
    assert document(run("drop", "g", "--yes", "--json")) == {"graph": "g", "dropped": 2}
    assert [g["name"] for g in document(run("list", "--json"))["graphs"]] == ["h"]


def test_load_parquet(run: Run, tmp_path: Path) -> None:
    g = generate.three_voters()
    pq.write_table(
        pa.table({"key": g.keys, "color": [g.colors[c] for c in g.color], "alpha": [[0.5, 0.5]] + [None] * 7}),
        tmp_path / "n.parquet",
    )
    ends = {"source": g.keys.take(pa.array(g.source)), "target": g.keys.take(pa.array(g.target))}
    pq.write_table(pa.table(ends), tmp_path / "e.parquet")
    words = ("load", "g", str(tmp_path / "n.parquet"), str(tmp_path / "e.parquet"))
    assert run(*words)[2] == "neodp: the edges have no epsilon; give it as a column or as one number with --epsilon\n"
    assert document(run(*words, "--epsilon", "0.5", "--json"))["edges"] == 12


def test_generate_each_family(run: Run) -> None:
    for words in (
        ("path", "6"),
        ("grid", "3", "4"),
        ("hypercube", "4", "--epsilon", "1,2,3,4"),
        ("hamming", "2", "3"),
        ("votes", "3", "--rule", "threshold:2/3"),
        ("three-voters", "--deciding", "0.2"),
        ("counts", "2", "3", "--rule", "2"),
        ("random_geometric", "30", "--seed", "1"),
        ("random_graph", "10", "--edges", "12", "--epsilon", "0.1,0.9", "--seed", "1"),
    ):
        code, out, err = run("generate", words[0], f"a {words[0]}", *words[1:], "--balanced")
        assert (code, err) == (0, "")
        assert out.startswith(f"loaded 'a {words[0]}': ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("grod", "g"), "there is no family 'grod'; did you mean 'grid'?"),
        (("path", "g"), "path was given 0 sizes; it takes n"),
        (("path", "g", "3", "4"), "path was given 2 sizes; it takes n"),
        (("path", "g", "3", "--rule", "majority"), "path has no --rule; it has --split, --epsilon, --delta, --colors"),
        (("path", "g", "3", "--epsilon", "much"), "--epsilon is 'much'; give a number, or numbers joined by commas"),
        (("path", "g", "3", "--epsilon", "-1"), "epsilon is -1"),
        (("random_graph", "g", "3"), "random_graph needs --edges; add it"),
    ],
)
def test_generate_refused(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run("generate", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert document(run("list", "--json")) == {"graphs": []}


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (
            "key,color\na,yes\nb,no\n",
            "source,target,epsilon\na,b,lots\n",
            "e.csv, line 2: epsilon is 'lots', not a number",
        ),
        (
            "key,color\na,yes\nb,maybe\n",
            "source,target,epsilon\na,b,1\n",
            "n.csv, line 3 has the unknown colour 'maybe'",
        ),
        *(
            (
                f"key,color,alpha\na,yes,{alpha}\nb,no,0.5\n",
                "source,target,epsilon\na,b,1\n",
                f"n.csv, line 2: alpha is '{alpha}'; give a number",
            )
            for alpha in ("1e999", "0_5", "\u0660", "nan")
        ),
        ("key,colr\na,yes\n", "source,target,epsilon\n", "n.csv has no column 'color'; did you mean 'colr'?"),
        ("key,color\na,yes\nb,no\n", "source,target,epsilon\na,c,1\n", "e.csv, line 2: there is no dataset 'c'"),
    ],
)
def test_load_refused_and_nothing_changed(run: Run, tmp_path: Path, nodes: str, edges: str, message: str) -> None:
    code, out, err = run("load", "g", *tables(tmp_path, nodes, edges), "--colors", "yes,no")
    assert (code, out) == (2, "")
    assert message in err
    assert document(run("list", "--json")) == {"graphs": []}


@both_stores
def test_load_says_all_that_is_wrong_at_once(run: Run, tmp_path: Path) -> None:
    files = tables(tmp_path, "key,color\na,yes\nb\x1b,maybe\n", "source,target,epsilon\na,a\x1b,lots\na,b\x1b,\n")
    code, out, err = run("load", "g", *files, "--colors", "yes,no")
    assert (code, out) == (2, "")
    first, *others = err.splitlines()
    assert first == f"neodp: 4 cells of {files[1]} and {files[0]} cannot be used:"
    assert [line.partition(": ")[2] for line in others] == [
        "epsilon is not a number: line 2 ('lots'); correct the epsilon",
        "a colour is unknown: line 3 ('maybe'); use one of yes, no",
        "the end of an edge is no dataset: line 2 ('a\\x1b'); did you mean 'a'?",
        "epsilon is missing: line 3; give it, or a default with --epsilon",
    ]
    error = json.loads(run("load", "g", *files, "--colors", "yes,no", "--json")[2])["error"]
    assert error["message"] == first.removeprefix("neodp: ").removesuffix(":")
    assert error["details"][1] == others[1].strip()


def test_load_reads_any_table_and_standard_input(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, edges = tmp_path / "n.csv.gz", tmp_path / "e.txt"
    nodes.write_bytes(gzip.compress("\ufeffkey;color;alpha;note\ra;ja;0,25;é\rb;nein;;\r".encode("utf-16")))
    edges.write_bytes("source|target|épsilon\na|b|1\n".encode("windows-1252"))
    words = ("load", "g", str(nodes), "-", "--epsilon", "0.5")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(edges.read_bytes())))
    assert "n.csv.gz has a column 'note', which is not expected" in run(*words)[2]
    ignore = ("--extra-columns", "ignore")
    assert "standard input is not text in UTF-8: line 1 has the byte 0xe9" in run(*words, *ignore)[2]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"source|target\na|b\n")))
    assert document(run(*words, *ignore, "--json"))["edges"] == 1
    code, _, err = run("load", "h", str(edges), str(edges), "--encoding", "windows-1252", "--delimiter", ";")
    hint = "its first line has only one column, source|target|épsilon; name the delimiter with --delimiter"
    assert (code, err) == (2, f"neodp: {edges} has no column 'key'; {hint}\n")


@both_stores
def test_load_missing_file_and_name_taken(survey: Run, tmp_path: Path) -> None:
    code, _, err = survey("load", "g", str(tmp_path / "x.csv"), str(tmp_path / "y.csv"))
    assert code == 2
    assert err == f"neodp: there is no file {tmp_path}/x.csv; correct the path\n"
    before = document(survey("show", "survey", "--json"))
    code, _, err = survey("generate", "path", "survey", "3")
    assert code == 2
    assert "there is a graph 'survey' in" in err
    assert "drop it, or use --replace" in err
    assert document(survey("show", "survey", "--json")) == before
    assert survey("generate", "path", "survey", "3", "--replace")[0] == 0


@both_stores
def test_dropping_asks(survey: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    code, out, err = survey("drop", "survey")
    assert (code, out) == (1, "")
    assert "Delete graph 'survey' with 30 datasets?" in err
    assert len(document(survey("list", "--json"))["graphs"]) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert survey("drop", "survey")[0] == 0
    assert document(survey("list", "--json")) == {"graphs": []}


def test_nothing_is_overwritten_unless_told_to(survey: Run, tmp_path: Path) -> None:
    picture, folder = tmp_path / "p.svg", tmp_path / "out"
    for words, file in ((("plot", "survey", "-o", str(picture)), picture), (("export", "survey", str(folder)), folder)):
        assert survey(*words)[0] == 0
        there = file if file.is_file() else file / "nodes.csv"
        there.write_text("mine")
        code, _, err = survey(*words)
        assert (code, err) == (
            2,
            f"neodp: {there} already exists; name another file, or use --force to replace it\n",
        )
        assert there.read_text() == "mine"
        assert survey(*words, "--force")[0] == 0
        assert there.read_text() != "mine"


def test_nor_are_other_results_and_pictures(survey: Run, tmp_path: Path) -> None:
    there = tmp_path / "there.svg"
    people = tmp_path / "people.csv"
    people.write_text("vote,epsilon\nyes,1\nno,1\n")
    for words in (
        ("audit", "survey", "--losses", str(tmp_path / "there.csv")),
        ("compare", "survey", "survey", "-o", str(there)),
        ("boundary", "--compare", "survey", "survey", "-o", str(there)),
        ("poll", str(people), "--vote", "vote", "--epsilon", "epsilon", "--plot", str(there)),
    ):
        there = Path(words[-1])
        there.write_text("mine")
        code, _, err = survey(*words)
        assert (code, there.read_text()) == (2, "mine")
        assert "already exists; name another file, or use --force to replace it" in err
        assert survey(*words, "--force")[0] == 0
        assert there.read_text() != "mine"


@pytest.mark.parametrize("key", ["=cmd|'/c calc'!A1", "+1+cmd|x", "-2+3*A1", "@SUM(A1)", "\t=1", "\r=1"])
def test_what_a_spreadsheet_would_run_is_not_exported_unasked(run: Run, tmp_path: Path, key: str, address: str) -> None:
    graph = DatasetGraph.from_columns([key, "-1.5e-3"], ["yes", "no"], [key], ["-1.5e-3"], 1.0)
    with open_store(address) as store:
        store.load("g", graph)
    code, _, err = run("export", "g", str(tmp_path / "out"))
    assert code == 2
    assert "of graph 'g' would be run as a formula by a spreadsheet; use --formulas to write it anyway" in err
    assert not (tmp_path / "out").exists()
    assert run("export", "g", str(tmp_path / "out"), "--formulas")[0] == 0
    again = DatasetGraph.from_csv(tmp_path / "out/nodes.csv", tmp_path / "out/edges.csv", colors=["yes", "no"])
    assert again.keys.to_pylist() == graph.keys.to_pylist()

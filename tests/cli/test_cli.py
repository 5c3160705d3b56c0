"""The command line: what it prints, its JSON, its exit codes and every message a user can meet, on both stores."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import Run, document

import neodp
from neodp import generate
from neodp.cli import app, main
from neodp.errors import GraphError
from neodp.store import open_store


def files(folder: Path, nodes: str, edges: str) -> tuple[str, str]:
    (folder / "n.csv").write_text(nodes)
    (folder / "e.csv").write_text(edges)
    return str(folder / "n.csv"), str(folder / "e.csv")


# --- graphs ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("bare")
def test_init_twice(run: Run) -> None:
    first, second = document(run("init", "--json")), document(run("init", "--json"))
    assert first["created"]
    assert second["created"] == []
    assert run("init")[1] == "everything is there already\n"


def test_load_list_show_export_drop(run: Run, tmp_path: Path) -> None:
    nodes, edges = files(tmp_path, "key,color,alpha\na,yes,0.6\nb,no,\n", "source,target,epsilon\na,b,0.5\n")
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
    assert "none stored" in run("show", "g")[1]
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
    assert run(*words)[2] == "neodp: the edges have no epsilon; give it as a column or as one number with epsilon=\n"
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
        (("random_graph", "g", "3"), "random_graph needs --edges; give it"),
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
        ("key,colr\na,yes\n", "source,target,epsilon\n", "n.csv has no column 'color'; did you mean 'colr'?"),
        ("key,color\na,yes\nb,no\n", "source,target,epsilon\na,c,1\n", "e.csv, line 2: there is no dataset 'c'"),
    ],
)
def test_load_refused_and_nothing_changed(run: Run, tmp_path: Path, nodes: str, edges: str, message: str) -> None:
    code, out, err = run("load", "g", *files(tmp_path, nodes, edges), "--colors", "yes,no")
    assert (code, out) == (2, "")
    assert message in err
    assert document(run("list", "--json")) == {"graphs": []}


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


# --- mechanisms -----------------------------------------------------------------------------------------------


def test_check_and_its_exit_codes(run: Run) -> None:
    run("generate", "path", "g", "4")
    code, out, err = run("check", "g", "--json")
    assert (code, err) == (1, "")
    report = json.loads(out)
    assert (report["connected"], report["boundary_hit"], report["compatible"], report["witness"]) == (
        True,
        False,
        None,
        None,
    )
    assert report["unhit"] == ["1", "2"]
    assert "not hit at '1' – '2'" in run("check", "g")[1]
    assert run("boundary", "g", "--balanced", "--write")[0] == 0
    assert document(run("check", "g", "--json"))["compatible"] is True


def test_an_incompatible_alpha(run: Run, tmp_path: Path) -> None:
    nodes, edges = files(tmp_path, "key,color,alpha\na,yes,0.99\nb,no,0.01\n", "source,target,epsilon\na,b,0.5\n")
    run("load", "g", nodes, edges, "--colors", "yes,no")
    code, out, _ = run("check", "g", "--json")
    witness = json.loads(out)["witness"]
    assert code == 1
    assert (witness["dataset"], witness["origin"], witness["path"]) == ("b", "a", ["a", "b"])
    code, out, err = run("extend", "g")
    assert (code, out) == (1, "")
    assert "alpha at 'b' makes Pr[no] 0.99, at most 0.0164872 is possible: 'a' has 0.01 and is epsilon 0.5 away" in err
    code, _, err = run("extend", "g", "--json")
    error = json.loads(err)["error"]
    assert (code, error["kind"]) == (1, "incompatible_alpha")
    assert set(error) == {"kind", "message", "hint"}


def test_boundary_shows_and_chooses(run: Run) -> None:
    run("generate", "path", "g", "6")
    shown = document(run("boundary", "g", "--json"))
    assert (shown["boundary"], shown["boundary_edges"], shown["minimum_hitting_set"], shown["hit"]) == (2, 1, 1, False)
    assert shown["datasets"] == [
        {"key": "2", "color": "yes", "alpha": None},
        {"key": "3", "color": "no", "alpha": None},
    ]
    chosen = document(run("boundary", "g", "--alpha", "0.7", "--json"))
    assert chosen["datasets"][0]["alpha"]["yes"] == 0.7
    assert chosen["written"] == 0
    assert document(run("boundary", "g", "--json"))["given"] == 0
    assert document(run("boundary", "g", "--alpha", "0.7", "--write", "--json"))["written"] == 2
    assert document(run("boundary", "g", "--json"))["given"] == 2
    for words, message in (
        (("--balanced", "--alpha", "0.5"), "--balanced and --alpha are two choices; give one of them"),
        (("--write",), "there is no alpha to write; choose one with --balanced, --alpha or --optimize"),
        (("--alpha", "1.5"), "alpha is 1.5; give a probability from 0 to 1"),
    ):
        code, _, err = run("boundary", "g", *words)
        assert (code, err) == (2, f"neodp: {message}\n")


def test_extend_in_each_mode(run: Run) -> None:
    run("generate", "counts", "g", "4", "5", "--epsilon", "0.5,1", "--balanced")
    estimate = document(run("extend", "g", "--mode", "estimate", "--json"))
    assert estimate["vertices"] == 30
    assert 0 < estimate["bytes_min"] < estimate["bytes_max"]
    stats = document(run("extend", "g", "--mode", "stats", "--json"))
    assert (stats["vertices"], stats["edges"], stats["boundary"], stats["written"]) == (30, 49, 10, 0)
    code, out, err = run("extend", "g", "--mode", "stream", "--json")
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 30
    assert document(run("show", "g", "--json"))["mechanism"] is None
    written = document(run("extend", "g", "--engine", "exact", "--json"))
    assert written == stats | {"written": 30}
    g = generate.counts([4, 5], epsilon=[0.5, 1.0])
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    for line in lines:
        assert line["probabilities"] == m[line["key"]]
        assert line["p_true"] == m[line["key"]][line["color"]]
    assert len(run("extend", "g", "--mode", "stream")[1].splitlines()) == 30


def test_audit(survey: Run, address: str) -> None:
    report = document(survey("audit", "survey", "--json"))
    assert (report["edges"], report["checks"], report["violations"], report["stale"]) == (49, 196, 0, False)
    assert len(report["worst"]) == 5
    assert survey("audit", "survey")[1].startswith("0 of 196 inequalities on 49 edges broken, checked exactly\n")


def test_audit_without_a_mechanism(run: Run) -> None:
    run("generate", "path", "g", "4")
    code, out, err = run("audit", "g")
    assert (code, out) == (1, "")
    assert err == "neodp: graph 'g' has no whole mechanism; run 'neodp extend g' first\n"


def test_audit_of_a_broken_or_stale_mechanism(survey: Run, address: str) -> None:
    """Somebody halves the epsilon of an edge past neodp."""
    with open_store(address) as store:
        graph = store.read("survey")
        halved = neodp.DatasetGraph.from_columns(
            graph.keys,
            graph.color,
            graph.source,
            graph.target,
            graph.epsilon / 2,
            graph.delta,
            graph.alpha,
            colors=graph.colors,
        )
        mechanism = neodp.Mechanism.of(halved, store.mechanism("survey").mechanism.probabilities)
        store.load("survey", halved, replace=True)
        store.write("survey", mechanism)
    code, out, err = survey("audit", "survey", "--json")
    assert (code, err) == (1, "")
    report = json.loads(out)
    assert report["violations"] > 0
    assert report["worst"][0]["broken"]
    text = survey("audit", "survey")[1]
    assert "beyond epsilon" in text


# --- queries and pictures -------------------------------------------------------------------------------------


def test_queries(survey: Run) -> None:
    listed = document(survey("query", "--list", "--json"))["queries"]
    assert {"summary", "least_accurate", "neighborhood"} <= {q["name"] for q in listed}
    found = document(survey("query", "least_accurate", "survey", "limit=2", "--json"))
    assert found["columns"] == ["key", "color", "p_true", "distance"]
    assert len(found["rows"]) == 2
    assert document(survey("query", "neighborhood", "survey", "key=1-1", "--json"))["rows"]
    assert "least_accurate" in survey("query", "--list")[1]
    assert "MATCH" in survey("query", "summary", "--cypher")[1]
    assert "no rows" in survey("query", "missing_alpha", "survey")[1]
    for words, message in (
        (("query",), "which query, on which graph?"),
        (("query", "sumary", "survey"), "there is no query 'sumary'; did you mean 'summary'?"),
        (("query", "least_accurate", "survey", "5"), "'5' is no parameter; give name=value, as in limit=5"),
        (("query", "least_accurate", "survey", "limit=x"), "limit is 'x'; give a whole number"),
        (("query", "neighborhood", "survey"), "query 'neighborhood' needs the parameter 'key'; give it as key=…"),
    ):
        code, _, err = survey(*words)
        assert code == 2
        assert message in err


def test_plots(survey: Run, tmp_path: Path) -> None:
    for suffix in ("svg", "png", "html"):
        file = tmp_path / f"picture.{suffix}"
        assert document(survey("plot", "survey", "-o", str(file), "--json"))["file"] == str(file)
        assert file.stat().st_size > 1000
    code, _, err = survey("plot", "survey", "-o", str(tmp_path / "picture.gif"))
    assert code == 2
    assert "use .svg, .png or .html" in err


# --- words and stores -----------------------------------------------------------------------------------------


def test_unknown_graphs_are_named_with_their_neighbors(survey: Run, tmp_path: Path) -> None:
    for words in (
        ("show", "surveys"),
        ("check", "surveys"),
        ("boundary", "surveys"),
        ("extend", "surveys"),
        ("audit", "surveys"),
        ("drop", "surveys", "--yes"),
        ("export", "surveys", str(tmp_path)),
        ("query", "summary", "surveys"),
        ("plot", "surveys", "-o", "x.svg"),
    ):
        code, out, err = survey(*words)
        assert (code, out) == (2, "")
        assert "there is no graph 'surveys' in" in err
        assert "did you mean 'survey'?" in err


def test_names_of_any_kind(run: Run) -> None:
    for name in ("it's", 'say "hi"', "back`tick", "\\u0060", "new\nline", "🗳 vote", "--json"):
        assert run("generate", "path", "--balanced", "--", name, "4")[0] == 0 or name == "--json"
        if name != "--json":
            assert run("extend", name)[0] == 0
            assert document(run("audit", name, "--json"))["violations"] == 0
            assert document(run("drop", name, "--yes", "--json"))["dropped"] == 4


def test_wrong_words(run: Run) -> None:
    for words, message in (
        (("frobnicate",), "No such command 'frobnicate'; see 'neodp --help'"),
        (("extend",), "Missing argument 'GRAPH'; see 'neodp extend --help'"),
        (("extend", "g", "--mode", "fast"), "'fast' is not one of"),
        (("list", "--jsn"), "No such option"),
    ):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert message in err
    code, _, err = run("frobnicate", "--json")
    assert (code, json.loads(err)["error"]["kind"]) == (2, "usage")


def test_every_command_has_help_with_an_example(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for command in [c.name or "" for c in app.registered_commands]:
        assert command in out
        code, text, _ = run(command, "--help")
        assert code == 0
        assert f"neodp {command}" in " ".join(text.split()) or command in ("init",)
        assert "--json" in text


@pytest.mark.parametrize("address", ["embedded"], indirect=True)
def test_completion_scripts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "bash"))  # tests may run without any shell
    code, out, _ = run("--show-completion")
    assert code == 0
    assert "neodp" in out


def test_demo(tmp_path: Path) -> None:
    """As a user starts it: end to end, in an empty folder, without any server."""
    words = [sys.executable, "-m", "neodp", "demo"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J", "NEODP"))}
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "0 of 48 inequalities on 12 edges broken, checked exactly" in run.stdout
    assert "Pr[blue]" in run.stdout
    assert "Try next" in run.stdout
    assert (tmp_path / "neodp-demo" / "three_voters.svg").read_text(encoding="utf-8").startswith("<?xml")
    again = subprocess.run(
        [*words, "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout)["violations"] == 0


def test_a_store_of_no_known_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--store", "http://localhost", "list"]) == 2
    assert "the store http://… is of no known kind; use neo4j, neo4j+s" in capsys.readouterr().err
    assert main(["--store", "bolt://me:secret@localhost", "list"]) == 2
    error = capsys.readouterr().err
    assert "give them as NEO4J_USERNAME and NEO4J_PASSWORD instead" in error
    assert "secret" not in error


def test_an_internal_error_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(neodp.store.base.Store, "info", broken)
    code, out, err = run("show", "g")
    assert (code, out) == (1, "")
    assert err == (
        "neodp: something went wrong inside neodp (ZeroDivisionError: oops); set NEODP_DEBUG=1 to see where\n"
    )
    monkeypatch.setenv("NEODP_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("show", "g")


def test_errors_know_what_to_do() -> None:
    assert str(GraphError("this is wrong", "do that")) == "this is wrong; do that"
    assert str(GraphError("this is wrong")) == "this is wrong"

"""The commands that find and check mechanisms: check, boundary, extend and audit, on both stores."""

import json
from pathlib import Path

import neodp
from neodp import generate
from neodp.store import open_store
from tests.running import Run, both_stores, document, tables


@both_stores
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
    assert "the boundary edge '1' – '2' has alpha at neither end" in run("check", "g")[1]
    assert run("boundary", "g", "--balanced", "--write")[0] == 0
    assert document(run("check", "g", "--json"))["compatible"] is True


def test_an_incompatible_alpha(run: Run, tmp_path: Path) -> None:
    nodes, edges = tables(tmp_path, "key,color,alpha\na,yes,0.99\nb,no,0.01\n", "source,target,epsilon\na,b,0.5\n")
    run("load", "g", nodes, edges, "--colors", "yes,no")
    code, out, _ = run("check", "g", "--json")
    witness = json.loads(out)["witness"]
    assert code == 1
    assert (witness["dataset"], witness["origin"], witness["path"]) == ("b", "a", ["a", "b"])
    assert run("check", "g")[1].endswith("choose a compatible alpha: neodp boundary g --balanced --write\n")
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
        (("--balanced", "--alpha", "0.5"), "--balanced and --alpha cannot be combined; give one of them"),
        (("--write",), "there is no alpha to write; choose one with --balanced, --alpha or --optimize"),
        (("--alpha", "1.5"), "alpha is 1.5; give a probability from 0 to 1"),
    ):
        code, _, err = run("boundary", "g", *words)
        assert (code, err) == (2, f"neodp: {message}\n")


@both_stores
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


@both_stores
def test_audit(survey: Run, address: str) -> None:
    report = document(survey("audit", "survey", "--json"))
    assert (report["edges"], report["checks"], report["violations"], report["stale"]) == (49, 196, 0, False)
    assert len(report["worst"]) == 5
    said = "private: none of 196 inequalities on 49 edges is broken, checked exactly\nThe tightest edges:\n"
    assert survey("audit", "survey")[1].startswith(said)


def test_audit_without_a_mechanism(run: Run) -> None:
    run("generate", "path", "g", "4")
    code, out, err = run("audit", "g")
    assert (code, out) == (1, "")
    assert err == "neodp: graph 'g' has no complete mechanism; run 'neodp extend g' first\n"


@both_stores
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

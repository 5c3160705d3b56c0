"""The command line with more than two colours, on both stores: the same commands, no others."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from neodp.store import open_store
from tests.running import Run, both_stores, document, tables

NODES = """key,color,alpha,preference
a,red,,red;blue;green
b,red,0.5;0.3;0.2,red;blue;green
c,blue,0.3;0.5;0.2,blue;red;green
d,blue,,blue;red;green
"""
EDGES = "source,target,epsilon\na,b,0.6\nb,c,0.6\nc,d,0.6\n"


def files(folder: Path, nodes: str = NODES, edges: str = EDGES) -> tuple[str, str]:
    return tables(folder, nodes, edges)


@both_stores
def test_from_files_to_a_picture(run: Run, tmp_path: Path) -> None:
    assert run("load", "g", *files(tmp_path), "--colors", "red,blue,green")[0] == 0
    report = document(run("check", "g", "--json"))
    assert (report["connected"], report["boundary_hit"], report["compatible"], report["witness"]) == (
        True,
        True,
        True,
        None,
    )
    facts = document(run("extend", "g", "--json"))
    assert (facts["vertices"], facts["boundary"], facts["written"], facts["method"]) == (4, 2, 4, "table")
    lines = run("extend", "g", "--mode", "stream", "--json")[1].splitlines()
    rows = {row["key"]: row for row in map(json.loads, lines)}
    assert rows["b"]["probabilities"] == {"red": 0.5, "blue": 0.3, "green": 0.2}
    assert rows["a"]["p_true"] == rows["a"]["probabilities"]["red"] > 0.5
    audit = document(run("audit", "g", "--json"))
    assert (audit["edges"], audit["checks"], audit["violations"], audit["exact"]) == (3, 18, 0, True)
    orders = document(run("query", "orders", "g", "--json"))["rows"]
    assert [(row["order"], row["datasets"]) for row in orders] == [("blue > red > green", 2), ("red > blue > green", 2)]
    for words in ((), ("--lines",)):
        for kind in ("svg", "html"):
            file = tmp_path / f"picture.{kind}"
            assert run("plot", "g", "-o", str(file), "--force", *words)[0] == 0
            assert file.stat().st_size > 5000
    exported = document(run("export", "g", str(tmp_path / "out"), "--json"))
    assert "b,red,0.5;0.3;0.2,red;blue;green" in Path(exported["nodes"]).read_text().replace('"', "")
    assert run("load", "again", exported["nodes"], exported["edges"], "--colors", "red,blue,green")[0] == 0
    assert document(run("extend", "again", "--json"))["mean_p_true"] == facts["mean_p_true"]


def test_boundary_chooses_by_rank(run: Run, tmp_path: Path) -> None:
    run("generate", "plurality", "g", "5", "--options", "3", "--epsilon", "0.5")
    shown = document(run("boundary", "g", "--json"))
    assert (shown["orders"], shown["minimum_hitting_set"], shown["given"], shown["hit"]) == (6, None, 0, False)
    code, out, _ = run("check", "g", "--json")
    assert (code, json.loads(out)["boundary_hit"]) == (1, False)
    chosen = document(run("boundary", "g", "--alpha", "0.4;0.33;0.27", "--json"))["datasets"][0]
    best = dict(zip(chosen["preference"], [0.4, 0.33, 0.27], strict=True))
    assert chosen["alpha"] == pytest.approx(best)
    share = document(run("boundary", "g", "--alpha", "0.4", "--json"))["datasets"][0]
    assert sorted(share["alpha"].values()) == pytest.approx([0.3, 0.3, 0.4])
    written = document(run("boundary", "g", "--balanced", "--write", "--json"))
    assert (written["written"], written["hit"]) == (written["boundary"], True)
    assert "order of the answers" in run("boundary", "g")[1]
    assert run("boundary", "g", "--alpha", "much")[2] == (
        "neodp: --alpha is 'much'; give a number, or one per rank joined by ';'\n"
    )
    assert document(run("extend", "g", "--json"))["rounded"] == 0


@both_stores
def test_mixed_epsilons_and_the_method(run: Run, tmp_path: Path) -> None:
    run("generate", "plurality", "g", "4", "3", "--options", "3", "--epsilon", "0.2,1.2", "--balanced")
    line = document(run("extend", "g", "--method", "line", "--json"))
    prefix = document(run("extend", "g", "--json"))
    assert (line["method"], prefix["method"]) == ("line", "prefix")
    assert line["mean_p_true"] <= prefix["mean_p_true"]
    assert document(run("audit", "g", "--json"))["violations"] == 0


@both_stores
def test_prefix_sums_that_break_privacy_are_refused_and_not_written(run: Run, tmp_path: Path) -> None:
    """From a, the way over b bounds one prefix sum of d most, the way over c the other."""
    rows = ["a,x,x;y;z,.18;.28;.54", "b,x,x;y;z,", "c,x,x;y;z,", "d,x,x;y;z,", "e,y,y;z;x,.18;.28;.54"]
    nodes = "\n".join(["key,color,preference,alpha", *rows])
    edges = "source,target,epsilon\ne,a,1\na,b,0.7\nb,d,0.8\na,c,1.7\nc,d,0.6\n"
    assert run("load", "g", *files(tmp_path, nodes, edges), "--colors", "x,y,z")[0] == 0
    code, out, err = run("extend", "g", "--method", "prefix")
    assert (code, out) == (1, "")
    said = "neodp: the largest prefix sums are not private together on 1 of 5 edges, such as 'c' – 'd': Pr[y] is 0.16"
    assert err.startswith(said)
    assert run("audit", "g")[0] == 1
    assert document(run("extend", "g", "--json"))["method"] == "optimal"
    assert document(run("audit", "g", "--json"))["violations"] == 0


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("d,blue,,blue;red;green", "d,blue,,", 2, "dataset 'd' of 'g' has no preference: which of red, green"),
        ("c,blue,0.3;0.5;0.2", "c,blue,", 1, "no boundary dataset of the order blue > red > green has alpha"),
        ("c,blue,0.3;0.5;0.2", "c,blue,0.1;0.7;0.2", 1, "alpha at 'b' makes Pr[red] 0.5, at most 0.182212"),
        ("a,red,,", "a,red,0.5;0.3;0.2,", 2, "alpha is given at 'a', whose neighbours all have its order"),
    ],
)
def test_extend_refuses_by_name(run: Run, tmp_path: Path, old: str, new: str, code: int, message: str) -> None:
    assert run("load", "g", *files(tmp_path, NODES.replace(old, new)), "--colors", "red,blue,green")[0] == 0
    found, out, err = run("extend", "g")
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    found, out, err = run("extend", "g", "--json")
    assert message in json.loads(err)["error"]["message"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "b,red,0.5;0.3;0.2,red;blue",
            "n.csv, line 3: the preference is red, blue; name each of red, blue, green once",
        ),
        (
            "b,red,0.5;0.3;0.2,blue;red;green",
            "n.csv, line 3 has the colour red and prefers blue; name its colour first",
        ),
        ("b,red,0.5,red;blue;green", "n.csv, line 3: alpha is one number; give one for each of the 3 colours"),
    ],
)
def test_load_refuses_by_line(run: Run, tmp_path: Path, row: str, message: str) -> None:
    nodes = NODES.replace("b,red,0.5;0.3;0.2,red;blue;green", row)
    code, out, err = run("load", "g", *files(tmp_path, nodes), "--colors", "red,blue,green")
    assert (code, out) == (2, "")
    assert message in err
    assert document(run("list", "--json")) == {"graphs": []}


def test_families_by_plurality(run: Run) -> None:
    for words in (
        ("plurality", "p", "6", "--colors", "a,b,c"),
        ("votes", "v", "3", "--options", "3", "--rule", "plurality"),
        ("hamming", "h", "3", "3", "--rule", "plurality"),
    ):
        assert run("generate", *words, "--balanced")[0] == 0
        assert document(run("extend", words[1], "--json"))["method"] == "table"


@both_stores
def test_the_best_on_average_is_stored_shown_and_answers_without_alpha(run: Run) -> None:
    run("generate", "plurality", "g", "3", "2", "--options", "3", "--epsilon", "0.2,1.2")
    said = run("extend", "g", "--method", "optimal")[1]
    assert "method      the best on average, by a linear program\n" in said
    assert "averaged over all datasets; no private mechanism, with the same alpha if there is one, exceeds" in said
    assert "optimality  0." in run("show", "g")[1]
    found = document(run("extend", "g", "--method", "optimal", "--prior", "distance", "--json"))
    assert (found["method"], found["prior"], found["bound"] - found["expected"] < 1e-6) == ("optimal", "distance", True)
    assert document(run("show", "g", "--json"))["mechanism"]["bound"] == found["bound"]
    assert document(run("audit", "g", "--json"))["violations"] == 0
    assert run("answer", "g", "3-0-0/2-0-0", "--release", "r")[0] == 0
    assert document(run("extend", "g", "--method", "distance", "--json"))["method"] == "distance"
    for options in (["--method", "line"], ["--method", "optimal", "--mode", "stream"]):
        code, _, err = run("extend", "g", *options, "--prior", "uniform")
        assert code == 2
        assert "--prior only works with --method optimal, and --mode write or stats; give these as well" in err


def test_optimize_and_what_if_take_more_than_two_colors(run: Run) -> None:
    run("generate", "plurality", "g", "3", "2", "--options", "3", "--epsilon", "0.3,1.5")
    found = document(run("boundary", "g", "--optimize", "--write", "--json"))
    best, even = found["choices"]
    assert (best["choice"], even["choice"]) == ("optimized", "balanced")
    assert best["expected"] > even["expected"]
    assert document(run("extend", "g", "--json"))["mean_p_true"] == pytest.approx(best["expected"], abs=1e-9)
    assert run("boundary", "g", "--optimize", "--fair")[2] == (
        "neodp: 'g' has 3 colours, and with more than two, alpha does not determine the accuracy away from the "
        "boundary; leave out 'fair', which needs two colours\n"
    )
    now, low, high = document(run("what-if", "g", "--by", "0.5", "--json"))["what_if"]
    assert now["mean"] < high["mean"] < low["mean"]
    assert "by the best mechanism on average:" in run("what-if", "g", "--by", "0.5")[1]


def test_two_optima_are_compared_drawn_and_proven_again(run: Run, tmp_path: Path) -> None:
    for name, method in (("best", "optimal"), ("far", "distance")):
        run("generate", "plurality", name, "3", "2", "--options", "3", "--epsilon", "0.3,1.5")
        assert run("extend", name, "--method", method)[0] == 0
    picture = tmp_path / "both.svg"
    found = document(run("compare", "best", "far", "-o", str(picture), "--json"))
    assert found["mean"][0] > found["mean"][1]
    assert picture.stat().st_size > 5_000
    for words in ((), ("--lines",)):
        assert run("plot", "best", "-o", str(tmp_path / "best.svg"), "--force", *words)[0] == 0
    proof = document(run("audit", "best", "--optimality", "--json"))
    shown = document(run("show", "best", "--json"))["mechanism"]
    assert (proof["violations"], proof["prior"], proof["stored"]) == (0, "uniform", shown["expected"])
    assert proof["expected"] == pytest.approx(shown["expected"], abs=1e-12)
    assert 0.0 <= proof["bound"] - proof["expected"] < 1e-9
    gap = document(run("audit", "far", "--optimality", "--prior", "distance", "--json"))
    assert (gap["stored"], gap["prior"], gap["bound"] - gap["expected"] > 0.01) == (None, "distance", True)
    said = run("audit", "best", "--optimality")[1]
    assert "Proven again: 0." in said
    assert "no private mechanism, with the same alpha if there is one, exceeds that by more than" in said
    assert "and removed the mechanism that was made before; next:" in run("boundary", "far", "--balanced", "--write")[1]
    run("extend", "best", "--method", "optimal", "--prior", "p_true")
    assert run("audit", "best", "--optimality")[2] == (
        "neodp: the weights for which the mechanism of graph 'best' is the best are not stored; "
        "give them with --prior\n"
    )
    assert run("audit", "best", "--prior", "uniform")[2] == (
        "neodp: --prior only works with --optimality; give --optimality as well\n"
    )
    assert run("audit", "--nodes", "n.csv", "--edges", "e.csv", "--optimality")[2] == (
        "neodp: --optimality needs a graph in a store; load the graph, and name it\n"
    )


@both_stores
def test_a_stored_accuracy_that_is_not_there_is_noticed(run: Run, address: str) -> None:
    run("generate", "plurality", "g", "2", "2", "--options", "3", "--epsilon", "0.3,1.5")
    run("extend", "g", "--method", "optimal")
    with open_store(address) as store:
        kept = store.mechanism("g").mechanism
        store.write("g", replace(kept, probabilities=kept.probabilities * 0.75 + 0.25 / 3))
    code, out, _ = run("audit", "g", "--optimality")
    assert code == 1
    assert "The stored accuracy, 0." in out
    assert run("audit", "g")[0] == 0

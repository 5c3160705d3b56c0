"""``neodp stretch``: what it prints, its JSON, its exit codes and its messages, on both stores."""

import json
import re
from pathlib import Path

import pytest

from neodp.cli import main
from tests.running import Run, both_stores, document

RATINGS = "user,item,rating\n" + "".join(
    f"u{u},i{i},{5 if (u + i) % 3 else 1}\n" for u in range(6) for i in range(u % 2, 8)
)


@pytest.fixture
def ratings(tmp_path: Path) -> str:
    (tmp_path / "films.csv").write_text(RATINGS)
    return str(tmp_path / "films.csv")


@pytest.fixture
def films(run: Run, ratings: str) -> Run:
    """A store with the profile "films"."""
    assert run("stretch", "load", ratings, "--threshold", "4", "--weights", "0.5")[0] == 0
    assert run("budget", "--releases", "9")[0] == 0
    return run


@both_stores
def test_load_list_drop(run: Run, ratings: str) -> None:
    loaded = document(run("stretch", "load", ratings, "--threshold", "4", "--weights", "westin", "--json"))
    assert (loaded["profile"], loaded["users"], loaded["items"], loaded["without_weight"]) == ("films", 6, 8, 0)
    assert run("stretch", "load", ratings, "--name", "rated", "--best", "5", "--weights", "slices:0.5:3")[0] == 0
    listed = document(run("stretch", "list", "--json"))["profiles"]
    assert [(p["name"], p["likes"], p["state"]) for p in listed] == [
        ("films", loaded["likes"], "ready"),
        ("rated", 45, "ready"),
    ]
    assert "rated" in run("stretch", "list")[1]
    code, out, err = run("stretch", "load", ratings)
    assert (code, out) == (2, "")
    assert "there is a profile 'films' in" in err
    assert run("stretch", "load", ratings, "--replace")[1] == "loaded 'films': 6 users, 8 items, 45 likes\n"
    assert document(run("stretch", "drop", "films", "--yes", "--json")) == {"profile": "films", "dropped": 6}
    assert run("stretch", "drop", "rated", "-y")[1] == "dropped 'rated': 6 users\n"
    assert "has no profiles; load some with 'neodp stretch load'" in run("stretch", "list")[1]


def test_weights_of_a_file(run: Run, ratings: str, tmp_path: Path) -> None:
    (tmp_path / "weights.csv").write_text("item,weight\ni0,0.25\ni1,1\n")
    code, out, _ = run("stretch", "load", ratings, "--weights", str(tmp_path / "weights.csv"))
    assert code == 0
    assert "likes had no weight and got weight 0, so they have no influence" in out
    rows = document(run("query", "weight_histogram", "films", "--json"))["rows"]
    assert {row["weight"] for row in rows} == {0.0, 0.2, 1.0}


@both_stores
def test_similarity(films: Run) -> None:
    found = document(films("stretch", "similarity", "films", "u0", "u3", "--epsilon", "0.5", "--json"))
    assert (found["users"], found["measure"], found["epsilon"], found["releases"], found["epsilon_total"]) == (
        ["u0", "u3"],
        "cosine",
        0.5,
        2,
        1.0,
    )
    assert isinstance(found["score"], float)
    _, out, _ = films("stretch", "similarity", "films", "u0", "u3", "--total", "1", "--measure", "dot")
    assert (
        "cost to either of them: 1 number × epsilon 1 = 1 for an item of weight 1, and less for an item of "
        "less weight; asking again costs the same again" in out
    )


@both_stores
def test_neighbors(films: Run) -> None:
    found = document(films("stretch", "neighbors", "films", "-k", "2", "--total", "3", "--write", "--json"))
    assert (found["epsilon"], found["releases"], found["others"], found["written"]) == (0.5, 6, None, 12)
    assert [(row["user"], row["rank"]) for row in found["neighbors"][:3]] == [("u0", 1), ("u0", 2), ("u1", 1)]
    similar = document(films("query", "similar_users", "films", "user=u0", "--json"))
    assert similar["profile"] == "films"
    assert [row["user"] for row in similar["rows"]] == [row["neighbor"] for row in found["neighbors"][:2]]
    of_one = ("stretch", "neighbors", "films", "--user", "u2")
    one = document(films(*of_one, "-k", "3", "--total", "3", "--json"))
    assert (one["epsilon"], one["releases"], one["others"]["releases"], len(one["neighbors"])) == (1.0, 3, 2, 3)
    assert {row["score"] for row in one["neighbors"]} == {None}
    nearest = document(films(*of_one, "-k", "1", "--total", "3", "--json"))
    assert (nearest["epsilon"], nearest["releases"], nearest["others"]["releases"]) == (1.5, 1, 2)
    scored = document(films(*of_one, "--epsilon", "1", "--scores", "--json"))
    assert (scored["releases"], scored["others"]["releases"], len(scored["neighbors"])) == (6, 2, 5)
    assert all(isinstance(row["score"], float) for row in scored["neighbors"])
    _, out, _ = films(*of_one, "--epsilon", "1", "--limit", "3", "--write")
    for line in (
        "… and 2 more",
        "kept 5 neighbours",
        "cost to user u2: 5 numbers ×",
        "cost to every other user: 2 numbers ×",
    ):
        assert line in out
    assert "score" not in out
    code, out, err = films("stretch", "neighbors", "films", "--scores", "--epsilon", "1")
    assert (code, out) == (2, "")
    assert "--scores goes with --user; the neighbours of all users always have scores: leave it out" in err
    assert (
        "cost to every user: 6 numbers × epsilon 1 = 6" in films("stretch", "neighbors", "films", "--epsilon", "1")[1]
    )


def test_queries_are_listed(films: Run) -> None:
    listed = {q["name"]: q for q in document(films("query", "--list", "--json"))["queries"]}
    assert (listed["similar_users"]["on"], listed["similar_users"]["parameters"]) == ("profile", ["user", "limit"])
    assert listed["summary"]["on"] == "graph"
    assert "recommended_items" in films("query", "--list")[1]
    assert "LIKES" in films("query", "recommended_items", "--cypher")[1]


def test_recall(films: Run, tmp_path: Path) -> None:
    words = ("stretch", "recall", "films", "-k", "2", "--repeats", "2", "--insecure-noise-seed", "1")
    results, drawn = str(tmp_path / "r.jsonl"), str(tmp_path / "r.svg")
    found = document(films(*words, "--results", results, "-o", drawn, "--json"))
    assert (found["users"], found["k"], found["repeats"], found["slices"], found["picture"]) == (6, 2, 2, [3], drawn)
    labels = [line["weights"] for line in found["by_epsilon"]]
    assert {"slices from 0", "westin, pragmatist", "naive, others", "exact", "blind"} <= set(labels)
    assert set(found["by_epsilon"][0]["by"]) == {"0.1", "0.5", "1", "2", "3"}
    _, out, _ = films(*words, "--results", results)
    assert "with a 99 % confidence interval over the splits" in out
    assert "cost to every user of a table at epsilon 3: 6 numbers × epsilon 3 = 18" in out


def test_utility(films: Run) -> None:
    found = document(films("stretch", "utility", "films", "--epsilon", "1", "--beyond", "1,2", "--json"))
    assert [e["beyond"] for e in found["errors"]] == [1.0, 2.0, 4.0]
    assert all(e["exact"] <= e["bound"] for e in found["errors"])
    assert "Corollary 2 says that at most" in films("stretch", "utility", "films", "--epsilon", "1")[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("similarity", "films", "u0", "u1"), 2, "which epsilon? give --epsilon for each number released, or --total"),
        (("similarity", "films", "u0", "u1", "--epsilon", "1", "--total", "1"), 2, "which epsilon?"),
        (("similarity", "films", "u0", "u99", "--epsilon", "1"), 2, "there is no user 'u99' in profile 'films'"),
        (("similarity", "films", "u0", "u0", "--epsilon", "1"), 2, "'u0' is one user; name two"),
        (("neighbors", "films", "--epsilon", "-1"), 2, "epsilon is -1.0; give a number from 1e-06 to 690"),
        (("neighbors", "films", "--epsilon", "nan"), 2, "--epsilon is 'nan'; give a number in plain digits"),
        (("neighbors", "films", "--epsilon", "1", "-k", "0"), 2, "k is 0; ask for at least 1 neighbour"),
        (("neighbors", "film", "--epsilon", "1"), 2, "there is no profile 'film' in"),
        (("utility", "films", "--epsilon", "1", "--beyond", "x"), 2, "--beyond is 'x'; give numbers joined by commas"),
        (("recall", "films", "--slices", "few"), 2, "--slices is 'few'; give numbers joined by commas"),
        (("recall", "films", "--slices", "0"), 2, "there are 0 slices; give at least 1"),
        (("recall", "films", "-o", "x.gif"), 2, "'x.gif' cannot be drawn; name a .svg, .png or .pdf file in a folder"),
        (("load", "FILE", "--columns", "a,b"), 2, "--columns is 'a,b'; give three names joined by commas"),
        (
            ("load", "FILE", "--weights", "half"),
            2,
            "--weights half is not known; give westin, slices:LOW:N as in slices:0.5:3",
        ),
        (("load", "FILE", "--weights", "slices:3"), 2, "--weights slices:3 is not known; give westin, slices:LOW:N"),
        (("load", "FILE", "--weights", "1.5"), 2, "like 0: the weight is 1.5; give a number from 0 to 1"),
        (("load", "FILE", "--weights", "slices:2:3"), 2, "the lowest weight is 2.0; give a number from 0 to 1"),
        (("load", "FILE", "--weights", "no.csv"), 2, "there is no file no.csv; correct the path"),
        (("load", "no.csv"), 2, "there is no file no.csv; correct the path"),
        (("load", "FILE", "--threshold", "nan"), 2, "--threshold is 'nan'; give a number in plain digits"),
        (("load", "FILE", "--best", "inf"), 2, "--best is 'inf'; give a number in plain digits"),
        (("load", "FILE", "--columns", "user,user,rating"), 2, "the column 'user' is asked for twice; name two diff"),
        (
            ("load", "FILE", "--columns", "user,item,score"),
            2,
            "has a column 'rating', which is not expected; it may h",
        ),
        (
            ("load", "FILE", "--encoding", "morse"),
            2,
            "there is no encoding 'morse'; give one such as utf-8, windows-12",
        ),
        (("load", "FILE", "--delimiter", "ab"), 2, "the delimiter is 'ab'; give one character such as ',', ';' or '|'"),
    ],
)
def test_what_goes_wrong(
    words: tuple[str, ...], code: int, message: str, ratings: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "store.db")]
    assert main([*store, "stretch", "load", ratings, "--weights", "0.5", "--json"]) == 0
    before = capsys.readouterr()
    asked = [ratings if word == "FILE" else word for word in words] + (["--replace"] if "FILE" in words else [])
    assert main([*store, "stretch", *asked]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert main([*store, "stretch", *asked, "--json"]) == code
    assert re.split("; |(?<=[?]) ", message)[0] in json.loads(capsys.readouterr().err)["error"]["message"]
    assert main([*store, "stretch", "list", "--json"]) == 0
    (kept,) = json.loads(capsys.readouterr().out)["profiles"]
    assert kept["likes"] == json.loads(before.out)["likes"]

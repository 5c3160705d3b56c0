"""eval, answer and releases on the command line, on both stores."""

import io
import json
import sys

import pytest

import neodp
from neodp import generate
from tests.running import Run, both_stores, document


@both_stores
def test_eval_shows_what_extend_gives(survey: Run) -> None:
    g = generate.counts([4, 5], epsilon=[0.5, 1.0])
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    code, out, err = survey("eval", "survey", "2-3", "0-0", "--json")
    assert (code, err) == (0, "")
    for line, key in zip(out.splitlines(), ("2-3", "0-0"), strict=True):
        found = json.loads(line)
        color = g.colors[g.color[g.index(key)]]
        assert found == {"key": key, "color": color, "probabilities": m[key], "p_true": m[key][color]}
    code, out, _ = survey("eval", "survey", "2-3")
    assert code == 0
    assert "2-3" in out
    assert "chance of the true answer" in out


def test_eval_explains(survey: Run) -> None:
    code, out, _ = survey("eval", "survey", "4-5", "--explain", "--engine", "ball")
    assert code == 0
    assert "4-5 is decided by the alpha of " in out
    assert "epsilon 1.5 away" in out or "–(0.5)–" in out
    assert "The search visited " in out
    assert "Why it could stop: " in out
    found = json.loads(survey("eval", "survey", "4-5", "--explain", "--engine", "ball", "--json")[1])
    explain = found["explain"]
    assert explain["path"][0] == explain["decider"]
    assert explain["path"][-1] == "4-5"
    assert len(explain["epsilons"]) == len(explain["path"]) - 1
    assert explain["queries"] <= explain["layers"] + 2


@both_stores
def test_eval_by_the_whole_graph(survey: Run) -> None:
    ball, whole, constant = (
        survey("eval", "survey", "2-3", "--json", *words) for words in ((), ("--engine", "whole"), ("--constant-work",))
    )
    assert ball == whole == constant
    code, _, err = survey("eval", "survey", "2-3", "--constant-work", "--engine", "ball")
    assert (code, err) == (2, "neodp: --constant-work and --engine ball cannot be combined; give one of them\n")


def test_a_ball_that_is_too_large(run: Run) -> None:
    run("generate", "path", "long", "200", "--epsilon", "1", "--balanced")
    code, _, err = run("eval", "long", "3", "--engine", "ball", "--limit", "10")
    assert code == 1
    assert err.startswith(
        "neodp: the search has seen 11 datasets of graph 'long', 7 layers, and more may matter; a pass over"
    )
    code, out, err = run("eval", "long", "3", "--explain", "--json", "--limit", "10")
    assert (code, err) == (0, "")
    assert json.loads(out)["key"] == "3"
    assert json.loads(out)["explain"]["proof"] == "the search grew too large, so the whole graph was extended"
    code, out, err = run("eval", "long", "3", "--explain", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["explain"]["proof"].endswith("the whole graph was extended")


@both_stores
def test_answers_are_kept(survey: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = survey("answer", "survey", "2-3", "--release", "spring")
    assert (code, err) == (0, "")
    assert out in ("yes\n", "no\n")
    again = document(survey("answer", "survey", "2-3", "--release", "spring", "--json"))
    assert again == {"graph": "survey", "release": "spring", "answer": out.strip()}
    monkeypatch.setattr(sys, "stdin", io.StringIO("2-3\n"))
    assert survey("answer", "survey", "-", "--release", "spring") == (0, out, "")
    code, out, err = survey("answer", "survey", "2-3", "--release", "autumn")
    assert (code, out) == (1, "")
    said = "neodp: release 'autumn' about population 'default' is refused: 1 answer given, 1 allowed; 'neodp budget"
    assert err.startswith(said)
    code, _, err = survey("answer", "survey", "2-3", "--release", "autumn", "--json")
    assert json.loads(err)["error"]["kind"] == "budget_spent"


def test_the_key_is_not_shown_with_the_answer(survey: Run) -> None:
    for words in (
        ("answer", "survey", "2-3", "--release", "spring"),
        ("answer", "survey", "2-3", "--release", "spring", "--json"),
        ("releases", "survey"),
        ("releases", "survey", "--json"),
    ):
        code, out, err = survey(*words)
        assert code == 0
        assert "2-3" not in out + err


@both_stores
def test_releases(survey: Run) -> None:
    assert survey("releases", "survey")[1] == "population 'default': 0 answers given of 1 allowed, 1 left\n"
    survey("answer", "survey", "2-3", "--release", "spring")
    code, out, _ = survey("releases", "survey", "--allow", "3")
    assert code == 0
    assert out.startswith("3 answers add up: all of them together can reveal more about a person than one.")
    assert (
        "If each of the other 2 costs as much as the most expensive so far, people of epsilon 0.5 spend epsilon 1.5 in "
        "all" in out
    )
    assert "population 'default': 1 answer given of 3 allowed, 2 left" in out
    found = document(survey("releases", "survey", "--json"))
    assert {name: found[name] for name in ("graph", "max_releases", "used", "left")} == {
        "graph": "survey",
        "max_releases": 3,
        "used": 1,
        "left": 2,
    }
    (row,) = found["releases"]
    assert (row["release"], row["time"][:2]) == ("spring", "20")
    survey("drop", "survey", "--yes")
    assert document(survey("releases", "survey", "--json"))["used"] == 1
    assert survey("releases", "survey", "--allow", "2")[1].startswith("2 answers add up")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("eval", "survey", "9-9"), 2, "there is no dataset '9-9' in graph 'survey'; correct the key"),
        (
            ("answer", "survey", "9-9", "--release", "r"),
            2,
            "there is no dataset '9-9' in graph 'survey'; correct the key",
        ),
        (("answer", "survey", "2-3", "--release", ""), 2, "the release has no name; give it one, such as spring"),
        (("answer", "survey", "2-3"), 2, "Missing option '--release'"),
        (("eval", "survvey", "2-3"), 2, "there is no graph 'survvey'"),
        (("releases", "survvey"), 2, "did you mean 'survey'?"),
        (("releases", "survey", "--allow", "-1"), 2, "Invalid value for '--allow'"),
    ],
)
def test_refusals(survey: Run, words: tuple[str, ...], code: int, message: str) -> None:
    found, out, err = survey(*words)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert document(survey("releases", "survey", "--json"))["used"] == 0


@both_stores
def test_a_stale_mechanism(survey: Run, address: str) -> None:
    from neodp.store import open_store

    with open_store(address) as store:
        g = store.read("survey")
    assert survey("extend", "survey")[0] == 0
    with open_store(address) as store:
        other = neodp.extend(g.with_alpha(neodp.homogeneous(g, 0.55)))
        store.write("survey", other)  # as if alpha had changed since
    code, out, err = survey("answer", "survey", "2-3", "--release", "spring")
    assert (code, out) == (1, "")
    assert err.startswith("neodp: graph 'survey' has changed since its mechanism was written, ")
    assert err.endswith("; run 'neodp extend survey' again\n")

"""An epsilon above 10 is used, with a caution in one sentence, wherever it is entered."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import generate
from neodp.cli import main
from neodp.data.graph import DatasetGraph
from neodp.errors import LargeEpsilon
from neodp.explore.changes import Changes
from neodp.explore.polling import poll as plan
from neodp.stretch import Profiles, Stretching, nearest, neighbors, recall, similarity, utility, weighted_sum

SENTENCE = r"^epsilon 11 hardly protects anybody: .*; 10 is much already$"
PEOPLE = {"vote": ["yes", "no", "yes"], "own": [0.5, 11, 1], "level": ["low", "high", "low"]}
FANS = Profiles.from_columns(["ann", "ann", "bob", "cy"], ["tea", "rum", "tea", "rum"])


def limit(folder: Path, epsilon: float) -> None:
    with neodp.open_store(folder / "s.db") as store:
        store.change_limit(epsilon=epsilon)


def protect(folder: Path, epsilon: float) -> None:
    with neodp.open_store(folder / "s.db") as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person", default_epsilon=epsilon))


ENTERED: dict[str, Callable[[Path, float], Any]] = {
    "path": lambda _, e: generate.path(3, epsilon=e),
    "random": lambda _, e: generate.random_geometric(9, epsilon=(e, e), seed=1),
    "three voters": lambda _, e: generate.three_voters(deciding=e),
    "columns": lambda _, e: DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], e),
    "frames": lambda _, e: DatasetGraph.from_frames(
        {"key": ["a", "b"], "color": ["x", "y"]}, {"source": ["a"], "target": ["b"]}, epsilon=e
    ),
    "one epsilon": lambda _, e: neodp.poll(PEOPLE, vote="vote", epsilon=e),
    "a level": lambda _, e: neodp.poll(PEOPLE, vote="vote", epsilon="level", levels={"low": 1, "high": e}),
    "a cap": lambda _, e: neodp.poll(PEOPLE, vote="vote", epsilon="own", secret_levels=True, cap=e),
    "similarity": lambda _, e: similarity(FANS, "ann", "bob", epsilon=e),
    "neighbors": lambda _, e: neighbors(FANS, 1, epsilon=e),
    "nearest": lambda _, e: nearest(FANS, "ann", 1, epsilon=e),
    "stretching": lambda _, e: Stretching(weighted_sum([1, 1]), [1.0, 0.25], epsilon=e),
    "recall": lambda _, e: recall.run(FANS, recall.Plan(epsilons=(e,), lows=(), repeats=1, k=1)),
    "utility": lambda _, e: utility.compare(FANS, e, [1.0]),
    "limit": limit,
    "protect": protect,
}


@pytest.mark.parametrize("where", ENTERED)
def test_where_epsilon_is_entered(where: str, tmp_path: Path) -> None:
    with pytest.warns(LargeEpsilon, match=SENTENCE):
        ENTERED[where](tmp_path, 11.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENTERED[where](tmp_path, 10.0)


def test_a_column_of_public_epsilons_is_cautioned_and_one_of_secret_epsilons_never() -> None:
    """A caution that came from a secret level would tell that somebody has it."""
    with pytest.warns(LargeEpsilon, match=SENTENCE):
        neodp.poll(PEOPLE, vote="vote", epsilon="own")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        neodp.poll(PEOPLE, vote="vote", epsilon="own", secret_levels=True)


def test_what_is_read_again_was_not_entered(tmp_path: Path) -> None:
    """Neither a stored graph, nor an experiment without noise, nor the parts that a search or a program makes."""
    with neodp.open_store(tmp_path / "s.db") as store:
        graph = generate.path(9, epsilon=11)
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            store.evaluate("g", ["1"], engine="ball")
            store.extend("g", engine="client")
            neodp.poll({"v": ["yes"] * 9 + ["no"] * 9}, vote="v", epsilon=9.0, mechanism="weighted").to_arrow()


def test_the_explorer_shows_the_same_sentence(tmp_path: Path) -> None:
    """In a poll that is planned, and where an epsilon is moved: with the figures, which are shown all the same."""
    from neodp.explore.changes import what_if
    from neodp.explore.source import Source
    from neodp.store.settings import Settings

    groups = [{"epsilon": 1, "people": 5}]
    assert plan({"groups": groups})["caution"] is None
    found = plan({"groups": [*groups, {"epsilon": 11, "people": 5}]})
    assert re.match(SENTENCE, found["caution"])
    assert found["mechanisms"]
    with neodp.open_store(tmp_path / "s.db") as store:
        graph = generate.path(3, epsilon=1.0)
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
    source = Source(Settings.from_env(str(tmp_path / "s.db")))
    assert what_if(source, "g", Changes.parse({"epsilon": [[1.0, 2.0]]}))["caution"] is None
    for changes in ({"epsilon": [[1.0, 11.0]]}, {"edges": [["0", "1", 11.0]]}):
        moved = what_if(source, "g", Changes.parse(changes))
        assert re.match(SENTENCE, moved["caution"])
        assert moved["problem"] is None


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "words",
    [
        "generate path g 4 --epsilon 11",
        "load g nodes.csv edges.csv --epsilon 11",
        "poll people.csv --vote vote --epsilon 11",
        "poll people.csv --vote vote --epsilon own --secret-levels --cap 11",
        "budget --epsilon 11",
        "budget --plan 11x2",
        "protect staff --people Person --epsilon epsilon --default-epsilon 11",
        "stretch similarity likes a b --total 11",
        "stretch neighbors likes -k 1 --epsilon 11",
        "stretch utility likes --epsilon 11",
    ],
)
def test_the_command_line_says_it_once_on_stderr(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEODP_STORE", "s.db")
    Path("nodes.csv").write_text("key,color\na,x\nb,y\n")
    Path("edges.csv").write_text("source,target\na,b\n")
    Path("people.csv").write_text("vote,own\nyes,1\nno,0.5\n")
    Path("likes.csv").write_text("user,item\na,x\nb,x\nc,y\n")
    assert main(["stretch", "load", "likes.csv"]) == 0
    capsys.readouterr()
    assert main([*words.split(), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err.count("hardly protects anybody") == 1
    assert err.startswith("neodp: epsilon 11 hardly")
    assert "hardly" not in out

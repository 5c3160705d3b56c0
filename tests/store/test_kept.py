"""An open embedded store keeps in memory what its file holds, whoever changes that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import generate
from neodp.errors import GraphError
from neodp.store import Store, open_store
from neodp.store.embedded import graphs
from neodp.stretch import Profiles


def survey(epsilon: float = 0.5) -> neodp.DatasetGraph:
    g = generate.counts([6, 6], epsilon=epsilon)
    return g.with_alpha(neodp.balanced(g))


def test_changes_of_another_store_are_seen(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as one, open_store(tmp_path / "s.db") as two:
        one.load("g", survey())
        assert two.evaluate("g", ["0-0"]).evaluations[0].probabilities == neodp.extend(survey())["0-0"]
        one.load("g", survey(1.0), replace=True)
        assert two.evaluate("g", ["0-0"]).evaluations[0].probabilities == neodp.extend(survey(1.0))["0-0"]
        one.write_alpha("g", survey(1.0).with_alpha(neodp.homogeneous(survey(1.0), 0.5)))
        expected = neodp.extend(one.read("g"))["0-0"]
        assert two.evaluate("g", ["0-0"]).evaluations[0].probabilities == expected
        one.drop("g")
        assert two.graphs() == []


def test_a_change_that_was_undone_is_forgotten(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store:
        store.load("g", survey())
        before = store.graphs()

        def fail(what: str, done: int, total: int) -> None:
            assert [info.name for info in store.graphs()] == ["g", "h"]
            raise GraphError("no", "no")

        with pytest.raises(GraphError):
            store.load("h", survey(), progress=fail)
        assert store.graphs() == before


def test_two_views_of_profiles_agree(tmp_path: Path) -> None:
    likes = Profiles.from_columns(["ann", "bob"], ["tea", "tea"])
    with open_store(tmp_path / "s.db") as store:
        one, two = store.profiles, store.profiles
        assert one.all() == two.all() == []
        two.load("p", likes)
        assert [info.name for info in one.all()] == ["p"]


def test_a_graph_in_memory_is_the_one_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edges at datasets, subgraphs, evaluations: bit for bit the same from memory and from the file."""
    g = survey()
    keys = [g.key(v) for v in range(0, len(g), 5)]

    def seen(store: Store) -> list[Any]:
        star, part, ball = store.neighbors("g", keys), store.read("g", keys=keys, radius=1), store.evaluate("g", keys)
        ends = (star.key.to_pylist(), star.neighbor.to_pylist(), star.color.to_pylist())
        edges = sorted(zip(part.source, part.target, part.epsilon, part.delta, strict=True))
        alpha = [row.tobytes() for row in part.alpha]
        return [
            sorted(zip(*ends, star.epsilon, star.delta, strict=True)),
            [part.keys.to_pylist(), part.colors, part.color.tolist(), alpha, edges],
            [each.probabilities for each in ball.evaluations],
        ]

    with open_store(tmp_path / "s.db") as store:
        store.load("g", g)
        memory = seen(store)
        monkeypatch.setattr(graphs, "SMALL", 0)
        assert seen(store) == memory


def test_large_graphs_are_searched(tmp_path: Path) -> None:
    g = generate.path(60_000)
    g = g.with_alpha(neodp.balanced(g))
    with open_store(tmp_path / "s.db") as store:
        store.load("g", g)
        near, far = store.evaluate("g", ["29999"]), store.evaluate("g", ["100"])
    assert 0 < near.layers <= 11
    assert (far.layers, far.proof) == (0, "the search grew too large, so the whole graph was extended")


def test_a_release_about_people_loads_nothing_for_graphs(tmp_path: Path) -> None:
    code = """
import sys
from neodp.ledger.answering import admit, draw_and_keep, look_up
from neodp.ledger.question import Question
from neodp.store import Store, open_store
with open_store(sys.argv[1]) as store:
    question = Question("people", {}, ())
    found = admit(store, look_up(store, ["people"], "spring"), [question])
    draw_and_keep(store, found, [question], {"people": {"yes": 0.5, "no": 0.5}})
    store.ledger()
late = ("pyarrow", "ladybug", "numba", "scipy", "neodp.core.ball", "neodp.core.solvers", "neodp.stretch")
print(*(name for name in late if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []

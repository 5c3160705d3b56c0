"""The picture of a question to a graph of people: what is drawn, and that it needs no graph."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import neodp
from neodp.plot import plot_question
from neodp.store import open_store


@pytest.mark.parametrize("asked", [{"at_least": 5}, {"count": True, "at_most": 1000}, {"ranges": [0, 10]}])
def test_a_question_is_drawn_without_its_graph(tmp_path: Path, asked: dict[str, object]) -> None:
    with open_store(str(tmp_path / "answers.db")) as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person"))
        question = neodp.ask(store, "staff", "MATCH (a:Person)", **asked)  # type: ignore[arg-type]
        drawn = plot_question(question, tmp_path / "asked.svg").read_text()
    assert "MATCH (a:Person)" in drawn
    curve = question.curve(50)
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(curve))
    assert curve[-1][1] >= 0.95
    if "at_least" in asked:
        assert curve[0] == (0.0, 0.05)
        assert question.needed[0.9] == pytest.approx(next(e for e, chance in question.curve(10**6) if chance >= 0.9))
    else:
        assert question.slack is not None
        assert dict(curve)[0.0] == 0.0
        assert min(e for e, chance in question.curve(10**6) if chance >= 0.95) == pytest.approx(
            question.slack, rel=1e-3
        )

"""Prices of levels, against solving again with other epsilons, more people and fewer levels, by another program."""

from __future__ import annotations

import functools
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import neodp
from bench import poll_optimum
from neodp.cli import main
from neodp.polls import Group, Threshold, choosing, choosing_plurality, poll
from neodp.polls.choosing import best_on_scores
from neodp.polls.prices import prices
from neodp.polls.prior import Prior
from neodp.polls.score_programs import on_scores

STEP = 1e-4


def groups(people: tuple[tuple[int, float], ...]) -> list[Group]:
    return [Group(epsilon, size) for size, epsilon in people]


@functools.cache
def best(people: tuple[tuple[int, float], ...], options: int) -> float:
    """The optimum over all tables: nothing of neodp. People with epsilon 0 count, and nobody hears them."""
    if options == 2:
        return poll_optimum.threshold(people, sum(size for size, _ in people) // 2 + 1)
    return poll_optimum.plurality(people, options)


CASES = [
    (((3, 0.3), (4, 1.0)), 2),
    (((1, 0.2), (2, 0.7), (3, 1.5)), 2),
    (((7, 0.6),), 2),
    (((2, 0.4), (3, 1.1)), 3),
    (((5, 0.8),), 3),
]


@pytest.mark.parametrize(("people", "options"), CASES)
def test_prices_agree_with_solving_again(people: tuple[tuple[int, float], ...], options: int) -> None:
    """Of the optimum over all tables: slopes lie between those to both sides, people and shares are differences."""
    query = "majority" if options == 2 else "plurality"
    found = prices(groups(people), query, "abcdef"[:options])
    assert not found.estimated
    now = best(people, options)
    assert found.expected == pytest.approx(now, abs=1e-6)
    for g, each in enumerate(found.levels):
        size, epsilon = people[g]
        moved = [best((*people[:g], (size, epsilon + step), *people[g + 1 :]), options) for step in (-STEP, STEP)]
        slopes = sorted(((now - moved[0]) / STEP, (moved[1] - now) / STEP))
        assert slopes[0] - 2e-3 <= each.per_epsilon <= slopes[1] + 2e-3
        more = best((*people[:g], (size + 1, epsilon), *people[g + 1 :]), options)
        assert each.one_more == pytest.approx(more - now, abs=1e-6)
    order = itertools.permutations(range(len(people)))
    shares = np.zeros(len(people))
    for each_order in order:
        heard: set[int] = set()
        before = best(tuple((n, 0.0) for n, _ in people), options)
        for g in each_order:
            heard.add(g)
            after = best(tuple((n, e if i in heard else 0.0) for i, (n, e) in enumerate(people)), options)
            shares[g] += (after - before) / math.factorial(len(people))
            before = after
    assert [each.share for each in found.levels] == pytest.approx(shares.tolist(), abs=1e-6)
    assert sum(each.share or 0.0 for each in found.levels) == pytest.approx(found.expected - found.guess, abs=1e-6)


def test_prices_of_scores_agree_with_solving_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were too many tables: the weights stay, and the slope is that of the program over scores."""
    monkeypatch.setattr(choosing, "TABLES", 100)
    people = ((5, 0.2), (5, 0.7), (5, 2.0))
    asked = poll(groups(people))
    assert isinstance(asked, Threshold)
    weights = best_on_scores(asked, Prior()).weights
    found = prices(groups(people))

    def solved(people: tuple[tuple[int, float], ...]) -> float:
        asked = poll(groups(people))
        assert isinstance(asked, Threshold)
        return on_scores(asked, weights, Prior()).expected

    now = solved(people)
    assert found.expected == pytest.approx(now, abs=1e-6)
    for g, each in enumerate(found.levels):
        size, epsilon = people[g]
        below, above = (solved((*people[:g], (size, epsilon + step), *people[g + 1 :])) for step in (-1e-3, 1e-3))
        slopes = sorted(((now - below) / 1e-3, (above - now) / 1e-3))
        assert slopes[0] - 2e-3 <= each.per_epsilon <= slopes[1] + 2e-3
    assert sum(each.share or 0.0 for each in found.levels) == pytest.approx(found.expected - found.guess, abs=1e-6)


@pytest.mark.parametrize("people", [((20, 0.3), (20, 1.0)), ((60_000, 0.002), (60_000, 0.01))], ids=["gaps", "many"])
def test_pluralities_that_are_estimated_say_so(
    people: tuple[tuple[int, float], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing_plurality, "GAPS", 400)
    found = prices(groups(people), "plurality", "abc")
    assert found.estimated
    assert found.guess < 0.4 < found.expected < 1.0
    assert sum(each.share or 0.0 for each in found.levels) == pytest.approx(found.expected - found.guess, abs=1e-6)
    assert all(each.per_epsilon >= 0.0 for each in found.levels)


def test_the_preview_shows_prices_and_reads_no_vote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    levels = ["low", "high", "low"] * 5
    shown = []
    for votes in (["yes", "no", "yes"] * 5, ["no"] * 15):
        file = tmp_path / "people.csv"
        file.write_text("answer,privacy\n" + "".join(f"{a},{b}\n" for a, b in zip(votes, levels, strict=True)))
        words = [
            "poll",
            str(file),
            "--vote",
            "answer",
            "--epsilon",
            "privacy",
            "--levels",
            "low=2,high=0.3",
            "--prices",
        ]
        for more in ([], ["--json"]):
            assert main(["--store", str(tmp_path / "answers.db"), *words, *more]) == 0
            shown.append(capsys.readouterr().out)
    assert shown[:2] == shown[2:]
    assert "for one more person" in shown[0]
    (fact,) = json.loads(shown[1])["questions"]
    survey = neodp.poll({"v": ["no"] * 15, "e": [2.0, 0.3, 2.0] * 5}, vote="v", epsilon="e")
    expected = survey.prices()["v"].levels
    assert [each["per_epsilon"] for each in fact["prices"]["levels"]] == [each.per_epsilon for each in expected]
    assert [each["level"] for each in fact["prices"]["levels"]] == ["high", "low"]


def test_what_has_no_prices_is_refused() -> None:
    table = {"v": ["1", "2", "3"], "e": [1, 1, 2]}
    for settings, message in (
        ({"query": "median", "options": "1,2,3"}, "median has no prices"),
        ({"query": "plurality", "options": "1,2,3", "secret_levels": True}, "levels are secret"),
    ):
        with pytest.raises(neodp.NeodpError, match=message):
            neodp.poll(table, vote="v", epsilon="e", **settings).prices()
    with pytest.raises(neodp.NeodpError, match="there are 21 levels; prices are for up to 20"):
        prices([Group(0.1 * i, 1) for i in range(1, 22)])

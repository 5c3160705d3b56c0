"""Medians, quantiles, counts and rankings of a table: the preview, answers that are drawn once, and every message."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import neodp
from neodp.cli import main
from neodp.ledger.verification import verify
from neodp.polls import Group, Prior
from neodp.polls.outcomes.counting import Count, ranges_of
from neodp.polls.outcomes.figures import outcome_preview
from neodp.polls.outcomes.quantile import Quantile
from neodp.polls.outcomes.query import How
from neodp.polls.outcomes.ranking import Ranking
from neodp.polls.outcomes.survey import OutcomeSurvey
from neodp.report.content import report

LEVELS = "low=2,medium=1,high=0.3"


def people(seed: int = 1, number: int = 90) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    return {
        "answer": rng.integers(1, 6, number).astype(str).tolist(),
        "privacy": ["low", "medium", "high"] * (number // 3),
        "rank1": rng.choice(list("abc"), number).tolist(),
        "rank2": rng.choice([*"abc", ""], number).tolist(),
        "unit": ["x", "y"] * (number // 2),
    }


def asked(query: str, table: dict[str, list[str]] | None = None, **more: Any) -> OutcomeSurvey:
    settings = {"vote": "answer", "epsilon": "privacy", "levels": LEVELS, "options": "1,2,3,4,5", "query": query}
    found = neodp.poll(people() if table is None else table, **(settings | more))
    assert isinstance(found, OutcomeSurvey)
    return found


QUERIES: dict[str, dict[str, Any]] = {
    "median": {},
    "quantile:0.9": {},
    "count:3": {},
    "counts": {"ranges": 10},
    "ranking": {"vote": ["rank1", "rank2"], "options": "a,b,c"},
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_preview_depends_on_no_vote(query: str) -> None:
    """Tables that differ in votes only look the same, as text, as a table and as JSON."""
    here, there = asked(query, **QUERIES[query]), asked(query, people(2), **QUERIES[query])
    assert repr(here) == repr(there)
    assert json.dumps(here.facts()) == json.dumps(there.facts())
    assert here.to_arrow() == there.to_arrow()
    assert next(iter(here.asked().values())).asked == next(iter(there.asked().values())).asked


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("mechanism", ["balanced", "weighted"])
def test_an_answer_is_drawn_once_and_can_be_reported(query: str, mechanism: str, tmp_path: Path) -> None:
    survey = asked(query, mechanism=mechanism, **QUERIES[query])
    with neodp.open_store(str(tmp_path / "answers.db")) as store:
        first = survey.release(store, "spring")
        again = asked(query, people(3), mechanism=mechanism, **QUERIES[query]).release(store, "spring")
        assert first == again
        (answer,) = first.values()
        outcomes = survey.inquiries[0].first.outcomes
        assert answer in outcomes or set(answer.values()) <= set(outcomes)
        assert [level.epsilon for level in store.ledger("default").releases[0].levels] == [0.3, 1.0, 2.0]
        page = report(store, "spring")
        assert page.answers[0].asks.lower() == survey.inquiries[0].question.lower()
        assert page.missing == []
        assert verify(page.certificates[0]) == []
        assert page.text(".md")


def test_every_part_has_its_own_answer(tmp_path: Path) -> None:
    survey = asked("median", by="unit", by_values="x,y", mechanism="balanced")
    with neodp.open_store(str(tmp_path / "answers.db")) as store:
        found = survey.release(store, "spring")
    assert set(found["answer"]) == {"x", "y"}


def test_the_true_outcome_is_told_where_it_is_clear() -> None:
    """Everybody with a large epsilon: a median, a count and a winner come out as they are."""
    table = {"v": ["4"] * 60 + ["1"] * 30, "first": ["b"] * 50 + ["a"] * 40, "second": ["a"] * 90}
    for query, vote, options, truth in (
        ("median", "v", "1,2,3,4", "4"),
        ("count:1", "v", "1,2,3,4", "30"),
        ("ranking", ["first", "second"], "a,b,c", "a"),
    ):
        survey = neodp.poll(table, vote=vote, epsilon=20.0, query=query, options=options)
        assert isinstance(survey, OutcomeSurvey)
        found = survey.inquiries[0].revealed()
        assert found["color"] == truth
        assert found["p_true"] > 0.999
        assert survey.inquiries[0].answer() == found["color"]


def test_borda_counts_points_not_first_choices() -> None:
    """40 first choices for a beat 35 for b, but b is second everywhere: b has the most points."""
    table = {"r1": ["a"] * 40 + ["b"] * 35 + ["c"] * 25, "r2": ["b"] * 40 + ["c"] * 35 + ["b"] * 25}
    survey = neodp.poll(table, vote=["r1", "r2"], epsilon=5.0, query="ranking", options="a,b,c")
    assert isinstance(survey, OutcomeSurvey)
    assert survey.inquiries[0].revealed()["color"] == "b"


def test_an_option_that_is_ranked_twice_counts_once_and_empty_ballots_are_left_out() -> None:
    table = {"r1": ["a", "a", "", "b"], "r2": ["a", "b", "", "?"]}
    survey = neodp.poll(
        table, vote=["r1", "r2"], epsilon=1.0, query="ranking", options="a,b", missing="?", skip_empty=True
    )
    assert isinstance(survey, OutcomeSurvey)
    question = survey.inquiries[0]
    assert question.people == 3
    assert question.tally.skipped == 1
    with pytest.raises(neodp.NeodpError, match="ballot"):
        neodp.poll(table, vote=["r1", "r2"], epsilon=1.0, query="ranking", options="a,b", missing="?")


def test_weighted_is_expected_to_be_better_and_balanced_where_privacy_goes_with_the_answer() -> None:
    groups = [Group(0.1, 50), Group(2.0, 51)]
    both = outcome_preview(Quantile(tuple("1234")), groups, Prior())
    assert both.weighted.expected > both.balanced.expected + 0.05
    assert both.balanced.against > 0.25 > both.weighted.against
    assert both.differ


def test_a_count_with_one_epsilon_has_one_mechanism_with_the_least_noise() -> None:
    """Discrete Laplace noise of scale 2 has a mean absolute value of 1 / sinh(1/2) = 1.92."""
    both = outcome_preview(Count(("yes", "no"), 0, 400, ranges_of(400)), [Group(0.5, 400)], Prior())
    assert both.balanced is both.weighted
    assert both.balanced.error == pytest.approx(1.92, abs=0.06)
    assert not both.differ
    assert both.balanced.certain == 6


def test_one_person_with_a_tiny_epsilon_does_not_spoil_a_count() -> None:
    both = outcome_preview(Count(("yes", "no"), 0, 301, ranges_of(301)), [Group(0.002, 1), Group(1.0, 300)], Prior())
    assert both.balanced.how.kind == "distance"
    assert both.balanced.error < 3.0
    assert both.weighted.error < 1.5


@pytest.mark.parametrize("kind", ["distance", "heard"])
def test_the_guaranteed_accuracy_of_a_median_holds_at_every_table_of_some(kind: Literal["distance", "heard"]) -> None:
    """Heard, everybody counts with the least epsilon: the rank of an odd number of people then lies between two."""
    rng = np.random.default_rng(1)
    groups, ones = [Group(0.5, 12), Group(1.0, 13)], np.ones(2, np.int64)
    query = Quantile(tuple("abc"))
    found = outcome_preview(query, groups, Prior()).balanced
    found = found if kind == "distance" else replace(found, how=How("heard", (512, 512)))
    for _ in range(300):
        counts = np.stack([rng.multinomial(group.size, rng.dirichlet(np.ones(3))) for group in groups])
        margin = int(np.sort(query.distances(counts, ones))[1])
        assert query.chances(counts, found.how)[query.truth(counts)] >= found.at(margin) - 1e-12


@pytest.mark.parametrize("kind", ["distance", "heard"])
def test_the_guaranteed_accuracy_of_a_ranking_holds_at_every_table_of_some(kind: Literal["distance", "heard"]) -> None:
    """The margin is found by trying all people: whoever should win is ranked first, and nothing else is ranked."""
    rng = np.random.default_rng(1)
    ballots = tuple(permutations(range(3)))
    query, points = Ranking(tuple("abc"), ballots), Ranking(tuple("abc"), ballots).points
    found = outcome_preview(query, [Group(1.0, 3), Group(2.0, 3)], Prior()).balanced
    found = replace(found, how=How(kind, (1024, 2048) if kind == "distance" else (1024, 1024)))
    for _ in range(100):
        votes = rng.integers(0, 6, 6)
        counts = np.stack([np.bincount(votes[:3], minlength=6), np.bincount(votes[3:], minlength=6)])
        truth, total = query.truth(counts), points[votes].sum(axis=0)
        margin = next(
            m
            for m in range(1, 7)
            for some in combinations(range(6), m)
            for o in range(3)
            if o != truth and np.argmax(total - points[votes[list(some)]].sum(axis=0) + 2 * m * np.eye(3)[o]) != truth
        )
        assert query.chances(counts, found.how)[truth] >= found.at(margin) - 1e-12


def test_the_guaranteed_error_of_a_count_by_weight_holds_at_every_table() -> None:
    """Whatever the votes, and closer if the same part of every group chose the option."""
    groups = [Group(0.4, 6), Group(2.0, 9)]
    query = Count(("yes", "no"), 0, 15, (0, 1, 2, 4, 6, 8, 9, 10, 12, 13, 14))
    found = replace(outcome_preview(query, groups, Prior()).balanced, how=How("noise", (400, 2000)))
    ends = [*(start - 1 for start in query.starts[1:]), 15]
    for one, two in product(range(7), range(10)):
        counts = np.array([[one, 6 - one], [two, 9 - two]])
        chances = query.chances(counts, found.how)
        far = [max(start - one - two, one + two - end, 0) for start, end in zip(query.starts, ends, strict=True)]
        for m in range(15):
            beyond = float(chances[np.array(far) > m].sum())
            assert beyond <= found.beyond()[m] + 1e-12
            if 9 * one == 6 * two:
                assert beyond <= found.beyond(alike=True)[m] + 1e-12


@pytest.mark.parametrize(
    ("query", "more", "message"),
    [
        ("median", {"options": None}, "median needs options; name the options in ascending order"),
        ("quantile:2", {}, "the quantile is 2; give a number above 0 and at most 1"),
        ("quantile:x", {}, "as in quantile:0.9"),
        ("median:3", {}, "give median alone"),
        ("count:7", {}, "the query is 'count:7', and '7' is not an option"),
        ("count:3", {"ranges": "0,5,5"}, "give numbers that ascend from 0"),
        ("count:3", {"ranges": "many"}, "give the width of all ranges"),
        ("count:3", {"ranges": 0}, "give a width of at least 1"),
        ("median", {"ranges": 5}, "median has no ranges"),
        ("majority", {"ranges": 5, "options": "1,2"}, "majority has no ranges"),
        ("median", {"secret_levels": True}, "median needs public levels"),
        ("median", {"epsilon": 0.00001, "levels": None}, "give somebody at least 1.53e-05"),
    ],
)
def test_messages(query: str, more: dict[str, Any], message: str) -> None:
    settings = {"vote": "answer", "epsilon": "privacy", "levels": LEVELS, "options": "1,2,3,4,5", "query": query}
    with pytest.raises(neodp.NeodpError) as refused:
        repr(neodp.poll(people(), **(settings | more)))
    assert message in str(refused.value)


def test_one_error_names_the_wrong_cells_of_all_columns_and_parts() -> None:
    table = people() | {"again": people(2)["answer"]}
    table["answer"][1], table["again"][4] = "9", "8"
    with pytest.raises(neodp.NeodpError) as refused:
        asked("median", table, vote=["answer", "again"], by="unit", by_values="x,y")
    message = str(refused.value)
    assert "the vote in 'answer' is none of the options: row 2 of the table ('9')" in message
    assert "the vote in 'again' is none of the options: row 5 of the table ('8')" in message


def test_a_prior_by_level_fits_parts_without_that_level_and_options_of_that_name() -> None:
    table = {"first": list("abab"), "second": list("baba"), "part": list("xxyy")}
    table |= {"privacy": ["low", "high", "low", "low"], "worry": ["low", "medium", "high", "low"]}
    more: dict[str, Any] = {"epsilon": "privacy", "levels": LEVELS, "by": "part", "by_values": "x,y"}
    by_level: dict[str, Any] = {"options": "a,b", "prior": "share:low=0.9,high=0.2"}
    for query, vote in (("count:a", "first"), ("ranking", ["first", "second"])):
        survey = neodp.poll(table, vote=vote, query=query, **by_level, **more)
        assert isinstance(survey, OutcomeSurvey)
        assert all(0.0 < inquiry.both.weighted.expected < 1.0 for inquiry in survey.inquiries)
    by_option: dict[str, Any] = {"options": "low,medium,high", "prior": "share:medium=0.9"}
    survey = neodp.poll(table, vote="worry", query="median", **by_option, **more)
    assert isinstance(survey, OutcomeSurvey)
    assert [dict(inquiry.prior.named) for inquiry in survey.inquiries] == [{"medium": 0.9}] * 2


def test_a_ranking_of_two_options_is_judged_under_every_prior() -> None:
    """As the equal question for a count would be: under each of them, most tables have a clear winner."""
    groups = [Group(0.5, 30, "high"), Group(2.0, 31, "low")]
    asks = Ranking(("a", "b"))
    even, skewed, named, beta = (
        outcome_preview(asks, groups, Prior.parse(text)).weighted.expected
        for text in ("even", "share:0.8", "share:low=0.9,high=0.7", "beta:1,1")
    )
    assert skewed > 0.99
    assert named > 0.99
    assert even + 0.05 < beta < 1.0


@pytest.mark.parametrize(("k", "prior"), [(4, "even"), (4, "share:a=0.27"), (6, "even"), (6, "share:b=0.3")])
def test_ballots_of_an_example_have_the_points_that_the_prior_says(k: int, prior: str) -> None:
    """Ranked by e^noise in proportion, so that o is above r with chance w_o / (w_o + w_r)."""
    asks, given = Ranking(tuple("abcdef"[:k])), Prior.parse(prior)
    example, chances = asks.example(given, [Group(1.0, 10)])
    assert isinstance(example, Ranking)
    weight = given.chances(asks.options)
    expected = [sum(w / (w + v) for j, v in enumerate(weight) if j != i) for i, w in enumerate(weight)]
    assert chances[0] @ example.points == pytest.approx(expected, abs=1e-6)
    assert chances.sum() == pytest.approx(1.0)


def test_the_expected_accuracy_of_a_ranking_of_thousands_is_that_of_the_prior() -> None:
    """Against tables of evenly drawn orders: .82, where 500 orders, drawn once, gave .95 by their luck."""
    groups = [Group(0.3, 1_500), Group(1.0, 1_500)]
    for k in (4, 6):
        asks = Ranking(tuple("abcdef"[:k]), tuple(permutations(range(k))))
        found = outcome_preview(Ranking(asks.options), groups, Prior(), heard=False).balanced
        rng, columns = np.random.default_rng(7), len(asks.ballots)
        tables = [rng.multinomial(1_500, np.full(columns, 1 / columns), 2) for _ in range(300)]
        rows = asks.chances_at(tables, found.how)
        right = float(np.mean([row[asks.truth(counts)] for row, counts in zip(rows, tables, strict=True)]))
        assert found.expected == pytest.approx(right, abs=0.06)


def test_the_cap_of_a_count_heeds_that_all_may_be_alike() -> None:
    """If nearly all choose the same, weights lose nothing: noise alone decides, and it asks for the greatest cap."""
    groups = [Group(0.1, 300), Group(2.0, 300)]
    asks = Count(("yes", "no"), 0, 600, ranges_of(600))
    even, alike = (outcome_preview(asks, groups, Prior.parse(text)).weighted for text in ("even", "beta:0.01,0.01"))
    assert alike.error < even.error
    assert alike.cap == pytest.approx(2.0, abs=1e-4)
    assert even.cap < 1.0


def test_a_choice_is_required_where_the_mechanisms_differ(tmp_path: Path) -> None:
    with (
        neodp.open_store(str(tmp_path / "answers.db")) as store,
        pytest.raises(neodp.NeodpError, match="can be answered in two ways"),
    ):
        asked("counts").release(store, "spring")


def test_the_words_of_the_readme_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = people()
    rows = [f"{a},{b}\n" for a, b in zip(table["answer"], table["privacy"], strict=True)]
    file = tmp_path / "likert.csv"
    file.write_text("answer,privacy\n" + "".join(rows))
    words = ["poll", str(file), "--vote", "answer", "--options", "1,2,3,4,5", "--query", "median"]
    words += ["--epsilon", "privacy", "--levels", LEVELS]
    store = ["--store", str(tmp_path / "answers.db")]
    assert main([*store, *words]) == 0
    shown = capsys.readouterr().out
    assert "what is the median of the answers of 90 people, from '1' to '5'?" in shown
    assert "no outcome is likelier than the true one" in shown
    assert main([*store, *words, "--release", "spring", "--mechanism", "balanced", "--json", "--reveal"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["questions"]
    assert found["answer"] in "12345"
    assert found["revealed"]["color"] in "12345"
    assert main([*store, *words, "--what-if", "0.5", "--margin", "20", "--plot", str(tmp_path / "median.svg")]) == 0
    shown = capsys.readouterr().out
    assert "the chance of the true answer at a margin of 20" in shown
    assert "all of high" in shown
    assert "evenly spread" not in shown
    assert "The accuracy of a poll: what is the median" in (tmp_path / "median.svg").read_text()


def test_what_if_raises_one_level_and_the_figures_are_those_of_a_new_poll() -> None:
    """Of a median and of a count; the greater epsilon of a whole level is the same as asking again with it."""
    for query, margin in (("median", 20), ("count:3", 4)):
        inquiry = asked(query).inquiries[0]
        found = inquiry.what_if(0.5, margin)
        assert [each.group.level for each in found] == ["high", "medium", "low"]
        now = inquiry.measure(margin)(inquiry.groups)
        for each, levels in zip(found, ("high=0.8", "medium=1.5", "low=2.5"), strict=True):
            again = asked(query, levels=f"{LEVELS},{levels}".replace(f"{each.group.level}={each.group.epsilon:g},", ""))
            other = again.inquiries[0]
            assert each.all.worst == pytest.approx(other.measure(margin)(other.groups), abs=1e-12)
            assert now <= each.one.worst <= each.all.worst


def test_a_count_is_drawn_as_a_picture_with_its_guarantee(tmp_path: Path) -> None:
    file = neodp.plot.plot_poll(asked("counts", ranges=10), tmp_path / "counts.svg")
    assert "how many of 90 people choose each of 5 options?" in file.read_text()
    errors = asked("count:3").inquiries[0].both.balanced.errors
    assert errors == tuple(sorted(errors))
    assert errors[-1][1] > 0.99


def test_counts_are_text_for_people_in_reports_and_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = str(tmp_path / "answers.db")
    survey = asked("counts", ranges=10, mechanism="weighted", by="unit", by_values="x,y")
    with neodp.open_store(address) as store:
        found = survey.release(store, "spring")["answer"]
        page = report(store, "spring").text(".md")
    for part in "xy":
        assert "; ".join(f"{option}: {number}" for option, number in found[part].items()) in page
    assert main(["--store", address, "releases"]) == 0
    assert "{" not in capsys.readouterr().out


def test_an_accuracy_of_counts_heeds_the_ranges() -> None:
    """A range of ten numbers may be off by nine people more; a smaller margin cannot be promised."""
    wide, single = asked("counts", ranges=10), asked("counts")
    assert wide.propose(0.9, margin=14)["answer"].epsilon == single.propose(0.9, margin=5)["answer"].epsilon
    with pytest.raises(neodp.NeodpError, match="a range has up to 10 numbers, and may be off by 9 people"):
        wide.propose(0.9, margin=5)


def test_quantiles_of_real_numbers_agree_with_numpy() -> None:
    rng = np.random.default_rng(4)
    for share in (Fraction(1, 2), Fraction(9, 10), Fraction(1, 4)):
        votes = rng.integers(0, 5, 101)
        counts = np.bincount(votes, minlength=5)[None, :]
        expected = np.quantile(votes, float(share), method="inverted_cdf")
        assert Quantile(tuple("01234"), share).truth(counts) == expected

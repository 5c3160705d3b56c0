"""Releases, their questions and the ledger of a population, apart from any store."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neodp
from neodp.errors import BudgetSpent, DamagedRelease, GraphError, OtherQuestion
from neodp.ledger.account import Account, Ledger, Limit, epsilon_rounded_up
from neodp.ledger.answering import Keeper, admit, draw_and_keep, look_up
from neodp.ledger.composition import Loss
from neodp.ledger.question import Level, Question, levels_of
from neodp.ledger.release import Release


class Shelf:
    """Keeps releases in memory; `rival` is what somebody else keeps between reading the ledger and keeping."""

    def __init__(self, limit: Limit | None = None, rival: Release | None = None) -> None:
        self.books = Ledger("default", limit or Limit())
        self.rival = rival

    def account(self, population: str) -> Account:
        return (self.books if population == "default" else Ledger(population)).account

    def kept(self, subject: str, name: str) -> Release | None:
        return next((r for r in self.books.releases if (r.graph, r.name) == (subject, name)), None)

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        if self.rival is not None:
            self._add(self.rival)
            self.rival = None
        there = [self.kept(r.graph, r.name) for r in releases]
        self.books.account.admit(releases, there)
        return [kept or self._add(new) for new, kept in zip(releases, there, strict=True)]

    def _add(self, release: Release) -> Release:
        self.books = replace(self.books, releases=(*self.books.releases, release))
        return replace(release, time="now")


def yes(question: Question) -> Mapping[str, float]:
    return {"no": 0.0, "yes": 1.0}


def never(question: Question) -> Mapping[str, float]:
    raise AssertionError


def answered(
    keeper: Keeper, questions: Sequence[Question], name: str, chances: Callable[[Question], Mapping[str, float]]
) -> list[Release]:
    """Look up, compute, keep."""
    found = admit(keeper, look_up(keeper, [question.subject for question in questions], name), questions)
    missing = {question.subject: chances(question) for question in questions if question.subject in found.missing}
    return draw_and_keep(keeper, found, questions, missing)


MAJORITY = {"query": "majority"}
G = Question("g", MAJORITY, (Level(0.5), Level(2.0)))
H = Question("h", MAJORITY, (Level(0.5),))


def test_what_another_kept_first_is_the_answer() -> None:
    shelf = Shelf(rival=Release.of(G, "spring", "no"))
    assert answered(shelf, [G], "spring", yes)[0].answer == "no"
    assert shelf.books.used == 1


def test_what_another_asked_first_under_the_name_is_not_served_for_this() -> None:
    shelf = Shelf(rival=Release.of(replace(G, facts={"query": "threshold:1"}), "spring", "no"))
    with pytest.raises(
        OtherQuestion, match="was asked with query 'threshold:1', and is now asked with query 'majority'"
    ):
        answered(shelf, [G], "spring", yes)


def test_the_last_release_can_be_lost_to_another() -> None:
    shelf = Shelf(rival=Release.of(G, "autumn", "no"))
    with pytest.raises(BudgetSpent, match="1 answer given, 1 allowed"):
        answered(shelf, [G], "spring", yes)
    assert shelf.books.used == 1


def test_nothing_is_evaluated_where_nothing_is_drawn() -> None:
    shelf = Shelf()
    assert answered(shelf, [G], "spring", yes)[0].answer == "yes"
    assert answered(shelf, [G], "spring", never)[0].answer == "yes"
    with pytest.raises(BudgetSpent):
        answered(shelf, [G], "autumn", never)
    with pytest.raises(BudgetSpent, match="0 allowed"):
        answered(Shelf(Limit(0)), [G], "spring", never)
    with pytest.raises(GraphError, match="the release has no name"):
        answered(shelf, [G], "  ", never)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            replace(G, facts={"query": "threshold:1"}),
            "with query 'majority', and is now asked with query 'threshold:1'",
        ),
        (
            replace(G, facts={"query": "majority", "options": ["a"]}),
            r"with options none, and is now .* options \[\"a\"\]",
        ),
        (replace(G, population="b"), "with population 'default', and is now asked with population 'b'"),
    ],
)
def test_one_name_one_question(other: Question, message: str) -> None:
    shelf = Shelf()
    answered(shelf, [G], "spring", yes)
    with pytest.raises(OtherQuestion, match=message):
        answered(shelf, [other], "spring", never)


def test_several_questions_count_as_several_and_are_answered_all_or_none() -> None:
    shelf = Shelf()
    with pytest.raises(BudgetSpent, match=r"2 releases .* 0 answers given, 1 allowed"):
        answered(shelf, [G, H], "spring", never)
    assert shelf.books.used == 0
    shelf = Shelf(Limit(2))
    assert [r.graph for r in answered(shelf, [G, H], "spring", yes)] == ["g", "h"]
    assert [r.graph for r in answered(shelf, [H, G], "spring", never)] == ["h", "g"]


def test_what_was_spent_is_what_held_when_it_was_spent() -> None:
    """Answered at epsilon 5, then about to be at 0.1: 5.1 in all, for everybody."""
    ledger = Ledger("default", Limit(2), (Release("g", "a", "yes", levels=(Level(5.0),)),))
    assert [(s.label, epsilon_rounded_up(s.total().epsilon)) for s in ledger.spent([[Level(0.1)]])] == [
        ("epsilon 0.1", "5.1"),
        ("epsilon 5", "5.1"),
    ]


def test_levels_are_followed_where_name_and_epsilon_are_the_same() -> None:
    named = (Level(0.3, name="high"), Level(2.0, name="low"))
    later = (Level(0.5, name="high"), Level(2.0, name="low"))
    ledger = Ledger("p", Limit(9), (Release("g", "a", "y", levels=named), Release("g", "b", "y", levels=later)))
    two = {"high (epsilon 0.3)": 2.3, "high (epsilon 0.5)": 2.5, "low": 4.0}
    assert {s.label: s.total().epsilon for s in ledger.spent()} == pytest.approx(two)
    three = {label: total + 1.0 for label, total in two.items()} | {"epsilon 1": 5.0}
    assert {s.label: s.total().epsilon for s in ledger.spent([[Level(1.0)]])} == pytest.approx(three)


def test_levels_with_the_same_epsilon_hide_nobody() -> None:
    """Two polls at epsilon 5 for the people of a, whose name is that of another level in each."""
    table = {"answer": ["yes"] * 30, "level": ["a", "b", "c"] * 10}
    shelf = Shelf(Limit(None, 6.0))
    for name, levels in (("one", {"a": 5.0, "b": 5.0, "c": 0.1}), ("two", {"a": 5.0, "b": 0.1, "c": 5.0})):
        found = neodp.poll(table, vote="answer", epsilon="level", levels=levels, mechanism="balanced", name=name)
        if name == "one":
            found.release(shelf, name)
            continue
        with pytest.raises(BudgetSpent, match=r"would have spent epsilon 10 at delta 0, allowed is epsilon 6"):
            found.release(shelf, name)


def test_a_limit_on_epsilon() -> None:
    shelf = Shelf(Limit(None, 4.5))
    assert shelf.books.left is None
    answered(shelf, [G], "one", yes)
    answered(shelf, [G], "two", yes)
    with pytest.raises(BudgetSpent, match="people of epsilon 2 would have spent epsilon 6 at delta 0"):
        answered(shelf, [G], "three", never)
    answered(shelf, [H], "three", yes)
    with pytest.raises(BudgetSpent):
        answered(shelf, [H], "four", never)
    loose = Ledger("p", Limit(None, 17.0, 1e-6), (Release("g", "a", "y", levels=(Level(0.1),)),) * 609)
    loose.account.spend(["b"], [(Level(0.1),)])
    with pytest.raises(BudgetSpent):
        replace(loose, limit=Limit(None, 16.0, 1e-6)).account.spend(["b"], [(Level(0.1),)])
    with pytest.raises(BudgetSpent, match=r"at delta 0\.2"):
        loose.account.spend(["b"], [(Level(0.1, 0.1),)])  # an answer's own delta counts twice


def test_limits_in_words_and_limits_that_are_none() -> None:
    assert str(Limit()) == "1 release"
    assert str(Limit(3, 2.5, 1e-6)) == "3 releases and epsilon 2.5 at delta 1e-06 in total for each person"
    for wrong in ({"releases": -1}, {"epsilon": float("nan")}, {"epsilon": -1.0}, {"delta": 2.0}):
        with pytest.raises(GraphError, match="the limit"):
            Limit(**wrong)


def test_a_digest_shows_damage() -> None:
    release = Release.of(G, "spring", "yes")
    assert release.check(release.digest) is release
    for damaged in (
        replace(release, answer="\0\0"),
        replace(release, levels=(Level(0.5),)),
        replace(release, name="x"),
    ):
        with pytest.raises(DamagedRelease, match="was altered"):
            damaged.check(release.digest)
    assert replace(release, time="later").digest == release.digest
    with pytest.raises(DamagedRelease, match="was altered"):  # a digest that is gone is damage, too
        release.check(None)


def test_many_levels_are_rounded_up() -> None:
    epsilons = [i / 1000 for i in range(1000)]
    found = levels_of(epsilons, [0.0] * 1000)
    assert len(found) == 64
    assert found[-1].epsilon == 0.999
    assert all(any(e <= level.epsilon < e + 0.02 for level in found) for e in epsilons)


def test_figures_are_rounded_up() -> None:
    assert epsilon_rounded_up(14.154845458404454) == "14.16"
    assert epsilon_rounded_up(0.30000000000000004) == "0.3"
    assert epsilon_rounded_up(1e-9) == "1e-09"
    assert epsilon_rounded_up(0.0) == "0"


# --- the account ----------------------------------------------------------------------------------------------------

some_levels = st.builds(
    Level,
    st.sampled_from([0.1, 0.5, 1.0, 2.0]),
    st.sampled_from([0.0, 1e-9]),
    st.sampled_from([None, "staff", "a\tb\nc", '"é\u2028']),
    st.sampled_from([None, 3, 4]),
    st.integers(1, 3),
)
some_releases = st.lists(
    st.builds(
        lambda i, levels: Release("g", f"r{i}", "yes", levels=tuple(levels)),
        st.integers(),
        st.lists(some_levels, max_size=3),
    ),
    max_size=6,
)


def one_by_one(releases: Sequence[Release]) -> list[Counter[Loss]]:
    """Return what everybody has spent, release by release: the meaning of ``Account.spent``, slowly."""
    found = []
    for own in {replace(level, people=None) for release in releases for level in release.levels}:
        losses: list[Loss] = []
        for levels in (release.levels for release in releases if release.levels):
            dearest = max(levels, key=lambda level: (level.epsilon * level.times, level.delta))
            cost = Loss(dearest.epsilon, max(level.delta for level in levels)), dearest.times
            if own in [replace(level, people=None) for level in levels]:
                cost = Loss(own.epsilon, own.delta), own.times
            losses += [cost[0]] * cost[1]
        found.append(Counter(losses))
    return found


@given(some_releases, st.randoms())
def test_an_account_is_the_sum_of_its_releases_in_any_order(releases: list[Release], random: Random) -> None:
    account = Ledger("p", Limit(9), tuple(releases)).account
    spent, slowly = [Counter(each.losses) for each in account.spent()], one_by_one(releases)
    assert all(each in slowly for each in spent)
    assert all(each in spent for each in slowly)
    kept = Account("p", Limit(9))
    random.shuffle(releases)
    for release in releases:
        kept = Account("p", Limit(9)).read(kept.plus([release]).text)  # as a store does
    assert kept == account


@given(some_releases)
def test_nobody_has_spent_more_than_the_level_that_has_spent_most(releases: list[Release]) -> None:
    """Whatever the levels are called, and whichever of them somebody had each time."""
    each = [[level.epsilon * level.times for level in release.levels] for release in releases if release.levels]
    most = max((s.total().epsilon for s in Ledger("p", Limit(9), tuple(releases)).spent()), default=0.0)
    assert all(sum(chosen) <= most * (1 + 1e-12) for chosen in itertools.product(*each))


@pytest.mark.parametrize(
    "damage", [lambda t: t[:-1], lambda t: "", lambda t: t.replace("\n1", "\n0"), lambda t: "0" + t[1:]]
)
def test_an_account_that_is_not_what_was_kept(damage: Callable[[str], str]) -> None:
    text = Account("p").plus([Release("g", "a", "yes", levels=(Level(0.5),))]).text
    assert damage(text) != text
    with pytest.raises(DamagedRelease, match="the account of population 'p' cannot be read: the store was damaged or"):
        Account("p").read(damage(text))
    with pytest.raises(DamagedRelease):
        Account("other").read(text)

"""Releases, their questions and the ledger of a population, apart from any store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import BudgetSpent, DamagedRelease, GraphError, OtherQuestion
from neodp.ledger.account import Account, Ledger, Limit, epsilon_rounded_up
from neodp.ledger.answering import answer_once
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
        return self.books.account.keep(releases, there, self._add, lambda text: None)

    def _add(self, release: Release) -> str:
        self.books = replace(self.books, releases=(*self.books.releases, release))
        return "now"


def yes(question: Question) -> Mapping[str, float]:
    return {"no": 0.0, "yes": 1.0}


def never(question: Question) -> Mapping[str, float]:
    raise AssertionError


MAJORITY = {"query": "majority"}
G = Question("g", MAJORITY, (Level(0.5), Level(2.0)))
H = Question("h", MAJORITY, (Level(0.5),))


def test_what_another_kept_first_is_the_answer() -> None:
    shelf = Shelf(rival=Release.of(G, "spring", "no"))
    assert answer_once(shelf, [G], "spring", yes)[0].answer == "no"
    assert shelf.books.used == 1


def test_what_another_asked_first_under_the_name_is_not_served_for_this() -> None:
    shelf = Shelf(rival=Release.of(replace(G, facts={"query": "threshold:1"}), "spring", "no"))
    with pytest.raises(
        OtherQuestion, match="was asked with query 'threshold:1', and is now asked with query 'majority'"
    ):
        answer_once(shelf, [G], "spring", yes)


def test_the_last_release_can_be_lost_to_another() -> None:
    shelf = Shelf(rival=Release.of(G, "autumn", "no"))
    with pytest.raises(BudgetSpent, match="1 answer given, 1 allowed"):
        answer_once(shelf, [G], "spring", yes)
    assert shelf.books.used == 1


def test_nothing_is_evaluated_where_nothing_is_drawn() -> None:
    shelf = Shelf()
    assert answer_once(shelf, [G], "spring", yes)[0].answer == "yes"
    assert answer_once(shelf, [G], "spring", never)[0].answer == "yes"
    with pytest.raises(BudgetSpent):
        answer_once(shelf, [G], "autumn", never)
    with pytest.raises(BudgetSpent, match="0 allowed"):
        answer_once(Shelf(Limit(0)), [G], "spring", never)
    with pytest.raises(GraphError, match="the release has no name"):
        answer_once(shelf, [G], "  ", never)


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
    answer_once(shelf, [G], "spring", yes)
    with pytest.raises(OtherQuestion, match=message):
        answer_once(shelf, [other], "spring", never)


def test_several_questions_count_as_several_and_are_answered_all_or_none() -> None:
    shelf = Shelf()
    with pytest.raises(BudgetSpent, match=r"2 releases .* 0 answers given, 1 allowed"):
        answer_once(shelf, [G, H], "spring", never)
    assert shelf.books.used == 0
    shelf = Shelf(Limit(2))
    assert [r.graph for r in answer_once(shelf, [G, H], "spring", yes)] == ["g", "h"]
    assert [r.graph for r in answer_once(shelf, [H, G], "spring", never)] == ["h", "g"]


def test_what_was_spent_is_what_held_when_it_was_spent() -> None:
    """Answered at epsilon 5, then about to be at 0.1: 5.1 in all, for everybody."""
    ledger = Ledger("default", Limit(2), (Release("g", "a", "yes", levels=(Level(5.0),)),))
    assert [(s.label, epsilon_rounded_up(s.total().epsilon)) for s in ledger.spent([[Level(0.1)]])] == [
        ("epsilon 0.1", "5.1"),
        ("epsilon 5", "5.1"),
    ]


def test_levels_are_followed_by_name_and_else_by_epsilon() -> None:
    named = (Level(0.3, name="high"), Level(2.0, name="low"))
    later = (Level(0.5, name="high"), Level(2.0, name="low"))
    ledger = Ledger("p", Limit(9), (Release("g", "a", "y", levels=named), Release("g", "b", "y", levels=later)))
    assert {s.label: s.total().epsilon for s in ledger.spent()} == {"high": 0.8, "low": 4.0}
    assert {s.label: s.total().epsilon for s in ledger.spent([[Level(1.0)]])} == {
        "high": 1.8,
        "epsilon 1": 5.0,
        "low": 5.0,
    }


def test_a_limit_on_epsilon() -> None:
    shelf = Shelf(Limit(None, 4.5))
    assert shelf.books.left is None
    answer_once(shelf, [G], "one", yes)
    answer_once(shelf, [G], "two", yes)
    with pytest.raises(BudgetSpent, match="people of epsilon 2 would have spent epsilon 6 at delta 0"):
        answer_once(shelf, [G], "three", never)
    answer_once(shelf, [H], "three", yes)
    with pytest.raises(BudgetSpent):
        answer_once(shelf, [H], "four", never)
    loose = Ledger("p", Limit(None, 15.0, 1e-6), (Release("g", "a", "y", levels=(Level(0.1),)),) * 609)
    loose.account.spend(["b"], [(Level(0.1),)])
    with pytest.raises(BudgetSpent):
        replace(loose, limit=Limit(None, 14.0, 1e-6)).account.spend(["b"], [(Level(0.1),)])
    with pytest.raises(BudgetSpent, match=r"at delta 0\.1"):
        loose.account.spend(["b"], [(Level(0.1, 0.1),)])


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


def one_by_one(releases: Sequence[Release]) -> dict[str, Counter[Loss]]:
    """What everybody has spent, release by release: the meaning of ``Account.spent``, slowly."""
    found = {}
    for label in {level.label for release in releases for level in release.levels}:
        losses: list[Loss] = []
        for levels in (release.levels for release in releases if release.levels):
            same = [level for level in levels if level.label == label] or list(levels)
            dearest = max(same, key=lambda level: (level.epsilon * level.times, level.delta))
            losses += [Loss(dearest.epsilon, max(level.delta for level in same))] * dearest.times
        found[label] = Counter(losses)
    return found


@given(some_releases, st.randoms())
def test_an_account_is_the_sum_of_its_releases_in_any_order(releases: list[Release], random: Random) -> None:
    account = Ledger("p", Limit(9), tuple(releases)).account
    assert {spent.label: Counter(spent.losses) for spent in account.spent()} == one_by_one(releases)
    kept = Account("p", Limit(9))
    random.shuffle(releases)
    for release in releases:
        kept = Account("p", Limit(9)).read(kept.plus([release]).text)  # as a store does
    assert kept == account


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

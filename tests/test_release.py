"""Releases and their ledger, apart from any store."""

from collections.abc import Mapping

import pytest

from neodp.errors import BudgetSpent
from neodp.release import Ledger, Release, answer_once, cost


class Shelf:
    """Keeps releases in memory; `rival` is what somebody else keeps between reading the ledger and keeping."""

    def __init__(self, allowed: int = 1, rival: Release | None = None) -> None:
        self.books = Ledger("g", allowed, ())
        self.rival = rival

    def ledger(self, graph: str) -> Ledger:
        return self.books

    def keep(self, release: Release) -> Release:
        if self.rival is not None:
            self._add(self.rival)
            self.rival = None
        kept = self.books.find(release.name)
        if kept is None:
            self.books.spend(release.name)
            self._add(release)
        return kept or release

    def _add(self, release: Release) -> None:
        self.books = Ledger("g", self.books.max_releases, (*self.books.releases, release))


def yes() -> Mapping[str, float]:
    return {"no": 0.0, "yes": 1.0}


def test_what_another_kept_first_is_the_answer() -> None:
    shelf = Shelf(rival=Release("g", "spring", "no"))
    assert answer_once(shelf, "g", "spring", yes).answer == "no"
    assert shelf.books.used == 1


def test_the_last_release_can_be_lost_to_another() -> None:
    shelf = Shelf(rival=Release("g", "autumn", "no"))
    with pytest.raises(BudgetSpent, match="requested 1, used 1, allowed 1"):
        answer_once(shelf, "g", "spring", yes)
    assert shelf.books.used == 1


def test_nothing_is_evaluated_where_nothing_is_drawn() -> None:
    def never() -> Mapping[str, float]:
        raise AssertionError

    shelf = Shelf()
    assert answer_once(shelf, "g", "spring", yes).answer == "yes"
    assert answer_once(shelf, "g", "spring", never).answer == "yes"
    with pytest.raises(BudgetSpent):
        answer_once(shelf, "g", "autumn", never)
    with pytest.raises(BudgetSpent, match="allowed 0"):
        answer_once(Shelf(allowed=0), "g", "spring", never)


def test_the_cost_in_plain_words() -> None:
    assert cost(1, [0.5]) == "With 1 release at most, everybody keeps the privacy level of their edges."
    assert cost(4) == "4 releases weaken what each person is promised 4 times over."
    text = cost(2, [0.5, 400.0], delta=0.6)
    assert "epsilon 0.5 by a factor of up to e^1 = 2.72 instead of e^0.5 = 1.65, and\n" in text
    assert "epsilon 400 by a factor of up to e^800 instead of e^400 = 5.22e+173." in text
    assert text.endswith("Delta adds up likewise, to 1.")

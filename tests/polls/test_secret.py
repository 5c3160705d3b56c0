"""Polls whose levels nobody learns: votes, levels and taking part are private, and nothing tells of the people."""

from __future__ import annotations

import itertools
import json
import math
import sqlite3
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neodp
from neodp.cli import main
from neodp.core.inequalities import exponential
from neodp.core.sampling import wholes
from neodp.errors import BudgetSpent, GraphError
from neodp.polls import Group, SecretSurvey, secret
from neodp.polls.secret import STEP, SecretPoll, chances_at, secret_poll

POPULATIONS = {
    0.776: [(10, 0.1), (10, 1.0), (11, 2.0)],
    0.800: [(15, 0.3), (15, 1.0), (15, 2.0)],
    0.751: [(20, 0.1), (30, 0.5), (10, 1.0)],
    0.712: [(5, 0.1), (10, 0.3), (6, 3.0)],
    0.875: [(2, 0.1), (19, 2.0)],
    0.778: [(1, 0.001), (4, 2.0)],
    0.857: [(21, 1.0)],
}
LEVELS = (0.0, 0.001, 0.1, 0.5, 1.0, 3.0)
"""With and without a whole number of steps, and above the cap."""
Person = tuple[int, float]


def allowed(one: Person, other: Person, asked: SecretPoll) -> float:
    """Return the cost of a change of one person, from the definition: in whole steps, as the module states it."""

    def steps(person: Person, part: Fraction) -> int:
        vote, level = person
        exact = Fraction(min(level, asked.cap)) * asked.share * part
        return 0 if vote < 0 else math.floor(exact / Fraction(STEP))

    if len(asked.options) > 2:
        both = steps(one, Fraction(1)), steps(other, Fraction(1))
        moved = sum(both) if one[0] != other[0] else abs(both[0] - both[1])
        return moved * STEP / 2
    place = [(steps(p, 1 - asked.theta) if p[0] == 0 else -steps(p, asked.theta)) for p in (one, other)]
    return abs(place[0] - place[1]) * STEP


def promised(one: Person, other: Person, asked: SecretPoll) -> Fraction:
    """Return what docs/poll.md promises for a change of one person, in real numbers; a level may be off by one step.

    Another vote costs the weight x; another level its part of the difference, and the step by which levels are
    rounded; taking part, or not, its part of the weight; vote and level together, a part of each.
    """
    x, y = (Fraction(min(level, asked.cap)) * asked.share for _, level in (one, other))
    part = Fraction(1, 2) if len(asked.options) > 2 else max(asked.theta, 1 - asked.theta)
    if one[0] < 0 or other[0] < 0:
        return part * max(x if one[0] >= 0 else Fraction(0), y if other[0] >= 0 else Fraction(0))
    if one[0] == other[0]:
        return part * abs(x - y) + (Fraction(STEP) if x != y else 0)
    if x == y:
        return x
    if len(asked.options) > 2:
        return (x + y) / 2
    return (1 - asked.theta) * (x if one[0] == 0 else y) + asked.theta * (y if one[0] == 0 else x)


def chances(asked: SecretPoll, people: tuple[Person, ...]) -> list[Fraction]:
    """Return the chances at a table: those that are drawn from, or with three options to 50 digits."""
    vote, epsilon = np.array([p[0] for p in people], np.int64), np.array([p[1] for p in people], np.float64)
    if len(asked.options) == 2:
        return [Fraction(n, 2**1074) for n in wholes(list(asked.chances(vote, epsilon).values()))]
    scores = asked.scores(vote, epsilon)
    with localcontext(Context(prec=60)):
        p = [(Decimal(score - max(scores)) * Decimal(STEP) / 2).exp() for score in scores]
        found = []
        for j, own in enumerate(p):
            a, b = (each for i, each in enumerate(p) if i != j)
            found.append(Fraction(own * (1 - (a + b) / 2 + a * b / 3)))
    return found


ASKED = [
    secret_poll("majority"),
    secret_poll("threshold:2/3"),
    secret_poll("threshold:9/10", cap=0.7, share=0.3),
    secret_poll("plurality", "abc"),
    secret_poll("plurality", "abc", cap=0.7, share="1/3"),
]


def violations(asked: SecretPoll, levels: tuple[float, ...], people: int) -> tuple[int, list[Any]]:
    """Compare *all* tables of some people, who each have any vote and level or take no part, with all neighbours.

    Two tables are neighbours if one person differs: in the vote, the level, both, or in taking part. Returned is how
    many inequalities were checked, in exact arithmetic (three options: to 45 digits), and those that are violated.
    """
    kinds = [(-1, 0.0), *((vote, level) for vote in range(len(asked.options)) for level in levels)]
    cost = {(one, other): allowed(one, other, asked) for one in kinds for other in kinds}
    for one, other in itertools.permutations(kinds, 2):
        assert Fraction(cost[one, other]) <= promised(one, other, asked), (one, other)
        assert cost[one, other] <= max(one[1], other[1])  # nobody pays more than the greater of their own levels
    slack = 1 + Fraction(1, 10**45) * (len(asked.options) > 2)
    factor = {each: exponential(each, 50)[0] * slack for each in set(cost.values())}
    at = {table: chances(asked, table) for table in itertools.product(kinds, repeat=people)}
    number = {row: i for i, row in enumerate(dict.fromkeys(map(tuple, at.values())))}
    rows, place = list(number), {table: number[tuple(row)] for table, row in at.items()}
    decided: dict[tuple[int, int, float], bool] = {}
    checked, wrong = 0, []
    for table in at:
        for i, other in itertools.product(range(people), kinds):
            if other != table[i]:
                there = (*table[:i], other, *table[i + 1 :])
                key = place[table], place[there], cost[table[i], other]
                if key not in decided:
                    pairs = zip(rows[key[0]], rows[key[1]], strict=True)
                    decided[key] = all(p <= factor[key[2]] * q for p, q in pairs)
                checked += len(asked.options)
                wrong += [] if decided[key] else [(table, i, other)]
    return checked, wrong


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_all_tables_and_levels_of_small_populations(asked: SecretPoll) -> None:
    """Three people, all votes and levels: 0 violations. ``python -m tests.polls.test_secret`` does four."""
    checked, wrong = violations(asked, LEVELS if len(asked.options) == 2 else LEVELS[1:5], 3)
    assert (checked, wrong) == (13**3 * 3 * 12 * len(asked.options), [])


def test_the_enumeration_notices_a_step_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism that hears people a little more than it says is found out."""
    monkeypatch.setattr(secret, "RATE", secret.RATE + secret.RATE // 200)
    assert violations(secret_poll("majority"), LEVELS, 2)[1]


def test_steps_between_neighbouring_scores_keep_a_step_exactly() -> None:
    for score in [*range(-300, 300), 10_000, 100_000, 1_449_000, 1_450_000, 2_000_000]:
        here, there = (wholes(chances_at(k)) for k in (score, score + 1))
        least = exponential(STEP, 40)[0]
        for p, q in itertools.chain(zip(here, there, strict=True), zip(there, here, strict=True)):
            assert p * least.denominator <= least.numerator * q


@pytest.mark.parametrize(("expected", "people"), POPULATIONS.items())
def test_what_secret_levels_cost_in_accuracy(expected: float, people: list[tuple[int, float]]) -> None:
    """The populations of docs/poll.md, with c = 2."""
    assert secret_poll().expected([Group(e, n) for n, e in people]) == pytest.approx(expected, abs=0.0006)


def test_people_are_heard_by_their_level() -> None:
    """60 no at 0.1 against 40 yes at 2: yes."""
    vote, epsilon = np.array([1] * 60 + [0] * 40), np.array([0.1] * 60 + [2.0] * 40)
    assert secret_poll().chances(vote, epsilon)["yes"] > 0.999


def test_a_plurality_is_drawn_by_permute_and_flip() -> None:
    vote, epsilon = np.array([0, 0, 1]), np.array([1.0, 0.5, 1.0])
    asked = secret_poll("plurality", "abc")
    exact = [float(p) for p in chances(asked, tuple(zip(vote.tolist(), epsilon.tolist(), strict=True)))]
    drawn = np.array([list(asked.distribution(vote, epsilon).values()) for _ in range(4_000)])
    assert (drawn.sum(axis=1) == 1.0).all()
    assert np.abs(drawn.mean(axis=0) - exact).max() < 5 * 0.5 / math.sqrt(4_000)


# --- nothing depends on the people ------------------------------------------------------------------------------------


def surveys(folder: Path, rows: list[tuple[Any, Any]], **more: Any) -> SecretSurvey:
    path = folder / "people.csv"
    path.write_text("answer,privacy\n" + "".join(f"{vote},{level}\n" for vote, level in rows))
    how = {"vote": "answer", "epsilon": "privacy", "levels": "low=2,medium=1,high=0.3", "secret_levels": True, **more}
    found = neodp.poll(path, **how)
    assert isinstance(found, SecretSurvey)
    return found


@pytest.mark.parametrize("more", [{}, {"query": "plurality", "options": "yes,no,maybe"}, {"query": "threshold:2/3"}])
def test_tables_that_differ_in_anybody_look_the_same(more: dict[str, Any], tmp_path: Path) -> None:
    """Other levels, votes that are none, epsilons that are none, more people, nobody: the same bytes."""
    tables = [
        [("yes", "low"), ("no", "high"), ("yes", "medium")],
        [("yes", "high"), ("no", "high"), ("yes", "0.7")],
        [("yes", ""), ("no", "nonsense"), ("yes", "-3"), ("no", "1e999"), ("maybe", "nan"), ("", "low")],
        [("perhaps", '"0,5"'), ("yes", "0.5")] * 40,
        [],
    ]
    seen = set()
    for rows in tables:
        found = surveys(tmp_path, rows, expect="500 people, levels about 20/50/30", **more)
        asked = [(q.subject, q.asked, q.levels) for q in found.asked().values()]
        seen.add((repr(found), json.dumps(found.facts()), str(asked), str(found.to_arrow().to_pylist())))
    assert len(seen) == 1


def test_the_command_line_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two tables that differ in levels only: previews, refusals, and whatever is stored but for the answer."""
    monkeypatch.chdir(tmp_path)
    words = "poll people.csv --vote answer --epsilon privacy --levels low=2,high=0.3 --secret-levels --share 0.75"
    seen = set()
    for i, levels in enumerate((("low", "high", "low"), ("high", "0.123", "what?"))):
        rows = zip(("yes", "no", "yes"), levels, strict=True)
        Path("people.csv").write_text("answer,privacy\n" + "".join(f"{vote},{level}\n" for vote, level in rows))
        said: list[Any] = []
        store = ("--store", f"{i}.db")
        for more in (
            "",
            "--json",
            "--expect|500 people, levels about 30/70",
            "--release|a",
            "--release|b",
            "--by|answer",
        ):
            given = [*store, *words.split(), *filter(None, more.split("|"))]
            said.append(main(given))
            out, err = capsys.readouterr()
            said += [out if more != "--release|a" else "", err.replace(f"{i}.db", "DB")]
        with sqlite3.connect(f"{i}.db") as file:
            said += file.execute("SELECT subject, name, population, asked, command FROM release").fetchall()
            said += file.execute("SELECT name, epsilon, delta, people, times FROM level").fetchall()
            said += file.execute("SELECT max_releases, epsilon, delta FROM population").fetchall()
        assert said[12] == 1  # the second release is refused
        seen.add(repr(said))
    assert len(seen) == 1


def test_a_cell_that_python_cannot_hold_is_no_vote_and_no_epsilon(tmp_path: Path) -> None:
    """A date far away, in a file whose columns have types, ended in an error, which told of it."""
    import pyarrow as pa
    from pyarrow import parquet

    far = pa.array([0, 10**18], pa.timestamp("us"))
    parquet.write_table(pa.table({"answer": far, "epsilon": far}), tmp_path / "people.parquet")
    found = neodp.poll(tmp_path / "people.parquet", vote="answer", epsilon="epsilon", secret_levels=True)
    assert isinstance(found, SecretSurvey)
    assert found.revealed("answer")["not_counted"] == 2
    with pytest.raises(GraphError, match=r"out of range"):
        neodp.poll({"answer": far}, vote="answer", epsilon=1.0)


def test_refusals_do_not_depend_on_the_people(tmp_path: Path) -> None:
    for rows in ([("yes", "low")], [("yes", "0.1")] * 30, [("?", "?")]):
        with neodp.open_store(tmp_path / f"{len(rows)}{rows[0][0]}.db") as store:
            found = surveys(tmp_path, rows, share=0.75)
            assert found.release(store, "first")["answer"] in ("yes", "no")
            with pytest.raises(BudgetSpent) as refused:
                found.release(store, "second")
            assert str(refused.value) == (
                "release 'second' about population 'default' is refused: 3/4 of everybody's own epsilon is spent, and "
                "it would be 3/2; people give their epsilon once: a smaller share may be left"
            )


def test_shares_add_up_to_one_and_no_further(tmp_path: Path) -> None:
    rows = [("yes", "low")] * 3
    with neodp.open_store(tmp_path / "answers.db") as store:
        for name in ("a", "b", "c"):
            surveys(tmp_path, rows, share="1/3").release(store, name)
        again = surveys(tmp_path, rows, share="1/3").release(store, "a")
        assert again == {"answer": store.ledger().releases[0].answer}
        store.change_limit("default", releases=10)
        with pytest.raises(BudgetSpent, match="own epsilon is spent"):  # whatever is allowed
            surveys(tmp_path, rows, share="0.001").release(store, "d")
        public = neodp.poll({"answer": ["yes"]}, vote="answer", epsilon=1.0)
        public.release(store, "public")
        (spent,) = [each for each in store.ledger().spent() if each.label == "epsilon 1"]
        assert spent.total().epsilon >= 1.0 + 3 * 2 / 3


def test_a_public_poll_is_not_free_after_a_secret_one(tmp_path: Path) -> None:
    with neodp.open_store(tmp_path / "answers.db") as store:
        surveys(tmp_path, [("yes", "low")], share=0.1).release(store, "a")
        with pytest.raises(BudgetSpent):
            neodp.poll({"answer": ["yes"]}, vote="answer", epsilon=1.0).release(store, "b")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"by": "privacy", "by_values": "low"}, "does not go with secret levels"),
        ({"id": "privacy"}, "does not go with secret levels"),
        ({"mechanism": "balanced"}, "does not go with secret levels"),
        ({"cap": 0.0}, "the cap is 0"),
        ({"cap": "2"}, "epsilon is '2'"),
        ({"share": 1.5}, "the share is 1.5"),
        ({"share": "x"}, "the share is 'x'"),
        ({"share": "1/1001"}, "the share is '1/1001'"),
        ({"query": "threshold:1"}, "only one possible answer"),
        ({"expect": "many people"}, "the expectation is 'many people'"),
        ({"expect": "500 people, levels about 1/2"}, "has 2 parts for 3 levels"),
        ({"expect": 500}, "the expectation is 500"),
        ({"secret_levels": False, "expect": "500 people"}, "is for polls with secret levels"),
    ],
)
def test_refused(more: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=message):
        surveys(tmp_path, [("yes", "low")], **more)


def test_a_level_may_not_be_taken_for_a_share() -> None:
    name = "= 1/4 of everybody's own epsilon"
    with pytest.raises(GraphError, match="equals sign"):
        neodp.poll({"v": ["yes"], "e": [name]}, vote="v", epsilon="e", levels={name: 1.0})


if __name__ == "__main__":
    for each in ASKED:
        found, bad = violations(each, LEVELS if len(each.options) == 2 else LEVELS[1:5], 4)
        print(f"{each.question} cap {each.cap}, share {each.share}: {found:,} checks, {len(bad)} violations")

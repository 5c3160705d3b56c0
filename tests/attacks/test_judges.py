"""Judges of the attacks: they notice faults that are planted. Traps are where they are set, and turns are counted."""

import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import neodp
from attacks import attack
from attacks.arena import Arena, Impossible, state_of
from attacks.batches import batch
from attacks.contents import content_of, stands
from attacks.damage import damaged
from attacks.judges import Failed, Outcome, behaved, exact, once, untouched, whole
from attacks.network import honest
from attacks.page import MARKS, added, main, table, written
from attacks.traps import Trap
from neodp import generate
from neodp.ledger.account import Limit
from neodp.store import Store

OLD, NEW = {"graph g": "a", "mechanism g": "x"}, {"graph g": "b", "mechanism g": "none"}


@pytest.mark.parametrize(
    ("code", "out", "err", "what"),
    [
        (None, "", "", "did not end"),
        (-6, "", "", "exit code -6"),
        (134, "", "terminate called", "exit code 134"),
        (1, "", "Traceback (most recent call last):\n", "shows its inside"),
        (1, "", "neodp: something went wrong inside neodp (KeyError)", "shows its inside"),
        (0, "g\x1b[2J", "", "a terminal obeys"),
        (2, "", "neodp: \u202e", "a terminal obeys"),
        (2, "", "", "says nothing"),
    ],
)
def test_a_command_that_does_not_behave(code: int | None, out: str, err: str, what: str) -> None:
    with pytest.raises(Failed, match=what):
        behaved(Outcome(("x",), code, out, err))
    assert behaved(Outcome(("x",), 2, "", "neodp: no\n")).code == 2
    with pytest.raises(Failed, match="exit code 2"):
        behaved(Outcome(("x",), 2, "", "neodp: no\n"), (0, 1))


def test_a_mixture_is_no_state() -> None:
    whole(OLD, [OLD, NEW])
    whole(NEW, [OLD, NEW])
    for mixture in (OLD | {"graph g": "b"}, {}, OLD | {"graph h": "c"}, OLD | {"release g r": "{}"}):
        with pytest.raises(Failed, match="neither the old state nor the new one"):
            whole(mixture, [OLD, NEW])


def test_the_same_poll_from_two_folders_gives_the_same_state(tmp_path: Path) -> None:
    """Each try has a folder of its own, and what is kept of a poll names the table in full."""
    states = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        table = tmp_path / name / "people.csv"
        table.write_text("vote,epsilon\nyes,1\nno,1\nyes,1\n")
        with neodp.open_store(tmp_path / name / "s.db") as store:
            neodp.poll(table, vote="vote", epsilon="epsilon", mechanism="balanced").release(store, "r")
            states.append(state_of(store))
            assert str(table) in store.ledger().releases[0].asked
    whole(states[0], states[1:])


def test_a_second_answer_and_a_ledger_that_is_off() -> None:
    once({"g r": "yes"}, [("g r", "yes"), ("g r", "yes")])
    for given in ([("g r", "no")], [("g r", "yes"), ("g r", "no")], [("g s", "yes")]):
        with pytest.raises(Failed, match="is kept"):
            once({"g r": "yes"}, given)
    exact(2, 2, [("g r", "yes"), ("g r", "yes"), ("g s", "no")])
    for spent, allowed in ((3, 2), (1, 5)):  # more than is allowed; fewer than were answered
        with pytest.raises(Failed, match="are counted"):
            exact(spent, allowed, [("g r", "yes"), ("g s", "no")])


def test_what_is_said_of_a_lost_connection() -> None:
    lost = Outcome(("x",), 3, "", "neodp: the connection was lost")
    unknown = Outcome(("x",), 3, "", "neodp: the connection was lost: this may have been done")
    honest(lost, OLD, OLD, NEW)
    honest(unknown, NEW, OLD, NEW)
    honest(unknown, OLD, OLD, NEW)
    with pytest.raises(Failed, match="does not say that it may have been"):
        honest(lost, NEW, OLD, NEW)
    with pytest.raises(Failed, match="neither"):
        honest(Outcome(("x",), 0, "done", ""), OLD, OLD, NEW)


def test_files_that_are_made_changed_or_linked(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"x")
    before = {"mine": b"x"}
    untouched(before, tmp_path)
    (tmp_path / "s.db").write_bytes(b"y")
    untouched(before, tmp_path, ["s.db"])
    with pytest.raises(Failed, match=r"a file was made: s\.db"):
        untouched(before, tmp_path)
    (tmp_path / "s.db").unlink()
    for change in (lambda: (tmp_path / "mine").write_bytes(b"z"), (tmp_path / "mine").unlink):
        change()
        with pytest.raises(Failed, match="a file was changed: mine"):
            untouched(before, tmp_path)


def dies(rng: random.Random, folder: Path, address: str) -> None:
    """A try that ends its process, as damaged bytes may."""
    if rng.random() < 0.4:
        os.abort()


def refuses(rng: random.Random, folder: Path, address: str) -> None:
    """A try that fails."""
    raise Failed("planted")


def test_a_try_that_ends_its_process_or_fails_is_found_with_its_seed(tmp_path: Path) -> None:
    arena = Arena(tmp_path, "", tmp_path)
    with pytest.raises(Failed, match=r"seed [0-9a-f]+: the process ended with -6"):
        batch(dies, 20, random.Random(1), arena)
    (tmp_path / "report.jsonl").unlink()
    with pytest.raises(Failed, match=r"3 of 3: seed [0-9a-f]+: Failed: planted"):
        batch(refuses, 3, random.Random(1), arena)


def test_failures_count_and_what_is_not_possible_is_not_passed(tmp_path: Path) -> None:
    def impossible(rng: random.Random, arena: Arena) -> int:
        raise Impossible("no such disk")

    def fails(rng: random.Random, arena: Arena) -> int:
        raise Failed("planted")

    run = Arena(tmp_path, "", tmp_path)
    acts = {"ok": lambda rng, arena: 7, "fails": fails, "impossible": impossible, "late": lambda rng, arena: 0}
    chosen = [attack.Attack(name, "no store", f"does {name}", act) for name, act in acts.items()]
    tallies = {f"{each.name} no store": attack.Tally() for each in chosen}
    for each in chosen:
        attack.attempt(each, "1", run, tallies[f"{each.name} no store"])
    assert [(one.tried, one.failed, one.impossible) for one in tallies.values()] == [
        (7, 0, ""),
        (1, 1, ""),
        (0, 0, "no such disk"),
        (0, 0, ""),
    ]
    assert table(chosen, tallies).splitlines()[2:] == [
        "| does ok | no store | 7 | 0 | – | `python -m attacks --only ok` |",
        "| does fails | no store | 1 | 1 | – | `python -m attacks --only fails` |",
        "| does impossible | no store | 0 | 0 | no such disk | `python -m attacks --only impossible` |",
    ]


def test_the_page_has_the_table_of_the_runs(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
    assert written(f"a {MARKS[0]} old {MARKS[1]} b", "new") == f"a {MARKS[0]}\nnew\n{MARKS[1]} b"
    with pytest.raises(ValueError, match="needs the marks"):
        written("nothing", "new")
    text = page.read_text(encoding="utf-8")
    assert written(text, "x") != text
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text('{"kills embedded": {"tried": 3, "failed": 1, "impossible": ""}}')
    total = added([tmp_path / "one.json", tmp_path / "two.json"])["kills embedded"]
    assert (total.tried, total.failed) == (6, 2)
    with pytest.raises(SystemExit):
        main(["--only", "no such attack"])


def test_damage_is_some() -> None:
    whole_file = bytes(range(256)) * 4
    assert sum(damaged(whole_file, random.Random(seed)) != whole_file for seed in range(50)) > 40


# --- damaged files ----------------------------------------------------------------------------------------------------


def asked(path: Path) -> None:
    """Make a store with a graph, a limit of two answers, and both of them."""
    with neodp.open_store(path) as store:
        store.load("g", generate.path(8).with_alpha({"3": 0.6, "4": 0.4}))
        store.allow("default", Limit(2))
        for name in ("one", "two"):
            store.answer("g", "2", name)


def test_a_file_that_is_whole_stands(tmp_path: Path) -> None:
    asked(tmp_path / "s.db")
    assert stands(tmp_path / "s.db", random.Random(1), content_of(tmp_path / "s.db"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda store: store.load("g", generate.path(9), replace=True), "graph"),
        (lambda store: store.drop("g"), "another one than before"),
        (lambda store: store.allow("default", Limit(3)), "another one than before"),
        (lambda store: store.load("new", generate.path(3)), "graphs is another one"),
    ],
)
def test_a_file_whose_content_changed_does_not_stand(
    tmp_path: Path, fault: Callable[[Store], object], message: str
) -> None:
    asked(tmp_path / "s.db")
    before = content_of(tmp_path / "s.db")
    with neodp.open_store(tmp_path / "s.db") as store:
        fault(store)
    with pytest.raises(Failed, match=message):
        stands(tmp_path / "s.db", random.Random(1), before)


def test_a_budget_that_comes_back_and_an_answer_that_changes_do_not_stand(tmp_path: Path) -> None:
    """Also where every fact is one of those that are allowed."""
    asked(tmp_path / "s.db")
    before = content_of(tmp_path / "s.db")
    other = [(*each[:3], "yes" if each[3] == "no" else "no") for each in before.told]
    with pytest.raises(Failed, match="was told as"):
        stands(tmp_path / "s.db", random.Random(1), replace(before, told=other))
    with neodp.open_store(tmp_path / "s.db") as store:
        store.allow("default", Limit(5))
    after = replace(content_of(tmp_path / "s.db"), allowed=before.allowed)
    with pytest.raises(Failed, match="3 answers were given about 'default', and 2 are allowed"):
        stands(tmp_path / "s.db", random.Random(1), before, after)


# --- traps ------------------------------------------------------------------------------------------------------------


def test_a_trap_is_where_it_is_set(tmp_path: Path) -> None:
    """On the last write of a command that changes a file, before it, within it and after it; then on a full disk."""
    arena = Arena(tmp_path, str(tmp_path / "store.db"), tmp_path)
    asked(tmp_path / "store.db")
    words = ("budget", "--releases", "7")
    calls, _, done = arena.work(words)
    assert done.code == 0
    assert calls >= 5  # the journal and its head, the file, and the journal again, which is then deleted
    for how, state in (("before", 2), ("within", 7), ("after", 7)):  # the last call deletes the journal
        with arena.open() as store:
            store.allow("default", Limit(2))
        assert arena.run(*words, trap=Trap(calls, how)).code == -signal.SIGKILL  # type: ignore[arg-type]
        with arena.open() as store:
            assert store.account().limit == Limit(state)
    for how in ("full", "broken"):
        done = behaved(arena.run(*words, trap=Trap(1, how, lasting=True)), (2,))  # type: ignore[arg-type]
        assert "nothing was changed" in done.err

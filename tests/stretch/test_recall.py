"""The experiment: its splits, its recall, that it goes on where it stopped, and what the paper concludes."""

import json
from pathlib import Path

import numpy as np
import pytest

from neodp.errors import GraphError
from neodp.plot import recall as picture
from neodp.stretch import recall
from neodp.stretch.neighborhoods import neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.recall import (
    Cell,
    Plan,
    RecallResult,
    by_epsilon,
    by_slices,
    held_out,
    interval,
    picked,
    recall_of,
    run,
)
from neodp.stretch.similarities import Measure
from neodp.stretch.weights import attitudes

SMALL = Plan(epsilons=(0.5, 3.0), lows=(0.0, 0.9), slices=(1, 2), repeats=2, k=3)


def clusters(users: int = 90, seed: int = 0) -> Profiles:
    """Users of three tastes: each likes about 60 of the 200 items of one taste, and a dozen of the others."""
    random = np.random.default_rng(seed)
    taste = np.arange(users) % 3
    chance = np.where(np.arange(600) // 200 == taste[:, None], 0.3, 0.03)
    user, item = np.nonzero(random.random(chance.shape) < chance)
    return Profiles.from_columns([f"u{u}" for u in user], [f"i{i}" for i in item], name="tastes")


@pytest.fixture(scope="module")
def small() -> list[RecallResult]:
    return run(clusters(30), SMALL, insecure_seed=1)


# --- splits and recall ------------------------------------------------------------------------------------------


def test_a_tenth_of_every_profile_is_held_out() -> None:
    p = clusters()
    out = held_out(p, (0, 1))
    sizes, held = np.bincount(p.user), np.bincount(p.user[out], minlength=len(p))
    assert (held == np.floor(sizes / 10 + 0.5)).all()
    assert (held_out(p, (0, 1)) == out).all()
    assert (held_out(p, (0, 2)) != out).any()


def test_items_that_one_user_likes_are_never_held_out() -> None:
    p = Profiles.from_columns(["a"] * 40 + ["b"], [f"i{i}" for i in range(40)] + ["i7"])
    out = held_out(p, (3,))
    assert p.items.take(p.item[out]).to_pylist() == ["i7"]


def test_recall_as_a_slow_loop_has_it() -> None:
    p = clusters(30)
    out = held_out(p, (5,))
    found = neighbors(p, 4, epsilon=1.0).neighbor
    known = [{int(i) for i in p.item[(p.user == u) & ~out]} for u in range(30)]
    for u, value in enumerate(recall_of(p, out, found)):
        wanted = p.item[(p.user == u) & out]
        union = set().union(*(known[v] for v in found[u]))
        assert value == pytest.approx(np.mean([int(i) in union for i in wanted]))


def test_who_has_nothing_held_out_has_no_recall() -> None:
    p = Profiles.from_columns(["a", "b"], ["x", "x"])
    assert np.isnan(recall_of(p, np.zeros(2, bool), np.array([[1], [0]]))).all()
    (result,) = run(p, Plan(epsilons=(), repeats=1))[:1]
    assert (result.users, result.recall()) == (0, 0.0)


# --- the whole --------------------------------------------------------------------------------------------------


def test_every_cell_is_run_once(small: list[RecallResult]) -> None:
    cells = SMALL.cells()
    assert len(set(cells)) == len(cells) == 2 * (2 + 2 * (2 + 2 * 2))
    assert [r.cell for r in small] == cells


def test_what_the_paper_concludes_holds_where_tastes_are_clear() -> None:
    """Recall rises with epsilon and the lowest weight, between blind and exact; naive is worse for those it keeps."""
    plan = Plan(epsilons=(0.1, 3.0), slices=(2,), repeats=3, k=3)
    lines = {line.label: line for line in by_epsilon(run(clusters(), plan, insecure_seed=4), plan)}
    exact, blind = lines["exact"].overall.mean, lines["blind"].overall.mean
    for label in ("slices from 0", "slices from 0.5", "slices from 0.9", "westin", "westin, others"):
        low, high = lines[label].by[0.1].mean, lines[label].by[3.0].mean
        assert blind < low < high < exact + 0.05
    assert lines["slices from 0"].overall.mean < lines["slices from 0.9"].overall.mean < exact
    assert lines["naive, others"].overall.mean < lines["westin, others"].overall.mean < exact


def test_a_seed_repeats_all_and_without_it_only_the_noise_differs(small: list[RecallResult]) -> None:
    p = clusters(30)
    assert run(p, SMALL, insecure_seed=1) == small
    without = run(p, SMALL)
    assert picked(without, weights="exact") == picked(small, weights="exact")
    assert without != small


def test_it_is_the_seed_that_decides_splits_and_weights(small: list[RecallResult]) -> None:
    other = run(clusters(30), Plan(**{**vars(SMALL), "seed": 9, "epsilons": ()}), insecure_seed=1)
    assert picked(other, weights="exact") != picked(small, weights="exact")


def test_the_order_in_which_profiles_are_kept_does_not_matter(small: list[RecallResult], tmp_path: Path) -> None:
    p = clusters(30)
    order = np.random.default_rng(1).permutation(p.likes)
    users, items = p.users.to_pylist(), p.items.to_pylist()
    mixed = Profiles.from_columns([users[u] for u in p.user[order]], [items[i] for i in p.item[order]], name="other")
    plan = Plan(**{**vars(SMALL), "lows": ()})
    assert run(mixed, plan, tmp_path / "r.jsonl", insecure_seed=1) == run(
        p, plan, tmp_path / "r.jsonl", insecure_seed=1
    )
    assert picked(run(mixed, plan), weights="exact") == picked(small, weights="exact")


def test_naive_leaves_the_fundamentalists_out() -> None:
    p, plan = clusters(), Plan(epsilons=(1.0,), lows=(), repeats=2)
    users = []
    for result in picked(run(p, plan, insecure_seed=1), weights="naive"):
        groups = attitudes(p.users.to_pylist(), 1000 * result.cell.repeat)
        assert result.groups["fundamentalist"] == (0.0, 0)
        assert result.users == sum(n for _, n in result.groups.values()) == (groups != "fundamentalist").sum()
        users.append(result.users)
    assert len(set(users)) == 2  # every split has groups of its own


# --- the file ---------------------------------------------------------------------------------------------------


def test_it_goes_on_where_it_stopped(tmp_path: Path, small: list[RecallResult]) -> None:
    path, p = tmp_path / "results.jsonl", clusters(30)
    told: list[int] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(done)
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(p, SMALL, path, insecure_seed=1, progress=stop)
    assert len(path.read_text().splitlines()) == 6
    with path.open("a") as file:
        file.write('{"cell": {"rep')  # a line that was being written
    done = run(p, SMALL, path, insecure_seed=1)
    assert done == small
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + len(SMALL.cells())
    assert all(map(json.loads, lines))
    assert run(p, SMALL, path, insecure_seed=1) == done
    assert told == [1, 2, 3, 4, 5]


def test_runs_that_are_there_are_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, p = tmp_path / "results.jsonl", clusters(30)
    plan = Plan(epsilons=(1.0,), lows=(0.5,), repeats=2)
    first = run(p, plan, path)
    monkeypatch.setattr(recall, "_done", None)
    assert run(p, plan, path) == first


def test_a_file_of_something_else(tmp_path: Path) -> None:
    path, p = tmp_path / "results.jsonl", clusters(12)
    plan = Plan(epsilons=(1.0,), lows=(), repeats=1)
    run(p, plan, path)
    for other_p, other_plan, seed in ((clusters(12, seed=1), plan, None), (p, Plan(), None), (p, plan, 1)):
        with pytest.raises(GraphError, match=r"belongs to an experiment with other profiles or options; name another"):
            run(other_p, other_plan, path, insecure_seed=seed)
    path.write_text("user,item\n")
    with pytest.raises(GraphError, match=r"results.jsonl holds no results of an experiment; name another file"):
        run(p, plan, path)


# --- figures ----------------------------------------------------------------------------------------------------


def test_intervals_are_student_s_over_splits() -> None:
    """Three splits 0.4, 0.5, 0.6, each the mean of two runs: s / sqrt(3) = 0.0577, t(0.995, 2) = 9.925."""
    results = [
        RecallResult(Cell(r, "slices", e, 0.0, 1), (0.4 + r / 10 + shift) * 10, 10, {})
        for r in range(3)
        for e, shift in ((0.1, -0.1), (3.0, 0.1))
    ]
    mean, margin = interval(results)
    assert mean == pytest.approx(0.5)
    assert margin == pytest.approx(9.9248 * 0.1 / np.sqrt(3), rel=1e-4)
    assert np.isnan(interval(results[:2]).margin)


def test_a_picture(tmp_path: Path, small: list[RecallResult]) -> None:
    one = picture.draw(small, SMALL, tmp_path / "one.svg", "tastes")
    text = one.read_text()
    for label in ("slices from 0.9", "westin, fundamentalist", "naive, others", "no privacy", "number of slices"):
        assert label in text
    assert picture.draw(small, SMALL, tmp_path / "two.svg", "tastes").read_bytes() == one.read_bytes()
    single = Plan(**{**vars(SMALL), "slices": (2,)})
    drawn = picture.draw(small, single, tmp_path / "three.png")
    assert drawn.read_bytes().startswith(b"\x89PNG")
    for wrong in ("four.gif", "no/folder.svg"):
        with pytest.raises(
            GraphError, match=r"cannot be drawn; name a .svg, .png or .pdf file in a folder that exists"
        ):
            picture.draw(small, SMALL, tmp_path / wrong)


def test_by_slices(small: list[RecallResult]) -> None:
    first, second = by_slices(small, SMALL)
    assert (first.label, list(first.by)) == ("slices from 0", [1, 2])
    assert first.by[1] == interval(picked(small, weights="slices", low=0.0, slices=1))
    assert second.overall.mean > 0


def test_other_measures() -> None:
    for measure in Measure:
        plan = Plan(epsilons=(1.0,), lows=(0.5,), repeats=1, measure=measure)
        assert all(0 <= r.recall() <= 1 for r in run(clusters(30), plan, insecure_seed=2))

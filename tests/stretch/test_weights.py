"""Privacy weights of populations: nobody's depends on anybody else, true shares, true sets, repeatable."""

from fractions import Fraction
from hashlib import blake2b
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import PrivacyError
from neodp.stretch import Measure, Profiles, neighbors, noise, similarity
from neodp.stretch.similarities import STEPS
from neodp.stretch.weights import ATTITUDES, SHARES, attitudes, by_attitude, in_slices, weighted

PAIRS = [(f"u{u}", f"i{i}") for u in range(6) for i in range(10) if (u + i) % 4]
TABLES = {
    "items.csv": "item,weight\n" + "".join(f"i{i},0.{i}\n" for i in range(9)),
    "users.csv": "user,weight\n" + "".join(f"u{u},0.{u}\n" for u in range(5)),
    "likes.csv": "user,item,weight\n" + "".join(f"{u},{i},0.{n % 10}\n" for n, (u, i) in enumerate(PAIRS[3:])),
    "groups.csv": "user,group\n" + "".join(f"u{u},{list(ATTITUDES)[u % 3 - 1]}\n" for u in range(5)),
}
KINDS = ["slices:0.5:2", "slices:0:9", "westin", "0.25", *TABLES]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Every kind of weights."""
    kind: str = request.param
    if kind not in TABLES:
        return kind
    (tmp_path / kind).write_text(TABLES[kind])
    return str(tmp_path / kind)


def weights_of(pairs: list[tuple[str, str]], kind: str, seed: int = 3) -> dict[tuple[str, str], float]:
    """The weight of each like."""
    user, item = zip(*pairs, strict=True)
    p, _ = weighted(Profiles.from_columns(user, item), kind, seed)
    return dict(zip(pairs, p.weight.tolist(), strict=True))


def likes(users: int, items: int) -> Profiles:
    """Everybody likes everything."""
    return Profiles.from_columns(np.repeat(np.arange(users), items).astype(str), [str(i) for i in range(items)] * users)


# --- a like moves no weight but its own -------------------------------------------------------------------------


def test_a_like_that_comes_or_goes_leaves_every_other_weight(kind: str) -> None:
    whole = weights_of(PAIRS, kind)
    for like in PAIRS:
        rest = [pair for pair in PAIRS if pair != like]
        assert weights_of(rest, kind) == {pair: whole[pair] for pair in rest}
    for new in [("u0", "i0"), ("u0", "new"), ("a", "i1"), ("new", "new")]:
        for place in (0, 7, len(PAIRS)):
            more = weights_of([*PAIRS[:place], new, *PAIRS[place:]], kind)
            del more[new]
            assert more == whole


def test_the_order_of_rows_does_not_matter(kind: str) -> None:
    assert weights_of(PAIRS[::-1], kind) == weights_of(PAIRS, kind)


@pytest.mark.parametrize("kind", ["slices:0.5:2", "westin", "groups.csv"], indirect=True)
def test_one_rating_that_crosses_the_threshold_changes_nothing_between_others(kind: str, tmp_path: Path) -> None:
    """The scalar product of two others is the same to the last bit, so that noise need not cover it."""
    path = tmp_path / "ratings.csv"
    rows = "".join(f"u{u},i{i},5\n" for u in (1, 2) for i in range(100))
    found = set()
    for rating in (3, 4):
        path.write_text(f"user,item,rating\nu0,i0,{rating}\n" + rows)
        p, _ = weighted(Profiles.from_csv(path, threshold=4.0), kind, seed=0)
        assert p.likes == 197 + rating
        found.add(similarity(p, "u1", "u2", epsilon=1.0, measure=Measure.DOT, sampler=noise.without))
    assert len(found) == 1


@pytest.mark.parametrize("measure", [Measure.DOT, Measure.COSINE])
def test_one_rating_moves_what_is_released_by_no_more_than_its_weight(
    kind: str, measure: Measure, tmp_path: Path
) -> None:
    """All numbers of a table of neighbours before noise, from the file on: those about others do not move."""
    path = tmp_path / "ratings.csv"
    users, items = range(4), range(5)

    def read(low: tuple[int, int] | None) -> tuple[Profiles, dict[frozenset[int], int]]:
        """The profiles with a rating below the threshold, and what noise is added to, by whom it is about."""
        rows = [f"u{u},i{i},{1 if (u, i) == low or (u + i) % 4 == 1 else 5}" for i in items for u in users]
        path.write_text("\n".join(["user,item,rating", *rows]))
        seen: list[int] = []

        def spy(values: noise.Whole, scale: float) -> noise.Whole:
            assert scale == noise.scale_of(STEPS, 0.5)
            seen.extend(values.tolist())
            return values

        p, _ = weighted(Profiles.from_csv(path, threshold=4.0), kind, 1)
        neighbors(p, 2, epsilon=0.5, measure=measure, sampler=spy)
        norms = [{u} for u in users] if measure is Measure.COSINE else []
        about = [frozenset(who) for who in (*norms, *combinations(users, 2))]
        return p, dict(zip(about, seen, strict=True))

    whole, before = read(None)
    moved = 0
    for u, i, v in zip(whole.user.tolist(), whole.item.tolist(), whole.weight.tolist(), strict=True):
        _, after = read((u, i))
        for who, value in before.items():
            change = abs(after[who] - value)
            assert change <= (Fraction(v) * STEPS if u in who else 0)
            moved += change > 0
    assert moved


@given(st.lists(st.text(max_size=3), unique=True, max_size=20), st.integers(-3, 3))
def test_a_user_s_group_does_not_depend_on_who_else_there_is(users: list[str], seed: int) -> None:
    assert attitudes(users, seed).tolist() == [str(attitudes([user], seed)[0]) for user in users]


def test_draws_are_those_of_the_definition() -> None:
    """So that the same seed gives the same weights on every machine and in every version."""

    def h(*texts: str) -> int:
        data = b"".join(len(text.encode()).to_bytes(8, "little") + text.encode() for text in texts)
        return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")

    user, item = ["ann", "ann", "bób"], ["tea", "rum", "tea"]
    p = Profiles.from_columns(user, item)
    drawn = [h("7", *like) for like in zip(user, item, strict=True)]
    assert in_slices(p, 0.0, 4, 7).tolist() == [(x % 5) / 4 for x in drawn]
    assert by_attitude(p, ["fundamentalist", "pragmatist"], 7).tolist() == [
        ATTITUDES[group][x % 3]
        for group, x in zip(["fundamentalist", "fundamentalist", "pragmatist"], drawn, strict=True)
    ]
    for name in map(str, range(50)):
        part = h("7", name) / 2**64
        expected = "unconcerned" if part < 0.23 else "pragmatist" if part < 0.66 else "fundamentalist"
        assert attitudes([name], 7).tolist() == [expected]


def test_ids_that_run_together_are_told_apart() -> None:
    """'ab' likes 'c' and 'a' likes 'bc' are two draws, and so are seed 1 of '1a' and seed 11 of 'a'."""
    p = Profiles.from_columns(["ab", "a", "abc", "b"], ["c", "bc", "d", "a"])
    assert len(set(in_slices(p, 0.0, 2**20, 1).tolist())) == 4
    (one,), (other,) = (in_slices(Profiles.from_columns([u], ["x"]), 0.0, 2**20, s) for u, s in (("1a", 1), ("a", 11)))
    assert one != other


# --- how often which weight -------------------------------------------------------------------------------------

# By Hoeffding's inequality, n independent draws miss a share by d or more with a chance of at most 2 e^(-2 n d^2). What
# is drawn follows from a seed, so that a test passes always or never: this is the chance that it never does.


def test_each_slice_is_as_likely() -> None:
    """100,000 likes, d = 0.013: at most 2 e^-33.8 < 1e-14 for each of 14 shares."""
    p = likes(100, 1000)
    for low, slices in ((0.5, 2), (0.0, 10)):
        values, counts = np.unique(in_slices(p, low, slices, 1), return_counts=True)
        assert values.tolist() == np.linspace(low, 1.0, slices + 1).tolist()
        assert (abs(counts / p.likes - 1 / (slices + 1)) < 0.013).all()


def test_each_group_has_its_weights_each_as_likely() -> None:
    """60,000 likes of each group, d = 0.017: at most 2 e^-34.6 < 1e-14 for each of 7 shares."""
    groups = list(ATTITUDES)
    p = likes(3, 60_000)
    weight = by_attitude(p, groups, seed=1)
    for u, group in enumerate(groups):
        values, counts = np.unique(weight[p.user == u], return_counts=True)
        assert tuple(values) == ATTITUDES[group]
        assert (abs(counts / 60_000 - 1 / len(values)) < 0.017).all()
    assert (by_attitude(p, groups, seed=1) == weight).all()


def test_shares_are_the_chances_of_groups() -> None:
    """100,000 users, d = 0.013: at most 2 e^-33.8 < 1e-14 for each of 3 shares."""
    users = list(map(str, range(100_000)))
    groups = attitudes(users, 3)
    for group, share in SHARES.items():
        assert abs((groups == group).mean() - share) < 0.013
    assert (attitudes(users, 3) == groups).all()
    assert (attitudes(users, 4) != groups).any()
    halves = attitudes(users, 3, {"unconcerned": 0.0, "pragmatist": 1.0, "fundamentalist": 0.0})
    assert set(halves.tolist()) == {"pragmatist"}


def test_draws_of_users_and_of_items_are_independent() -> None:
    """Two users' weights of 60,000 items, and two items' of 60,000 users: each of 4 pairs has a quarter, d = 0.017."""
    for p, one in ((likes(2, 60_000), "user"), (likes(60_000, 2), "item")):
        weight = in_slices(p, 0.0, 1, 5)
        first, second = (weight[getattr(p, one) == n] for n in range(2))
        for a in (0.0, 1.0):
            for b in (0.0, 1.0):
                assert abs(((first == a) & (second == b)).mean() - 0.25) < 0.017


def test_slices() -> None:
    """Section 4.2: {0.5, 0.75, 1} from 0.5 in two slices; one slice is the two ends."""
    p = likes(2, 1000)
    assert sorted(set(in_slices(p, 0.5, 2, 1).tolist())) == [0.5, 0.75, 1.0]
    assert sorted(set(in_slices(p, 0.0, 1, 1).tolist())) == [0.0, 1.0]
    assert len(set(in_slices(p, 0.9, 10, 1).tolist())) == 11
    assert (in_slices(p, 1.0, 3, 1) == 1.0).all()
    assert (in_slices(p, 0.0, 10, 2) == in_slices(p, 0.0, 10, 2)).all()
    assert (in_slices(p, 0.0, 10, 2) != in_slices(p, 0.0, 10, 3)).any()
    assert in_slices(Profiles.from_columns([], []), 0.0, 1, 1).tolist() == []


def test_what_is_refused() -> None:
    p = Profiles.from_columns(["a"], ["x"], users=["a", "b"])
    with pytest.raises(PrivacyError, match=r"the lowest weight is 1.5; give a number from 0 to 1"):
        in_slices(p, 1.5, 1, 0)
    with pytest.raises(PrivacyError, match="there are 0 slices; give at least 1"):
        in_slices(p, 0.5, 0, 0)
    for groups in (["pragmatic", "pragmatist"], ["pragmatist", "pragmatic"]):  # the second user likes nothing
        with pytest.raises(PrivacyError, match=r"there is no group 'pragmatic'; did you mean 'pragmatist'\?"):
            by_attitude(p, groups, 0)
    with pytest.raises(PrivacyError, match=r"the shares are 0.5, 0.4; give numbers with a sum of 1"):
        attitudes(["a"], 0, {"unconcerned": 0.5, "pragmatist": 0.4})

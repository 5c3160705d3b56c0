"""Profiles: from columns and files, their weights, and every message about them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.data.tables import ReadOptions
from neodp.errors import GraphError, UnknownKey
from neodp.stretch.profiles import UNIT, Profiles

RATINGS = "userId,movieId,rating,timestamp\nann,1,5.0,9\nann,2,2.5,9\nbob,1,4.0,9\ncid,3,1.0,9\n"
COLUMNS = ("userId", "movieId", "rating")
IGNORE = ReadOptions(extra_columns="ignore")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def weights(folder: Path, text: str) -> Path:
    path = folder / "weights.csv"
    path.write_text(text)
    return path


def test_a_threshold_leaves_users_and_items(ratings: Path) -> None:
    p = Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS, threshold=4.0)
    assert repr(p) == "<Profiles 'ratings': 3 users, 3 items, 2 likes>"
    assert p.users.to_pylist() == ["ann", "bob", "cid"]
    assert p.matrix.toarray().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert (p.weight == 1.0).all()


def test_sets_and_weighted_profiles(ratings: Path) -> None:
    assert Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS).value.tolist() == [1, 1, 1, 1]
    assert Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS, best=5.0).value.tolist() == [1, 0.5, 0.8, 0.2]
    assert Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS, best=5.0, threshold=2.0).value.tolist() == [
        1,
        0.5,
        0.8,
    ]


def test_a_column_of_weights(tmp_path: Path) -> None:
    path = weights(tmp_path, "user,item,weight\na,x,0.5\na,y,0\n")
    assert Profiles.from_csv(path, name="n").weight.tolist() == [0.5, 0.0]


@given(st.floats(0, 1), st.floats(0, 1))
def test_stretched_never_exceeds_its_weight(value: float, weight: float) -> None:
    """Whatever d is: so an item that comes, goes or changes moves it by no more than its weight."""
    (stretched,) = Profiles.from_columns(["a"], ["x"], value, weight).stretched.data
    assert 0 <= stretched <= UNIT * weight
    assert stretched >= UNIT * weight * value - 2


@pytest.mark.parametrize(
    ("text", "expected", "without"),
    [
        ("item,weight\n1,0.5\n2,0.25\n3,0\n", [0.5, 0.25, 0.5, 0.0], 0),
        ("item,weight\n1,0.5\n", [0.5, 0, 0.5, 0], 2),
        ("user,weight\nann,0.5\nbob,1\n", [0.5, 0.5, 1, 0], 1),
        ("user,item,weight\nann,2,0.125\n", [0, 0.125, 0, 0], 3),
        ("item,weight\n", [0, 0, 0, 0], 4),
        ("user,group\nann,unconcerned\n", [1, 1, 0, 0], 2),
    ],
)
def test_weights_from_a_file(ratings: Path, tmp_path: Path, text: str, expected: list[float], without: int) -> None:
    p, missing = Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS).with_weights_from(weights(tmp_path, text))
    assert p.weight.tolist() == expected
    assert missing == without


def test_groups_are_kept(ratings: Path, tmp_path: Path) -> None:
    text = "user,group\nann,fundamentalist\nbob,pragmatist\ncid,unconcerned\n"
    p, _ = Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS).with_weights_from(
        weights(tmp_path, text), seed=2
    )
    assert p.group is not None
    assert p.group.to_pylist() == ["fundamentalist", "pragmatist", "unconcerned"]
    assert set(p.weight[:2]) <= {0, 0.5, 1}
    assert p.with_weights(0.5).group is None


def test_a_like_does_not_change_the_order_of_users_and_items(tmp_path: Path) -> None:
    """The order is shown, and decides between equals."""
    path = tmp_path / "likes.csv"
    for first in ("", "cid,z\n", "bob,y\n"):
        path.write_text("user,item\n" + first + "ann,x\nbob,x\nbob,z\ncid,y\n")
        p = Profiles.from_csv(path)
        assert (p.users.to_pylist(), p.items.to_pylist()) == (["ann", "bob", "cid"], ["x", "y", "z"])
    p = Profiles.from_columns(["cid", "ann"], ["y", "x"])
    assert (p.users.to_pylist(), p.items.to_pylist()) == (["ann", "cid"], ["x", "y"])
    assert p.matrix.toarray().tolist() == [[1, 0], [0, 1]]


def test_users_and_items_without_likes() -> None:
    p = Profiles.from_columns(["a"], ["x"], users=["a", "b"], items=["x", "y"])
    assert p.stretched.toarray().tolist() == [[UNIT, 0], [0, 0]]
    empty = Profiles.from_columns([], [])
    assert (len(empty), empty.likes, empty.matrix.shape) == (0, 0, (0, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", r"ratings.csv has no column 'user'"),
        (
            "user,item,rating\na,x,5\na,y,good\n",
            "ratings.csv, line 3: the rating is 'good', not a number; give a number",
        ),
        ("user,item,rating\na,x,5\n,y,5\n", "ratings.csv, line 3: the user is missing; give it an id"),
        ("user,item,rating\na,x,5\na,,5\n", "ratings.csv, line 3: the item is missing; give it an id"),
        ("user,item,rating\na,x,5\na,x,5\n", "ratings.csv, line 3: 'a' likes 'x' twice; keep one of the two rows"),
        ("user,item,rating\na,x,6\n", "ratings.csv, line 2: the value is 1.2; give a number from 0 to 1"),
        ("user,item,rating\na,x,nan\n", "ratings.csv, line 2: the rating is 'nan', not a number; give a number"),
        (
            "user,item,rating,weight\na,x,5,2\n",
            "ratings.csv, line 2: the weight is 2.0, out of range; give a number from 0 to 1",
        ),
        ("user,item,rating,weight\na,x,5,\n", "ratings.csv, line 2: the weight is missing; give a number"),
    ],
)
def test_what_is_wrong_in_a_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with pytest.raises(GraphError, match=message):
        Profiles.from_csv(path, best=5.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "user,item\na,x\n",
            "has no weights; give it the columns item,weight, user,weight, user,item,weight or",
        ),
        ("item,weight\n1,0.5\n1,0.6\n", r"line 3: '1' occurs twice; keep one of the two rows"),
        ("item,weight\n1,1.5\n", r"line 2: the weight is 1.5, out of range; give a number from 0 to 1"),
        ("user,group\nann,pragmatic\n", r"there is no group 'pragmatic'; did you mean 'pragmatist'\?"),
        ("user,group\nann,\n", r"line 2: the group is missing; give one of unconcerned, pragmatist, fundamentalist"),
    ],
)
def test_what_is_wrong_in_a_file_of_weights(ratings: Path, tmp_path: Path, text: str, message: str) -> None:
    p = Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS)
    with pytest.raises(GraphError, match=message):
        p.with_weights_from(weights(tmp_path, text))


def test_a_highest_rating_that_is_none(ratings: Path) -> None:
    for best in (0.0, -5.0, float("inf"), float("nan")):
        with pytest.raises(GraphError, match=f"the highest rating is {best}; give a positive number"):
            Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS, best=best)
    with pytest.raises(GraphError, match="the least rating is nan; give a number"):
        Profiles.from_csv(ratings, options=IGNORE, columns=COLUMNS, threshold=float("nan"))


@pytest.mark.parametrize("header", ["weigth", "Weight", "weights", "privacy weight", "wight"])
def test_a_misspelt_weight_is_not_the_weight_1(tmp_path: Path, header: str) -> None:
    path = weights(tmp_path, f"user,item,rating,{header}\na,x,5,0.1\n")
    with pytest.raises(
        GraphError, match=f"weights.csv has a column '{header}', but no column 'weight'; rename it, or give `extra"
    ):
        Profiles.from_csv(path)
    with pytest.warns(UserWarning, match=f"the column '{header}' is ignored, and there is no column 'weight'"):
        assert Profiles.from_csv(path, options=IGNORE).weight.tolist() == [1.0]


def test_other_columns_are_refused_by_name(ratings: Path) -> None:
    message = (
        "has a column 'timestamp', which is not expected; it may have userId, movieId, rating, weight; or give `ex"
    )
    with pytest.raises(GraphError, match=message):
        Profiles.from_csv(ratings, columns=COLUMNS)


def test_all_wrong_cells_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    path = weights(tmp_path, "user,item,rating,weight\na,x,5,2\n,y,good,0.5\nb,x,,-1\nb,y,bad,low\n")
    with pytest.raises(GraphError) as caught:
        Profiles.from_csv(path, best=5.0)
    assert str(caught.value).splitlines() == [
        f"7 cells of {path} cannot be used:",
        "  the user is missing: line 3; give it an id",
        "  the rating is not a number, 2 times: line 3 ('good'), line 5 ('bad'); give a number",
        "  the rating is missing: line 4; give a number",
        "  the weight is not a number: line 5 ('low'); give a number",
        "  the weight is out of range, 2 times: line 2 (2.0), line 4 (-1.0); give a number from 0 to 1",
    ]


def test_what_is_wrong_in_columns() -> None:
    with pytest.raises(GraphError, match="there are 2 users and 1 items of likes"):
        Profiles.from_columns(["a", "b"], ["x"])
    with pytest.raises(GraphError, match="there are 2 weights for 1 likes; give one per like, or one for all"):
        Profiles.from_columns(["a"], ["x"], weight=[1, 1])
    with pytest.raises(GraphError, match="like 0: 'a' is not among the users; correct the id"):
        Profiles.from_columns(["a"], ["x"], users=["b"])
    with pytest.raises(GraphError, match="a user has no id, or occurs twice among the users"):
        Profiles.from_columns(["a"], ["x"], users=["a", "a"])
    with pytest.raises(GraphError, match="there are 1 groups for 2 users; give one per user"):
        Profiles.from_columns(["a", "b"], ["x", "x"], group=["unconcerned"])
    with pytest.raises(UnknownKey, match=r"there is no user 'an' in profile 'profile'; did you mean 'ann'\?"):
        Profiles.from_columns(["ann"], ["x"]).index("an")
    assert np.isclose(Profiles.from_columns(["a"], ["x"], weight=0.5).with_weights(0.25).weight, 0.25).all()

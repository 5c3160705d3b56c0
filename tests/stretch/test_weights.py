"""Privacy weights of populations: true shares, true sets, repeatable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import PrivacyError
from neodp.stretch.weights import ATTITUDES, SHARES, attitudes, by_attitude, in_slices


@given(st.integers(0, 2000), st.integers(0, 5))
def test_shares_are_true_to_less_than_one_user(users: int, seed: int) -> None:
    groups = attitudes(users, seed)
    assert len(groups) == users
    for group, share in SHARES.items():
        assert abs((groups == group).sum() - users * share) < 1


def test_whole_shares_are_met_exactly() -> None:
    groups = attitudes(100, 3)
    assert {g: int((groups == g).sum()) for g in SHARES} == {"unconcerned": 23, "pragmatist": 43, "fundamentalist": 34}
    assert (attitudes(100, 3) == groups).all()
    assert (attitudes(100, 4) != groups).any()


def test_each_group_has_its_weights_each_as_likely() -> None:
    groups = list(ATTITUDES)
    user = np.repeat([0, 1, 2], 6000)
    weight = by_attitude(groups, user, seed=1)
    for u, group in enumerate(groups):
        values, counts = np.unique(weight[user == u], return_counts=True)
        assert tuple(values) == ATTITUDES[group]
        assert (abs(counts - 6000 / len(values)) < 6 * np.sqrt(6000 / 4)).all()
    assert (by_attitude(groups, user, seed=1) == weight).all()


def test_slices() -> None:
    """Section 4.2: {0.5, 0.75, 1} from 0.5 in two slices; one slice is the two ends."""
    assert sorted(set(in_slices(200, 0.5, 2, 1).tolist())) == [0.5, 0.75, 1.0]
    assert sorted(set(in_slices(200, 0.0, 1, 1).tolist())) == [0.0, 1.0]
    assert len(set(in_slices(2000, 0.9, 10, 1).tolist())) == 11
    assert (in_slices(5, 1.0, 3, 1) == 1.0).all()
    assert (in_slices(50, 0.0, 10, 2) == in_slices(50, 0.0, 10, 2)).all()


def test_what_is_refused() -> None:
    with pytest.raises(PrivacyError, match=r"the lowest weight is 1.5; give a number from 0 to 1"):
        in_slices(5, 1.5, 1, 0)
    with pytest.raises(PrivacyError, match="there are 0 slices; give at least 1"):
        in_slices(5, 0.5, 0, 0)
    with pytest.raises(PrivacyError, match=r"there is no group 'pragmatic'; did you mean 'pragmatist'\?"):
        by_attitude(["pragmatic"], np.array([0]), 0)
    with pytest.raises(PrivacyError, match=r"the shares are 0.5, 0.4; give numbers with a sum of 1"):
        attitudes(5, 0, {"unconcerned": 0.5, "pragmatist": 0.4})

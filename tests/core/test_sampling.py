"""Answers are drawn with exactly the stored probabilities."""

import secrets
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neodp
from neodp.core.sampling import BITS, choose, draw_many
from neodp.errors import GraphError, UnknownKey


@given(st.floats(0.0, 0.5))
def test_the_smaller_entry_owns_exactly_its_share(p: float) -> None:
    """The number of integers below 2^1074 that select a colour, over 2^1074, is its probability."""
    share = Fraction(p) * 2**BITS
    assert share.denominator == 1
    border = share.numerator
    for row, small in (([p, 1 - p], 0), ([1 - p, p], 1)):
        if row[0] == row[1]:
            continue
        if border:
            assert choose(row, border - 1) == small
        assert choose(row, border) == 1 - small
        assert choose(row, 2**BITS - 1) == 1 - small


def test_more_than_two_colors() -> None:
    row = [0.25, 0.5, 0.25]
    quarter = 2 ** (BITS - 2)
    borders = [0, quarter - 1, quarter, 2 * quarter - 1, 2 * quarter, 2**BITS - 1]
    assert [choose(row, u) for u in borders] == [0, 0, 2, 2, 1, 1]


@pytest.mark.parametrize("p", [0.0, 1e-300, 5e-324])
def test_extremes_by_construction(p: float) -> None:
    count = (Fraction(p) * 2**BITS).numerator
    assert all(choose([p, 1.0], u) == 0 for u in range(min(count, 3)))
    assert choose([p, 1.0], count) == 1


def test_draws_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    g = neodp.generate.path(2)
    m = neodp.extend(g.with_alpha({"0": 0.25}))
    asked: list[int] = []

    def zero(bits: int) -> int:
        asked.append(bits)
        return 0

    monkeypatch.setattr(secrets, "randbits", zero)
    assert neodp.draw(m, "0") == g.colors[0]
    assert asked == [BITS]


def test_frequencies() -> None:
    """20,000 draws at p = 0.3 fall within six standard deviations: a wrong generator would not."""
    g = neodp.generate.path(2)
    m = neodp.extend(g.with_alpha({"0": 0.3}))
    n = 20_000
    hits = sum(neodp.draw(m, "0") == g.colors[0] for _ in range(n))
    assert abs(hits - 0.3 * n) < 6 * (n * 0.3 * 0.7) ** 0.5


def test_unknown_dataset() -> None:
    g = neodp.generate.path(2)
    with pytest.raises(UnknownKey, match="there is no dataset '7'"):
        neodp.draw(neodp.extend(g.with_alpha({"0": 0.5})), "7")


@pytest.mark.parametrize("row", [[1e-300, 1.0], [1.0, 1e-300], [2.0**-64, 1 - 2.0**-64], [0.25, 0.5, 0.25], [0.0, 1.0]])
def test_many_draws_are_decided_by_the_same_integers(row: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """At the ends of all intervals, where the first 64 bits do not decide, the remaining ones do."""
    rest = BITS - 64
    ends = [(Fraction(x) * 2**BITS).numerator for x in row if 0.0 < x < 1.0]
    tops = sorted(
        {min(max(0, (end >> rest) + step), 2**64 - 1) for end in ends for step in (-1, 0, 1)} | {0, 2**64 - 1}
    )
    for low in (0, 2**rest - 1, *(end % 2**rest for end in ends), *(max(0, end % 2**rest - 1) for end in ends)):
        monkeypatch.setattr(secrets, "token_bytes", lambda n: np.array(tops, np.uint64).tobytes())
        monkeypatch.setattr(secrets, "randbits", lambda bits, low=low: low)
        decided = {((end >> rest), end) for end in ends}
        expected = [choose(row, (top << rest) | low) for top in tops]
        assert draw_many(row, len(tops)).tolist() == expected, decided


@pytest.mark.parametrize(
    "row", [[0.2, 0.2], [0.5, 0.6], [-0.5, 1.5], [float("nan"), 1.0], [float("inf"), 0.0], [], [[1.0]], [0.0, 0.0]]
)
def test_chances_that_do_not_add_up_to_one_are_not_drawn_from(row: list[Any]) -> None:
    """The rest of [.2, .2] would go to one of them in silence."""
    with pytest.raises(GraphError, match="give numbers from 0 to 1 that add up to 1"):
        draw_many(row, 5)

"""Tables whose alpha or delta is tiny, down to 1e-300, are as private as others: at every distance, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from neodp.compiled import kernel
from neodp.core.inequalities import judge
from neodp.core.rainbow import Line, Table, lengths

DISTANCES = np.unique(
    np.concatenate([np.arange(40), np.arange(1000, 1050), np.arange(2040, 2056), np.arange(10_235, 10_245)])
)


def broken(alpha: list[float], epsilon: float, delta: float) -> tuple[int, int]:
    """Return how many inequalities between datasets at neighbouring distances are broken, of how many."""
    table = Table({tuple(range(len(alpha))): alpha}, epsilon, delta)
    order = np.array([range(len(alpha))], np.int8)
    rows = table.rows(order, np.zeros(len(DISTANCES), np.int32), DISTANCES)
    near = np.flatnonzero(np.diff(DISTANCES) == 1)
    alike = np.ones(len(near))
    found = judge(near, near + 1, alike * epsilon, alike * delta, rows)
    return int(np.count_nonzero(found.broken)), len(near) * 2 * (len(alpha) if delta == 0.0 else 1)


@pytest.mark.parametrize(
    ("alpha", "epsilon", "delta"),
    [
        ([1e-61, 1.0, 0.0], 0.5, 0.0),
        ([0.0, 1.0, 0.0], 0.5, 1e-65),
        ([1e-300, 1.0, 0.0], 0.01, 0.0),
        ([1e-300, 1e-300, 1.0], 0.7, 0.0),
        ([1e-90, 0.5, 0.5], 0.2, 0.0),
        ([0.4, 1e-200, 0.6], 0.3, 0.0),
        ([0.0, 0.0, 1.0], 0.0, 1e-250),
    ],
)
def test_found_by_a_hostile_review(alpha: list[float], epsilon: float, delta: float) -> None:
    assert broken(alpha, epsilon, delta)[0] == 0


def test_the_best_output_grows_steadily() -> None:
    """It had the chance 1.6e-61 at distance 1023, and 1.0 at 1024."""
    table = Table({(0, 1, 2): [1e-61, 1.0, 0.0]}, 0.5)
    best = [table.at((0, 1, 2), d)[0] for d in range(1100)]
    assert best == sorted(best)
    assert best[200] == pytest.approx(1e-61 * np.exp(100.0), rel=1e-12)


def test_thirty_thousand_exact_checks() -> None:
    rng = np.random.default_rng(61)
    checks = violations = 0
    while checks < 30_000:
        k = int(rng.integers(3, 5))
        row = 10.0 ** rng.uniform(-300, 0, k) if rng.random() < 0.7 else rng.dirichlet(np.ones(k))
        row[rng.random(k) < 0.15] = 0.0
        largest = int(rng.integers(k))
        row[largest] = 0.0
        row *= min(1.0, 1.0 / (2.0 * row.sum())) if row.sum() else 1.0
        row[largest] = 1.0 - row.sum()
        delta = 0.0 if rng.random() < 0.5 else float(10.0 ** rng.uniform(-300, -1))
        found, made = broken(row.tolist(), float(rng.choice([0.0, 1e-3, 0.1, 0.5, 2.0, 30.0])), delta)
        violations, checks = violations + found, checks + made
    assert violations == 0


def test_the_line_with_tiny_alpha() -> None:
    """Places along the line that lie as far apart as an edge of some epsilon allows, all exactly checked."""
    rng = np.random.default_rng(62)
    violations = checks = 0
    for _ in range(300):
        k = int(rng.integers(3, 5))
        row = 10.0 ** rng.uniform(-300, -1, k)
        row[int(rng.integers(k))] = 0.0
        row[np.argmin(row)] = 1.0 - row.sum()
        epsilon = 10.0 ** rng.uniform(-3, 2, 60)
        at = np.concatenate([[0], np.cumsum(lengths(epsilon, k))])
        at = np.minimum(at, kernel.LONGEST)
        flow = Line({tuple(range(k)): row.tolist()})
        rows = flow.rows(np.array([range(k)], np.int8), np.zeros(len(at), np.int32), at)
        near = np.arange(len(epsilon))
        found = judge(near, near + 1, epsilon, np.zeros(len(epsilon)), rows)
        violations, checks = violations + int(np.count_nonzero(found.broken)), checks + 2 * k * len(epsilon)
    assert (violations, checks > 100_000) == (0, True)

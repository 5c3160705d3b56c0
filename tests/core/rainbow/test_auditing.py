"""The audit of distributions over more than two colours."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import COLORS, path_of
from tests.reference import exponential


@pytest.mark.parametrize("seed", range(150))
def test_the_audit_decides_as_the_slow_checker_does(seed: int) -> None:
    """Random rows, near ties in the last place, subsets that break where no single output does, up to 16 outputs."""
    rng = random.Random(seed)
    k = rng.choice([3, 3, 4, 5, 7]) if seed else 16
    one = [rng.random() ** 3 for _ in range(k)]
    one = [x / sum(one) for x in one]
    epsilon, delta = rng.choice([0.0, rng.uniform(0.0, 1.0), 300.0]), rng.choice([0.0, 0.0, rng.uniform(0.0, 0.3)])
    two = [x * math.exp(rng.choice([-1, 1]) * min(epsilon, 2.0)) for x in one]
    two = [x / sum(two) for x in two]
    if rng.random() < 0.5:
        two = list(one)
        two[0] = math.nextafter(one[0], rng.choice([0.0, 1.0]))
    g = DatasetGraph.from_columns(
        ["u", "v"], np.array([0, 1]), ["u"], ["v"], epsilon, delta, colors=COLORS[:k],
    )  # fmt: skip
    m = Mechanism.of(g, [one, two])
    rows = m.probabilities.tolist()
    broken = reference.violations([(0, 1, epsilon, delta)], rows) if k < 10 else None
    report = neodp.audit(g, m)
    if broken is not None:
        assert bool(report) == (not broken)
        if delta == 0.0:
            assert report.violations == len([s for _, s in broken if len(s) == 1])


def test_all_65536_sets_of_sixteen_outputs() -> None:
    """On the boundary and beside it, one by one, in whole numbers."""
    rng = random.Random(16)
    weights = [rng.random() ** 4 for _ in range(16)]
    orders = [tuple(COLORS), tuple(reversed(COLORS))]
    rows = {order: [w / sum(weights) for w in weights] for order in orders}
    epsilon, delta = 0.3, 0.02
    g = path_of(rows, [4, 4], epsilon, delta)
    m = neodp.extend(g)
    assert neodp.audit(g, m).violations == 0
    low = exponential(epsilon, 60)[0]
    unit = 2**1074 * low.denominator
    for u, v in ((2, 3), (3, 2), (3, 4), (4, 5)):
        one, two = (reference.exact(m.probabilities[w].tolist()) for w in (u, v))
        left, right = [0], [int(Fraction(delta) * unit)]
        for p, q in zip(one, two, strict=True):
            left += [x + int(p * unit) for x in left]
            right += [x + int(q * unit * low) for x in right]
        assert len(left) == 65536
        assert all(x <= y for x, y in zip(left, right, strict=True))


def test_a_set_of_outputs_breaks_where_no_output_does() -> None:
    g = DatasetGraph.from_columns(["u", "v"], ["a", "b"], ["u"], ["v"], 0.0, 0.15, colors=["a", "b", "c", "d"])
    m = Mechanism.of(g, {"u": [0.35, 0.35, 0.15, 0.15], "v": [0.25, 0.25, 0.25, 0.25]})
    report = neodp.audit(g, m)
    assert report.violations == 2
    assert report.worst[0].broken == (
        "Pr[a or b] is 0.7 at 'u' and 0.5 at 'v', beyond epsilon 0.0 and delta 0.15",
        "Pr[c or d] is 0.5 at 'v' and 0.3 at 'u', beyond epsilon 0.0 and delta 0.15",
    )
    assert report.worst[0].tightness == pytest.approx(0.5 / 0.45)


def test_a_unit_in_the_last_place_is_found() -> None:
    g = path_of({("a", "b", "c"): [0.5, 0.25, 0.25], ("b", "a", "c"): [0.25, 0.5, 0.25]}, [40, 40], 1.0)
    m = neodp.extend(g)
    rows = m.probabilities.copy()
    rows[3, 2] *= 1 + 1e-14
    report = neodp.audit(g, Mechanism.of(g, rows))
    assert report.violations >= 1
    assert "3" in (report.worst[0].source, report.worst[0].target)
    assert report.worst[0].broken[0].startswith("Pr[c] is ")


def test_domination_is_by_the_first_output_that_differs() -> None:
    """Paper 003, Definition 3."""
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    m = neodp.extend(g)
    flow = neodp.extend(g, method="line")
    assert m.dominates(flow)
    assert not flow.dominates(m)
    assert m.dominates(m)

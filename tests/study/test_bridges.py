"""A mechanism as others expect it: OpenDP's Measurement, and a sampler."""

import math
import sys
from fractions import Fraction

import pytest

import neodp
from neodp import Gaussian, generate
from neodp.errors import GraphError, NotPrivate, UnknownKey
from neodp.study.bridges import measurement, sampler


def test_opendp_measurement_and_its_map() -> None:
    """The loss over d edges is at least d times the exact loss of the worst edge, and at most d times its epsilon."""
    g = generate.grid(4, 4, epsilon=[0.1, 0.3])
    found = neodp.extend(g.with_alpha(neodp.balanced(g)))
    m = measurement(found)
    assert {m(key) for key in g.keys.to_pylist()} <= set(g.colors)
    p, q = found.probabilities[:, 0], found.probabilities[:, 1]
    ratios = [math.log(x[u] / x[v]) for x in (p, q) for u, v in zip(g.source, g.target, strict=True)]
    worst = max(map(abs, ratios))
    for d in (0, 1, 2, 3, 7, 1000):
        assert d * worst * (1 - 1e-12) <= m.map(d) <= d * Fraction(0.3)
    assert m.check(2, 0.7)
    assert not m.check(2, 1.9 * worst)


def test_distances_in_epsilon_follow_each_persons_own_level() -> None:
    """Two steps by people who asked for 0.1 lose 0.2, whatever others asked for."""
    g = generate.grid(4, 4, epsilon=[0.1, 2.0])
    m = measurement(neodp.extend(g.with_alpha(neodp.balanced(g))), "epsilon")
    assert m.map(0.2) == 0.2
    assert m.check(0.2, 0.2)
    assert not m.check(0.2, 0.1)
    loose = generate.path(6, epsilon=0.5, delta=1e-6)
    with pytest.raises(GraphError, match="an edge of the graph has a delta above 0; measure the distance in edges"):
        measurement(neodp.extend(loose.with_alpha(neodp.balanced(loose))), "epsilon")
    with pytest.raises(GraphError, match="there is no metric 'people'; give 'edges' or 'epsilon'"):
        measurement(neodp.extend(loose.with_alpha(neodp.balanced(loose))), "people")  # type: ignore[arg-type]


def test_what_is_not_private_is_no_measurement() -> None:
    g = generate.path(4, epsilon=0.5)
    with pytest.raises(NotPrivate, match="the mechanism is not private: '1' – '2': Pr"):
        measurement(neodp.Mechanism.of(g, [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]]))


def test_opendp_measurement_with_delta() -> None:
    """Group privacy: delta over d edges is delta (e^(d eps) - 1) / (e^eps - 1), at most 1."""
    g = generate.path(6, epsilon=0.5, delta=1e-6)
    m = measurement(neodp.extend(g.with_alpha(neodp.balanced(g))))
    assert m.map(1) == (pytest.approx(0.5), pytest.approx(1e-6))
    epsilon, delta = m.map(4)
    assert epsilon == pytest.approx(2.0)
    exact = 1e-6 * (math.exp(2.0) - 1) / (math.exp(0.5) - 1)
    assert exact * (1 - 1e-9) <= delta <= exact * (1 + 1e-9)
    assert m.map(100)[1] == 1.0


def test_the_measurement_answers_as_the_mechanism() -> None:
    g = generate.path(2)
    m = measurement(neodp.extend(g.with_alpha({"0": (1.0, 0.0), "1": (1.0, 0.0)})))
    assert {m("1") for _ in range(50)} == {g.colors[0]}


def test_what_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    g = generate.path(4)
    gaussian = neodp.extend(g.with_alpha({"1": 0.5}), Gaussian(1.0))
    with pytest.raises(GraphError, match=r"something other than \(epsilon, delta\)"):
        measurement(gaussian)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(GraphError, match=r"OpenDP is not installed; pip install '\.\[opendp\]' in the checkout"):
        measurement(gaussian)


def test_a_million_samples_have_the_exact_probability() -> None:
    """Within a Wilson interval at 1e-6, at datasets from likely to unlikely; and what is impossible never comes."""
    g = generate.path(12, epsilon=0.7)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    sample, n, z = sampler(m), 10**6, 4.8916  # two-sided 1e-6
    for key in ("0", "4", "5", "6", "9"):
        answers = sample(key, n)
        assert answers.shape == (n,)
        hits, p = int((answers == 0).sum()) / n, m[key][g.colors[0]]
        middle, width = (
            (hits + z * z / (2 * n)) / (1 + z * z / n),
            z * math.sqrt(hits * (1 - hits) / n + z * z / (4 * n * n)) / (1 + z * z / n),
        )
        assert abs(p - middle) <= width
    certain = neodp.extend(g.with_alpha(dict.fromkeys(g.keys.to_pylist(), 0.0)))
    assert set(sampler(certain)("0", 10**5).tolist()) == {1}
    with pytest.raises(UnknownKey):
        sample("99", 1)

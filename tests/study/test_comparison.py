"""The comparison of two mechanisms: which one dominates."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.errors import GraphError
from neodp.study.comparison import Accuracy, compare


def balanced(graph: DatasetGraph) -> Mechanism:
    return neodp.extend(graph.with_alpha(neodp.balanced(graph)))


def accuracy(name: str, **true: float) -> Accuracy:
    values = np.array(list(true.values()))
    return Accuracy(name, pa.array(true), values, 1.0 - values)


def test_neither_dominates_in_example_1() -> None:
    """Paper 002, Example 1: Pr[blue] at 1 and Pr[red] at 2 are .58 and .76, or .64 and .73."""
    found = compare(accuracy("M1", a=0.58, b=0.76), accuracy("M2", b=0.73, a=0.64))
    assert found.verdict == "neither"
    said = "neither is at least as accurate as the other everywhere: 'M1' is better on 1, 'M2' on 1, equal on 0 of 2 "
    assert str(found).startswith(said)
    assert (found.first_gains[0].key, found.second_gains[0].key) == ("b", "a")
    assert found.mean == pytest.approx((0.67, 0.685))
    assert found.worst == (0.58, 0.64)


def test_dominance_both_ways_and_equality() -> None:
    low, high = accuracy("low", a=0.5, b=0.6), accuracy("high", a=0.5, b=0.7)
    assert compare(high, low).verdict == "first"
    assert str(compare(low, high)).startswith("'high' is at least as accurate as 'low' everywhere")
    assert str(compare(low, accuracy("same", a=0.5, b=0.6 + 1e-15))) == (
        "'low' and 'same' are equally accurate on all 2 datasets"
    )


def test_chances_next_to_one_are_told_apart() -> None:
    g = generate.path(2, epsilon=60.0)
    one, two = (Mechanism.of(g, {"0": [1.0, wrong], "1": 0.0}) for wrong in (1e-20, 2e-20))
    assert compare(Accuracy.of(one), Accuracy.of(two)).verdict == "first"


def test_what_cannot_be_compared() -> None:
    with pytest.raises(GraphError, match="dataset 'b' is in 'x' but not in 'y'; compare mechanisms on the same"):
        compare(accuracy("x", a=0.5, b=0.6), accuracy("y", a=0.5))
    one, other = generate.path(4, split=1, name="one"), generate.path(4, split=2, name="other")
    first, second = (Accuracy.of(balanced(g)) for g in (one, other))
    with pytest.raises(GraphError, match="the true answer of dataset '1' is 'no' in 'one' and 'yes' in 'other'"):
        compare(first, second)


def test_mechanisms_are_compared_as_they_are() -> None:
    """With any number of colours; mechanisms on graphs of one name are told apart by their places."""
    for graph in (generate.three_voters(), generate.plurality(3, 2, options=3, epsilon=[0.3, 1.5])):
        given = graph.with_alpha(neodp.balanced(graph))
        even, best = neodp.extend(given), neodp.extend(given.with_alpha(neodp.optimize(graph).alpha), method="optimal")
        found = neodp.compare(even, best)
        assert found.names == ("first", "second")
        assert found.mean == (even.p_true.mean(), best.p_true.mean())
        assert neodp.compare(even, Accuracy.of(best, "best")).names == (graph.name, "best")
        assert neodp.compare(even, even).verdict == "equal"


@pytest.mark.parametrize("wrong", [None, "m", {"a": 0.5}, np.ones(3), generate.path(3)])
def test_what_is_no_mechanism_is_refused_by_name(wrong: Any) -> None:
    good = balanced(generate.path(3))
    with pytest.raises(neodp.NeodpError, match=r"`second` is an? \w+; give a Mechanism or an Accuracy"):
        neodp.compare(good, wrong)
    with pytest.raises(neodp.NeodpError, match=r"`first` is an? \w+; give a Mechanism or an Accuracy"):
        neodp.compare(wrong, good)

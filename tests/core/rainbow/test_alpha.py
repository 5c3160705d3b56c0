"""Alpha on the boundary of every order: what is completed, and what is refused."""

import math

import pytest

import neodp
from neodp import DatasetGraph, rainbow
from neodp.core.witness import Witness
from neodp.errors import GraphError, IncompatibleAlpha, PrivacyError, UnhitBoundary
from tests.core.rainbow.problems import graph_of, path_of
from tests.rainbow_reference import Rainbow


def test_a_boundary_dataset_without_alpha_takes_that_of_its_order() -> None:
    rows: dict[tuple[str, ...], list[float]]
    rows = {("a", "b", "c"): [0.5, 0.3, 0.2], ("b", "a", "c"): [0.3, 0.5, 0.2]}
    full = path_of(rows, [3, 3], 0.7)
    problem = Rainbow(3, [(0, 1, 2)] * 2 + [(1, 0, 2)] * 2, [(0, 2, 0.7, 0.0), (1, 3, 0.7, 0.0), (0, 1, 0.7, 0.0)])
    g = graph_of(problem)
    some = g.with_alpha({"v0": rows["a", "b", "c"], "v3": rows["b", "a", "c"]})
    m = neodp.extend(some)
    assert [g.key(v) for v in m.filled] == ["v1", "v2"]
    assert m["v1"] == m["v0"]
    report = neodp.check(some)
    assert report
    assert report.filled == 2
    assert str(report).endswith("2 boundary datasets without alpha: that of their order of answers counts")
    assert len(neodp.extend(full).filled) == 0


def test_an_order_without_alpha_is_refused_by_name() -> None:
    g = path_of({("a", "b", "c"): [0.5, 0.3, 0.2], ("b", "c", "a"): [0.3, 0.5, 0.2]}, [3, 3])
    with pytest.raises(
        UnhitBoundary, match="no boundary dataset of the order b > c > a has alpha, as on the edge '2' – '3'"
    ):
        neodp.extend(g.with_alpha({"2": [0.5, 0.3, 0.2]}))
    report = neodp.check(g.with_alpha({"2": [0.5, 0.3, 0.2]}))
    assert (report.boundary_hit, report.unhit, report.compatible) == (False, ("2", "3"), None)
    assert not report


def test_alpha_that_differs_within_an_order_is_refused_by_name() -> None:
    problem = Rainbow(3, [(0, 1, 2)] * 2 + [(1, 0, 2)] * 2, [(0, 2, 0.7, 0.0), (1, 3, 0.7, 0.0), (0, 1, 0.7, 0.0)])
    even = [0.4, 0.4, 0.2]
    g = graph_of(problem).with_alpha({"v0": even, "v1": [0.4, 0.35, 0.25], "v2": even, "v3": even})
    said = r"alpha differs within the order a > b > c: Pr\[b\] is 0.35 at 'v1' and 0.4 at 'v0'; give all"
    with pytest.raises(IncompatibleAlpha, match=said):
        neodp.extend(g)
    report = neodp.check(g)
    assert (report.compatible, bool(report)) == (False, False)
    assert isinstance(report.witness, rainbow.OrderConflict)


@pytest.mark.parametrize(
    ("delta", "said"),
    [
        (0.0, r"alpha at '2' makes Pr\[a\] 0.7, at most 0.543656 is possible: '3' has 0.2 and is epsilon 1 away"),
        (0.01, r"alpha at '2' makes Pr\[a or c\] 0.85, at most 0.825485 is possible: '3' has 0.3"),
    ],
)
def test_orders_that_are_too_far_apart_are_refused_with_a_witness(delta: float, said: str) -> None:
    last = [0.7, 0.2, 0.1] if delta == 0.0 else [0.6, 0.15, 0.25]
    other = [0.2, 0.7, 0.1] if delta == 0.0 else [0.22, 0.7, 0.08]
    g = path_of({("a", "b", "c"): last, ("b", "a", "c"): other}, [3, 3], 1.0, delta)
    with pytest.raises(IncompatibleAlpha, match=said):
        neodp.extend(g)
    report = neodp.check(g)
    assert report.compatible is False
    assert isinstance(report.witness, Witness)
    assert report.witness.value > report.witness.bound


def test_alpha_that_is_off_by_rounding_is_rounded_in_and_reported() -> None:
    """Tight to the last digit: 0.6 and 0.3 at epsilon log 2, whose double lies just below log 2."""
    g = path_of({("a", "b", "c"): [0.6, 0.3, 0.1], ("b", "a", "c"): [0.3, 0.6, 0.1]}, [4, 4], math.log(2))
    m = neodp.extend(g)
    assert [g.key(v) for v in m.rounded] == ["3", "4"]
    assert m.probabilities[3] == pytest.approx([0.6, 0.3, 0.1], rel=1e-14)
    assert neodp.audit(g, m)
    assert neodp.check(g).rounded == 2
    off = path_of(
        {("a", "b", "c"): [0.6 + 1e-9, 0.3 - 1e-9, 0.1], ("b", "a", "c"): [0.3, 0.6, 0.1]}, [4, 4], math.log(2)
    )
    with pytest.raises(IncompatibleAlpha):
        neodp.extend(off)


def test_alpha_inside_is_refused_by_name() -> None:
    g = path_of(
        {("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3], given={"0": [0.4, 0.3, 0.3]}
    )
    with pytest.raises(GraphError, match="alpha is given at '0', whose neighbours all have its order; with more"):
        neodp.extend(g)


def test_ties_are_refused_by_name() -> None:
    g = DatasetGraph.from_columns(["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, colors=["a", "b", "c"])
    said = "dataset 'x' of 'graph' has no preference: which of b, c comes after a is open; give every dataset"
    for function in (neodp.extend, neodp.check, neodp.balanced):
        with pytest.raises(GraphError, match=said):
            function(g)


def test_other_conditions_are_for_two_colors() -> None:
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    with pytest.raises(PrivacyError, match="'graph' has 3 colours; with more than two, only"):
        neodp.extend(g, neodp.Gaussian(1.0))


def test_a_component_without_boundary_answers_truthfully() -> None:
    problem = Rainbow(3, [(0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 1, 0)], [(0, 1, 1.0, 0.0), (2, 3, 1.0, 0.0)])
    g = graph_of(problem)
    g = g.with_alpha(neodp.balanced(g))
    assert neodp.extend(g)["v3"] == {"a": 0.0, "b": 0.0, "c": 1.0}
    assert neodp.extend(g, method="line")["v3"] == {"a": 0.0, "b": 0.0, "c": 1.0}
    report = neodp.check(g)
    assert (report.connected, report.components, bool(report)) == (False, 2, True)

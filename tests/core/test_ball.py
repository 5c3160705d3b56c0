"""One dataset on demand: the numbers of the whole graph, in every bit, from a part of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.core import ball
from neodp.core.ball import evaluate
from neodp.core.binary import Labeling
from neodp.core.evaluation import Ball, evaluate_whole
from neodp.core.views import ArrayView, Rule, Star
from neodp.errors import BallTooLarge, GraphError, IncompatibleAlpha, UnhitBoundary, UnknownKey
from tests.problems import KINDS, random_graph


def rule_of(graph: DatasetGraph) -> Rule:
    """The same graph, as if it were made up on the way."""
    indptr, neighbor, edge = graph.adjacency
    color = dict(zip(graph.keys.to_pylist(), graph.color.tolist(), strict=True))

    def neighbors(key: str) -> list[tuple[str, float, float]]:
        row = range(indptr[graph.index(key)], indptr[graph.index(key) + 1])
        return [(graph.key(neighbor[h]), float(graph.epsilon[edge[h]]), float(graph.delta[edge[h]])) for h in row]

    def alpha(key: str) -> list[float] | None:
        v = graph.index(key)
        return graph.alpha[v].tolist() if graph.given[v] else None

    least = ArrayView(graph).least[:, 0].tolist()
    return Rule(
        colors=("first", "second"),
        color=lambda key: graph.colors[color[key]] if key in color else None,
        neighbors=neighbors,
        alpha=alpha,
        least=(least[0] * (1 - 1e-9), least[1] * (1 - 1e-9)),
    )


def assert_same(found: Ball, m: neodp.Mechanism, keys: Sequence[str]) -> None:
    assert [e.key for e in found.evaluations] == list(keys)
    for e in found.evaluations:
        assert dict(e.probabilities) == m[e.key]
        assert e.p_true == m.p_true[m.graph.index(e.key)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "arbitrary"])
def test_equals_the_extension_of_the_whole_graph_bit_for_bit(kind: str) -> None:
    """Every dataset of many random graphs, one at a time, some together, and all together."""
    met: Counter[str] = Counter()
    for seed in range(6 if kind in ("tied", "hit") else 30):
        g = random_graph(kind, seed)
        m = neodp.extend(g)
        view, keys = ArrayView(g), g.keys.to_pylist()
        for asked in [*([key] for key in keys), keys[::3], keys]:
            found = evaluate(view, asked)
            assert_same(found, m, asked)
            met["part"] += found.seen < len(g)
            met["rounded"] += found.rounded > 0
            met["certain"] += any(x in (0.0, 1.0) for e in found.evaluations for x in e.probabilities.values())
        assert_same(evaluate_whole(g, keys), m, keys)
    assert met["part"]
    assert met["rounded"] or kind != "rounded"
    assert met["certain"] or kind != "compatible"


@pytest.mark.parametrize("kind", ["compatible", "rounded", "hit"])
def test_a_rule_gives_the_same(kind: str) -> None:
    for seed in range(100, 108):
        g = random_graph(kind, seed)
        m, rule = neodp.extend(g), rule_of(g)
        for key in g.keys.to_pylist():
            assert_same(evaluate(rule, [key]), m, [key])


def test_refuses_only_what_the_whole_graph_is_refused_for() -> None:
    """Incompatible alpha that the search meets is refused by both; what lies outside the ball only by the extension."""
    met: Counter[str] = Counter()
    for seed in range(60):
        g = random_graph("arbitrary", seed)
        try:
            m = neodp.extend(g)
        except IncompatibleAlpha:
            m = None
        for key in g.keys.to_pylist():
            try:
                found = evaluate(g, [key])
            except IncompatibleAlpha:
                assert m is None
                met["refused"] += 1
                continue
            if m is None:
                met["outside"] += 1
            else:
                assert_same(found, m, [key])
    assert min(met["refused"], met["outside"]) > 0


def test_the_search_is_as_small_as_its_proof() -> None:
    """On a path, one step beyond the boundary proves it: no alpha there is lower."""
    g = generate.path(1000)
    g = g.with_alpha(neodp.balanced(g))
    found = evaluate(g, ["400"], limit=1000)
    assert (found.seen, found.reach) == (201, 100)
    near = evaluate(g, ["498"])
    assert (near.seen, near.reach) == (5, 2)
    assert near.evaluations[0].path == ("499", "498")
    assert near.evaluations[0].epsilons == (1.0,)
    assert near.evaluations[0].decider == "499"
    assert near.proof.startswith("a dataset farther away could change the result only if its chance of ")


def test_the_proof_holds_and_is_needed() -> None:
    """A source just beyond the rim with less than the proof demands would change the result; with more it does not."""
    g = generate.path(12)
    g = g.with_alpha(neodp.balanced(g))
    found = evaluate(g, ["3"])
    needed = float(found.proof.split("were below ")[1].split(",")[0])
    outside = 3 - found.reach if 3 - found.reach >= 0 else 3 + found.reach
    color = g.colors[g.color[3]]

    def with_source(value: float) -> float:
        alpha = g.alpha.copy()
        alpha[outside, g.color[3]], alpha[outside, 1 - g.color[3]] = value, 1 - value
        from neodp.core.binary import settled  # the extension without its check of alpha
        from neodp.core.privacy import EpsilonDelta, certain

        changed = DatasetGraph.from_columns(
            g.keys, g.color, g.source, g.target, g.epsilon, g.delta, alpha, colors=g.colors
        )
        rule = EpsilonDelta.of(changed)
        own = np.where(changed.given, rule.encode(*_own_of(changed)), certain(rule))
        return float(rule.decode(settled(changed, rule, own))[0][3])

    whole = neodp.extend(g)["3"][color]
    assert with_source(needed * (1 - 1e-5)) < whole
    assert with_source(needed * (1 + 1e-5)) == whole


def _own_of(g: DatasetGraph) -> tuple[np.ndarray, np.ndarray]:
    rows = np.nan_to_num(g.alpha, nan=0.5)
    v = np.arange(len(g))
    return rows[v, g.color], rows[v, 1 - g.color]


def test_many_keys_share_one_search() -> None:
    g = generate.grid(30, 30, epsilon=0.5)
    g = g.with_alpha(neodp.balanced(g))
    view = Counting(g)
    keys = g.keys.to_pylist()[100:140]
    together = evaluate(view, keys)
    assert view.asked == together.layers <= max(evaluate(g, [key]).layers for key in keys)
    assert view.keys == together.expanded


class Counting(ArrayView):
    """Counts the queries, and the datasets that are asked for, none of them twice."""

    def __init__(self, graph: DatasetGraph) -> None:
        super().__init__(graph)
        self.asked, self.keys = 0, 0
        self._seen: set[str] = set()

    def neighbors(self, keys: Sequence[str]) -> Star:
        assert not self._seen & set(keys)
        self._seen |= set(keys)
        self.asked += 1
        self.keys += len(keys)
        return super().neighbors(keys)


def test_two_to_the_two_hundred_voters() -> None:
    """The majority of 200 votes: 2^200 datasets, each with 200 neighbours. By symmetry the counts give the answer."""
    counts = generate.path(201, epsilon=0.5, split=100)  # by the number of zeros
    counts = counts.with_alpha(neodp.balanced(counts))
    expected = neodp.extend(counts)

    def alpha(key: str) -> list[float] | None:
        zeros = key.count("0")
        return counts.alpha[zeros].tolist() if counts.given[zeros] else None

    voters = Rule(
        colors=("yes", "no"),
        color=lambda key: "yes" if key.count("0") < 100 else "no",
        neighbors=lambda key: [(f"{key[:i]}{'10'[int(key[i])]}{key[i + 1 :]}", 0.5) for i in range(200)],
        alpha=alpha,
        least=(counts.alpha[100, 0], counts.alpha[99, 1]),
    )
    for zeros in (98, 99, 100, 101):
        (e,) = evaluate(
            voters, ["01" * zeros + "1" * (200 - 2 * zeros) if zeros <= 100 else "01" * 99 + "00"]
        ).evaluations
        assert e.key.count("0") == zeros
        assert e.p_true == expected.p_true[zeros]
        assert e.color == ("yes" if zeros < 100 else "no")


def test_nothing_to_reach_is_answered_truthfully() -> None:
    """A component without boundary and alpha, beside one with both."""
    g = DatasetGraph.from_columns(
        ["a", "b", "c", "d"], ["x", "x", "x", "y"], ["a", "c"], ["b", "d"], 1.0, alpha={"c": 0.7}, colors=["x", "y"]
    )
    found = evaluate(g, ["a"])
    assert found.evaluations[0].probabilities == {"x": 1.0, "y": 0.0}
    assert found.evaluations[0].path == ()
    assert found.proof == "every dataset that can be reached without changing the true answer was seen"


# --- refusals -----------------------------------------------------------------------------------------------------


def test_unhit_boundary() -> None:
    g = generate.path(6)
    with pytest.raises(UnhitBoundary, match=r"'2' – '3' .* has alpha at neither end"):
        evaluate(g, ["0"])


def test_unknown_keys() -> None:
    g = generate.path(6)
    with pytest.raises(UnknownKey, match="there is no dataset '9' in 'path'"):
        evaluate(g, ["0", "9"])
    with pytest.raises(UnknownKey, match="there is no dataset '9' in 'rule'"):
        evaluate(rule_of(g.with_alpha(neodp.balanced(g))), ["9"])


def test_the_limit_says_that_the_whole_graph_is_cheaper() -> None:
    g = generate.path(1000)
    g = g.with_alpha(neodp.balanced(g))
    with pytest.raises(
        BallTooLarge, match=r"has seen 51 datasets .*, 40 layers, and more may matter; a pass over the whole"
    ):
        evaluate(g, ["10"], limit=50)


def test_more_than_two_colors() -> None:
    """A graph in memory is extended as a whole; there is no search, since no part shows that alpha agrees."""
    g = generate.plurality(4, options=3)
    g = g.with_alpha(neodp.balanced(g))
    keys = g.keys.to_pylist()
    assert_same(evaluate(g, keys), neodp.extend(g), keys)
    with pytest.raises(GraphError, match="'plurality' has 3 colours; a search sees part of the graph"):
        evaluate(ArrayView(g), keys)


def test_a_rule_whose_neighbors_are_not_mutual_is_refused() -> None:
    def rule(neighbors: object) -> Rule:
        return Rule(("yes", "no"), lambda key: "yes" if int(key) < 3 else "no", neighbors, lambda key: None)  # type: ignore[arg-type]

    one_way = {"0": [("1", 1.0)], "1": [("2", 1.0)], "2": [("1", 1.0)]}
    other_values = {"0": [("1", 1.0)], "1": [("0", 0.5), ("2", 1.0)], "2": [("1", 1.0)]}
    for edges in (one_way, other_values):
        with pytest.raises(GraphError, match=r"is a neighbour of '\d', but not the other way round"):
            evaluate(rule(edges.__getitem__), "0")


def long_way(n: int, epsilon: float) -> DatasetGraph:
    """A path whose boundary is far from its ends, with edges that are not alike, and alpha that is almost certain."""
    g = generate.path(n)
    return DatasetGraph.from_columns(
        g.keys,
        g.color,
        g.source,
        g.target,
        epsilon * (1 + np.arange(g.edges) % 7),
        colors=g.colors,
        alpha=np.where(np.arange(n) == n // 2, 1e-300, np.nan),
    )


@pytest.mark.parametrize("n", [900, 1500, 2601])
def test_a_long_way_is_not_solved_anew_at_every_step(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All solutions together cost at most ten times the last one; the result is the same."""
    solved, told = [], []
    solve = ball._Search._solve  # an internal name: what is counted is the work inside

    def counted(search: ball._Search) -> Labeling:
        solved.append(len(search.names))
        return solve(search)

    monkeypatch.setattr(ball._Search, "_solve", counted)
    g = long_way(n, 0.05)
    m = neodp.extend(g)
    for key in ("0", str(n // 2 - 1), str(n // 4)):
        solved.clear()
        found = evaluate(g, [key], progress=lambda *facts: told.append(facts))
        assert_same(found, m, [key])
        assert sum(solved[:-1]) <= 10 * found.seen
        assert len(solved) < 12 + 9 * np.log(max(found.seen, 1))
        assert told[-1] == ("datasets seen", found.seen, ball.LIMIT)
    assert found.layers > 200


@pytest.mark.parametrize("growth", [0, 5, 10**9])
def test_a_search_gives_the_same_however_often_it_solves(growth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solved after every layer, sometimes, and only when no layer is left: on wide graphs, on graphs with edges of many
    kinds, and with alpha that is rounded in."""
    monkeypatch.setattr(ball, "LEAST_GROWTH", growth)
    ahead = 0
    for kind in ("compatible", "rounded", "hit", "tied"):
        for seed in range(200, 204):
            g = random_graph(kind, seed)
            m = neodp.extend(g)
            for key in g.keys.to_pylist():
                found = evaluate(g, [key])
                assert_same(found, m, [key])
                ahead += found.layers > 1
    g = generate.grid(40, 40, epsilon=0.05)
    g = g.with_alpha(neodp.balanced(g))
    for key in ("0-0", "20-3", "39-39"):
        assert_same(evaluate(g, [key]), neodp.extend(g), [key])
    assert ahead


def test_a_rule_without_an_end_is_given_up_with_a_hint_that_fits() -> None:
    line = Rule(
        ("yes", "no"),
        lambda key: "yes",
        lambda key: [(str(int(key) + step), 1.0) for step in (-1, 1)],
        lambda _: None,
    )
    with pytest.raises(BallTooLarge, match=r"ends sooner if it is given its 'least'; if the rule is finite"):
        evaluate(line, "0", layers=30)
    with pytest.raises(BallTooLarge, match="ends sooner if its 'least' is higher"):
        evaluate(replace(line, least=(0.1, 0.1)), "0", limit=30)

    def endless(key: str) -> object:
        return ((str(n), 1.0) for n in itertools.count())

    with pytest.raises(GraphError, match="dataset '0' of 'rule' has more than 100,000 neighbours; correct the rule"):
        evaluate(Rule(("yes", "no"), lambda key: "yes", endless, lambda _: None), "0")  # type: ignore[arg-type]

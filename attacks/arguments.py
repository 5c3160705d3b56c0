"""One valid call of every public function, and the values that take the place of an argument.

The names are those that ``import neodp`` and its public modules offer; a test compares them with this list, so that a
new function needs a line here. A call is a function and its arguments; some of them are made when they are needed,
since they take time or change something.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import neodp
from neodp import generate, polls, stretch, study
from neodp.core import boundary, losses, rainbow
from neodp.core import privacy as notions
from neodp.ledger import composition
from neodp.ledger.account import Limit
from neodp.ledger.composition import Loss
from neodp.polls import Group, secret
from neodp.polls.comparison import preview
from neodp.study import closed_forms

__all__ = ["CALLS", "WRONG", "Call", "replaced", "store"]

PATH = generate.path(4, epsilon=1.0)
GIVEN = PATH.with_alpha(neodp.balanced(PATH))
FOUND = neodp.extend(GIVEN)
RANKS = generate.plurality(2, options=3, epsilon=0.5)
FANS = stretch.Profiles.from_columns(["ann", "ann", "bob", "cy"], ["tea", "rum", "tea", "rum"])
TABLE = {"v": ["yes", "no", "yes"], "w": ["a", "b", "a"], "e": [1.0, 0.5, 2.0]}
GROUPS = [Group(1.0, 3)]
POLL = polls.poll(GROUPS)
LEAF = {"keys": ["a", "b"], "color": ["x", "y"], "source": ["a"], "target": ["b"], "epsilon": 1.0, "delta": 0.0}
NODES, EDGES = {"key": ["a", "b"], "color": ["x", "y"]}, {"source": ["a"], "target": ["b"]}


@cache
def store() -> Any:
    """Return an open store with a graph, which stays until the process ends."""
    folder = tempfile.TemporaryDirectory()
    opened = neodp.open_store(Path(folder.name) / "s.db")
    opened.load("g", GIVEN)
    opened.extend("g", engine="client")
    opened.change_limit(releases=10**9)
    opened.__dict__["_folder"] = folder
    return opened


def _of_store(method: str, /, **arguments: Any) -> Any:
    return getattr(store(), method)(**arguments)


def notions_upper(x: float) -> float:
    """Return the greatest chance at a neighbour, for epsilon 1."""
    return float(notions.upper(x, 1.0))


Call = tuple[Callable[..., Any], dict[str, Any]]

CALLS: dict[str, Call] = {
    "poll": (
        neodp.poll,
        {"table": TABLE, "vote": "v", "epsilon": 1.0, "levels": "low=1", "query": "majority", "options": "yes,no",
         "mechanism": "balanced", "prior": "even", "by": "w", "by_values": "a,b", "by_other": None, "id": None,
         "missing": "?", "skip_empty": False, "exact": False, "mapping": None, "other": None, "name": "p",
         "reading": None},
    ),
    "poll, secret": (
        neodp.poll,
        {"table": TABLE, "vote": "v", "epsilon": "e", "secret_levels": True, "cap": 2.0, "share": 0.5,
         "expect": "10 people, epsilons 1"},
    ),
    "extend": (neodp.extend, {"graph": GIVEN, "privacy": None, "method": None, "prior": None}),
    "extend, optimal": (neodp.extend, {"graph": GIVEN, "method": "optimal", "prior": None}),
    "check": (neodp.check, {"graph": GIVEN, "privacy": None}),
    "audit": (neodp.audit, {"graph": GIVEN, "mechanism": FOUND, "worst": 5}),
    "evaluate": (neodp.evaluate, {"graph": GIVEN, "keys": ["1"], "limit": 100, "layers": None}),
    "balanced": (neodp.balanced, {"graph": PATH}),
    "homogeneous": (neodp.homogeneous, {"graph": PATH, "first": 0.6, "second": 0.4}),
    "minimum_hitting_set": (neodp.minimum_hitting_set, {"graph": PATH}),
    "draw": (neodp.draw, {"mechanism": FOUND, "key": "1"}),
    "draw_many": (neodp.draw_many, {"probabilities": [0.2, 0.8], "n": 3}),
    "optimize": (neodp.optimize, {"graph": PATH, "weights": [1.0, 1.0, 1.0, 1.0], "fair": False, "work": None}),
    "compare": (
        neodp.compare,
        {"first": FOUND, "second": study.Accuracy.of(FOUND, "b"), "most": 3},
    ),
    "what_if": (neodp.what_if, {"graph": PATH, "raised": 0.5, "most": 2}),
    "open_store": (neodp.open_store, {"uri": "/nowhere/s.db", "auth": None, "database": None, "create": False}),
    "EpsilonDelta": (neodp.EpsilonDelta, {"epsilon": np.ones(3), "delta": np.zeros(3)}),
    "Gaussian": (neodp.Gaussian, {"mu": 1.0}),
    "SuitablePair": (neodp.SuitablePair, {"upper": notions_upper, "lower": None}),
    "Protection": (
        neodp.Protection,
        {"population": "staff", "epsilon": "epsilon", "people": "Person", "relationships": None,
         "default_epsilon": 1.0, "properties": ("ill",), "owned": (("Account", "OWNS"),), "public": ("Office",),
         "most_matches": 10, "nodes": (), "links": ()},
    ),
    "ReadOptions": (
        neodp.ReadOptions,
        {"encoding": "utf-8", "delimiter": ";", "sheet": None, "extra_columns": "ignore", "header_row": 1},
    ),
    "Tabulated.from_columns": (
        neodp.Tabulated.from_columns,
        {"keys": ["a", "b"], "outputs": ["x", "y"], "rows": [[0.5, 0.5], [0.4, 0.6]], "source": ["a"],
         "target": ["b"], "epsilon": 1.0, "delta": 0.0},
    ),
    "DatasetGraph.from_columns": (
        neodp.DatasetGraph.from_columns,
        LEAF | {"alpha": None, "preference": None, "colors": ["x", "y"], "name": "g"},
    ),
    "DatasetGraph.from_frames": (
        neodp.DatasetGraph.from_frames,
        {"nodes": NODES, "edges": EDGES, "colors": ["x", "y"], "epsilon": 1.0, "delta": 0.0, "name": "g",
         "options": None},
    ),
    "DatasetGraph.from_tables": (
        neodp.DatasetGraph.from_tables,
        {"nodes": "/nowhere/n.csv", "edges": "/nowhere/e.csv", "colors": None, "epsilon": 1.0, "delta": 0.0,
         "name": "g", "options": None, "format": None},
    ),
    "DatasetGraph.from_networkx": (neodp.DatasetGraph.from_networkx, {"graph": PATH.to_networkx(), "epsilon": 1.0}),
    "DatasetGraph.with_alpha": (PATH.with_alpha, {"alpha": [0.5, 0.5, 0.5, 0.5]}),
    "DatasetGraph.index": (PATH.index, {"key": "1"}),
    "Mechanism.of": (neodp.Mechanism.of, {"graph": GIVEN, "probabilities": FOUND.probabilities}),
    "generate.path": (generate.path, {"n": 4, "split": 2, "epsilon": 1.0, "delta": 0.0, "colors": ("a", "b"),
                                      "name": "g"}),
    "generate.grid": (partial(generate.grid, 3, 3), {"threshold": 2, "epsilon": 1.0, "delta": 0.0}),
    "generate.counts": (generate.counts, {"groups": [2, 3], "epsilon": 1.0, "delta": 0.0, "rule": "majority"}),
    "generate.hypercube": (generate.hypercube, {"d": 3, "threshold": 2, "epsilon": 1.0, "delta": 0.0}),
    "generate.hamming": (generate.hamming, {"n": 2, "q": 3, "epsilon": 1.0, "delta": 0.0}),
    "generate.votes": (generate.votes, {"voters": 2, "options": 2, "rule": "majority", "epsilon": 1.0, "delta": 0.0}),
    "generate.plurality": (partial(generate.plurality, 2), {"options": 3, "epsilon": 1.0}),
    "generate.three_voters": (generate.three_voters, {"epsilon": 1.0, "deciding": 0.5, "delta": 0.0}),
    "generate.random_geometric": (generate.random_geometric, {"n": 5, "degree": 2.0, "epsilon": 1.0, "seed": 1}),
    "generate.random_graph": (generate.random_graph, {"n": 5, "edges": 5, "epsilon": 1.0, "seed": 1}),
    "boundary.boundary_edges": (boundary.boundary_edges, {"graph": PATH}),
    "boundary.boundary_vertices": (boundary.boundary_vertices, {"graph": PATH}),
    "boundary.distance": (boundary.distance, {"graph": PATH}),
    "boundary.is_hitting_set": (boundary.is_hitting_set, {"graph": PATH, "members": np.array([1])}),
    "boundary.unhit_edge": (boundary.unhit_edge, {"graph": PATH, "members": np.array([1])}),
    "losses.losses": (losses.losses, {"rows": [[0.5, 0.5], [0.4, 0.6]], "source": [0], "target": [1], "epsilon": 1.0,
         "delta": 0.0}),
    "privacy.upper": (notions.upper, {"a": 0.5, "epsilon": 1.0, "delta": 0.0}),
    "privacy.lower": (notions.lower, {"a": 0.5, "epsilon": 1.0, "delta": 0.0}),
    "rainbow.alpha_by_order": (rainbow.alpha_by_order, {"graph": RANKS.with_alpha(neodp.balanced(RANKS))}),
    "polls.poll": (polls.poll, {"groups": GROUPS, "query": "majority", "options": ("yes", "no")}),
    "polls.preview": (preview, {"groups": GROUPS, "query": "majority", "options": ("yes", "no"), "prior": "even"}),
    "polls.secret_poll": (
        secret.secret_poll, {"query": "majority", "options": ("yes", "no"), "cap": 2.0, "share": 1},
    ),
    "polls.violations": (polls.violations, {"poll": POLL, "counts": np.array([[2, 1]])}),
    "polls.what_if": (polls.what_if, {"poll": POLL, "margin": 1, "raised": 0.5}),
    "polls.read_levels": (polls.read_levels, {"given": "low=1"}),
    "polls.read_list": (polls.read_list, {"given": "a,b"}),
    "polls.read_mapping": (polls.read_mapping, {"given": "ja=yes"}),
    "polls.valid_epsilon": (polls.valid_epsilon, {"epsilon": 1.0}),
    "Prior.parse": (polls.Prior.parse, {"text": "even"}),
    "study.best_homogeneous": (study.best_homogeneous, {"graph": PATH, "weights": [1.0] * 4, "fair": False}),
    "study.choices": (study.choices, {"graph": PATH, "weights": [1.0] * 4, "fair": False}),
    "study.prior": (study.prior, {"graph": PATH, "how": "uniform"}),
    "stretch.similarity": (
        stretch.similarity, {"profiles": FANS, "one": "ann", "other": "bob", "epsilon": 1.0, "measure": "dot"},
    ),
    "stretch.neighbors": (stretch.neighbors, {"profiles": FANS, "k": 1, "epsilon": 1.0, "measure": "cosine"}),
    "stretch.nearest": (
        stretch.nearest,
        {"profiles": FANS, "user": "ann", "k": 1, "epsilon": 1.0, "measure": "cosine", "scores": False},
    ),
    "Stretching": (
        stretch.Stretching, {"function": stretch.weighted_sum([1, 1]), "v": [1.0, 0.5], "epsilon": 1.0},
    ),
    "stretch.weighted_sum": (stretch.weighted_sum, {"coefficients": [1.0, 2.0]}),
    "stretch.scalar_product": (stretch.scalar_product, {"items": 2}),
    "Profiles.from_columns": (
        stretch.Profiles.from_columns,
        {"user": ["a", "b"], "item": ["x", "x"], "value": 1.0, "weight": [1.0, 0.5],
         "users": None, "items": None, "group": None, "name": "p"},
    ),
    "composition.compose": (composition.compose, {"losses": [Loss(1.0)], "delta": 1e-6}),
    "composition.filtered": (composition.filtered, {"losses": [Loss(1.0)], "delta": 1e-6}),
    "composition.admits": (composition.admits, {"losses": [Loss(1.0)], "epsilon": 2.0, "delta": 1e-6}),
    "Limit": (Limit, {"releases": 1, "epsilon": 1.0, "delta": 0.0}),
    "Store.info": (partial(_of_store, "info"), {"name": "g"}),
    "Store.read": (partial(_of_store, "read"), {"name": "g", "keys": ["1"], "color": None, "radius": 1}),
    "Store.evaluate": (
        partial(_of_store, "evaluate"), {"name": "g", "keys": ["1"], "engine": "client", "limit": None, "write": False},
    ),
    "Store.answer": (partial(_of_store, "answer"), {"graph": "g", "key": "1", "release": "r", "engine": "client"}),
    "Store.load": (partial(_of_store, "load"), {"name": "h", "graph": PATH, "replace": True, "population": None}),
    "Store.write": (partial(_of_store, "write"), {"name": "g", "mechanism": FOUND}),
    "Store.extend": (partial(_of_store, "extend"), {"name": "g", "engine": "client", "method": None, "write": False}),
    "Store.audit": (partial(_of_store, "audit"), {"name": "g", "engine": "client", "worst": 2}),
    "Store.check": (partial(_of_store, "check"), {"name": "g", "engine": "client"}),
    "Store.mechanism": (partial(_of_store, "mechanism"), {"name": "g"}),
    "Store.write_alpha": (partial(_of_store, "write_alpha"), {"name": "g", "graph": GIVEN}),
    "Store.column": (partial(_of_store, "column"), {"name": "g", "property": "p"}),
    "Store.ledger": (partial(_of_store, "ledger"), {"population": "default"}),
    "Store.account": (partial(_of_store, "account"), {"population": "default"}),
    "Store.change_limit": (
        partial(_of_store, "change_limit"), {"population": "p", "releases": 10**6, "epsilon": 5.0, "delta": 0.0},
    ),
    "Store.query": (partial(_of_store, "query"), {"query": "summary", "name": "g"}),
    "Store.set_role": (partial(_of_store, "set_role"), {"role": "steward"}),
    "Store.protect": (
        partial(_of_store, "protect"), {"protection": neodp.Protection("staff", "epsilon", people="Person")},
    ),
    "Store.protection": (partial(_of_store, "protection"), {"population": "staff"}),
    "study.closed_forms.path_mechanism": (closed_forms.path_mechanism, {"alpha": 0.5, "epsilon": [1.0, 0.5]}),
    "study.closed_forms.induced": (closed_forms.induced, {"distance": 2, "alpha": 0.5, "epsilon": 1.0, "delta": 0.0}),
    "study.closed_forms.balanced_truth": (closed_forms.balanced_truth, {"distance": 2, "epsilon": 1.0, "delta": 0.0}),
    "study.closed_forms.ternary": (closed_forms.ternary, {"distance": 2, "blue": 0.2, "red": 0.5, "epsilon": 1.0}),
    "study.closed_forms.ternary_thresholds": (
        closed_forms.ternary_thresholds, {"blue": 0.2, "red": 0.5, "epsilon": 1.0},
    ),
}  # fmt: skip
"""One valid call of each function."""

WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.5, math.nan, math.inf, 10**400, "", "x", "x\ud800", "x,y", "=", b"x", [], [1], ["x"],
    [None], (), {}, {"x": 1}, {1: "x"}, object(), np.array([1.0]), np.array(["x"]), len,
)  # fmt: skip
"""The values that take the place of an argument."""


def replaced(
    calls: Mapping[str, Call] = CALLS, values: Sequence[Any] = WRONG
) -> Iterator[tuple[str, str, Any, Callable[[], Any]]]:
    """Yield every valid call with one argument replaced: the function, the argument, its value, and the call."""
    for name, (function, arguments) in calls.items():
        for argument in arguments:
            for value in values:
                yield name, argument, value, partial(_called, function, arguments | {argument: value})


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function; what it returns is shown, since a survey computes its figures only then."""
    return repr(function(**arguments))

"""The answers of the canned queries, from the model."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import neodp
from attacks.model.plain import Graph, Similar, bits
from neodp.stretch.profiles import Profiles

__all__ = ["GRAPH_QUERIES", "expected", "expected_of_profiles", "same_rows"]

GRAPH_QUERIES = (
    "accuracy_by_distance",
    "boundary_edges",
    "least_accurate",
    "missing_alpha",
    "neighborhood",
    "orders",
    "privacy_audit",
    "stale",
    "summary",
)
MEANS = ("mean_p_true", "score")
"""Columns of sums and means, which may be off by rounding: nobody says in which order they are added up."""

Rows = list[dict[str, Any]]


def same_rows(found: Rows, wanted: Rows) -> bool:
    """Return True if two results have the same rows, in whatever order; means and sums up to rounding."""

    def exact(row: dict[str, Any]) -> Any:
        return repr(sorted((name, bits(value)) for name, value in row.items() if name not in MEANS))

    if Counter(map(exact, found)) != Counter(map(exact, wanted)):
        return False
    pairs = zip(sorted(found, key=exact), sorted(wanted, key=exact), strict=True)
    return all(_close(one.get(name), other.get(name)) for one, other in pairs for name in MEANS)


def _close(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300) or one == other


def expected(query: str, kept: Graph, key: str, *, server: bool) -> Rows | None:
    """The rows of a canned query on a graph; None where only the core can tell.

    Parameters
    ----------
    key : str
        The parameter of the query "neighborhood".
    server : bool
        Whether the store is a Neo4j server: there, alpha of two colours may be a list.
    """
    nodes = kept.nodes()
    if query in ("accuracy_by_distance", "summary", "orders"):
        return _grouped(query, kept, nodes)
    if query == "least_accurate":
        none = kept.mechanism is None
        wanted = ("color", "p_true", "distance")
        return [] if none else [{"key": k, **{name: node[name] for name in wanted}} for k, node in nodes.items()]
    if query == "stale":
        return _stale(kept, nodes, server)
    if query == "privacy_audit":
        return _broken(kept)
    found = []
    for a, b, epsilon, delta in kept.edges():
        one, two = nodes[a], nodes[b]
        level = {"epsilon": epsilon, "delta": delta}
        if query == "neighborhood":
            for end, other in ((a, b), (b, a)):
                if end == key:
                    shown = {name: nodes[other][name] for name in ("color", "preference", "p_true")}
                    found.append({"key": other, **shown, "alpha": _alpha(nodes[other]["alpha"], server), **level})
        elif one["color"] != two["color"] or (one["preference"] or []) != (two["preference"] or []):
            ends = {"source": a, "source_color": one["color"], "target": b, "target_color": two["color"]}
            if query == "boundary_edges":
                alphas = {"source_alpha": _alpha(one["alpha"], server), "target_alpha": _alpha(two["alpha"], server)}
                found.append(ends | alphas | level)
            elif one["alpha"] is None and two["alpha"] is None:
                found.append(ends)
    return found


def _alpha(row: list[float] | None, server: bool) -> Any:
    """Alpha as Cypher sees it: a number with two colours, if that says it exactly or nothing else is possible."""
    if row is None or len(row) > 2:
        return row
    return row if server and row[1] != 1.0 - row[0] else row[0]


def _grouped(query: str, kept: Graph, nodes: dict[str, dict[str, Any]]) -> Rows:
    if kept.mechanism is None:
        return []
    groups: dict[Any, Rows] = {}
    for node in nodes.values():
        order = node["color"] if node["preference"] is None else " > ".join(node["preference"])
        of = {"accuracy_by_distance": node["distance"], "summary": node["color"], "orders": order}[query]
        groups.setdefault(of, []).append(node)
    name = {"accuracy_by_distance": "distance", "summary": "color", "orders": "order"}[query]
    found = []
    for of, members in groups.items():
        chances = [node["p_true"] for node in members]
        row = {name: of, "datasets": len(members), "min_p_true": min(chances), "max_p_true": max(chances)}
        row["mean_p_true"] = math.fsum(chances) / len(chances)
        if query != "accuracy_by_distance":
            row["boundary"] = sum(node["distance"] == 0 for node in members)
        found.append(row)
    return found


def _stale(kept: Graph, nodes: dict[str, dict[str, Any]], server: bool) -> Rows:
    found = []
    for key, node in nodes.items():
        alpha = _alpha(node["alpha"], server)
        reason = "graph changed" if kept.stale else None
        if kept.mechanism is None:
            reason = "missing"
        elif isinstance(alpha, float):
            reason = "alpha changed" if abs(alpha - node["row"][0]) > 1e-12 else reason
        elif alpha is not None and len(alpha) > 2:
            off = any(abs(a - p) > 1e-12 for a, p in zip(alpha, node["row"], strict=True))
            reason = "alpha changed" if off else reason
        if reason is not None:
            found.append(
                {"key": key, "color": node["color"], "alpha": alpha, "p_true": node["p_true"], "reason": reason}
            )
    return found


def _broken(kept: Graph) -> Rows | None:
    """No rows where the exact audit finds nothing; where it does, rounding decides which edges are shown."""
    if kept.mechanism is None or kept.gaussian:
        return []
    return [] if neodp.audit(kept.mechanism.graph, kept.mechanism) and not kept.stale else None


def expected_of_profiles(query: str, profiles: Profiles, similar: dict[str, list[Similar]], user: str) -> Rows:
    """The rows of a canned query on profiles; `similar` holds bits, as the model does."""
    if query == "similar_users":
        names = ("user", "score", "rank", "measure", "epsilon")
        return [dict(zip(names, each, strict=True)) for each in similar.get(user, [])]
    assert query == "weight_histogram"
    tenths: dict[int, list[int]] = {}
    for owner, weight in zip(profiles.user.tolist(), profiles.weight.tolist(), strict=True):
        tenths.setdefault(math.floor(weight * 10.0 + 1e-9), []).append(owner)
    return [{"weight": t / 10.0, "likes": len(who), "users": len(set(who))} for t, who in tenths.items()]

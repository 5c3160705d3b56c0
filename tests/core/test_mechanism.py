"""Mechanisms: immutable, comparable, and mappings from keys to distributions."""

from collections.abc import Mapping

import numpy as np
import pytest

import neodp
from neodp import Mechanism, generate
from neodp.errors import GraphError, UnknownKey
from tests.problems import path_of_four


def test_mechanisms_are_immutable_and_know_their_graph() -> None:
    g = path_of_four({"v1": 0.3, "v4": 0.1})
    m = neodp.extend(g)
    assert m.graph is g
    assert len(m) == 4
    with pytest.raises(ValueError, match="read-only"):
        m.probabilities[0, 0] = 1.0
    with pytest.raises(AttributeError):
        m.graph = g  # type: ignore[misc]
    with pytest.raises(UnknownKey, match="there is no dataset 'v9'"):
        m["v9"]
    assert repr(m).endswith("truthful with chance 0.2 to 0.9>")


def test_mechanisms_become_networkx_graphs() -> None:
    m = neodp.extend(path_of_four({"v1": 0.3, "v4": 0.1}))
    node = m.to_networkx().nodes["v1"]
    assert node == {"color": "red", "alpha": 0.3, "p": 0.3, "q": 0.7, "p_true": 0.7}


def test_mechanisms_from_given_probabilities_are_whole_and_comparable() -> None:
    g = path_of_four({})
    with pytest.raises(GraphError, match="dataset 'v2' has no probabilities; give them for every dataset"):
        Mechanism.of(g, {"v1": 0.5})
    other = generate.path(4).with_alpha(np.full(4, 0.5))
    with pytest.raises(GraphError, match="different graphs; compare mechanisms on one graph"):
        Mechanism.of(g, np.full(4, 0.5)).dominates(Mechanism.of(other, other.alpha))


def test_counts_are_the_exact_quotient_of_votes() -> None:
    """Two groups of people: the mechanism on counts and on all votes agree in every bit."""
    epsilon = [0.4, 0.4, 0.4, 1.1, 1.1]
    votes, counts = generate.votes(5, epsilon=np.array(epsilon)), generate.counts([3, 2], epsilon=np.array([0.4, 1.1]))
    many, few = (neodp.extend(g.with_alpha(neodp.balanced(g))) for g in (votes, counts))
    for v, key in enumerate(votes.keys.to_pylist()):
        quotient = f"{key[:3].count('1')}-{key[3:].count('1')}"
        assert np.array_equal(many.probabilities[v], few.probabilities[counts.index(quotient)])


def test_a_mechanism_is_a_mapping_from_keys_to_distributions() -> None:
    g = generate.path(6)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    number: object = 3  # as a node of networkx may be
    assert isinstance(m, Mapping)
    assert list(m) == list(m.keys()) == g.keys.to_pylist()
    assert len(m) == len(m.keys()) == len(m.values()) == len(m.items()) == 6
    assert list(m.values()) == [m[key] for key in m]
    assert list(m.items()) == [(key, m[key]) for key in m]
    assert dict(m) == {key: m[key] for key in m}
    assert "3" in m
    assert number in m
    assert m[number] == m["3"]
    assert "6" not in m
    assert m["3"] in m.values()
    assert {"yes": 2.0} not in m.values()
    assert ("3", m["3"]) in m.items()
    assert m.get("6") is None
    assert m
    with pytest.raises(UnknownKey, match="there is no dataset '6'"):
        m["6"]


def test_mechanisms_are_equal_only_to_themselves() -> None:
    """Whoever wants to know whether two answer alike compares their probabilities."""
    g = generate.path(4)
    m, same = (neodp.extend(g.with_alpha(neodp.balanced(g))) for _ in range(2))
    assert m == m
    assert m != same
    assert m != dict(m)
    assert {m: 1, same: 2}[m] == 1
    assert dict(m) == dict(same)

"""The duties of every store towards profiles: one suite for both."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neodp import generate
from neodp.errors import GraphError, GraphExists, UnfinishedGraph, UnknownGraph, UnknownQuery
from neodp.store import Store, open_store
from neodp.store.cypher import canned
from neodp.stretch import noise
from neodp.stretch.neighborhoods import nearest, neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]
Rows = list[tuple[Any, ...]]


def small(name: str = "p") -> Profiles:
    return Profiles.from_columns(
        ["ann", "ann", "bob", "bob", "cid"],
        ["tea", "rum", "tea", "gin", "rum"],
        [1, 0.25, 1, 0.5, 1],
        [1, 0.1, 0.5, 0.999, 0],
        users=["ann", "bob", "cid", "dan"],
        items=["tea", "rum", "gin", "ale"],
        name=name,
    )


def likes(p: Profiles) -> Rows:
    users, items = p.users.to_pylist(), p.items.to_pylist()
    return sorted(
        (users[u], items[i], d, v)
        for u, i, d, v in zip(p.user, p.item, p.value.tolist(), p.weight.tolist(), strict=True)
    )


def assert_same(one: Profiles, other: Profiles) -> None:
    assert likes(one) == likes(other)
    assert sorted(one.users.to_pylist()) == sorted(other.users.to_pylist())
    assert sorted(one.items.to_pylist()) == sorted(other.items.to_pylist())


def large(users: int = 1200) -> Profiles:
    """More users than go over the wire at once."""
    random = np.random.default_rng(1)
    pairs = np.sort(random.choice(users * 50, 5 * users, replace=False))
    return Profiles.from_columns(
        [f"u{x // 50}" for x in pairs],
        [f"i{x % 50}" for x in pairs],
        1.0,
        random.random(len(pairs)),
        users=[f"u{x}" for x in range(users)],
        items=[f"i{x}" for x in range(60)],
    )


# --- keeping them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [small, large])
def test_what_was_loaded_is_read(store: Store, make: Callable[[], Profiles]) -> None:
    p = make()
    told: list[tuple[str, int, int]] = []
    info = store.profiles.load("p", p, progress=lambda *news: told.append(news))
    assert (info.users, info.items, info.likes, info.state) == (len(p.users), len(p.items), p.likes, "ready")
    assert_same(store.profiles.read("p"), p)
    assert {what for what, _, _ in told} == {"users", "items", "likes"}
    assert all(done <= total for _, done, total in told)


def test_profiles_side_by_side_and_beside_graphs(store: Store) -> None:
    store.load("p", generate.path(3))
    store.profiles.load("p", small())
    store.profiles.load("q", small().with_weights(0.5))
    assert [info.name for info in store.profiles.all()] == ["p", "q"]
    assert_same(store.profiles.read("p"), small())
    assert (store.profiles.read("q").weight == 0.5).all()
    assert store.profiles.drop("p") == 4
    assert [info.name for info in store.profiles.all()] == ["q"]
    assert len(store.read("p")) == 3
    assert store.profiles.read("q").likes == 5


def test_odd_ids_and_names(store: Store) -> None:
    odd = ["it's", 'say "hi"', "back`tick", "new\nline", "emoji 🗳", " ", "$name", "1:x", "a,b"]
    p = Profiles.from_columns(odd, odd[::-1])
    names = [name for name in odd if name.isprintable() and name.strip()]
    for name in names:
        store.profiles.load(name, p)
    for name in names:
        assert_same(store.profiles.read(name), p)


def test_groups_are_kept(store: Store) -> None:
    store.profiles.load("p", small().with_weights(1.0, ["unconcerned", "pragmatist", "unconcerned", "fundamentalist"]))
    p = store.profiles.read("p")
    assert p.group is not None
    assert dict(zip(p.users.to_pylist(), p.group.to_pylist(), strict=True))["dan"] == "fundamentalist"
    store.profiles.load("q", small())
    assert store.profiles.read("q").group is None


def test_there_is_one_already(store: Store) -> None:
    store.profiles.load("p", small())
    with pytest.raises(GraphExists, match=r"there is a profile 'p' in .* already; drop it, or use `replace=True`"):
        store.profiles.load("p", small())
    store.profiles.load("p", small().with_weights(0.25), replace=True)
    assert (store.profiles.read("p").weight == 0.25).all()


def test_empty_profiles(store: Store) -> None:
    store.profiles.load("p", Profiles.from_columns([], []))
    p = store.profiles.read("p")
    assert (len(p), p.likes) == (0, 0)
    assert store.profiles.write(p, neighbors(p, epsilon=1.0), Measure.COSINE) == 0


def test_unknown_ones(store: Store) -> None:
    with pytest.raises(UnknownGraph, match=r"there is no profile 'p' in .*; load some with `store.profiles.load"):
        store.profiles.read("p")
    store.profiles.load("films", small())
    with pytest.raises(UnknownGraph, match=r"there is no profile 'film' in .*; did you mean 'films'\?"):
        store.profiles.drop("film")


def test_it_is_still_there_after_closing(address: str) -> None:
    with open_store(address) as store:
        store.profiles.load("p", small())
    with open_store(address) as store:
        assert_same(store.profiles.read("p"), small())


@on_neo4j
def test_likes_by_somebody_s_own_cypher(store: Store, raw: Raw) -> None:
    """Without a weight a like shows nothing; a weight beyond 1 is refused by name."""
    store.profiles.load("p", small())
    raw("MATCH (u:User {id: 'bob'})-[r:LIKES]->(:Item {id: 'tea'}) SET r.weight = NULL, r.value = NULL")
    assert ("bob", "tea", 1.0, 0.0) in likes(store.profiles.read("p"))
    raw("MATCH (u:User {id: 'bob'})-[r:LIKES]->(:Item {id: 'tea'}) SET r.weight = 2.0")
    with pytest.raises(GraphError, match="profile 'p', user 'bob': the weight is 2; give a number from 0 to 1"):
        store.profiles.read("p")


def test_a_load_that_fails_leaves_nothing_that_counts(store: Store) -> None:
    store.profiles.load("p", small())

    def stop(what: str, done: int, total: int) -> None:
        if what == "likes":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.profiles.load("p", large(), replace=True, progress=stop)
    assert_same(store.profiles.read("p"), small())
    assert [info.name for info in store.profiles.all()] == ["p"]
    if "://" in store.address:  # the embedded file has nothing that is half there
        with pytest.raises(KeyboardInterrupt):
            store.profiles.load("q", large(), progress=stop)
        with pytest.raises(
            UnfinishedGraph, match="profile 'q' is incomplete: its load was interrupted or is still running"
        ):
            store.profiles.read("q")
        with pytest.raises(UnfinishedGraph):
            store.query("weight_histogram", "q")
    store.profiles.load("p", small(), replace=True)
    assert_same(store.profiles.read("p"), small())


# --- neighbours and queries -------------------------------------------------------------------------------------


def similar(raw: Raw) -> Rows:
    found = raw("MATCH (a:User)-[s:SIMILAR]->(b:User) RETURN a.id, b.id, s.score, s.rank, s.measure, s.epsilon")
    return sorted(tuple(row) for row in found)


def test_neighbors_are_written_and_replaced(store: Store, raw: Raw) -> None:
    store.profiles.load("p", small())
    store.profiles.load("q", small())
    p = store.profiles.read("p")
    users = p.users.to_pylist()
    first = neighbors(p, 2, epsilon=0.5)
    assert store.profiles.write(p, first, Measure.COSINE) == 8
    expected = sorted(
        (users[u], users[v], score, rank + 1, "cosine", 0.5)
        for u, row, scores in zip(first.users, first.neighbor, first.score.tolist(), strict=True)
        for rank, (v, score) in enumerate(zip(row, scores, strict=True))
    )
    assert similar(raw) == expected
    one = nearest(p, "bob", 1, epsilon=2.0, measure=Measure.DOT, scores=True)
    assert store.profiles.write(p, one, Measure.DOT) == 1
    kept = [row for row in expected if row[0] != "bob"]
    assert similar(raw) == sorted([*kept, ("bob", users[one.neighbor[0, 0]], float(one.score[0, 0]), 1, "dot", 2.0)])
    who = nearest(p, "bob", 2, epsilon=2.0)
    store.profiles.write(p, who, Measure.COSINE)
    rows = raw("MATCH (a:User {id: 'bob'})-[s:SIMILAR]->(b:User) RETURN b.id, s.score, s.rank")
    assert sorted((tuple(row) for row in rows), key=lambda row: int(row[2])) == [
        (users[v], None, rank + 1) for rank, v in enumerate(who.neighbor[0])
    ]
    likes = {row["item"]: row["score"] for row in store.query("recommended_items", "p", user="bob").to_pylist()}
    assert set(likes.values()) <= {0.0}
    store.profiles.write(p, neighbors(p, 1, epsilon=0.5), Measure.COSINE)
    assert len(similar(raw)) == 4
    store.profiles.drop("p")
    assert similar(raw) == []


def test_queries(store: Store) -> None:
    store.profiles.load("p", small())
    p = store.profiles.read("p")
    store.profiles.write(p, neighbors(p, 2, epsilon=1.0, measure=Measure.DOT, sampler=noise.without), Measure.DOT)
    who = store.query("similar_users", "p", user="ann", limit=1).to_pylist()
    assert who == [{"user": "bob", "score": 0.5, "rank": 1, "measure": "dot", "epsilon": 1.0}]
    items = store.query("recommended_items", "p", user="ann").to_pylist()
    assert items == [{"item": "gin", "score": 0.5, "liked_by": 1}]
    histogram = store.query("weight_histogram", "p").to_pylist()
    assert [(row["weight"], row["likes"], row["users"]) for row in histogram] == [
        (0.0, 1, 1),
        (0.1, 1, 1),
        (0.5, 1, 1),
        (0.9, 1, 1),
        (1.0, 1, 1),
    ]
    assert all(isinstance(row["likes"], int) for row in histogram)


def test_every_query_says_what_it_answers_and_has_the_same_columns(store: Store) -> None:
    store.profiles.load("p", small())
    columns = {
        "similar_users": ["user", "score", "rank", "measure", "epsilon"],
        "recommended_items": ["item", "score", "liked_by"],
        "weight_histogram": ["weight", "likes", "users"],
    }
    assert columns.keys() == canned(on="profile").keys()
    for name, query in canned(on="profile").items():
        embedded = canned("embedded", "profile")[name]
        assert query.answers.endswith(".")
        assert (query.answers, query.parameters.keys()) == (embedded.answers, embedded.parameters.keys())
        given = {"user": "ann"} if "user" in query.parameters else {}
        assert store.query(name, "p", **given).column_names == columns[name]


def test_queries_ask_the_right_thing(store: Store) -> None:
    store.load("g", generate.path(3))
    with pytest.raises(UnknownGraph, match="there is no profile 'g'"):
        store.query("weight_histogram", "g")
    store.profiles.load("p", small())
    with pytest.raises(UnknownGraph, match="there is no graph 'p'"):
        store.query("summary", "p")
    with pytest.raises(UnknownQuery, match="query 'similar_users' needs the parameter 'user'"):
        store.query("similar_users", "p")
    with pytest.raises(UnknownQuery, match="has no parameter 'x'; its parameters: none besides the profile"):
        store.query("weight_histogram", "p", x=1)

"""Profiles on a real server: how they are found, and what only two writers can show."""

import neo4j
import pytest

from neodp.errors import GraphError, Overtaken
from neodp.store import Settings, Store, open_store
from neodp.store.cypher import canned
from neodp.stretch.profiles import Profiles
from tools import neo4j_server as servers


def profiles() -> Profiles:
    return Profiles.from_columns(["a", "a", "b"], ["x", "y", "x"], weight=0.5)


@pytest.fixture
def store(neo4j_server: servers.Server, neo4j_driver: neo4j.Driver, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    return open_store(Settings.from_env(neo4j_server.uri))


def operators(plan: object) -> list[str]:
    assert isinstance(plan, dict)
    return [
        plan["operatorType"].partition("@")[0],
        *(o for child in plan.get("children", []) for o in operators(child)),
    ]


def test_no_query_scans_all_users_or_items(store: Store, neo4j_driver: neo4j.Driver) -> None:
    with store:
        store.profiles.load("p", profiles())
    for query in canned(on="profile").values():
        plan = neo4j_driver.execute_query("EXPLAIN " + query.text, profiles="p", user="a", limit=5).summary.plan
        assert not {"AllNodesScan", "NodeByLabelScan"} & set(operators(plan))


def test_of_two_loads_the_later_one_stands(store: Store) -> None:
    def overtake(what: str, done: int, total: int) -> None:
        if what == "items":
            store.profiles.load("p", profiles().with_weights(0.25))

    with store:
        with pytest.raises(
            Overtaken, match=r"somebody else changed profile 'p' in .* while it was being written; their change"
        ):
            store.profiles.load("p", profiles(), progress=overtake)
        assert (store.profiles.read("p").weight == 0.25).all()


def test_profiles_made_by_somebody_s_own_cypher(store: Store, neo4j_driver: neo4j.Driver) -> None:
    neo4j_driver.execute_query(
        "CREATE (:NeodpProfiles {name: 'p'}) "
        "CREATE (:User {profile: 'p', id: 'a'})-[:LIKES {weight: 1.0}]->(i:Item {profile: 'p', id: 'x'}) "
        "CREATE (:User {profile: 'p', id: 'b'})-[:LIKES]->(i)"
    )
    with store:
        store.init()
        info = store.profiles.info("p")
        assert (info.users, info.items, info.likes, info.state) == (2, 1, 2, "ready")
        assert sorted(store.profiles.read("p").weight) == [0.0, 1.0]
        neo4j_driver.execute_query("CREATE (:User {profile: 'p', id: 7})")
        with pytest.raises(GraphError, match="profile 'p' has 3 users, but only 2 of them have a text as id; correct"):
            store.profiles.read("p")

"""The explorer's server: who may ask, what it says, and that it changes nothing."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.store import Store, open_store
from tests.explore.serving import Site, serving

HOSTILE = "<img src=x onerror=alert(1)>"


def balanced(graph: DatasetGraph) -> DatasetGraph:
    return graph.with_alpha(neodp.balanced(graph))


def fill(store: Store) -> None:
    store.init()
    store.load("votes", balanced(generate.three_voters()))
    store.write("votes", neodp.extend(store.read("votes")))
    store.load("bare", generate.path(6))
    store.load("alpha", balanced(generate.path(6)))
    store.load("three", balanced(generate.plurality(4, options=3)))
    store.load("best", generate.plurality(2, 2, options=3, epsilon=[0.3, 1.5]))
    store.extend("best", method="optimal")
    store.load(HOSTILE, balanced(generate.path(4, colors=["<b>yes</b>", "</script><script>alert(1)</script>"])))
    store.answer("votes", "121", "spring", keep_key=True)


@pytest.fixture
def site(address: str) -> Iterator[Site]:
    """An explorer of a store with some graphs, on each kind of store."""
    with open_store(address) as store:
        fill(store)
    with serving(address) as site:
        yield site


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    """The same on a file, for tests that change nothing; and where the file is."""
    address = str(tmp_path_factory.mktemp("explore") / "store.db")
    with open_store(address) as store:
        fill(store)
    with serving(address) as site:
        yield site, address


# --- what it says --------------------------------------------------------------------------------------------


def test_both_stores_show_the_mechanism(site: Site) -> None:
    """Paper 002, Fig. 1: three voters; the figures are those of the library."""
    g = balanced(generate.three_voters())
    m = neodp.extend(g)
    names = [each["name"] for each in site.get("graphs")["graphs"]]
    assert names == sorted([HOSTILE, "alpha", "bare", "best", "three", "votes"])
    facts = site.get("overview", graph="votes")
    assert facts["origin"] == "stored"
    assert facts["boundary"] == 6
    assert facts["accuracy"]["least"]["p"] == m.p_true.min()
    assert facts["accuracy"]["mean"]["p"] == pytest.approx(m.p_true.mean())
    assert sum(step["datasets"] for layer in facts["layers"] for step in layer["steps"]) == 8
    assert [(each["epsilon"], each["edges"]) for each in facts["levels"]] == [(0.5, 2), (1.0, 10)]
    drawn = site.get("drawing", graph="votes")
    assert dict(zip(drawn["keys"], drawn["p"], strict=True)) == dict(zip(m, m.p_true.tolist(), strict=True))
    assert len({*zip(drawn["x"], drawn["y"], strict=True)}) == 8
    found = site.post("dataset", graph="votes", key="111")
    assert {each["color"]: each["p"] for each in found["distribution"]} == m["111"]
    (asked,) = neodp.evaluate(g, ["111"]).evaluations
    assert found["decided"]["path"][-1] == "111"  # of several paths that decide alike, either one
    assert found["decided"]["epsilons"] == list(asked.epsilons)
    assert {each["key"] for each in found["neighbors"]} == {"112", "121", "211"}
    table = site.post("query", graph="votes", query="least_accurate", parameters={"limit": 3})
    assert len(table["rows"]) == 3
    (ledger,) = site.get("releases")["populations"]
    assert [each["name"] for each in ledger["releases"]] == ["spring"]


def test_what_is_not_stored_is_computed_or_explained(local: tuple[Site, str]) -> None:
    site, _ = local
    assert site.get("overview", graph="alpha")["origin"] == "computed"
    bare = site.get("overview", graph="bare")
    assert bare["origin"] == "none"
    assert "alpha" in bare["problem"]["message"]
    assert site.get("drawing", graph="bare")["p"] is None
    found = site.post("dataset", graph="bare", key="2")
    assert found["distribution"] is None
    assert len(found["neighbors"]) == 2
    assert site.get("overview", graph="three")["accuracy"]["least"]["p"] > 1 / 3


def test_a_large_graph_is_added_up_by_the_store(local: tuple[Site, str], monkeypatch: pytest.MonkeyPatch) -> None:
    site, _ = local
    whole = site.get("overview", graph="votes")
    for name, value in (("overview.LARGEST", 5), ("overview.DRAWN", (5, 5))):
        monkeypatch.setattr(f"neodp.explore.{name}", value)
    facts = site.get("overview", graph="votes")
    assert facts["accuracy"] == whole["accuracy"]
    assert [step["datasets"] for step in facts["layers"][0]["steps"]] == [6, 2]
    assert site.get("drawing", graph="votes") == {"whole": False, "datasets": 8, "start": "112"}
    found = site.post("dataset", graph="votes", key="111")
    assert found["around"]["center"] == "111"
    assert len(found["around"]["keys"]) == 7  # up to two edges away
    assert found["decided"]["path"]
    refused = site.post("what-if", graph="votes", changes={"epsilon": [[1.0, 2.0]]})
    assert refused["error"]["kind"] == "graph"
    assert "8 datasets and 12 edges" in refused["error"]["message"]


def test_both_stores_show_the_best_for_three_answers_and_find_it_again(site: Site) -> None:
    """Without alpha: every page, a dataset, and an epsilon that is moved, by the method of the stored mechanism."""
    graph = generate.plurality(2, 2, options=3, epsilon=[0.3, 1.5])
    best = neodp.extend(graph, method="optimal")
    facts = site.get("overview", graph="best")
    assert (facts["origin"], facts["method"], facts["given"], len(facts["colors"])) == ("stored", "optimal", 0, 3)
    assert facts["accuracy"]["mean"]["p"] == pytest.approx(best.p_true.mean(), abs=1e-9)
    assert sum(step["datasets"] for layer in facts["layers"] for step in layer["steps"]) == len(graph)
    drawn = site.get("drawing", graph="best")
    assert len({*zip(drawn["x"], drawn["y"], strict=True)}) == len(graph)
    found = site.post("dataset", graph="best", key="2-0-0/2-0-0")
    assert {each["color"]: each["p"] for each in found["distribution"]} == pytest.approx(best["2-0-0/2-0-0"], abs=1e-7)
    assert found["decided"] is None  # all edges together decide, not a path
    changes = {"epsilon": [[0.3, 0.9]]}
    raised = DatasetGraph.from_columns(
        graph.keys, graph.color, graph.source, graph.target, np.where(graph.epsilon == 0.3, 0.9, 1.5),
        colors=graph.colors,
    )  # fmt: skip
    higher = neodp.extend(raised, method="optimal")
    moved = site.post("what-if", graph="best", changes=changes)
    assert (moved["problem"], moved["audit"]["violations"]) == (None, 0)
    assert moved["after"]["mean"]["p"] == pytest.approx(higher.p_true.mean(), abs=1e-9)
    one = site.post("dataset", graph="best", key="2-0-0/2-0-0", changes=changes)
    assert one["problem"] is None
    even = site.post("what-if", graph="best", changes={"balanced": True})
    assert even["problem"] is None
    assert even["after"]["mean"]["p"] < facts["accuracy"]["mean"]["p"]


def test_a_program_that_cannot_be_solved_again_here_is_named(
    local: tuple[Site, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, address = local
    changes = {"epsilon": [[0.3, 0.9]]}
    with monkeypatch.context() as fewer:
        fewer.setattr("neodp.explore.changes.MOST_FOR_OPTIMAL", 50)
        found = site.post("what-if", graph="best", changes=changes)
    assert found["problem"]["message"] == "the linear program of graph 'best' has 108 chances"
    with open_store(address) as store:
        store.load("weighed", store.read("best"))
        store.extend("weighed", method="optimal", prior={"2-0-0/2-0-0": 1.0})
    found = site.post("what-if", graph="weighed", changes=changes)
    said = "the mechanism of graph 'weighed' is the best for weights that are not stored"
    assert found["problem"]["message"] == said
    with open_store(address) as store:
        store.drop("weighed")


# --- moving values -------------------------------------------------------------------------------------------


def test_an_epsilon_is_moved_and_checked_exactly(local: tuple[Site, str]) -> None:
    site, _ = local
    changes = {"epsilon": [[1.0, 2.0]], "balanced": True}
    found = site.post("what-if", graph="votes", changes=changes)
    g = generate.three_voters()
    epsilon = np.where(g.epsilon == 1.0, 2.0, g.epsilon)
    moved = DatasetGraph.from_columns(g.keys, g.color, g.source, g.target, epsilon, colors=g.colors)
    m = neodp.extend(balanced(moved))
    assert found["p"] == m.p_true.tolist()
    assert found["audit"] == {"violations": 0, "checks": 48, "edges": 12, "exact": True}
    after = site.post("dataset", graph="votes", key="111", changes=changes)
    assert {each["color"]: each["p"] for each in after["distribution"]} == m["111"]


def test_alpha_is_moved_or_refused_with_its_witness(local: tuple[Site, str]) -> None:
    site, _ = local
    drawn = site.get("drawing", graph="votes")
    given = [key for key, has in zip(drawn["keys"], drawn["given"], strict=True) if has]
    found = site.post("what-if", graph="votes", changes={"alpha": {given[0]: 0.999999}})
    assert "is possible" in found["problem"]["message"]
    assert set(found["witness"]) <= set(drawn["keys"])
    assert len(found["witness"]) >= 2
    same = site.post("what-if", graph="votes", changes={"edges": [["111", "112", 3.0]]})
    assert same["audit"]["violations"] == 0
    wrong = site.post("what-if", graph="votes", changes={"edges": [["111", "222", 3.0]]})
    assert "are not neighbours" in wrong["problem"]["message"]


def test_the_alpha_of_an_order_of_three_answers_is_moved(local: tuple[Site, str]) -> None:
    site, _ = local
    before = site.post("dataset", graph="three", key="2-1-1")
    own = next(each["p"] for each in before["distribution"] if each["color"] == before["color"])
    changes = {"alpha": {"2-1-1": own - 0.02}}
    found = site.post("what-if", graph="three", changes=changes)
    assert (found["problem"], found["audit"]["violations"]) == (None, 0)
    after = site.post("dataset", graph="three", key="2-1-1", changes=changes)
    assert next(each["p"] for each in after["distribution"] if each["color"] == after["color"]) == own - 0.02
    same = site.post("dataset", graph="three", key="3-1-0", changes=changes)  # its answers stand in the same order
    assert same["alpha"] == after["alpha"]
    refused = site.post("what-if", graph="three", changes={"alpha": {"2-1-1": 0.99}})
    assert "is possible" in refused["problem"]["message"]


@pytest.mark.parametrize(
    "changes",
    [7, {"epsilon": 3}, {"alpha": [1]}, {"epsilon": [["x", 1]]}, {"alpha": {"111": "much"}}, {"edges": [[1]]}],
)
def test_changes_of_another_form_are_refused(local: tuple[Site, str], changes: Any) -> None:
    refused = local[0].post("what-if", graph="votes", changes=changes)
    assert refused["error"]["message"] == "the changes cannot be read"


def test_a_poll_is_previewed(local: tuple[Site, str]) -> None:
    """DESIGN's first population: balanced .600, weighted .781."""
    site, _ = local
    groups = site.get("population")
    assert [(each["epsilon"], each["people"]) for each in groups] == [(0.1, 10), (1.0, 10), (2.0, 11)]
    found = site.post("poll", groups=groups)
    assert [each["name"] for each in found["mechanisms"]] == ["balanced", "weighted"]
    assert [each["expected"]["text"] for each in found["mechanisms"]] == ["0.600", "0.781"]
    assert len(found["mechanisms"][0]["least"]) == len(found["margins"])
    refused: list[Any] = [[], [{"epsilon": -1, "people": 1}], [{"epsilon": 1}], 7, None]
    for wrong in refused:
        assert site.post("poll", groups=wrong)["error"]["kind"] == "graph"
    several = site.post("poll", groups=[{"epsilon": 1, "people": 9}], query="plurality", options=4)
    assert (several["question"], several["coin"]) == ("which of 'A', 'B', 'C', 'D' do most of 9 people choose?", 0.25)
    assert set(several["mechanisms"][0]["even"]) == {None}
    refused_options = site.post("poll", groups=groups, query="plurality", options=1)
    assert refused_options["error"]["hint"] == "give a number from 2 to 12"
    many = site.post("poll", groups=[{"epsilon": 1, "people": 10**6}])
    assert "'neodp poll' takes any number" in many["error"]["hint"]


def test_accuracy_proposes_an_epsilon_and_an_epsilon_shows_its_accuracy(local: tuple[Site, str]) -> None:
    """The epsilon is the one that ``neodp poll --accuracy`` proposes, and leads back to the accuracy."""
    site, _ = local
    groups = [{"epsilon": 0.5, "people": 10}, {"epsilon": 1, "people": 11}]
    table = {"v": ["yes"] * 21, "e": [0.5] * 10 + [1.0] * 11}
    known = neodp.poll(table, vote="v", epsilon="e").propose(0.95, margin=3)["v"]
    for change, value in (("epsilon", known.epsilon), ("factor", known.factor)):
        there = site.post("aim", groups=groups, margin=3, change=change, accuracy=0.95)
        back = site.post("aim", groups=groups, margin=3, change=change, value=there["value"])
        assert there == back
        assert there["value"] == value
        assert there["words"].startswith("Right at least 95 times in 100 at a margin of 3 votes")
        assert (there["now"], there["largest"]) == (known.now, 11)
    for wrong in ({"margin": 12}, {"margin": 0}, {"margin": "x"}, {"accuracy": 1.5}, {"accuracy": None}):
        assert site.post("aim", groups=groups, **({"accuracy": 0.9} | wrong))["error"]["kind"] == "graph"


def sent(text: str | bytes, name: str = "people.csv", **given: Any) -> dict[str, Any]:
    """A table as the page sends it."""
    data = text.encode() if isinstance(text, str) else text
    return {"file": name, "data": base64.b64encode(data).decode(), **given}


PEOPLE = "id,Answer,privacy\n1,yes,low\n2,no,high\n3,yes,low\n4,no,0.5\n5,yes,low\n"


def test_a_table_is_previewed_as_on_the_command_line(local: tuple[Site, str]) -> None:
    """Columns first, then the names of levels, then the preview; and the command that gives the same."""
    site, address = local
    before = Path(address).read_bytes()
    found = site.post("table", **sent(PEOPLE))
    assert (found["columns"], found["rows"], found["preview"]) == (["id", "Answer", "privacy"], 5, None)
    assert found["proposed"] == {"vote": "Answer", "epsilon": "privacy"}
    chosen = {"vote": "Answer", "epsilon": "privacy"}
    assert site.post("table", **sent(PEOPLE, **chosen))["levels"] == ["high", "low"]
    found = site.post("table", **sent(PEOPLE, **chosen, levels={"low": "2", "high": "0.3"}))
    table = {"v": ["yes"] * 5, "e": ["low", "high", "low", "0.5", "low"]}
    both = neodp.poll(table, vote="v", epsilon="e", levels={"low": 2, "high": 0.3}).questions[0].both
    assert found["preview"]["mechanisms"][0]["expected"]["p"] == both.balanced.expected
    assert found["command"] == "neodp poll people.csv --vote Answer --epsilon privacy --levels low=2,high=0.3"
    other = site.post("table", **sent(PEOPLE.replace("yes", "no"), **chosen, levels={"low": "2", "high": "0.3"}))
    assert other == found
    one = site.post(
        "table", **sent("Title\n\n" + PEOPLE, header_row="3", vote="Answer", everybody="1", options="no,yes")
    )
    assert one["command"] == "neodp poll people.csv --vote Answer --epsilon 1.0 --options no,yes --header-row 3"
    assert one["preview"]["people"] == 5
    for title in ("Staff survey\n\n", "Staff survey,,\n,,\n"):
        found = site.post("table", **sent(title + PEOPLE))
        assert (found["columns"], found["header_row"], found["rows"]) == (["id", "Answer", "privacy"], 3, 5)
        assert found["proposed"] == {"vote": "Answer", "epsilon": "privacy"}
        assert site.post("table", **sent(title + PEOPLE, vote="Answer", everybody="1", options="no,yes")) == one
    assert site.post("table", **sent("vote\nyes\nno\n"))["columns"] == ["vote"]
    refused = site.post("table", **sent("vote\n3,4\n"))["error"]["message"]
    assert "not have as many cells as the header" in refused  # numbers name no columns
    assert Path(address).read_bytes() == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"data": "%"}, "the table did not arrive"),
        (sent(""), "people.csv is empty"),
        (sent("a\nb\n", name="../../etc/passwd.xlsx"), "passwd.xlsx is not a workbook"),
        (sent(PEOPLE, header_row="x"), "the header row is 'x'"),
        (sent(PEOPLE, header_row="9"), "people.csv has no line 9"),
        (sent(PEOPLE, vote="Answer", everybody="much"), "the epsilon is 'much'"),
        (sent(PEOPLE, vote="id", everybody="1"), "the vote is none of the options"),
        (sent(PEOPLE, vote="Answer", everybody="1", levels=[3], query="maximum"), "the query is 'maximum'"),
        (sent("v,e\n" + "".join(f"yes,l{i}\n" for i in range(13)), vote="v", epsilon="e"), "13 different names"),
    ],
)
def test_a_table_that_cannot_be_previewed_is_refused_in_a_sentence(
    local: tuple[Site, str], given: dict[str, Any], message: str
) -> None:
    error = local[0].post("table", **given)["error"]
    assert message in error["message"]
    assert error["hint"]
    assert "inside neodp" not in error["message"]


# --- secrets -------------------------------------------------------------------------------------------------


def test_a_release_never_shows_its_dataset(local: tuple[Site, str]) -> None:
    """Also where the key was kept: it is a secret that nobody asked for here."""
    site, _ = local
    _, _, body = site.request("GET", "api/releases")
    assert b"spring" in body
    assert b"121" not in body


def test_nothing_is_logged(local: tuple[Site, str], capfd: pytest.CaptureFixture[str]) -> None:
    site, _ = local
    site.post("dataset", graph="votes", key="121")
    site.post("dataset", graph="votes", key="no such key")
    site.request("GET", "nowhere")
    assert capfd.readouterr() == ("", "")


def test_keys_are_posted_and_responses_not_kept(local: tuple[Site, str]) -> None:
    site, _ = local
    assert site.request("GET", "api/dataset?graph=votes&key=121")[0] == 404
    _, headers, _ = site.request("POST", "api/dataset", {"graph": "votes", "key": "121"})
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_question_to_a_graph_of_people_is_among_the_releases(address: str) -> None:
    """Its pattern, its answer and the share that it spent; nothing of the people, their number or their epsilons."""
    pattern = f"MATCH (a:Person)-[:KNOWS {{since: 3}}]-(b:Person) WHERE a.name = '{HOSTILE}'"
    people = {"id": [1, 2], "name": [HOSTILE, "x"], "epsilon": [87.5, 93.25]}
    friends = {"from": [1], "to": [2], "since": [3]}
    with open_store(address) as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person", properties=("name", "since")))
        asked = neodp.ask(
            store, "staff", pattern, at_least=1, share=0.25, nodes={"Person": people}, relationships={"KNOWS": friends}
        )
        answer = asked.release("spring", command="neodp ask staff")
    with serving(address) as site:
        found = site.get("releases")
    (ledger,) = found["populations"]
    (release,) = ledger["releases"]
    assert (ledger["population"], ledger["share"]) == ("(:Person)", 0.25)
    assert (release["name"], release["answer"], release["command"]) == ("spring", answer, "neodp ask staff")
    assert release["about"] == "ask staff"
    assert release["question"] == asked.pattern.text
    assert HOSTILE in release["question"]
    assert "87.5" not in json.dumps(found)
    assert "93.25" not in json.dumps(found)


# --- who may ask ---------------------------------------------------------------------------------------------


def test_without_the_token_there_is_nothing(local: tuple[Site, str]) -> None:
    site, _ = local
    for path in ("/", "/api/graphs", "/app.js", "/" + "x" * 32 + "/", "/../" + site.base):
        assert site.request("GET", path)[0] in (400, 404)
    assert site.request("GET", "")[0] == 200
    assert len(site.base) > 32


def test_a_foreign_host_or_origin_is_refused(local: tuple[Site, str]) -> None:
    """Another name for this machine, as in DNS rebinding, and another site's page."""
    site, _ = local
    port = site.host.split(":")[1]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.2:{port}", f"{site.host}.evil.example"):
        assert site.request("GET", "api/graphs", Host=host)[0] == 403
    assert site.request("GET", "api/graphs", Host=f"localhost:{port}")[0] == 200
    for origin in ("http://evil.example", "null", f"https://{site.host}", "http://127.0.0.1:1"):
        assert site.request("GET", "api/graphs", Origin=origin)[0] == 403
        assert site.request("POST", "api/poll", {"groups": []}, Origin=origin)[0] == 403
    assert site.request("POST", "api/poll", {"groups": []}, Origin=None)[0] == 403
    assert site.request("GET", "api/graphs", Sec_Fetch_Site="cross-site")[0] == 403
    assert site.request("GET", "api/graphs", Host=None)[0] == 400


def test_only_this_machine_is_listened_to(local: tuple[Site, str]) -> None:
    assert local[0].host.startswith("127.0.0.1:")


def test_every_response_has_the_policy(local: tuple[Site, str]) -> None:
    site, _ = local
    for path, host in (("", site.host), ("api/graphs", site.host), ("none", site.host), ("", "evil.example")):
        _, headers, _ = site.request("GET", path, Host=host)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_has_no_script_of_its_own(local: tuple[Site, str]) -> None:
    _, _, body = local[0].request("GET", "")
    page = body.decode()
    assert page.count("<script") == page.count("<script src=") + page.count('<script type="module" src=')
    assert "style=" not in page
    assert "onclick" not in page


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
def test_nothing_can_be_written(local: tuple[Site, str], method: str) -> None:
    assert local[0].request(method, "api/graphs", {})[0] == 405


def test_the_store_is_as_it_was(site: Site, address: str) -> None:
    """And others can use it while the explorer runs."""
    with open_store(address) as store:
        before = _state(store)
    for name in ("votes", "bare", "three"):
        site.get("overview", graph=name)
        site.get("drawing", graph=name)
        site.post("query", graph=name, query="stale", parameters={})
        site.post("what-if", graph=name, changes={"balanced": True})
    site.post("dataset", graph="votes", key="111")
    with open_store(address) as again:
        assert _state(again) == before


def _state(store: Store) -> Any:
    return store.graphs(), [store.ledger(name) for name in store.populations()]


# --- requests that are wrong ---------------------------------------------------------------------------------


def test_wrong_requests_get_a_sentence(local: tuple[Site, str]) -> None:
    site, _ = local
    for body in (b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b"x" * 2_000_000):
        status, _, answer = site.request("POST", "api/dataset", body)
        assert (status, json.loads(answer)["error"]["kind"]) == (400, "usage")
    assert site.get("overview", graph="vote")["error"]["hint"] == "did you mean 'votes'?"
    unknown = site.post("dataset", graph="votes", key="11")
    assert unknown["error"]["kind"] == "unknown_key"
    assert "there is no dataset '11'" in unknown["error"]["message"]
    assert site.post("query", graph="votes", query="nothing")["error"]["kind"] == "unknown_query"
    assert site.post("query", graph="votes", query="summary", parameters={"x": 1})["error"]["kind"] == "unknown_query"
    assert (
        site.post("query", graph="votes", query="least_accurate", parameters={"limit": "many"})["error"]["kind"]
        == "unknown_query"
    )
    assert site.post("query", graph="votes", query="summary", parameters=[1])["error"]["kind"] == "unknown_query"


def test_hostile_names_stay_text(local: tuple[Site, str]) -> None:
    """Names come back as they are, as JSON; the page makes text nodes of them (tests/browser)."""
    site, _ = local
    facts = site.get("overview", graph=HOSTILE)
    assert facts["name"] == HOSTILE
    assert facts["colors"][1]["name"] == "</script><script>alert(1)</script>"
    _, headers, _ = site.request("GET", "api/graphs")
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("epsilon", [0, 0.0, "0", -0.5, "nan", "1e400", 691, None, True, [1], ""])
def test_a_poll_with_an_epsilon_that_promises_nothing_or_too_much_gets_a_sentence(
    local: tuple[Site, str], epsilon: Any
) -> None:
    refused = local[0].post("poll", groups=[{"epsilon": 1, "people": 5}, {"epsilon": epsilon, "people": 5}])
    assert refused["error"]["kind"] == "graph"
    assert refused["error"]["hint"]

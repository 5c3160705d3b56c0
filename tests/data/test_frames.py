"""Results as tables of other libraries, and graphs made from these: one round trip for every kind."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import neodp
from neodp.data.frames import Tabular
from neodp.errors import GraphError

KINDS = ["to_arrow", "to_pandas", "to_polars"]


def voters() -> neodp.DatasetGraph:
    g = neodp.generate.three_voters()
    return g.with_alpha(neodp.balanced(g))


def rainbow() -> neodp.DatasetGraph:
    g = neodp.generate.plurality(3, epsilon=0.7)
    return g.with_alpha(neodp.balanced(g))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graph", [voters, rainbow], ids=["two colours", "three colours"])
def test_a_graph_comes_back_from_its_frames(graph: Any, kind: str) -> None:
    g = graph()
    nodes, edges = getattr(g, kind)()
    back = neodp.DatasetGraph.from_frames(nodes, edges, colors=g.colors, name=g.name)
    assert back.keys.equals(g.keys)
    assert back.colors == g.colors
    assert repr(back) == repr(g)
    for name in ("color", "source", "target", "epsilon", "delta"):
        np.testing.assert_array_equal(getattr(back, name), getattr(g, name))
    np.testing.assert_array_equal(back.alpha, g.alpha)
    np.testing.assert_array_equal(back.order, g.order)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graph", [voters, rainbow], ids=["two colours", "three colours"])
def test_a_mechanism_comes_back_from_its_frame_bit_by_bit(graph: Any, kind: str) -> None:
    m = neodp.extend(graph())
    frame = getattr(m, kind)()
    assert list(frame["color"]) == [m.graph.colors[c] for c in m.graph.color] or kind == "to_arrow"
    np.testing.assert_array_equal(neodp.Mechanism.from_frame(m.graph, frame).probabilities, m.probabilities)


@pytest.mark.parametrize("kind", KINDS)
def test_alpha_that_one_number_states_beside_alpha_that_takes_two(kind: str) -> None:
    """The mixture once failed: a column is of numbers or of lists."""
    graph = neodp.generate.path(4).with_alpha({"1": 0.5, "2": [1.0, 1e-20]})
    again = neodp.DatasetGraph.from_frames(*getattr(graph, kind)(), colors=graph.colors)
    assert np.array_equal(again.alpha, graph.alpha, equal_nan=True)


def test_frames_of_people_who_use_other_orders_and_types() -> None:
    """Nullable and categorical columns of pandas, an index, and edges by a constant epsilon."""
    nodes = pd.DataFrame(
        {"color": pd.Categorical(["no", "no", "yes"]), "key": ["a", "b", "c"], "alpha": [None, 0.4, None]},
        index=[7, 8, 9],
    )
    edges = pl.DataFrame({"target": ["b", "c"], "source": ["a", "b"]})
    g = neodp.DatasetGraph.from_frames(nodes, edges, epsilon=0.5, colors=["yes", "no"])
    assert g.key(1) == "b"
    assert g.given.tolist() == [False, True, False]
    assert g.epsilon.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ([1, 2], {}, "the table of datasets is a list, which is no table; give a pandas or polars frame"),
        ({"key": ["a"]}, {}, "the table of datasets has no column 'color'"),
        ({"key": ["a"], "color": ["x"], "weight": [1]}, {}, "has a column 'weight', which is not asked for"),
        (
            {"key": ["a", "b"], "color": ["x", "y"]},
            {"source": ["a"], "target": ["c"], "epsilon": [1.0]},
            "'c'",
        ),
        (
            {"key": ["a", "b"], "color": ["x", "y"]},
            {"source": ["a"], "target": ["b"], "epsilon": [-1.0]},
            "row 1 of the table of edges",
        ),
    ],
)
def test_frames_that_are_no_graph(nodes: Any, edges: Any, message: str) -> None:
    with pytest.raises(GraphError) as error:
        neodp.DatasetGraph.from_frames(nodes, edges)
    assert message in str(error.value)


class _Texts(HTMLParser):
    """The tags of a page, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


EVIL = "<script>alert(1)</script>&amp;"


def everything(tmp_path: Path) -> list[Tabular | neodp.DatasetGraph]:
    """One of each, with a key, a colour and a name that would be dangerous on a page."""
    g = neodp.DatasetGraph.from_columns([EVIL, "b"], [EVIL, "y"], [EVIL], ["b"], 0.5, name=EVIL)
    g = g.with_alpha(neodp.balanced(g))
    m = neodp.extend(g)
    wrong = neodp.Mechanism.of(g, {EVIL: 1.0, "b": 0.0})
    store = neodp.open_store(str(tmp_path / "store.db"))
    store.load("g", g)
    survey = neodp.poll({EVIL: ["yes", "no", "no"]}, vote=EVIL, epsilon=1, name=EVIL)
    return [g, m, neodp.check(g), neodp.audit(g, wrong), neodp.evaluate(g, EVIL), store, survey]


def test_a_notebook_shows_texts_as_texts(tmp_path: Path) -> None:
    for each in everything(tmp_path):
        page = _Texts(each._repr_html_())
        assert page.tags <= {"table", "caption", "tr", "th", "td"}, each
        shown = repr(each)
        assert isinstance(each, neodp.polls.Survey) or shown in page.texts
        assert len(shown) < 600
        assert "object at 0x" not in shown
        if isinstance(each, neodp.store.Store):
            each.close()
            assert "caption" in each._repr_html_()  # what is closed can still be shown


def test_what_is_said_of_each(tmp_path: Path) -> None:
    g = voters()
    m = neodp.extend(g)
    assert repr(neodp.check(g)).startswith("<Check: connected: ")
    assert repr(neodp.audit(g, m)) == "<Audit: private: none of 48 inequalities on 12 edges is broken, checked exactly>"
    ball = neodp.evaluate(g, [g.key(0), g.key(7)])
    assert repr(ball).startswith(f"<Ball: truthful at {g.key(0)!r}, {g.key(7)!r} with chance ")
    assert ball.to_pandas()["key"].tolist() == [g.key(0), g.key(7)]
    assert ball.to_polars()["p"].to_list() == [m.p[0], m.p[7]]
    assert neodp.check(g).to_arrow().to_pylist()[0]["compatible"] is True
    worst = neodp.audit(g, m, worst=3).to_arrow()
    assert worst.num_rows == 3
    assert worst.column_names[:3] == ["source", "target", "epsilon"]
    with neodp.open_store(str(tmp_path / "s.db")) as store:
        assert repr(store).startswith("<Store ")
        assert store.to_arrow().num_rows == 0
        store.load("g", g)
        store.write("g", m)
        row = store.to_pandas().iloc[0]
        assert (row["name"], row["datasets"], row["edges"], row["min_p_true"]) == ("g", 8, 12, m.p_true.min())


def test_long_tables_are_cut(tmp_path: Path) -> None:
    page = neodp.generate.path(1000)._repr_html_()
    assert "… and 980 more" in page
    assert page.count("<tr>") < 50


def test_frames_need_neither_pandas_nor_polars() -> None:
    """In a process where neither can be imported, Arrow works, and the others say what to install."""
    code = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Without())
import neodp
g = neodp.generate.path(4)
m = neodp.extend(g.with_alpha(neodp.balanced(g)))
assert m.to_arrow().num_rows == 4 and m._repr_html_() and g._repr_html_()
assert len(neodp.DatasetGraph.from_frames(*g.to_arrow())) == 4
for name in ("pandas", "polars"):
    try:
        getattr(m, f"to_{name}")()
    except neodp.NeodpError as e:
        print(e)
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.splitlines() == [
        "a frame of pandas needs pandas; pip install pandas, or take to_arrow()",
        "a frame of polars needs polars; pip install polars, or take to_arrow()",
    ]


def test_what_is_given_as_arrow_is_taken_as_it_is() -> None:
    table = pa.table({"key": ["a", "b"], "color": ["x", "y"]})
    edges = pa.RecordBatch.from_pydict({"source": ["a"], "target": ["b"], "epsilon": [0.25]})
    assert neodp.DatasetGraph.from_frames(table, edges).epsilon.tolist() == [0.25]

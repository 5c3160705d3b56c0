"""Pictures: every kind of file, every kind of graph, and nothing that a key could break."""

import math
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate, rainbow
from neodp.errors import GraphError, NeodpError
from neodp.plot import plot, plot_lines
from neodp.plot.scales import Scale, Steps
from neodp.plot.scene import Scene

ODD = ["a$x_1$", "q\"'", "new\nline", "<&amp;", "\x00\x1b", "😀", "日本", "x" * 200, "\\frac{1}{2}", "{0} %s"]


def optimal(graph: DatasetGraph) -> Mechanism:
    return neodp.extend(graph.with_alpha(neodp.balanced(graph)))


def colorful(n: int, k: int) -> Mechanism:
    """A cycle of n datasets in k arcs of one colour each, with given rows."""
    i = np.arange(n)
    color = i * k // n
    graph = DatasetGraph.from_columns(
        [f"v{j}" for j in i], color, i, (i + 1) % n, 1.0, colors=[f"answer {c}" for c in range(k)]
    )
    rows = np.full((n, k), 0.3 / (k - 1))
    rows[i, color] = 0.7
    return Mechanism.of(graph, rows)


def texts(svg: Path) -> list[str]:
    return ["".join(node.itertext()) for node in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")]


class Page(HTMLParser):
    """The text of a page, cell by cell, and what it refers to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.references: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in ("td", "th"):
            self.cells.append(data)


# --- the files ----------------------------------------------------------------------------------------------


def test_png(tmp_path: Path) -> None:
    file = plot(optimal(generate.three_voters()), tmp_path / "voters.png")
    assert file == tmp_path / "voters.png"
    assert file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_svg_has_every_key_and_chance_as_text(tmp_path: Path) -> None:
    m = optimal(generate.three_voters())
    found = texts(plot(m, str(tmp_path / "voters.SVG"), title="Three voters"))
    for key, p in zip(m.graph.keys.to_pylist(), m.p_true, strict=True):
        assert any(key in text for text in found)
        assert any(f"{p:.3f}" in text for text in found)
    assert "Three voters" in found
    assert {"epsilon 0.5", "epsilon 1", "on the boundary", "chance of the true answer"} <= set(found)


def test_svg_is_the_same_each_time(tmp_path: Path) -> None:
    m = optimal(generate.counts([9, 9], epsilon=[0.2, 1.0]))
    assert plot(m, tmp_path / "a.svg").read_bytes() == plot(m, tmp_path / "b.svg").read_bytes()


def test_html_stands_on_its_own(tmp_path: Path) -> None:
    m = optimal(generate.three_voters())
    file = plot(m, tmp_path / "voters.html", title="Who <won>?")
    page = Page(file)
    assert page.tags.count("svg") == 1
    assert page.tags.count("table") == 3
    assert "script" not in page.tags
    assert all(reference.startswith(("#", "data:")) for reference in page.references)
    assert {"datasets", "8", "edges", "12", "on the boundary", "6", "0.622", *m.graph.keys.to_pylist()} <= set(
        page.cells
    )
    assert "Who &lt;won&gt;?" in file.read_text(encoding="utf-8")


def test_settings_of_the_user_neither_matter_nor_change(tmp_path: Path) -> None:
    import matplotlib

    m = optimal(generate.path(4))
    usual = plot(m, tmp_path / "usual.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30.0, "svg.fonttype": "path", "text.parse_math": True}):
        before = dict(matplotlib.rcParams)
        assert plot(m, tmp_path / "theirs.svg").read_bytes() == usual
        assert dict(matplotlib.rcParams) == before


def test_matplotlib_is_imported_only_to_draw_and_without_pyplot(tmp_path: Path) -> None:
    code = f"""
import sys, neodp
from neodp.plot import plot
assert "matplotlib" not in sys.modules
assert "neodp.store" not in sys.modules
plot(neodp.extend(neodp.generate.path(1)), {str(tmp_path / "one.png")!r})
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.gif", "files of kind '.gif' cannot be drawn; use .svg, .png, .pdf or .html"),
        ("a", "which has no suffix, cannot be drawn; use .svg, .png, .pdf or .html"),
        ("none/a.svg", "none' does not exist; make it, or choose another file"),
        ("folder.svg", "folder.svg cannot be written: Is a directory; choose another file"),
    ],
)
def test_a_file_that_cannot_be_written(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(GraphError) as e:
        plot(optimal(generate.path(2)), tmp_path / name)
    assert message in str(e.value)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NeodpError) as e:
        plot(optimal(generate.path(2)), tmp_path / "a.svg")
    assert str(e.value) == "plotting needs matplotlib; pip install '.[plot]' in the checkout"
    assert not list(tmp_path.iterdir())


# --- every kind of graph ------------------------------------------------------------------------------------


def test_odd_keys(tmp_path: Path) -> None:
    graph = DatasetGraph.from_columns(
        ODD, ["$y$"] * 5 + ["n_<o>\n"] * 5, ODD[:-1], ODD[1:], 1.0, name="$\\alpha$ & <name>"
    )
    m = optimal(graph)
    found = texts(plot(m, tmp_path / "odd.svg"))
    shown = "\n".join(found)
    for part in ("a$x_1$", "q\"'", "<&amp;", "😀", "日本", "xxx…xx", "{0} %s", "true answer: $y$", "n_<o>\\n"):
        assert part in shown
    assert plot(m, tmp_path / "odd.png").stat().st_size > 10_000
    cells = set(Page(plot(m, tmp_path / "odd.html")).cells)
    assert {"a$x_1$", "new\\nline", "\\x00\\x1b", "x" * 200, "n_<o>\\n"} <= cells


def isolated(n: int) -> DatasetGraph:
    return DatasetGraph.from_columns([str(i) for i in range(n)], ["a"] * (n - 1) + ["b"], [], [], [])


KINDS: dict[str, Callable[[], Mechanism]] = {
    "one dataset": lambda: optimal(generate.path(1)),
    "one colour": lambda: optimal(generate.path(10, split=10)),
    "no edges": lambda: optimal(isolated(2)),
    "no edges, large": lambda: optimal(isolated(100)),
    "components": lambda: optimal(generate.random_geometric(40, degree=4.0, seed=3)),
    "components, large": lambda: optimal(generate.random_geometric(300, degree=4.0, seed=3)),
    "mostly boundary": lambda: optimal(generate.random_graph(20, edges=60, seed=1)),
    "too wide for boxes": lambda: optimal(generate.path(60)),
    "epsilon 0 and 690": lambda: optimal(generate.path(5, epsilon=[690.0, 0.0, 0.0, 690.0])),
    "delta": lambda: optimal(generate.path(5, delta=[0.0, 0.1, 0.0, 0.2])),
    "Gaussian": lambda: neodp.extend(generate.path(4).with_alpha({"1": 0.6, "2": 0.5}), neodp.Gaussian(1.0)),
    "never and always": lambda: Mechanism.of(generate.path(3), {"0": 0.0, "1": 1.0, "2": 1e-300}),
    "twenty colours": lambda: colorful(400, 20),
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_graph_is_drawn_without_a_warning(tmp_path: Path, kind: str) -> None:
    mechanism = KINDS[kind]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(texts(plot(mechanism, tmp_path / "a.svg"))) > 5


def test_more_than_two_colors_are_all_shown(tmp_path: Path) -> None:
    for n in (12, 500):
        assert {"answer 0", "answer 1", "answer 2"} <= set(texts(plot(colorful(n, 3), tmp_path / f"{n}.svg")))


def test_colors_look_as_they_are_called() -> None:
    graph = DatasetGraph.from_columns(["a", "b"], ["red", "blue"], ["a"], ["b"], 1.0, colors=["red", "blue", "other"])
    shades = Scene(Mechanism.of(graph, np.full((2, 3), 1 / 3))).shades
    red, blue, _ = ([int(shade[i : i + 2], 16) for i in (1, 3, 5)] for shade in shades)
    assert red[0] > 2 * max(red[1:])
    assert blue[2] > 1.5 * max(blue[:2])
    assert len(set(shades)) == 3


def test_a_large_graph_is_a_small_file(tmp_path: Path) -> None:
    m = optimal(generate.counts([30, 30, 30], epsilon=[0.1, 0.5, 1.0]))
    assert len(m) == 29_791
    for suffix in (".svg", ".png"):
        assert plot(m, tmp_path / f"a{suffix}").stat().st_size < 500_000


# --- the numbers behind the picture -------------------------------------------------------------------------


def test_layers_agree_with_a_loop() -> None:
    m = optimal(generate.random_geometric(300, degree=4.0, epsilon=(0.1, 2.0), seed=3))
    scene = Scene(m)
    for layer in scene.layers:
        for at, step in enumerate(layer.step):
            p = m.p_true[(m.graph.color == layer.color) & (scene.step == step)]
            assert layer.number[at] == len(p)
            assert np.allclose(layer.true[:, at], [p.min(), p.mean(), p.max()])
            assert np.allclose(layer.false[:, at], 1.0 - layer.true[:, at])
    assert sum(layer.number.sum() for layer in scene.layers) == len(m)


def test_decades_tell_apart_what_doubles_near_one_cannot() -> None:
    false = np.array([0.5, 1e-3, 1e-30, 1e-31, 0.0])
    place = Scale.of(1.0 - false, false).place(1.0 - false, false)
    assert place[:4] == pytest.approx([0.0, 3 - math.log10(2), 30 - math.log10(2), 31 - math.log10(2)])
    assert (np.diff(place) > 0).all()
    assert Scale.of(false, 1.0 - false).place(false, 1.0 - false) == pytest.approx(-place)


@pytest.mark.parametrize("hops", [[0], [-1], [0, 1, 2], [-1, 0, 5], [*range(81)], [*range(1000), -1]])
def test_steps_are_in_order_and_hold_every_distance(hops: Any) -> None:
    steps = Steps.of(np.array(hops))
    index = steps.index(np.array(hops))
    assert steps.count <= 80
    assert steps.end == pytest.approx((steps.start(index) + steps.size(index)).max())
    places, labels = steps.ticks(40)
    assert places == sorted(places)
    assert len(set(labels)) == len(labels)
    assert ("cut off" in labels or "no boundary" in labels) == (-1 in hops)


# --- the chance of every answer along a line ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_lines_of_the_paper_and_of_a_graph(tmp_path: Path, kind: str) -> None:
    """Paper 003, Fig. 2, and one panel for each of the six orders of three answers."""
    figure = plot_lines(rainbow.line([0.0545, 0.1636, 0.7819], 25, 0.1823), tmp_path / f"figure.{kind}")
    m = optimal(generate.plurality(12, options=3, epsilon=0.4, colors=["<red>", "blue", "$green$"]))
    graph = plot_lines(m, tmp_path / f"graph.{kind}", title="of <all>")
    assert min(figure.stat().st_size, graph.stat().st_size) > 5000
    if kind == "svg":
        assert {"blue", "red", "green", "blue > red > green"} <= set(texts(figure))
        orders = [text for text in texts(graph) if text.count(" > ") == 2]
        assert len(set(orders)) == 6
    if kind == "html":
        page = Page(figure)
        assert "0.0545" in page.cells
        assert not [reference for reference in page.references if not reference.startswith("#")]


def test_lines_need_a_boundary(tmp_path: Path) -> None:
    lonely = DatasetGraph.from_columns(["a"], ["x"], [], [], [], preference=[["x", "y", "z"]])
    with pytest.raises(GraphError, match="'graph' has no boundary; there are no distances to draw"):
        plot_lines(Mechanism.of(lonely, [[1.0, 0.0, 0.0]]), tmp_path / "x.svg")


def test_an_optimum_without_alpha_or_preferences_is_drawn(tmp_path: Path) -> None:
    """On its graph, beside another mechanism, and by distance."""
    graph = DatasetGraph.from_columns(
        ["u", "v", "w"], ["a", "b", "c"], ["u", "v"], ["v", "w"], [0.5, 2.0], colors=["a", "b", "c"]
    )
    best, far = neodp.extend(graph, method="optimal"), neodp.extend(graph, method="distance")
    for kind in ("svg", "html"):
        assert plot(best, tmp_path / f"best.{kind}").stat().st_size > 5_000
    assert {"u", "v", "w"} <= set(texts(tmp_path / "best.svg"))
    assert neodp.plot.plot_comparison(neodp.compare(best, far), tmp_path / "both.svg").stat().st_size > 5_000
    assert plot_lines(best, tmp_path / "lines.svg").stat().st_size > 5_000


@pytest.mark.parametrize(
    ("draw", "wanted"),
    [
        (plot, "`mechanism` is a float; give a Mechanism"),
        (plot_lines, "the rows have the shape ()"),
        (neodp.plot.plot_comparison, "`comparison` is a float; give a Comparison"),
        (neodp.plot.plot_poll, "`poll` is a float; give a Survey or a PollQuestion"),
        (neodp.plot.plot_question, "`asked` is a float; give an Inquiry"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(tmp_path: Path, draw: Callable[..., Path], wanted: str) -> None:

    with pytest.raises(NeodpError) as refused:
        draw(1.5, tmp_path / "picture.svg")
    assert str(refused.value).startswith(wanted)
    with pytest.raises(NeodpError, match="`path` is an int; give a text or a path"):
        plot_lines(np.full((2, 2), 0.5), 3)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())

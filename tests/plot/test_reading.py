"""Pictures: the parts can be told apart, and their text serves readers who cannot see them."""

import colorsys
import html
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import generate
from neodp.plot import plot, plot_lines, plot_poll
from neodp.plot.accuracy import draw_accuracy
from neodp.plot.axes import sided_axis
from neodp.plot.scene import Scene
from neodp.plot.style import ALIKE, layered, shades_of, styled
from tests.plot.test_plot import ODD, Page, optimal

HUES = {"red": 0, "orange": 40, "yellow": 55, "green": 145, "teal": 180, "blue": 205, "purple": 290, "magenta": 325}
"""Where each colour stands on the wheel, in degrees."""


def rgb(shade: str) -> tuple[float, ...]:
    return tuple(int(shade[i : i + 2], 16) / 255 for i in (1, 3, 5))


def apart(one: str, other: str) -> float:
    return 255 * math.dist(rgb(one), rgb(other))


# --- colours ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HUES)
def test_an_answer_named_after_a_color_has_it(name: str) -> None:
    for pair in ([name, "other"], ["other", name], [name.upper(), " x "], [name, "blue" if name != "blue" else "red"]):
        shade = shades_of(pair)[[word.lower() for word in pair].index(name)]
        hue, saturation, _ = colorsys.rgb_to_hsv(*rgb(shade))
        turn = (360 * hue - HUES[name] + 180) % 360 - 180
        assert abs(turn) <= 14, (shade, 360 * hue)
        assert saturation > 0.4


def test_shades_can_be_told_apart() -> None:
    for pair in itertools.permutations(["red", "blue", "green", "yes", "no", "a", "b", "orange"], 2):
        assert apart(*shades_of(pair)) >= ALIKE * 0.6, pair
    assert apart(*shades_of(["red", "a"])) >= ALIKE
    for number in (1, 2, 8, 9, 30):
        assert len(set(shades_of([f"answer {i}" for i in range(number)]))) == number
    assert len(set(shades_of(["grey", "gray", "Grey "]))) == 3


def test_yes_and_no_look_the_same_in_either_order() -> None:
    assert shades_of(["yes", "no"]) == shades_of(["no", "yes"])[::-1]
    assert shades_of(["True", "False"]) == shades_of(["yes", "no"])


# --- lines and bands that coincide --------------------------------------------------------------------------


def test_lines_that_coincide_differ_in_width_dashes_and_marks() -> None:
    styles = [layered(i, "#000000") for i in range(4)]
    for one, other in itertools.pairwise(styles):
        assert one["lw"] > other["lw"]  # what is drawn later is narrower, so that both show
        assert one["ms"] > other["ms"]
        assert one["zorder"] < other["zorder"]
        assert one["ls"] != other["ls"]
        assert one["marker"] != other["marker"]


def test_bands_that_overlap_are_hatched_apart() -> None:
    from matplotlib.figure import Figure

    scene = Scene(optimal(generate.counts([20, 30], epsilon=[0.1, 1.0])))
    with styled():
        axes = Figure().add_subplot()
        draw_accuracy(axes, scene)
        hatches = {band.get_hatch() for band in axes.collections if band.get_hatch()}
    assert len(hatches) == 2


# --- ticks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8, 30, 400])
def test_ticks_stand_under_their_points(size: int) -> None:
    from matplotlib.figure import Figure

    scene = Scene(optimal(generate.path(size)))
    with styled():
        axes = Figure().add_subplot()
        sided_axis(axes, scene)
        ticks = zip(axes.get_xticks().tolist(), [label.get_text() for label in axes.get_xticklabels()], strict=True)
    named = [(place, label) for place, label in ticks if label != "boundary"]
    assert len(named) >= 4
    for place, label in named:
        hops = int(label.replace(",", ""))
        assert abs(place) == hops + 0.5  # the middle of what distance d fills, from d to d + 1


def test_one_distance_has_one_whole_tick(tmp_path: Path) -> None:
    text = plot_lines(optimal(generate.plurality(6, options=3)), tmp_path / "a.svg").read_text()
    assert "−0." not in text
    assert "0.015" not in text


# --- files --------------------------------------------------------------------------------------------------


def test_pdf(tmp_path: Path) -> None:
    m = optimal(generate.three_voters())
    one, two = (plot(m, tmp_path / name).read_bytes() for name in ("one.pdf", "two.PDF"))
    assert one.startswith(b"%PDF-")
    assert one == two
    assert b"/Subject" in one
    survey = neodp.poll({"vote": ["yes", "no", "yes"]}, vote="vote", epsilon=1)
    assert plot_poll(survey.questions[0], tmp_path / "poll.pdf").read_bytes().startswith(b"%PDF-")
    assert plot_lines(m, tmp_path / "lines.pdf").read_bytes().startswith(b"%PDF-")


def test_every_picture_says_what_it_shows(tmp_path: Path) -> None:
    m = optimal(generate.three_voters())
    said = "A mechanism on 8 datasets, 12 edges, 6 on the boundary"
    svg = plot(m, tmp_path / "a.svg").read_text()
    assert f'<svg role="img" aria-label="{said}' in svg
    assert f"<title>{said}" in svg
    assert said.encode() in plot(m, tmp_path / "a.png").read_bytes()
    assert f'role="img" aria-label="{said}' in plot(m, tmp_path / "a.html").read_text()
    survey = neodp.poll({"vote": ["yes", "no", "yes"]}, vote="vote", epsilon=1)
    assert (
        'aria-label="The accuracy of a poll by margin' in plot_poll(survey.questions[0], tmp_path / "p.svg").read_text()
    )


def test_a_page_tells_what_is_under_the_mouse(tmp_path: Path) -> None:
    m = optimal(generate.three_voters())
    page = plot(m, tmp_path / "a.html")
    titles = [html.unescape(text) for text in re.findall(r"<title>(.*?)</title>", page.read_text())]
    for key, p in zip(m, m.p_true.tolist(), strict=True):
        assert any(title.startswith(f"{key}: the true answer") and f"{p:.3f}" in title for title in titles)
    assert sum("edges away, true answer" in title for title in titles) == 4
    assert "script" not in Page(page).tags
    large = plot(optimal(generate.counts([20, 30], epsilon=[0.1, 1.0])), tmp_path / "b.html").read_text()
    assert "0 edges away, true answer: yes: " in large
    lines = plot_lines(m, tmp_path / "c.html").read_text()
    assert "edges away, blue with chance" in lines


def test_hostile_keys_are_text_under_the_mouse_too(tmp_path: Path) -> None:
    keys = [*ODD, '</title><script>alert(1)</script>"']
    n = len(keys)
    graph = neodp.DatasetGraph.from_columns(
        keys,
        ["yes"] * (n - 1) + ["no"],
        np.arange(n - 1),
        np.arange(1, n),
        1.0,
        colors=["yes", "no"],
        name='"><script>',
    )
    page = plot(optimal(graph), tmp_path / "a.html")
    assert "script" not in Page(page).tags
    assert "<script" not in page.read_text()

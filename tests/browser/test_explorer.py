"""Every view of the explorer in a real browser: what it shows, on a desktop and a phone, by mouse and by keyboard."""

from pathlib import Path
from urllib.parse import quote

import pytest

import neodp
from neodp import generate
from neodp.explore import Source, write_page
from neodp.store import Settings
from tests.browser.conftest import COLORS, HOSTILE, KEYS, Watch, balanced
from tests.browser.pages import CANVAS, address, choose
from tests.explore.serving import Site

VIEWS = ("overview", "graph", "queries", "polls", "table", "releases")

FAINT = """() => {
  const parts = (color) => (color.match(/[\\d.]+/g) ?? [0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((x) => x / 255)
    .map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parts(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("main *, header *, footer")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest(".hidden, svg, [disabled]") || !element.checkVisibility()) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(element.textContent.slice(0, 40));
  }
  return found;
}"""
"""The texts whose contrast is below WCAG's 4.5 to 1."""


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_fits_and_can_be_read(watch: Watch, site: Site, view: str, size: str) -> None:
    """No sideways scrolling, names for all controls, and enough contrast in light and dark."""
    page = watch(size).open(address(site, "three_voters", view))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector("main:not([aria-busy]) h1")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        assert page.locator("nav a[aria-current=page]").inner_text().lower() == view
        assert page.evaluate(FAINT) == []
        nameless = page.evaluate(
            "() => [...document.querySelectorAll('button, input, select, [role=img], [role=application]')]"
            ".filter((e) => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim()))"
            ".map((e) => e.outerHTML)"
        )
        assert nameless == []


def test_the_overview_shows_the_accuracy(watch: Watch, site: Site) -> None:
    m = neodp.extend(balanced(generate.three_voters()))
    page = watch().open(address(site, "three_voters", "overview"))
    tiles = page.locator(".tiles").inner_text()
    assert f"{m.p_true.min():.3f}" in tiles
    assert f"{m.p_true.mean():.3f}" in tiles
    page.get_by_text("The same as a table").click()
    assert page.locator("details table tbody tr").count() == 4
    chart = page.locator(".chart")
    chart.focus()
    chart.press("ArrowRight")
    assert "6 datasets" not in page.locator("#status").inner_text()
    assert "mean" in page.locator("#status").inner_text()
    page.get_by_label("Graph").first.select_option("survey")
    page.wait_for_selector("text=7,161")


def test_a_dataset_is_found_by_its_key(watch: Watch, site: Site) -> None:
    m = neodp.extend(balanced(generate.counts([4, 5], epsilon=[0.5, 1.0])))
    page = watch().open(address(site, "team", "graph"))
    page.get_by_label("Find a dataset by its key").fill("2-4")
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Dataset")
    panel.get_by_role("heading", name="Chance of each answer").wait_for()
    assert f"{m['2-4']['yes']:.3f}" in panel.inner_text()
    assert "What decides it" in panel.inner_text()
    assert "Neighbours (4)" in panel.inner_text()
    assert "2-4" not in page.url
    page.get_by_label("Find a dataset by its key").fill("no such key")
    page.keyboard.press("Enter")
    page.get_by_text("There is no dataset").wait_for()


def test_a_dataset_is_chosen_in_the_drawing_and_in_the_table(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "team", "graph"))
    page.wait_for_selector(CANVAS, state="attached")
    place = page.evaluate("document.querySelector('.canvas')._cyreg.cy.nodes('[name = \"0-0\"]').renderedPosition()")
    page.locator(".canvas").click(position=place)
    panel = page.get_by_role("region", name="Dataset")
    panel.get_by_role("heading", name="Dataset 0-0").wait_for()
    page.get_by_text("The datasets as a table").click()
    page.locator("details").get_by_role("button", name="4-5", exact=True).click()
    panel.get_by_role("heading", name="Dataset 4-5").wait_for()
    assert "true answer yes" in page.locator("#status").inner_text()


def test_the_drawing_moves_by_keyboard_and_wheel(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "team", "graph"))
    page.wait_for_selector(CANVAS, state="attached")
    look = "(({ cy }) => [cy.zoom(), cy.pan().x, cy.pan().y])(document.querySelector('.canvas')._cyreg)"
    canvas = page.locator(".canvas")
    canvas.focus()
    before = page.evaluate(look)
    canvas.press("ArrowRight")
    canvas.press("ArrowDown")
    moved = page.evaluate(look)
    assert moved[1] < before[1]
    assert moved[2] < before[2]
    canvas.press("+")
    assert page.evaluate(look)[0] > moved[0]
    page.get_by_role("button", name="Zoom out").click()
    out = page.evaluate(look)[0]
    canvas.hover()
    page.mouse.wheel(0, -300)
    for _ in range(100):
        page.wait_for_timeout(50)
        if page.evaluate(look)[0] > out:
            break
    assert page.evaluate(look)[0] > out
    canvas.press("0")
    assert page.evaluate(look) == pytest.approx(before)


def test_epsilon_and_alpha_are_moved(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "team", "graph"))
    what_if = page.get_by_role("region", name="What if")
    slider = what_if.get_by_label("epsilon 1, 25 edges")
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    what_if.get_by_text("Private: all 196 inequalities on 49 edges hold, checked exactly.").wait_for()
    for _ in range(80):
        slider.press("ArrowLeft")
    what_if.get_by_role("alert").filter(has_text="is possible").wait_for()
    what_if.get_by_role("checkbox").check()
    what_if.get_by_text("Private: all 196 inequalities").wait_for()
    what_if.get_by_role("button", name="As it was").click()
    what_if.get_by_text("Private").wait_for(state="detached")
    page.get_by_label("Find a dataset by its key").fill("2-3")
    page.keyboard.press("Enter")
    alpha = what_if.get_by_label("alpha at 2-3")
    for _ in range(40):
        alpha.press("ArrowRight")
    what_if.get_by_role("alert").filter(has_text="alpha at").wait_for()
    what_if.get_by_role("button", name="As it was").click()
    what_if.get_by_role("alert").wait_for(state="detached")
    what_if.get_by_label("One edge alone, to").select_option(label="2-4")
    edge = what_if.get_by_label("epsilon of this edge, 2-3 – 2-4")
    for _ in range(10):
        edge.press("ArrowRight")
    what_if.get_by_text("Private: all 196 inequalities on 49 edges hold, checked exactly.").wait_for()


def test_a_large_graph_is_a_map_of_accuracy(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "survey", "graph"))
    page.wait_for_selector(CANVAS, state="attached")
    page.get_by_label("Find a dataset by its key").fill("8-12-5")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Dataset 8-12-5").wait_for()
    edges = page.evaluate("document.querySelector('.canvas')._cyreg.cy.edges().length")
    assert 0 < edges < 100
    for _ in range(9):  # what was chosen stays in sight
        page.get_by_role("button", name="Zoom in").click()
    ring, canvas = page.locator(".pins .ring").bounding_box(), page.locator(".canvas").bounding_box()
    assert canvas["x"] < ring["x"] < canvas["x"] + canvas["width"]
    assert canvas["y"] < ring["y"] < canvas["y"] + canvas["height"]


def test_polls_follow_their_sliders(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "three_voters", "polls"))
    page.get_by_text("0.781").wait_for()
    slider = page.get_by_label("Group 1: epsilon")
    slider.focus()
    for _ in range(60):
        slider.press("ArrowRight")
    page.get_by_text("0.781").first.wait_for(state="detached")
    page.get_by_role("button", name="Add a group").click()
    page.get_by_label("Group 4: people").fill("30")
    page.get_by_text("of 61 people").wait_for()
    page.get_by_role("button", name="Remove Group 4").click()
    page.get_by_text("of 31 people").wait_for()
    page.get_by_label("Question").select_option("threshold:2/3")
    page.get_by_text("21 of 31").wait_for()
    assert page.get_by_label("How many options").is_hidden()
    page.get_by_label("Question").select_option("plurality")
    page.get_by_label("How many options").fill("4")
    page.get_by_text("Which of 'A', 'B', 'C', 'D'").wait_for()


def test_queries_are_tables(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "three_voters", "queries"))
    page.get_by_role("combobox", name="Query").select_option("least_accurate")
    page.get_by_label("most rows").fill("3")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("3 rows").wait_for()
    page.get_by_role("combobox", name="Query").select_option("neighborhood")
    page.get_by_label("key of the dataset").fill("111")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("3 rows").wait_for()


def test_releases_do_not_tell_the_dataset(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "three_voters", "releases"))
    text = page.locator("main").inner_text()
    assert "spring" in text
    assert "The limit is 1 release" in text
    page.get_by_text("The commands that asked").click()
    assert "121" not in page.content()


def test_what_is_missing_is_said(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "no alpha yet", "overview"))
    assert "alpha" in page.get_by_role("alert").inner_text()
    page = watch().open(address(site, "no alpha yet", "graph"))
    what_if = page.get_by_role("region", name="What if")
    what_if.get_by_role("checkbox").check()
    what_if.get_by_text("Private: all").wait_for()


def test_hostile_names_are_text(watch: Watch, site: Site) -> None:
    """In the graph's name, its colours and its keys: nothing runs, and every letter is shown."""
    watched = watch()
    for view in VIEWS:
        page = watched.open(address(site, HOSTILE, view))
        assert page.locator("main img, main script, main iframe, main b").count() == 0
    page = watched.open(address(site, HOSTILE, "overview"))
    assert page.locator("h1").inner_text() == HOSTILE
    assert COLORS[0] in page.locator("main").inner_text()
    page = watched.open(address(site, HOSTILE, "graph"))
    for key in KEYS:
        page.get_by_label("Find a dataset by its key").fill(key)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=key[:20]).wait_for()
    page.get_by_label("Find a dataset by its key").fill("")
    page.get_by_text("The datasets as a table").click()
    page.locator("details").get_by_text(KEYS[0]).wait_for()


@pytest.mark.parametrize("name", ["team", HOSTILE])
def test_a_file_of_its_own_needs_no_server(watch: Watch, store: str, tmp_path: Path, name: str) -> None:
    source = Source(Settings.from_env(store))
    file = write_page(source, name, tmp_path / "page.html")
    watched = watch()
    for view in VIEWS:
        page = watched.open(f"{file.as_uri()}#/{quote(name, safe='')}/{view}")
        assert page.locator("nav a[aria-current=page]").inner_text().lower() == view
    page = watched.open(f"{file.as_uri()}#/{quote(name, safe='')}/graph")
    page.get_by_text("Moving alpha or an epsilon needs the server").wait_for()
    page.get_by_label("Find a dataset by its key").fill("2-4" if name == "team" else KEYS[1])
    page.keyboard.press("Enter")
    page.get_by_text("What decides it").wait_for()
    page = watched.open(f"{file.as_uri()}#/{quote(name, safe='')}/polls")
    page.get_by_text("This file holds one poll").wait_for()
    page.get_by_text("0.781").wait_for()
    page = watched.open(f"{file.as_uri()}#/{quote(name, safe='')}/queries")
    page.get_by_role("combobox", name="Query").select_option("summary")
    page.get_by_text("2 rows").wait_for()
    assert {url.split("#")[0] for url in watched.requests} <= {file.as_uri(), "data:,"}


def test_a_server_that_is_gone_is_said(watch: Watch, store: str) -> None:
    from tests.explore.serving import serving

    with serving(store) as running:
        watched = watch()
        page = watched.open(address(running, "team", "graph"))
    page.get_by_label("Find a dataset by its key").fill("2-4")
    page.keyboard.press("Enter")
    page.get_by_text("The explorer does not answer").wait_for()
    watched.said.clear()  # the browser itself says that it could not connect


def test_screenshots_of_the_docs(watch: Watch, site: Site, pictures: Path | None) -> None:
    """The pictures of README and docs are these pages, whether or not somebody asks for new files."""
    shots: list[tuple[str, str, str, str, str]] = [
        ("overview", "survey", "overview", "desktop", "light"),
        ("graph", "team", "graph", "desktop", "light"),
        ("graph-dark", "team", "graph", "desktop", "dark"),
        ("map", "survey", "graph", "desktop", "light"),
        ("polls", "three_voters", "polls", "desktop", "light"),
        ("phone", "team", "graph", "phone", "light"),
    ]
    for name, graph, view, size, scheme in shots:
        page = watch(size, scheme).open(address(site, graph, view))
        if graph == "team":
            choose(page, "2-4")
        if graph == "survey" and view == "graph":
            choose(page, "8-12-5")
        if view == "polls":
            page.get_by_text("0.781").wait_for()
        if view == "graph":
            page.locator(".pins .ring").wait_for()
        page.wait_for_timeout(300)  # for the drawing's last frame
        taken = page.screenshot()
        assert taken.startswith(b"\x89PNG")
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            (pictures / f"explorer-{name}.png").write_bytes(taken)

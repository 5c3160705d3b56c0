"""The explorer in use: what stays in a tab, what is saved, what is opened, and what a phone shows."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import neodp
from neodp.store import open_store
from tests.browser.conftest import Watch
from tests.browser.pages import CANVAS, address, choose
from tests.explore.serving import Site, serving


def test_loading_is_said_at_once(watch: Watch, site: Site) -> None:
    """While the store is read, and before any script ran."""
    watched = watch()
    page = watched.page
    held: list[Any] = []
    page.route("**/api/drawing*", lambda route: held.append(route))
    page.goto(address(site, "team", "graph"), wait_until="commit")
    page.wait_for_selector("main[aria-busy] >> text=Loading")
    while not held:
        page.wait_for_timeout(20)
    assert page.get_by_text("Loading").count() == 1
    held[0].continue_()
    page.wait_for_selector(CANVAS, state="attached")
    assert page.get_by_text("Loading").count() == 0
    assert b"Loading" in site.request("GET", "")[2]


def test_tabs_stay(watch: Watch, site: Site) -> None:
    """The address names graph and tab: reloading and going back keep them; a tab is found as it was left."""
    page = watch().open(site.address)
    assert page.url.endswith("/overview")
    page = watch().open(address(site, "team", "graph"))
    choose(page, "2-4")
    page.get_by_role("link", name="Polls").click()
    page.get_by_role("button", name="Add a group").click()
    page.get_by_role("link", name="Releases").click()
    page.get_by_role("heading", name="Releases and budget").wait_for()
    page.get_by_role("link", name="Polls").click()
    page.get_by_label("Group 4: people").wait_for()
    page.reload()
    page.get_by_label("Group 3: people").wait_for()
    assert page.locator("nav a[aria-current=page]").inner_text() == "Polls"
    assert page.get_by_label("Graph").first.input_value() == "team"
    page.go_back()
    page.get_by_role("heading", name="Releases and budget").wait_for()
    page.go_back()
    page.go_back()
    page.locator("nav a[aria-current=page]", has_text="Graph").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert page.get_by_role("link", name="Overview").bounding_box()["y"] >= 0


def test_a_graph_stays_as_it_was_left(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "team", "graph"))
    choose(page, "2-4")
    page.get_by_role("link", name="Releases").click()
    page.get_by_role("heading", name="Releases and budget").wait_for()
    page.get_by_role("link", name="Graph", exact=True).click()
    page.get_by_role("heading", name="Dataset 2-4").wait_for()
    assert "2-4" not in page.url


def test_a_graph_that_was_left_while_it_loaded_is_drawn_when_it_is_shown(watch: Watch, site: Site) -> None:
    """Nothing is drawn into a page that nobody sees: it has no size. The whole drawing fits once it is shown."""
    page = watch().open(site.address)
    held: list[Any] = []
    page.route("**/api/drawing*", lambda route: held.append(route))
    page.goto(address(site, "team", "graph"))
    while not held:
        page.wait_for_timeout(20)
    page.get_by_role("link", name="Releases").click()
    page.get_by_role("heading", name="Releases and budget").wait_for()
    with page.expect_response("**/api/drawing*"):
        held[0].continue_()
    page.wait_for_timeout(200)
    page.get_by_role("link", name="Graph", exact=True).click()
    page.wait_for_selector(CANVAS, state="attached")
    choose(page, "2-4")
    page.locator(".pins .ring").wait_for(state="attached")
    outside = """(({ cy }) => {
      const { x1, y1, x2, y2 } = cy.extent();
      return cy.nodes().filter((node) => !(x1 <= node.position("x") && node.position("x") <= x2 &&
        y1 <= node.position("y") && node.position("y") <= y2)).length;
    })(document.querySelector(".canvas")._cyreg)"""
    assert page.evaluate(outside) == 0


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_chosen_dataset_is_seen_in_the_map(watch: Watch, site: Site, size: str) -> None:
    """Its ring is no smaller than a fingertip's half at any zoom, and its name stands beside it."""
    page = watch(size).open(address(site, "survey", "graph"))
    page.wait_for_selector(CANVAS, state="attached")
    choose(page, "8-12-5")
    look = "(({ cy }) => cy.nodes('.chosen').renderedPosition())(document.querySelector('.canvas')._cyreg)"
    for _ in range(2):
        ring = page.locator(".pins .ring")
        x, wide = (float(ring.get_attribute(name)) for name in ("x", "width"))
        assert wide >= 18
        assert x + wide / 2 == pytest.approx(page.evaluate(look)["x"])
        assert page.locator(".pins text").inner_html() == "8-12-5"
        assert page.locator(".pins .way").count() == 1
        page.get_by_role("button", name="Zoom in").click()


def test_a_dataset_chosen_before_the_drawing_is_there_is_marked(watch: Watch, site: Site) -> None:
    """On a slow machine the first frame can come after the answer about the dataset."""
    watched = watch()
    slow = "const soon = requestAnimationFrame; requestAnimationFrame = (work) => setTimeout(() => soon(work), 2000);"
    watched.page.add_init_script(slow)
    page = watched.open(address(site, "team", "graph"))
    choose(page, "2-4")
    page.locator(".pins .ring").wait_for()
    assert page.get_by_role("heading", name="Dataset 2-4").count() == 1


def test_the_map_has_labels_when_zoomed(watch: Watch, site: Site) -> None:
    """From a height of a cell on at which its letters can be read."""
    page = watch().open(address(site, "survey", "graph"))
    page.wait_for_selector(CANVAS, state="attached")
    drawn = "document.querySelector('.canvas')._cyreg"
    shown = f"(({{ cy }}) => cy.zoom() * parseFloat(cy.nodes()[0].style('font-size')))({drawn})"
    assert page.evaluate(shown) < 7
    for _ in range(9):
        page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate(shown) >= 7
    assert page.evaluate("document.querySelector('.canvas')._cyreg.cy.nodes()[0].style('label')")


@pytest.mark.parametrize("view", ["overview", "graph", "queries", "polls", "releases"])
def test_tables_fit_a_phone(watch: Watch, site: Site, view: str) -> None:
    """No table has to be moved sideways, and every cell of a wide one says which column it is of."""
    page = watch("phone").open(address(site, "team", view))
    if view == "graph":
        choose(page, "2-4")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.wait_for_selector("main table")
    wide = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(wide) == 0
    unnamed = (
        "[...document.querySelectorAll('table.wide tbody td')]"
        ".filter((e) => e.textContent && getComputedStyle(e, '::before').content.length < 3).map((e) => e.outerHTML)"
    )
    assert len(page.evaluate(unnamed)) <= (1 if view == "graph" else 0) * page.locator("table.wide tbody tr").count()


def test_pictures_are_saved(watch: Watch, site: Site, tmp_path: Path) -> None:
    """A chart and a drawing, as SVG that stands alone and as PNG."""
    for view, graph, word in (("overview", "survey", "accuracy by distance"), ("graph", "team", "2-4")):
        page = watch().open(address(site, graph, view))
        if view == "graph":
            page.wait_for_selector(CANVAS, state="attached")
        for kind in ("SVG", "PNG"):
            with page.expect_download() as got:
                page.get_by_role("button", name=kind).click()
            path = tmp_path / got.value.suggested_filename
            got.value.save_as(path)
            assert path.suffix == f".{kind.lower()}"
            if kind == "PNG":
                assert path.read_bytes().startswith(b"\x89PNG")
                assert path.stat().st_size > 5_000
                continue
            root = ElementTree.parse(path).getroot()
            assert word in "".join(root.itertext())
            tags = [each.tag.rpartition("}")[2] for each in root.iter()]
            assert sum(tag in ("line", "polyline", "circle", "polygon", "rect") for tag in tags) > 10
            assert all("class" not in each.attrib for each in root.iter())


PEOPLE = "answer,privacy\n" + "yes,low\nno,high\nyes,low\nno,medium\n" * 10


def test_a_dropped_table_is_previewed_and_not_kept(watch: Watch, site: Site, store: str) -> None:
    """The preview is that of the command line, no request leaves this machine, and the store stays as it was."""
    before = Path(store).read_bytes()
    watched = watch()
    page = watched.open(address(site, "team", "overview"))
    dropped = page.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'people.csv')); return data; }",
        PEOPLE,
    )
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    page.get_by_text("people.csv: 40 rows, 2 columns.").wait_for()
    assert page.get_by_label("Column of the votes").input_value() == "answer"
    for name, epsilon in (("low", "2"), ("medium", "1"), ("high", "0.3")):
        page.get_by_label(f"epsilon of “{name}”").fill(epsilon)
    page.get_by_text("Do at least 21 of 40 people choose 'yes'?").wait_for()
    expected = neodp.poll(
        {"answer": ["yes"] * 40, "privacy": ["low", "high", "low", "medium"] * 10},
        vote="answer",
        epsilon="privacy",
        levels={"low": 2.0, "medium": 1.0, "high": 0.3},
    ).questions[0]
    assert f"{expected.both.weighted.expected:.3f}" in page.locator("main").inner_text()
    assert "--levels low=2,medium=1,high=0.3" in page.locator("pre.command").inner_text()
    assert Path(store).read_bytes() == before
    assert "people.csv" not in " ".join(watched.requests)
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Table").click()
    page.get_by_text("Do at least 21 of 40 people choose 'yes'?").wait_for()


def test_a_table_with_a_title_is_read_from_its_header(watch: Watch, site: Site) -> None:
    page = watch().open(address(site, "team", "table"))
    sent = {"name": "titled.csv", "mimeType": "text/csv", "buffer": b"Staff survey\n\n" + PEOPLE.encode()}
    page.get_by_label("A table of people").set_input_files(files=[sent])
    page.get_by_text("titled.csv: 40 rows, 2 columns.").wait_for()
    page.get_by_text("How the file is read").click()
    page.get_by_label("Row that names the columns").fill("1")
    page.get_by_role("alert").filter(has_text="not have as many cells as the header").wait_for()
    page.get_by_label("Row that names the columns").fill("3")
    page.get_by_text("titled.csv: 40 rows, 2 columns.").wait_for()
    page.get_by_label("epsilon of “high”").wait_for()
    page.get_by_label("A table of people").set_input_files(
        files=[{**sent, "name": "bad.xlsx", "buffer": b"PK\x03\x04no"}]
    )
    page.get_by_role("alert").filter(has_text="bad.xlsx").wait_for()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_store_with_polls_only_has_a_start_page(watch: Watch, tmp_path: Path, size: str) -> None:
    """It shows the answers and what is left, offers no views of graphs, and leads to polls and tables."""
    file = str(tmp_path / "answers.db")
    with open_store(file) as opened:
        opened.init()
        found = neodp.poll({"answer": ["yes"] * 30}, vote="answer", epsilon=1.0)
        found.release(opened, "spring")
    with serving(file) as running:
        page = watch(size).open(running.address)
        assert page.get_by_role("heading", name="Answers in this store").count() == 1
        assert page.locator("nav a").all_inner_texts() == ["Start", "Polls", "Table", "Releases"]
        assert page.locator("#graphs").is_hidden()
        assert "spring" in page.locator("main").inner_text()
        page.get_by_role("link", name="Plan a poll").click()
        page.get_by_label("Group 1: people").wait_for()
        assert page.get_by_label("Group 1: people").input_value() == "30"
        page.go_back()
        page.get_by_role("link", name="All answers").click()
        page.get_by_role("heading", name="Releases and budget").wait_for()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_accuracy_and_epsilon_move_each_other(watch: Watch, site: Site, size: str) -> None:
    """By keyboard, in words, and with fewer requests than steps; what was found is used for the groups."""
    watched = watch(size)
    page = watched.open(address(site, "three_voters", "polls"))
    card = page.get_by_role("region", name="Accuracy and epsilon")
    words, epsilon = card.get_by_role("status"), card.get_by_role("slider", name="Epsilon of everybody")
    words.get_by_text(
        "Right at least 95 times in 100 at a margin of 5 votes, if everybody has epsilon 0.505."
    ).wait_for()
    assert epsilon.get_attribute("aria-valuetext") == "0.505"
    before = len(watched.requests)
    accuracy = card.get_by_role("slider", name="Accuracy")
    accuracy.focus()
    for _ in range(5):
        accuracy.press("ArrowLeft")
    words.get_by_text("Right at least 90 times in 100").wait_for()
    assert len(watched.requests) - before < 5
    assert float(epsilon.get_attribute("aria-valuetext")) < 0.505
    epsilon.focus()
    epsilon.press("End")
    words.get_by_text("Right more than 99 times in 100 at a margin of 5 votes").wait_for()
    assert accuracy.input_value() == "99"
    card.get_by_label("Margin of the result").fill("1")
    words.get_by_text("at a margin of 1 vote,").wait_for()
    card.get_by_role("button", name="Use it for the groups").click()
    assert page.get_by_label("Group 2: epsilon").get_attribute("aria-valuetext") == "10"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""The Python and the commands on the pages run and print what the pages say, and their links lead somewhere."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import pages
from tools.notebook import NOTEBOOK, notebook
from tools.pages import blocks
from tools.site import commands, link_roles, problems, queries

ROOT = Path(__file__).parents[1]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*GUIDES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]


def run(page: Path) -> dict[str, Any]:
    """Run the blocks of a page one after the other, as a reader would paste them; the names they leave behind.

    A block with prompts (``>>>``) must also print what stands below each of them.
    """
    names: dict[str, Any] = {"__name__": page.stem}
    text = page.read_text(encoding="utf-8")
    for _, code, line in blocks(text, "python"):
        if code.startswith(">>>"):
            examples = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
            said: list[str] = []
            doctest.DocTestRunner(verbose=False).run(examples, out=said.append, clear_globs=False)
            assert not said, "".join(said)
            names.update(examples.globs)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)
    return names


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("text", [">>> 1 + 1\n3\n", "x = 1\n```\nand\n```python\nassert x == 2\n"])
def test_a_page_that_is_wrong_is_noticed(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```python\n{text}```\n")
    with pytest.raises(AssertionError):
        run(page)


def test_the_tutorial_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = run(ROOT / "docs" / "python.md")
    assert str(names["m"]["yes yes"]).startswith("{'no': 0.450")
    assert str(names["mechanism"]["8-12-5"]).startswith("{'yes': 0.288")
    printed = capsys.readouterr().out
    assert "0.71926" in printed
    assert "IncompatibleAlpha – alpha at" in printed


def test_the_notebook_has_the_cells_of_the_tutorial_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert NOTEBOOK.read_text(encoding="utf-8") == notebook(page), "make it anew: python -m tools.notebook"
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 7
    for cell in cells:
        exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)


SHELL = [ROOT / "README.md", *(ROOT / "docs" / f"{page}.md" for page in ("start", "audit", "backup", "budget"))]


@pytest.mark.parametrize("page", SHELL, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    """One block after the other in an empty folder, as a reader would; tests/test_docs_neo4j.py has the rest."""
    script = pages.commands(page.read_text(encoding="utf-8"))
    assert "neodp" in script
    if page.name in ("audit.md", "backup.md", "budget.md"):  # which go on where others began
        script = "neodp generate counts survey 3 4 --epsilon 0.5,1 --balanced\nneodp extend survey\n" + script
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "NEODP_"))}
        | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_messages_of_troubleshooting_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert len(quoted) > 30
    program = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "neodp").rglob("*.py"))
    program = re.sub(r"\"\s*\n\s*f?\"", "", program)  # strings that go on in the next line
    assert [words for words in quoted if words not in program] == []


def test_every_command_and_query_is_in_the_reference() -> None:
    from neodp.cli import COMMANDS
    from neodp.store.cypher import canned

    page = commands()
    for panel in COMMANDS.values():
        for words in panel:
            assert f"### neodp {words}\n" in page
    assert "### accuracy_by_distance\n" in queries()
    assert len(canned()) > 5


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}


@pytest.mark.parametrize(
    ("html", "wrong"),
    [
        ('<a href="nowhere.html">x</a>', "index.html links to nowhere.html, which is not there"),
        ('<a href="#gone">x</a>', "index.html links to #gone, whose anchor is not there"),
        (
            '<script src="https://a.org/x.js"></script>',
            "index.html loads https://a.org/x.js from elsewhere",
        ),
    ],
)
def test_the_check_of_the_site_notices(html: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<p id='here'>{html}<a href='#here'>y</a>")
    assert problems(tmp_path) == [wrong]


def test_the_guide_to_stretching_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    names = run(ROOT / "docs" / "stretch.md")
    weights, loss = capsys.readouterr().out.splitlines()
    assert weights == "[1.  1.  0.4]"
    assert 0.0999 < float(loss) <= 0.1
    assert isinstance(names["answer"], float)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_picture_of_recall_has_its_curves() -> None:
    assert "westin, fundamentalist" in (ROOT / "docs" / "stretch-recall.svg").read_text(encoding="utf-8")


def test_a_role_becomes_a_link_or_code(tmp_path: Path) -> None:
    """To the page that has what it names, in full or by its end."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.html").write_text('<h2 id="neodp.store.Store">Store</h2>')
    roles = [f":class:<code>{name}</code>" for name in ("neodp.store.Store", "~neodp.store.Store", "Store", "Gone")]
    (tmp_path / "two.html").write_text(" ".join(roles))
    assert link_roles(tmp_path) == 4
    link = '<a href="a/one.html#neodp.store.Store"><code>Store</code></a>'
    assert (tmp_path / "two.html").read_text() == f"{link} {link} {link} <code>Gone</code>"

"""The Python on the pages runs and prints what the pages say, and their links lead somewhere."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*GUIDES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]


def run(page: Path) -> dict[str, Any]:
    """Run the blocks of a page one after the other, as a reader would paste them; the names they leave behind.

    A block with prompts (``>>>``) must also print what stands below each of them.
    """
    names: dict[str, Any] = {"__name__": page.stem}
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        code, line = block[1], text.count("\n", 0, block.start(1))
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


def test_the_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = run(ROOT / "README.md")["m"]
    assert str(mechanism["yes yes"]).startswith("{'no': 0.450")
    assert capsys.readouterr().out.endswith("private: none of 16 inequalities on 4 edges is broken, checked exactly\n")


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

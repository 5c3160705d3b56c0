"""The Python example of docs/stretch.md runs and prints what it says."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "stretch.md"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = DOCS.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, float] = {}
    exec(compile(code, "stretch.md", "exec"), names)
    weights, loss = capsys.readouterr().out.splitlines()
    assert weights == "[1.  1.  0.4]"
    assert 0.0999 < float(loss) <= 0.1
    assert isinstance(names["answer"], float)


def test_its_picture_is_there() -> None:
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", DOCS.read_text(encoding="utf-8"))
    assert "westin, fundamentalist" in (DOCS.parent / picture).read_text(encoding="utf-8")

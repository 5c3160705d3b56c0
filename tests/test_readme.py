"""The README's Python example runs and prints what it says."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert str(names["m"]["yes yes"]).startswith("{'no': 0.450")  # type: ignore[index]
    assert capsys.readouterr().out.endswith("0 of 16 inequalities on 4 edges broken, checked exactly\n")

"""Two colours or more: one place decides."""

import re
from pathlib import Path

import pytest

import neodp
from neodp import generate
from neodp.data.family import family, require_binary
from neodp.errors import GraphError

TWO, THREE = generate.counts([3, 4]), generate.plurality(4, options=3)
ASKS = re.compile(r"len\([\w.]*colors\)\s*(==|!=|<|>|<=|>=)\s*[23]\b")


def test_the_number_of_colors_decides() -> None:
    assert family(TWO).binary
    assert not family(THREE).binary


def test_what_is_defined_for_two_colors_only() -> None:
    require_binary(TWO)
    with pytest.raises(GraphError, match="has 3 colours; this is defined for two colours only"):
        require_binary(THREE)


def test_properties_are_those_of_the_data_model() -> None:
    assert family(TWO).properties([0.25, 0.75]) == {"p": 0.25, "q": 0.75}
    assert family(THREE).properties([0.25, 0.5, 0.25]) == {"probabilities": [0.25, 0.5, 0.25]}


def test_nobody_else_asks_for_the_number_of_colors() -> None:
    package = Path(neodp.__file__).parent
    asking = [file for file in package.rglob("*.py") if ASKS.search(file.read_text(encoding="utf-8"))]
    assert [file.relative_to(package).as_posix() for file in asking] == ["data/family.py"]

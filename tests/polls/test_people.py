"""Tables of levels are tables as people have them, and a level has one epsilon."""

from pathlib import Path

import pytest

import neodp
from neodp.errors import GraphError
from neodp.polls.people import read_levels


def test_levels_of_a_table_with_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    path.write_text("\ufefflevel;epsilon;note\nlow;2;\nhigh;0,3;hält\n", encoding="utf-8")
    assert read_levels(path) == {"low": 2.0, "high": 0.3}


def test_a_level_has_one_epsilon(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"the level 'low' has two epsilons, 2 and 0\.3; keep one of them"):
        read_levels("low=2,low=0.3")


def test_one_epsilon_for_all_is_no_misspelt_column(tmp_path: Path) -> None:
    path = tmp_path / "bills.csv"
    path.write_text("b1,b2\nyes,no\nno,no\nyes,no\n")
    (question,) = neodp.poll(path, vote="b2", epsilon="1").questions
    assert [group.epsilon for group in question.poll.groups] == [1.0]

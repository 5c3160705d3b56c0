"""``compare`` and ``what-if`` as commands, on both stores; the flags of ``boundary`` say the same."""

from pathlib import Path

import pytest

from tests.running import Run, both_stores, document


@pytest.fixture
def mechanisms(run: Run) -> Run:
    """A store with two mechanisms on Fig. 1 of paper 000."""
    for name, choice in (("best", "--optimize"), ("even", "--balanced")):
        assert run("generate", "three-voters", name)[0] == 0
        assert run("boundary", name, choice, "--write")[0] == 0
        assert run("extend", name)[0] == 0
    return run


def test_compare_is_the_flag_of_boundary(mechanisms: Run, tmp_path: Path) -> None:
    picture = tmp_path / "both.svg"
    found = document(mechanisms("compare", "best", "even", "-o", str(picture), "--json"))
    assert (found["verdict"], found["first_better"], found["second_better"]) == ("first", 2, 0)
    assert (found["file"], "'best' is at least as accurate as 'even' everywhere" in picture.read_text()) == (
        str(picture),
        True,
    )
    again = document(mechanisms("boundary", "--compare", "best", "even", "-o", str(picture), "--force", "--json"))
    assert again == found
    text = mechanisms("compare", "even", "best")[1]
    assert text.startswith("'best' is at least as accurate as 'even' everywhere: ")
    assert text == mechanisms("boundary", "--compare", "even", "best")[1]


@both_stores
def test_compare_a_stored_mechanism_with_a_table(mechanisms: Run, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    lines = mechanisms("extend", "even", "--mode", "stream")[1].splitlines()
    table.write_text("key,p_true\n" + "".join(f"{line.split()[0]},0.5\n" for line in lines))
    found = document(mechanisms("compare", str(table), "even", "--json"))
    assert (found["verdict"], found["names"], found["second_better"]) == ("second", [str(table), "even"], 8)


def test_what_if_is_the_flag_of_boundary(mechanisms: Run) -> None:
    found = document(mechanisms("what-if", "even", "--by", "0.5", "--json"))
    assert (found["graph"], found["by"]) == ("even", 0.5)
    now, half, one = found["what_if"]
    assert (now["epsilon"], half["epsilon"], half["raised"], one["raised"]) == (None, 0.5, 1.0, 1.5)
    assert half["worst"] > now["worst"] == one["worst"]
    flag = document(mechanisms("boundary", "even", "--what-if", "0.5", "--json"))
    assert flag["what_if"] == found["what_if"]
    shown = mechanisms("what-if", "even", "--by", "0.5")[1]
    assert ["0.5", "1", "2", "6", "0.773559", "0.731059"] in [line.split() for line in shown.splitlines()]
    assert shown in mechanisms("boundary", "even", "--what-if", "0.5")[1]


REJECTED = {
    ("what-if", "even", "--by", "-1"): "an epsilon is raised by -1.0; give a number above 0",
    ("what-if", "even"): "Missing option '--by'",
    ("what-if", "none", "--by", "1"): "there is no graph 'none'",
    ("compare", "best", "none.csv"): "there is no file none.csv; correct the path",
    ("compare", "best", "none"): "there is no graph 'none'",
    ("compare", "best"): "Missing argument 'B'",
    ("extend", "best", "--engine", "quantum"): "'quantum' is not one of 'auto', 'server', 'client'",
}


def test_rejected(mechanisms: Run) -> None:
    for words, message in REJECTED.items():
        code, out, err = mechanisms(*words)
        assert (code, out) == (2, "")
        assert message in err

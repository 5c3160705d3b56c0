"""Names: never empty, and no two that look alike."""

import pytest

from neodp.data.names import normal, valid_name
from neodp.errors import GraphError

ZOE, DECOMPOSED = "Zo\u00eb", "Zoe\u0308"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the graph has no name; give it one, such as spring"),
        (" \u00a0\t", "the graph has no name"),
        ("g ", "the name of the graph is 'g ', with blanks at its beginning or end; leave the blanks out"),
        ("\u00a0g", "with blanks at its beginning or end"),
        ("a\nb", r"the name of the graph is 'a\\nb', with an invisible character; leave it out"),
        ("a\u200bb", "with an invisible character"),
        ("a\u202eb", "with an invisible character"),
        ("a\udce9", "with an invisible character"),
        (None, "the name of the graph is None; give a text"),
        ("x" * 201, "^the name of the graph has 201 characters; at most 200 are allowed$"),
        (" " + "x" * 1_000_000, "^the name of the graph has 1,000,001 characters; at most 200 are allowed$"),
    ],
)
def test_what_is_no_name(name: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        valid_name("graph", name)


def test_two_ways_to_write_the_same_letter_are_one_name() -> None:
    assert valid_name("graph", DECOMPOSED) == valid_name("graph", ZOE) == normal(DECOMPOSED) == ZOE
    assert valid_name("graph", "نمی\u200cخواهم") == "نمی\u200cخواهم"
    assert valid_name("graph", "staff of 2024 (all)") == "staff of 2024 (all)"


def test_the_length_is_that_of_the_name_as_it_is_kept() -> None:
    """However its letters are written; what no form makes short enough is not normalised, which could take hours."""
    assert valid_name("graph", "e\u0308" * 200) == "\u00eb" * 200
    with pytest.raises(GraphError, match="has 201 characters"):
        valid_name("graph", "e\u0308" * 201)
    with pytest.raises(GraphError, match="has 201 characters"):
        valid_name("graph", "\ufb2c" * 67)  # which has three characters in its normal form
    marks = "e" + "\u0308\u0323" * 500
    assert normal(marks) is marks

"""An error says what is wrong, and what to do."""

from neodp.errors import GraphError


def test_errors_know_what_to_do() -> None:
    assert str(GraphError("this is wrong", "do that")) == "this is wrong; do that"
    assert str(GraphError("this is wrong")) == "this is wrong"

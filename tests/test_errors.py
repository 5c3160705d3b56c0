"""An error says what is wrong, and what to do."""

from neodp.errors import GraphError, causes, interrupted


def test_errors_know_what_to_do() -> None:
    assert str(GraphError("this is wrong", "do that")) == "this is wrong; do that"
    assert str(GraphError("this is wrong")) == "this is wrong"


def test_ctrl_c_is_found_behind_an_error_that_has_another_cause() -> None:
    """The driver gives errors of newer servers a cause of their own."""
    error = OSError("sent twice")
    error.__cause__, error.__context__ = ValueError("why the server refused"), KeyboardInterrupt()
    assert interrupted(error)
    assert [type(each) for each in causes(error)] == [OSError, ValueError, KeyboardInterrupt]
    assert not interrupted(OSError())


def test_causes_that_go_round_in_a_circle_end() -> None:
    one, other = OSError(), ValueError()
    one.__cause__, other.__context__ = other, one
    assert list(causes(one)) == [one, other]

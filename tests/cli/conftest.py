"""The store of the tests of the command line: a file, and for a test that is marked with `both_stores` a server too."""

import pytest

from tests.running import empty_store


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    """The address of an empty store. Commands call the same service on every store, which tests/store tests on both."""
    return empty_store(getattr(request, "param", "embedded"), request)

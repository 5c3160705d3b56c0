"""Changes past neodp by somebody's own Cypher: only a server lets others do so."""

import pytest

__all__ = ["on_neo4j"]

on_neo4j = pytest.mark.parametrize("address", ["neo4j"], indirect=True)
"""A test that runs on the server alone. What was changed in an embedded file is refused (``test_embedded``)."""

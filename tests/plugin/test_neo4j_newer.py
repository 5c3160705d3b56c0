"""The same jar on the newer line of Neo4j: a slice of everything, where there is a Java for it.

`NEODP_TEST_NEO4J_VERSIONS=5.26.0,2025.06.0` runs it on others; `NEODP_TEST_NEO4J_VERSION=2026.08.1` runs all tests
there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp.store import open_store
from tests.plugin.calls import Caller
from tools import neo4j_server as servers

Start = Callable[..., AbstractContextManager[servers.Server]]

NEWER = "2026.08.1"
VERSIONS = os.environ.get("NEODP_TEST_NEO4J_VERSIONS", NEWER).split(",")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_jar_that_was_built_for_the_older_line(
    version: str, jar: Path, start_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every procedure and both functions; what they give and write is the client's in every bit."""
    try:
        servers.java_for(version)
    except servers.ServerUnavailable as unavailable:
        pytest.skip(f"Neo4j {version} is not tested here: {unavailable}")
    graph = neodp.generate.counts([6, 7], epsilon=[0.1, 0.5], delta=1e-6)
    with start_server(version=version, plugins=[jar], memory="512m") as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        with server.driver() as driver, open_store(server.uri) as client:
            caller = Caller(driver)
            assert caller.one("RETURN neodp.version() AS v, neodp.bound(0.5, 0.0, 0.0) AS p") == {
                "v": neodp.__version__,
                "p": 0.5,
            }
            refusal = caller.refusal("CALL neodp.check('100 %s')")
            assert refusal.message == "there is no graph '100 %s' in this database"
            client.load("g", graph)
            caller("CALL neodp.boundary.balanced.write('g')")
            read = client.read("g")
            expected = neodp.extend(read)
            np.testing.assert_array_equal(read.alpha, read.with_alpha(neodp.balanced(read)).alpha)
            assert caller.one("CALL neodp.check('g')")["compatible"]
            assert caller.one("CALL neodp.extend.write.estimate('g')")["fits"]
            streamed = {
                row["key"]: [row["probabilities"][c] for c in graph.colors]
                for row in caller("CALL neodp.extend.stream('g')")
            }
            assert caller.one("CALL neodp.extend.stats('g')")["meanPTrue"] == expected.p_true.mean()
            assert caller.one("CALL neodp.extend.write('g', {batchSize: 10})")["nodePropertiesWritten"] == 4 * len(
                graph
            )
            stored = client.mechanism("g")
            assert not stored.stale
            np.testing.assert_array_equal(stored.mechanism.probabilities, expected.probabilities)
            for v, key in enumerate(read.keys.to_pylist()):
                assert streamed[key] == expected.probabilities[v].tolist()
            rows = caller(
                "MATCH (d:Dataset {graph: 'g'}) CALL neodp.eval('g', [d.key]) YIELD key, colors, probabilities "
                "RETURN key, [color IN colors | probabilities[color]] AS pair"
            )
            assert {row["key"]: row["pair"] for row in rows} == streamed
            audited = caller.one("CALL neodp.audit('g')")
            assert (audited["violations"], audited["stale"]) == (0, False)
            answer = caller.one("CALL neodp.answer('g', '3-4', 'spring')")["answer"]
            assert client.answer("g", "3-4", "spring").answer == answer

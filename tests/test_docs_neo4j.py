"""The commands and the Cypher of the pages about Neo4j run on a real server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from neo4j import Driver

from tools.neo4j_server import Server
from tools.pages import served

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", ["README.md", "docs/neo4j.md"])
def test_a_page_as_one_pastes_it(page: str, neo4j_driver: Driver, neo4j_server: Server, tmp_path: Path) -> None:
    """In order, from the line that sets NEO4J_URI on; the server is the tests' own."""
    text = (ROOT / page).read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path} | neo4j_server.environment()
    rows = []
    for language, code, _ in served(text):
        if language == "cypher":
            rows.append(neo4j_driver.execute_query(code).records)
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert rows[-1]
    assert all(0.5 < row["d.p_true"] < 1 for row in rows[-1])

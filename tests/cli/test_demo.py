"""The demo."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_demo(tmp_path: Path) -> None:
    """As a user starts it: end to end, in an empty folder, without any server."""
    words = [sys.executable, "-m", "neodp", "demo"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J", "NEODP"))}
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "0 of 48 inequalities on 12 edges broken, checked exactly" in run.stdout
    assert "Pr[blue]" in run.stdout
    assert "Try next" in run.stdout
    assert (tmp_path / "neodp-demo" / "three_voters.svg").read_text(encoding="utf-8").startswith("<?xml")
    again = subprocess.run(
        [*words, "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout)["violations"] == 0

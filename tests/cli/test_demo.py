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
    assert "private: none of 48 inequalities on 12 edges is broken, checked exactly" in run.stdout
    assert "chance of blue" in run.stdout
    assert "Try next" in run.stdout
    assert (tmp_path / "neodp-demo" / "three_voters.svg").read_text(encoding="utf-8").startswith("<?xml")
    again = subprocess.run(
        [*words, "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout)["violations"] == 0
    assert json.loads(again.stdout)["friends"] in ("yes", "no")


def test_what_the_demo_says_to_try_works_as_printed(tmp_path: Path) -> None:
    """From the folder where it ran, without neodp on the PATH."""
    neodp = Path(sys.executable).with_name("neodp")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J", "NEODP"))}
    environment["PATH"] = os.defpath
    demo = subprocess.run([neodp, "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    commands = [line.strip() for line in demo.stdout.partition("Try next:\n")[2].splitlines()]
    assert len(commands) == 6
    compiling = "neodp: compiling what this command needs, once; it takes up to a minute\n"  # on a first run
    for command in commands:
        assert command.startswith(os.path.relpath(neodp, tmp_path))
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr.removeprefix(compiling)) == (0, ""), command

"""What is installed is whole: the wheel that is built from the sdist runs alone, with its Cypher."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import neodp

CHECKOUT = Path(neodp.__file__).parents[1]


def run(*words: str | Path, cwd: Path) -> str:
    """What a command prints, in an environment that does not know the checkout."""
    unset = ("PYTHONPATH", "NEODP_STORE", "NEO4J_URI")
    alone = {name: value for name, value in os.environ.items() if name not in unset}
    alone["NUMBA_DISABLE_JIT"] = "1"  # all other tests compile; here it would only take time
    done = subprocess.run(words, cwd=cwd, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_installed_wheel_runs_the_demo(tmp_path: Path) -> None:
    """As a user gets it: checkout, sdist, wheel, an environment of its own; only the dependencies are borrowed."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=CHECKOUT)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        sdist.extractall(tmp_path, filter="data")
    unpacked = next(path for path in tmp_path.glob("neodp-*") if path.is_dir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unpacked)
    wheel = next(tmp_path.glob("*.whl"))
    files = {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "cypher").rglob("*.cypher")}
    assert len(files) > 30
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.removeprefix("neodp/") for name in names if "cypher/" in name} == files
    assert ("neodp/neodp-plugin.jar" in names) == (CHECKOUT / "neodp" / "neodp-plugin.jar").exists()  # once it is built

    run(sys.executable, "-m", "venv", "--without-pip", "empty", cwd=tmp_path)
    python = tmp_path / "empty" / "bin" / "python"
    install = ("install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, *install, wheel, cwd=tmp_path)
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    where = "import neodp.store.cypher as c; print(c.__file__); print(c.root())"
    assert run(python, "-c", where, cwd=tmp_path).splitlines() == [
        str(own / "neodp" / "store" / "cypher.py"),
        str(own / "neodp" / "cypher"),
    ]
    assert "checked exactly" in run(python.with_name("neodp"), "demo", cwd=tmp_path)

"""The installation is whole: the wheel that is built from the sdist runs alone, with its Cypher."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import neodp
from neodp.cli.doctor import FOR_DEVELOPERS

CHECKOUT = Path(neodp.__file__).parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run(*words: str | Path, cwd: Path) -> str:
    """Return what a command prints, in an environment that does not know the checkout."""
    unset = ("PYTHONPATH", "NEODP_STORE", "NEO4J_URI", "NUMBA_CACHE_DIR")
    alone = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(words, cwd=cwd, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr + done.stdout


def test_the_installed_wheel_runs_the_demo(tmp_path: Path) -> None:
    """As a user gets it: checkout, sdist, wheel, an environment of its own; only the dependencies are borrowed."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=CHECKOUT)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        sdist.extractall(tmp_path, filter="data")
    unpacked = next(path for path in tmp_path.glob("neodp-*") if path.is_dir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unpacked)
    wheel = next(tmp_path.glob("*.whl"))
    files = {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "cypher").rglob("*.cypher")}
    assert len(files) > 20
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
    demo = run(python.with_name("neodp"), "demo", cwd=tmp_path)
    assert demo.startswith("Three people vote")  # too little work for the compiler
    assert "checked exactly" in demo
    there = (python.with_name("neodp"), "--store", "s.db")
    run(*there, "generate", "counts", "one", "99", "99", "--balanced", cwd=tmp_path)
    first = run(*there, "extend", "one", cwd=tmp_path)
    assert first.startswith("neodp: compiling what this command needs, once; it takes up to a minute\n")
    assert "compiling" not in run(*there, "extend", "one", cwd=tmp_path)

    told = metadata.Distribution.at(next(own.glob("neodp-*.dist-info"))).metadata
    assert told["Version"] == PROJECT["version"]
    assert set(told.get_all("Provides-Extra") or ()) == set(PROJECT["optional-dependencies"])
    assert run(python.with_name("neodp"), "--version", cwd=tmp_path) == f"neodp {PROJECT['version']}\n"


def test_the_extras_are_named_for_what_they_do_and_all_has_every_one() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(everything.removeprefix("neodp[").removesuffix("]").split(","))
    alone = {"spark"}  # too large for all
    assert named | alone == extras.keys() - FOR_DEVELOPERS
    hints = [path.read_text(encoding="utf-8") for path in (CHECKOUT / "neodp").rglob("*.py")]
    asked = {name for text in hints for name in re.findall(r"neodp\[(\w+)\]", text)}
    assert asked <= named | alone  # what messages tell one to install is there


def test_the_version_stands_in_one_place() -> None:
    """pyproject.toml; the plugin, which Maven builds, has to say the same."""
    pom = ElementTree.parse(CHECKOUT / "plugin" / "pom.xml").getroot()
    assert pom.findtext("{http://maven.apache.org/POM/4.0.0}version") == PROJECT["version"] == neodp.__version__
    assert "\nversion:" not in (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8")

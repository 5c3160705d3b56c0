"""The names that a user can reach: every public name, lazily; nothing hidden; and one rule for what is internal.

A name is internal if it begins with an underscore or is not in the ``__all__`` of its module. Other modules of neodp
may use what is not in ``__all__``, but nothing that begins with an underscore.
"""

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import neodp

ROOT = Path(__file__).parents[1]
PUBLIC: list[str] = vars(neodp)["__all__"]
MODULES = [
    "neodp",
    *(found.name for found in walk_packages(neodp.__path__, "neodp.") if found.name != "neodp.__main__"),
]


def source(module: str) -> ast.Module:
    file = import_module(module).__file__
    assert file is not None
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def test_importing_neodp_imports_nothing_that_computes() -> None:
    code = "import sys, neodp; print(*sorted({'numba', 'numpy', 'scipy', 'pyarrow', 'networkx'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_every_public_name_loads_alone() -> None:
    """In a new process each, but for the start: none needs another to be loaded first."""
    code = """
import importlib, sys
import neodp
for name in neodp.__all__:
    for module in [m for m in sys.modules if m == "neodp" or m.startswith("neodp.")]:
        del sys.modules[module]
    getattr(importlib.import_module("neodp"), name)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)


def test_the_names_of_the_tutorial_are_there_and_dir_knows_them() -> None:
    named = set(re.findall(r"\bneodp\.(\w+)", (ROOT / "docs" / "python.md").read_text(encoding="utf-8")))
    assert len(named) > 10
    assert named <= set(PUBLIC) <= set(dir(neodp))
    for name in PUBLIC:
        assert getattr(neodp, name) is not None


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'neodp' has no attribute 'extent'"):
        neodp.extent  # type: ignore[attr-defined]  # noqa: B018
    assert re.fullmatch(r"\d+\.\d+\.\d+", neodp.__version__)


def test_no_two_classes_have_one_name() -> None:
    """A reader who meets a class by its name alone knows which one it is."""
    names = [node.name for module in MODULES for node in source(module).body if isinstance(node, ast.ClassDef)]
    assert {name for name, times in Counter(names).items() if times > 1} == set()


@pytest.mark.parametrize("module", MODULES[1:])
def test_nothing_hides_a_module(module: str) -> None:
    package, _, name = module.rpartition(".")
    loaded = import_module(module)
    for other in MODULES:  # whatever else is loaded
        import_module(other)
    assert getattr(import_module(package), name) is loaded


@pytest.mark.parametrize("module", MODULES)
def test_what_a_module_exports_exists_and_is_described(module: str) -> None:
    loaded = import_module(module)
    assert loaded.__doc__
    if module.rpartition(".")[2].startswith("_"):
        return
    assert loaded.__all__ or (hasattr(loaded, "__path__") and loaded.__all__ == []), "no __all__"
    for name in loaded.__all__:
        assert not name.startswith("_")
        value = getattr(loaded, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert value.__doc__, name
            assert not value.__doc__.startswith(f"{name}("), f"{name} is described by nobody but its decorator"


@pytest.mark.parametrize("module", MODULES)
def test_no_module_uses_an_underscore_name_of_another(module: str) -> None:
    modules: set[str] = set()
    used: list[str] = []
    for node in ast.walk(source(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "neodp":
            used += [alias.name for alias in node.names]
            modules |= {alias.asname or alias.name for alias in node.names if f"{node.module}.{alias.name}" in MODULES}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            used.append(node.attr)
    assert [name for name in used if name.startswith("_") and name != "__all__"] == []


def test_type_checkers_know_the_names(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
import neodp

g: neodp.DatasetGraph = neodp.generate.path(4)
m: neodp.Mechanism = neodp.extend(g.with_alpha(neodp.balanced(g)))
shares: list[float] = [row["yes"] for key, row in m.items() if key.isdigit()]
answer: str = neodp.draw(m, "0")
neodp.extent(g)
neodp.extend(3)
neodp.polls.pol
"""
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(script)], cwd=ROOT, capture_output=True, text=True
    )
    complaints = re.findall(r"script\.py:(\d+): error: .*\[(.*)\]", found.stdout)
    assert complaints == [("8", "attr-defined"), ("9", "arg-type"), ("10", "attr-defined")], found.stdout

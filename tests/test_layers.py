"""The layers of neodp: a package imports only from those below it, wherever in a file the import stands."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "neodp"
LAYERS = [
    {"errors", "hints"},
    {"compiled"},
    {"data"},
    {"core"},
    {"ledger"},
    {"study", "stretch", "blocks"},
    {"polls", "asking"},
    {"store"},
    {"plot", "report"},
    {"explore"},
    {"cli"},
    {"__main__"},
]
"""From the bottom to the top. Packages of one layer do not import each other, and nothing imports ``__main__``."""
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def imports(file: Path) -> set[str]:
    """Return the packages and modules at the top of neodp that a file imports from."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "neodp":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("neodp."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("neodp.")}
    return found


def top(file: Path) -> str:
    """Return the package, or the module, at the top of neodp that a file belongs to."""
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_package_has_a_layer() -> None:
    found = {top(file) for file in ROOT.rglob("*.py")} - {"__init__"}
    assert found == set(HEIGHT)


@pytest.mark.parametrize("package", sorted(HEIGHT))
def test_a_package_imports_only_from_below(package: str) -> None:
    wrong = {
        (str(file.relative_to(ROOT)), other)
        for file in ROOT.rglob("*.py")
        if top(file) == package
        for other in imports(file) - {package}
        if HEIGHT.get(other, len(LAYERS)) >= HEIGHT[package]
    }
    assert sorted(wrong) == []


def test_every_file_can_be_read_in_one_sitting() -> None:
    """Only the kernel is longer: numba's cache notices changes in the file of a function alone."""
    long = {str(file.relative_to(ROOT)) for file in ROOT.rglob("*.py") if len(file.read_text().splitlines()) > 500}
    assert long == {"compiled/kernel.py"}

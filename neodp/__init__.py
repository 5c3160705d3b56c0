"""neodp: optimal differentially private mechanisms on graphs of datasets.

>>> import neodp
>>> g = neodp.generate.three_voters()
>>> g = g.with_alpha(neodp.balanced(g))
>>> m = neodp.extend(g)
>>> bool(neodp.audit(g, m))
True

The stub ``__init__.pyi`` lists the public names, each with the module it comes from. Type checkers read that list, and
so does this file, which loads a name when it is first used, so that ``import neodp`` is quick.
"""

from importlib import import_module
from pathlib import Path
from typing import Any


def _homes() -> dict[str, str]:
    """Return the public names and their modules, from the lines ``from module import name as name`` of the stub."""
    lines = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    return {words[3]: words[1] for words in map(str.split, lines) if words[:1] == ["from"]}


_HOME = _homes()

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("neodp")
    elif name not in _HOME:
        raise AttributeError(f"module 'neodp' has no attribute {name!r}")
    else:
        found = vars(import_module(_HOME[name]))
        value = found[name] if name in found else import_module(f"{_HOME[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})

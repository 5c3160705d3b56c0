"""neodp: optimal differentially private mechanisms on graphs of datasets.

>>> import neodp
>>> g = neodp.generate.three_voters()
>>> g = g.with_alpha(neodp.balanced(g))
>>> m = neodp.extend(g)
>>> bool(neodp.audit(g, m))
True

Every public name is loaded when it is first used, so that ``import neodp`` is quick.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neodp import (
        auditing,
        boundary,
        bridges,
        errors,
        generate,
        plot,
        polls,
        privacy,
        rainbow,
        sampling,
        store,
        stretch,
        study,
    )
    from neodp.auditing import Audit, audit
    from neodp.ball import Ball, Rule, evaluate
    from neodp.boundary import balanced, homogeneous, minimum_hitting_set
    from neodp.errors import NeodpError
    from neodp.graph import DatasetGraph
    from neodp.mechanism import Check, Mechanism, check, extend
    from neodp.polls import poll
    from neodp.privacy import EpsilonDelta, Gaussian, SuitablePair
    from neodp.sampling import draw, draw_many
    from neodp.store import open_store
    from neodp.study import compare, optimize, what_if

__version__ = version("neodp")

_NAMES = {
    "neodp.auditing": ("Audit", "audit"),
    "neodp.ball": ("Ball", "Rule", "evaluate"),
    "neodp.boundary": ("balanced", "homogeneous", "minimum_hitting_set"),
    "neodp.errors": ("NeodpError",),
    "neodp.graph": ("DatasetGraph",),
    "neodp.mechanism": ("Check", "Mechanism", "check", "extend"),
    "neodp.polls": ("poll",),
    "neodp.privacy": ("EpsilonDelta", "Gaussian", "SuitablePair"),
    "neodp.sampling": ("draw", "draw_many"),
    "neodp.store": ("open_store",),
    "neodp.study": ("compare", "optimize", "what_if"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = (
    "auditing",
    "boundary",
    "bridges",
    "errors",
    "generate",
    "plot",
    "polls",
    "privacy",
    "rainbow",
    "sampling",
    "store",
    "stretch",
    "study",
)

__all__ = [
    "Audit",
    "Ball",
    "Check",
    "DatasetGraph",
    "EpsilonDelta",
    "Gaussian",
    "Mechanism",
    "NeodpError",
    "Rule",
    "SuitablePair",
    "audit",
    "auditing",
    "balanced",
    "boundary",
    "bridges",
    "check",
    "compare",
    "draw",
    "draw_many",
    "errors",
    "evaluate",
    "extend",
    "generate",
    "homogeneous",
    "minimum_hitting_set",
    "open_store",
    "optimize",
    "plot",
    "poll",
    "polls",
    "privacy",
    "rainbow",
    "sampling",
    "store",
    "stretch",
    "study",
    "what_if",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"neodp.{name}")
    if name in _HOME:
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    raise AttributeError(f"module 'neodp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

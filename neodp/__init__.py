"""neodp: optimal differentially private mechanisms on graphs of datasets.

>>> import neodp
>>> g = neodp.generate.three_voters()
>>> g = g.with_alpha(neodp.balanced(g))
>>> m = neodp.extend(g)
>>> bool(neodp.audit(g, m))
True
"""

from importlib.metadata import version

from neodp import boundary, bridges, closed_forms, errors, generate, privacy, rainbow
from neodp.audit import Audit, audit
from neodp.ball import Rule, evaluate
from neodp.boundary import balanced, homogeneous, minimum_hitting_set
from neodp.draw import draw
from neodp.errors import NeodpError
from neodp.graph import DatasetGraph
from neodp.mechanism import Check, Mechanism, check, extend
from neodp.privacy import Gaussian, SuitablePair
from neodp.store import open_store

__version__ = version("neodp")

__all__ = [
    "Audit",
    "Check",
    "DatasetGraph",
    "Gaussian",
    "Mechanism",
    "NeodpError",
    "Rule",
    "SuitablePair",
    "audit",
    "balanced",
    "boundary",
    "bridges",
    "check",
    "closed_forms",
    "draw",
    "errors",
    "evaluate",
    "extend",
    "generate",
    "homogeneous",
    "minimum_hitting_set",
    "open_store",
    "privacy",
    "rainbow",
]

"""Design and comparison: the best boundary for a prior, the better of two mechanisms, the gain from a higher epsilon.

>>> import neodp
>>> g = neodp.generate.three_voters()
>>> best = neodp.study.optimize(g)
>>> round(best.expected, 5)
0.71926
"""

from neodp.study import closed_forms
from neodp.study.comparison import Accuracy, Comparison, compare
from neodp.study.levels import Raised, what_if
from neodp.study.optimum import Choice, Optimum, best_homogeneous, choices, optimize, prior
from neodp.study.tables import read_accuracy, read_weights

__all__ = [
    "Accuracy",
    "Choice",
    "Comparison",
    "Optimum",
    "Raised",
    "best_homogeneous",
    "choices",
    "closed_forms",
    "compare",
    "optimize",
    "prior",
    "read_accuracy",
    "read_weights",
    "what_if",
]

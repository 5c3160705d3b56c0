"""Two colours: the mechanism that is the most truthful on every dataset, and choices of alpha on the boundary.

====================================  =========================================================================
:mod:`~neodp.core.binary.labeling`    the optimal mechanism that agrees with alpha, by one pass over labels
:mod:`~neodp.core.binary.choices`     ways to choose alpha: balanced, homogeneous
====================================  =========================================================================
"""

from neodp.core.binary.choices import alpha_of, balanced, even_shares, homogeneous
from neodp.core.binary.labeling import Labeling, extend, settled, solve, unhit_error

__all__ = [
    "Labeling",
    "alpha_of",
    "balanced",
    "even_shares",
    "extend",
    "homogeneous",
    "settled",
    "solve",
    "unhit_error",
]

"""Labels: one whole number per probability, for columns of them.

    K(p) = bits(p) - HALF      if p <= 1/2
    K(p) = HALF - bits(1 - p)  otherwise,         HALF = bits(1/2)

A label orders like its probability, is precise near 0 and near 1, and changes sign with the complement;
:mod:`neodp.compiled.kernel` says why labels are the right numbers to compute with, and computes with them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["HALF", "ONE", "SMALLEST", "Labels", "decode", "encode"]

Labels: TypeAlias = NDArray[np.int64]

HALF = 0x3FE0000000000000
"""The bits of 1/2: the label of certainty."""
ONE = 0x3FF0000000000000
"""The bits of 1."""
SMALLEST = 2.0**-1022
"""The smallest positive probability: the smallest normal double."""


def encode(p: NDArray[np.float64], q: NDArray[np.float64]) -> Labels:
    """Return the labels of probabilities p, where q = 1 - p; the smaller of both is exact.

    Examples
    --------
    >>> encode(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.5, 0.0])) == np.array([-HALF, 0, HALF])
    array([ True,  True,  True])
    """
    small = np.minimum(p, q).view(np.int64)
    return np.where(p <= q, small - HALF, HALF - small)


def decode(label: Labels) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities p and q = 1 - p of labels.

    Examples
    --------
    >>> decode(encode(np.array([0.25]), np.array([0.75])))
    (array([0.25]), array([0.75]))
    """
    small = (HALF - np.abs(label)).view(np.float64)
    large = 1.0 - small
    return np.where(label <= 0, small, large), np.where(label <= 0, large, small)

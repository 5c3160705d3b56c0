"""The error of a scalar product after stretching and noise: the exact error, and the paper's bound, corrected.

Let r = f(d) - f(diag(w) d) be the loss by stretching, and b = S(f) / epsilon the scale of the noise. Then

    Pr[|M(d) - f(d)| > k] = e^(-k/b) cosh(r/b)           where |r| <= k,
                            1 - e^(-|r|/b) sinh(k/b)     elsewhere.

Theorem 3 [1]_ bounds this chance by 1/2 e^((K (1 - w) |d| - k) / b), with w the least weight and f K-Lipschitz. It
needs two corrections:

* The last step of the proof drops a term, so the factor 1/2 has to be removed. Without stretching, the exact chance is
  e^(-k/b), twice the bound.
* Corollary 2 takes K = 1 for the scalar product. But its gradient at d is as long as d, so what holds is Lemma 3:
  |r| <= (1 - w) |d|^2.

So the bound used here is min(1, e^(((1 - w) |d|^2 - k) / b)), where |d|^2 is the squared norm of both profiles
together.

References
----------
.. [1] Alaggan, Gambs, Kermarrec, "Heterogeneous Differential Privacy", Journal of Privacy and Confidentiality 7(2),
   doi:10.29012/jpc.v7i2.652, arXiv:1504.06998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neodp.data.validation import Floats, caution
from neodp.stretch import noise
from neodp.stretch.neighborhoods import blocks
from neodp.stretch.noise import Sampler
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import STEPS, Measure, Similarities

__all__ = ["Errors", "bound", "compare", "corollary_2", "tail"]


@dataclass(frozen=True)
class Errors:
    """The share of pairs whose scalar product is off by more than `beyond`.

    Attributes
    ----------
    measured : float
        The measured share, with noise drawn once for each pair.
    exact : float
        The expected share, by the exact formula.
    bound : float
        The bound of Theorem 3, corrected.
    """

    beyond: float
    measured: float
    exact: float
    bound: float


def tail(r: Floats, k: float, b: float) -> Floats:
    """Return Pr[|Laplace(b) - r| > k].

    Examples
    --------
    >>> tail(np.array([0.0, 9.0]), 3.0, 1.0).round(6).tolist()
    [0.049787, 0.998764]
    """
    r = np.abs(r)
    near, far = np.exp(-np.abs(r - k) / b), np.exp(-(r + k) / b)
    return np.where(r <= k, (near + far) / 2, 1 - (near - far) / 2)


def bound(least: Floats, square: Floats, k: float, epsilon: float) -> Floats:
    """Return the corrected bound of Theorem 3 for the scalar product: `least` is w, `square` is |d|^2."""
    return np.exp(np.minimum(0.0, epsilon * ((1 - least) * square - k)))


def corollary_2(n: int, least: float, epsilon: float) -> float:
    """Return the bound of Corollary 2 on Pr[error > sqrt(n)], as printed. It does not hold.

    Examples
    --------
    >>> corollary_2(100, 0.5, 1.0)
    0.0033689734995427335
    """
    return math.exp(-epsilon * least * math.sqrt(n)) / 2


def compare(
    profiles: Profiles, epsilon: float, beyond: Sequence[float], *, sampler: Sampler = noise.secure
) -> list[Errors]:
    """Compare the measured errors of all pairs' scalar products with the predicted ones.

    The comparison uses the true profiles, so its result is not private.

    Examples
    --------
    >>> p = Profiles.from_columns(list("aabb"), list("xyxy"), weight=0.5)
    >>> compare(p, 1.0, [1.0], sampler=noise.without)[0].measured
    1.0
    """
    if sampler is not noise.without:
        caution(noise.check_epsilon(epsilon))
    similarities = Similarities(profiles, epsilon, Measure.DOT, sampler)
    d = profiles.matrix
    square = np.asarray(d.multiply(d).sum(axis=1)).ravel()
    least = np.ones(len(profiles))
    np.minimum.at(least, profiles.user, profiles.weight)
    sums = np.zeros((3, len(beyond)))
    pairs = 0
    for rows, columns in blocks(len(profiles)):
        some = np.triu(np.ones((len(rows), len(rows)), bool), 1) if rows is columns else np.s_[:, :]
        true = (d[rows] @ d[columns].T).toarray()[some]
        products = similarities.products(rows, columns)[some]
        error = np.abs(sampler(products, noise.scale_of(STEPS, epsilon)) / STEPS - true)
        w = np.minimum.outer(least[rows], least[columns])[some]
        size = np.add.outer(square[rows], square[columns])[some]
        for column, k in enumerate(beyond):
            sums[:, column] += (
                (error > k).sum(),
                tail(true - products / STEPS, k, 1 / epsilon).sum(),
                bound(w, size, k, epsilon).sum(),
            )
        pairs += true.size
    return [Errors(float(k), *map(float, row)) for k, row in zip(beyond, (sums / max(pairs, 1)).T, strict=True)]

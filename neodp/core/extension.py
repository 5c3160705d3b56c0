"""The result of extending alpha: a row for every dataset, or a witness that there is none.

Both solvers, for two colours (:mod:`neodp.core.binary`) and for more (:mod:`neodp.core.rainbow`), share these result
types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core.search import Path
from neodp.data.validation import Floats

__all__ = ["ROUNDING", "Extension", "Witness", "shown"]

ROUNDING = 1e-12
"""The relative amount up to which an alpha that exceeds its bound is taken for a rounding error."""


class Extension(NamedTuple):
    """The best mechanism that agrees with a graph's alpha.

    Attributes
    ----------
    rows : array of float, one row per dataset, one column per colour
        Every entry but the largest of a row is exact; the largest stands for one minus the rest.
    rounded : array of int
        The positions of the datasets whose alpha was rounded in.
    filled : array of int
        The positions of the boundary datasets that had no alpha and took that of their order; none with two colours.
    method : str
        The method that found the rows.
    path : callable
        From the position of a dataset to the path from the dataset whose alpha decides; an empty path if none does.
    """

    rows: Floats
    rounded: NDArray[np.int64]
    filled: NDArray[np.int64]
    method: str
    path: Callable[[int], Path]


@dataclass(frozen=True)
class Witness:
    """Two datasets whose alpha cannot both be kept: `origin` allows at most `bound` at `dataset`."""

    dataset: str
    color: str
    value: float
    bound: float
    origin: str
    origin_value: float
    path: tuple[str, ...]
    epsilon: float
    delta: float

    def __str__(self) -> str:
        loss = f"epsilon {self.epsilon:.6g}" + (f" and delta {self.delta:.6g}" if self.delta else "")
        return (
            f"alpha at {self.dataset!r} makes Pr[{self.color}] {self.value:.6g}, at most {self.bound:.6g} is possible: "
            f"{self.origin!r} has {self.origin_value:.6g} and is {loss} away, along {shown(self.path)}"
        )


def shown(path: tuple[str, ...]) -> str:
    """Return a path of keys, shortened in its middle."""
    keys = [repr(key) for key in path]
    return " – ".join(keys if len(keys) <= 7 else [*keys[:3], f"({len(keys) - 6} more)", *keys[-3:]])

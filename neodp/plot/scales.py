"""The two axes: distances from the boundary, and chances.

If chances come close to 0 or 1, the axis is logarithmic: p is drawn at log10(2p) below 1/2 and at -log10(2(1 - p))
above. Both are computed from whichever of p and 1 - p is smaller, so that 1 - 10^-30 does not coincide with 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Floats
from neodp.plot.text import superscript

__all__ = ["Scale", "Steps"]

MOST_STEPS = 80
"""The greatest number of steps on the axis of distances; with more distances, neighbouring ones share a step."""


@dataclass(frozen=True)
class Steps:
    """Distances as places on an axis: distance d fills d to d + 1.

    Datasets from which no boundary can be reached are drawn beyond a gap.

    Attributes
    ----------
    reach : int
        One more than the greatest distance.
    width : int
        The number of distances that share a step.
    unreached : bool
        True if there are datasets from which no boundary can be reached.
    """

    reach: int
    width: int
    unreached: bool

    @classmethod
    def of(cls, hops: NDArray[Any]) -> Steps:
        """Return the axis for datasets at these distances; a negative distance means that there is no boundary."""
        reach = int(hops.max()) + 1
        return cls(reach, max(1, math.ceil(reach / MOST_STEPS)), bool((hops < 0).any()))

    @property
    def count(self) -> int:
        """The number of steps before the gap; this is also the number of the step beyond the gap."""
        return math.ceil(self.reach / self.width)

    def index(self, hops: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of the step of each distance."""
        return np.where(hops < 0, self.count, hops // self.width).astype(np.int64)

    def start(self, step: Any) -> Floats:
        """Return the place at which a step begins."""
        gap = 0.05 * self.count * self.width
        return np.asarray(step) * self.width + np.where(np.asarray(step) == self.count, gap, 0.0)

    def size(self, step: Any) -> Floats:
        """Return the width of a step as drawn; the step beyond the gap is always wide enough to be seen."""
        return np.where(np.asarray(step) == self.count, max(1.0, 0.03 * self.count), 1.0) * self.width

    def center(self, step: Any) -> Floats:
        """Return the middle of a step."""
        return self.start(step) + self.size(step) / 2

    @property
    def end(self) -> float:
        """The place at which the last step ends."""
        last = self.count if self.unreached else self.count - 1
        return float(self.start(last) + self.size(last))

    def ticks(self, letters: int) -> tuple[list[float], list[str]]:
        """Return the places and labels of round distances, with at most about `letters` letters, and of the gap."""
        most = max(1, letters // (len(f"{self.reach:,}") + 2))
        sizes = (m * 10**e for e in range(10) for m in (1, 2, 5))
        size = next(s for s in sizes if self.reach <= s * most)
        at = list(range(0, self.reach, size))
        places, labels = [d + 0.5 for d in at], [f"{d:,}" for d in at]
        if self.unreached:
            places.append(float(self.center(self.count)))
            labels.append(self.name(self.count))
        return places, labels

    def name(self, step: int) -> str:
        """Describe the distances of a step in words."""
        if step == self.count:
            return "cut off" if self.count else "no boundary"
        first, last = step * self.width, min((step + 1) * self.width, self.reach) - 1
        return f"{first:,}" if first == last else f"{first:,} to {last:,}"


@dataclass(frozen=True)
class Scale:
    """The axis of chances: linear, or logarithmic towards 0 and 1.

    Attributes
    ----------
    decades : float
        The number of powers of ten by which the chances approach 0 or 1; 0 if the axis is linear.
    """

    decades: float

    @classmethod
    def of(cls, p: Floats, q: Floats) -> Scale:
        """Return the scale for chances p = 1 - q: logarithmic if one of them is closer to 0 or 1 than 0.01."""
        small = np.minimum(p, q)
        least = small[small > 0.0].min(initial=1.0)
        return cls(-math.log10(least) if least < 0.01 else 0.0)

    @property
    def size(self) -> int:
        """The number of decades between ticks."""
        return max(1, math.ceil(self.decades / 6))

    @property
    def end(self) -> float:
        """The place at which certainty is drawn."""
        return self.decades + 0.9 * self.size

    def place(self, p: Floats, q: Floats) -> Floats:
        """Return the place of the chance p = 1 - q on the axis."""
        if not self.decades:
            return np.asarray(p)
        small = np.minimum(p, q)
        outward = np.full(small.shape, self.end)
        np.log10(2.0 * small, out=outward, where=small > 0.0)
        placed: Floats = np.copysign(outward, np.where(p < q, -1.0, 1.0))
        return placed

    def span(self, height: Floats) -> tuple[float, float]:
        """Return the ends of the axis for chances at these heights; the middle is always on the axis."""
        middle = 0.0 if self.decades else 0.5
        low, high = min(float(height.min()), middle), max(float(height.max()), middle if self.decades else 1.0)
        room = 0.04 * (high - low)
        return low - room, high + room

    def ticks(self, certain: bool, impossible: bool) -> tuple[list[float], list[str]]:
        """Return the places and labels of round chances."""
        if not self.decades:
            at = [n / 10 for n in range(11)]
            return at, [f"{x:g}" for x in at]
        decades = range(self.size, int(self.decades) + 1, self.size)
        up = [(n - math.log10(2.0), _high(n)) for n in decades] + ([(self.end, "1")] if certain else [])
        down = [(math.log10(2.0) - n, _low(n)) for n in decades] + ([(-self.end, "0")] if impossible else [])
        both = [*down, (0.0, "0.5"), *up]
        return [place for place, _ in both], [label for _, label in both]


def _low(n: int) -> str:
    return f"{10.0**-n:g}" if n < 4 else "10" + superscript(-n)


def _high(n: int) -> str:
    return f"{1.0 - 10.0**-n:g}" if n < 4 else f"1 − {_low(n)}"

"""Witnesses that no private mechanism agrees with a graph's alpha, and the rounding errors that alpha may have."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROUNDING", "OrderConflict", "Witness", "shown"]

ROUNDING = 1e-12
"""The relative amount up to which an alpha that exceeds its bound is taken for a rounding error."""


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


@dataclass(frozen=True)
class OrderConflict:
    """Two boundary datasets of one order whose alpha differs."""

    order: str
    dataset: str
    color: str
    value: float
    other: str
    other_value: float

    def __str__(self) -> str:
        return (
            f"alpha differs within the order {self.order}: Pr[{self.color}] is {self.value:.6g} at {self.dataset!r} "
            f"and {self.other_value:.6g} at {self.other!r}"
        )


def shown(path: tuple[str, ...]) -> str:
    """Return a path of keys, shortened in its middle."""
    keys = [repr(key) for key in path]
    return " – ".join(keys if len(keys) <= 7 else [*keys[:3], f"({len(keys) - 6} more)", *keys[-3:]])

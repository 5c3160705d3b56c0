"""Curves: the distributions of all orders, as functions of the distance from the boundary.

A mechanism that depends only on the orders gives two datasets of one order and one distance the same distribution. So
it is a *curve* for every order: a row of probabilities, by rank, for each whole number. Orders whose alpha agrees by
rank share a curve. The meaning of the whole number, and the way the rows follow one another, depend on the mechanism:
:mod:`neodp.core.rainbow.table` counts edges, :mod:`neodp.core.rainbow.flow` counts units of epsilon.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.core import inequalities
from neodp.core.rainbow.orders import Order
from neodp.core.rainbow.units import context
from neodp.data.validation import Floats

__all__ = ["Curve", "Curves"]


class Curve(ABC):
    """The distributions of one order along whole numbers, by rank; computed on demand."""

    def __init__(self, alpha: Sequence[float], exact: Sequence[Fraction], decimals: Context | None = None) -> None:
        self.alpha = tuple(alpha)
        with localcontext(decimals or context()):
            self.start = [Decimal(x.numerator) / Decimal(x.denominator) for x in exact]

    @abstractmethod
    def rows(self, at: NDArray[Any]) -> Floats:
        """Return a row for each of many places."""


class Curves(ABC):
    """The distributions of all orders, in the order of the colours; orders whose alpha agrees by rank share a curve."""

    def __init__(self, alpha: Mapping[Order, Sequence[float]]) -> None:
        curves: dict[Any, Curve] = {}
        self._of: dict[Order, Curve] = {}
        for order, row in alpha.items():
            exact = inequalities.exact(np.array(row, np.float64))
            ranked = tuple(float(row[color]) for color in order), tuple(exact[color] for color in order)
            if ranked not in curves:
                curves[ranked] = self._curve(*ranked)
            self._of[order] = curves[ranked]

    @abstractmethod
    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> Curve:
        """Return the curve of an order, from its alpha by rank and the same as fractions."""

    def at(self, order: Order, distance: int) -> tuple[float, ...]:
        """Return the distribution of a dataset with this order, at a distance from the boundary of its order.

        Parameters
        ----------
        order : tuple of int
            The positions of all colours, best first.
        distance : int
            At least 0, or -1 if no boundary can be reached: the best output is then certain.

        Returns
        -------
        tuple of float
            In the order of the colours. Every entry but the largest is exact; the largest is one minus the rest.
        """
        if distance < 0:
            return tuple(float(color == order[0]) for color in range(len(order)))
        ranked = self._of[order].rows(np.array([distance]))[0].tolist()
        return tuple(ranked[order.index(color)] for color in range(len(order)))

    def rows(self, orders: NDArray[np.int8], order: NDArray[Any], distance: NDArray[Any]) -> Floats:
        """Return the distributions of many datasets, as ``at`` does; `order` holds positions in `orders`."""
        ranked = np.zeros((len(order), orders.shape[1]))
        ranked[:, 0] = 1.0
        curves = list(dict.fromkeys(self._of.values()))
        number = [curves.index(self._of[key]) if (key := tuple(row)) in self._of else -1 for row in orders.tolist()]
        numbers = np.where(distance < 0, -1, np.array(number)[order])
        for i, curve in enumerate(curves):
            mine = np.flatnonzero(numbers == i)
            ranked[mine] = curve.rows(distance[mine])
        rows = np.empty_like(ranked)
        np.put_along_axis(rows, orders[order].astype(np.int64), ranked, axis=1)
        return rows

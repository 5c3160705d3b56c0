"""A mechanism in the shapes that other tools expect.

* :func:`measurement`: an OpenDP Measurement, with its privacy map (extra ``opendp``). Its metric is the distance of two
  datasets in edges. Over d edges of at most (epsilon, delta) each, the loss is at most (d epsilon, delta (1 + e^epsilon
  + … + e^((d-1) epsilon))), group privacy.
* :func:`sampler`: a function ``(dataset, n) -> array`` for tools that audit by drawing.

Neither is a release: every call draws anew, and costs the privacy of the mechanism anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.errors import GraphError
from neodp.mechanism import Mechanism
from neodp.sampling import draw, draw_many

if TYPE_CHECKING:
    import opendp.prelude as dp

__all__ = ["measurement", "sampler"]


def sampler(mechanism: Mechanism) -> Callable[[object, int], NDArray[np.int64]]:
    """A function from a dataset and a number n to n independent answers, as positions in the graph's colours.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(2)
    >>> answers = sampler(neodp.extend(g.with_alpha({"0": 0.5})))("0", 1000)
    >>> answers.shape, set(answers.tolist())
    ((1000,), {0, 1})
    """

    def sample(dataset: object, n: int) -> NDArray[np.int64]:
        return draw_many(mechanism.probabilities[mechanism.graph.index(dataset)].tolist(), n)

    return sample


def measurement(mechanism: Mechanism) -> dp.Measurement:
    """An OpenDP Measurement from datasets, by key, to colours.

    Its measure is the maximum divergence, or its approximate form where some delta is not 0.

    Raises
    ------
    GraphError
        If the mechanism keeps something other than (epsilon, delta), or OpenDP is not installed.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4, epsilon=0.5)
    >>> m = measurement(neodp.extend(g.with_alpha(neodp.balanced(g))))
    >>> m("0") in g.colors, m.map(2)
    (True, 1.0)
    """
    try:
        import opendp.prelude as dp
    except ImportError:
        raise GraphError("OpenDP is not installed", "install neodp[opendp]") from None
    if not mechanism.privacy.exact:
        raise GraphError("the mechanism keeps something other than (epsilon, delta)", "extend it with these")
    graph = mechanism.graph
    known = set(graph.keys.to_pylist())
    epsilon, delta = float(graph.epsilon.max(initial=0.0)), float(graph.delta.max(initial=0.0))
    dp.enable_features("contrib", "honest-but-curious")

    def loss(edges: int) -> Any:
        total = _above(edges * Fraction(epsilon))
        return (total, _group_delta(edges, epsilon, delta)) if delta else total

    pure = dp.max_divergence()
    return dp.m.make_user_measurement(
        dp.user_domain(f"datasets of {graph.name}", lambda key: key in known),
        dp.user_distance("edges"),
        output_measure=dp.approximate(pure) if delta else pure,
        function=lambda key: draw(mechanism, key),
        privacy_map=loss,
        TO=str,
    )


def _group_delta(edges: int, epsilon: float, delta: float) -> float:
    """delta (1 + e^epsilon + … + e^((edges-1) epsilon)), rounded up, at most 1."""
    total = Fraction(0)
    for step in range(edges):
        if step * epsilon > 700.0:
            return 1.0
        total += Fraction(delta) * Fraction(math.exp(step * epsilon) * (1.0 + 1e-12))
        if total >= 1:
            return 1.0
    return _above(total)


def _above(x: Fraction) -> float:
    """The least double that is not below x."""
    near = float(x)
    return near if Fraction(near) >= x else math.nextafter(near, math.inf)

"""Adapters that present a mechanism in the form other tools expect.

* :func:`measurement`: an OpenDP Measurement, with its privacy map (extra ``opendp``). The mechanism is audited first.
  There are two ways to measure how far apart two datasets are:

  - in *edges*. Over d edges, each of which loses at most (epsilon, delta), the loss is at most (d epsilon, delta (1 +
    e^epsilon + … + e^((d-1) epsilon))), group privacy. Epsilon is the greatest exact loss of an edge
    (:mod:`neodp.core.losses`), which may be less than the edges allow.
  - in *epsilon*, if delta is 0: the sum of the edges' own epsilons along a path. Over a distance of d the loss is at
    most d. An edge of someone who asked for more privacy is shorter, so the loss over that edge is smaller.
* :func:`sampler`: a function ``(dataset, n) -> array`` for tools that audit by drawing samples.

Neither is recorded as a release: every call draws again, and costs the privacy of the mechanism again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from neodp.core.auditing import audit
from neodp.core.losses import losses
from neodp.core.mechanism import Mechanism
from neodp.core.sampling import draw, draw_many
from neodp.data.kinds import checked
from neodp.errors import GraphError, NotPrivate
from neodp.ledger.composition import above

if TYPE_CHECKING:
    import opendp.prelude as dp

__all__ = ["measurement", "sampler"]


@checked
def sampler(mechanism: Mechanism) -> Callable[[object, int], NDArray[np.int64]]:
    """Return a function that draws n independent answers at a dataset, as positions in the graph's colours.

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


@checked
def measurement(mechanism: Mechanism, metric: Literal["edges", "epsilon"] = "edges") -> dp.Measurement:
    """Return an OpenDP Measurement from the keys of datasets to colours.

    Its measure is the maximum divergence, or the approximate maximum divergence if some delta is not 0.

    Parameters
    ----------
    metric : "edges" or "epsilon"
        The unit of the distance between two datasets: the number of edges, or the sum of the epsilons along a path.

    Raises
    ------
    GraphError
        If the mechanism's guarantee is not (epsilon, delta), the metric is unknown or does not fit the graph, or
        OpenDP is not installed.
    NotPrivate
        If the exact audit finds an edge on which the mechanism is not private.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4, epsilon=[0.5, 1.0, 0.25])
    >>> m = measurement(neodp.extend(g.with_alpha(neodp.balanced(g))), "epsilon")
    >>> m("0") in g.colors, m.map(0.75)
    (True, 0.75)
    """
    try:
        import opendp.prelude as dp
    except ImportError:
        raise GraphError("OpenDP is not installed", "pip install '.[opendp]' in the checkout") from None
    if metric not in ("edges", "epsilon"):
        raise GraphError(f"there is no metric {metric!r}", "give 'edges' or 'epsilon'")
    if not mechanism.privacy.exact:
        raise GraphError("the mechanism keeps something other than (epsilon, delta)", "extend it with these")
    graph = mechanism.graph
    delta = float(graph.delta.max(initial=0.0))
    if metric == "epsilon" and delta:
        raise GraphError("an edge of the graph has a delta above 0", "measure the distance in edges")
    report = audit(graph, mechanism, worst=1)
    if not report:
        raise NotPrivate(f"the mechanism is not private: {report.worst[0]}", "extend the graph again")
    known = set(graph.keys.to_pylist())
    dp.enable_features("contrib", "honest-but-curious")
    lost = losses(mechanism.probabilities, graph.source, graph.target, graph.epsilon, graph.delta)
    epsilon = float(lost.epsilon.max(initial=0.0))

    def loss(distance: float) -> Any:
        if metric == "epsilon":
            return float(distance)
        total = above(int(distance) * Fraction(epsilon))
        return (total, _group_delta(int(distance), epsilon, delta)) if delta else total

    pure = dp.max_divergence()
    return dp.m.make_user_measurement(
        dp.user_domain(f"datasets of {graph.name}", lambda key: key in known),
        dp.user_distance(metric),
        output_measure=dp.approximate(pure) if delta else pure,
        function=lambda key: draw(mechanism, key),
        privacy_map=loss,
        TO=str,
    )


def _group_delta(edges: int, epsilon: float, delta: float) -> float:
    """Return delta (1 + e^epsilon + … + e^((edges-1) epsilon)), rounded up, at most 1."""
    total = Fraction(0)
    for step in range(edges):
        if step * epsilon > 700.0:
            return 1.0
        total += Fraction(delta) * Fraction(math.exp(step * epsilon) * (1.0 + 1e-12))
        if total >= 1:
            return 1.0
    return above(total)

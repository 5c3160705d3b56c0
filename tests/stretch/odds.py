"""A statistical test of privacy: how much the odds of outputs differ at least, given samples."""

import math
from typing import Any

import numpy as np


def worst_odds(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """A lower bound on the largest log odds between two samples of outputs, wrong once in about 10^6 times.

    Over the events "above t" and "below t" for some t, each log odds less five of its standard deviations.
    """
    cuts = np.quantile(np.concatenate([one, other]), np.linspace(0.05, 0.95, 19))
    found = [0.0]
    for a, b in ((one, other), (other, one)):
        for p, q in [((a > t).mean(), (b > t).mean()) for t in cuts] + [
            ((a <= t).mean(), (b <= t).mean()) for t in cuts
        ]:
            if min(p, q) > 0.01:
                found.append(math.log(p / q) - 5 * math.sqrt((1 - p) / p / len(a) + (1 - q) / q / len(b)))
    return max(found)

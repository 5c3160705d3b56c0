"""Personal privacy weights: the Stretching mechanism, and private neighbours of users, based on the items they like.

>>> from neodp import stretch
>>> p = stretch.Profiles.from_columns(["ann", "bob", "bob", "cid"], ["tea", "tea", "rum", "gin"], weight=0.5)
>>> found = stretch.neighbors(p, 1, epsilon=0.5)
>>> found.neighbor.shape, found.cost.total
((3, 1), 1.5)
"""

from neodp.stretch.mechanism import Function, Stretching, scalar_product, stretching_weights, weighted_sum
from neodp.stretch.neighborhoods import Neighbors, nearest, neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Cost, Measure, similarity
from neodp.stretch.weights import attitudes, by_attitude, in_slices

__all__ = [
    "Cost",
    "Function",
    "Measure",
    "Neighbors",
    "Profiles",
    "Stretching",
    "attitudes",
    "by_attitude",
    "in_slices",
    "nearest",
    "neighbors",
    "scalar_product",
    "similarity",
    "stretching_weights",
    "weighted_sum",
]

"""More than two colours: every dataset orders them by preference, and the mechanism is the best for that order.

An *order* is a permutation of the k colours, best first. A *boundary edge* joins datasets of different orders. Alpha is
a distribution per order: the same for all boundary datasets of one order, and given on the whole boundary (with more
than two colours a hitting set is not enough). Let S_j be the chance of the best j outputs of a dataset, its *prefix
sums*; the largest S_1, then the largest S_2, … is the best mechanism for the order (paper 003, Definition 3).

=======================================  ======================================================================
:mod:`~neodp.core.rainbow.orders`             the orders of a graph, and distances from their boundaries
:mod:`~neodp.core.rainbow.alpha`              alpha on the boundary of every order: read, completed, checked
:mod:`~neodp.core.rainbow.choices`            ways to choose alpha: balanced, homogeneous, randomised response
:mod:`~neodp.core.rainbow.table`              one epsilon on every edge: a row per order and distance
:mod:`~neodp.core.rainbow.flow`               epsilons that differ: private for any mixture, by one path for all sums
:mod:`~neodp.core.rainbow.prefix`             epsilons that differ: the largest sums, refused where they break privacy
:mod:`~neodp.core.rainbow.distance`           distances to every answer: no alpha, and private for any mixture
:mod:`~neodp.core.rainbow.methods`            which of them a graph takes
:mod:`~neodp.core.rainbow.curves`, ``units``  the common part of the three; whole numbers and rounding
=======================================  ======================================================================

References
----------
Z. Zhou, O. Günlü, R. G. L. D'Oliveira, M. Médard, P. Sadeghi, R. F. Schaefer: "Rainbow Differential Privacy", 2022,
arXiv:2202.03974 ("paper 003"); three colours and one epsilon.

Y. Gu, Z. Zhou, O. Günlü, R. G. L. D'Oliveira, P. Sadeghi, M. Médard, R. F. Schaefer: "Generalized Rainbow Differential
Privacy", Journal of Privacy and Confidentiality 14(2), 2024, doi:10.29012/jpc.896, arXiv:2309.05871; any number of
colours and one (epsilon, delta), which is the table here.
"""

from neodp.core.rainbow.alpha import BoundaryAlpha, alpha_by_order, unhit_edge
from neodp.core.rainbow.choices import balanced, homogeneous, randomized_response
from neodp.core.rainbow.flow import Line
from neodp.core.rainbow.methods import METHODS, MOST_FOR_OPTIMAL, DatasetPrior, Method, extend
from neodp.core.rainbow.orders import Order, distances, morphism, order_name, require_orders
from neodp.core.rainbow.table import Table, line
from neodp.core.rainbow.units import lengths
from neodp.core.witness import OrderConflict

__all__ = [
    "METHODS",
    "MOST_FOR_OPTIMAL",
    "BoundaryAlpha",
    "DatasetPrior",
    "Line",
    "Method",
    "Order",
    "OrderConflict",
    "Table",
    "alpha_by_order",
    "balanced",
    "distances",
    "extend",
    "homogeneous",
    "lengths",
    "line",
    "morphism",
    "order_name",
    "randomized_response",
    "require_orders",
    "unhit_edge",
]

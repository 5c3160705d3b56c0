"""Families of dataset graphs.

Most families are products. A dataset is a word, one value per place; two datasets are neighbours iff they
differ in one place, by neighbouring values; and the question is whether the values add up to at least a
threshold::

    family              place         neighbouring values   what is added up
    grid, counts        coordinate    x and x + 1           the coordinates
    hypercube           bit           0 and 1               the ones
    hamming, votes      answer        any two               how often the first answer occurs
    plurality           group         one vote changed      the votes for each option

Datasets are in lexicographic order, the last place runs fastest; edges are in the order of their places.
Every graph has two colours, and the first one means that the answer is yes. The exception is the plurality rule, which
has a colour for every option: a dataset prefers the options by their votes, with ties in the order of ``colors``.

:func:`grid_lattice` and :func:`counts_lattice` describe a grid or counts without building the graph, for graphs that
are written part by part (:mod:`neodp.blocks`).
"""

from collections.abc import Callable

from neodp.data.generate.lattices import counts, counts_lattice, grid, grid_lattice, path, plurality
from neodp.data.generate.random_graphs import random_geometric, random_graph
from neodp.data.generate.words import hamming, hypercube, three_voters, votes
from neodp.data.graph import DatasetGraph

__all__ = [
    "FAMILIES",
    "counts",
    "counts_lattice",
    "grid",
    "grid_lattice",
    "hamming",
    "hypercube",
    "path",
    "plurality",
    "random_geometric",
    "random_graph",
    "three_voters",
    "votes",
]

FAMILIES: dict[str, Callable[..., DatasetGraph]] = {
    family.__name__: family
    for family in (
        path,
        grid,
        hypercube,
        hamming,
        votes,
        three_voters,
        counts,
        plurality,
        random_geometric,
        random_graph,
    )
}
"""The families by name."""

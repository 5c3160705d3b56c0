"""Graphs larger than memory: two colours, block by block, with bit for bit the same result as in memory.

* :mod:`neodp.blocks.block`: one block, and the step that settles it, with the proof that the partition does not matter;
* :mod:`neodp.blocks.passes`: the beginning and the end of an extension, block by block;
* :mod:`neodp.blocks.partition`: ways to cut a graph: into boxes, by growth, or by the first characters of keys;
* :mod:`neodp.blocks.folder`: the format, a folder of Parquet files; :mod:`neodp.blocks.lattice`: the graphs of
  ``grid`` and ``counts``, written in this format box by box;
* :mod:`neodp.blocks.work`, :mod:`neodp.blocks.local`: the steps on files, and the local processes that carry them out;
* :mod:`neodp.blocks.witness`: the reason why there is no mechanism; :mod:`neodp.blocks.auditing`: the exact audit.
"""

from neodp.blocks.auditing import audit, is_stale
from neodp.blocks.folder import Folder, open_folder, read_graph, read_mechanism, write_graph
from neodp.blocks.lattice import write_lattice
from neodp.blocks.local import BlocksSummary, Rounds, balanced, extend
from neodp.blocks.partition import by_cubes, by_growth, by_prefix

__all__ = [
    "BlocksSummary",
    "Folder",
    "Rounds",
    "audit",
    "balanced",
    "by_cubes",
    "by_growth",
    "by_prefix",
    "extend",
    "is_stale",
    "open_folder",
    "read_graph",
    "read_mechanism",
    "write_graph",
    "write_lattice",
]

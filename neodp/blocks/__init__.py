"""Graphs larger than memory: two colours, block by block, with the same bits as in memory.

* :mod:`neodp.blocks.block`: one block, and the step that settles it, with the proof that the partition does not matter;
* :mod:`neodp.blocks.passes`: how an extension begins and ends, in terms of blocks;
* :mod:`neodp.blocks.partition`: cutting a graph by boxes, by growth or by the beginning of keys;
* :mod:`neodp.blocks.folder`: the format, a folder of Parquet files; :mod:`neodp.blocks.lattice`: ``grid`` and
  ``counts`` written there box by box;
* :mod:`neodp.blocks.work`, :mod:`neodp.blocks.local`: the steps on files, and local processes that carry them out;
* :mod:`neodp.blocks.witness`, :mod:`neodp.blocks.auditing`: why there is no mechanism, and whether one is private.
"""

from neodp.blocks.auditing import audit, is_stale
from neodp.blocks.folder import Folder, open_folder, read_graph, read_mechanism, write_graph
from neodp.blocks.lattice import write_lattice
from neodp.blocks.local import Rounds, Summary, balanced, extend
from neodp.blocks.partition import by_cubes, by_growth, by_prefix

__all__ = [
    "Folder",
    "Rounds",
    "Summary",
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

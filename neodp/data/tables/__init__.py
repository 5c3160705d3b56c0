"""Reading tables of all kinds: the one reader behind ``load``, ``poll``, ``stretch load``, ``audit`` and ``compare``.

``table.py`` reads the named columns of a file and names the place of every row; ``options.py`` holds the settings for
reading that the file does not state; ``cells.py`` turns cells into numbers; ``problems.py`` collects all problems with
cells, so that they can be reported at once.
"""

from neodp.data.tables.cells import as_text, fraction, number, numbers, threshold_share, values_of, whole
from neodp.data.tables.options import ExtraColumns, ReadOptions
from neodp.data.tables.problems import Place, Problems
from neodp.data.tables.source import Format, TableSource
from neodp.data.tables.table import TableColumns, header, header_row, is_table, read_table

__all__ = [
    "ExtraColumns",
    "Format",
    "Place",
    "Problems",
    "ReadOptions",
    "TableColumns",
    "TableSource",
    "as_text",
    "fraction",
    "header",
    "header_row",
    "is_table",
    "number",
    "numbers",
    "read_table",
    "threshold_share",
    "values_of",
    "whole",
]

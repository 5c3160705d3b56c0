"""Pictures: a mechanism on its graph, two mechanisms compared, every answer by distance, polls, and questions.

>>> import neodp, tempfile
>>> from pathlib import Path
>>> g = neodp.generate.three_voters()
>>> m = neodp.extend(g.with_alpha(neodp.balanced(g)))
>>> with tempfile.TemporaryDirectory() as folder:
...     neodp.plot.plot(m, Path(folder, "voters.svg")).name
'voters.svg'

Matplotlib is imported only when something is drawn. This package reads no store: it draws the objects it is given.
"""

from neodp.plot.asking import plot_question
from neodp.plot.comparison import plot_comparison
from neodp.plot.lines import plot_lines
from neodp.plot.margins import plot_poll
from neodp.plot.mechanism import plot

__all__ = ["plot", "plot_comparison", "plot_lines", "plot_poll", "plot_question"]

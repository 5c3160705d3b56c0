"""The explorer: a page that shows graphs, mechanisms and answers, served on this machine or written to a file.

``source`` reads the store; ``overview``, ``drawing``, ``dataset``, ``changes``, ``polling``, ``dropped`` and
``records`` compute the content of the pages, as JSON; ``server`` serves them; ``page`` writes one page that needs no
server. ``static/`` holds the files for the browser: plain HTML, CSS and JavaScript modules, and in ``static/vendor/``
the only third-party component, cytoscape (MIT), which draws graphs.
"""

from neodp.explore.page import write_page
from neodp.explore.server import prepared
from neodp.explore.source import Source

__all__ = ["Source", "prepared", "write_page"]

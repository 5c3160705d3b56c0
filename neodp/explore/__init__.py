"""The explorer: a page to look at graphs, mechanisms and answers, served on this machine or kept in a file.

``source`` reads the store; ``facts``, ``drawing``, ``dataset``, ``changes``, ``polling`` and ``records`` say what the
pages show, as JSON; ``server`` serves them; ``page`` writes one page that needs no server. ``static/`` is what the
browser is sent: plain HTML, CSS and JavaScript modules, and in ``static/vendor/`` the one component of others,
cytoscape (MIT), which draws graphs.
"""

from neodp.explore.page import write_page
from neodp.explore.server import prepared
from neodp.explore.source import Source

__all__ = ["Source", "prepared", "write_page"]

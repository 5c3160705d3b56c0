"""Tooltips for parts of a picture in an HTML page.

A part has a name in the picture, and the text becomes the ``<title>`` of that part: browsers show it when the mouse
rests on the part, and no script is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neodp.plot.text import escaped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Tips"]


class Tips:
    """Texts for parts of a picture, by the names of the parts."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, text: str) -> str:
        """Keep a text; return the name (matplotlib's ``gid``) for the part to which it belongs."""
        name = f"tip-{len(self._texts)}"
        self._texts[name] = text
        return name

    def over(self, axes: Axes, x: Any, y: Any, texts: list[str]) -> None:
        """Add texts that appear when the mouse rests near points."""
        for place, text in enumerate(texts):
            axes.plot(x[place], y[place], "o", ms=14, alpha=0.0, gid=self.add(text), zorder=9)

    def into(self, svg: bytes) -> bytes:
        """Return the picture with its texts."""
        for name, text in self._texts.items():
            mark = f'<g id="{name}">'.encode()
            svg = svg.replace(mark, mark + f"<title>{escaped(text)}</title>".encode(), 1)
        return svg

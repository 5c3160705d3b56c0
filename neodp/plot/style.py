"""The common style of all pictures: sizes, the palette, and matplotlib's settings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from neodp.errors import NeodpError

__all__ = [
    "DASHES",
    "DPI",
    "FAINT",
    "FEW",
    "GREY",
    "GRID",
    "HATCHES",
    "HEAD",
    "INCHES",
    "INK",
    "SHADES",
    "layered",
    "shades_of",
    "styled",
]

INCHES, DPI = (12.0, 5.2), 150
"""The width and height of a picture, and its dots per inch as a .png file."""
HEAD = 21.0
"""The room between a panel and its title, in points, for the names of the colours."""
FEW = 24
"""The greatest number of distances that are drawn as single marks and bars; more are drawn as lines and bands."""
INK, FAINT, GREY, GRID = "#222222", "#8a8a8a", "#b0b0b0", "#e6e6e6"
SHADES = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#D6C600", "#555555")
"""A palette close to that of Okabe and Ito, whose shades colour-blind people can tell apart."""
NAMED = {
    "blue": "#0072B2",
    "red": "#C8202F",
    "green": "#1A8A4A",
    "orange": "#E69F00",
    "yellow": "#D6C600",
    "purple": "#8E4A9E",
    "violet": "#8E4A9E",
    "pink": "#E377A8",
    "magenta": "#C2368E",
    "cyan": "#56B4E9",
    "teal": "#1B8A8A",
    "brown": "#8C5A2B",
    "black": "#333333",
    "gray": "#8A8A8A",
    "grey": "#8A8A8A",
    "white": "#C9C9C9",
    "yes": SHADES[0],
    "no": SHADES[1],
    "true": SHADES[0],
    "false": SHADES[1],
}
"""The shades of answers with these names; white, which would be invisible, is drawn in a light grey."""
ALIKE = 90.0
"""The distance between two shades, in units of red, green and blue, from which they can be told apart at a glance."""
DASHES: tuple[Any, ...] = ("-", (0, (3, 1.6)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
HATCHES = ("//", "\\\\", "..", "--")
"""The hatching of bands, so that overlapping bands can be told apart."""
MARKS = ("o", "s", "^", "D")
MARK_SIZES = (8.5, 6.5, 5.0, 4.0)
LINE_WIDTHS = (3.0, 2.2, 1.6, 1.2)
"""The widths of lines: where lines or marks coincide, the wider ones lie below, so that all can be seen."""


def shades_of(colors: Sequence[str]) -> list[str]:
    """Return a shade per answer: the shade it is named after, else the next free shade that differs from those.

    Examples
    --------
    >>> shades_of(["red", "blue"]) == [NAMED["red"], NAMED["blue"]]
    True
    >>> shades_of(["a", "b"]) == list(SHADES[:2])
    True
    """
    own = [NAMED.get(color.strip().lower()) for color in colors]
    taken = [shade for shade in own if shade is not None]
    free = [shade for shade in SHADES if all(_apart(shade, other) >= ALIKE for other in taken)]
    if len(taken) > len(set(taken)) or len(own) - len(taken) > len(free):
        if len(own) <= len(SHADES):
            return list(SHADES[: len(own)])
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return [to_hex(colormaps["turbo"](x)) for x in np.linspace(0.05, 0.95, len(own))]
    rest = iter(free)
    return [shade or next(rest) for shade in own]


def _apart(one: str, other: str) -> float:
    """Return the distance between two shades."""
    red, green, blue = (int(one[i : i + 2], 16) - int(other[i : i + 2], 16) for i in (1, 3, 5))
    return float((red**2 + green**2 + blue**2) ** 0.5)


def layered(i: int, shade: str, *, marks: bool = True) -> dict[str, Any]:
    """Return the style of the i-th of several lines, such that coinciding lines and marks can be told apart."""
    own = i % len(MARKS)
    return {
        "color": shade,
        "lw": LINE_WIDTHS[own],
        "ls": DASHES[own],
        "marker": MARKS[own] if marks else "",
        "ms": MARK_SIZES[own],
        "mfc": "white" if own == 0 else shade,
        "mew": 1.6 if own == 0 else 0.8,
        "mec": shade if own == 0 else "white",
        "zorder": 2.0 + 0.1 * i,
    }


@contextmanager
def styled() -> Iterator[None]:
    """Set matplotlib's defaults and our own style within a context, and restore the user's settings afterwards.

    Raises
    ------
    NeodpError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise NeodpError("plotting needs matplotlib", "pip install '.[plot]' in the checkout") from None
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a key may be an emoji
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "svg.hashsalt": "neodp",
                "svg.fonttype": "none",
                "pdf.fonttype": 42,
                "hatch.linewidth": 0.5,
                "text.parse_math": False,
                "font.size": 9.5,
                "text.color": INK,
                "axes.edgecolor": FAINT,
                "axes.labelcolor": INK,
                "axes.titlesize": 10.5,
                "axes.titlelocation": "left",
                "axes.spines.top": False,
                "axes.spines.right": False,
                "xtick.color": INK,
                "ytick.color": INK,
                "legend.frameon": False,
                "legend.fontsize": 9,
            }
        )
        yield

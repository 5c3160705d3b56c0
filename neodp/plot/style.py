"""What all pictures share: sizes, the palette, and matplotlib's settings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from neodp.errors import NeodpError

__all__ = ["DASHES", "DPI", "FAINT", "FEW", "GREY", "GRID", "HEAD", "INCHES", "INK", "SHADES", "shades_of", "styled"]

INCHES, DPI = (12.0, 5.2), 150
"""The width and height of a picture, and its dots per inch as a .png file."""
HEAD = 21.0
"""In points, the room between a panel and its title, for the names of the colours."""
FEW = 24
"""Up to this many distances are drawn as single marks and bars; more are drawn as lines and bands."""
INK, FAINT, GREY, GRID = "#222222", "#8a8a8a", "#b0b0b0", "#e6e6e6"
SHADES = {
    "blue": "#0072B2",
    "red": "#D55E00",
    "green": "#009E73",
    "purple": "#AA4499",
    "orange": "#E69F00",
    "cyan": "#56B4E9",
    "yellow": "#D6C600",
    "black": "#555555",
}
"""Nearly the palette of Okabe and Ito, whose shades colour-blind people can tell apart. An answer that is named after
one of these shades is drawn in it."""
DASHES: tuple[Any, ...] = ("-", (0, (3, 1.6)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))


def shades_of(colors: Sequence[str]) -> list[str]:
    """A shade per answer: the shade that the answer is named after, else the next shade that is free."""
    own = [SHADES.get(color.lower()) for color in colors]
    if len(own) > len(SHADES):
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return [to_hex(colormaps["turbo"](x)) for x in np.linspace(0.05, 0.95, len(own))]
    free = iter(shade for shade in SHADES.values() if shade not in own)
    return [shade or next(free) for shade in own]


@contextmanager
def styled() -> Iterator[None]:
    """Draw inside this: matplotlib has its own defaults and ours, and the user's settings are restored afterwards.

    Raises
    ------
    NeodpError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise NeodpError("plotting needs matplotlib", "pip install 'neodp[plot]'") from None
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a key may be an emoji
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "svg.hashsalt": "neodp",
                "svg.fonttype": "none",
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

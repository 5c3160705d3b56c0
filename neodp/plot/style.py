"""What all pictures share: sizes, the palette, and matplotlib's settings."""

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
"""In points, the room between a panel and its title, for the names of the colours."""
FEW = 24
"""Up to this many distances are drawn as single marks and bars; more are drawn as lines and bands."""
INK, FAINT, GREY, GRID = "#222222", "#8a8a8a", "#b0b0b0", "#e6e6e6"
SHADES = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#D6C600", "#555555")
"""Nearly the palette of Okabe and Ito, whose shades colour-blind people can tell apart."""
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
"""An answer of one of these names is drawn in this shade; white, which nobody would see, in a light grey."""
ALIKE = 90.0
"""How far apart two shades are, in the units of red, green and blue, that can be told apart at a glance."""
DASHES: tuple[Any, ...] = ("-", (0, (3, 1.6)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
HATCHES = ("//", "\\\\", "..", "--")
"""How bands are hatched, so that two that overlap can be told apart."""
MARKS = ("o", "s", "^", "D")
MARK_SIZES = (8.5, 6.5, 5.0, 4.0)
LINE_WIDTHS = (3.0, 2.2, 1.6, 1.2)
"""Lines and marks that coincide lie on each other, the wider below: all of them can be seen."""


def shades_of(colors: Sequence[str]) -> list[str]:
    """A shade per answer: the shade that the answer is named after, else the next one that is free and not like those.

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
    """How far apart two shades are."""
    red, green, blue = (int(one[i : i + 2], 16) - int(other[i : i + 2], 16) for i in (1, 3, 5))
    return float((red**2 + green**2 + blue**2) ** 0.5)


def layered(i: int, shade: str, *, marks: bool = True) -> dict[str, Any]:
    """How the i-th of several lines is drawn, so that lines and marks that coincide can be told apart."""
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

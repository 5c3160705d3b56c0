"""Text and numbers in a picture: short, on one line, and with no chance rounded to 0 or 1."""

from __future__ import annotations

import html
import unicodedata

from neodp.data.formatting import number
from neodp.data.validation import Floats

__all__ = ["escaped", "precise", "printable", "range_of", "rounded", "shortened", "superscript", "width_of"]


def printable(text: str) -> str:
    """Return a text on one line, with unprintable characters written as Python escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def escaped(text: str) -> str:
    """Return a text as HTML, on one line."""
    return html.escape(printable(text))


def shortened(text: str, most: int) -> str:
    r"""Return a text on one line, with its middle left out if it is too long.

    >>> shortened("customer-2024-000017", 12), shortened("a\nb", 12)
    ('custom…00017', 'a\\nb')
    """
    plain = printable(text)
    if len(plain) <= most:
        return plain
    return plain[: most // 2] + "…" + plain[len(plain) - (most - most // 2 - 1) :]


def width_of(text: str) -> int:
    """Return the width of a text in letters; letters of some scripts count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def precise(p: float, q: float) -> str:
    """Format the chance p = 1 - q with three decimals, or with two digits of the smaller of p and q if it is tiny.

    >>> precise(0.73105, 0.26895), precise(1.0, 2.5e-9), precise(3e-20, 1.0), precise(1.0, 0.0)
    ('0.731', '1 − 2.5·10⁻⁹', '3·10⁻²⁰', '1')
    """
    if q == 0.0 or p == 0.0:
        return "1" if q == 0.0 else "0"
    if min(p, q) >= 0.0005:
        return f"{p:.3f}"
    digits, _, power = f"{min(p, q):.1e}".partition("e")
    small = f"{float(digits):g}·10{superscript(int(power))}"
    return small if p < q else f"1 − {small}"


def rounded(p: float, q: float) -> str:
    """Format the chance p = 1 - q with three decimals; 0 and 1 are written only if the chance is exactly 0 or 1.

    >>> rounded(0.73105, 0.26895), rounded(1.0, 1e-20), rounded(1.0, 0.0)
    ('0.731', '>0.999', '1')
    """
    if p == 0.0 or q == 0.0:
        return "0" if p == 0.0 else "1"
    return "<0.001" if p < 0.0005 else ">0.999" if q < 0.0005 else f"{p:.3f}"


def range_of(name: str, values: Floats) -> str:
    """Describe the range of a quantity.

    >>> import numpy as np
    >>> range_of("epsilon", np.array([0.5, 1.0])), range_of("delta", np.zeros(3))
    ('epsilon 0.5 to 1', 'delta 0')
    """
    low, high = number(float(values.min())), number(float(values.max()))
    return f"{name} {low}" if low == high else f"{name} {low} to {high}"


def superscript(n: int) -> str:
    """Return a whole number as a superscript."""
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))

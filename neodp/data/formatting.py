"""Number formatting for people: the same in every sentence, table and picture.

>>> count(1, "dataset"), count(7161, "dataset"), count(2, "boundary", "boundaries")
('1 dataset', '7,161 datasets', '2 boundaries')
>>> number(0.5249791874789399), number(20260), number(1e-30), number(1 - 2e-9)
('0.524979', '20,260', '1e-30', '1 - 2e-09')
>>> share(1.0), share(0.99961), share(0.31416)
('100 %', '99.96 %', '31.42 %')
>>> size(2_242_600), size(9_800), moment("2026-11-16T21:40:50.625Z")
('2.2 MB', '9.8 kB', '2026-11-16 21:40 UTC')
>>> listed(["a", "b", "c"])
'a, b and c'
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["at_least", "at_most", "chance", "count", "day", "kept", "listed", "moment", "number", "share", "size"]

MONTHS = "January February March April May June July August September October November December"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def number(x: float) -> str:
    """Write a whole number with commas, any other to six digits; a chance that is almost 1 is not written as 1."""
    if isinstance(x, int):
        return f"{x:,}"
    written = f"{x:.6g}"
    return f"1 - {1.0 - x:.2g}" if written == "1" and x < 1.0 else written


def share(x: float) -> str:
    """Write a part of a whole in per cent, to four digits."""
    return f"{100.0 * x:.4g} %"


def size(n: int) -> str:
    """Write a size in bytes as kilobytes, megabytes or gigabytes."""
    unit, name = (1e9, "GB") if n >= 1e9 else (1e6, "MB") if n >= 1e6 else (1e3, "kB")
    return f"{n / unit:,.1f} {name}"


def moment(written: str) -> str:
    """Write a time, as stores keep it, to the minute."""
    return f"{written[:10]} {written[11:16]} UTC" if written[10:11] == "T" else written


def listed(words: Sequence[str]) -> str:
    """Join words with commas and a final "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def at_least(share: float) -> str:
    """Return a chance in whole per cents, rounded down; a private answer is never certain, so never 100 %.

    Examples
    --------
    >>> at_least(0.8299), at_least(0.99), at_least(0.995), at_least(1.0), at_least(0.0001)
    ('82 %', '99 %', 'more than 99 %', 'more than 99 %', 'less than 1 %')
    """
    if share < 0.01:
        return "less than 1 %"
    return "more than 99 %" if share > 0.99 + 1e-11 else f"{math.floor(100.0 * share + 1e-9)} %"


def at_most(share: float) -> str:
    """Return a share in whole per cents, rounded up; one below 1 is not rounded to 100 %.

    Examples
    --------
    >>> at_most(0.5744), at_most(0.5), at_most(0.9975), at_most(1 - 1e-9), at_most(1.0)
    ('58 %', '50 %', '99.8 %', 'almost 100 %', 'almost 100 %')
    """
    if share > 0.99:
        return f"{math.ceil(1000.0 * share) / 10.0:.1f} %" if share <= 0.999 else "almost 100 %"
    return f"{math.ceil(100.0 * share - 1e-9)} %"


def chance(share: float) -> str:
    """Return a chance in whole per cents, a small one to two digits; one below 1 is not rounded to 100 %.

    Examples
    --------
    >>> chance(0.764601), chance(0.0042), chance(2.3365e-06), chance(1 - 8.3e-10), chance(0.0)
    ('76 %', '0.42 %', '0.00023 %', 'more than 99 %', '0 %')
    """
    if share > 0.99:
        return "more than 99 %" if share < 1.0 else "100 %"
    return f"{100.0 * share:.0f} %" if share >= 0.095 else f"{100.0 * share:.2g} %"


def kept(since: str | None) -> str:
    """Say that an answer was drawn now, or since which time, as stores keep it, it has been kept.

    Examples
    --------
    >>> kept(None), kept("2026-05-03T21:40:50.625Z")
    ('drawn now, and kept', 'kept since 3 May 2026; nothing was drawn')
    """
    return "drawn now, and kept" if since is None else f"kept since {day(since)}; nothing was drawn"


def day(written: str) -> str:
    """Write the day of a time, as stores keep it.

    Examples
    --------
    >>> day("2026-05-03T21:40:50.625Z")
    '3 May 2026'
    """
    year, month, date = written[:10].split("-")
    return f"{int(date)} {MONTHS.split()[int(month) - 1]} {year}"

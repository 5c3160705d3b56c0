"""Cells that hold numbers: from a column of any type to doubles; cells that are not numbers are reported as problems.

A number in text is written in the usual way: digits with an optional decimal point, sign and exponent. ``nan`` and
``inf`` are not numbers, whatever the type of the column: only an empty cell says that there is no number.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from neodp.data.tables.problems import Place, Problems
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_text", "fraction", "number", "numbers", "threshold_share", "values_of", "whole"]

NUMBER = r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"
"""A number as text, without spaces around it."""
WHOLE = r"^[-+]?[0-9]{1,18}$"
"""A whole number as text, without spaces around it, that fits in 64 bits."""


def as_text(value: object) -> str:
    """Return a value as people write it: nothing for null, 1 for 1.0, true for True.

    Examples
    --------
    >>> as_text(True), as_text(2.0), as_text(None)
    ('true', '2', '')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def values_of(column: pa.Array) -> list[Any]:
    """Return the cells of a column as Python's values; one that Python cannot hold is a text that says so.

    Examples
    --------
    >>> import pyarrow as pa
    >>> values_of(pa.array([0, 10**18], pa.timestamp("us")))
    [datetime.datetime(1970, 1, 1, 0, 0), 'a timestamp[us] out of range']
    """
    try:
        found: list[Any] = column.to_pylist()
    except (ArithmeticError, ValueError):
        found = [_value_of(cell) for cell in column]
    return found


def _value_of(cell: pa.Scalar) -> Any:
    try:
        return cell.as_py()
    except (ArithmeticError, ValueError):
        return f"a {cell.type} out of range"


def number(text: str) -> float:
    """Return the number that a text states.

    Raises
    ------
    ValueError
        If the text is not a number, or is a number that no double can hold.

    Examples
    --------
    >>> number(" 0.5 ")
    0.5
    >>> number("1_0")
    Traceback (most recent call last):
    ValueError: not a number: '1_0'
    """
    if not re.match(NUMBER, text.strip()) or math.isinf(found := float(text)):
        raise ValueError(f"not a number: {text!r}")
    return found


def whole(text: str) -> int:
    """Return the whole number that a text states.

    Raises
    ------
    ValueError
        If the text is not a whole number, or has unreasonably many digits.

    Examples
    --------
    >>> whole(" 12"), whole("-3")
    (12, -3)
    >>> whole("1_0")
    Traceback (most recent call last):
    ValueError: not a whole number: '1_0'
    """
    if not re.match(WHOLE, text.strip()):
        raise ValueError(f"not a whole number: {text!r}")
    return int(text)


def fraction(text: str) -> Fraction:
    """Return the exact number that a text states: a decimal number, or a fraction of two whole numbers.

    Raises
    ------
    ValueError
        If the text is neither.

    Examples
    --------
    >>> fraction("2/3"), fraction("0.6")
    (Fraction(2, 3), Fraction(3, 5))
    """
    above, slash, below = text.partition("/")
    if slash and whole(below):
        return Fraction(whole(above), whole(below))
    number(text)
    if re.search(r"[eE][-+]?[0-9]{4}", text):  # 10^1000 as a fraction takes a while, and 10^(10^9) for ever
        raise ValueError(f"not a number: {text!r}")
    return Fraction(text.strip())


def threshold_share(rule: str) -> Fraction:
    """Return the share that a rule as ``threshold:2/3`` states.

    Raises
    ------
    ValueError
        If the text is no such rule, or the share is not from 0 to 1.

    Examples
    --------
    >>> threshold_share("threshold:2/3")
    Fraction(2, 3)
    """
    kind, _, rest = rule.partition(":")
    if kind != "threshold" or not 0 <= (share := fraction(rest)) <= 1:
        raise ValueError(f"not a threshold: {rule!r}")
    return share


def numbers(
    column: pa.Array,
    what: str,
    problems: Problems,
    *,
    hint: str = "give a number",
    place: Place | None = None,
    required: bool = True,
) -> pa.Array:
    """Convert a column to doubles.

    Parameters
    ----------
    column : Arrow array
        Text or numbers.
    what : str
        The content of the column, for messages.
    problems : Problems
        Cells that are not finite numbers are added here, and are 0 in the result.
    hint : str
        The remedy for such cells.
    place : function, optional
        The function that names a row, if it differs from that of `problems`.
    required : bool
        True if an empty cell is a problem; otherwise it is null in the result.

    Raises
    ------
    GraphError
        If the column holds neither text nor numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> problems = Problems("line {}".format)
    >>> numbers(pa.array([" 0.5", "", "half", "nan"]), "epsilon", problems, required=False).to_pylist()
    [0.5, None, 0.0, 0.0]
    >>> problems.raise_if_any()
    Traceback (most recent call last):
    neodp.errors.GraphError: epsilon is not a number, 2 times: line 2 ('half'), line 3 ('nan'); give a number
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = column
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        text = pc.utf8_trim_whitespace(column)
        text = pc.if_else(pc.equal(text, ""), None, text)
        written = pc.match_substring_regex(text, NUMBER)
        column = pc.if_else(written, text, pc.if_else(text.is_valid(), "nan", None)).cast(pa.float64())
    elif pa.types.is_null(column.type) or pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
    else:
        raise GraphError(f"{what} is a column of {column.type}", "give one of numbers")
    finite = pc.fill_null(pc.is_finite(column), True)
    wrong = pc.indices_nonzero(pc.invert(finite)).to_pylist()
    problems.add_rows(what, "not a number", wrong, lambda row: cells[row].as_py(), hint=hint, place=place)
    if required and column.null_count:
        problems.add_rows(what, "missing", pc.indices_nonzero(column.is_null()).to_pylist(), hint=hint, place=place)
        column = pc.fill_null(column, 0.0)
    return pc.if_else(finite, column, 0.0)

"""The picture of a report: the question, the answer, and how often such an answer is right, as one SVG element.

The picture needs no library, no font and no script, is the same in every run, and can be copied out of the page.
"""

from __future__ import annotations

import math
import textwrap
from html import escape

from neodp.report.accuracy import AWAY, SURE, AnswerAccuracy, margin_text

__all__ = ["ALIKE", "NARROW", "WIDTH", "answer_lines", "picture"]

WIDTH, NARROW, LEFT, RIGHT, TALL = 720, 360, 64, 24, 250
"""The usual width and that for a phone, the margins at the left and right, and the height of the diagram."""

LINES = 12
"""The greatest number of lines of an answer."""

DARK, LIGHT = 'stroke="#1c2733" stroke-width="2"', 'stroke="#7aa5c9" stroke-width="5" stroke-opacity="0.6"'
LEAST, ALIKE = "at least, whatever the data are", "if people of every epsilon answer alike"
"""The two lines of the diagram, and what they show."""


def picture(question: str, answer: str, accuracy: AnswerAccuracy | None, width: int = WIDTH) -> str:
    """Return the picture as an SVG element. Letters have the same size at every width.

    Examples
    --------
    >>> picture("Is tea better?", "yes", None).startswith("<svg ")
    True
    """
    lines = textwrap.wrap(question, 62 if width == WIDTH else 27)[: 4 * WIDTH // width] or [""]
    shown, size = answer_lines(answer, width)
    top = 34 + 26 * len(lines) + 44 + (size + 6) * (len(shown) - 1)
    parts = [
        f'<text x="24" y="{36 + 26 * i}" font-size="19" font-weight="600">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    for i, line in enumerate(shown):
        place = f'x="24" y="{top - 20 - (size + 6) * (len(shown) - 1 - i)}" font-size="{size}"'
        parts.append(f'<text {place} font-weight="700" fill="#b3400d">{escape(line)}</text>')
    height = top + 10
    if accuracy is not None and accuracy.curve:
        drawn, height = _diagram(accuracy, top + 14, width)
        parts += drawn
    said = escape(f"{question} Answer: {answer}.", quote=True)
    kind = "wide" if width == WIDTH else "narrow"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="0 0 {width} {height}" role="img" '
    style = f'aria-label="{said}" font-family="system-ui, sans-serif" fill="#1c2733">'
    back = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head + style, back, *parts, "</svg>"])


def answer_lines(answer: str, width: int = WIDTH) -> tuple[list[str], int]:
    """Return the answer in lines, and the size of its letters: a long one, such as several counts, has smaller ones.

    Examples
    --------
    >>> answer_lines("yes"), answer_lines("; ".join(f"{i}: 10 to 19" for i in range(5)))
    ((['yes'], 30), (['0: 10 to 19; 1: 10 to 19; 2: 10 to 19; 3: 10 to 19;', '4: 10 to 19'], 20))
    """
    if len(answer) <= width * 40 // WIDTH:
        return [answer], 30
    whole = "; ".join(part.replace(" ", "\u00a0") for part in answer.split("; ")) if "; " in answer else answer
    lines = textwrap.wrap(whole, width * 56 // WIDTH, max_lines=LINES, placeholder=" …")
    return [line.replace("\u00a0", " ") for line in lines], 20


def _diagram(accuracy: AnswerAccuracy, top: int, width: int) -> tuple[list[str], int]:
    """Return the accuracy by margin, and where it ends: a line for the least chance, one for evenly spread votes."""
    first, last = accuracy.curve[0][0], accuracy.curve[-1][0]
    wide, inner = width == WIDTH, width - LEFT - RIGHT
    heading = textwrap.wrap(accuracy.heading, 90 if wide else 42)
    parts = [_text(24, top + 18 * i, 14, words) for i, words in enumerate(heading)]
    top += 18 * (len(heading) - 1)

    def x(margin: float) -> float:
        return LEFT + inner * (margin - first) / ((last - first) or 1)

    def y(share: float) -> float:
        return top + 16 + (TALL - 16) * (1.0 - share)

    def line(points: list[tuple[float, float]], style: str) -> str:
        path = " ".join(f"{x(margin):.1f},{y(share):.1f}" for margin, share in points)
        return f'<polyline points="{path}" fill="none" {style}/>'

    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        ends = f'x1="{LEFT}" x2="{width - RIGHT}" y1="{y(share):.1f}" y2="{y(share):.1f}"'
        parts += [f'<line {ends} stroke="#d8dee4"/>', _text(LEFT - 8, y(share) + 4, 12, f"{100 * share:.0f} %", "end")]
    even = [(margin, share) for margin, _, share in accuracy.curve if share is not None]
    if even:
        parts.append(line(even, LIGHT))
    parts.append(line([(margin, least) for margin, least, _ in accuracy.curve], DARK))
    if accuracy.sure_from is not None and accuracy.sure_from <= last:
        at = x(accuracy.sure_from)
        sure = margin_text(accuracy.sure_from)
        since = f"epsilon {sure}" if accuracy.unit.startswith("epsilon") else f"{sure} {accuracy.unit}"
        said = f"19 times in 20 {f'at most {since} away' if accuracy.what == AWAY else f'from {since} on'}"
        anchor = "start" if at < width - (230 if wide else 140) else "end"
        parts.append(f'<circle cx="{at:.1f}" cy="{y(SURE):.1f}" r="5" fill="#b3400d"/>')
        for i, words in enumerate(textwrap.wrap(said, 80 if wide else 16)):
            place = at + (10 if anchor == "start" else -10)
            parts.append(_text(place, y(SURE) + 22 + 17 * i, 13, words, anchor, 'fill="#b3400d"'))
    for margin in _ticks(first, last, 8 if wide else 4):
        parts.append(_text(x(margin), y(0) + 18, 12, margin_text(margin), "middle"))
    bottom = int(y(0)) + 38
    parts.append(_text(width - RIGHT, bottom, 12, accuracy.unit + " away" * (accuracy.what == AWAY), "end"))
    for style, words in ((DARK, LEAST), (LIGHT, ALIKE))[: 2 if even else 1]:
        bottom += 20
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + 26}" y1="{bottom - 4}" y2="{bottom - 4}" {style}/>')
        parts.append(_text(LEFT + 34, bottom, 12, words))
    return parts, bottom + 18


def _ticks(first: float, last: float, most: int) -> list[float]:
    """Return the ends of an axis, and round numbers between them that are not too near to the ends.

    Examples
    --------
    >>> _ticks(1, 46, 8), _ticks(0.0, 9.4, 4), _ticks(3, 3, 8)
    ([1, 10, 20, 30, 40, 46], [0.0, 5.0, 9.4], [3])
    """
    whole = isinstance(last, int)
    sizes = [size * 10.0**power for power in range(-3, 10) for size in (1, 2, 5)]
    step = next(size for size in sizes if (last - first) / size < most and (size >= 1 or not whole))
    inside = [step * i for i in range(math.ceil(first / step), math.floor(last / step) + 1)]
    between = [each for each in inside if min(each - first, last - each) >= 0.6 * step]
    return sorted({first, *(int(each) if whole else each for each in between), last})


def _text(x: float, y: float, size: int, words: str, anchor: str = "start", more: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}"' + f' text-anchor="{anchor}"' * (anchor != "start")
    return f"<text {' '.join(filter(None, (place, more)))}>{escape(words)}</text>"

"""The picture of a report: the question, the answer, and how often such an answer is right, as one SVG element.

The picture needs no library, no font and no script, is the same in every run, and can be copied out of the page.
"""

from __future__ import annotations

import textwrap
from html import escape

from neodp.report.accuracy import AWAY, RIGHTNESS, SURE, AnswerAccuracy, margin_text

__all__ = ["NARROW", "WIDTH", "answer_lines", "picture"]

WIDTH, NARROW, LEFT, RIGHT, TALL = 720, 360, 64, 24, 250
"""The usual width and that for a phone, the margins at the left and right, and the height of the diagram."""

LINES = 12
"""The greatest number of lines of an answer."""


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
        parts += _diagram(accuracy, top + 14, width)
        height = top + TALL + (76 if width == WIDTH else 112)
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
    lines = textwrap.wrap(whole, width * 60 // WIDTH, max_lines=LINES, placeholder=" …")
    return [line.replace("\u00a0", " ") for line in lines], 20


def _diagram(accuracy: AnswerAccuracy, top: int, width: int) -> list[str]:
    """Return the accuracy by margin: a line for the least chance, and one for evenly spread votes."""
    first, last = accuracy.curve[0][0], accuracy.curve[-1][0]
    inner = width - LEFT - RIGHT

    def x(margin: float) -> float:
        return LEFT + inner * (margin - first) / ((last - first) or 1)

    def y(share: float) -> float:
        return top + 16 + (TALL - 16) * (1.0 - share)

    def line(points: list[tuple[float, float]], style: str) -> str:
        path = " ".join(f"{x(margin):.1f},{y(share):.1f}" for margin, share in points)
        return f'<polyline points="{path}" fill="none" {style}/>'

    heading = textwrap.wrap(accuracy.heading, 90 if width == WIDTH else 42)
    top += 18 * (len(heading) - 1)
    parts = [
        f'<text x="24" y="{top + 18 * (i + 1 - len(heading))}" font-size="14">{words}</text>'
        for i, words in enumerate(heading)
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(
            f'<line x1="{LEFT}" x2="{width - RIGHT}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#d8dee4"/>'
        )
        parts.append(f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" font-size="12" text-anchor="end">{share:.0%}</text>')
    even = [(margin, share) for margin, _, share in accuracy.curve if share is not None]
    if even:
        parts.append(line(even, 'stroke="#7aa5c9" stroke-width="5" stroke-opacity="0.6"'))
    parts.append(line([(margin, least) for margin, least, _ in accuracy.curve], 'stroke="#1c2733" stroke-width="2"'))
    if accuracy.sure_from is not None and accuracy.sure_from <= last:
        at = x(accuracy.sure_from)
        said = f"19 times in 20 from {margin_text(accuracy.sure_from)} {accuracy.unit.removeprefix('total ')} on"
        if accuracy.heading == AWAY:
            said = f"19 times in 20 at most {margin_text(accuracy.sure_from)} people away"
        anchor = "start" if at < width - (230 if width == WIDTH else 140) else "end"
        parts.append(f'<circle cx="{at:.1f}" cy="{y(SURE):.1f}" r="5" fill="#b3400d"/>')
        for i, words in enumerate(textwrap.wrap(said, 80 if width == WIDTH else 16)):
            place = f'x="{at + (10 if anchor == "start" else -10):.1f}" y="{y(SURE) + 22 + 17 * i:.1f}"'
            parts.append(f'<text {place} font-size="13" fill="#b3400d" text-anchor="{anchor}">{words}</text>')
    middle = round((first + last) / 2) if isinstance(last, int) else (first + last) / 2
    for margin in sorted({first, middle, last}):
        end = "end" if margin == last > first else "middle"
        place = f'x="{x(margin):.1f}" y="{y(0) + 18:.1f}" font-size="12" text-anchor="{end}"'
        parts.append(f"<text {place}>{margin_text(margin)}</text>")
    both = "dark: at least; light: if people of every epsilon vote alike" if even else "at least"
    axis = {RIGHTNESS: f"margin in {accuracy.unit} ({both})", AWAY: f"{accuracy.unit} away ({both})"}
    for i, part in enumerate(textwrap.wrap(axis.get(accuracy.heading, accuracy.unit), 90 if width == WIDTH else 44)):
        parts.append(
            f'<text x="{LEFT if width == WIDTH else 24}" y="{y(0) + 40 + 17 * i:.1f}" font-size="12">{part}</text>'
        )
    return parts

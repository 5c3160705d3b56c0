"""A self-contained HTML page with a picture and tables."""

from __future__ import annotations

from collections.abc import Iterable

from neodp.plot.text import escaped

__all__ = ["page", "table"]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1200px; margin: 2em auto; padding: 0 1em; }}
svg {{ width: 100%; height: auto; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
caption {{ text-align: left; font-weight: bold; padding: .4em 0; }}
th, td {{ padding: .25em .9em .25em 0; text-align: left; border-bottom: 1px solid #ddd; }}
</style>
</head>
<body>
<h1>{title}</h1>
<figure style="margin: 0">
{picture}
</figure>
{tables}
</body>
</html>
"""


def page(title: str, picture: bytes, tables: Iterable[str]) -> bytes:
    """Return a page with an SVG picture and tables, as UTF-8."""
    svg = picture.decode()
    return PAGE.format(title=escaped(title), picture=svg[svg.index("<svg") :], tables="\n".join(tables)).encode()


def table(caption: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in HTML; a header of empty cells is left out."""
    top = "".join(f"<th>{escaped(cell)}</th>" for cell in head)
    lines = ["".join(f"<td>{escaped(cell)}</td>" for cell in row) for row in rows]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    header = f"<thead><tr>{top}</tr></thead>\n" if any(head) else ""
    return f"<table>\n<caption>{escaped(caption)}</caption>\n{header}<tbody>\n{body}\n</tbody>\n</table>"

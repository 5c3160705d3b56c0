"""From a figure to a file: which file names are allowed, and how the file is written."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from neodp.data.files import private
from neodp.errors import GraphError
from neodp.plot.style import DPI
from neodp.plot.text import escaped, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "PICTURES", "checked_path", "rendered", "save"]

FORMATS = (".svg", ".png", ".pdf", ".html")
"""The suffixes of files that a picture with tables can be written to."""
PICTURES = FORMATS[:3]
"""The suffixes of files that hold a picture alone."""


def checked_path(path: str | PathLike[str], formats: tuple[str, ...] = FORMATS) -> Path:
    """The path of a file that a picture can be written to.

    Raises
    ------
    GraphError
        If the suffix is not one of `formats`, or the folder does not exist.
    """
    target = Path(path)
    if target.suffix.lower() not in formats:
        what = f"files of kind {target.suffix!r}" if target.suffix else f"{str(target)!r}, which has no suffix,"
        raise GraphError(f"{what} cannot be drawn", f"use {', '.join(formats[:-1])} or {formats[-1]}")
    if not target.parent.is_dir():
        raise GraphError(f"the folder {str(target.parent)!r} does not exist", "make it, or choose another file")
    return target


def rendered(figure: Figure, kind: str, alt: str) -> bytes:
    """A figure as the content of an ``svg``, ``png`` or ``pdf`` file; without a date: the same figure, the same bytes.

    `alt` says what the picture shows, for who cannot see it: it is the title of an .svg, and kept in the other files.
    """
    buffer, said = io.BytesIO(), printable(alt)
    kept = {
        "svg": {"Date": None, "Title": said},
        "png": {"Description": said},
        "pdf": {"CreationDate": None, "Subject": said},
    }[kind]
    figure.savefig(buffer, format=kind, dpi=DPI, metadata=kept)
    if kind != "svg":
        return buffer.getvalue()
    return buffer.getvalue().replace(b"<svg ", f'<svg role="img" aria-label="{escaped(alt)}" '.encode(), 1)


def save(target: Path, picture: bytes) -> None:
    """Write the file, for its owner only: a picture shows what is stored.

    Raises
    ------
    GraphError
        If the file cannot be written.
    """
    with private(target) as file:
        file.write(picture)

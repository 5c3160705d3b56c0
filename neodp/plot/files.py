"""Output of figures: the allowed file names, and the writing of files."""

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
    """Return the path of a file, after checking that a picture can be written to it.

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
    """Render a figure as the content of an ``svg``, ``png`` or ``pdf`` file.

    The content has no date, so that the same figure gives the same bytes. `alt` describes the picture for people who
    cannot see it: it becomes the title of an .svg file, and is part of the metadata of other files.
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
    """Write the file, readable by its owner only, since a picture shows stored data.

    Raises
    ------
    GraphError
        If the file cannot be written.
    """
    with private(target) as file:
        file.write(picture)

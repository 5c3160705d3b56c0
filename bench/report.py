"""Output of the benchmarks: the machine and its versions, and aligned tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

__all__ = ["machine", "megabytes", "met", "seconds", "show", "table", "times"]

PACKAGES = ("numpy", "numba", "scipy", "networkx", "rustworkx", "igraph", "opendp", "scikit-learn")


def machine() -> str:
    """Return a description of the machine, its load, and the versions of its software."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GiB, {platform.system()}; load average {load}\n"
        f"Python {platform.python_version()}, {versions}"
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table; the first column is flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]) + " |"

    rule = "|" + "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])]) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def show(*blocks: str) -> None:
    """Print blocks at once, with an empty line after each."""
    print("\n\n".join(blocks) + "\n", flush=True)


def seconds(x: float) -> str:
    """Return a time in seconds, to three digits."""
    return f"{x:.4f}" if x < 0.1 else f"{x:.3f}" if x < 1 else f"{x:.2f}" if x < 10 else f"{x:.1f}"


def times(x: float) -> str:
    """Return a ratio as text."""
    return f"{x:.3f}x" if x < 0.1 else f"{x:.2f}x" if x < 1 else f"{x:.1f}x" if x < 10 else f"{x:.0f}x"


def megabytes(x: float) -> str:
    """Return a size in bytes as text in megabytes."""
    return f"{x / 1e6:.0f}"


def met(reached: bool) -> str:
    """Return the word for an aim that was reached or missed."""
    return "met" if reached else "missed"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())

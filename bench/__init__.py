"""Side-by-side benchmarks: ``python -m bench``.

Each benchmark is a module of this package with a function ``run(quick: bool) -> None`` that measures and
prints; its docstring says what is measured and how. Its name stands in :data:`BENCHMARKS`. Timings depend on
the machine and on what else runs there; the ratios within one run are what to look at.
"""

from __future__ import annotations

__all__ = ["BENCHMARKS"]

BENCHMARKS: tuple[str, ...] = (
    "start",
    "core",
    "growth",
    "blocks",
    "spark",
    "rainbow",
    "stores",
    "load",
    "ball",
    "plugin",
    "poll",
    "stretch",
)
"""The modules to run, in this order."""

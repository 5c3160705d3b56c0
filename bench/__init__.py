"""Side-by-side benchmarks: ``python -m bench``.

Each benchmark is a module of this package with a function ``run(quick: bool) -> None`` that measures and prints; its
docstring says what is measured and how. Its name is listed in :data:`BENCHMARKS`. Timings depend on the machine and its
load; compare the ratios within one run.
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
    "optimum",
    "stores",
    "load",
    "ball",
    "plugin",
    "poll",
    "ask",
    "stretch",
)
"""The modules to run, in this order."""

"""The pictures of README and docs that neodp draws itself: ``python -m tools.pictures`` draws them again.

Screenshots of the explorer are made by ``make screenshots``, with a browser.
"""

from __future__ import annotations

from pathlib import Path

import neodp
from neodp.plot import plot

__all__ = ["draw"]

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def draw(folder: Path = IMAGES) -> list[Path]:
    """Draw all pictures in a folder, and return their paths."""
    graphs = {
        "three-voters": neodp.generate.three_voters(),
        "survey": neodp.generate.counts([20, 30, 10], epsilon=[0.1, 0.5, 1.0]),
        "path": neodp.generate.path(13, epsilon=0.7),
    }
    drawn = []
    for name, graph in graphs.items():
        mechanism = neodp.extend(graph.with_alpha(neodp.balanced(graph)))
        drawn.append(folder / f"{name}.svg")
        drawn[-1].unlink(missing_ok=True)
        plot(mechanism, drawn[-1])
        drawn[-1].chmod(0o644)  # public, unlike pictures of stored data
    return drawn


if __name__ == "__main__":
    for path in draw():
        print(path.name)

"""The pictures of README and docs that neodp draws itself: ``python -m tools.pictures`` draws them again.

Screenshots of the explorer are made by ``make screenshots``, with a browser.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import neodp
from neodp.plot import plot
from neodp.report import report
from neodp.report.picture import picture

__all__ = ["draw", "report_picture"]

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
    drawn.append(folder / "report.svg")
    drawn[-1].write_text(report_picture(), encoding="utf-8")
    return drawn


def report_picture() -> str:
    """Return the picture of a report about 300 people with three levels of privacy, whose answer is yes."""
    people = {"v": ["yes"] * 300, "e": [2.0, 1.0, 0.3] * 100}
    survey = neodp.poll(people, vote="v", epsilon="e", mechanism="weighted")
    with tempfile.TemporaryDirectory() as empty, neodp.open_store(Path(empty) / "answers.db") as store:
        survey.release(store, "spring")
        (answer,) = report(store, "spring").answers
    return picture("Should the office close on Fridays?", "yes", answer.accuracy)


if __name__ == "__main__":
    for path in draw():
        print(path.name)

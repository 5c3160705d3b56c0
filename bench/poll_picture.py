"""``python -m bench.poll_picture FILE.svg``: accuracy by margin, of both polls of neodp and of other methods.

The people are those of the first row of ``python -m bench poll``: ten with epsilon 0.1, ten with 1 and eleven with 2.
At a margin, the accuracy is the mean over all tables of votes with that margin, under the even prior; the sums are
exact. Lines that coincide are distinguished by their marks.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom

from bench.poll_rivals import Rival, rivals
from neodp.data.validation import Floats
from neodp.plot.files import PICTURES, checked_path, rendered, save
from neodp.plot.style import DASHES, DPI, shades_of, styled
from neodp.polls import Group, Poll, Threshold
from neodp.polls.comparison import preview
from neodp.polls.prior import Prior

__all__ = ["draw", "main", "neodps"]

MARKS = ("v", "o", "x", "s")
"""The marks of the rivals, one each."""
GROUPS = (Group(0.1, 10), Group(1.0, 10), Group(2.0, 11))


def neodps(groups: tuple[Group, ...], query: str = "majority") -> list[Rival]:
    """Return both polls of neodp as rivals: expected accuracy, and accuracy by how many people say yes."""
    found = preview(groups, query)
    each = (("balanced", found.balanced), ("weighted", found.weighted))
    return [Rival(name, facts.expected, facts.method, _by_yes(facts.poll)) for name, facts in each]


def _by_yes(poll: Poll) -> Floats:
    """Return the mean chance of the true answer over all tables, for each number of people who say yes."""
    right, likely = np.zeros((2, poll.people + 1))
    laws = [binom(group.size, 0.5).pmf(np.arange(group.size + 1)).tolist() for group in poll.groups]
    for yes in itertools.product(*(range(group.size + 1) for group in poll.groups)):
        counts = np.array([[y, group.size - y] for y, group in zip(yes, poll.groups, strict=True)])
        chance = math.prod(law[y] for law, y in zip(laws, yes, strict=True))
        likely[sum(yes)] += chance
        right[sum(yes)] += chance * poll.distribution(counts)[poll.truth(counts)]
    found: Floats = right / likely
    return found


def draw(path: Path) -> Path:
    """Write the picture."""
    from matplotlib.figure import Figure

    both = neodps(GROUPS)
    poll = preview(GROUPS).balanced.poll
    assert isinstance(poll, Threshold)
    ways = [*both, *rivals(poll, Prior())]
    names = [way.name for way in ways]
    margins = np.arange(1, 11)
    target = checked_path(path, PICTURES)
    with styled():
        figure = Figure((7.2, 4.8), DPI, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title("10 people with epsilon 0.1, 10 with 1, 11 with 2: do at least 16 say yes?")
        for i, (way, shade) in enumerate(zip(ways, shades_of(names), strict=True)):
            accuracy = (way.right[poll.needed - 1 + margins] + way.right[poll.needed - margins]) / 2.0
            mine = i < len(both)
            label = f"{way.name} (expected {way.expected:.3f})"
            line, mark = (DASHES[0], "") if mine else (DASHES[1], MARKS[i - len(both)])
            axes.plot(margins, accuracy, color=shade, lw=2.2 if mine else 1.2, ls=line, marker=mark, ms=6, label=label)
        axes.set_ylim(0.45, 1.01)
        axes.set_xlabel("margin: how many people would have to vote otherwise to change the true answer")
        axes.set_ylabel("chance of the true answer")
        axes.legend(loc="lower right", fontsize=8)
        alt = "Accuracy by margin: " + ", ".join(f"{way.name} {way.expected:.3f} expected" for way in ways)
        save(target, rendered(figure, target.suffix[1:], alt))
    return target


def main() -> None:
    """Draw to the file named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("python -m bench.poll_picture FILE.svg")
    print(draw(Path(sys.argv[1])))


if __name__ == "__main__":
    main()

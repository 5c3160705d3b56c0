"""A picture of a question with several outcomes before it is answered: how far off an answer is, or how often right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neodp.plot.style import DASHES, DPI, shades_of
from neodp.plot.text import shortened
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.outcomes.survey import outcome_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from neodp.polls.outcomes.figures import OutcomeAccuracy

__all__ = ["outcome_alt", "outcome_figure"]

POINTS = 40
"""The number of margins at which a guarantee is drawn."""


def outcome_alt(question: OutcomeQuestion) -> str:
    """Describe the picture for people who cannot see it."""
    return f"The accuracy of a poll: {question.question} {outcome_figures(question)}."


def outcome_figure(question: OutcomeQuestion, title: str) -> Figure:
    """Return the picture: of a count, the chance to be off by at most so many people; else the accuracy by margin."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    both = {"balanced": question.both.balanced, "weighted": question.both.weighted}
    if both["weighted"] is both["balanced"]:
        both.pop("weighted")
    figure = Figure((7.2, 4.4), DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(shortened(title, 90))
    counted = isinstance(question.first, Count)
    for (name, facts), shade in zip(both.items(), shades_of(list(both)), strict=True):
        if counted:
            off, chance = np.array(facts.errors).T
            axes.step(off, chance, where="post", color=shade, lw=2, label=f"{name}, if votes are as the prior says")
        else:
            label = f"{name} (expected {facts.expected:.3f}, if votes are as the prior says)"
            axes.axhline(facts.expected, color=shade, lw=4.5, alpha=0.45, label=label)
        margins = _margins(facts, counted)
        if margins:
            least = [facts.sure_within(m) if counted else facts.at(m) for m in margins]
            axes.plot(margins, least, color=shade, ls=DASHES[1], lw=1.6, zorder=3, label=f"{name}, whatever the votes")
    axes.set_ylim(-0.02, 1.02)
    margin = "margin: how many people would have to answer otherwise to change the true outcome"
    axes.set_xlabel("off by at most so many people" if counted else margin)
    axes.set_ylabel("chance" if counted else "chance of the true outcome")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower right")
    return figure


def _margins(facts: OutcomeAccuracy, counted: bool) -> list[int]:
    """Return the margins, or numbers of people, at which a guarantee is drawn: none if there is no guarantee."""
    if not facts.fair:
        return []
    most = facts.certain if counted else facts.margin_for(0.999)
    found: list[int] = np.unique(np.linspace(0 if counted else 1, most or facts.people, POINTS).astype(int)).tolist()
    return found

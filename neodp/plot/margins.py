"""A picture of a poll before it is answered: the accuracy of both mechanisms by margin."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neodp.data.kinds import checked
from neodp.plot.files import PICTURES, checked_path, rendered, save
from neodp.plot.outcomes import outcome_alt, outcome_figure
from neodp.plot.style import DASHES, DPI, shades_of, styled
from neodp.plot.text import shortened
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.outcomes.survey import OutcomeSurvey
from neodp.polls.survey import Survey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from neodp.polls import PollQuestion

__all__ = ["plot_poll"]

POINTS = 40
"""The number of margins at which the accuracy is drawn."""


@checked
def plot_poll(
    poll: Survey | PollQuestion | OutcomeQuestion, path: str | PathLike[str], *, title: str | None = None
) -> Path:
    """Write a picture of the accuracy of both mechanisms by margin; it does not depend on any vote.

    For a count, it is the chance of being off by at most that many people.

    Parameters
    ----------
    poll : Survey, PollQuestion or OutcomeQuestion
        A poll, whose first question is drawn, or one question of a poll.
    path : str or path
        The file to write: ``.svg``, ``.png`` or ``.pdf``.
    title : str, optional
        The title; by default the question in words.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> import neodp
    >>> survey = neodp.poll({"vote": ["yes", "no", "yes"]}, vote="vote", epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_poll(survey, Path(folder, "poll.svg")).name
    'poll.svg'
    """
    target = checked_path(path, PICTURES)
    asked: PollQuestion | OutcomeQuestion
    if isinstance(poll, Survey):
        asked = poll.inquiries[0] if isinstance(poll, OutcomeSurvey) else poll.questions[0]
    else:
        asked = poll
    with styled():
        if isinstance(asked, OutcomeQuestion):
            figure, alt = outcome_figure(asked, title or asked.question), outcome_alt(asked)
        else:
            figure, alt = _figure(asked, title or asked.balanced.question), _alt(asked)
        picture = rendered(figure, target.suffix.lower()[1:], alt)
    save(target, picture)
    return target


def _alt(question: PollQuestion) -> str:
    """Describe the picture for people who cannot see it."""
    both = question.both
    return (
        f"The accuracy of a poll by margin: {question.balanced.question} Expected accuracy: balanced "
        f"{both.balanced.expected:.3f}, weighted {both.weighted.expected:.3f}."
    )


def _figure(question: PollQuestion, title: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    both = {"balanced": question.both.balanced, "weighted": question.both.weighted}
    if both["weighted"] is both["balanced"]:
        both.pop("weighted")
    certain = question.balanced.margin_for(0.999) or question.balanced.largest_margin
    margins = np.unique(np.linspace(1, max(1, certain), POINTS).astype(int)).tolist()
    figure = Figure((7.2, 4.4), DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(shortened(title, 90))
    for (name, facts), shade in zip(both.items(), shades_of(list(both)), strict=True):
        known = [facts.poll.at(margin) for margin in margins] if question.balanced.largest_margin else []
        drawn = margins if known else []
        label = f"{name} (expected {facts.expected:.3f})"
        even = [each.even for each in known if each.even is not None]
        if len(even) == len(known):  # a wide line under a narrow one: both can be seen where they coincide
            axes.plot(drawn, even, color=shade, lw=4.5, alpha=0.45, label=f"{label}, evenly spread")
        worst = [each.worst for each in known]
        axes.plot(drawn, worst, color=shade, ls=DASHES[1], lw=1.6, zorder=3, label=f"{name}, at least")
    axes.axhline(1 / len(question.balanced.options), color="0.5", lw=0.8)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("margin: how many people would have to vote otherwise to change the true answer")
    axes.set_ylabel("chance of the true answer")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower right")
    return figure

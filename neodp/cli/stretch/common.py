"""What the commands of ``neodp stretch`` share: their arguments, and how a cost is shown."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import typer

from neodp.errors import PrivacyError
from neodp.stretch.similarities import Cost, Measure

__all__ = ["Measured", "Profile", "cost_as_json", "cost_in_words", "numbers"]

DELTA = 1e-6
"""With which delta costs are shown too."""

Profile: TypeAlias = Annotated[str, typer.Argument(help="The profiles' name.", metavar="PROFILE")]
Measured: TypeAlias = Annotated[
    Measure, typer.Option("--measure", help="cosine-public-sizes: without noise on how many items a user likes.")
]


def numbers(option: str, text: str) -> list[float]:
    """Numbers that are joined by commas."""
    try:
        return [float(x) for x in text.split(",")]
    except ValueError:
        raise PrivacyError(f"{option} is {text!r}", "give numbers joined by commas") from None


def cost_as_json(cost: Cost) -> dict[str, Any]:
    """A cost as numbers."""
    loose = {"epsilon": cost.at(DELTA), "delta": DELTA}
    return {"epsilon": cost.epsilon, "releases": cost.releases, "epsilon_total": cost.total, "approximate": loose}


def cost_in_words(who: str, cost: Cost) -> str:
    """A cost as a sentence."""
    loose = f" ({cost.at(DELTA):.4g} with delta {DELTA:g})" if cost.at(DELTA) < cost.total else ""
    return (
        f"cost to {who}: {cost.releases:,} × epsilon {cost.epsilon:.4g} = {cost.total:.4g}{loose} "
        "for an item of weight 1, less for less; asking again costs again"
    )

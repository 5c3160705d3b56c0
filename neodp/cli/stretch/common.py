"""Code that the commands of ``neodp stretch`` share: their arguments, and the display of costs."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, TypeAlias

import typer

from neodp.cli.roles import require_limit
from neodp.data.formatting import count, number
from neodp.data.names import valid_name
from neodp.data.tables import number as number_of
from neodp.errors import OtherQuestion, PrivacyError
from neodp.ledger.account import epsilon_rounded_up
from neodp.ledger.question import Level, Question
from neodp.ledger.release import NOT_KEPT, Release
from neodp.store import Store
from neodp.stretch.similarities import Cost, Measure

__all__ = ["Measured", "Named", "Profile", "cost_as_json", "cost_in_words", "numbers", "spend"]

DELTA = 1e-6
"""The delta at which costs are also shown."""

Profile: TypeAlias = Annotated[str, typer.Argument(help="The name of the profiles.", metavar="PROFILE")]
Measured: TypeAlias = Annotated[
    Measure, typer.Option("--measure", help="dot: the scalar product. cosine: divided by both norms, with noise too.")
]


Named: TypeAlias = Annotated[
    str | None, typer.Option("--release", help="A name for it in `neodp releases`.", metavar="NAME")
]


def spend(store: Store, profile: str, what: str, command: str, levels: tuple[Level, ...], name: str | None) -> None:
    """Charge the population of a profile for numbers that are about to be drawn.

    The numbers themselves are not stored, so each name can be used only once.

    Raises
    ------
    BudgetSpent
        If the population's limit leaves no room for the numbers.
    OtherQuestion
        If the name was used before.
    """
    token = secrets.token_hex(8)
    population = valid_name("population", store.profiles.ready(profile).population)
    require_limit(store, population)
    called = f"{what} {token[:8]}" if name is None else valid_name("release", name)
    question = Question(f"profile {profile}", {"what": what, "token": token}, levels, population, command)
    release = Release.of(question, called, NOT_KEPT)
    (kept,) = store.keep([release])
    if kept.asked != release.asked:
        raise OtherQuestion(
            f"release {release.name!r} of {profile!r} was given already, and its numbers were not kept",
            "give these another name",
        )


def numbers(option: str, text: str) -> list[float]:
    """Read numbers joined by commas."""
    try:
        return [number_of(x) for x in text.split(",")]
    except ValueError:
        raise PrivacyError(f"{option} is {text!r}", "give numbers joined by commas") from None


def cost_as_json(cost: Cost) -> dict[str, Any]:
    """Return a cost as numbers."""
    loose = {"epsilon": cost.at(DELTA), "delta": DELTA}
    return {"epsilon": cost.epsilon, "releases": cost.releases, "epsilon_total": cost.total, "approximate": loose}


def cost_in_words(who: str, cost: Cost) -> str:
    """Return a cost as a sentence."""
    less = cost.at(DELTA)
    loose = f" ({epsilon_rounded_up(less)} with delta {DELTA:g})" if less < 0.99 * cost.total else ""
    price = f"{count(cost.releases, 'number')} × epsilon {number(cost.epsilon)} = {number(cost.total)}{loose}"
    return (
        f"cost to {who}: {price} for an item of weight 1, and less for an item of less weight; "
        "asking again costs the same again"
    )

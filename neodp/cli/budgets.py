"""Commands for what was answered and what may still be answered: releases, budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from neodp.cli.common import Session, say, show, table
from neodp.cli.options import Json
from neodp.data.formatting import count, moment
from neodp.data.names import require_length
from neodp.data.tables import number, whole
from neodp.data.validation import MAX_EPSILON, caution
from neodp.errors import GraphError, near
from neodp.ledger.account import Ledger, Limit, Spent, epsilon_rounded_up
from neodp.ledger.question import DEFAULT, Level
from neodp.ledger.release import Release
from neodp.store import Store

__all__ = ["budget", "releases"]

DELTA = 1e-6
"""The delta at which costs are shown next to the plain sums."""


def releases(
    context: typer.Context,
    graph: Annotated[
        str | None, typer.Argument(help="A graph, or a poll as shown in the list. Default: all.", metavar="GRAPH")
    ] = None,
    allow: Annotated[
        int | None, typer.Option(min=0, help="The same as `neodp budget POPULATION --releases N`.", metavar="N")
    ] = None,
    registry: Annotated[
        bool,
        typer.Option("--registry", help="Write an entry for the public registry of deployments instead, as YAML."),
    ] = False,
    json: Json = False,
) -> None:
    """Show the answers given, with the commands that asked for them, and how many releases are left.

    Example: `neodp releases`

    Example: `neodp releases survey`

    Example: `neodp releases --registry > deployment.yaml`
    """
    session: Session = context.obj
    with session.open() as store:
        if registry:
            _registry(store, graph, json)
            return
        if graph is None:
            if allow is not None:
                raise GraphError("--allow is for one population", "give a graph, or use 'neodp budget --releases N'")
            found = [release for name in store.populations() for release in store.ledger(name).releases]
            show({"releases": [_as_json(release) for release in found]}, json, lambda: _list(found))
            return
        ledger = store.ledger(_population(store, graph))
        if allow is not None:
            ledger = store.change_limit(ledger.population, releases=allow)
    mine = [release for release in ledger.releases if release.graph == graph]
    facts = {
        "graph": graph,
        "population": ledger.population,
        "max_releases": ledger.limit.releases,
        "used": ledger.used,
        "left": ledger.left,
        "releases": [_as_json(release) for release in mine],
    }

    def text() -> None:
        if allow is not None:
            _costs(ledger)
        say(_used(ledger))
        if mine:
            _list(mine)

    show(facts, json, text)


def _registry(store: Store, graph: str | None, json: bool) -> None:
    """Show the entry for the public registry of deployments."""
    from neodp.report import registry

    names = store.populations() if graph is None else [_population(store, graph)]
    ledgers = [store.ledger(name) for name in names]
    found, answers = registry.entry(ledgers, graph), registry.nist(ledgers)
    show({"entry": found, "nist": answers}, json, lambda: say(registry.yaml(found, answers).rstrip()))


def budget(
    context: typer.Context,
    population: Annotated[
        str | None,
        typer.Argument(help="Whose data it is. Default: default, and a list of all populations.", metavar="POPULATION"),
    ] = None,
    releases: Annotated[
        str | None,
        typer.Option(help="Limit the number of releases; none removes this limit.", metavar="N|none"),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            help="Limit the epsilon that all releases together may cost a person; none removes this limit.",
            metavar="E|none",
        ),
    ] = None,
    delta: Annotated[float | None, typer.Option(help="The delta for the limit on epsilon.", metavar="D")] = None,
    plan: Annotated[
        str | None,
        typer.Option(help="Show what further answers would cost, as in 0.1x610 or 0.1x3,1x2.", metavar="EPSILONxN,…"),
    ] = None,
    json: Json = False,
) -> None:
    """Show how much privacy the answers about a population have cost, level by level, and what is left; set the limit.

    The first answer about a population is free. Every further answer, from any graph, table or command, needs a limit
    that leaves room for it. Parts of the limit that are not named stay unchanged.

    Example: `neodp budget default --releases 3`

    Example: `neodp budget staff --epsilon 2 --delta 1e-6`
    """
    session: Session = context.obj
    planned = [] if plan is None else _planned(plan)
    changes: dict[str, Any] = {} if delta is None else {"delta": delta}
    for name, typed, read in (("releases", releases, whole), ("epsilon", epsilon, number)):
        if typed is not None:
            changes[name] = _part(name, typed, read)
    settings = session.settings()
    everybody = population is None and not changes and not planned
    population = DEFAULT if population is None else population
    if planned and not changes and not settings.is_neo4j and not Path(settings.uri).exists():
        _show_budget(Ledger(population), changes, plan, planned, json)  # a plan needs no store
        return
    with session.open() as store:
        known = store.populations()
        if population != DEFAULT and population not in known and not changes:
            require_length("population", population)
            hint = near(population, known) or f"there are {', '.join(known or [DEFAULT])}"
            raise GraphError(f"there is no population {population!r} in {store.address}", hint)
        ledger = store.change_limit(population, **changes) if changes else store.ledger(population)
        others = [store.ledger(name) for name in known if everybody and name != population]
    _show_budget(ledger, changes, plan, planned, json, others)


def _show_budget(
    ledger: Ledger,
    changes: Mapping[str, Any],
    plan: str | None,
    planned: Sequence[tuple[Level, ...]],
    json: bool,
    others: Sequence[Ledger] = (),
) -> None:
    """Show what was spent, what is left, what planned answers would cost, and the other populations."""
    rows = [_spent(spent, ledger) for spent in ledger.spent()]
    facts: dict[str, Any] = {
        "population": ledger.population,
        "max_releases": ledger.limit.releases,
        "max_epsilon": ledger.limit.epsilon,
        "max_delta": ledger.limit.delta,
        "used": ledger.used,
        "left": ledger.left,
        "share": float(ledger.share),
        "levels": rows,
    }
    if planned:
        facts["planned"] = [_spent(spent, ledger) for spent in ledger.spent(planned)]
    facts["populations"] = [
        {"population": each.population, "used": each.used, "limit": str(each.limit), "left": each.left}
        for each in others
    ]

    def text() -> None:
        say(_used(ledger))
        _table(rows)
        if changes:
            _costs(ledger)
        if planned:
            say(f"With {plan}, in all:")
            _table(facts["planned"])
        if others:
            say("Other populations ('neodp budget NAME' shows one):")
            rows_of = [(each.population, each.used, str(each.limit), each.left) for each in others]
            table(("population", "answers", "limit", "answers left"), rows_of)

    show(facts, json, text)


def _population(store: Store, subject: str) -> str:
    """Return the population of a graph, or of a graph or table of that name that is gone but was asked about."""
    known = {info.name: info.population for info in store.graphs()}
    found = known.get(subject) or store.population_of(subject)
    return found if found is not None else store.info(subject).population  # which says that there is none


def _part(name: str, text: str, read: Callable[[str], float]) -> float | None:
    """Read a part of a limit as typed; None if the part is to be removed."""
    if text == "none":
        return None
    try:
        return read(text)
    except ValueError:
        raise GraphError(f"--{name} is {text!r}", "give a number of at least 0, or none") from None


def _planned(text: str) -> list[tuple[Level, ...]]:
    """Read planned releases, typed as EPSILONxN and joined by commas."""
    found: list[tuple[Level, ...]] = []
    for part in text.split(","):
        epsilon, _, times = part.lower().partition("x")
        try:
            level, count = Level(number(epsilon)), whole(times or "1")
        except ValueError:
            level, count = Level(0.0), 0
        if not (0.0 <= level.epsilon <= MAX_EPSILON and 0 < count <= 1_000_000):
            hint = f"give an epsilon up to {MAX_EPSILON:g} and how often, as in 0.1x610"
            raise GraphError(f"--plan has {part!r}", hint)
        found += [(level,)] * count
        caution(level.epsilon)
    return found


def _used(ledger: Ledger) -> str:
    limit = ledger.limit
    left = f" of {limit.releases:,} allowed, {ledger.left:,} left" if limit.releases is not None else ""
    more = "" if limit.epsilon is None else f"; the limit is {limit}"
    if ledger.share:  # answers that spend a share are free until the shares add up to 1
        left = "" if limit == Limit() else left
        more += f"; {float(ledger.share):g} of everybody's own epsilon spent, {float(1 - ledger.share):g} left"
    return f"population {ledger.population!r}: {count(ledger.used, 'answer')} given{left}{more}"


def _spent(spent: Spent, ledger: Ledger) -> dict[str, Any]:
    """Return what one level has spent, at the limit's delta and at the usual delta."""
    total, loose = spent.total(ledger.limit.delta), spent.total(max(DELTA, ledger.limit.delta))
    left = None if ledger.limit.epsilon is None else max(0.0, ledger.limit.epsilon - total.epsilon)
    return {
        "level": spent.label,
        "epsilon": total.epsilon,
        "delta": total.delta,
        "left": left,
        "approximate": {"epsilon": loose.epsilon, "delta": loose.delta},
    }


def _table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    columns = ["people of", "epsilon spent", "with delta", f"epsilon spent, if delta {DELTA:g} is allowed"]
    shown = [[row["level"], _up(row["epsilon"]), row["delta"], _up(row["approximate"]["epsilon"])] for row in rows]
    if rows[0]["left"] is not None:
        columns.append("epsilon left")
        shown = [[*row, _down(facts["left"])] for row, facts in zip(shown, rows, strict=True)]
    table(columns, shown)


def _up(epsilon: float) -> float:
    """Round up an epsilon that was spent, so that it is never shown as less than it is."""
    return float(epsilon_rounded_up(epsilon))


def _down(epsilon: float) -> float:
    """Round down an epsilon that is left to four decimals, so that it is never shown as more than it is."""
    return math.floor(epsilon * 1e4 + 1e-6) / 1e4


def _costs(ledger: Ledger) -> None:
    """Show in plain words what the limit means."""
    limit = ledger.limit
    if limit.epsilon is not None:
        say(
            f"Someone who sees all answers can shift the odds of a guess about a person by a factor of up to "
            f"e^{epsilon_rounded_up(limit.epsilon)}"
            + (f", except with chance {limit.delta:g}." if limit.delta else ".")
        )
    if limit.releases is not None and limit.releases <= 1:
        say("With 1 answer at most, everybody keeps the privacy that they asked for.")
        if limit == Limit():
            say("Answers that spend a share of everybody's own epsilon may be more: their shares add up to at most 1.")
    elif limit.releases is not None:
        more = max(0, limit.releases - ledger.used)
        say(f"{limit.releases:,} answers add up: all of them together can reveal more about a person than one.")
        dearest = max((r.levels for r in ledger.releases), key=_dearest, default=())
        if dearest and more:
            for spent in ledger.spent([dearest] * more):
                total = epsilon_rounded_up(spent.total().epsilon)
                say(
                    f"If each of the other {more:,} costs as much as the most expensive so far, people of "
                    f"{spent.label} spend epsilon {total} in all: the "
                    f"odds of a guess about one of them shift by a factor of at most e^{total}."
                )


def _dearest(levels: tuple[Level, ...]) -> float:
    return max((level.epsilon * level.times for level in levels), default=0.0)


def _list(found: list[Release]) -> None:
    if not found:
        say("no answers yet")
        return
    rows = [
        (release.graph, release.name, release.shown, moment(release.time or ""), release.population)
        for release in found
    ]
    table(("about", "release", "answer", "time", "population"), rows)
    commands = [f"  {release.command} --release {quote(release.name)}" for release in found if release.can_be_shown]
    if commands:
        say("To see an answer again, at no cost:")
    for command in commands:
        say(command)


def _row(release: Release) -> tuple[Any, ...]:
    return release.graph, release.name, release.answer, release.time, release.population


def _as_json(release: Release) -> dict[str, Any]:
    names = ("about", "release", "answer", "time", "population")
    levels = [{"level": x.label, "epsilon": x.epsilon, "delta": x.delta, "times": x.times} for x in release.levels]
    return dict(zip(names, _row(release), strict=True)) | {"command": release.command, "levels": levels}

"""Commands that find similar users, with noise: similarity, neighbors."""

from __future__ import annotations

import shlex
from typing import Annotated, Any, TypeAlias

import numpy as np
import typer

from neodp.cli.common import Session, progress, say, show, table
from neodp.cli.options import Json, Quiet
from neodp.cli.stretch.common import Measured, Named, Profile, cost_as_json, cost_in_words, spend
from neodp.data.formatting import count, number
from neodp.data.validation import caution
from neodp.errors import PrivacyError
from neodp.ledger.question import Level
from neodp.stretch.neighborhoods import Neighbors, cost_of_nearest, nearest
from neodp.stretch.neighborhoods import neighbors as nearest_of_all
from neodp.stretch.noise import check_epsilon
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Cost, Measure, pair
from neodp.stretch.similarities import similarity as similar

__all__ = ["neighbors", "similarity"]

Epsilon: TypeAlias = Annotated[float | None, typer.Option(help="The epsilon of each number that is released.")]
Total: TypeAlias = Annotated[
    float | None, typer.Option(help="The epsilon of all numbers together, for the user who pays most.")
]


def similarity(
    context: typer.Context,
    profile: Profile,
    one: Annotated[str, typer.Argument(help="A user's id.", metavar="USER")],
    other: Annotated[str, typer.Argument(help="Another user's id.", metavar="USER")],
    epsilon: Epsilon = None,
    total: Total = None,
    measure: Measured = Measure.COSINE,
    release: Named = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show how similar two users are, with noise. Each call costs both users again, and counts as a release.

    Example: `neodp stretch similarity ratings 17 42 --total 1`
    """
    cost = Cost.of_pairs(1, _each(epsilon, total, Cost.of_pairs(1, 1.0, measure).releases), measure)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
        pair(read, one, other)  # what is refused costs nobody anything
        levels = (Level(cost.epsilon, name=f"users {one} and {other}", people=2, times=cost.releases),)
        words = ["neodp", "stretch", "similarity", profile, one, other, "--measure", measure.value]
        spend(store, profile, "similarity", shlex.join([*words, "--epsilon", repr(cost.epsilon)]), levels, release)
    score = similar(read, one, other, epsilon=cost.epsilon, measure=measure)
    result = {"profile": profile, "users": [one, other], "measure": measure.value, "score": score, **cost_as_json(cost)}

    def text() -> None:
        say(f"similarity of {one} and {other}, with noise ({measure}): {number(score)}")
        say(cost_in_words("either of them", cost))

    show(result, json, text)


def neighbors(
    context: typer.Context,
    profile: Profile,
    user: Annotated[str | None, typer.Option(help="Only the neighbours of this user.")] = None,
    k: Annotated[int, typer.Option("-k", help="The number of neighbours.")] = 10,
    epsilon: Epsilon = None,
    total: Total = None,
    measure: Measured = Measure.COSINE,
    write: Annotated[
        bool, typer.Option("--write", help="Store them as (:User)-[:SIMILAR {score}]->(:User), in place of older ones.")
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="With --user: also release how similar they are, which costs more.")
    ] = False,
    limit: Annotated[int, typer.Option(help="The number of rows to show; --json shows all.")] = 20,
    release: Named = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the k nearest neighbours of all users, or of one, with noise. Each call costs everybody, and is a release.

    For one user, the command releases who the neighbours are, nearest first, which costs that user k numbers;
    --scores also releases how similar they are, which costs one number for every other user.

    Example: `neodp stretch neighbors ratings --user 17 --total 1`
    """
    if scores and user is None:
        raise PrivacyError("--scores goes with --user", "the neighbours of all users always have scores: leave it out")
    if k < 1:
        raise PrivacyError(f"k is {k}", "ask for at least 1 neighbour")
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
        n = len(read)
        words = ["neodp", "stretch", "neighbors", profile, "-k", str(k), "--measure", measure.value]
        words += ["--write"] * write
        if user is None:
            each = _each(epsilon, total, Cost.of_pairs(max(n - 1, 0), 1.0, measure).releases)
            cost = Cost.of_pairs(max(n - 1, 0), each, measure)
            levels: tuple[Level, ...] = (Level(each, name="users", people=n, times=cost.releases),)
        else:
            read.index(user)
            dearest = max(cost.releases for cost in cost_of_nearest(n, k, 1.0, measure, scores=scores))
            each = _each(epsilon, total, dearest)
            own, other = cost_of_nearest(n, k, each, measure, scores=scores)
            levels = (
                Level(each, name="users", people=n - 1, times=other.releases),
                Level(each, name=f"user {user}", people=1, times=own.releases),
            )
            words += ["--user", user] + ["--scores"] * scores
        spend(store, profile, "neighbors", shlex.join([*words, "--epsilon", repr(each)]), levels, release)
        if user is None:
            found = nearest_of_all(read, k, epsilon=each, measure=measure, progress=tell)
        else:
            found = nearest(read, user, k, epsilon=each, measure=measure, scores=scores)
        written = store.profiles.write(read, found, measure, progress=tell) if write else 0
    everybody = found.cost_of_others.releases == 0

    def text() -> None:
        rows = _rows(read, found, limit)
        columns = [name for name in ("user", "neighbor", "score", "rank") if user is None or scores or name != "score"]
        table(columns, [tuple(row[name] for name in columns) for row in rows])
        if found.neighbor.size > limit:
            say(f"… and {found.neighbor.size - limit:,} more")
        if write:
            say(f"kept {count(written, 'neighbour')}")
        say(cost_in_words("every user" if everybody else f"user {user}", found.cost))
        if not everybody:
            say(cost_in_words("every other user", found.cost_of_others))

    result = {"profile": profile, "user": user, "k": k, "measure": measure.value, **cost_as_json(found.cost)}
    result |= {"others": None if everybody else cost_as_json(found.cost_of_others), "written": written}
    show(result | {"neighbors": _rows(read, found) if json else []}, json, text)


def _each(epsilon: float | None, total: float | None, releases: int) -> float:
    """Return the epsilon of each number, from that epsilon itself or from the total of all numbers."""
    if (epsilon is None) == (total is None):
        raise PrivacyError(
            "which epsilon?", "give --epsilon for each number released, or --total for all of them together"
        )
    if epsilon is not None:
        return check_epsilon(epsilon)
    assert total is not None
    caution(check_epsilon(total))
    return total / max(1, releases)


def _rows(profiles: Profiles, found: Neighbors, limit: int | None = None) -> list[dict[str, Any]]:
    """Return neighbours as rows, one by one."""
    ids = profiles.users.to_pylist()
    width = found.neighbor.shape[1]
    size = found.neighbor.size if limit is None else min(limit, found.neighbor.size)
    flat, scores = found.neighbor.ravel(), found.score.ravel()
    return [
        {
            "user": ids[found.users[row // width]],
            "neighbor": ids[flat[row]],
            "score": None if np.isnan(scores[row]) else float(scores[row]),
            "rank": row % width + 1,
        }
        for row in range(size)
    ]

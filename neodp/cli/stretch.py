"""``neodp stretch …``: users with privacy weights on what they like; who is similar, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from neodp.cli.common import Json, Quiet, Session, confirm, progress, say, show, table
from neodp.errors import GraphError, PrivacyError
from neodp.stretch import weights as populations
from neodp.stretch.neighbors import Neighbors, nearest
from neodp.stretch.neighbors import neighbors as nearest_of_all
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarity import Cost, Measure
from neodp.stretch.similarity import similarity as similar

__all__ = ["app"]

app = typer.Typer(
    name="stretch",
    help="Users with a privacy weight on every item they like: who is similar, privately (the Stretching mechanism).",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

DELTA = 1e-6
"""With which delta costs are shown too."""

Profile: TypeAlias = Annotated[str, typer.Argument(help="The profiles' name.", metavar="PROFILE")]
Epsilon: TypeAlias = Annotated[float | None, typer.Option(help="Of each number that is released.")]
Total: TypeAlias = Annotated[float | None, typer.Option(help="Of all numbers together, for the user it costs most.")]
Measured: TypeAlias = Annotated[
    Measure, typer.Option("--measure", help="cosine-public-sizes: without noise on how many items a user likes.")
]


@app.command()
def load(
    context: typer.Context,
    ratings: Annotated[Path, typer.Argument(help="user,item[,rating][,weight]: a CSV file.", metavar="RATINGS")],
    name: Annotated[str | None, typer.Option(help="What to call the profiles. Default: the file's name.")] = None,
    columns: Annotated[str, typer.Option(help="The columns of users, items and ratings.")] = "user,item,rating",
    threshold: Annotated[float | None, typer.Option(help="Only ratings of at least this are likes.")] = None,
    best: Annotated[
        float | None, typer.Option(help="The highest rating there can be: likes then count rating / best, else 1.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="westin; slices:LOW:N; one number; or a CSV file with item,weight, user,weight, user,item,weight or "
            "user,group. Default: the column weight, else 1."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the same groups and weights again.")] = 0,
    replace: Annotated[bool, typer.Option("--replace", help="Replace profiles by that name.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Load profiles from a table of ratings, all or nothing.

    Example: `neodp stretch load ratings.csv --columns userId,movieId,rating --threshold 4 --weights westin`
    """
    names = tuple(columns.split(","))
    if len(names) != 3:
        raise GraphError(f"--columns is {columns!r}", "give three names joined by commas: user,item,rating")
    read = Profiles.from_csv(ratings, columns=names, threshold=threshold, best=best, name=name)
    read, without = _weighted(read, weights, seed)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        info = store.profiles.load(read.name, read, replace=replace, progress=tell)
        result = {"profile": info.name, "users": info.users, "items": info.items, "likes": info.likes}

        def text() -> None:
            say(f"loaded {info.name!r}: {info.users:,} users, {info.items:,} items, {info.likes:,} likes")
            if without:
                say(f"{without:,} likes had no weight and got 0: they will show nothing")

        show(result | {"without_weight": without, "store": store.address}, json, text)


@app.command(name="list")
def list_profiles(context: typer.Context, json: Json = False) -> None:
    """List the profiles of the store.

    Example: `neodp stretch list`
    """
    session: Session = context.obj
    with session.open() as store:
        found = store.profiles.all()
        names = ("name", "users", "items", "likes", "state", "created")
        rows = [{name: getattr(info, name) for name in names} for info in found]

        def text() -> None:
            if rows:
                table(("profile", *names[1:]), [list(row.values()) for row in rows])
            else:
                say(f"{store.address} has no profiles; load some with 'neodp stretch load'")

        show({"profiles": rows}, json, text)


@app.command()
def drop(
    context: typer.Context,
    profile: Profile,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Delete profiles with their users, items, likes and neighbours. Asks first.

    Example: `neodp stretch drop ratings --yes`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        info = store.profiles.info(profile)
        if not yes:
            confirm(f"Delete profile {profile!r} with {info.users:,} users?")
        dropped = store.profiles.drop(profile, progress=tell)
        show({"profile": profile, "dropped": dropped}, json, lambda: say(f"dropped {profile!r}: {dropped:,} users"))


@app.command()
def similarity(
    context: typer.Context,
    profile: Profile,
    one: Annotated[str, typer.Argument(help="A user's id.", metavar="USER")],
    other: Annotated[str, typer.Argument(help="Another user's id.", metavar="USER")],
    epsilon: Epsilon = None,
    total: Total = None,
    measure: Measured = Measure.COSINE,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """How similar two users are, with noise. Every call costs both of them anew.

    Example: `neodp stretch similarity ratings 17 42 --total 1`
    """
    cost = _cost(epsilon, total, 1, measure)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
    score = similar(read, one, other, epsilon=cost.epsilon, measure=measure)
    result = {"profile": profile, "users": [one, other], "measure": measure.value, "score": score, **_as_json(cost)}

    def text() -> None:
        say(f"{measure} of {one} and {other}: {score:.6g}")
        say(_costs("either of them", cost))

    show(result, json, text)


@app.command()
def neighbors(
    context: typer.Context,
    profile: Profile,
    user: Annotated[str | None, typer.Option(help="Of this user only.")] = None,
    k: Annotated[int, typer.Option("-k", help="How many neighbours.")] = 10,
    epsilon: Epsilon = None,
    total: Total = None,
    measure: Measured = Measure.COSINE,
    write: Annotated[
        bool, typer.Option("--write", help="Keep them as (:User)-[:SIMILAR {score}]->(:User), instead of older ones.")
    ] = False,
    limit: Annotated[int, typer.Option(help="How many rows to show; --json shows all.")] = 20,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """The k nearest neighbours of all users, or of one, with noise. Every call costs everybody anew.

    Example: `neodp stretch neighbors ratings --epsilon 0.1 --write`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
        spend = _cost(epsilon, total, max(len(read) - 1, 0), measure).epsilon
        if user is None:
            found = nearest_of_all(read, k, epsilon=spend, measure=measure, progress=tell)
        else:
            found = nearest(read, user, k, epsilon=spend, measure=measure)
        written = store.profiles.write(read, found, measure, progress=tell) if write else 0
    everybody = found.cost_of_others.releases == 0

    def text() -> None:
        rows = _rows(read, found, limit)
        table(("user", "neighbor", "score", "rank"), [tuple(row.values()) for row in rows])
        if found.neighbor.size > limit:
            say(f"… and {found.neighbor.size - limit:,} more")
        if write:
            say(f"kept {written:,} neighbours")
        say(_costs("every user" if everybody else f"user {user}", found.cost))
        if not everybody:
            say(_costs("every other user", found.cost_of_others))

    result = {"profile": profile, "user": user, "k": k, "measure": measure.value, **_as_json(found.cost)}
    result |= {"others": None if everybody else _as_json(found.cost_of_others), "written": written}
    show(result | {"neighbors": _rows(read, found) if json else []}, json, text)


@app.command()
def recall(
    context: typer.Context,
    profile: Profile,
    slices: Annotated[str, typer.Option(help="Which numbers of slices; the paper has 1 to 10.")] = "3",
    repeats: Annotated[int, typer.Option(min=2, help="How many splits; each takes longer than a minute.")] = 3,
    k: Annotated[int, typer.Option("-k", help="How many neighbours.")] = 10,
    measure: Measured = Measure.COSINE,
    seed: Annotated[int, typer.Option(help="For the same splits, groups and weights again.")] = 0,
    insecure_noise_seed: Annotated[
        int | None, typer.Option(help="For the same noise again: who knows it sees through the noise.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Keep results here, and go on from what is there after a stop.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A picture: a .svg or .png file.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """The experiment: how much of what users like their private neighbours know. What it shows is not private.

    Example: `neodp stretch recall ratings --results recall.jsonl -o recall.svg`
    """
    from neodp.stretch import picture
    from neodp.stretch import recall as experiment

    numbers = tuple(map(int, _numbers("--slices", slices)))
    plan = experiment.Plan(slices=numbers, repeats=repeats, k=k, measure=measure, seed=seed)
    if output is not None:
        picture.check(output)
    session: Session = context.obj
    with session.open() as store:
        read = store.profiles.read(profile)
    with progress(quiet) as tell:
        found = experiment.run(read, plan, results, insecure_seed=insecure_noise_seed, progress=tell)
    lines, rows = experiment.by_epsilon(found, plan), experiment.by_slices(found, plan)
    if output is not None:
        picture.draw(found, plan, output, f"{profile}: {len(read):,} users, {read.likes:,} likes, {measure}")
    cost = Cost.of_pairs(max(len(read) - 1, 0), max(plan.epsilons), measure)

    def text() -> None:
        say("recall by epsilon of each number released, mean and 99 % confidence interval over splits")
        table(("weights", *(f"{e:g}" for e in plan.epsilons), "mean"), [_shown(x, plan.epsilons) for x in lines])
        say("others: all but the fundamentalists, whom naive leaves out; exact: no privacy; blind: at random")
        if len(plan.slices) > 1:
            say("recall by number of slices, over all epsilons")
            table(("weights", *map(str, plan.slices), "mean"), [_shown(x, plan.slices) for x in rows])
        say(_costs(f"every user of a table at epsilon {cost.epsilon:g}", cost))
        if output is not None:
            say(f"drew {output}")

    document = {"profile": profile, "users": len(read), "likes": read.likes, "k": k, "measure": measure.value}
    document |= {"repeats": plan.repeats, "slices": list(plan.slices), "picture": str(output) if output else None}
    document |= {"by_epsilon": list(map(_as_line, lines)), "by_slices": list(map(_as_line, rows))}
    show(document, json, text)


@app.command()
def utility(
    context: typer.Context,
    profile: Profile,
    epsilon: Annotated[float, typer.Option(help="Of each scalar product.")],
    beyond: Annotated[str, typer.Option(help="Which errors to count.")] = "1,2,5,10,20,50,100",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """How far off private scalar products are, measured and by theory, over all pairs. What it shows is not private.

    Example: `neodp stretch utility ratings --epsilon 1`
    """
    from neodp.stretch.utility import compare, corollary_2

    limits = _numbers("--beyond", beyond)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
    size = 2 * len(read.items)
    errors = compare(read, epsilon, [*limits, size**0.5])
    claimed = corollary_2(size, float(read.weight.min(initial=1.0)), epsilon)

    def text() -> None:
        say("part of all pairs whose scalar product is off by more than so much")
        names = ("off by more than", "measured", "exact", "Theorem 3, repaired", "as printed")
        table(names, [(e.beyond, e.measured, e.exact, e.bound, e.printed) for e in errors])
        verdict = "holds here" if errors[-1].exact <= claimed else "does not hold"
        say(f"Corollary 2 allows {claimed:.3g} beyond the root of {size:,} coordinates, {size**0.5:.4g}: it {verdict}")

    result = {"profile": profile, "epsilon": epsilon, "errors": [asdict(e) for e in errors], "corollary_2": claimed}
    show(result, json, text)


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(x) for x in text.split(",")]
    except ValueError:
        raise PrivacyError(f"{option} is {text!r}", "give numbers joined by commas") from None


def _shown(line: Any, values: Sequence[float]) -> list[str]:
    cells = [line.by.get(value) for value in values] + [line.overall]
    return [line.label, *("" if x is None else f"{x.mean:.3f} ±{x.margin:.3f}".replace("0.", ".") for x in cells)]


def _as_line(line: Any) -> dict[str, Any]:
    by = {f"{value:g}": interval._asdict() for value, interval in line.by.items()}
    return {"weights": line.label, "by": by, "overall": line.overall._asdict()}


def _weighted(profiles: Profiles, weights: str | None, seed: int) -> tuple[Profiles, int]:
    """Profiles with the weights that the command line asks for, and how many likes have none."""
    if weights is None:
        return profiles, 0
    if weights == "westin":
        groups = populations.attitudes(len(profiles), seed)
        return profiles.with_weights(populations.by_attitude(groups, profiles.user, seed), groups.tolist()), 0
    kind, _, rest = weights.partition(":")
    try:
        if kind == "slices":
            low, slices = rest.split(":")
            return profiles.with_weights(populations.in_slices(profiles.likes, float(low), int(slices), seed)), 0
        return profiles.with_weights(float(weights)), 0
    except (GraphError, PrivacyError):
        raise
    except ValueError:
        if kind == "slices" or not Path(weights).suffix:
            raise PrivacyError(
                f"--weights is {weights!r}", "give westin, slices:LOW:N as in slices:0.5:3, a number, or a CSV file"
            ) from None
    return profiles.with_weights_from(weights, seed)


def _cost(epsilon: float | None, total: float | None, pairs: int, measure: Measure) -> Cost:
    if (epsilon is None) == (total is None):
        raise PrivacyError(
            "which epsilon?", "give --epsilon for each number released, or --total for all of them together"
        )
    if epsilon is not None:
        return Cost.of_pairs(pairs, epsilon, measure)
    assert total is not None
    return Cost.within(total, pairs, measure)


def _as_json(cost: Cost) -> dict[str, Any]:
    loose = {"epsilon": cost.at(DELTA), "delta": DELTA}
    return {"epsilon": cost.epsilon, "releases": cost.releases, "epsilon_total": cost.total, "approximate": loose}


def _costs(who: str, cost: Cost) -> str:
    loose = f" ({cost.at(DELTA):.4g} with delta {DELTA:g})" if cost.at(DELTA) < cost.total else ""
    return (
        f"cost to {who}: {cost.releases:,} × epsilon {cost.epsilon:.4g} = {cost.total:.4g}{loose} "
        "for an item of weight 1, less for less; asking again costs again"
    )


def _rows(profiles: Profiles, found: Neighbors, limit: int | None = None) -> list[dict[str, Any]]:
    """Neighbours, one by one."""
    ids = profiles.users.to_pylist()
    width = found.neighbor.shape[1]
    size = found.neighbor.size if limit is None else min(limit, found.neighbor.size)
    flat, scores = found.neighbor.ravel(), found.score.ravel()
    return [
        {
            "user": ids[found.users[row // width]],
            "neighbor": ids[flat[row]],
            "score": float(scores[row]),
            "rank": row % width + 1,
        }
        for row in range(size)
    ]

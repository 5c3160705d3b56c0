"""Commands for stored profiles: load, list, drop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neodp.cli.common import Session, confirm, progress, say, show, table
from neodp.cli.options import (
    Delimiter,
    Encoding,
    ExtraColumns,
    HeaderRow,
    Json,
    Population,
    Quiet,
    Replace,
    Sheet,
    Yes,
    reading,
)
from neodp.cli.stretch.common import Profile
from neodp.data.formatting import count, moment
from neodp.errors import GraphError
from neodp.stretch.profiles import Profiles
from neodp.stretch.weights import weighted

__all__ = ["drop", "list_profiles", "load"]


def load(
    context: typer.Context,
    ratings: Annotated[
        Path,
        typer.Argument(
            help="A table with the columns user,item and optionally rating,weight; - is stdin.", metavar="RATINGS"
        ),
    ],
    name: Annotated[str | None, typer.Option(help="A name for the profiles. Default: the file's name.")] = None,
    columns: Annotated[str, typer.Option(help="The columns of users, items and ratings.")] = "user,item,rating",
    threshold: Annotated[float | None, typer.Option(help="The lowest rating that counts as a like.")] = None,
    best: Annotated[
        float | None, typer.Option(help="The highest possible rating: a like then counts rating / best instead of 1.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="westin; slices:LOW:N; one number; or a CSV file with item,weight, user,weight, user,item,weight or "
            "user,group. Default: the column weight, else 1."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same groups and weights.")] = 0,
    replace: Replace = False,
    population: Population = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    extra_columns: ExtraColumns = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Load profiles from a table of ratings, all or nothing.

    Example: `neodp stretch load ratings.csv --columns userId,movieId,rating --extra-columns ignore --threshold 4`
    """
    options = reading(encoding, delimiter, sheet, extra_columns, header_row)
    names = tuple(columns.split(","))
    if len(names) != 3:
        raise GraphError(f"--columns is {columns!r}", "give three names joined by commas: user,item,rating")
    read = Profiles.from_csv(ratings, columns=names, threshold=threshold, best=best, name=name, options=options)
    read, without = (read, 0) if weights is None else weighted(read, weights, seed, options)
    session: Session = context.obj
    with session.open(create=True) as store, progress(quiet) as tell:
        info = store.profiles.load(read.name, read, replace=replace, population=population, progress=tell)
        result = {"profile": info.name, "users": info.users, "items": info.items, "likes": info.likes}

        def text() -> None:
            size = (count(info.users, "user"), count(info.items, "item"), count(info.likes, "like"))
            say(f"loaded {info.name!r}: {', '.join(size)}")
            if without:
                say(f"{count(without, 'like')} had no weight and got weight 0, so they have no influence")

        show(result | {"without_weight": without, "store": store.address}, json, text)


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
                table(
                    ("profile", *names[1:]), [[*list(row.values())[:-1], moment(row["created"] or "")] for row in rows]
                )
            else:
                say(f"{store.address} has no profiles; load some with 'neodp stretch load'")

        show({"profiles": rows}, json, text)


def drop(
    context: typer.Context,
    profile: Profile,
    yes: Yes = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Delete profiles with their users, items, likes and neighbours, after asking.

    Example: `neodp stretch drop ratings --yes`
    """
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        info = store.profiles.info(profile)
        if not yes:
            confirm(f"Delete profile {profile!r} with {count(info.users, 'user')}?")
        dropped = store.profiles.drop(profile, progress=tell)
        show(
            {"profile": profile, "dropped": dropped},
            json,
            lambda: say(f"dropped {profile!r}: {count(dropped, 'user')}"),
        )

"""Users, the items they like, and a privacy weight for every like.

A user's *profile* is the vector d of how much the user likes each item: 0 for an item that the user does not like, 1
for one that the user likes, or a number between. Every like has a privacy weight v. The profiles are the graph

    (:User)-[:LIKES {weight: v, value: d}]->(:Item)

as columns. The lists of users and items are public; who likes what, how much and with which weight is not. Users and
items are in the order of their ids, not of the rows: the order is visible, and breaks ties between neighbours, so it
must not depend on likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.data.formatting import count
from neodp.data.kinds import Several, checked, wrong_kind
from neodp.data.tables import Problems, ReadOptions, TableColumns, numbers, read_table
from neodp.data.validation import Floats, Ints, place_of
from neodp.errors import GraphError, PrivacyError, UnknownKey, near
from neodp.stretch.weights import ATTITUDES, by_attitude

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy.sparse import csr_array

__all__ = ["UNIT", "Profiles"]

UNIT = 2**15
"""The resolution of stretched profiles: they are whole multiples of 1 / UNIT, so that scalar products are exact."""
MOST_LIKES = 2**23
"""The greatest number of likes per user: scalar products of profiles are then whole numbers that a double holds."""


@dataclass(frozen=True, eq=False, repr=False)
class Profiles:
    """An immutable set of profiles. Create one with ``from_columns`` or ``from_csv``.

    Attributes
    ----------
    users, items : pyarrow.StringArray
        The ids of all users and of all items.
    user, item : arrays of int
        Per like, the positions of its user and its item.
    value, weight : arrays of float
        Per like, d and v, both from 0 to 1.
    group : pyarrow.StringArray or None
        Per user, the group from whose weights the user's weights were drawn.
    name : str
    """

    users: pa.StringArray
    items: pa.StringArray
    user: Ints
    item: Ints
    value: Floats
    weight: Floats
    group: pa.StringArray | None = None
    name: str = field(default="profile")

    def __post_init__(self) -> None:
        for column in (self.user, self.item, self.value, self.weight):
            column.setflags(write=False)

    @classmethod
    @checked
    def from_columns(
        cls,
        user: Several,
        item: Several,
        value: ArrayLike = 1.0,
        weight: ArrayLike = 1.0,
        *,
        users: Several | None = None,
        items: Several | None = None,
        group: Sequence[str] | None = None,
        name: str = "profile",
        place: Callable[[int], str] = "like {}".format,
    ) -> Profiles:
        """Create profiles from columns, one row per like.

        Parameters
        ----------
        user, item : strings
            The user and the item of each like; every pair may occur only once.
        value, weight : floats, or one float for all
            The values and the privacy weights, from 0 to 1.
        users, items : strings, optional
            All users and items, including users without likes and items that nobody likes; by default those that occur,
            sorted.
        group : strings, optional
            The group of each user, in the order of `users`.
        place : callable, optional
            A function from the number of a row to its name in error messages.

        Raises
        ------
        GraphError
            If a value is invalid, or a pair of user and item occurs twice; the message says where.

        Examples
        --------
        >>> p = Profiles.from_columns(["ann", "ann", "bob"], ["tea", "rum", "tea"], weight=[1, 0.25, 0.5])
        >>> p
        <Profiles 'profile': 2 users, 2 items, 3 likes>
        """
        users, user_of = _encoded(users, user, "user", place)
        items, item_of = _encoded(items, item, "item", place)
        n = len(user_of)
        if len(item_of) != n:
            raise GraphError(f"there are {n} users and {len(item_of)} items of likes", "give one of each per like")
        made = cls(
            users,
            items,
            user_of,
            item_of,
            _unit_interval(value, n, "value", place),
            _unit_interval(weight, n, "weight", place),
            _groups(group, len(users)),
            name,
        )
        made._check(place)
        return made

    @classmethod
    @checked
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        columns: tuple[str, str, str] = ("user", "item", "rating"),
        threshold: float | None = None,
        best: float | None = None,
        name: str | None = None,
        options: ReadOptions | None = None,
    ) -> Profiles:
        """Read profiles from a table with one row per rating, and a column ``weight`` unless all weights are 1.

        The table is a CSV file, or any other kind that :func:`neodp.data.tables.read_table` reads. Other columns are
        refused unless the options ignore them, since a misspelt ``weight`` must not become the weight 1.

        Parameters
        ----------
        columns : three strings
            The names of the columns with users, items and ratings; the column of ratings may be missing.
        threshold : float, optional
            The least rating that counts as a like. Users and items with lower ratings are kept, without those likes.
        best : float, optional
            The highest possible rating. If it is given, the value of a like is rating / best, else 1.
        options : ReadOptions, optional
            Options for reading a table that does not state them itself, including whether to ignore other columns.

        Raises
        ------
        GraphError
            If values are invalid; the message names the file and the lines.
        """
        if len(columns) != 3:
            raise GraphError(
                f"{count(len(columns), 'column')} cannot hold ratings", "name those of users, items and ratings"
            )
        user, item, rating = columns
        if best is not None and not 0 < best < np.inf:
            raise GraphError(f"the highest rating is {best}", "give a positive number")
        if threshold is not None and not np.isfinite(threshold):
            raise GraphError(f"the least rating is {threshold}", "give a number")
        rated = threshold is not None or best is not None
        needed, optional = ((user, item, rating), ("weight",)) if rated else ((user, item), (rating, "weight"))
        table = read_table(path, needed, optional, numbers=(rating, "weight"), closed=True, options=options)
        place, problems = table.place, Problems(table.place)
        for name_of in (user, item):
            problems.add_rows(f"the {name_of}", "missing", _empty(table[name_of]), hint="give it an id")
        ratings = _parsed(table[rating], rating, problems) if rated else np.ones(len(table[user]))
        keep = np.ones(len(ratings), bool) if threshold is None else ratings >= threshold
        rows = np.flatnonzero(keep)
        value = ratings / best if best is not None else np.ones(len(ratings))
        weight = np.ones(len(ratings))
        if table.get("weight") is not None:
            weight = _weights(table["weight"], problems)
        problems.raise_if_any()
        return cls.from_columns(
            table[user].take(rows),
            table[item].take(rows),
            value[keep],
            weight[keep],
            users=_different(table[user]),
            items=_different(table[item]),
            name=table.source.stem if name is None else name,
            place=lambda row: place(int(rows[row])),
        )

    @checked
    def with_weights(self, weight: ArrayLike, group: Any = None) -> Profiles:
        """Return the same profiles with other privacy weights, one per like or one for all, and with their groups."""
        changed = _unit_interval(weight, self.likes, "weight", "like {}".format)
        return replace(self, weight=changed, group=_groups(group, len(self.users)))

    @checked
    def with_weights_from(
        self, path: str | PathLike[str], seed: int = 0, options: ReadOptions | None = None
    ) -> tuple[Profiles, int]:
        """Return the same profiles with weights from a table, and the number of likes without one, which get weight 0.

        The file has the columns ``item,weight`` or ``user,weight`` or ``user,item,weight``, or else ``user,group``: in
        that case, weights are drawn from those of the group, by the seed. The default is zero because it keeps the
        privacy promise even if someone adds an item and forgets its weight [1]_ (Remark 2).

        References
        ----------
        .. [1] Alaggan, Gambs, Kermarrec, "Heterogeneous Differential Privacy", Journal of Privacy and Confidentiality
           7(2), doi:10.29012/jpc.v7i2.652, arXiv:1504.06998.
        """
        import pyarrow as pa

        names = ("user", "item", "weight", "group")
        table = read_table(path, (), names, numbers=("weight",), closed=True, options=options)
        place, problems = table.place, Problems(table.place)
        if table.get("user") is not None and table.get("group") is not None:
            return self._with_groups_from(table, seed)
        ids = [name for name in ("user", "item") if table.get(name) is not None]
        if not ids or table.get("weight") is None:
            raise GraphError(
                f"{table.source} has no weights",
                "give it the columns item,weight, user,weight, user,item,weight or user,group",
            )
        weights = _weights(table["weight"], problems)
        problems.raise_if_any()
        mine = {"user": self.users.take(pa.array(self.user)), "item": self.items.take(pa.array(self.item))}
        found = _looked_up([mine[name] for name in ids], [table[name] for name in ids], place)
        weight = np.where(found < 0, 0.0, weights[np.maximum(found, 0)] if len(weights) else 0.0)
        return self.with_weights(weight), int((found < 0).sum())

    def _with_groups_from(self, table: TableColumns, seed: int) -> tuple[Profiles, int]:
        problems = Problems(table.place)
        hint = f"give one of {', '.join(ATTITUDES)}"
        problems.add_rows("the group", "missing", _empty(table["group"]), hint=hint)
        problems.raise_if_any()
        found = _looked_up([self.users], [table["user"]], table.place)
        group = [table["group"][int(row)].as_py() if row >= 0 else "" for row in found]
        try:
            weight = by_attitude(self, group, seed)
        except PrivacyError as e:
            raise GraphError(e.message, e.hint) from None
        return self.with_weights(weight, group), int((found[self.user] < 0).sum())

    def _check(self, place: Callable[[int], str]) -> None:
        order = np.lexsort((self.item, self.user))
        u, i = self.user[order], self.item[order]
        again = np.flatnonzero((u[1:] == u[:-1]) & (i[1:] == i[:-1]))
        if len(again):
            row = int(order[again[0] + 1])
            user, item = self.users[self.user[row]].as_py(), self.items[self.item[row]].as_py()
            raise GraphError(f"{place(row)}: {user!r} likes {item!r} twice", "keep one of the two rows")
        if np.bincount(self.user, minlength=1).max() > MOST_LIKES:
            raise GraphError("a user likes too many items", f"a profile may have {MOST_LIKES:,}")

    # --- inspection -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.users)

    def __repr__(self) -> str:
        sizes = f"{len(self.users):,} users, {len(self.items):,} items, {self.likes:,} likes"
        return f"<Profiles {self.name!r}: {sizes}>"

    @property
    def likes(self) -> int:
        """The number of likes."""
        return len(self.user)

    @checked
    def index(self, user: str) -> int:
        """Return the position of a user.

        Raises
        ------
        UnknownKey
            If there is no such user.
        """
        found = place_of(user, self.users)
        if found < 0:
            known = self.users.to_pylist()
            raise UnknownKey(
                f"there is no user {user!r} in profile {self.name!r}", near(user, known) or "correct the id"
            )
        return found

    @cached_property
    def matrix(self) -> csr_array:
        """The values d, with one row per user and one column per item."""
        return self._sparse(self.value)

    @cached_property
    def stretched(self) -> csr_array:
        """The stretched profiles diag(v) d in whole multiples of 1 / UNIT, rounded down: floor(floor(UNIT v) d).

        So whatever d is, the entry of item i never exceeds UNIT v_i.
        """
        return self._sparse(np.floor(np.floor(UNIT * self.weight) * self.value).astype(np.int64))

    def _sparse(self, data: NDArray[Any]) -> csr_array:
        from scipy.sparse import csr_array

        return csr_array((data, (self.user, self.item)), shape=(len(self.users), len(self.items)))


def _encoded(known: Any, ids: Any, what: str, place: Callable[[int], str]) -> tuple[pa.StringArray, Ints]:
    """Return the distinct ids, and the position of each like's id among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _strings(ids)
    bad = pc.fill_null(pc.equal(column, ""), True)
    if pc.any(bad).as_py():
        raise GraphError(f"{place(pc.index(bad, True).as_py())}: the {what} has no id", "give it one")
    everything = _different(column) if known is None else _strings(known)
    if len(everything.unique()) != len(everything) or pc.any(pc.fill_null(pc.equal(everything, ""), True)).as_py():
        raise GraphError(f"a {what} has no id, or occurs twice among the {what}s", "give every one an id of its own")
    where = pc.index_in(column, everything)
    if where.null_count:
        row = pc.index(where.is_null(), True).as_py()
        raise GraphError(f"{place(row)}: {column[row].as_py()!r} is not among the {what}s", "correct the id")
    return everything, np.asarray(where.cast(pa.int32()))


def _strings(ids: Any) -> pa.StringArray:
    import pyarrow as pa

    column = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
    if not isinstance(column, pa.Array):
        try:
            column = pa.array(column, pa.string())
        except (pa.ArrowException, TypeError):
            raise wrong_kind("ids", ids, "texts") from None
    return column.cast(pa.string())


def _different(ids: Any) -> pa.StringArray:
    """Return the distinct ids, sorted."""
    return _strings(ids).unique().sort()


def _groups(group: Any, users: int) -> pa.StringArray | None:
    if group is None:
        return None
    column = _strings(group)
    if len(column) != users:
        raise GraphError(f"there are {len(column)} groups for {users} users", "give one per user")
    return column


def _unit_interval(values: ArrayLike, n: int, what: str, place: Callable[[int], str]) -> Floats:
    column = np.asarray(values, np.float64)
    if column.ndim == 0:
        column = np.full(n, float(column))
    if column.shape != (n,):
        raise GraphError(f"there are {len(column)} {what}s for {n} likes", "give one per like, or one for all")
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= 1.0)))
    if len(wrong):
        row = int(wrong[0])
        raise GraphError(f"{place(row)}: the {what} is {column[row]:g}", "give a number from 0 to 1")
    return column.copy()


def _parsed(column: pa.Array, what: str, problems: Problems) -> Floats:
    """Parse a column as numbers."""
    return np.asarray(numbers(column, f"the {what}", problems))


def _weights(column: pa.Array, problems: Problems) -> Floats:
    """Parse a column as privacy weights."""
    weights = _parsed(column, "weight", problems)
    wrong = np.flatnonzero(~((weights >= 0.0) & (weights <= 1.0)))
    hint = "give a number from 0 to 1"
    problems.add_rows("the weight", "out of range", wrong, lambda row: float(weights[row]), hint=hint)
    return weights


def _empty(column: pa.Array) -> NDArray[np.int64]:
    """Return the rows in which the id is missing."""
    import pyarrow.compute as pc

    return np.flatnonzero(pc.fill_null(pc.equal(_strings(column), ""), True).to_numpy(zero_copy_only=False))


def _looked_up(
    wanted: Sequence[pa.StringArray], known: Sequence[pa.StringArray], place: Callable[[int], str]
) -> NDArray[np.int64]:
    """Return, for each wanted row, the row of the known columns that equals it; -1 if there is none."""
    rows: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(column.to_pylist() for column in known), strict=True)):
        if key in rows:
            raise GraphError(f"{place(row)}: {' and '.join(map(repr, key))} occurs twice", "keep one of the two rows")
        rows[key] = row
    keys = zip(*(column.to_pylist() for column in wanted), strict=True)
    return np.array([rows.get(key, -1) for key in keys], np.int64)

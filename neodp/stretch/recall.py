"""The semantic-clustering experiment: the share of users' likes that their private neighbours have in common with them.

A tenth of every user's likes, of items that at least two users like, is held out. Neighbours are found from the rest,
with noise, and a user's *recall* is the share of the held-out items that at least one of the k neighbours likes. The
recall is averaged over the users with held-out items, and over repeated splits, each with its own groups and weights
(:mod:`neodp.stretch.weights`); the confidence interval is Student's over the splits. The experiment compares [1]_
(section 4)

* ``slices``: weights in slices from u to 1, in the same way for all users (Figures 1 and 2);
* ``westin``: users by attitude, 23 / 43 / 34 % (Figure 3);
* ``naive``: the fundamentalists left out, all others at weight 0.5 (Figure 4);
* ``blind``: weight 0 for all users, which is the same as choosing neighbours at random;
* ``exact``: no privacy at all.

Epsilon is the epsilon of each released number, as in the paper; a table of n users costs every user n times as much.
The experiment uses the true likes to judge the neighbours, so its results are not private.

Everything except the noise is determined by a seed. Results are written to a file line by line, and an experiment that
was stopped continues from there.

References
----------
.. [1] Alaggan, Gambs, Kermarrec, "Heterogeneous Differential Privacy", Journal of Privacy and Confidentiality 7(2),
   doi:10.29012/jpc.v7i2.652, arXiv:1504.06998.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.files import private
from neodp.data.progress import Progress, silent
from neodp.data.validation import MAX_EPSILON, Bools, Floats
from neodp.errors import GraphError
from neodp.stretch import noise
from neodp.stretch.neighborhoods import neighbors
from neodp.stretch.noise import Sampler
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure
from neodp.stretch.weights import ATTITUDES, attitudes, by_attitude, in_slices

__all__ = [
    "Cell",
    "Interval",
    "Plan",
    "RecallLine",
    "RecallResult",
    "by_epsilon",
    "by_slices",
    "held_out",
    "interval",
    "picked",
    "recall_of",
    "run",
]

NAIVE = 0.5
"""The weight of all users in ``naive``: the strictest weight of a pragmatist."""


@dataclass(frozen=True)
class Plan:
    """The parameters of the experiment.

    Attributes
    ----------
    epsilons, lows, slices : tuples
        The epsilons, the lowest weights and the numbers of slices; every combination is tried.
    repeats : int
        The number of splits.
    k : int
        The number of neighbours.
    seed : int
    measure : Measure
    """

    epsilons: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 3.0)
    lows: tuple[float, ...] = (0.0, 0.5, 0.9)
    slices: tuple[int, ...] = (3,)
    repeats: int = 3
    k: int = 10
    seed: int = 0
    measure: Measure = Measure.COSINE

    def cells(self) -> list[Cell]:
        """Return all runs of the experiment, one split after another."""
        found = []
        for repeat in range(self.repeats):
            found += [Cell(repeat, "exact"), Cell(repeat, "blind", 1.0)]
            for epsilon in self.epsilons:
                found += [Cell(repeat, "westin", epsilon), Cell(repeat, "naive", epsilon)]
                found += [Cell(repeat, "slices", epsilon, low, n) for low in self.lows for n in self.slices]
        return found


class Cell(NamedTuple):
    """One run: a split, a kind of weights, and an epsilon; for slices, also the lowest weight and their number."""

    repeat: int
    weights: str
    epsilon: float | None = None
    low: float | None = None
    slices: int | None = None


@dataclass(frozen=True)
class RecallResult:
    """The recall of one run: its sum over users and the number of users, in total and by group if there are groups."""

    cell: Cell
    found: float
    users: int
    groups: dict[str, tuple[float, int]]

    def recall(self, *groups: str) -> float:
        """Return the mean over all users, or over the users of some groups."""
        if not groups:
            return self.found / max(self.users, 1)
        return sum(self.groups[g][0] for g in groups) / max(sum(self.groups[g][1] for g in groups), 1)


class Interval(NamedTuple):
    """A mean over repeats, and the half-width of its confidence interval."""

    mean: float
    margin: float


def held_out(profiles: Profiles, seed: Sequence[int], share: float = 0.1) -> Bools:
    """Choose the likes to hold out: a tenth of each user's likes, rounded, of items that at least two users like.

    Examples
    --------
    >>> p = Profiles.from_columns(["a"] * 20 + ["b"] * 19, [f"i{i}" for i in [*range(20), *range(19)]])
    >>> out = held_out(p, (1,))
    >>> out[p.user == 0].sum(), out[p.user == 1].sum(), out[19]
    (np.int64(2), np.int64(2), np.False_)
    """
    random = np.random.default_rng(seed)
    shared = np.bincount(profiles.item, minlength=len(profiles.items))[profiles.item] >= 2
    wanted = np.floor(np.bincount(profiles.user, minlength=len(profiles)) * share + 0.5)
    order = np.lexsort((random.random(profiles.likes), ~shared, profiles.user))
    user = profiles.user[order]
    rank = np.arange(profiles.likes) - np.searchsorted(user, user)
    out = np.zeros(profiles.likes, bool)
    out[order] = rank < wanted[user]
    return out & shared


def recall_of(profiles: Profiles, out: Bools, neighbor: NDArray[np.integer]) -> Floats:
    """Return the share of each user's held-out likes that some neighbour has among the likes not held out.

    It is NaN for a user without held-out likes.

    Examples
    --------
    >>> p = Profiles.from_columns(list("aabb"), list("xyxy"))
    >>> recall_of(p, np.array([True, False, False, False]), np.array([[1], [0]])).tolist()
    [1.0, nan]
    """
    from scipy.sparse import csr_array

    n, k = neighbor.shape
    near = csr_array((np.ones(n * k, np.int32), (np.repeat(np.arange(n), k), neighbor.ravel())), shape=(n, n))
    known = near @ _kept(profiles, ~out).matrix
    user, item = profiles.user[out], profiles.item[out]
    hits = np.bincount(user, np.asarray(known[user, item]).ravel() > 0, minlength=n) if len(user) else np.zeros(n)
    wanted = np.bincount(user, minlength=n)
    return np.asarray(np.divide(hits, wanted, out=np.full(n, np.nan), where=wanted > 0))


def run(
    profiles: Profiles,
    plan: Plan,
    path: str | PathLike[str] | None = None,
    *,
    insecure_seed: int | None = None,
    progress: Progress = silent,
) -> list[RecallResult]:
    """Carry out all runs of a plan.

    Parameters
    ----------
    profiles : Profiles
        The profiles; their weights are ignored.
    plan : Plan
    path : path, optional
        A file for the results; runs whose results are in the file are not repeated.
    insecure_seed : int, optional
        A seed for the noise: the results are then repeatable, and not private.

    Raises
    ------
    GraphError
        If the file belongs to another experiment.
    """
    cells = plan.cells()
    profiles = _in_order(profiles)
    kept = _Kept(path, _identity(profiles, plan, insecure_seed))
    for number, cell in enumerate(cells):
        if cell not in kept.results:
            sampler = noise.secure if insecure_seed is None else noise.insecure((insecure_seed, number))
            kept.add(_done(profiles, plan, cell, sampler))
        progress("experiment", number + 1, len(cells))
    return [kept.results[cell] for cell in cells]


def picked(results: Iterable[RecallResult], **values: Any) -> list[RecallResult]:
    """Return the results of the runs with these values."""
    return [r for r in results if all(getattr(r.cell, name) == value for name, value in values.items())]


def interval(results: Iterable[RecallResult], *groups: str, confidence: float = 0.99) -> Interval:
    """Return the mean recall and its confidence interval over splits, after averaging within each split.

    Examples
    --------
    >>> results = [RecallResult(Cell(repeat, "exact"), found, 10, {}) for repeat, found in enumerate([4.0, 5.0, 6.0])]
    >>> mean, margin = interval(results, confidence=0.95)
    >>> f"{mean:.2f} ± {margin:.3f}"
    '0.50 ± 0.248'
    """
    from scipy.stats import t

    splits: defaultdict[int, list[float]] = defaultdict(list)
    for result in results:
        splits[result.cell.repeat].append(result.recall(*groups))
    means = np.array([np.mean(values) for values in splits.values()])
    n = len(means)
    if n < 2:
        return Interval(float(means.mean()) if n else math.nan, math.nan)
    return Interval(float(means.mean()), float(t.ppf((1 + confidence) / 2, n - 1) * means.std(ddof=1) / math.sqrt(n)))


class RecallLine(NamedTuple):
    """One line of a table or picture: recall by epsilon, or by the number of slices, and overall."""

    label: str
    by: dict[float, Interval]
    overall: Interval


def by_epsilon(results: Sequence[RecallResult], plan: Plan) -> list[RecallLine]:
    """Return recall by epsilon: for weights in slices, averaged over their numbers; by attitude; and for the baselines.

    "others" are all users except the fundamentalists, whom the naive baseline leaves out: on these users, ``westin``
    and ``naive`` can be compared.
    """
    westin, naive = picked(results, weights="westin"), picked(results, weights="naive")
    others = tuple(group for group in ATTITUDES if group != "fundamentalist")
    chosen: list[tuple[str, list[RecallResult], tuple[str, ...]]] = [
        *((f"slices from {low:g}", picked(results, weights="slices", low=low), ()) for low in plan.lows),
        ("westin", westin, ()),
        *((f"westin, {group}", westin, (group,)) for group in ATTITUDES),
        ("westin, others", westin, others),
        ("naive, others", naive, others),
    ]
    lines = [_line(label, found, groups, "epsilon", plan.epsilons) for label, found, groups in chosen]
    for label in ("exact", "blind"):
        lines.append(RecallLine(label, {}, interval(picked(results, weights=label))))
    return lines


def by_slices(results: Sequence[RecallResult], plan: Plan) -> list[RecallLine]:
    """Return recall by the number of slices, averaged over epsilon."""
    return [
        _line(f"slices from {low:g}", picked(results, weights="slices", low=low), (), "slices", plan.slices)
        for low in plan.lows
    ]


def _line(
    label: str, results: list[RecallResult], groups: tuple[str, ...], name: str, values: Sequence[float]
) -> RecallLine:
    by = {value: interval(picked(results, **{name: value}), *groups) for value in values}
    return RecallLine(label, by, interval(results, *groups))


# --- one run ------------------------------------------------------------------------------------------------


def _done(profiles: Profiles, plan: Plan, cell: Cell, sampler: Sampler) -> RecallResult:
    out = held_out(profiles, (plan.seed, cell.repeat))
    seed = plan.seed + 1000 * cell.repeat
    groups = attitudes(profiles.users.to_pylist(), seed)
    weight = _weights(profiles, cell, groups, seed)
    training = _kept(profiles, ~out, weight[~out])
    who = np.flatnonzero(groups != "fundamentalist") if cell.weights == "naive" else np.arange(len(profiles))
    exact = cell.weights == "exact"
    found = neighbors(
        _of_users(training, who),
        plan.k,
        epsilon=cell.epsilon or MAX_EPSILON,
        measure=plan.measure,
        sampler=noise.without if exact else sampler,
    )
    recall = np.full(len(profiles), np.nan)
    subset = np.isin(profiles.user, who)
    recall[who] = recall_of(_of_users(_kept(profiles, subset), who), out[subset], found.neighbor)
    by_group = {g: _sum(recall[groups == g]) for g in ATTITUDES} if cell.weights in ("westin", "naive") else {}
    return RecallResult(cell, *_sum(recall), by_group)


def _weights(profiles: Profiles, cell: Cell, groups: NDArray[np.str_], seed: int) -> Floats:
    if cell.weights == "slices":
        assert cell.low is not None
        assert cell.slices is not None
        return in_slices(profiles, cell.low, cell.slices, seed)
    if cell.weights == "westin":
        return by_attitude(profiles, groups, seed)
    return np.full(profiles.likes, {"naive": NAIVE, "blind": 0.0, "exact": 1.0}[cell.weights])


def _in_order(profiles: Profiles) -> Profiles:
    """Sort profiles by the ids of users and items, so that draws from a seed do not depend on how they were stored."""
    import pyarrow.compute as pc

    users, items = pc.sort_indices(profiles.users), pc.sort_indices(profiles.items)
    user = np.argsort(np.asarray(users)).astype(np.int32)[profiles.user]
    item = np.argsort(np.asarray(items)).astype(np.int32)[profiles.item]
    order = np.lexsort((item, user))
    return replace(
        profiles,
        users=profiles.users.take(users),
        items=profiles.items.take(items),
        user=user[order],
        item=item[order],
        value=profiles.value[order],
        weight=profiles.weight[order],
        group=None,
    )


def _kept(profiles: Profiles, keep: Bools, weight: Floats | None = None) -> Profiles:
    """Return the profiles of all users with only some of the likes."""
    columns = {name: getattr(profiles, name)[keep] for name in ("user", "item", "value")}
    return replace(profiles, **columns, weight=profiles.weight[keep] if weight is None else weight)


def _of_users(profiles: Profiles, who: NDArray[np.integer]) -> Profiles:
    """Return the profiles of some users."""
    import pyarrow as pa

    place = np.full(len(profiles), -1, np.int32)
    place[who] = np.arange(len(who), dtype=np.int32)
    mine = _kept(profiles, place[profiles.user] >= 0)
    return replace(mine, users=profiles.users.take(pa.array(who)), user=place[mine.user], group=None)


def _sum(recall: Floats) -> tuple[float, int]:
    some = recall[~np.isnan(recall)]
    return float(some.sum()), len(some)


# --- the file -----------------------------------------------------------------------------------------------


class _Kept:
    """Results, kept in a file if one is given: a line that identifies the experiment, then one line per run."""

    def __init__(self, path: str | PathLike[str] | None, identity: dict[str, Any]) -> None:
        self.results: dict[Cell, RecallResult] = {}
        self._path = None if path is None else Path(path)
        if self._path is None:
            return
        if self._path.exists() and self._path.stat().st_size:
            self._read(self._path, identity)
        else:
            with private(self._path) as file:
                file.write(json.dumps(identity).encode() + b"\n")

    def _read(self, path: Path, identity: dict[str, Any]) -> None:
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
            header = json.loads(lines[0])
            whole = [json.loads(line) for line in lines[1:-1]]
        except (OSError, ValueError) as e:
            raise GraphError(f"{path} holds no results of an experiment", "name another file") from e
        if header != identity:
            raise GraphError(
                f"{path} belongs to an experiment with other profiles or options", "name another file, or delete it"
            )
        for row in whole:
            result = RecallResult(
                Cell(**row["cell"]), row["found"], row["users"], {g: (s, n) for g, (s, n) in row["groups"].items()}
            )
            self.results[result.cell] = result
        if lines[-1]:  # a line that was being written when the experiment was stopped
            with private(path) as file:
                file.write("\n".join(lines[:-1]).encode() + b"\n")

    def add(self, result: RecallResult) -> None:
        self.results[result.cell] = result
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result) | {"cell": result.cell._asdict()}) + "\n")


def _identity(profiles: Profiles, plan: Plan, insecure_seed: int | None) -> dict[str, Any]:
    """Return the data that identify the experiment to which a file of results belongs."""
    digest = hashlib.sha256()
    digest.update(repr((profiles.users.to_pylist(), profiles.items.to_pylist())).encode())
    for column in (profiles.user, profiles.item, profiles.value):
        digest.update(np.ascontiguousarray(column).tobytes())
    options: dict[str, Any] = json.loads(json.dumps(asdict(plan)))
    made = {"experiment": "recall", "draws": "by user and item", "profiles": digest.hexdigest()}
    return {**made, "insecure_seed": insecure_seed, **options}

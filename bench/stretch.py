"""All users' nearest neighbours: the cost of privacy, compared with the same work without it.

What is measured
----------------
The 10 nearest of all of 610, 2,000 and 5,000 users with about 80 likes each among 9,700, 12,000 and 17,000 items
(``--quick``: 610 users), drawn so that many users like a few items, and few users like each of the many others:

* neodp with exact noise on every pair and norm, block by block;
* the same with OpenDP's noise, one exact draw after another (610 users only);
* neodp without noise, to see the cost of the noise;
* dense numpy: the whole matrices, numpy's own Laplace noise, which is not safe, on every pair, and ``argpartition``;
* scikit-learn's ``NearestNeighbors(metric="cosine")`` on the sparse matrix, without privacy.

How
---
Each runs in a process of its own, in processor time, once; the peak is the most memory beyond what the process held
before it started. The benchmark checks that the neighbours of neodp without noise have the same cosines as
scikit-learn's.

A second table shows the benefit of noisy top-k: the 10 nearest of single users for one total epsilon, as a list alone
(noisy top-k) and with scores, and how many of the true 10 nearest are among them, over 40 users.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.process import Process, mark_peak, peak, processor_time
from bench.report import megabytes, seconds, show, table, times
from neodp.data.validation import MAX_EPSILON, Floats
from neodp.stretch import noise
from neodp.stretch.neighborhoods import cost_of_nearest, nearest, neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Measure

__all__ = ["run"]

SIZES = ((610, 9_700), (2_000, 12_000), (5_000, 17_000))
K, EPSILON, LIKES = 10, 1.0, 80
AIM = 2.0
"""The largest ratio of the processor time to that of dense numpy."""
TOTALS = (0.5, 1.0, 4.0, 16.0)
ASKED = 40
TOLERANCE = 1e-9
DENSE = "dense numpy, unsafe noise"


def run(quick: bool) -> None:
    """Measure and print."""
    rows = []
    met = True
    for users, items in SIZES[:1] if quick else SIZES:
        results = {}
        for name in ENGINES:
            if name == "neodp, OpenDP's noise" and users > SIZES[0][0]:
                continue
            with Process() as process:
                results[name] = process.call(_measure, name, users, items)
        _agree(results["neodp without noise"][2], results["scikit-learn, no privacy"][2])
        dense = results[DENSE][0]
        met = met and results["neodp"][0] <= AIM * dense
        for name, (taken, memory, _) in results.items():
            rows.append((name, f"{users:,}", f"{items:,}", seconds(taken), times(taken / dense), megabytes(memory)))
    show(table(("neighbors", "users", "items", "s", "to dense numpy", "peak MB"), rows))
    show(f"aim: neodp with noise at most {AIM:g} times dense numpy: {'met' if met else 'missed'}")
    show(table(("10 nearest of one of 610", *(f"total {total:g}" for total in TOTALS)), _lists()))


def _lists() -> list[tuple[str, ...]]:
    """Return how many of the true 10 nearest are found on average for a total epsilon, by list and by scores."""
    profiles = _profiles(*SIZES[0])
    exact = neighbors(profiles, K, epsilon=MAX_EPSILON, sampler=noise.without).neighbor
    rows = []
    for name, scores in (("who they are: noisy top-k", False), ("with scores", True)):
        dearest = max(cost.releases for cost in cost_of_nearest(len(profiles), K, 1.0, Measure.COSINE, scores=scores))
        found = [
            sum(
                len(
                    np.intersect1d(
                        nearest(profiles, str(u), K, epsilon=total / dearest, scores=scores).neighbor, exact[u]
                    )
                )
                for u in range(ASKED)
            )
            for total in TOTALS
        ]
        rows.append((name, *(f"{count / ASKED:.2f} of {K}" for count in found)))
    return rows


def _measure(name: str, users: int, items: int) -> tuple[float, int, Floats]:
    """Return the seconds, the peak memory in bytes, and the scores of all users' neighbours."""
    profiles = _profiles(users, items)
    work = ENGINES[name]
    work(_profiles(20, 50))  # imports
    before = mark_peak()
    taken, scores = processor_time(lambda: work(profiles))
    return taken, peak() - before, scores


def _profiles(users: int, items: int) -> Profiles:
    """Return profiles with sizes log-normal around 80, popularity as in Zipf's law, and every weight 1."""
    random = np.random.default_rng(users)
    size = np.clip(random.lognormal(np.log(LIKES) - 0.5, 1.0, users).astype(np.int64), 1, items // 4)
    chance = -np.log(np.arange(items) + 10.0)
    liked = [np.argpartition(-chance - random.gumbel(size=items), n)[:n] for n in size.tolist()]
    return Profiles.from_columns(
        np.repeat(np.arange(users), size).astype(str).tolist(),
        np.concatenate(liked).astype(str).tolist(),
        users=np.arange(users).astype(str).tolist(),
        items=np.arange(items).astype(str).tolist(),
    )


def _private(profiles: Profiles) -> Floats:
    return neighbors(profiles, K, epsilon=EPSILON).score


def _opendp(profiles: Profiles) -> Floats:
    import opendp.prelude as dp

    dp.enable_features("contrib")

    def sampler(values: noise.Whole, scale: float) -> noise.Whole:
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        return np.array(dp.m.make_laplace(*space, scale=scale)(values.ravel()), np.int64).reshape(values.shape)

    return neighbors(profiles, K, epsilon=EPSILON, sampler=sampler).score


def _without_noise(profiles: Profiles) -> Floats:
    return neighbors(profiles, K, epsilon=MAX_EPSILON, sampler=noise.without).score


def _dense(profiles: Profiles) -> Floats:
    d = profiles.matrix.toarray()
    product = d @ d.T
    noisy = np.triu(product + np.random.default_rng().laplace(scale=1 / EPSILON, size=product.shape), 1)
    norm = np.sqrt(np.maximum(np.diag(product), 1.0))
    scores = (noisy + noisy.T) / norm / norm[:, None]
    np.fill_diagonal(scores, -np.inf)
    k = min(K, len(d) - 1)
    best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    return np.sort(np.take_along_axis(scores, best, axis=1), axis=1)[:, ::-1]


def _sklearn(profiles: Profiles) -> Floats:
    from sklearn.neighbors import NearestNeighbors

    k = min(K, len(profiles) - 1)
    found = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(profiles.matrix)
    distance, _ = found.kneighbors()
    return np.asarray(1.0 - distance)


def _agree(one: Floats, other: Floats) -> None:
    worst = float(np.abs(one - other).max())
    if worst > TOLERANCE:
        raise AssertionError(f"the cosines differ by {worst}")


ENGINES: dict[str, Callable[[Profiles], Floats]] = {
    "neodp": _private,
    "neodp, OpenDP's noise": _opendp,
    "neodp without noise": _without_noise,
    DENSE: _dense,
    "scikit-learn, no privacy": _sklearn,
}

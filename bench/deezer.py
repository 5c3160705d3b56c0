"""The friends of Deezer in Romania (Rozemberczki et al. 2019), as tables of people and friendships.

The data lie outside of the project, in ``../shared/data/deezer-romania`` beside the checkout, or in the folder that the
environment variable ``NEODP_BENCH_DATA`` names: ``friendships.csv.gz`` and ``genres.json.gz``.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["folder", "friendships", "likers", "tables"]


def folder() -> Path:
    """Return the folder with the data; raise FileNotFoundError if it is not there."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = Path(os.environ.get("NEODP_BENCH_DATA", beside)) / "deezer-romania"
    if not found.is_dir():
        raise FileNotFoundError(f"there is no folder {found}: set NEODP_BENCH_DATA to the folder above it")
    return found


def friendships() -> NDArray[np.int64]:
    """Return the pairs of friends."""
    with gzip.open(folder() / "friendships.csv.gz", "rt") as file:
        _, *rows = csv.reader(file)
    return np.array(rows, dtype=np.int64)


def likers(genre: str, people: int) -> NDArray[np.bool_]:
    """Return who likes a genre."""
    with gzip.open(folder() / "genres.json.gz", "rt") as file:
        likes = json.load(file)
    found = np.zeros(people, bool)
    found[[int(person) for person, genres in likes.items() if genre in genres]] = True
    return found


def tables(pairs: NDArray[np.int64], epsilon: NDArray[np.float64], rock: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the tables of a graph of people, as `neodp.ask` takes them."""
    people = {"id": np.arange(len(epsilon)), "epsilon": epsilon, "rock": rock}
    return {"nodes": {"Person": people}, "relationships": {"KNOWS": {"from": pairs[:, 0], "to": pairs[:, 1]}}}

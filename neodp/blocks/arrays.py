"""Named arrays in one file, memory-mapped.

The file begins with a line of JSON, which gives the type, length and position of each array; the arrays follow, each at
a multiple of 64 bytes. Only the parts of the file that are used are read.
"""

from __future__ import annotations

import json
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.blocks.folder import replacing
from neodp.data.files import make_folder

__all__ = ["load_array", "load_arrays", "save_arrays"]

ALIGNED = 64
"""The alignment in bytes: arrays begin at multiples of this number."""


def save_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write one-dimensional arrays to a file, either completely or not at all."""
    index: dict[str, tuple[Any, int, int]] = {}
    place = 0
    for name, array in arrays.items():
        kind = array.dtype.descr if array.dtype.names else array.dtype.str
        index[name] = (kind, len(array), place)
        place += -(-array.nbytes // ALIGNED) * ALIGNED
    head = json.dumps(index).encode() + b"\n"
    make_folder(path.parent)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(head + bytes(-len(head) % ALIGNED))
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-array.nbytes % ALIGNED))


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Load the arrays of a file; changes to the arrays are not written back to the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_arrays(Path(folder, "a"), one=np.arange(3), two=np.empty(0))
    ...     load_arrays(Path(folder, "a"))
    {'one': array([0, 1, 2]), 'two': array([], dtype=float64)}
    """
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    head = content.readline()
    begin = -(-len(head) // ALIGNED) * ALIGNED
    return {
        name: np.frombuffer(content, _type(kind), length, begin + place) if length else np.empty(0, _type(kind))
        for name, (kind, length, place) in json.loads(head).items()
    }


def load_array(path: Path, name: str) -> NDArray[Any]:
    """Load one array of a file."""
    return load_arrays(path)[name]


def _type(kind: Any) -> np.dtype[Any]:
    return np.dtype([tuple(field) for field in kind] if isinstance(kind, list) else kind)

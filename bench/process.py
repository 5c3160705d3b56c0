"""Separate processes for the measured engines, so that each has its own peak memory.

Call a function there with :meth:`Process.call`, one call at a time: the caller waits, so that engines take
turns and never run side by side. State that a function leaves in its module is there for the next call.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, ParamSpec, TypeVar

__all__ = ["Process", "Spent", "mark_peak", "peak", "processor_time", "spend", "stopwatch"]

P = ParamSpec("P")
T = TypeVar("T")


class Process:
    """A new Python process; `environment` is set there before anything is called."""

    def __init__(self, **environment: str) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"), _set, (environment,))

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` there, and return its result or raise its error here."""
        return self.begin(function, *args, **kwargs).result()

    def begin(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Start the same call without waiting for it."""
        return self._pool.submit(function, *args, **kwargs)

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()


def _set(environment: dict[str, str]) -> None:
    os.environ.update(environment)


def stopwatch(work: Callable[[], T], clock: Callable[[], float] = time.perf_counter) -> tuple[float, T]:
    """Return the seconds that `work` takes by a clock, and its result, after collecting garbage of earlier work."""
    gc.collect()
    start = clock()
    result = work()
    return clock() - start, result


def processor_time(work: Callable[[], T]) -> tuple[float, T]:
    """Return the same in processor time: that of all threads of this process, in the program and in the system.

    Use this for work in one thread of this process; then other programs on the machine disturb the result less.
    """
    return stopwatch(work, time.process_time)


class Spent(NamedTuple):
    """Seconds of wall time, and seconds of processor time of all threads together."""

    wall: float
    processor: float

    def __add__(self, other: tuple[float, ...]) -> Spent:  # type: ignore[override]
        return Spent(*(a + b for a, b in zip(self, other, strict=True)))

    def times(self, scale: float) -> Spent:
        """Return the times multiplied by a number."""
        return Spent(self.wall * scale, self.processor * scale)


def spend(work: Callable[[], T]) -> tuple[Spent, T]:
    """Return the time of `work` by both clocks, and its result."""
    gc.collect()
    begin = time.perf_counter(), time.process_time()
    result = work()
    return Spent(time.perf_counter() - begin[0], time.process_time() - begin[1]), result


def mark_peak() -> int:
    """Release freed memory and reset the peak, if the system can, and return the new peak in bytes."""
    gc.collect()
    with suppress(AttributeError, OSError):  # glibc keeps freed memory, which would be used again unseen
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Return the largest resident memory of this process so far, in bytes.

    On Linux, this is VmHWM: ru_maxrss also includes the memory of the parent when it started this process.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

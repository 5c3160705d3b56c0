"""Tell whoever waits that code is being compiled: once on a machine, and again after an update.

The compiled passes (:mod:`neodp.kernel`) are kept in numba's cache. Where the cache does not have one, whoever has put
a function into ``told`` is told, once.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["told", "watch"]

told: list[Callable[[], None]] = []
"""What to call when the first function is really compiled."""


def watch() -> None:
    """Begin to listen to numba, which tells of what it compiles, not of what its cache has."""
    from numba.core import event

    class First(event.Listener):
        def on_start(self, event: object) -> None:
            while told:
                told.pop()()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", First())  # type: ignore[no-untyped-call]

"""Functions that run as they stand, in Python, until there is enough work for the compiler to be worth loading.

Loading numba takes longer than all the rest of a small question, such as ``neodp eval`` of one dataset. So a
function under :func:`njit` counts the elements of the arrays that it is given. Once all functions together were given
more than WORTH, all of them are compiled, and stay so.

Both ways give the same bits: the functions use + - * / and comparisons on doubles in their IEEE meaning, and integers
that do not overflow (``tests/test_compiling.py`` compares the two).

What is compiled is kept in numba's cache. Where the cache does not have a function yet, once on a machine and again
after an update, whoever asked by :func:`telling` is told, once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

__all__ = ["WORTH", "Function", "Hint", "intrinsic", "njit", "telling", "watch"]

WORTH = 30_000
"""How many elements may be worked on in Python: about as long as the compiler takes to load."""

_functions: list[Function] = []
_tell: Callable[[], None] | None = None
_work = 0
_lock = threading.Lock()
_here = threading.local()


class Function:
    """A function that numba can compile with some options."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options
        self._compiled: Callable[..., Any] | None = None
        _functions.append(self)

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None and not getattr(_here, "inside", False):
            _count(arguments)
        if self._compiled is not None:
            return self._compiled(*arguments)
        return self.interpreted(*arguments)

    def interpreted(self, *arguments: Any) -> Any:
        """The result by Python alone, and so that of all that the function calls."""
        import numpy as np

        if getattr(_here, "inside", False):
            return self._function(*arguments)
        _here.inside = True
        try:
            with np.errstate(all="ignore"):
                return _plain(self._function(*arguments))
        finally:
            _here.inside = False

    def compile(self) -> None:
        """Have numba compile the function, now or from its cache; others find it by its name in its module."""
        import numba

        compiled = numba.njit(**self._options)(self._function)
        self._function.__globals__[self._function.__name__] = compiled
        self._compiled = compiled


class Hint(Function):
    """A hint to the processor, made by numba's builder of code; nothing where there is no compiler."""

    def __call__(self, *arguments: Any) -> None:
        return None

    def compile(self) -> None:
        from numba.extending import intrinsic

        self._function.__globals__[self._function.__name__] = self._compiled = intrinsic(self._function)


def intrinsic(function: Callable[..., Any]) -> Any:
    """As ``numba.extending.intrinsic``, later, for what changes no result."""
    return Hint(function, {})


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As ``numba.njit``, later.

    Examples
    --------
    >>> @njit(nogil=True)
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    return lambda function: Function(function, options)


def _count(arguments: tuple[Any, ...]) -> None:
    """Add up what there was to do so far, and compile everything once that is worth it."""
    import numpy as np

    global _work
    _work += 1 + sum(x.size for x in arguments if isinstance(x, np.ndarray))
    if _work > WORTH:
        with _lock:
            watch()
            for function in _functions:
                if function._compiled is None:
                    function.compile()


def _plain(result: Any) -> Any:
    """Numbers as Python has them, as compiled functions return them."""
    import numpy as np

    if isinstance(result, tuple):
        return tuple(map(_plain, result))
    return result.item() if isinstance(result, np.generic) else result


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """While this lasts: call `tell` when the first function is really compiled."""
    global _tell
    _tell = tell
    try:
        yield
    finally:
        _tell = None


def watch() -> None:
    """Begin to listen to numba, which tells of what it compiles, not of what its cache has."""
    from numba.core import event

    class First(event.Listener):
        def on_start(self, event: object) -> None:
            global _tell
            tell, _tell = _tell, None
            if tell is not None:
                tell()

        def on_end(self, event: object) -> None:
            pass

    event.register("numba:compile", First())  # type: ignore[no-untyped-call]

"""Compiled code: labels, their arithmetic, and the passes over plain arrays. It does not depend on graphs.

``compiled.kernel`` is loaded when it is first used: its tables take longer to compute than many a command takes.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neodp.compiled import kernel

__all__ = ["kernel"]


def __getattr__(name: str) -> Any:
    if name != "kernel":
        raise AttributeError(f"module 'neodp.compiled' has no attribute {name!r}")
    from importlib import import_module

    return import_module("neodp.compiled.kernel")

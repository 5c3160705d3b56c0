"""Handles of a store: one in this process, and one in another process, which is told what to do through a pipe."""

from __future__ import annotations

import multiprocessing
import operator
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from neodp.errors import NeodpError
from neodp.store import Store, open_store

__all__ = ["Handle", "Here", "There"]


class Handle(ABC):
    """An open store."""

    @abstractmethod
    def run(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return what a function of the store and some values returns."""

    @abstractmethod
    def reopen(self) -> None:
        """Close the store and open it again."""

    @abstractmethod
    def close(self) -> None:
        """Close the store for good."""

    def call(self, method: str, /, *values: Any, **named: Any) -> Any:
        """Return what a method of the store returns; "profiles.read" is one of its profiles."""
        return self.run(_call, method, values, named)


class Here(Handle):
    """A store that is open in this process."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.store: Store = open_store(address)

    def run(self, function: Callable[..., Any], *values: Any) -> Any:
        return function(self.store, *values)

    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.address)

    def close(self) -> None:
        self.store.close()


class There(Handle):
    """A store that is open in another process.

    Parameters
    ----------
    address : str
    prepare : callable and values, optional
        What that process does first.
    """

    def __init__(self, address: str, *prepare: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, address, prepare), daemon=True)
        self._process.start()
        theirs.close()
        self._answer()

    def run(self, function: Callable[..., Any], *values: Any) -> Any:
        self._pipe.send((function, values))
        return self._answer()

    def reopen(self) -> None:
        self._pipe.send((Here.reopen, ()))
        self._answer()

    def close(self) -> None:
        self._pipe.close()
        self._process.join(60)

    def _answer(self) -> Any:
        error, found = self._pipe.recv()
        if error is None:
            return found
        if issubclass(error, NeodpError):
            raise error(found)
        raise RuntimeError(found)


def _serve(pipe: Connection, address: str, prepare: tuple[Any, ...]) -> None:
    """Do what the pipe says, until it is closed."""
    if prepare:
        prepare[0](*prepare[1:])
    handle = Here(address)
    pipe.send((None, None))
    while True:
        try:
            function, values = pipe.recv()
        except EOFError:
            handle.close()
            return
        try:
            pipe.send((None, function(handle) if function is Here.reopen else handle.run(function, *values)))
        except NeodpError as e:
            pipe.send((type(e), e.message))
        except Exception as e:
            pipe.send((type(e), traceback.format_exc()))


def _call(store: Store, method: str, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    found = operator.attrgetter(method)(store)(*values, **named)
    return list(found) if method == "stream" else found

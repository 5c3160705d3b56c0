"""Kinds of arguments: a public function refuses an argument of the wrong kind, by name, before it does anything.

:func:`checked` reads a function's annotations as a person does. ``DatasetGraph`` is a class, ``int`` any whole number,
``float`` any real number, ``Sequence[…]`` anything that can be iterated over but is no text, and ``ArrayLike`` whatever
numpy takes for numbers. Annotations that say less, such as ``Any``, are left to the function.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from numbers import Integral, Rational, Real
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from neodp.errors import GraphError, NeodpError, WrongKind

__all__ = [
    "Several",
    "checked",
    "explained",
    "position",
    "require_each",
    "require_fields",
    "require_kind",
    "wrong_kind",
]

Several: TypeAlias = Any
"""The annotation of several values of any kind, such as a column of keys."""
P = ParamSpec("P")
R = TypeVar("R")


def _is_numbers(value: Any) -> bool:
    try:
        return value is not None and np.asarray(value, np.float64).dtype == np.float64
    except (TypeError, ValueError, OverflowError):
        return False


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and _is_numbers(value)


def _is_whole(value: Any, dimensions: int) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == dimensions


KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "bool": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "int": (lambda value: isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
    "float": (_is_real, "a number"),
    "Fraction": (lambda value: isinstance(value, Rational), "a fraction"),
    "PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Callable": (callable, "a function"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a mapping"),
    "Sequence": (lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes), "several values"),
    "Iterable": (lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes), "several values"),
    "Several": (
        lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping),
        "several values",
    ),
    "ArrayLike": (_is_numbers, "numbers"),
    "Floats": (_is_numbers, "numbers"),
    "Ints": (_is_numbers, "whole numbers"),
    "Counts": (lambda value: _is_whole(value, 2), "a table of whole numbers"),
    "Progress": (callable, "a function"),
    "Sampler": (callable, "a function"),
    "Keeper": (lambda value: hasattr(value, "kept"), "a store"),
    "Shelf": (lambda value: hasattr(value, "protection"), "a store"),
    "NDArray": (lambda value: isinstance(value, np.ndarray), "an array"),
    "tuple": (lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes), "several values"),
    "Privacy": (lambda value: hasattr(value, "fit"), "a privacy notion, such as Gaussian"),
}
"""The test of each kind that has a name of its own, and the kind in words."""

HOMES = {
    "Comparison": "neodp.study.comparison",
    "DatasetGraph": "neodp.data.graph",
    "Inquiry": "neodp.asking.inquiry",
    "Mechanism": "neodp.core.mechanism",
    "Neighbors": "neodp.stretch.neighborhoods",
    "PollQuestion": "neodp.polls.question",
    "Profiles": "neodp.stretch.profiles",
    "Protection": "neodp.asking.protection",
    "Store": "neodp.store.service",
    "Survey": "neodp.polls.survey",
}
"""The modules of classes that are named where they are not imported."""


def require_kind(name: str, value: Any, kind: type, words: str = "") -> None:
    """Refuse an argument that is not of a class.

    Raises
    ------
    WrongKind
        If the argument is of another class; the message says which one is wanted.

    Examples
    --------
    >>> require_kind("graph", [1], dict)
    Traceback (most recent call last):
      ...
    neodp.errors.WrongKind: `graph` is a list; give a dict
    """
    if not isinstance(value, kind):
        raise wrong_kind(name, value, words or _one(kind.__name__))


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses arguments of another kind than its annotations name.

    Examples
    --------
    >>> @checked
    ... def twice(number: float) -> float:
    ...     return 2 * number
    >>> twice(2.5)
    5.0
    >>> twice("2.5")
    Traceback (most recent call last):
      ...
    neodp.errors.WrongKind: `number` is a str; give a number
    """
    require = _requirement(function)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        require(args, kwargs)
        return function(*args, **kwargs)

    # with the globals of the function's own module: doctest finds the examples of what belongs to a module
    own: Any = function
    made: Any = types.FunctionType(call.__code__, own.__globals__, call.__name__, None, call.__closure__)
    return functools.update_wrapper(made, function)


def _requirement(function: Callable[..., Any]) -> Callable[[Any, Any], None]:
    """Return a function that refuses arguments of another kind than the annotations of a function name."""
    signature = inspect.signature(function)
    named = {name: _alternatives(str(parameter.annotation)) for name, parameter in signature.parameters.items()}
    several = {name for name, parameter in signature.parameters.items() if parameter.kind is parameter.VAR_POSITIONAL}

    def require(args: Any, kwargs: Any) -> None:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            for each in value if name in several else (value,):
                _require(name, each, named[name], getattr(function, "__globals__", {}))

    return require


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that, if it fails, refuses arguments of another kind: a call that works takes no longer.

    For functions that are called often and change nothing.

    Examples
    --------
    >>> @explained
    ... def twice(numbers: Sequence[float]) -> float:
    ...     return 2.0 * sum(numbers)
    >>> twice(None)
    Traceback (most recent call last):
      ...
    neodp.errors.WrongKind: `numbers` is a NoneType; give several values
    """
    require = _requirement(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except NeodpError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
            require(args, kwargs)
            if isinstance(e, TypeError):
                raise WrongKind(f"the arguments of {function.__name__} do not fit", f"{e}") from None
            raise

    return call


def require_fields(given: Any) -> None:
    """Refuse a dataclass whose fields are of another kind than their annotations name; for its ``__post_init__``."""
    names = vars(sys.modules[type(given).__module__])
    for each in (field for field in dataclasses.fields(given) if field.init):
        _require(each.name, getattr(given, each.name), _alternatives(str(each.type)), names)


def _alternatives(annotation: str) -> tuple[str, ...]:
    """Return the alternatives of an annotation, each without what stands in its brackets.

    >>> _alternatives("Sequence[str | int] | PathLike[str] | None")
    ('Sequence', 'PathLike', 'None')
    """
    depth, found = 0, [""]
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            found.append("")
        elif not depth and letter != "]":
            found[-1] += letter
    return tuple(each.strip().rpartition(".")[2] for each in found)


def _require(name: str, value: Any, alternatives: tuple[str, ...], names: Mapping[str, Any]) -> None:
    words = []
    for each in alternatives:
        known = names.get(each) or getattr(sys.modules.get(HOMES.get(each, "")), each, None)
        if each in KINDS:
            fits, word = KINDS[each]
        elif known is not Any and isinstance(known, type) and not _is_loose(known):
            fits, word = functools.partial(_is_of, known), _one(known.__name__)
        else:
            return  # an annotation that says less
        if fits(value):
            return
        words.append(word)
    raise wrong_kind(name, value, " or ".join(dict.fromkeys(word for word in words if word != "None")))


def _is_loose(kind: type) -> bool:
    """Return whether values of other classes can stand for a class: texts for an enum, anything for a protocol."""
    return issubclass(kind, Enum) or bool(getattr(kind, "_is_protocol", False))


def _is_of(kind: type, value: Any) -> bool:
    return isinstance(value, kind)


def require_each(name: str, values: Iterable[Any], kind: type) -> None:
    """Refuse several values of which one is not of a class.

    Examples
    --------
    >>> require_each("numbers", [1, None], int)
    Traceback (most recent call last):
      ...
    neodp.errors.WrongKind: one of `numbers` is a NoneType; give an int
    """
    for value in values:
        if not isinstance(value, kind):
            raise WrongKind(f"one of `{name}` is {_one(type(value).__name__)}", f"give {_one(kind.__name__)}")


def position(name: str, value: Any, count: int) -> int:
    """Return a position among so many things, from 0 on.

    Raises
    ------
    WrongKind, GraphError
        If it is no whole number, or there is nothing at it.

    Examples
    --------
    >>> position("vertex", 4, 4)
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: `vertex` is 4; give a position from 0 to 3
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise wrong_kind(name, value, "a position") from None
    if not 0 <= found < count:
        raise GraphError(f"`{name}` is {found}", f"give a position from 0 to {count - 1}")
    return found


def wrong_kind(name: str, value: Any, wanted: str) -> WrongKind:
    """Return the error for an argument of another kind than `wanted`, in words."""
    return WrongKind(f"`{name}` is {_one(type(value).__name__)}", f"give {wanted}")


def _one(name: str) -> str:
    """Return a name with its article.

    >>> _one("Accuracy"), _one("list")
    ('an Accuracy', 'a list')
    """
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"

"""What a name may be: that of a graph, of profiles, of a population, of a release or of a poll.

Names decide which budget is charged and which answer is given again, so that two names must not look alike and be
different. A name is a text with at least one letter that can be seen. It has no blanks around it, and no characters
that cannot be seen: control characters, marks that turn the direction of writing, and blanks without width. Two ways to
write the same letter are the same: names are kept in Unicode's normal form NFC.

What is in a store already is found by the name that it has, whatever that is.
"""

from __future__ import annotations

import unicodedata

from neodp.errors import GraphError

__all__ = ["normal", "valid_name"]

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what cannot be seen."""
JOINERS = "\u200c\u200d"
"""What cannot be seen itself, but changes the letters beside it, as Persian needs it."""


def normal(name: str) -> str:
    """A name in the form in which names are kept and compared.

    Examples
    --------
    >>> normal("Zoe\\u0308") == "Zo\\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name)


def valid_name(what: str, name: object) -> str:
    """A name as it is kept, if it may be one.

    Parameters
    ----------
    what : str
        What it is the name of, for the message.
    name : str

    Raises
    ------
    GraphError
        If it is empty, has blanks around it, or has characters that cannot be seen.

    Examples
    --------
    >>> valid_name("graph", "spring survey")
    'spring survey'
    >>> valid_name("population", "")
    Traceback (most recent call last):
    neodp.errors.GraphError: the population has no name; give it one, such as spring
    """
    if not isinstance(name, str):
        raise GraphError(f"the name of the {what} is {name!r}", "give a text")
    if not name.strip():
        raise GraphError(f"the {what} has no name", "give it one, such as spring")
    if name != name.strip():
        raise GraphError(f"the name of the {what} is {name!r}, with blanks around it", "leave the blanks out")
    if any(unicodedata.category(letter) in UNSEEN and letter not in JOINERS for letter in name):
        raise GraphError(f"the name of the {what} is {name!r}, with a character that cannot be seen", "leave it out")
    return normal(name)

"""What a name may be: that of a graph, of profiles, of a population, of a release or of a poll.

Names decide which budget is charged and which answer is given again, so that two names must not look alike and be
different. A name is a text with at least one letter that can be seen. It has no blanks around it, and no characters
that cannot be seen: control characters, marks that turn the direction of writing, and blanks without width. Two ways to
write the same letter are the same: names are kept in Unicode's normal form NFC. A name is for people: it has at
most 200 characters in that form.

What is in a store already is found by the name that it has, whatever that is.
"""

from __future__ import annotations

import unicodedata

from neodp.errors import GraphError

__all__ = ["LONGEST", "normal", "require_length", "valid_name"]

LONGEST = 200
"""How many characters a name may have."""
_COMPOSED = 4
"""As many characters at most become one in the normal form."""
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what cannot be seen."""
JOINERS = "\u200c\u200d"
"""What cannot be seen itself, but changes the letters beside it, as Persian needs it."""


def normal(name: str) -> str:
    """Return a name in the form in which names are kept and compared.

    A text that is too long for a name in any form is returned as it is: to normalise it may take time for the square of
    its length.

    Examples
    --------
    >>> normal("Zoe\\u0308") == "Zo\\u00eb"
    True
    """
    return name if len(name) > _COMPOSED * LONGEST else unicodedata.normalize("NFC", name)


def require_length(what: str, name: str) -> None:
    """Refuse a name that is too long.

    Parameters
    ----------
    what : str
        What it is the name of, for the message.
    name : str

    Raises
    ------
    GraphError
        If it has more than 200 characters.

    Examples
    --------
    >>> require_length("release", "x" * 300)
    Traceback (most recent call last):
    neodp.errors.GraphError: the name of the release has 300 characters; at most 200 are allowed
    """
    length = len(normal(name))
    if length > LONGEST:
        raise GraphError(f"the name of the {what} has {length:,} characters", f"at most {LONGEST} are allowed")


def valid_name(what: str, name: object) -> str:
    """Return a name as it is kept, if it may be one.

    Parameters
    ----------
    what : str
        What it is the name of, for the message.
    name : str

    Raises
    ------
    GraphError
        If it is empty, too long, has blanks around it, or has characters that cannot be seen.

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
    require_length(what, name)
    if name != name.strip():
        raise GraphError(f"the name of the {what} is {name!r}, with blanks around it", "leave the blanks out")
    if any(unicodedata.category(letter) in UNSEEN and letter not in JOINERS for letter in name):
        raise GraphError(f"the name of the {what} is {name!r}, with a character that cannot be seen", "leave it out")
    return normal(name)

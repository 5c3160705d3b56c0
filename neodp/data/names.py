"""Name validation: for graphs, profiles, populations, releases and polls.

Names decide which budget is charged and which answer is given again, so two different names must not look alike. A name
is a text with at least one visible letter. It has no blanks around it, and no invisible characters: control characters,
marks that change the direction of writing, and blanks without width. Two ways to write the same letter are the same:
names are stored in Unicode's normal form NFC. A name is for people: it has at most 200 characters in that form.

Anything already in a store is found by the name that it has, even if that name is not valid.
"""

from __future__ import annotations

import unicodedata

from neodp.errors import GraphError

__all__ = ["LONGEST", "normal", "require_length", "valid_name"]

LONGEST = 200
"""The greatest number of characters of a name."""
_COMPOSED = 4
"""The greatest number of characters that become one in the normal form."""
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""The Unicode categories of invisible characters."""
JOINERS = "\u200c\u200d"
"""Characters that are invisible themselves, but change the letters beside them, as Persian needs."""


def normal(name: str) -> str:
    r"""Return a name in the form in which names are stored and compared.

    A text that is too long for a name in any form is returned unchanged: normalising it could take quadratic time in
    its length.

    Examples
    --------
    >>> normal("Zoe\u0308") == "Zo\u00eb"
    True
    """
    return name if len(name) > _COMPOSED * LONGEST else unicodedata.normalize("NFC", name)


def require_length(what: str, name: str) -> None:
    """Refuse a name that is too long.

    Parameters
    ----------
    what : str
        The kind of thing that is named, for the message.
    name : str

    Raises
    ------
    GraphError
        If the name has more than 200 characters.

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
    """Return a name in its stored form, if it is valid.

    Parameters
    ----------
    what : str
        The kind of thing that is named, for the message.
    name : str

    Raises
    ------
    GraphError
        If the name is empty, too long, has blanks around it, or has invisible characters.

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
        raise GraphError(
            f"the name of the {what} is {name!r}, with blanks at its beginning or end", "leave the blanks out"
        )
    if any(unicodedata.category(letter) in UNSEEN and letter not in JOINERS for letter in name):
        raise GraphError(f"the name of the {what} is {name!r}, with an invisible character", "leave it out")
    return normal(name)

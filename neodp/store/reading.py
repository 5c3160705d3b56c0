r"""A check that a user's own Cypher reads the graph, and does nothing else.

A read-only transaction keeps a database from being changed, but not from writing files (``COPY … TO``,
``EXPORT DATABASE``), reading files (``LOAD CSV``, ``LOAD FROM``), revealing other users (``SHOW USERS``) or running
procedures that do any of this (``CALL name``). So the text of a query is checked before it runs, and accepted only if

* it begins with MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN;
* no word in it, outside quotes, belongs to a clause that does something else. Properties (``p.set``), labels
  (``:Load``) and names in backticks are not clauses;
* no number in it runs into a word, as in ``1LOAD``, which the embedded store reads as a number and a word;
* it has no comments, which the two stores recognise differently, and no ``\u0027``, which Neo4j replaces by the
  character, even if that character ends a string.
"""

from __future__ import annotations

import re

from neodp.errors import StoreError
from neodp.store import refusals

__all__ = ["require_reading"]

BEGINS = {"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"}
"""The clauses with which a reading query can begin."""
OTHER = frozenset(
    re.findall(
        r"\w+",
        """
    CREATE INSERT MERGE SET DELETE DETACH NODETACH REMOVE FOREACH DROP ALTER RENAME
    COPY EXPORT IMPORT LOAD ATTACH INSTALL UNINSTALL UPDATE CHECKPOINT PROJECT MACRO COMMENT NEXTVAL
    SHOW TERMINATE START STOP GRANT DENY REVOKE ENABLE DEALLOCATE REALLOCATE DRYRUN
    BEGIN COMMIT ROLLBACK TRANSACTION TRANSACTIONS USE CALL YIELD
    """,
    )
)
"""The words that occur only in clauses, or name functions, that do something other than read the graph."""
NUMBER = re.compile(r"[0-9][0-9_]*(e[0-9]*)?|0x[0-9a-f]+|0o[0-7]+", re.IGNORECASE)
"""A number, or the part of a number before or after a point or a sign."""
TOKEN = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*`)
    |   (?P<comment>//|/\*)
    |   (?P<word>\w+)
    |   (?P<mark>\S)""",
    re.VERBOSE | re.DOTALL,
)


def require_reading(text: str) -> None:
    """Refuse a query that does anything but read the graph.

    Raises
    ------
    StoreError
        If the query does more than read, or might; the message names the word.

    Examples
    --------
    >>> require_reading("MATCH (p:Person) WHERE p.set = 'COPY' RETURN p.vote")
    >>> require_reading("COPY (MATCH (p:Person) RETURN p.*) TO 'people.csv'")
    Traceback (most recent call last):
    ...
    neodp.errors.StoreError: the Cypher query would write or do more than read, by COPY; this command only reads: ...
    """
    if re.search(r"\\u", text, re.IGNORECASE):
        raise StoreError("the Cypher query holds an escape \\u…", "write the character itself")
    if not text.strip():
        raise StoreError("there is no Cypher query", "give MATCH … RETURN …")
    tokens = list(TOKEN.finditer(text.strip().rstrip(";").rstrip()))
    for i, token in enumerate(tokens):
        if token["comment"] or token[0] == ";":
            what = "a comment" if token["comment"] else "more than one statement"
            raise StoreError(f"the Cypher query holds {what}", "give one statement without comments")
        word = (token["word"] or "").upper()
        if word[:1].isdigit() and not NUMBER.fullmatch(word):
            raise StoreError(f"the Cypher query holds {token[0]!r}", "put a space between a number and a word")
        if (i == 0 and word not in BEGINS) or (word in OTHER and not _is_name(tokens, i)):
            raise refusals.would_write(token[0])


def _is_name(tokens: list[re.Match[str]], i: int) -> bool:
    """Return whether a word is a property, a label, a parameter or the CALL of a subquery, rather than a clause."""
    before = tokens[i - 1][0] if i else ""
    after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
    if before == ".":
        return i > 1 and not tokens[i - 2][0][0].isdigit()  # not "1. LOAD"
    return before in (":", "$") or (tokens[i][0].upper() == "CALL" and after in ("{", "("))

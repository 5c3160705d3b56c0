"""The address and credentials of a store: from an argument or the environment, validated once.

The store is the argument, else ``NEODP_STORE``, else ``NEO4J_URI``, else the embedded file ``neodp.db`` in the
current folder. For Neo4j, ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE`` complete it.

Text that looks like an address is never taken for a path, since it may hold a password: ``neo4j:secret@host`` would
become the name of a file. Messages never repeat such text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from neodp.data.kinds import checked
from neodp.errors import StoreError

__all__ = ["DEFAULT_FILE", "Settings"]

DEFAULT_FILE = "neodp.db"
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
ADDRESS = re.compile(
    r"""[/\\\s]*(neo4j|bolt|https?)(\+\w+)?(:|//)  # the scheme of an address, however it goes on
    |   [/\\\s]*[^/\\]*:[^/\\]*@         # user:password@…
    |   (?!.*\.db$)\s*(//)?[^/\\]*@    # user@host, unless it ends as a file does
    |   \s*(//)?[^/\\]{2,}:\d+(/|$)      # host:port
    |   \s*(//)?(localhost|\d+(\.\d+){3}|\[?[\da-f]*:[\da-f.:]*:[\da-f.]*\]?)/?\s*$  # a host alone""",
    re.VERBOSE | re.IGNORECASE,
)
"""The beginning of an incomplete address, as in ``neo4j:secret@host``, ``me@host`` or ``host:7687``."""


@dataclass(frozen=True)
class Settings:
    """A store's address and credentials; the password is never shown.

    `patience` is how many seconds to wait for an embedded file that another process holds, and `create` tells whether
    to create the file if it does not exist. `timeout` is how many seconds a Neo4j server may be silent before the
    connection counts as lost; a busy server sends a sign of life every minute. With `read_only`, every change of the
    store is refused, as it is for a user without the right to write.
    """

    uri: str
    user: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: str = "neo4j"
    patience: float = field(default=0.0, repr=False)
    create: bool = field(default=True, repr=False)
    timeout: float = field(default=75.0, repr=False)
    read_only: bool = field(default=False, repr=False)

    @classmethod
    @checked
    def from_env(cls, uri: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
        """Return the settings given by an argument and the environment.

        Examples
        --------
        >>> Settings.from_env(environ={}).uri
        'neodp.db'
        >>> Settings.from_env(environ={"NEO4J_URI": "bolt://localhost", "NEO4J_PASSWORD": "secret"})
        Settings(uri='bolt://localhost', user='neo4j', database='neo4j')
        """
        env = os.environ if environ is None else environ
        found = uri or env.get("NEODP_STORE") or _server(env.get("NEO4J_URI")) or DEFAULT_FILE
        settings = cls(
            uri=found,
            user=env.get("NEO4J_USERNAME") or "neo4j",
            password=env.get("NEO4J_PASSWORD") or None,
            database=env.get("NEO4J_DATABASE") or "neo4j",
        )
        settings._check()
        return settings

    def _check(self) -> None:
        scheme, separator, _ = self.uri.partition("://")
        if not separator:
            if ADDRESS.match(self.uri):
                raise StoreError(
                    "the store looks like an address, but is incomplete",
                    "write bolt://HOST:PORT or neo4j://HOST:PORT, or ./NAME for a file of that name",
                )
            return
        if scheme not in SCHEMES:
            shown = f"{scheme}://…" if scheme.isalnum() else "before ://"
            raise StoreError(f"the store {shown} is of an unknown kind", f"use {', '.join(SCHEMES)} or a path")
        try:
            parts = urlsplit(self.uri)
            whole = parts.port is None or parts.hostname is not None
        except ValueError:
            whole = False
        if not whole:
            raise StoreError("the host or port in the store's address is invalid", f"write {scheme}://HOST:PORT")
        if "@" in self.uri:
            raise StoreError(
                "the store's address holds a user or password", "give them as NEO4J_USERNAME and NEO4J_PASSWORD instead"
            )

    @property
    def is_neo4j(self) -> bool:
        """True for a Neo4j server, false for a file."""
        return "://" in self.uri

    @property
    def exposed_to(self) -> str | None:
        """The other machine to which a password and all data go without encryption; None if they do not.

        Examples
        --------
        >>> Settings("bolt://db.example.org", password="secret").exposed_to
        'db.example.org'
        >>> Settings("bolt+s://db.example.org", password="secret").exposed_to
        >>> Settings("bolt://localhost", password="secret").exposed_to
        """
        parts = urlsplit(self.uri)
        host = parts.hostname or "localhost"
        if parts.scheme not in ("bolt", "neo4j") or self.password is None:
            return None
        return None if _here(host) else host

    @property
    def path(self) -> Path:
        """The embedded file."""
        return Path(self.uri)


def _here(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # it is a name
        return host == "localhost"


def _server(uri: str | None) -> str | None:
    """Return the value of NEO4J_URI, which is never a path."""
    if uri and "://" not in uri:
        raise StoreError("NEO4J_URI is not a complete address", "set it to bolt://HOST:PORT or neo4j://HOST:PORT")
    return uri

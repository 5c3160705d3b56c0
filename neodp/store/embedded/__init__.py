"""Dataset graphs in one file, kept by the embedded database ladybug; no server.

Every change is all or nothing: whoever opens the file after a kill at any moment finds the whole old state or the whole
new one, and all graphs "ready". One process at a time holds the file; the threads of that process take turns.

``file`` and ``lock`` open the file and keep others out, ``session`` runs statements, ``columns`` turns tables into
arrays, and there is a module for each file of ``cypher/embedded``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.store.embedded.file import DamagedLogWarning
from neodp.store.embedded.mechanisms import Mechanisms
from neodp.store.embedded.releases import Releases
from neodp.store.embedded.session import Session
from neodp.store.settings import Settings

if TYPE_CHECKING:
    from neodp.store.profiles import ProfileStore

__all__ = ["DamagedLogWarning", "EmbeddedStore"]


class EmbeddedStore(Mechanisms, Releases):
    """A store in one file, made when it is opened for the first time."""

    dialect = "embedded"

    def __init__(self, settings: Settings) -> None:
        self._session = Session(settings, self.dialect)
        self.address = self._session.address
        try:
            if not self._session.read_only:
                self._delete_unfinished()
        except BaseException:
            self.close()
            raise

    @property
    def profiles(self) -> ProfileStore:
        from neodp.store.embedded.profiles import EmbeddedProfiles

        return EmbeddedProfiles(self._session)

"""Attacks on neodp, with judges that can fail: ``python -m attacks --minutes 30``.

One module for each kind of attack: ``kills``, ``races``, ``network``, ``servers``, ``disks``, ``damage``, ``fuzz`` and
``names``. ``arena`` runs commands in processes of their own and says what is in a store, ``batches`` runs many small
tries in one process, ``judges`` says what must hold, ``attack`` has the list and the turns, and ``page`` prints the
table of docs/reliability.md.
"""

__all__: list[str] = []

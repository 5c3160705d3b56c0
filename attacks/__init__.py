"""Attacks on neodp, with judges that can fail: ``python -m attacks --minutes 30``.

One module for each kind of attack: ``kills``, ``races``, ``network``, ``servers``, ``disks``, ``files``, ``damage``,
``fuzz``, ``names`` and ``model``. ``arena`` runs commands in processes of their own and reads the state of a store,
``traps`` kill them or have their disk fail at a chosen place, ``batches`` runs many small tries in one process,
``judges`` and ``contents`` decide what must hold, ``attack`` has the list and the turns, and ``page`` prints the table
of docs/reliability.md. ``audits`` looks at the distribution and the time of answers.
"""

__all__: list[str] = []

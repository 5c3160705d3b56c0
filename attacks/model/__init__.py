"""Random ordinary use of a store, compared with a model in plain Python.

A *machine* (``machine.py``) does one operation after another on a store: it loads, replaces and drops graphs and
profiles, writes alpha and mechanisms, extends, evaluates, audits, answers, polls, changes limits and roles, opens the
store again, and takes backups. The *model* (``plain.py``, ``queries.py``) says what each operation must do; it holds
dicts of what was written, and no store. Whatever is read is compared with the model bit for bit, graphs up to the order
of their datasets and edges. Several handles use the same store in turn, one of them in another process
(``handles.py``). The values (``values.py``) are doubles of every magnitude and texts of every script.

    python -m attacks.model --operations 10000 --store embedded --seed 1

A failure names the seed and the number of the operation. The same seed does the same again, but for the answers that
are drawn. With an odd seed, the columns of an embedded file have short parts, so that small graphs have many of them.
"""

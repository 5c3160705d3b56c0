"""The mechanism: boundaries, extensions, single datasets, audits and draws. It uses no store and prints nothing."""

__all__: list[str] = []

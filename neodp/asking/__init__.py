"""Private answers from a graph of people."""

__all__: list[str] = []

"""Compiled code: labels, their arithmetic, and the passes over plain arrays. It knows nothing of graphs."""

__all__: list[str] = []

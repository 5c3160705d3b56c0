"""Compiled code: labels, their arithmetic, and the passes over plain arrays. It does not depend on graphs."""

__all__: list[str] = []

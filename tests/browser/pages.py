"""Addresses and steps that the browser tests of the explorer share."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.explore.serving import Site

__all__ = ["CANVAS", "address", "choose"]

CANVAS = ".canvas canvas"


def address(site: Site, graph: str, view: str) -> str:
    """The address of a view of a graph."""
    return f"{site.address}#/{quote(graph, safe='')}/{view}"


def choose(page: Any, key: str) -> None:
    """Choose a dataset by its key."""
    page.get_by_label("Find a dataset by its key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=f"Dataset {key}").wait_for()
    page.get_by_label("Find a dataset by its key").fill("")

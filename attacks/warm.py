"""Modules and compiled code that commands need, imported once by the process that all commands are copies of."""

import importlib
import pkgutil

import matplotlib

matplotlib.use("agg")

import neodp.cli
import neodp.plot
import neodp.store.embedded
import neodp.store.neo4j
import neodp.store.neo4j.profiles
import tests.warm  # noqa: F401

__all__: list[str] = []

for _package in (neodp.cli, neodp.plot):
    for _module in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        importlib.import_module(_module.name)

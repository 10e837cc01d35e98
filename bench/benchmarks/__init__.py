"""The benchmarks: one file each, found because of where it lies.

A benchmark is a module whose docstring's first line says what it measures, with `run(settings: Settings)` that yields
`Figure`s. Nothing is asserted about a time; a goal stands in the note of its figure.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def found() -> dict[str, ModuleType]:
    """Benchmarks by name."""
    return {
        module.name: importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
    }

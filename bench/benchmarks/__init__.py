"""The benchmarks: one file each, found because of where it lies.

A benchmark is a module whose docstring's first line says what it measures, with `run(settings: Settings)` that yields
`Figure`s. Nothing is asserted about a time; a goal stands in the note of its figure. One with `HOURS = True` takes that
long and is run where it is named.
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


def usual() -> list[str]:
    """Names of those that do not take hours."""
    return [name for name, module in found().items() if not getattr(module, "HOURS", False)]

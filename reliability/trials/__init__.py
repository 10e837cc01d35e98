"""The trials: one file each, found because of where it lies.

A trial is a module with a docstring (the first line is its heading on the page, the rest stands below it),
`arguments(parser)`, which adds its options to an argparse parser, and `run(options) -> Report`.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def found() -> dict[str, ModuleType]:
    """Trials by name."""
    return {
        module.name: importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
    }

"""The studies: one package each, with the same four rooms (model, workload, schedulers, replay).

The package says as TAKES which tables of a drop it has workloads of, in the words of the readers' GIVES. A study may
have a fifth room, `refinement`: `refine(config, workloads, scenarios, metrics) -> scenarios` places a second round of
scenarios by what the first gave; they run on the same workloads.
"""

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType


def plugins(package: str, path: Iterable[str]) -> dict[str, ModuleType]:
    """Modules of a package by name, in alphabetical order: what lies in the folder is what there is."""
    names = sorted(info.name for info in pkgutil.iter_modules(path) if not info.name.startswith("_"))
    return {name: importlib.import_module(f"{package}.{name}") for name in names}

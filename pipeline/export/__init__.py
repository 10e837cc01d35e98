"""Results and traces in the formats of other programs: one module per format, found because it lies in the folder
`exports` of a study.

A module has

* a docstring whose first line says what it writes and for which program,
* `FORMAT: str`, the name that the verb `export` takes,
* `TAKES: str`, what it needs to be told, as an example,
* `TARGET: str`, an example of a target,
* `write(source: Source, what: str | None, target: Path) -> str`, which writes `target` whole or not at all and returns
  a sentence on what it wrote.

Modules whose names start with `_` are parts that formats share.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from pipeline.export.source import Source
from pipeline.runtime import sources
from pipeline.runtime.wording import did_you_mean

__all__ = ["Source", "export", "formats", "overview"]


def formats() -> dict[str, ModuleType]:
    """Modules of the formats by name."""
    paths = sorted((sources.PACKAGE / "studies").glob("*/exports/[!_]*.py"), key=lambda path: path.stem)
    modules = [importlib.import_module(f"pipeline.studies.{path.parts[-3]}.exports.{path.stem}") for path in paths]
    return {module.FORMAT: module for module in modules}


def overview() -> str:
    """What can be exported, a paragraph a format with the command for it."""
    parts = []
    for name, module in formats().items():
        about = (module.__doc__ or "").splitlines()[0]
        parts.append(f"{name}: {about}\n    apportion export {name} {module.TAKES} --target {module.TARGET}")
    return "\n".join(parts)


def export(name: str, source: Source, what: str | None, target: Path) -> str:
    """Write `what` in a format. Raises ValueError for an unknown format, or where `what` is missing."""
    known = formats()
    if name not in known:
        raise ValueError(f"{name!r} is no format; known: {', '.join(known)}{did_you_mean(name, known)}")
    module = known[name]
    if what is None:
        raise ValueError(f"{name} needs to be told what to write, as: export {name} {module.TAKES}")
    return module.write(source, what, target)

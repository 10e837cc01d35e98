"""The configuration: its keys, defaults and meanings, defined here and nowhere else; one module per study.

`whole` puts the sections of the studies together, for what reads all of the configuration. It is imported when one of
its names is asked for: a stage of one study imports that study's section alone, and depends on no other.

`config/config.yaml`, `workflow/schemas/config.schema.yaml` and the page Configuration are generated from these models
(`apportion generate`).
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("pipeline.config.whole"), name)

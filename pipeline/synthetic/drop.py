"""What every generated drop has: a description, and sizes that make sense."""

from __future__ import annotations

from pathlib import Path

import yaml


def describe(folder: Path, description: dict) -> None:
    """Write the keys given as the folder's trace.yaml."""
    text = yaml.safe_dump(description, sort_keys=False, allow_unicode=True, width=110)
    (folder / "trace.yaml").write_text(text, encoding="utf-8")


def require_positive(load: float, **counts: int) -> None:
    """Raise ValueError for a count below 1 or a load that is not positive."""
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} is {count}; a generated trace needs at least 1")
    if not load > 0:
        raise ValueError(f"load is {load}; it must be > 0")

"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

ANSWERS = {"jobs": lambda _: ["recommended_hpc_memory, smallest_memory_for_loss (memory that nodes share)"]}


def lacking(tables: Mapping[str, pl.DataFrame], trace: Mapping[str, Any]) -> list[tuple[str, str]]:  # noqa: ARG001
    """What a trace of memory samples alone lacks."""
    alone = trace["samples"] and not trace["jobs"]
    return [("a table of jobs", "lead to recommended_hpc_memory")] if alone else []

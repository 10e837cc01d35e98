"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.runtime.wording import counted
from pipeline.tables.mix_names import apps_alone

Tables = Mapping[str, pl.DataFrame]


def _of_curves(tables: Tables) -> list[str]:
    apps = apps_alone(tables["sm_curves"])
    return ["recommended_gpu_partition (task sets that run these applications)"] if apps else []


def _of_demands(tables: Tables) -> list[str]:
    sets = tables["slice_demands"]["demand"].n_unique()
    of_sets = counted(sets, "set of models", "sets of models")
    return [f"fewest_slices and best_slices (slices that serve {of_sets})"]


def _of_tasks(tables: Tables) -> list[str]:
    sets = tables["tasks"]["taskset_id"].n_unique()
    return [f"recommended_gpu_partition (partitions of a GPU for {counted(sets, 'task set', 'task sets')})"]


ANSWERS = {"sm_curves": _of_curves, "slice_demands": _of_demands, "tasks": _of_tasks}


def lacking(tables: Tables, trace: Mapping[str, Any]) -> list[tuple[str, str]]:  # noqa: ARG001
    """What is asked of slices, where models are measured on them alone."""
    alone = "slice_points" in tables and not {"slice_demands", "kernels"} & tables.keys()
    return [("a table of demands", "lead to fewest_slices")] if alone else []

"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pipeline.tables.mix_names import apps_alone


def _of_curves(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    apps = len(apps_alone(tables["sm_curves"]))
    if apps < 2:
        return ["no recommended_gpu_sharing, as one application alone shares nothing"]
    parts = "SMs" if tables["sm_curves"]["mig_slices"].null_count() else "slices"
    return [f"recommended_gpu_sharing ({parts} of each, mixes among {apps} applications)"]


ANSWERS = {"sm_curves": _of_curves}

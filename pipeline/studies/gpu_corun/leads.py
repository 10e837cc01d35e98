"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.runtime.wording import counted

Tables = Mapping[str, pl.DataFrame]


def _of_kernels(tables: Tables) -> list[str]:
    apps = _rated(tables["kernels"]).height
    if not apps:
        return ["no recommended_gpu_corun, as no kernel has both gflops and memory_gbps"]
    return [f"recommended_gpu_corun (who shares the GPU, pairs among {counted(apps, 'application', 'applications')})"]


def _rated(kernels: pl.DataFrame) -> pl.DataFrame:
    """Applications (app) of which a kernel has both rates; a kernel of no application is one itself."""
    rated = kernels.filter(pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null())
    return rated.select(pl.coalesce("app", "kernel").alias("app")).unique()


def _of_pairs(tables: Tables) -> list[str]:
    ran = tables["corun_pairs"].drop_nulls("slowdown_a")
    cards = ran["gpu"].n_unique()
    answers = ["best_pairs (who shares the GPU with whom)"] if cards else []
    rated = _rated(tables["kernels"])["app"].to_list() if "kernels" in tables and cards == 1 else []
    modelled = ran.filter(pl.col("app_a").is_in(rated) & pl.col("app_b").is_in(rated))
    names = modelled.select(pl.concat_list("app_a", "app_b").list.sort()).to_series().n_unique()
    if names:
        answers.append(f"modelled_and_measured_pairs (the model beside {counted(names, 'pair', 'pairs')})")
    return answers


ANSWERS = {"kernels": _of_kernels, "corun_pairs": _of_pairs}


def lacking(tables: Tables, trace: Mapping[str, Any]) -> list[tuple[str, str]]:  # noqa: ARG001
    """Rates of kernels, and what pairs alone are too little for."""
    if "kernels" in tables:
        rates = [
            name for name in ("gflops", "memory_gbps") if tables["kernels"][name].null_count() == len(tables["kernels"])
        ]
        return [(" and ".join(rates), "lead to recommended_gpu_corun")] if rates else []
    if "corun_pairs" not in tables or {"gpu_apps", "sm_curves", "solo_rates"} & tables.keys():
        return []
    return [("a table of kernels", "lead to modelled_and_measured_pairs")]

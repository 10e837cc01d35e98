"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.runtime.wording import counted

Tables = Mapping[str, pl.DataFrame]

LEAST_JUDGED = 5
"""Applications measured side by side from which rules that choose partners are judged."""


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
    pairs = tables["corun_pairs"]
    profiled = set(tables["gpu_apps"]["app"]) if "gpu_apps" in tables else set()
    both = pairs.filter(pl.col("app_a").is_in(list(profiled)) & pl.col("app_b").is_in(list(profiled)))
    judged = pl.concat([both["app_a"], both["app_b"]]).n_unique()
    answers = ["best_corun_rule (which rule chooses partners best)"] if judged >= LEAST_JUDGED else []
    ran = pairs.drop_nulls("slowdown_a")
    sides = pl.concat([ran.select("gpu", app="app_a"), ran.select("gpu", app="app_b")])
    of_cards = sides.group_by("gpu").agg(pl.col("app").n_unique())["app"]
    if len(of_cards) and of_cards.max() >= LEAST_JUDGED:
        cards = f" on {len(of_cards)} cards" if len(of_cards) > 1 else ""
        answers.append(f"best_pair_rule (which rule chooses by rates who shares the GPU{cards})")
    if len(of_cards):
        answers.append("best_pairs (who shares the GPU with whom)")
    rated = _rated(tables["kernels"])["app"].to_list() if "kernels" in tables and len(of_cards) == 1 else []
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
    lacks = [("a table of kernels", "lead to modelled_and_measured_pairs")]
    if pl.concat([tables["corun_pairs"][side] for side in ("app_a", "app_b")]).n_unique() >= LEAST_JUDGED:
        lacks.append(("profiles of the applications, by ncu or nvprof", "lead to best_corun_rule"))
    return lacks

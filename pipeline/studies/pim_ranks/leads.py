"""What a drop leads to in the answers of this study (see pipeline.drops.leads)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pipeline.runtime.wording import counted


def _of_pim(own_tables: Mapping[str, pl.DataFrame]) -> list[str]:
    frames = [own_tables[name].select("app", "ranks") for name in ("pim_runs", "perf_points") if name in own_tables]
    sizes = pl.concat(frames).drop_nulls().group_by("app").agg(pl.col("ranks").n_unique())
    curved = sizes.filter(pl.col("ranks") > 1)["app"].to_list()
    if not curved:
        return ["no recommended_pim_ranks, as no application is measured on two numbers of ranks"]
    queue = ["the queue"] if "queues" in own_tables else []
    sets = [f"sets of {counted(len(curved), 'application', 'applications')}"]
    of_dpus = "perf_points" in own_tables and (own_tables["perf_points"]["unit"] == "dpu").any()
    unit = "DPUs" if of_dpus else "ranks"
    return [f"recommended_pim_ranks ({' and '.join(queue + sets)})", f"pim_curve ({unit} to give each)"]


ANSWERS = {"pim_runs": _of_pim, "perf_points": _of_pim}

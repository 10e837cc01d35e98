"""That care_floor pays, on tables and sets that no choice was made on."""

import polars as pl

from pipeline import config
from pipeline.studies import pim_ranks


def test_it_shortens_batches_more_often_than_it_lengthens_them():
    """docs/models/pim_ranks.md, care_floor; the seed is not the one that the rule was chosen with."""
    sweep = {"workload": "sets", "batches": 4, "members": 12, "schedulers": ["pim_care", "care_floor"]}
    settings = config.parse({"seed": 202, "pim_ranks": {"sweeps": {"sets": sweep}}})
    inputs, scenarios = pim_ranks.workloads(settings, {}), pim_ranks.scenarios(settings, {})
    metrics = pim_ranks.replay(inputs, scenarios)["metrics"].join(scenarios, on="scenario_id")
    paired = metrics.filter(pl.col("metric").is_in(["makespan_s", "att_s"])).pivot(
        on="scheduler", index=["workload_id", "table_id", "metric"], values="value"
    )
    ratio = pl.col("care_floor") / pl.col("pim_care")
    result = paired.group_by("metric").agg(
        mean=ratio.log().mean().exp(), shorter=(ratio < 1 - 1e-9).mean(), longer=(ratio > 1 + 1e-9).mean()
    )
    for _, mean, shorter, longer in result.sort("metric").iter_rows():
        assert mean < 1
        assert shorter > longer

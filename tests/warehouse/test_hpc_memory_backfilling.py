"""What a rule of backfilling is worth, compared with the files of the replays."""

import numpy as np
import polars as pl
import pytest

STUDY = "hpc_memory"


def test_backfilling_is_over_easy_on_the_same_jobs_memory_and_scheduler(ask, measured):
    ours = ask("SELECT * FROM hpc_memory_backfilling")
    assert set(ours["backfilling"]) == {"memory_aware_easy"}
    assert {"unlimited", "priority", "stochastic"} <= set(ours["scheduler"])
    assert set(ours["memory_per_node_gb"]) == {None, 105.0, 150.0}
    usual = measured.filter(
        (pl.col("kind") == "phased") & (pl.col("alpha") == 0.03) & (pl.col("tau_s") == 1) & ~pl.col("timeline")
        & (pl.col("reconfiguration") == "serial") & ~pl.col("free_start") & (pl.col("largest_by") == "memory")
    )  # fmt: skip
    for row in ours.iter_rows(named=True):
        at = usual.filter(
            pl.col("family") == row["workload"], pl.col("scheduler") == row["scheduler"],
            pl.col("memory_per_node_gb").eq_missing(row["memory_per_node_gb"]),
            pl.col("knowledge").is_null() | (pl.col("knowledge") == "own"),
        )  # fmt: skip
        rule, easy = (
            at.filter(pl.col("backfilling") == name).sort("workload_id") for name in ("memory_aware_easy", "easy")
        )
        assert rule["workload_id"].to_list() == easy["workload_id"].to_list()
        assert row["batches"] == len(rule) == 2
        assert row["utilisation"] == pytest.approx(np.exp((rule["utilisation"] / easy["utilisation"]).log().mean()))
        assert row["response"] == pytest.approx(
            np.exp((rule["mean_response_s"] / easy["mean_response_s"]).log().mean())
        )

"""Steps of sharing are differences on the same spans: what is common to both schedulers cancels out."""

import polars as pl
import pytest

from pipeline.studies.memory_tiers import STUDY
from pipeline.studies.memory_tiers.intervals import tables

SPANS, NODE_S = 8, 100.0
COMMON = [0.0, 30.0, 5.0, 44.0, 11.0, 20.0, 38.0, 2.0]
"""Useful node-seconds of each span, which vary much more than the schedulers differ."""


def replayed(**useful):
    """The tables that the intervals are made of: one machine, by scheduler the useful node-seconds of its spans."""
    workloads = pl.DataFrame({"workload_id": ["w/b00"], "family": ["w"], "batch": [0]})
    scenarios = [
        {name: STUDY.defaults[name] for name in ("alpha", "sensitivity_scale", "backfilling", "reserve_depth", "growth",
                                                 "tau_s")}
        | {"scenario_id": name, "workload_id": "w/b00", "scheduler": name, "local_per_node_gb": 1.0,
           "pool_per_node_gb": 0.0 if name == "requested_local" else 2.0, "timeline": False}
        for name in useful
    ]  # fmt: skip
    spans = [
        {"scenario_id": name, "span": k, "jobs": 1, "rejected": 0, "node_s": NODE_S, "useful_node_s": each,
         "local_useful_node_s": 50.0, "response_s": 20.0, "local_response_s": 10.0, "wait_s": 1.0}
        for name, per_span in useful.items() for k, each in enumerate(per_span)
    ]  # fmt: skip
    return tables(workloads, pl.DataFrame(scenarios), pl.DataFrame(spans))


def test_a_constant_gain_is_certain_although_each_utilisation_is_not():
    result = replayed(static_pool=COMMON, static_used=[each + 6 for each in COMMON])
    (row,) = result["paired_memory_tiers"].to_dicts()
    assert (row["step"], row["blocks"]) == ("right_sized_requests", SPANS)
    ends = [row[f"utilisation_gain{end}"] for end in ("", "_lo", "_hi")]
    assert ends == pytest.approx([0.06] * 3)
    assert row["response_ratio_change"] == row["response_ratio_change_lo"] == row["response_ratio_change_hi"] == 0
    alone = result["steady_memory_tiers"]
    assert (alone["loss_hi"] - alone["loss_lo"]).min() > 0.1


def test_a_gain_in_some_spans_has_an_interval_around_its_mean():
    gains = [12.0, 0.0] * (SPANS // 2)
    result = replayed(dynamic_pool=COMMON, priority=[a + b for a, b in zip(COMMON, gains, strict=True)])
    (row,) = result["paired_memory_tiers"].to_dicts()
    assert row["step"] == "reconfiguring" and row["utilisation_gain"] == pytest.approx(0.06)
    assert 0 < row["utilisation_gain_lo"] < 0.04 and 0.08 < row["utilisation_gain_hi"] < 0.12


def test_nodes_without_a_pool_are_compared_with_those_beside_one_and_few_spans_have_no_interval():
    result = replayed(requested_local=COMMON[:4], static_pool=COMMON[:4])
    (row,) = result["paired_memory_tiers"].to_dicts()
    assert (row["step"], row["pool_per_node_gb"], row["utilisation_gain"]) == ("sharing_at_start", 2.0, 0)
    assert row["utilisation_gain_lo"] is None and row["utilisation_gain_hi"] is None

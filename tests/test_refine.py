"""The stage of the second round: from the files of the first to a table of scenarios."""

import json

import polars as pl
import pytest

from pipeline import config
from pipeline.runtime import manifest, storage
from pipeline.stages import refine
from pipeline.studies.hpc_memory import refinement

SCENARIOS = pl.DataFrame(
    {
        "scenario_id": ["base", "s/m100/a", "s/m200/a"],
        "scheduler": ["unlimited", "priority", "priority"],
        "seed": [0, 0, 0],
        "workload_id": ["w/b00"] * 3,
        "nodes": [10] * 3,
        "memory_gb": [None, 1000.0, 2000.0],
        "memory_per_node_gb": [None, 100.0, 200.0],
        "alpha": [0.03] * 3,
        "tau_s": [1.0] * 3,
        "reconfiguration": ["serial"] * 3,
        "backfilling": ["easy"] * 3,
        "free_start": [False] * 3,
        "largest_by": ["memory"] * 3,
        "knowledge": [None, None, "history"],
        "timeline": [False] * 3,
    }
)


@pytest.fixture
def first_round(tmp_path):
    """Arguments of write_refinement but the target: 10 % lost at 100 GB per node, nothing at 200."""
    settings = tmp_path / "settings.json"
    parsed = config.parse({"hpc_memory": {"refine": 1, "loss_bounds": [0.05]}})
    settings.write_text(json.dumps(config.second_round(parsed, "hpc_memory")))
    workloads = {"workload_id": ["w/b00"], "family": ["w"], "kind": ["replayed"], "tau_s": [None],
                 "node_memory_gb": [256.0], "mean_memory_gb": [90.0], "law_spread": [None],
                 "knowledge": ["history"]}  # fmt: skip
    storage.write(SCENARIOS, tmp_path / "prepared" / "scenarios.parquet")
    storage.write(
        pl.DataFrame(workloads, schema_overrides={"tau_s": pl.Float64, "law_spread": pl.String}),
        tmp_path / "prepared" / "workloads.parquet",
    )
    manifest.seal(tmp_path / "prepared")
    for name, values in (("unlimited", {"base": 0.8}), ("priority", {"s/m100/a": 0.72, "s/m200/a": 0.8})):
        ids = list(values)
        rows = {"scenario_id": ids, "metric": ["steady_utilisation"] * len(ids), "value": list(values.values())}
        same = {"scenario_id": ids, "metric": ["steady_response_s"] * len(ids), "value": [60.0] * len(ids)}
        storage.write(pl.concat([pl.DataFrame(rows), pl.DataFrame(same)]), tmp_path / name / "metrics.parquet")
        manifest.seal(tmp_path / name)
    (tmp_path / "nothing").mkdir()  # a chunk without scenarios has no metrics
    manifest.seal(tmp_path / "nothing")
    return settings, tmp_path / "prepared", [tmp_path / "priority", tmp_path / "unlimited", tmp_path / "nothing"]


def test_it_writes_the_same_bytes_whatever_the_order_of_the_replays(first_round, tmp_path):
    settings, prepared, replays = first_round
    refine.write_refinement("hpc_memory", settings, prepared, replays, tmp_path / "one")
    refine.write_refinement("hpc_memory", settings, prepared, replays[::-1], tmp_path / "two")
    one, two = (tmp_path / name / "scenarios.parquet" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    (row,) = pl.read_parquet(one).iter_rows(named=True)
    expected = SCENARIOS.row(1, named=True)
    assert row == expected | {"scenario_id": "s/m150/a", "memory_per_node_gb": 150.0, "memory_gb": 1500.0}


def test_a_scenario_that_is_there_already_is_refused(first_round, tmp_path, monkeypatch):
    monkeypatch.setattr(refinement, "refine", lambda config, workloads, scenarios, metrics: scenarios.head(2))
    with pytest.raises(ValueError, match="'base' of the second round is one of the first"):
        refine.write_refinement("hpc_memory", *first_round, tmp_path / "out")
    assert not (tmp_path / "out").exists()

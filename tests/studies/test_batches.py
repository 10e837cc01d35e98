"""Replays run in batches: each is given the inputs of its own workloads, and the size of a batch changes nothing."""

import dataclasses
import importlib

import polars as pl
import pytest
from contracts import contract_of, everyone
from polars.testing import assert_frame_equal

from pipeline.stages import replay

MEASURED = "measured"
"""Table that differs from run to run."""


@pytest.mark.parametrize("study", sorted({study for study, *_ in everyone()}))
def test_a_batch_is_given_what_it_needs_and_its_size_changes_nothing(study, tmp_path, monkeypatch):
    contract, module = contract_of(study), importlib.import_module(f"pipeline.studies.{study}")
    inputs, scenarios = contract.case(module.schedulers()[0], 14)
    scenarios = scenarios.with_columns(workload_id=pl.col(contract.workload)).sort("scenario_id")
    for name, table in inputs.items():
        if isinstance(table, pl.DataFrame):
            table.write_parquet(tmp_path / f"{name}.parquet")
    whole = replay._replayed(study, scenarios, tmp_path)
    batches, run = [], module.replay
    monkeypatch.setattr(module, "replay", lambda own, rows: batches.append((own, rows)) or run(own, rows))
    monkeypatch.setattr(module, "STUDY", dataclasses.replace(module.STUDY, batch=2))
    in_batches = replay._replayed(study, scenarios, tmp_path)
    assert len(batches) == -(-len(scenarios) // 2) > 1
    for own, rows in batches:
        for table in own.values():
            for key in {"workload_id", "graph_id"}.intersection(table.columns):
                assert set(table[key]) <= set(rows["workload_id"])
    for name in whole.keys() - {MEASURED}:
        assert_frame_equal(in_batches[name], whole[name])

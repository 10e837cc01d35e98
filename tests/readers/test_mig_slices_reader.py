"""Points on slices and demands: rates of each process or of all, what does not fit, faults; the published profiles."""

import csv

import polars as pl
import pytest

from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest

HEADER = "model,mig_slices,batch,processes,throughput_per_s,latency_s\n"
POINTS = HEADER + "net,1,1,1,100,0.01\nnet,1,2,2,40,0.05\nnet,1,8,2,0,0\nnet,2,2,3,50,0.04\n"
DEMANDS = "demand,model,rate_per_s,latency_s\nday,net,300,0.2\nnight,net,30,\n"


def run(folder, points=POINTS, demands=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / "points.csv").write_text(points)
    if demands is not None:
        (drop / "asked.csv").write_text(demands)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "mig_slices"
    return {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def test_rates_of_each_process_are_told_by_littles_law(tmp_path):
    result = run(tmp_path, demands=DEMANDS)
    points = result["slice_points"].select("slices", "batch", "processes", "rate_per_s", "latency_s").rows()
    assert points == [(1, 1, 1, 100.0, 0.01), (1, 2, 2, 80.0, 0.05), (1, 8, 2, None, None), (2, 2, 3, 150.0, 0.04)]
    asked = result["slice_demands"].select("demand", "app", "rate_per_s", "latency_s").rows()
    assert asked == [("day", "net", 300.0, 0.2), ("night", "net", 30.0, None)]
    of_all = POINTS.replace("2,2,40", "2,2,80").replace("3,50", "3,150")
    other = run(tmp_path / "2", of_all)
    assert other["slice_points"].equals(result["slice_points"])
    assert "slice_demands" not in other


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("net,3,1,1,-5,0.1", "rate_unsound"), ("net,3,1,1,,0.1", "rate_unsound"), ("net,3,1,1,5,0", "one_zero"),
        ("net,9,1,1,5,0.1", "slices_too_large"), ("net,1,1,1,7,0.2", "duplicate_point"),
        (",3,1,1,5,0.1", "app_missing"), ("net,3,1,0,5,0.1", "processes_too_small"),
        ("net,3,x,1,5,0.1", "batch_unreadable"),
    ],
)  # fmt: skip
def test_bad_points_are_rejected_and_the_others_used(tmp_path, row, reason):
    result = run(tmp_path, POINTS + row + "\n")
    assert result["rejected_rows"].select("row", "reason").rows() == [(6, reason)]
    assert result["slice_points"].height == 4


@pytest.mark.parametrize(
    ("row", "reason"),
    [("day,ghost,1,1", "model_unknown"), ("day,net,5,1", "duplicate_demand"),
     (",net,1,1", "demand_missing"), ("dusk,net,0,1", "rate_per_s_not_positive")],
)  # fmt: skip
def test_bad_demands_are_rejected(tmp_path, row, reason):
    result = run(tmp_path, demands=DEMANDS + row + "\n")
    assert result["rejected_rows"].select("row", "reason").rows() == [(4, reason)]
    assert result["slice_demands"].height == 2


def test_the_published_profiles_are_the_shipped_ones(tmp_path, trace_data):
    ingest.ingest(ROOT / "traces" / "parvagpu_a100", tmp_path / "out")
    ours = {
        (row["app"], row["slices"], row["batch"], row["processes"]): row
        for row in pl.read_parquet(tmp_path / "out" / "slice_points.parquet").to_dicts()
    }
    with (trace_data / "gpu" / "parvagpu_mig.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(ours) == 1350
    for row in rows:
        point = ours[row["model"], int(row["mig_slices"]), int(row["batch"]), int(row["processes"])]
        rate = float(row["throughput_per_s"]) * int(row["processes"])
        assert (point["rate_per_s"] or 0.0) == pytest.approx(rate)
        assert (point["latency_s"] or 0.0) == float(row["latency_s"])

"""Rates of jobs alone and in pairs: what does not fit, mirror images, faults; Gavel's table by a second reading."""

import csv
import gzip

import polars as pl
import pytest

from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest

HEADER = "gpu,job,gpus,other_job,other_gpus,throughput_per_s,other_throughput_per_s\n"
TABLE = HEADER + (
    "k80,net (batch size 16),1,,0,4,\n"
    "k80,lm,1,,0,10,\n"
    "k80,lm,2,,0,18,\n"
    "k80,big (batch size 64),1,,0,0,\n"
    "k80,net (batch size 16),1,lm,1,3,5\n"
    "k80,lm,1,net (batch size 16),1,5,3\n"
    "k80,big (batch size 64),1,lm,1,0,0\n"
    "k80,lm,2,lm,2,0,0\n"
)


def run(folder, text, name="rates.csv"):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / name).write_text(text)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "pair_rates"
    return {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def tallies(tables):
    return {(row["table_name"], row["fate"], row["reason"]): row["rows"] for row in tables["tallies"].to_dicts()}


def test_jobs_alone_pairs_and_what_does_not_fit(tmp_path):
    result = run(tmp_path, TABLE)
    solo = result["solo_rates"].select("app", "gpus", "model", "batch", "rate_per_s").rows()
    assert solo == [
        ("big (batch size 64)", 1, "big", 64, None),
        ("lm", 1, "lm", None, 10.0),
        ("lm", 2, "lm", None, 18.0),
        ("net (batch size 16)", 1, "net", 16, 4.0),
    ]
    pairs = result["corun_pairs"].select("gpu", "app_a", "app_b", "fits", "slowdown_a", "slowdown_b", "corun_a_per_s")
    assert pairs.rows() == [
        ("k80", "big (batch size 64)", "lm", False, None, None, None),
        ("k80", "lm", "net (batch size 16)", True, 2.0, 4 / 3, 5.0),
    ]
    assert tallies(result) == {
        ("corun_pairs", "used", None): 2,
        ("corun_pairs", "left_out", "mirrored"): 1,
        ("corun_pairs", "left_out", "several_gpus"): 1,
        ("solo_rates", "used", None): 4,
    }


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("k80,x,1,lm,1,-1,2", "rate_unsound"), ("k80,x,1,lm,1,3,", "rate_missing"), ("k80,x,1,,0,,", "rate_missing"),
        ("k80,x,1,lm,1,3,0", "one_rate_zero"), ("k80,x,1,lm,1,3,4", "alone_missing"), ("k80,x,1", "malformed_line"),
        ("k80,,1,lm,1,3,4", "job_missing"), ("k80,lm,1,,0,11,", "duplicate_rate"), ("k80,x,0,,0,11,", "gpus_too_small"),
        ("k80,x,one,,0,11,", "gpus_unreadable"),
    ],
)  # fmt: skip
def test_bad_rows_are_rejected_and_the_others_used(tmp_path, row, reason):
    result = run(tmp_path, TABLE + row + "\n")
    assert result["rejected_rows"].select("row", "reason").rows() == [(10, reason)]
    assert result["corun_pairs"].height == 2
    assert result["solo_rates"].height == 4


def test_orders_that_differ_are_two_runs(tmp_path):
    result = run(tmp_path, TABLE.replace("16),1,5,3", "16),1,4,2"))
    assert result["corun_pairs"].drop_nulls("slowdown_a")["slowdown_a"].to_list() == [2.0, 2.5]


def test_the_published_table_is_the_shipped_one(tmp_path, trace_data):
    with gzip.open(trace_data / "gpu" / "gavel_throughputs.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    alone = {
        (r["gpu"], r["job"]): float(r["throughput_per_s"]) for r in rows if r["other_job"] == "" and r["gpus"] == "1"
    }
    theirs = {}
    for r in rows:
        if r["other_job"] and r["gpus"] == "1":
            rates = {r["job"]: float(r["throughput_per_s"]), r["other_job"]: float(r["other_throughput_per_s"])}
            theirs[r["gpu"], *sorted((r["job"], r["other_job"]))] = rates
    assert len(theirs) == 2 * 26 * 27 // 2
    ingest.ingest(ROOT / "traces" / "gavel", tmp_path / "out")
    ours = pl.read_parquet(tmp_path / "out" / "corun_pairs.parquet").to_dicts()
    assert len(ours) == len(theirs)
    for row in ours:
        rates = theirs[row["gpu"], row["app_a"], row["app_b"]]
        assert row["fits"] == (rates[row["app_a"]] > 0)
        if row["fits"]:
            assert row["slowdown_a"] == pytest.approx(alone[row["gpu"], row["app_a"]] / rates[row["app_a"]])
            assert row["slowdown_b"] == pytest.approx(alone[row["gpu"], row["app_b"]] / rates[row["app_b"]])

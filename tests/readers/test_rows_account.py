"""Every row of a file is used, rejected or left out, and none is lost: what ingest reports of the seeds."""

import polars as pl
import pytest
import seeds

from pipeline.readers import _recognise
from pipeline.stages import ingest

CASES = [
    pytest.param(module.FORMAT, number, id=f"{module.FORMAT}-{number}")
    for module in _recognise.reader_modules()
    for number in range(len(seeds.of(module.FORMAT)))
]
MADE = ("vertex_ids", "gpu_apps")
"""Tables made of rows that are counted as those of another."""
SUMMARISED = ("marconi100", "ncu", "nvprof")
"""Formats of which many rows (metrics of a moment, launches of a kernel) become one: rows used are fewer than read."""


@pytest.mark.parametrize(("name", "number"), CASES)
def test_rows_read_are_accounted_for(name, number, tmp_path):
    drop, out = tmp_path / "drop", tmp_path / "out"
    seeds.write(seeds.of(name)[number], drop)
    ingest.ingest(drop, out)
    read = pl.read_parquet(out / "provenance.parquet")["rows"].sum()
    tallies = pl.read_parquet(out / "tallies.parquet") if (out / "tallies.parquet").exists() else None
    if tallies is None:
        assert read == 0
        return
    # Lines of steps and of machines are remarks on jobs, and rows of a file all the same.
    observed = (pl.col("fate") == "observed") & (~pl.col("reason").is_in(["step", "machine"])).fill_null(True)
    counted = tallies.filter(~observed, ~pl.col("table_name").is_in(MADE))["rows"].sum()
    assert counted > 0
    assert read >= counted if name in SUMMARISED else read == counted, (read, tallies.rows())

"""Large traces: they are made as announced, the page is that of the record, estimates of memory cover what was seen."""

import polars as pl
import pytest

from bench.scale import page, record
from bench.scale.cases import CASES
from bench.scale.record import Measurement, Stage
from pipeline.readers import _edges, _tables, sacct, swf, tasks
from pipeline.stages.ingest import ingest

CONSTANTS = {
    "canonical": _tables.HELD_BYTES_A_ROW,
    "edge_list": _edges.BYTES_AN_EDGE,
    "pm100": _tables.HELD_BYTES_A_ROW,
    "sacct": sacct.BYTES_A_LINE,
    "swf": swf.BYTES_A_JOB,
    "tasks": tasks.BYTES_A_TASK,
}
SHARES = {"canonical": 2e-5, "edge_list": 2e-6, "pm100": 4e-5, "sacct": 4e-5, "swf": 4e-5, "tasks": 2e-5}


@pytest.mark.parametrize(("name", "share"), SHARES.items())
def test_a_case_makes_a_drop_of_as_many_items(tmp_path, name, share):
    items = CASES[name].make(tmp_path / "drop", share)
    summary = ingest(tmp_path / "drop", tmp_path / "out")
    assert summary.code == 0
    assert summary.format == name
    assert not summary.rejected
    if name == "edge_list":
        graph = pl.read_parquet(tmp_path / "out" / "graphs.parquet").row(0, named=True)
        assert graph["edges"] + graph["self_loops"] + graph["parallel_edges"] == items
    else:
        # Accounting has a line per job and one for its step.
        read = sum(summary.rows.get(table, 0) for table in ("jobs", "phases", "tasks"))
        assert read * (2 if name == "sacct" else 1) == items


def measurement(share, items, cpu_s, peak_gb):
    return Measurement("swf", share, items, 0.1, {"ingest": Stage(1.0, cpu_s, peak_gb), "fit": Stage(1.0, 2.0, 0.5)})


def test_slopes_and_exponents_are_between_the_sizes():
    text = page.table([measurement(0.1, 1000, 2.0, 0.3), measurement(1.0, 10_000, 200.0, 0.3009)])
    small, _, large, fit = text.splitlines()[2:]
    assert small.split(" | ")[-2:] == ["", " |"]
    assert large.split(" | ")[-2:] == ["100", "2.00 |"]
    assert fit.split(" | ")[-2:] == ["0", "0.00 |"]


def test_a_failed_stage_says_why():
    failed = Measurement("swf", 1.0, 5, 0.1, {"ingest": Stage(None, None, None, "was stopped after 7200 s")})
    assert "failed: was stopped after 7200 s" in page.table([failed])


def test_a_trace_that_was_measured_in_parts_only_is_named():
    parts, whole = [measurement(0.03, 300, 1.0, 0.3), measurement(0.1, 1000, 2.0, 0.3)], measurement(1.0, 9, 9.0, 0.3)
    assert "Not measured at full size: `swf` (at most 10 %)." in page.text("here", parts)
    assert "Not measured" not in page.text("here", [*parts, whole])


def test_records_are_kept_beside_each_other(tmp_path):
    path = tmp_path / "record.json"
    first, second = measurement(0.1, 1000, 2.0, 0.3), measurement(1.0, 10_000, 20.0, 0.4)
    record.save([second], path)
    record.save([first], path)
    newer = measurement(1.0, 10_000, 19.0, 0.4)
    record.save([newer], path)
    assert record.load(path)[1] == [first, newer]


def test_the_page_is_that_of_the_record():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(*record.load()), "python -m bench.scale --record"


@pytest.mark.parametrize("name", CONSTANTS)
def test_estimates_of_memory_cover_what_was_measured_and_not_twice_that(name):
    _, kept = record.load()
    small, *_, large = (m for m in kept if m.trace == name)
    more_gb = large.stages["ingest"].peak_gb - small.stages["ingest"].peak_gb
    bytes_an_item = more_gb * 1e9 / (large.items - small.items)
    assert bytes_an_item <= CONSTANTS[name] < 2 * bytes_an_item

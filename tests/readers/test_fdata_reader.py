"""F-DATA: columns of its Parquet files, their units, signs for what is not known, and what becomes of every row."""

from datetime import UTC, datetime

import polars as pl
import pytest

from pipeline.stages import ingest

GIVEN = {
    "jid": "a", "usr": "u", "jnam": "n", "adt": "2021-04-01 10:00:00+09", "sdt": "2021-04-01 10:01:00+09",
    "edt": "2021-04-01 11:01:00+09", "nnumr": 3, "nnuma": 4, "elpl": 7200.0, "mszl": 30e9, "mmszu": 12.5e9,
    "duration": 3601,
}  # fmt: skip


def run(folder, rows, name="21_04.parquet", trace_yaml="{}"):
    drop = folder / "fugaku"
    drop.mkdir(parents=True, exist_ok=True)
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame([GIVEN | row for row in rows], strict=False)
    frame.write_parquet(drop / name, row_group_size=2)
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def only_job(folder, **values):
    _, result = run(folder, [values])
    return result["jobs"].row(0, named=True)


def test_a_row_becomes_a_job(tmp_path):
    summary, result = run(tmp_path, [{}])
    assert (summary.format, summary.code) == ("fdata", 0)
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "fugaku", "job_id": "a", "submit_s": 0.0, "nodes": 4, "walltime_s": 7200.0,
            "runtime_s": 3600.0, "requested_memory_gb": pytest.approx(30.0), "used_memory_gb": 12.5, "user": "u",
            "name": "n", "partition": None, "start_s": 60.0, "end_s": 3660.0, "position": 0, "sensitivity": None,
        }
    ]  # fmt: skip
    # 10:00 in Tokyo is 1:00 UTC.
    origin = datetime(2021, 4, 1, 1, tzinfo=UTC).timestamp()
    assert f"Unix time {origin:.0f}." in result["traces"]["note"][0]


@pytest.mark.parametrize("name", ["a.parquet", "jobs_of_2021.PARQUET"])
def test_files_are_known_by_their_columns(tmp_path, name):
    assert run(tmp_path, [{}], name)[0].format == "fdata"


@pytest.mark.parametrize(
    ("column", "given", "wanted"),
    [
        ("requested_memory_gb", {"mszl": 9.223372036854776e18}, None),
        ("requested_memory_gb", {"mszl": 0.0}, None),
        ("used_memory_gb", {"mmszu": 0.0}, None),
        ("walltime_s", {"elpl": 0.0}, None),
        ("nodes", {"nnuma": 0}, 3),
        ("nodes", {"nnuma": None}, 3),
    ],
)
def test_signs_for_what_is_not_known(tmp_path, column, given, wanted):
    assert only_job(tmp_path, **given)[column] == wanted


def test_dates_may_be_of_a_date_type_and_columns_missing(tmp_path):
    frame = pl.DataFrame(
        {
            "jid": [1],
            "adt": [datetime(2021, 4, 1, 10)],
            "sdt": [datetime(2021, 4, 1, 10, 1, tzinfo=UTC)],
            "edt": ["2021-04-01 20:01:00+09"],
            "nnumr": [2],
        }
    )
    _, result = run(tmp_path, frame, trace_yaml="time_zone: Europe/London")
    # 10:00 in London is 9:00 UTC in April, and 20:01 in Tokyo 11:01.
    job = result["jobs"].row(0, named=True)
    assert (job["job_id"], job["start_s"], job["end_s"], job["nodes"]) == ("1", 3660.0, 7260.0, 2)
    assert (job["walltime_s"], job["used_memory_gb"], job["user"]) == (None, None, None)


def test_every_row_has_a_fate_and_months_are_one_trace(tmp_path):
    run(tmp_path, [{"jid": "x"}], "21_03.parquet")
    rows = [
        {"jid": "a"},
        {"jid": "b", "sdt": ""},
        {"jid": "c", "sdt": "1970-01-01 09:00:00+09"},
        {"jid": "d", "sdt": "2021-04-01 09:59:59+09"},
        {"jid": "e", "edt": "2031-04-01 09:59:59+09"},
        {"jid": "f", "edt": "late"},
        {"jid": "g", "nnumr": 0, "nnuma": 0},
        {"jid": "a", "edt": "2021-04-01 11:31:00+09"},
    ]
    _, result = run(tmp_path, rows)
    fates = {reason or fate: n for fate, reason, n in result["tallies"].select("fate", "reason", "rows").rows()}
    assert fates == {
        "used": 2, "never_started": 2, "start_before_submit": 1, "outside_span": 1, "end_s_unreadable": 1,
        "nodes_missing": 1, "requeued": 1,
    }  # fmt: skip
    assert dict(result["provenance"].select("file", "rows").rows())["21_04.parquet"] == len(rows)
    assert result["jobs"].select("trace", "job_id", "runtime_s").sort("job_id").rows() == [
        ("fugaku", "a", 5400.0),
        ("fugaku", "x", 3600.0),
    ]

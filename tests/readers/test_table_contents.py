"""Tables are told by their header and first rows: synonyms, units, separators, decimal marks, dates; or refused."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import polars as pl
import pytest
import yaml

from pipeline import drops
from pipeline.drops import DropSettings, Refusal
from pipeline.readers import _recognise
from pipeline.stages.ingest import check, ingest

DATE_FORMS = {
    "iso": "%Y-%m-%d %H:%M:%S",
    "iso with T": "%Y-%m-%dT%H:%M:%SZ",
    "points": "%d.%m.%Y %H:%M:%S",
    "day first": "%d/%m/%Y %H:%M:%S",
    "month first": "%m/%d/%Y %H:%M:%S",
    "dashes": "%d-%m-%Y %H:%M:%S",
    "year first": "%Y/%m/%d %H:%M:%S",
    "AM and PM": "%m/%d/%Y %I:%M:%S %p",
}


def dropped(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def read(drop: Path, table: str) -> pl.DataFrame:
    ingest(drop, drop.parent / "out")
    return pl.read_parquet(drop.parent / "out" / f"{table}.parquet")


def note_of(drop: Path) -> str:
    return read(drop, "traces")["note"][0]


def refusal_of(drop: Path) -> Refusal:
    with pytest.raises(Refusal) as caught:
        _recognise.identify(drops.load(drop))
    return caught.value


def test_a_semicolon_export_with_days_first_and_decimal_commas_counted_by_hand(tmp_path):
    text = (
        "Job;Queued;Started;Finished;NodeCount;PeakMem_GB;Limit_h\n"
        "a;13/03/2024 10:00:00;13/03/2024 10:05:00;13/03/2024 11:05:00;2;1,5;1,25\n"
        "b;01/04/2024 00:00:00;01/04/2024 00:00:30;01/04/2024 00:01:00;4;20;0,5\n"
    )
    drop = dropped(tmp_path / "drop", anything__csv=text)
    rows = read(drop, "jobs").select(
        "job_id", "submit_s", "nodes", "walltime_s", "runtime_s", "used_memory_gb", "start_s", "end_s"
    )
    # From 13 March 10:00 to 1 April 0:00 are 18 days and 14 hours.
    assert rows.rows() == [
        ("a", 0.0, 2, 4500.0, 3600.0, 1.5, 300.0, 3900.0),
        ("b", 1605600.0, 4, 1800.0, 30.0, 20.0, 1605630.0, 1605660.0),
    ]
    note = note_of(drop)
    assert "submit_s is Queued" in note
    assert "walltime_s is Limit_h (h)" in note


SYNONYMS = {
    "job_id": ["JobID", "job", "jobnumber", "Job Id", "job_id"],
    "submit": ["submit", "Queued", "qtime", "SubmitTime", "created_at"],
    "start": ["started", "Start Time", "begin", "StartedAt"],
    "end": ["finished", "EndTime", "completed", "stop"],
    "nodes": ["nodes", "NodeCount", "num_nodes", "NNodes"],
    "user": ["user", "Owner", "UserName"],
}
MEMORY = {"MB": 1e-3, "GB": 1.0, "MiB": 1024**2 / 1e9, "kB": 1e-6, "GiB": 1024**3 / 1e9}
TIME = {"s": 1.0, "min": 60.0, "h": 3600.0, "ms": 1e-3}


@pytest.mark.parametrize("seed", range(40))
def test_what_is_read_is_what_was_written(tmp_path, seed):
    """A random table of jobs: separator, decimal mark, form of dates, units, names and order of columns."""
    rng = random.Random(seed)
    separator, mark = rng.choice([(",", "."), (";", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", ".")])
    form = DATE_FORMS[rng.choice(sorted(DATE_FORMS))]
    memory, time = rng.choice(sorted(MEMORY)), rng.choice(sorted(TIME))
    pattern = rng.choice(["_{}", " ({})", " [{}]"])
    names = {column: rng.choice(words) for column, words in SYNONYMS.items()}
    names |= {"memory": f"PeakMem{pattern.format(memory)}", "limit": f"limit{pattern.format(time)}"}
    # One day beyond the twelfth shows the order of the parts.
    first = dt.datetime(2024, rng.randint(1, 12), 13, 12, 0, 0)
    jobs = []
    for number in range(rng.randint(3, 12)):
        submit = first + dt.timedelta(seconds=rng.randint(0, 3_000_000) if number else 0)
        start = submit + dt.timedelta(seconds=rng.randint(0, 5000))
        end = start + dt.timedelta(seconds=rng.randint(1, 90_000))
        jobs.append(
            {"job_id": f"j{number}", "submit": submit, "start": start, "end": end, "nodes": rng.randint(1, 64),
             "user": f"u{rng.randint(0, 3)}", "memory": rng.randint(1, 4000) / 8, "limit": rng.randint(1, 4000) / 8}
        )  # fmt: skip
    jobs[0] |= {"memory": 0.5, "limit": 0.5}
    order = rng.sample(sorted(names), len(names))
    lines = [separator.join(names[column] for column in order)]
    for job in jobs:
        shown = {k: v.strftime(form) if isinstance(v, dt.datetime) else str(v) for k, v in job.items()}
        shown |= {k: shown[k].replace(".", mark) for k in ("memory", "limit")}
        lines.append(separator.join(shown[column] for column in order))
    drop = dropped(tmp_path / "drop", **{rng.choice(["export__csv", "list__txt", "q__tsv"]): "\n".join(lines) + "\n"})
    result = read(drop, "jobs").sort("position")
    assert result["job_id"].to_list() == [job["job_id"] for job in jobs]
    assert result["nodes"].to_list() == [job["nodes"] for job in jobs]
    assert result["user"].to_list() == [job["user"] for job in jobs]
    for column, of in (("submit_s", "submit"), ("start_s", "start"), ("end_s", "end")):
        assert result[column].to_list() == [(job[of] - first).total_seconds() for job in jobs]
    assert result["used_memory_gb"].to_list() == pytest.approx([job["memory"] * MEMORY[memory] for job in jobs])
    assert result["walltime_s"].to_list() == pytest.approx([job["limit"] * TIME[time] for job in jobs])


TABLES = {
    "samples": ("Host;When;RSS (MiB)\nn1;2024-03-01 00:00:00;1024\nn1;2024-03-01 00:01:00;2048\n", "memory_samples"),
    "curves": ("model,SMs,latency_ms\na,1,4\na,2,2\n", "sm_curve"),
    "pairs": ("app_a,app_b,alone_a_ms,alone_b_ms,corun_a_ms,corun_b_ms\nx,y,100,200,150,250\n", "kernels"),
    "kernels": ("Kernel,GFLOPS,bandwidth_GBps,elapsed_ms\nk,10,20,5\n", "kernels"),
    "pim": ("benchmark|ranks|time_ms\nVA|1|8\nVA|2|4\n", "pim_tables"),
    "tasks": ("Task,Period,Deadline,WCET,Kind\na,10,10,5,compute\n", "tasks"),
}


@pytest.mark.parametrize("suffix", ["csv", "txt", "parquet"])
@pytest.mark.parametrize("name", TABLES)
def test_tables_of_any_name_are_told_by_their_header(tmp_path, name, suffix):
    text, form = TABLES[name]
    drop = dropped(tmp_path / "drop", **{f"whatever__{suffix}": text})
    if suffix == "parquet":
        separator = next(s for s in ";|," if s in text)
        pl.read_csv(drop / "whatever.parquet", separator=separator).write_parquet(drop / "whatever.parquet")
    reader = _recognise.identify(drops.load(drop))
    assert form == reader.module.FORMAT
    assert check(drop)[1] == 0
    # What is proposed says the same.
    (drop / "trace.yaml").write_text(reader.proposed)
    again = _recognise.identify(drops.load(drop))
    assert form == again.module.FORMAT
    assert check(drop)[1] == 0


def test_values_of_tables_of_any_name_are_in_canonical_units(tmp_path):
    drop = dropped(tmp_path / "pairs", x__csv=TABLES["pairs"][0])
    assert read(drop, "corun_pairs").select("slowdown_a", "slowdown_b", "alone_a_s").row(0) == pytest.approx(
        (1.5, 1.25, 0.1)
    )
    drop = dropped(tmp_path / "curves", x__csv=TABLES["curves"][0])
    assert read(drop, "sm_curves").select("app", "sms", "time_s").rows() == [("a", 1, 0.004), ("a", 2, 0.002)]
    drop = dropped(tmp_path / "samples", x__csv=TABLES["samples"][0])
    samples = read(drop, "samples").select("node", "time_s", "used_gb")
    assert samples.rows() == [("n1", 0.0, 1.073741824), ("n1", 60.0, 2.147483648)]


def test_samples_of_any_name_are_read_with_the_jobs_beside_them(tmp_path):
    drop = dropped(
        tmp_path / "drop",
        march__csv="jobid,host,date,memused_gb\n1,n1,2024-03-01 00:00:00,2\n1,n1,2024-03-01 00:01:00,3\n",
        jobs__csv="jobid,submitted,numnodes\n1,2024-02-29 23:59:00,1\n",
    )
    text, code = check(drop)
    assert code == 0, text
    assert read(drop, "jobs").select("job_id", "submit_s", "nodes").rows() == [("1", 0.0, 1)]
    assert read(drop, "samples").select("time_s", "used_gb").rows() == [(60.0, 2.0), (120.0, 3.0)]


def test_two_tables_of_a_kind_are_refused(tmp_path):
    table = f"{JOBS}\na,0,1,2,1\n"
    refusal = refusal_of(dropped(tmp_path / "drop", a__csv=table, b__csv=table))
    assert refusal.reason == "table_repeated"
    assert "a.csv and b.csv both look like jobs" in refusal.detail


def test_a_format_that_recognises_by_name_is_not_asked_for_contents(tmp_path):
    record = "1 0 5 60 2 -1 -1 2 100 -1 1 7 1 1 1 -1 -1 -1\n"
    drop = dropped(tmp_path / "drop", log__swf=record, notes__csv=f"{JOBS}\na,0,1,2,1\n")
    assert _recognise.recognise(drops.load(drop)).FORMAT == "swf"


def test_the_pairs_of_magus_are_told_whatever_their_name(tmp_path, trace_data):
    text = (trace_data / "gpu" / "magus_corun_pairs.csv").read_text()
    pair_tables = [
        read(dropped(tmp_path / name, **{f"{name}__csv": text}), "corun_pairs").drop("trace")
        for name in ("corun_pairs", "measured")
    ]
    assert (
        pair_tables[0]
        .select("app_a", "app_b", "slowdown_a", "slowdown_b")
        .equals(pair_tables[1].select("app_a", "app_b", "slowdown_a", "slowdown_b"))
    )
    assert pair_tables[0].height == 156


JOBS = "job,submit_s,start_s,end_s,nodes"
REFUSED = {
    "memory without a unit": (f"{JOBS},maxrss\na,0,1,2,1,5000\n", "'maxrss' (used_memory_gb) has no unit", "unit: MB"),
    "limit without a unit": (
        f"{JOBS},limit\na,0,1,2,1,50\n", "'limit' (walltime_s) has no unit", "walltime_s: {from: limit, unit: s}",
    ),
    "two that may be nodes": (
        "job,submit_s,start_s,end_s,NumNodes,NodeCount\na,0,1,2,1,1\n",
        "'NodeCount' and 'NumNodes' may both be nodes", "nodes: NodeCount",
    ),
    "memory of two meanings": (
        f"{JOBS},mem_gb\na,0,1,2,1,5\n", "'mem_gb' may be memory that was requested or used",
        "used_memory_gb: {from: mem_gb",
    ),
    "no nodes": ("job,submit_s,start_s,end_s,cpus\na,0,1,2,1\n", "'cpus' counts cores", "share: cores"),
    "no submission": (
        "job,when_queued,start_s,end_s,nodes\na,0,1,2,1\n", "no column is surely submit_s",
        "submit_s: {from: when_queued",
    ),
    "dates of two orders": (
        "job,queued,started,finished,nodes\n"
        "a,01/03/2024 00:00:00,01/03/2024 00:00:01,01/03/2024 00:00:05,1\n",
        "may have the day or the month first", "dates: day_first",
    ),
    "two formats": (
        "app,sms,ranks,time_s\na,1,1,2\na,2,2,1\n", "looks like points of curves against SMs and times of PIM", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_sure_is_refused_with_a_trace_yaml_to_complete(tmp_path, name):
    text, why, proposed = REFUSED[name]
    drop = dropped(tmp_path / "drop", table__csv=text)
    refusal = refusal_of(drop)
    assert why in refusal.detail.partition("\n")[0]
    assert proposed in refusal.proposed
    assert DropSettings.model_validate(yaml.safe_load(refusal.proposed))
    (drop / "trace.yaml").write_text(refusal.proposed)
    assert check(drop)[1] == 0


def test_units_in_values_are_read(tmp_path):
    text = f"{JOBS},MaxRSS,ReqMem,Timelimit\na,0,1,2,1,512 MB,2GiB,01:30:00\nb,0,1,2,1,4K,1.5G,1-00:00:00\n"
    rows = read(dropped(tmp_path / "drop", t__csv=text), "jobs")
    result = rows.select("used_memory_gb", "requested_memory_gb", "walltime_s").rows()
    assert result[0] == pytest.approx((0.512, 2.147483648, 5400.0))
    assert result[1] == pytest.approx((4.096e-6, 1.610612736, 86400.0))


@pytest.mark.parametrize(("scale", "unit"), [(1, None), (1000, "ms")])
def test_times_since_1970_are_told_by_their_size(tmp_path, scale, unit):
    moments = [1_700_000_000, 1_700_000_060, 1_700_000_120]
    text = "job,queued,started,finished,nodes\na," + ",".join(str(moment * scale) for moment in moments) + ",1\n"
    drop = dropped(tmp_path / "drop", t__csv=text)
    reader = _recognise.identify(drops.load(drop))
    assert reader.drop.settings.columns["submit_s"].unit == unit
    row = read(drop, "jobs").row(0, named=True)
    assert (row["start_s"] - row["submit_s"], row["runtime_s"]) == (60.0, 60.0)


def test_what_trace_yaml_states_wins(tmp_path):
    text = "job,queued_s,created_s,start_s,end_s,nodes\na,5,0,6,8,1\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml="columns: {submit_s: created_s}\nnodes: 3\n")
    reader = _recognise.identify(drops.load(drop))
    assert reader.drop.settings.nodes == 3
    assert reader.drop.settings.columns["submit_s"].names == ["created_s"]


def test_a_table_that_was_read_so_far_keeps_what_it_was_and_names_what_is_doubtful(tmp_path):
    text = "job_id,submit_s,nodes,runtime_s,peakmem,owner\na,0,1,5,7,me\n"
    drop = dropped(tmp_path / "drop", jobs__csv=text)
    row = read(drop, "jobs").row(0, named=True)
    assert (row["runtime_s"], row["used_memory_gb"], row["user"]) == (5.0, None, "me")
    assert "'peakmem' (used_memory_gb) has no unit in its name or values" in note_of(drop)


@pytest.mark.parametrize(
    ("first", "second", "stated", "times"),
    [
        ("13/03/2024 00:00:00", "01/04/2024 00:00:00", None, [0.0, 19 * 86400.0]),
        ("03/13/2024 00:00:00", "04/01/2024 00:00:00", None, [0.0, 19 * 86400.0]),
        ("01-02-2024 00:00", "02-02-2024 00:00", "day_first", [0.0, 86400.0]),
        ("01-02-2024 00:00", "02-02-2024 00:00", "month_first", [0.0, 31 * 86400.0]),
        ("1/31/2024 11:59:59 pm", "2/1/2024 12:00:00 AM", None, [0.0, 1.0]),
        ("31.01.2024 23:59:59", "01.02.2024 00:00:00", None, [0.0, 1.0]),
        ("2024-01-31 23:59:59+0100", "2024/02/01 00:00:00 Z", None, [0.0, 3601.0]),
    ],
)
def test_dates_are_read_by_what_the_file_shows_or_trace_yaml_states(tmp_path, first, second, stated, times):
    drop = dropped(tmp_path / "drop", samples__csv=f"job_id,timestamp,used_gb\na,{first},1\na,{second},2\n")
    if stated:
        dropped(drop, trace__yaml=f"dates: {stated}\n")
    assert read(drop, "samples")["time_s"].to_list() == times


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("01/03/2024 00:00:00", "02/03/2024 00:00:00", "date_order_unclear"),
        ("13/03/2024 00:00:00", "03/14/2024 00:00:00", "dates_mixed"),
        ("13.03.24 00:00:00", "14.03.24 00:00:00", "year_two_digits"),
    ],
)
def test_dates_that_nobody_can_tell_are_refused(tmp_path, first, second, reason):
    drop = dropped(tmp_path / "drop", samples__csv=f"job_id,timestamp,used_gb\na,{first},1\na,{second},2\n")
    assert read(drop, "rejected_rows")["reason"].to_list() == [reason]


def test_a_date_that_contradicts_the_stated_order_is_rejected(tmp_path):
    text = "job_id,timestamp,used_gb\na,01/03/2024 00:00:00,1\na,01/14/2024 00:00:00,2\na,02/03/2024 00:00:00,3\n"
    drop = dropped(tmp_path / "drop", samples__csv=text, trace__yaml="dates: day_first\n")
    assert read(drop, "samples")["time_s"].to_list() == [0.0, 86400.0]
    assert read(drop, "rejected_rows").select("row", "reason").rows() == [(3, "timestamp_unreadable")]


def test_samples_with_decimal_commas_are_read_and_mixed_ones_are_not(tmp_path):
    drop = dropped(tmp_path / "plain", samples__csv="job_id;time_s;used_gb\na;0;1,5\na;20;2,25\n")
    assert read(drop, "samples")["used_gb"].to_list() == [1.5, 2.25]
    drop = dropped(tmp_path / "mixed", samples__csv="job_id;time_s;used_gb\na;0;1,5\na;20;2.25\n")
    assert read(drop, "rejected_rows")["reason"].to_list() == ["decimal_marks_mixed"]


def test_check_writes_what_it_proposes_and_never_over_a_file(tmp_path):
    drop = dropped(tmp_path / "drop", t__csv=f"{JOBS},maxrss\na,0,1,2,1,5000\n")
    text, code = check(drop, write=True)
    assert code == 2
    assert "trace.yaml is written" in text
    assert check(drop)[1] == 0
    assert read(drop, "jobs")["used_memory_gb"].to_list() == [5.0]
    dropped(drop, trace__yaml="nodes: 4\n")
    text, _ = check(drop, write=True)
    assert "stays as it is" in text
    assert "used_memory_gb: {from: maxrss, unit: MB}" in text
    assert (drop / "trace.yaml").read_text() == "nodes: 4\n"
    assert sorted(path.name for path in drop.iterdir()) == ["t.csv", "trace.yaml"]


def test_a_single_file_is_looked_at_alone(tmp_path):
    dropped(tmp_path / "drop", t__csv=f"{JOBS}\na,0,1,2,1\n", other__swf="?")
    before = sorted(tmp_path.rglob("*"))
    text, code = check(tmp_path / "drop" / "t.csv", full=False)
    assert code == 0
    assert text.startswith("t: jobs\n")
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(NotADirectoryError, match="make a folder of it"):
        check(tmp_path / "drop" / "t.csv", write=True)


def test_in_short_check_says_the_same_in_few_lines(tmp_path):
    columns = ",".join(f"extra_column_number_{n}" for n in range(30))
    zeros = ",".join("0" * 30)
    drop = dropped(tmp_path / "drop", t__csv=f"{JOBS},{columns}\na,0,1,2,1,{zeros}\n")
    for number in range(20):
        dropped(drop, **{f"log{number}__md": "x"})
    short, code = check(drop, full=False)
    assert code == 0
    assert len(short.splitlines()) <= 15
    assert max(map(len, short.splitlines())) <= 160
    assert "missing: walltime_s" in short
    assert "answer: recommended_hpc_memory" in short


MEMORY_COLUMNS = {
    "memory per node (GB)": 3.0, "mem per node [MiB]": 3 * 1024**2 / 1e9, "MaxRSS_kB": 3e-6,
    "Peak Mem (GB per node)": 3.0, "memory_per_node_MB": 3e-3,
}  # fmt: skip


@pytest.mark.parametrize("name", MEMORY_COLUMNS)
def test_memory_per_node_is_used_whatever_the_form_of_its_unit(tmp_path, name):
    drop = dropped(tmp_path / "drop", t__csv=f"{JOBS},{name}\na,0,1,2,1,3\n")
    assert read(drop, "jobs")["used_memory_gb"].to_list() == pytest.approx([MEMORY_COLUMNS[name]])


ASKED = {
    "Total memory (GB)": 'used_memory_gb: {from: "Total memory (GB)", unit: GB}',
    "mem [MiB]": 'used_memory_gb: {from: "mem [MiB]", unit: MiB}',
    "avg_mem_MB_all": "used_memory_gb: {from: avg_mem_MB_all, unit: MB}",
    "max wall clock time (min)": 'walltime_s: {from: "max wall clock time (min)", unit: min}',
}


@pytest.mark.parametrize("name", ASKED)
def test_a_column_that_says_memory_or_limit_is_asked_about(tmp_path, name):
    text = f"{JOBS},{name}\na,0,1,2,1,5\n"
    drop = dropped(tmp_path / "drop", t__csv=text)
    refusal = refusal_of(drop)
    assert repr(name) in refusal.detail.partition("\n")[0]
    assert ASKED[name] in refusal.proposed
    assert check(drop, write=True)[1] == 2
    assert check(drop)[1] == 0
    # Where the other columns have their own names, the drop is read as before, and the question is a note.
    canonical = dropped(tmp_path / "canonical", jobs__csv=text.replace("job,", "job_id,", 1))
    assert f"`columns: {{{ASKED[name]}}}`" in note_of(canonical)


@pytest.mark.parametrize("name", ["mem_util", "memory type", "team members", "MemAvailable_MB", "memory_bandwidth_gb"])
def test_a_column_that_is_no_amount_of_memory_is_not_asked_about(tmp_path, name):
    assert check(dropped(tmp_path / "drop", t__csv=f"{JOBS},{name}\na,0,1,2,1,5\n"))[1] == 0


def test_a_time_in_the_queue_is_not_taken_for_the_submission(tmp_path):
    text = "job,queue_time_min,start,end,nodes\na,5,2024-01-01 00:00:00,2024-01-01 01:00:00,5\n"
    drop = dropped(tmp_path / "drop", t__csv=text)
    assert "'queue_time_min' is no date" in refusal_of(drop).detail
    assert check(drop, write=True)[1] == 2
    assert check(drop)[1] == 0


@pytest.mark.parametrize(("unit", "scale"), [("us", 1e-6), ("ns", 1e-9), ("µs", 1e-6)])
def test_short_times_have_units(tmp_path, unit, scale):
    drop = dropped(tmp_path / "drop", t__csv=f"model,SMs,latency ({unit})\na,1,4\na,2,2\n")
    assert read(drop, "sm_curves")["time_s"].to_list() == pytest.approx([4 * scale, 2 * scale])


@pytest.mark.parametrize("named", ["", "tables: {sm_curve: points.csv}\nformat: sm_curve\n"])
@pytest.mark.parametrize("column", ["{app: model, sms: slices, ipc: rate}", "{sms: slices, ipc: rate}"])
def test_with_and_without_the_name_of_the_file_the_reading_is_the_same(tmp_path, named, column):
    text = "model,slices,rate,latency_s\na,1,4,0.3\na,2,7,\nb,1,1,0.1\nb,2,2,-1\n"
    drop = dropped(tmp_path / "drop", points__csv=text, trace__yaml=f"{named}columns: {column}\n")
    assert check(drop)[1] == 0
    result = read(drop, "sm_curves")
    assert result["ipc"].to_list() == [4.0, 7.0, 1.0, 2.0]
    assert result["time_s"].null_count() == 4


def test_memory_is_asked_about_where_trace_yaml_maps_all_that_is_needed(tmp_path):
    text = "job,submit_s,start_s,end_s,nodes,maxrss_mb\na,0,1,2,1,5\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml="columns: {job_id: job}\n")
    assert "put `columns: {used_memory_gb: {from: maxrss_mb, unit: MB}}` into trace.yaml" in note_of(drop)


def test_a_wrong_name_in_trace_yaml_is_said_of_the_file_that_lacks_it(tmp_path):
    text = "jobnumber,submit_s,start_s,end_s,nodes\na,0,1,2,1\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml="columns: {job_id: jobnummber}\n")
    detail = refusal_of(drop).detail
    assert detail == "trace.yaml says that job_id is 'jobnummber', which t.csv does not have; did you mean 'jobnumber'?"


LANGUAGES = {
    "German": ("Auftrag;Eingereicht;Start;Ende;Knoten;Speicher (MB);Benutzer", "used_memory_gb"),
    "Spanish": ("trabajo;enviado;inicio;fin;nodos;memoria;usuario", "used_memory_gb"),
    "French with a limit": ("tâche;soumis;début;fin;nœuds;limite (h);utilisateur", "walltime_s"),
    "Norwegian": ("jobb;innsendt;startet;ferdig;noder;minne (MB);bruker", "used_memory_gb"),
    "no words": ("a;b;c;d;e;f;g", None),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_header_in_another_language_gets_a_proposal_by_contents(tmp_path, language):
    header, sixth = LANGUAGES[language]
    text = (
        f"{header}\n7001;01.03.2024 10:00;01.03.2024 10:05;01.03.2024 11:05;2;1500,5;ada\n"
        "7002;01.03.2024 10:01;01.03.2024 10:06;14.03.2024 11:05;4;2500;ada\n"
    )
    drop = dropped(tmp_path / "drop", t__csv=text)
    refusal = refusal_of(drop)
    assert refusal.reason == "columns_ambiguous"
    assert "# not sure" in refusal.proposed
    stated = DropSettings.model_validate(yaml.safe_load(refusal.proposed)).columns
    wanted = ["job_id", "submit_s", "start_s", "end_s", "nodes"] + ([sixth, "user"] if sixth else [])
    names = header.split(";")
    assert {column: source.names for column, source in stated.items()} == {
        column: [name] for column, name in zip(wanted, names, strict=False)
    }
    assert check(drop, write=True)[1] == 2
    assert check(drop)[1] == 0
    assert read(drop, "jobs").select("job_id", "start_s", "nodes").rows() == [("7001", 300.0, 2), ("7002", 360.0, 4)]


def test_where_some_names_are_known_the_others_are_proposed_by_contents(tmp_path):
    rows = "1,01/03/2024 10:00:00,01/03/2024 10:05:00,02/03/2024 11:05:00,2\n"
    drop = dropped(tmp_path / "drop", t__csv=f"Job ID,Eingereicht,Beginn,Ende,Nodes\n{rows}")
    proposed = refusal_of(drop).proposed
    assert "dates: day_first  # not sure: the day or the month may be first" in proposed
    assert "submit_s: Eingereicht  # times, the earliest of each row" in proposed
    assert check(drop, write=True)[1] == 2
    assert check(drop)[1] == 0


@pytest.mark.parametrize("text", ["ort,tage\nRom,3\n", "x,y,z\n1,2,3\n4,5,6\n", "a,wann,wert\n1,2024-01-01,3\n"])
def test_what_is_no_table_of_jobs_gets_no_proposal(tmp_path, text):
    refusal = refusal_of(dropped(tmp_path / "drop", t__csv=text))
    assert refusal.reason == "format_unknown"
    assert refusal.proposed is None


PAIRS = {
    "slowdowns of the first and the second": ("first,second,slowdown_first,slowdown_second", "x,y,1.5,1.25"),
    "times": (
        "first,second,first_alone_ms,second_alone_ms,first_together_ms,second_together_ms", "x,y,100,200,150,250",
    ),
    "times with other words": (
        "job1,job2,solo_time_1_ms,solo_time_2_ms,1_corun_time (ms),2_corun_time (ms)", "x,y,100,200,150,250",
    ),
    "one with the other": (
        "Workload A,Workload B,A alone (s),B alone (s),A with B (s),B with A (s)", "x,y,100,200,150,250",
    ),
    "throughputs": ("model_a,model_b,throughput_first,second_throughput,a_alone_rate,rate_b_solo", "x,y,2,4,3,5"),
    "relative speeds": ("First App,Second App,speed_first,second_speed", "x,y,0.6666666666666666,0.8"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_told_by_what_their_sides_are_called(tmp_path, name):
    drop = dropped(tmp_path / "drop", t__csv="\n".join(PAIRS[name]) + "\n")
    pair = read(drop, "corun_pairs").row(0, named=True)
    assert (pair["app_a"], pair["app_b"]) == ("x", "y")
    assert (pair["slowdown_a"], pair["slowdown_b"]) == pytest.approx((1.5, 1.25))


@pytest.mark.parametrize("file", ["t__csv", "sm_curve__csv"])
@pytest.mark.parametrize("name", ["gpcs", "slices", "MIG slices"])
def test_slices_are_the_sizes_of_a_curve(tmp_path, file, name):
    text = f"model,{name},throughput\na,1,0\na,2,10\na,4,18\nb,1,5\nb,3,12\n"
    drop = dropped(tmp_path / "drop", **{file: text})
    assert read(drop, "sm_curves").select("app", "sms", "mig_slices").rows() == [
        ("a", 2, 2), ("a", 4, 4), ("b", 1, 1), ("b", 3, 3),
    ]  # fmt: skip
    assert f"sms is {name} (MIG slices, as sizes: mig says)" in note_of(drop)
    message = check(drop)[0]
    assert "app a on 1 slices has throughput_per_s = 0.0" in message
    assert "recommended_gpu_sharing (slices of each, mixes among 2 applications)" in message


def test_slices_that_trace_yaml_says_are_none_are_not_taken(tmp_path):
    text = "model,slices,time_s\na,1,3\na,2,2\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml="sizes: any\n")
    assert "no column is surely sms" in refusal_of(drop).detail


@pytest.mark.parametrize("file", ["t__csv", "perf_table__csv"])
@pytest.mark.parametrize("name", ["dpus", "nDPUs", "num_dpus", "nr_dpus"])
def test_dpus_are_what_a_pim_machine_shares(tmp_path, file, name):
    drop = dropped(tmp_path / "drop", **{file: f"benchmark,{name},time_ms\nVA,1,8\nVA,2,4\n"})
    assert read(drop, "perf_points").select("ranks", "time_s", "unit").rows() == [(1, 0.008, "dpu"), (2, 0.004, "dpu")]
    assert f"ranks is {name} (single DPUs, as pim_unit: dpu says)" in note_of(drop)
    assert "pim_curve (DPUs to give each)" in check(drop)[0]


def test_what_is_proposed_for_slices_or_dpus_states_them(tmp_path):
    drop = dropped(tmp_path / "drop", t__csv="benchmark,dpus,seconds_of_kernel\nVA,1,8\nVA,2,4\n")
    assert "pim_unit: dpu" in refusal_of(drop).proposed


def test_of_two_tables_that_lack_as_much_the_one_with_more_known_columns_is_proposed(tmp_path):
    text = "Kernel Name,Duration (us),GFLOP/s,rate of memory\nk,10,500,90\n"
    proposed = refusal_of(dropped(tmp_path / "drop", t__csv=text)).proposed
    assert "format: kernels" in proposed


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    assert refusal_of(dropped(tmp_path / "drop", t__csv="")).detail == "t.csv is empty"

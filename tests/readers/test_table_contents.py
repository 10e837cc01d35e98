"""Tables are told by their header, or refused with a trace.yaml by words for columns; units, decimal marks, dates."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import polars as pl
import pytest
import yaml

from pipeline import drops
from pipeline.drops import PLACEHOLDER, DropSettings, Refusal
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


def accepted(folder: Path, **files: str) -> Path:
    """A drop with the trace.yaml that its refusal proposes."""
    drop = dropped(folder, **files)
    return dropped(drop, trace__yaml=refusal_of(drop).proposed)


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
    drop = accepted(tmp_path / "drop", anything__csv=text)
    rows = read(drop, "jobs").select(
        "job_id", "submit_s", "nodes", "walltime_s", "runtime_s", "used_memory_gb", "start_s", "end_s"
    )
    # From 13 March 10:00 to 1 April 0:00 are 18 days and 14 hours.
    assert rows.rows() == [
        ("a", 0.0, 2, 4500.0, 3600.0, 1.5, 300.0, 3900.0),
        ("b", 1605600.0, 4, 1800.0, 30.0, 20.0, 1605630.0, 1605660.0),
    ]


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
    drop = accepted(tmp_path / "drop", **{rng.choice(["export__csv", "list__txt", "q__tsv"]): "\n".join(lines) + "\n"})
    result = read(drop, "jobs").sort("position")
    assert result["job_id"].to_list() == [job["job_id"] for job in jobs]
    assert result["nodes"].to_list() == [job["nodes"] for job in jobs]
    assert result["user"].to_list() == [job["user"] for job in jobs]
    for column, of in (("submit_s", "submit"), ("start_s", "start"), ("end_s", "end")):
        assert result[column].to_list() == [(job[of] - first).total_seconds() for job in jobs]
    assert result["used_memory_gb"].to_list() == pytest.approx([job["memory"] * MEMORY[memory] for job in jobs])
    assert result["walltime_s"].to_list() == pytest.approx([job["limit"] * TIME[time] for job in jobs])


TABLES = {
    "jobs": ("job_id,submit_s,start_s,end_s,nodes\na,0,1,2,1\n", "jobs"),
    "samples": ("node;timestamp;used_gb\nn1;2024-03-01 00:00:00;1\nn1;2024-03-01 00:01:00;2\n", "memory_samples"),
    "curves": ("app,sms,time_s\na,1,4\na,2,2\n", "sm_curve"),
    "pairs": ("app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s\nx,y,100,200,150,250\n", "kernels"),
    "kernels": ("kernel,gflops,memory_gbps,time_s\nk,10,20,5\n", "kernels"),
    "pim": ("app|ranks|time_s\nVA|1|8\nVA|2|4\n", "pim_tables"),
    "tasks": ("task_id,period,deadline,work,kind\na,10,10,5,compute\n", "tasks"),
}


@pytest.mark.parametrize("suffix", ["csv", "txt", "parquet"])
@pytest.mark.parametrize("name", TABLES)
def test_tables_of_any_name_are_told_by_canonical_columns(tmp_path, name, suffix):
    text, form = TABLES[name]
    drop = dropped(tmp_path / "drop", **{f"whatever__{suffix}": text})
    if suffix == "parquet":
        separator = next(s for s in ";|," if s in text)
        pl.read_csv(drop / "whatever.parquet", separator=separator).write_parquet(drop / "whatever.parquet")
    reader = _recognise.identify(drops.load(drop))
    assert form == reader.module.FORMAT
    assert check(drop)[1] == 0


WORDS = {
    "samples": ("Host;When;RSS (MiB)\nn1;2024-03-01 00:00:00;1024\nn1;2024-03-01 00:01:00;2048\n", "memory_samples"),
    "curves": ("model,SMs,latency_ms\na,1,4\na,2,2\n", "sm_curve"),
    "pairs": ("model_a,model_b,alone_a_ms,alone_b_ms,corun_a_ms,corun_b_ms\nx,y,100,200,150,250\n", "kernels"),
    "kernels": ("Kernel,GFLOPS,bandwidth_GBps,elapsed_ms\nk,10,20,5\n", "kernels"),
    "pim": ("benchmark|ranks|time_ms\nVA|1|8\nVA|2|4\n", "pim_tables"),
    "tasks": ("Task,Period,Deadline,WCET,Kind\na,10,10,5,compute\n", "tasks"),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_for_columns_propose_a_trace_yaml_and_are_not_read_by_themselves(tmp_path, name):
    text, form = WORDS[name]
    drop = dropped(tmp_path / "drop", whatever__csv=text)
    assert check(drop, write=True)[1] == 2
    assert form == _recognise.identify(drops.load(drop)).module.FORMAT
    assert check(drop)[1] == 0


def test_units_of_names_are_proposed(tmp_path):
    drop = accepted(tmp_path / "pairs", x__csv=WORDS["pairs"][0])
    assert read(drop, "corun_pairs").select("slowdown_a", "slowdown_b", "alone_a_s").row(0) == pytest.approx(
        (1.5, 1.25, 0.1)
    )
    drop = accepted(tmp_path / "curves", x__csv=WORDS["curves"][0])
    assert read(drop, "sm_curves").select("app", "sms", "time_s").rows() == [("a", 1, 0.004), ("a", 2, 0.002)]
    drop = accepted(tmp_path / "samples", x__csv=WORDS["samples"][0])
    samples = read(drop, "samples").select("node", "time_s", "used_gb")
    assert samples.rows() == [("n1", 0.0, 1.073741824), ("n1", 60.0, 2.147483648)]


def test_samples_of_any_name_are_read_with_the_jobs_beside_them(tmp_path):
    drop = dropped(
        tmp_path / "drop",
        march__csv="job_id,node,timestamp,used_gb\n1,n1,2024-03-01 00:00:00,2\n1,n1,2024-03-01 00:01:00,3\n",
        jobs__csv="job_id,submit_s,nodes\n1,2024-02-29 23:59:00,1\n",
    )
    text, code = check(drop)
    assert code == 0, text
    assert read(drop, "jobs").select("job_id", "submit_s", "nodes").rows() == [("1", 0.0, 1)]
    assert read(drop, "samples").select("time_s", "used_gb").rows() == [(60.0, 2.0), (120.0, 3.0)]


REAL = {
    "Slurm's database": (
        "id_job,id_user,nodes_used,cpus_req,mem_req,partition,state,timelimit,time_submit,time_eligible,time_start,"
        "time_end\n500,u0,1,40,9223372036854779808,xeon,3,120,1609460688,1609460688,1609460910,1609466831\n",
        {"job_id": "id_job", "submit_s": "time_submit", "nodes": "nodes_used", "start_s": "time_start",
         "end_s": "time_end", "walltime_s": "timelimit", "user": "id_user"},
    ),
    "no ids": (
        "user_ID,submit_time,start_time,end_time,wallclock_limit,job_status,node_count\n"
        "0,2021-01-01T00:24:48,2021-01-01T00:28:30,2021-01-01T02:07:11,02:00:00,TIMEOUT,1\n",
        {"job_id": "row", "submit_s": "submit_time", "nodes": "node_count", "start_s": "start_time",
         "end_s": "end_time", "walltime_s": "wallclock_limit", "user": "user_ID"},
    ),
    "Batsim": (
        "job_id,submission_time,requested_number_of_resources,requested_time,success,starting_time,"
        "execution_time,finish_time,waiting_time,turnaround_time,stretch,consumed_energy,allocated_resources\n"
        "0,0.0,1,7200.0,1,222.0,5921.0,6143.0,222.0,6143.0,1.5,-1,0-0\n",
        {"submit_s": "submission_time", "nodes": "requested_number_of_resources", "start_s": "starting_time",
         "end_s": "finish_time", "runtime_s": "execution_time", "walltime_s": "requested_time"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_tables_of_real_tools_get_a_right_proposal(tmp_path, name):
    text, wanted = REAL[name]
    drop = dropped(tmp_path / "drop", t__csv=text)
    stated = DropSettings.model_validate(yaml.safe_load(refusal_of(drop).proposed)).columns
    assert {column: source.names[0] for column, source in stated.items()} == wanted
    assert {column: source.unit for column, source in stated.items() if source.unit} == (
        {"walltime_s": "min"} if name == "Slurm's database" else {}
    )
    assert check(drop, write=True)[1] == 2
    assert check(drop)[1] == 0


def test_waits_of_slurm_s_database_are_from_submission_to_start(tmp_path):
    drop = accepted(tmp_path / "drop", t__csv=REAL["Slurm's database"][0])
    job = read(drop, "jobs").row(0, named=True)
    assert (job["start_s"] - job["submit_s"], job["runtime_s"], job["walltime_s"]) == (222.0, 5921.0, 7200.0)
    assert job["requested_memory_gb"] is None


def rows_of(*columns, count=40):
    return "\n".join(",".join(str(column(n)) for column in columns) for n in range(count)) + "\n"


@pytest.mark.parametrize(
    ("header", "columns", "wanted"),
    [
        (
            "id,jobid,submit,runtime,nodes",
            [lambda n: n, lambda n: n % 3, lambda n: n, lambda n: n + 9, lambda _: 2],
            "id",
        ),
        ("job,submit,runtime,nodes", [lambda n: n % 4, lambda n: n, lambda n: n + 9, lambda _: 2], "row"),
        ("job,submit,runtime,nodes", [lambda n: n // 4, lambda n: n, lambda n: n + 9, lambda _: 2], "job"),
    ],
)
@pytest.mark.parametrize("parquet", [False, True])
def test_a_column_of_few_values_is_no_id(tmp_path, header, columns, wanted, parquet):
    text = f"{header}\n{rows_of(*columns)}"
    drop = dropped(tmp_path / "drop", t__csv=text)
    if parquet:
        pl.read_csv(drop / "t.csv").write_parquet(drop / "t.parquet")
        (drop / "t.csv").unlink()
    stated = DropSettings.model_validate(yaml.safe_load(refusal_of(drop).proposed)).columns
    assert stated["job_id"].names == [wanted]


def test_a_column_of_0_and_1_is_no_number_of_nodes(tmp_path):
    columns = [lambda n: n, lambda n: n, lambda n: n + 9, lambda n: n % 2]
    drop = dropped(tmp_path / "drop", t__csv=f"job,submit,runtime,numnodes\n{rows_of(*columns)}")
    stated = DropSettings.model_validate(yaml.safe_load(refusal_of(drop).proposed)).columns
    assert stated["nodes"].names == [PLACEHOLDER]
    columns[-1] = lambda _: 1
    drop = dropped(tmp_path / "again", t__csv=f"job,submit,runtime,numnodes\n{rows_of(*columns)}")
    assert DropSettings.model_validate(yaml.safe_load(refusal_of(drop).proposed)).columns["nodes"].names == ["numnodes"]


def test_no_two_columns_are_proposed_for_one_thing(tmp_path):
    columns = [lambda n: n] * 2 + [lambda n: n + 1] * 2 + [lambda n: n + 9, lambda _: 1, lambda _: 9]
    text = f"job,submit,start,started,end,nodes,runtime\n{rows_of(*columns)}"
    proposed = yaml.safe_load(refusal_of(dropped(tmp_path / "drop", t__csv=text)).proposed)["columns"]
    assert proposed["start_s"] == "start"
    assert "started" not in str(proposed)
    assert len(set(map(str, proposed.values()))) == len(proposed)


def test_rows_are_ids_where_trace_yaml_says_so(tmp_path):
    text = "submit_s,runtime_s,nodes\n0,9,1\nx,9,1\n3,9,2\n"
    drop = dropped(tmp_path / "drop", jobs__csv=text, trace__yaml="columns: {job_id: row}\n")
    assert check(drop)[1] == 1
    jobs = read(drop, "jobs")
    assert jobs.select("job_id", "nodes").rows() == [("2", 1), ("4", 2)]


def test_a_table_without_ids_met_in_the_field(trace_data, tmp_path):
    text = (trace_data / "field" / "no_job_id.csv").read_text()
    drop = accepted(tmp_path / "drop", no_job_id__csv=text)
    jobs, source = read(drop, "jobs"), pl.read_csv(trace_data / "field" / "no_job_id.csv", try_parse_dates=True)
    assert jobs["job_id"].to_list() == [str(row) for row in range(2, source.height + 2)]
    assert jobs["nodes"].to_list() == source["node_count"].to_list()
    ran_s = (source["end_time"] - source["start_time"]).dt.total_seconds().cast(pl.Float64)
    assert jobs["runtime_s"].to_list() == ran_s.to_list()
    assert jobs["walltime_s"].unique().to_list() == [7200.0]


def test_two_tables_of_a_kind_are_refused(tmp_path):
    table = f"{CANONICAL}\na,0,1,2,1\n"
    refusal = refusal_of(dropped(tmp_path / "drop", a__csv=table, b__csv=table))
    assert refusal.reason == "table_repeated"
    assert "a.csv and b.csv both look like jobs" in refusal.detail


def test_a_format_that_recognises_by_name_is_not_asked_for_contents(tmp_path):
    record = "1 0 5 60 2 -1 -1 2 100 -1 1 7 1 1 1 -1 -1 -1\n"
    drop = dropped(tmp_path / "drop", log__swf=record, notes__csv=f"{JOBS}\na,0,1,2,1\n")
    assert _recognise.recognise(drops.load(drop)).FORMAT == "swf"


JOBS = "job,submit_s,start_s,end_s,nodes"
CANONICAL = "job_id,submit_s,start_s,end_s,nodes"
REFUSED = {
    "memory without a unit": (
        f"{JOBS},maxrss\na,0,1,2,1,5000\n", "used_memory_gb maybe 'maxrss'",
        "used_memory_gb: {from: maxrss, unit: NAME_OF_THE_UNIT}",
    ),
    "two that may be nodes": (
        "job,submit_s,start_s,end_s,NumNodes,NodeCount\na,0,1,2,1,1\n",
        "'NodeCount' and 'NumNodes' may both be nodes", "nodes: NodeCount",
    ),
    "no nodes": ("job,submit_s,start_s,end_s,cpus\na,0,1,2,1\n", "nodes maybe 'cpus'", "share: cores"),
    "no submission": (
        "job,queue_time_min,start_s,end_s,nodes\na,0,1,2,1\n", "no column is called job_id, submit_s",
        "submit_s: NAME_OF_THE_COLUMN",
    ),
    "a run time or a limit": (
        "job,submit_s,Wall Time,nodes\na,0,1,2\n", "runtime_s or start_s and end_s", "runtime_s: NAME_OF_THE_COLUMN",
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
    (drop / "trace.yaml").write_text(refusal.proposed)
    assert check(drop)[1] == (2 if "NAME_OF_THE" in proposed else 0)


def test_units_in_values_are_read(tmp_path):
    text = f"{CANONICAL},MaxRSS,ReqMem,Timelimit\na,0,1,2,1,512 MB,2GiB,01:30:00\nb,0,1,2,1,4K,1.5G,1-00:00:00\n"
    columns = "columns: {used_memory_gb: MaxRSS, requested_memory_gb: ReqMem, walltime_s: Timelimit}\n"
    rows = read(dropped(tmp_path / "drop", t__csv=text, trace__yaml=columns), "jobs")
    result = rows.select("used_memory_gb", "requested_memory_gb", "walltime_s").rows()
    assert result[0] == pytest.approx((0.512, 2.147483648, 5400.0))
    assert result[1] == pytest.approx((4.096e-6, 1.610612736, 86400.0))


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
    drop = dropped(tmp_path / "drop", t__csv=f"{JOBS},maxrss_mb\na,0,1,2,1,5000\n")
    text, code = check(drop, write=True)
    assert code == 2
    assert "trace.yaml is written" in text
    assert check(drop)[1] == 0
    assert read(drop, "jobs")["used_memory_gb"].to_list() == [5.0]
    dropped(drop, trace__yaml="nodes: 4\n")
    text, _ = check(drop, write=True)
    assert "stays as it is" in text
    assert "used_memory_gb: {from: maxrss_mb, unit: MB}" in text
    assert (drop / "trace.yaml").read_text() == "nodes: 4\n"
    assert sorted(path.name for path in drop.iterdir()) == ["t.csv", "trace.yaml"]


def test_a_unit_that_no_name_tells_is_left_open_and_not_written(tmp_path):
    drop = dropped(tmp_path / "drop", t__csv=f"{JOBS},maxrss\na,0,1,2,1,5000\n")
    assert "is not written: put a unit in the place of NAME_OF_THE_UNIT" in check(drop, write=True)[0]
    assert [path.name for path in drop.iterdir()] == ["t.csv"]


def test_of_a_table_that_is_read_what_else_may_be_of_use_is_said(tmp_path):
    text = "job_id,submit_s,nodes,runtime_s,peakmem_mb,owner\na,0,1,5,7,me\n"
    drop = dropped(tmp_path / "drop", jobs__csv=text)
    row = read(drop, "jobs").row(0, named=True)
    assert (row["runtime_s"], row["used_memory_gb"], row["user"]) == (5.0, None, None)
    assert "put `columns: {used_memory_gb: {from: peakmem_mb, unit: MB}, user: owner}` into trace.yaml" in note_of(drop)


def test_what_trace_yaml_states_stays_in_the_proposal(tmp_path):
    text = "job,queued_s,created_s,start_s,end_s,nodes,mem\na,5,0,6,8,1,3\n"
    stated = "columns: {submit_s: created_s, used_memory_gb: mem}\nnodes: 3\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml=stated)
    assert "columns: {submit_s: created_s, used_memory_gb: mem, job_id: job}" in refusal_of(drop).proposed


def test_a_single_file_is_looked_at_alone(tmp_path):
    dropped(tmp_path / "drop", t__csv=f"{CANONICAL}\na,0,1,2,1\n", other__swf="?")
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
    drop = dropped(tmp_path / "drop", t__csv=f"{CANONICAL},{columns}\na,0,1,2,1,{zeros}\n")
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
    drop = accepted(tmp_path / "drop", t__csv=f"{JOBS},{name}\na,0,1,2,1,3\n")
    assert read(drop, "jobs")["used_memory_gb"].to_list() == pytest.approx([MEMORY_COLUMNS[name]])


@pytest.mark.parametrize(("unit", "scale"), [("us", 1e-6), ("ns", 1e-9), ("µs", 1e-6)])
def test_short_times_have_units(tmp_path, unit, scale):
    drop = accepted(tmp_path / "drop", t__csv=f"model,SMs,latency ({unit})\na,1,4\na,2,2\n")
    assert read(drop, "sm_curves")["time_s"].to_list() == pytest.approx([4 * scale, 2 * scale])


@pytest.mark.parametrize("named", ["", "tables: {sm_curve: points.csv}\nformat: sm_curve\n"])
def test_with_and_without_the_name_of_the_file_the_reading_is_the_same(tmp_path, named):
    text = "model,slices,rate,latency_s\na,1,4,0.3\na,2,7,\nb,1,1,0.1\nb,2,2,-1\n"
    drop = dropped(
        tmp_path / "drop", points__csv=text, trace__yaml=f"{named}columns: {{app: model, sms: slices, ipc: rate}}\n"
    )
    assert check(drop)[1] == 0
    result = read(drop, "sm_curves")
    assert result["ipc"].to_list() == [4.0, 7.0, 1.0, 2.0]
    assert result["time_s"].null_count() == 4


def test_a_wrong_name_in_trace_yaml_is_said_of_the_file_that_lacks_it(tmp_path):
    text = "jobnumber,submit_s,start_s,end_s,nodes\na,0,1,2,1\n"
    drop = dropped(tmp_path / "drop", t__csv=text, trace__yaml="columns: {job_id: jobnummber}\n")
    detail = refusal_of(drop).detail
    assert detail == "trace.yaml says that job_id is 'jobnummber', which t.csv does not have; did you mean 'jobnumber'?"


@pytest.mark.parametrize(
    "text", ["ort,tage\nRom,3\n", "x,y,z\n1,2,3\n4,5,6\n", "Auftrag,Eingereicht,Beginn,Ende,Knoten\n1,2,3,4,5\n"]
)
def test_a_table_of_no_known_words_gets_no_proposal(tmp_path, text):
    refusal = refusal_of(dropped(tmp_path / "drop", t__csv=text))
    assert refusal.reason == "format_unknown"
    assert refusal.proposed is None


@pytest.mark.parametrize("file", ["t__csv", "sm_curve__csv"])
@pytest.mark.parametrize("name", ["gpcs", "slices", "MIG slices"])
def test_slices_are_proposed_as_the_sizes_of_a_curve(tmp_path, file, name):
    text = f"model,{name},throughput\na,1,0\na,2,10\na,4,18\nb,1,5\nb,3,12\n"
    drop = accepted(tmp_path / "drop", **{file: text})
    assert "sizes: mig" in (drop / "trace.yaml").read_text()
    assert read(drop, "sm_curves").select("app", "sms", "mig_slices").rows() == [
        ("a", 2, 2), ("a", 4, 4), ("b", 1, 1), ("b", 3, 3),
    ]  # fmt: skip
    message = check(drop)[0]
    assert "app a on 1 slices has throughput_per_s = 0.0" in message
    assert "recommended_gpu_sharing (slices of each, mixes among 2 applications)" in message


@pytest.mark.parametrize("file", ["t__csv", "perf_table__csv"])
@pytest.mark.parametrize("name", ["dpus", "nDPUs", "num_dpus", "nr_dpus"])
def test_dpus_are_proposed_as_what_a_pim_machine_shares(tmp_path, file, name):
    drop = accepted(tmp_path / "drop", **{file: f"benchmark,{name},time_ms\nVA,1,8\nVA,2,4\n"})
    assert read(drop, "perf_points").select("ranks", "time_s", "unit").rows() == [(1, 0.008, "dpu"), (2, 0.004, "dpu")]
    assert "pim_curve (DPUs to give each)" in check(drop)[0]


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    assert refusal_of(dropped(tmp_path / "drop", t__csv="")).detail == "t.csv is empty"

"""Generated months in the layout of M100 ExaData: the files against what the generator says they hold."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from pipeline import drops
from pipeline.__main__ import app
from pipeline.synthetic import write_marconi100
from pipeline.synthetic.marconi100 import memory, schedule, workload
from pipeline.synthetic.marconi100.days import stretches

MONTHS, NODES, TOTAL_KIB = ("22-05", "22-06"), 24, 329_871_872
JOBS = "job_info_marconi100"
MEMORY = {"mem_free": "float", "mem_cached": "float", "mem_buffers": "int32", "mem_total": "float"}
RUN_S = (pl.col("end_time") - pl.col("start_time")).dt.total_seconds()


@pytest.fixture(scope="module")
def drop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("months") / "m100"
    return folder, write_marconi100(folder, 1, MONTHS, nodes=NODES, days=2)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clean") / "m100"
    return folder, write_marconi100(folder, 2, nodes=24, days=4, traps=False)


def files(folder: Path, metric: str, month: str = "*") -> list[Path]:
    plugin = "job_table" if metric == JOBS else "ganglia_pub"
    return sorted(folder.glob(f"year_month={month}/plugin={plugin}/metric={metric}/a_*.parquet"))


def rows(folder: Path, metric: str, month: str = "*") -> pl.DataFrame:
    # Not pq.read_table(path), which adds the partition columns of the path.
    return pl.concat(pl.from_arrow(pq.ParquetFile(file).read()) for file in files(folder, metric, month))


def blocks(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples with the local day, and what the sample before in the same block of a day and node has."""
    day = pl.col("timestamp").dt.convert_time_zone("Europe/Rome").dt.date()
    before = pl.col("timestamp", "value").shift().over("day", "node").name.prefix("last_")
    return samples.with_columns(day.alias("day")).with_columns(before)


@pytest.mark.slow
def test_layout_is_that_of_the_data_set(drop):
    folder, truth = drop
    expected = {"trace.yaml"} | {
        f"year_month={month}/plugin={plugin}/metric={metric}/a_0.parquet"
        for month in MONTHS
        for plugin, metrics in (("ganglia_pub", MEMORY), ("job_table", [JOBS]))
        for metric in metrics
    }
    assert {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()} == expected
    for metric, dtype in MEMORY.items():
        for file in files(folder, metric):
            parquet = pq.ParquetFile(file)
            assert [(f.name, str(f.type)) for f in parquet.schema_arrow] == [
                ("timestamp", "timestamp[ms, tz=UTC]"),
                ("value", dtype),
                ("node", "string"),
            ]
            assert parquet.metadata.format_version == "2.6"
            assert parquet.metadata.row_group(0).column(1).compression == "ZSTD"
    counted = {(month, metric): n for month, metric, n in truth.rows.iter_rows()}
    for metric in (*MEMORY, JOBS):
        for month in MONTHS:
            assert rows(folder, metric, month).height == counted[month, metric]
    settings = drops.load(folder).settings
    assert (settings.format, settings.kind, settings.nodes) == ("marconi100", "generated", NODES)
    assert settings.node_memory_gb == pytest.approx(337.788796928)


@pytest.mark.real
def test_columns_are_those_of_the_published_schema(drop, trace_data):
    folder, _ = drop
    published = json.loads((trace_data / "hpc" / "m100" / "m100_schema.json").read_text(encoding="utf-8"))
    names = {"timestamp[ms, tz=UTC]": "timestamp[ms, UTC]", "float": "float32"}
    table = pq.ParquetFile(files(folder, JOBS)[0]).schema_arrow
    assert [[f.name, names.get(str(f.type), str(f.type))] for f in table] == published["job_table"]["columns"]
    for metric in MEMORY:
        dtype = str(pq.ParquetFile(files(folder, metric)[0]).schema_arrow.field("value").type)
        assert names.get(dtype, dtype) == published["ganglia_pub"]["memory_metrics"][metric]["value"]


def test_same_seed_same_bytes_other_seed_others(tmp_path):
    written = {}
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        write_marconi100(tmp_path / name, seed, nodes=2, days=1)
        paths = sorted(path for path in (tmp_path / name).rglob("*.parquet"))
        written[name] = [path.read_bytes() for path in paths]
    assert written["a"] == written["b"]
    # mem_total is alike on all nodes, but sampled at other times.
    assert all(one != other for one, other in zip(written["a"], written["c"], strict=True))


@pytest.mark.parametrize("metric", MEMORY)
def test_faults_of_samples_are_as_many_as_said(drop, metric):
    folder, truth = drop
    samples = blocks(rows(folder, metric))
    last = pl.col("last_timestamp")
    same = (pl.col("timestamp") == last) & pl.col("value").eq_missing(pl.col("last_value"))
    counts = samples.select(
        duplicated=same.sum(),
        clock_backwards=(pl.col("timestamp") < last).sum(),
        value_null=pl.col("value").is_null().sum(),
        value_nan=pl.col("value").cast(pl.Float64).is_nan().sum(),
        free_above_total=(pl.col("value") > TOTAL_KIB).filter(pl.col("value").cast(pl.Float64).is_finite()).sum(),
    ).row(0, named=True)
    assert counts == {fault: truth.count(metric, fault) for fault in counts}
    faults = truth.faults.filter(pl.col("metric") == metric)
    # Each kind in each month, and only those that a metric of its dtype can have.
    kinds = 3 if metric == "mem_buffers" else 5 if metric == "mem_free" else 4
    assert faults.height == 2 * kinds and (faults["count"] >= 1).all()


def test_faults_of_jobs_are_as_many_as_said(drop):
    folder, truth = drop
    table = rows(folder, JOBS)
    number = r"^\[\d+(, \d+)*\]$"
    counts = table.select(
        nodes_null=pl.col("nodes").is_null().sum(),
        nodes_empty=(pl.col("nodes") == "[]").sum(),
        nodes_garbage=(~pl.col("nodes").str.contains(number) & (pl.col("nodes") != "[]")).sum(),
        start_missing=pl.col("start_time").is_null().sum(),
        end_missing=pl.col("end_time").is_null().sum(),
        end_before_start=(pl.col("end_time") < pl.col("start_time")).sum(),
        repeated=pl.len() - pl.col("job_id").n_unique(),
        run_time_null=pl.col("run_time").is_null().sum(),
        time_limit_unlimited=((pl.col("time_limit") == 2**32 - 1) & (pl.col("time_limit_str") == "UNLIMITED")).sum(),
        time_limit_unset=(pl.col("time_limit") == 2**32 - 2).sum(),
        shared_empty=(pl.col("shared") == "").sum(),
        tres_req_empty=(pl.col("tres_req_str") == "").sum(),
    ).row(0, named=True)
    faults = {fault: truth.count(JOBS, fault) for fault in counts}
    # The earlier row of a repeated job has no faults of its own.
    assert counts == faults
    assert all(count >= 1 for count in faults.values())
    spoilt = truth.jobs["fault"].drop_nulls()
    assert dict(spoilt.value_counts().iter_rows()) == {kind: faults[kind] for kind in set(spoilt)}


def test_last_row_of_every_sound_job_tells_what_ran(drop):
    folder, truth = drop
    table = rows(folder, JOBS).unique("job_id", keep="last", maintain_order=True)
    assert set(table["job_id"]) == set(truth.jobs.filter(pl.col("year_month").is_not_null())["job_id"])
    table = table.with_columns(pl.col("job_id").cast(pl.Int64))
    both = table.join(truth.jobs, on="job_id", suffix="_true").filter(
        pl.col("fault").is_null() | (pl.col("fault") == "repeated")
    )
    assert both.height > 100
    for column in ("submit_time", "start_time", "end_time", "num_nodes", "user_id"):
        assert (both[column] == both[f"{column}_true"]).all(), column
    assert [json.loads(text) for text in both["nodes"]] == both["nodes_true"].to_list()
    cpus = [{int(n): int(c) for n, c in (p.split(": ") for p in t[1:-1].split(", "))} for t in both["cpus_allocated"]]
    expected = zip(both["nodes_true"], both["cpus"], strict=True)
    assert cpus == [dict.fromkeys(nodes, each) for nodes, each in expected]
    timed = both.filter(pl.col("run_time").is_not_null())
    assert (timed["run_time"] == timed.select(RUN_S).to_series()).all()
    limited = both.filter(pl.col("time_limit") < 2**32 - 2)
    assert (limited["time_limit"].cast(pl.Int64) * 60 >= limited.select(RUN_S).to_series()).all()
    assert [_minutes(text) for text in limited["time_limit_str"]] == limited["time_limit"].to_list()


def _minutes(text: str) -> int:
    days, _, clock = text.rpartition("-")
    hours, minutes, seconds = [0, 0, *map(int, clock.split(":"))][-3:]
    assert seconds == 0
    return 1440 * int(days or 0) + 60 * hours + minutes


def test_month_of_a_job_is_the_local_one_of_its_end(drop):
    folder, truth = drop
    ended = truth.jobs.filter(pl.col("year_month").is_not_null())
    local = pl.col("end_time").dt.convert_time_zone("Europe/Rome").dt.strftime("%y-%m")
    assert (ended.select(local).to_series() == ended["year_month"]).all()
    for month in MONTHS:
        ids = set(rows(folder, JOBS, month)["job_id"])
        assert ids == set(ended.filter(pl.col("year_month") == month)["job_id"])
    # Some ran on from one month into the other, and some were still running at the end.
    begun = pl.col("start_time").dt.convert_time_zone("Europe/Rome").dt.strftime("%y-%m")
    assert (ended.select(begun).to_series() < ended["year_month"]).any()
    assert truth.jobs["year_month"].null_count() > 0


def test_whole_nodes_are_nobody_elses_and_shared_ones_have_room(drop):
    _, truth = drop
    spans = truth.jobs.select("job_id", "start_time", "end_time", "cpus", "year_month", "shares_node", node="nodes")
    spans = spans.explode("node")
    pairs = spans.join(spans, on="node", suffix="_other").filter(
        (pl.col("job_id") != pl.col("job_id_other"))
        & (pl.col("start_time") < pl.col("end_time_other"))
        & (pl.col("start_time_other") < pl.col("end_time"))
    )
    assert pairs.height > 0 and (pairs["cpus"] < 128).all() and (pairs["cpus_other"] < 128).all()
    # At each start on a node, hardware threads of all that run there.
    at_start = pairs.filter(
        (pl.col("start_time_other") <= pl.col("start_time")) & (pl.col("end_time_other") > pl.col("start_time"))
    )
    taken = at_start.group_by("job_id").agg(pl.col("cpus").first() + pl.col("cpus_other").sum())
    assert taken["cpus"].max() <= 128
    seen = pairs.filter(pl.col("year_month").is_not_null() & pl.col("year_month_other").is_not_null())
    assert set(seen["job_id"]) == set(truth.jobs.filter("shares_node")["job_id"])
    assert (truth.jobs["start_time"] >= truth.jobs["submit_time"]).all()
    assert truth.jobs.select((pl.col("nodes").list.len() == pl.col("num_nodes")).all()).item()


@pytest.mark.parametrize(("metric", "period_s"), [("mem_free", 40), ("mem_total", 60)])
def test_steps_and_share_of_the_grid(clean, metric, period_s):
    folder, _ = clean
    samples = rows(folder, metric).sort("node", "timestamp", maintain_order=True)
    steps = samples.select(pl.col("timestamp").diff().dt.total_seconds().over("node")).drop_nulls().to_series()
    assert set(steps) == {period_s, 2 * period_s, 3 * period_s}
    full = NODES * 4 * 86_400 / period_s
    assert samples.height / full == pytest.approx(0.81, abs=0.01)
    assert samples.select(pl.col("timestamp").dt.millisecond().sum()).item() == 0
    offsets = samples.group_by("node").agg(pl.col("timestamp").first().dt.epoch("s") % period_s)["timestamp"]
    assert offsets.n_unique() > 3


@pytest.mark.parametrize("present", [0.5, 1.0])
def test_any_share_of_the_grid_can_be_there(tmp_path, present):
    truth = write_marconi100(tmp_path / "drop", 1, nodes=2, days=1, present=present)
    share = truth.rows.filter(pl.col("metric") == "mem_free")["rows"].item() / (2 * 2160)
    assert share == pytest.approx(present, abs=0.03)


def test_rows_lie_in_blocks_of_a_local_day_and_node(drop):
    folder, _ = drop
    for month, first in zip(MONTHS, ("2022-05-30", "2022-06-01"), strict=True):
        day = pl.col("timestamp").dt.convert_time_zone("Europe/Rome").dt.date()
        samples = rows(folder, "mem_free", month).select(day.alias("day"), pl.col("node").cast(pl.Int64))
        runs = samples.filter(pl.struct("day", "node").rle_id().diff().fill_null(1) > 0)
        assert runs.equals(runs.sort("day", "node")) and runs.height == 2 * NODES
        assert str(runs["day"].min()) == first and runs["day"].n_unique() == 2


def test_some_nodes_are_known_to_one_plugin_only(drop):
    folder, truth = drop
    sampled = set(rows(folder, "mem_free")["node"].cast(pl.Int64))
    used = set(truth.jobs["nodes"].explode())
    assert sampled == set(range(NODES))
    assert sampled - used >= set(truth.ganglia_only) and len(truth.ganglia_only) == 3
    assert set(truth.job_table_only) == {24, 25, 26} and used - sampled <= {24, 25, 26}


@pytest.mark.slow
def test_memory_is_within_a_node_and_follows_its_jobs(clean):
    folder, truth = clean
    free = rows(folder, "mem_free")
    assert (rows(folder, "mem_total")["value"] == TOTAL_KIB).all()
    samples = free.select(
        pl.col("node").cast(pl.Int64),
        pl.col("timestamp").alias("time"),
        ((TOTAL_KIB - pl.col("value").cast(pl.Float64)) * 1024 / 1e9).alias("used_gb"),
    )
    assert samples["used_gb"].min() > 8 and samples["used_gb"].max() < 250
    cached_gb = rows(folder, "mem_cached")["value"].cast(pl.Float64) * 1024 / 1e9
    assert cached_gb.min() > 0 and cached_gb.max() < 8
    assert rows(folder, "mem_buffers")["value"].min() > 0

    jobs = truth.jobs.filter((pl.col("cpus") == 128) & (RUN_S > 600))
    phases = truth.phases.join(jobs, on="job_id").filter(pl.col("end_s") - pl.col("start_s") > 300)
    phases = phases.explode("nodes").select(
        "job_id",
        "phase",
        "memory_gb",
        node="nodes",
        begin=pl.col("start_time") + pl.duration(seconds=pl.col("start_s").ceil().cast(pl.Int64)),
        until=pl.col("start_time") + pl.duration(seconds=pl.col("end_s").floor().cast(pl.Int64)),
    )
    inside = samples.join(phases, on="node").filter(pl.col("time").is_between("begin", "until", closed="left"))
    seen = inside.group_by("job_id", "phase", "node").agg(
        pl.col("memory_gb").first(), pl.col("used_gb").mean(), pl.col("used_gb").std().alias("wiggle"), pl.len()
    )
    assert seen.height > 100
    # An idle node has 9 to 11 GB, page cache grows by 1.5 at most, and the nodes of a job differ by 1 % (sd).
    high = seen.filter(pl.col("memory_gb") > 15)
    excess = high["used_gb"] - high["memory_gb"]
    assert (excess >= -0.03 * high["memory_gb"] - 0.2).all() and (excess <= 0.03 * high["memory_gb"] + 1.7).all()
    wiggle = seen.filter(pl.col("len") > 5)["wiggle"]
    assert wiggle.min() > 0 and wiggle.max() < 0.6


def test_temporal_patterns_differ(clean):
    folder, truth = clean
    samples = rows(folder, "mem_free").select(
        pl.col("node").cast(pl.Int64), "timestamp", used_gb=(TOTAL_KIB - pl.col("value").cast(pl.Float64)) * 1024 / 1e9
    )
    jobs = truth.jobs.filter((pl.col("cpus") == 128) & (RUN_S > 900)).explode("nodes")
    jobs = jobs.select("job_id", "pattern", "start_time", "end_time", node="nodes")
    inside = samples.join(jobs, on="node").filter(
        pl.col("timestamp").is_between("start_time", "end_time", closed="left")
    )
    inside = inside.sort("job_id", "node", "timestamp")
    change = pl.col("used_gb").diff().abs() > 2
    per = inside.group_by("job_id", "node", "pattern").agg(
        change.mean().alias("changes"),
        pl.col("used_gb").median().alias("median"),
        pl.col("used_gb").max().alias("most"),
    )
    per = per.filter(pl.col("most") > 60)
    mean = dict(per.group_by("pattern").agg(pl.col("changes").mean()).iter_rows())
    assert mean["dynamic"] > 0.7 and mean["constant"] == 0 and mean["phased"] < 0.3
    sporadic = per.filter(pl.col("pattern") == "sporadic")
    assert sporadic.height > 0 and (sporadic["median"] < sporadic["most"] / 2).all()


def test_recurrent_jobs_repeat_their_shape(clean):
    _, truth = clean
    long = truth.jobs.filter(RUN_S >= 60)
    per_user = long.group_by("user_id").agg(
        pl.len(), pl.struct("num_nodes", "cpus", "limit_s").n_unique().alias("kinds")
    )
    busy = per_user.filter(pl.col("len") >= 20)
    assert busy.height > 0 and (busy["kinds"] < busy["len"] / 2).all()


def test_published_shares_of_a_full_month():
    begin_s, end_s = stretches(["22-05"])[0][0].start_s, stretches(["22-05"])[0][-1].end_s
    shapes, jobs = workload.jobs(np.random.default_rng(1), 240_000, 988, begin_s, end_s, 0.75)
    start_s, node = schedule.place(jobs.submit_s, jobs.run_s, jobs.width, jobs.cpus, 988, 128)
    first = np.append(0, np.cumsum(jobs.width))
    lists = schedule.by_node(first, node, start_s, 988)
    shares = schedule.overlaps(*lists, start_s, start_s + jobs.run_s, np.ones(240_000, bool))
    whole = jobs.cpus == 128
    assert (jobs.run_s >= 60).mean() == pytest.approx(0.601, abs=1e-5)
    assert shares[jobs.width == 1].mean() == pytest.approx(0.44, abs=0.01)
    assert not shares[whole].any()
    # A few popular shapes sway the mean: 96,000 jobs, but of 4,600 shapes.
    assert jobs.width[whole].mean() == pytest.approx(7, rel=0.15) and jobs.width.max() == 256
    assert 80_000 < jobs.run_s.max() <= 86_400 and jobs.run_s.min() >= 1
    assert (jobs.run_s * jobs.width)[whole].sum() / (988 * (end_s - begin_s)) == pytest.approx(0.75, abs=0.03)
    assert np.median(start_s - jobs.submit_s) == 0
    for earlier, later in pairwise(lists[0]):
        assert (np.diff(start_s[lists[1][earlier:later]]) >= 0).all()
    assert (np.diff(shapes.first) >= 1).all() and shapes.first[-1] == shapes.memory_gb.size


def test_files_can_be_split_and_graphics_memory_added(tmp_path):
    folder = tmp_path / "drop"
    truth = write_marconi100(folder, 1, nodes=2, days=3, gpu=True, parts=2)
    whole = tmp_path / "whole"
    write_marconi100(whole, 1, nodes=2, days=3)
    for metric in (*MEMORY, JOBS):
        assert [file.name for file in files(folder, metric)] == ["a_0.parquet", "a_1.parquet"]
        assert rows(folder, metric).equals(rows(whole, metric))
    for gpu in range(4):
        used, total = rows(folder, f"Gpu{gpu}_fb_used"), rows(folder, f"Gpu{gpu}_fb_total")
        assert used["value"].dtype == pl.Int32 and set(total["value"].drop_nulls()) == {16_160}
        assert used["value"].min() >= 0 and used["value"].max() <= 16_160 and used["value"].n_unique() > 2
        assert used.height == pytest.approx(0.81 * 2 * 3 * 4320, rel=0.03)
    assert truth.count("Gpu0_fb_used", "value_null") == 1 and truth.count("Gpu0_fb_used", "value_nan") == 0


def test_smallest_machines_and_days(tmp_path):
    for nodes, jobs in ((1, 1), (1, 30), (3, 2)):
        truth = write_marconi100(tmp_path / "drop", 1, nodes=nodes, jobs=jobs, days=1)
        assert truth.jobs.height == jobs
        assert rows(tmp_path / "drop", "mem_free")["node"].n_unique() == nodes


def test_days_begin_at_local_midnight_and_know_summer_time():
    (march,) = stretches(["22-03"])
    lengths = {(day.end_s - day.start_s) // 3600 for day in march}
    assert len(march) == 31 and lengths == {23, 24}
    assert {(day.end_s - day.start_s) // 3600 for day in stretches(["22-10"])[0]} == {24, 25}
    assert [[day.month for day in part] for part in stretches(["22-05", "22-06"], 1)] == [["22-05", "22-06"]]
    assert [len(part) for part in stretches(["22-05", "22-07"])] == [31, 31]
    may = stretches(["22-05"])[0][0]
    # Midnight of May 1 in Bologna, two hours before that of UTC.
    assert may.start_s == 1_651_356_000


def test_unusable_arguments_are_sentences(tmp_path):
    folder = tmp_path / "drop"
    for arguments, words in (
        ({"months": []}, "no month is given"),
        ({"months": ["2022-05"]}, "'2022-05' is not a month; write year and month as 22-05"),
        ({"months": ["22-06", "22-05"]}, "22-05 stands after 22-06"),
        ({"days": 32}, "days is 32; month 22-05 has 1 to 31"),
        ({"nodes": 0}, "nodes is 0"),
        ({"present": 0.3}, r"present is 0.3; the share of samples that are there must be 0.453 to 1"),
        ({"nodes": 2, "days": 1, "jobs": 100_000}, "100000 jobs are too many for 3 nodes"),
    ):
        with pytest.raises(ValueError, match=words):
            write_marconi100(folder, 1, **arguments)
        assert not folder.exists()
    (folder / "mine").mkdir(parents=True)
    with pytest.raises(FileExistsError, match="no generated drop"):
        write_marconi100(folder, 1, nodes=2, days=1)
    assert (folder / "mine").is_dir()


def test_gap_law_has_the_share_asked_for():
    for present in (memory.LEAST_PRESENT, 0.6, 0.81, 1.0):
        full, one_missing = memory.gap_law(present)
        mean = full + 2 * (one_missing - full) + 3 * (1 - one_missing)
        assert 1 / mean == pytest.approx(present)
        assert 0 <= full <= one_missing <= 1 + 1e-12


def test_verb_writes_a_drop(tmp_path):
    words = ["--months", "22-05,22-06", "--days", "1", "--nodes", "2", "--jobs", "20", "--seed", "3", "--no-traps"]
    run = CliRunner().invoke(app, ["--quiet", "make-trace", "marconi100", str(tmp_path / "drop"), *words])
    assert run.exit_code == 0, run.output
    assert sorted(path.name for path in (tmp_path / "drop").iterdir()) == [
        "trace.yaml",
        "year_month=22-05",
        "year_month=22-06",
    ]
    assert "seed=3" in drops.load(tmp_path / "drop").settings.note
    run = CliRunner().invoke(app, ["make-trace", "marconi100", str(tmp_path / "other"), "--processors", "4"])
    assert run.exit_code == 2 and "--processors is no option of marconi100" in run.output

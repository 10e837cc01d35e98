"""What does not fit says so before it is read: control groups, sizes of files, and the sentence."""

import gzip

import polars as pl
import pytest
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.drops import Drop, DropSettings, memory
from pipeline.readers import (
    _extent,
    _tables,
    canonical,
    edge_list,
    matrix_market,
    memory_samples,
    pm100,
    sacct,
    swf,
    tasks,
)
from pipeline.stages.ingest import ingest

GB = 10**9


@pytest.fixture
def proc(tmp_path):
    """A system with 8,000,000 kB available and no swap; the process is in the groups that a test writes."""
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    8000000 kB\nSwapFree: 0 kB\n")
    return tmp_path / "proc"


def group(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(f"{content}\n")


def test_without_groups_the_system_decides(proc, tmp_path):
    assert memory.available_bytes(proc, tmp_path / "none") == 8_000_000 * 1024
    (proc / "meminfo").write_text("MemAvailable: 1000 kB\nSwapFree: 24 kB\n")
    assert memory.available_bytes(proc, tmp_path / "none") == 1024 * 1024


def test_where_nothing_can_be_told_nothing_is_refused(tmp_path):
    assert memory.available_bytes(tmp_path / "no", tmp_path / "none") is None


def test_the_narrowest_group_of_version_2_counts_without_its_cache(proc, tmp_path):
    (proc / "self" / "cgroup").write_text("0::/slurm/job_7/step_0\n")
    groups = tmp_path / "cgroup"
    group(groups / "slurm", {"memory.max": 6 * GB, "memory.current": 1 * GB})
    job = {"memory.max": 2 * GB, "memory.current": 1 * GB, "memory.stat": f"anon 5\ninactive_file {GB // 2}"}
    group(groups / "slurm" / "job_7", job)
    group(groups / "slurm" / "job_7" / "step_0", {"memory.max": "max", "memory.current": 1 * GB})
    assert memory.available_bytes(proc, groups) == GB + GB // 2
    group(groups / "slurm" / "job_7", {"memory.current": 3 * GB})
    assert memory.available_bytes(proc, groups) == 0


def test_groups_of_version_1_and_of_a_container(proc, tmp_path):
    (proc / "self" / "cgroup").write_text("5:devices:/\n4:cpu,memory:/docker/abc\n0::/\n")
    groups = tmp_path / "cgroup"
    # In a container the path is that outside, and the limit lies at the root of what is seen.
    group(groups / "memory", {"memory.limit_in_bytes": 3 * GB, "memory.usage_in_bytes": GB})
    assert memory.available_bytes(proc, groups) == 2 * GB
    stat = {"memory.stat": f"inactive_file 7\ntotal_inactive_file {GB}"}
    group(groups / "memory" / "docker" / "abc", {"memory.limit_in_bytes": GB, "memory.usage_in_bytes": GB} | stat)
    assert memory.available_bytes(proc, groups) == GB


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("lines", [3, 900_000])
def test_rows_are_told_from_the_beginning(tmp_path, suffix, lines):
    text = "".join(f"{i % 997}\t{i * 7919 % 100_003}\n" for i in range(lines)).encode()
    file = tmp_path / f"graph.txt{suffix}"
    file.write_bytes(gzip.compress(text, mtime=0) if suffix else text)
    assert abs(_extent.rows(file) - lines) <= max(1, 0.05 * lines)


def test_rows_of_parquet_are_those_that_it_states(tmp_path):
    pl.DataFrame({"x": range(1234)}).write_parquet(tmp_path / "tasks.parquet")
    assert _extent.rows(tmp_path / "tasks.parquet") == 1234


def drop_of(folder, name, text, **settings):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return Drop(folder.name, folder, DropSettings(**settings)), [folder / name]


def test_edges_cost_twice_without_direction_and_more_with_weights(tmp_path):
    plain = memory.needed_bytes(edge_list, *drop_of(tmp_path / "a", "g.el", "1 2\n" * 1000))
    assert memory.needed_bytes(edge_list, *drop_of(tmp_path / "b", "g.el", "1 2\n" * 2000)) == pytest.approx(
        2 * plain, rel=0.01
    )
    said = drop_of(tmp_path / "c", "g.el", "# Undirected graph\n" + "1 2\n" * 1000)
    assert memory.needed_bytes(edge_list, *said) == pytest.approx(2 * plain, rel=0.01)
    stated = drop_of(tmp_path / "d", "g.el", "# Undirected graph\n" + "1 2\n" * 1000, directed=True)
    assert memory.needed_bytes(edge_list, *stated) == pytest.approx(plain, rel=0.01)
    weighted = drop_of(tmp_path / "e", "g.el", "1,2,5\n" * 1000)
    assert plain < memory.needed_bytes(edge_list, *weighted) < 2 * plain
    assert memory.needed_bytes(
        edge_list, *drop_of(tmp_path / "f", "g.el", "1 2 5\n" * 1000, weights=False)
    ) == pytest.approx(plain, rel=0.01)
    header = "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 1000\n"
    matrix = drop_of(tmp_path / "m", "g.mtx", header + "1 2\n" * 1000)
    assert memory.needed_bytes(matrix_market, *matrix) == pytest.approx(2 * plain, rel=0.01)


def test_jobs_of_all_logs_are_held_and_tasks_of_the_table(tmp_path):
    drop, files = drop_of(tmp_path / "a", "one.swf", "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n" * 1000)
    one = memory.needed_bytes(swf, drop, files)
    (drop.path / "two.swf").write_bytes(files[0].read_bytes())
    assert memory.needed_bytes(swf, drop, [*files, drop.path / "two.swf"]) == 2 * one > 100 * 1000
    drop, files = drop_of(tmp_path / "b", "tasks.csv", "task_id,period,deadline,work,kind\n" + "1,5,5,1,compute\n" * 99)
    needed = memory.needed_bytes(tasks, drop, [*files, drop.path / "notes.txt"])
    assert needed == pytest.approx(100 * tasks.BYTES_A_TASK, rel=0.02)


def test_lines_of_sacct_and_rows_of_job_tables_are_held(tmp_path):
    drop, files = drop_of(tmp_path / "a", "week.sacct", "JobID|Submit\n" + "1|2026-01-01T00:00:00\n" * 999)
    needed = memory.needed_bytes(sacct, drop, [*files, drop.path / "notes.txt"])
    assert needed == pytest.approx(1000 * sacct.BYTES_A_LINE, rel=0.01)
    drop, jobs = drop_of(tmp_path / "b", "jobs.csv", "job_id,submit_s\n" + "1,5\n" * 499)
    (drop.path / "phases.csv").write_text("job_id,phase\n" + "1,0\n" * 1499)
    needed = memory.needed_bytes(canonical, drop, [*jobs, drop.path / "phases.csv"])
    assert needed == pytest.approx(2000 * _tables.HELD_BYTES_A_ROW, rel=0.01)
    (tmp_path / "c").mkdir()
    table = tmp_path / "c" / "job_table.parquet"
    pl.DataFrame({"job_id": range(500)}).write_parquet(table)
    drop = Drop("c", table.parent, DropSettings())
    assert memory.needed_bytes(pm100, drop, [table]) == 500 * _tables.HELD_BYTES_A_ROW > 100 * 500


def test_two_graphs_are_read_one_after_the_other(tmp_path):
    drop, files = drop_of(tmp_path / "a", "g.el", "1 2\n" * 1000)
    (drop.path / "small.el").write_text("1 2\n")
    both = [*files, drop.path / "small.el"]
    assert memory.needed_bytes(edge_list, drop, both) == memory.needed_bytes(edge_list, drop, files)


def test_a_reader_that_streams_needs_nothing_and_a_broken_file_is_for_the_reader(tmp_path):
    drop, files = drop_of(tmp_path / "a", "samples.csv", "job_id,time_s,used_gb\n")
    assert memory.needed_bytes(memory_samples, drop, files) is None
    (tmp_path / "a" / "g.el.gz").write_bytes(gzip.compress(b"1 2\n" * 100_000)[:50])
    assert memory.needed_bytes(edge_list, drop, [tmp_path / "a" / "g.el.gz"]) is None


@pytest.fixture
def crowded(tmp_path, monkeypatch):
    """A drop of a million edges beside a small one, on a machine with 10 MB left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces").mkdir()
    drop_of(tmp_path / "traces" / "large", "g.el", "1 2\n" * 1_000_000)
    drop_of(tmp_path / "traces" / "small", "g.el", "1 2\n2 3\n")
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000_000)
    return tmp_path / "traces"


SENTENCE = r"drop large needs about 0\.0\d GB of memory to be read as edge_list and 0\.01 GB are available; end other"


def test_a_drop_that_does_not_fit_is_not_begun(crowded, tmp_path):
    with pytest.raises(memory.MemoryTooSmall, match=SENTENCE):
        ingest(crowded / "large", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert ingest(crowded / "small", tmp_path / "out").code == 0


def test_the_verb_says_it_as_a_sentence(crowded):
    done = CliRunner().invoke(app, ["check", str(crowded / "large")])
    assert isinstance(done.exception, memory.MemoryTooSmall)
    assert str(done.exception).startswith("drop large needs about")


def test_with_more_memory_it_is_read(crowded, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10 * GB)
    assert ingest(crowded / "large", tmp_path / "out").code == 0
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    assert ingest(crowded / "large", tmp_path / "out").code == 0

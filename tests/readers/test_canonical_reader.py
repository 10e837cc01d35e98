"""Canonical tables dropped as they are: jobs and phases belong together, profiles sum to one."""

import polars as pl
import pytest

from pipeline.stages import ingest

JOBS = "job_id,submit_s,nodes,walltime_s\na,0,2,100\nb,5,1,\n"
PHASES = "job_id,phase,duration_s,memory_gb\na,0,10,4\na,1,20,8\nb,0,5,1\n"


def run(folder, trace_yaml=None, **files):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        if isinstance(content, pl.DataFrame):
            content.write_parquet(drop / f"{name}.parquet")
        else:
            (drop / f"{name}.csv").write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def rejected(tables):
    return sorted(tables["rejected_rows"].select("file", "row", "reason").rows())


@pytest.mark.parametrize("parquet", [False, True])
def test_tables_come_back_as_given(tmp_path, parquet):
    phases = pl.read_csv(PHASES.encode()) if parquet else PHASES
    summary, result = run(tmp_path, jobs=JOBS, phases=phases)
    assert summary.code == 0
    assert result["jobs"].select("job_id", "submit_s", "nodes", "walltime_s").rows() == [
        ("a", 0, 2, 100),
        ("b", 5, 1, None),
    ]
    assert result["phases"].select("job_id", "phase", "duration_s", "memory_gb", "origin").rows() == [
        ("a", 0, 10, 4, "given"),
        ("a", 1, 20, 8, "given"),
        ("b", 0, 5, 1, "given"),
    ]


def test_phases_and_jobs_must_have_each_other(tmp_path):
    _, result = run(tmp_path, jobs=JOBS + "c,9,1,\n", phases=PHASES + "x,0,1,1\n")
    assert result["jobs"]["job_id"].to_list() == ["a", "b"]
    assert rejected(result) == [("jobs.csv", 4, "phases_missing"), ("phases.csv", 5, "job_unknown")]


def test_a_job_that_lost_a_phase_goes_whole(tmp_path):
    _, result = run(tmp_path, jobs=JOBS, phases=PHASES.replace("a,1,20,8", "a,1,-20,8"))
    assert result["jobs"]["job_id"].to_list() == ["b"]
    assert rejected(result) == [
        ("jobs.csv", 2, "phases_incomplete"),
        ("phases.csv", 2, "phases_incomplete"),
        ("phases.csv", 3, "duration_s_not_positive"),
    ]


def test_a_phase_given_twice_counts_once(tmp_path):
    _, result = run(tmp_path, jobs=JOBS, phases=PHASES + "b,0,6,1\n")
    assert result["phases"].filter(pl.col("job_id") == "b")["duration_s"].to_list() == [5]
    assert rejected(result) == [("phases.csv", 5, "duplicate_phase")]


def test_phases_of_a_job_too_large_for_the_machine_go_with_it(tmp_path):
    _, result = run(tmp_path, "nodes: 1", jobs=JOBS, phases=PHASES)
    assert result["jobs"]["job_id"].to_list() == ["b"]
    assert rejected(result) == [
        ("jobs.csv", 2, "larger_than_machine"),
        ("phases.csv", 2, "job_unknown"),
        ("phases.csv", 3, "job_unknown"),
    ]


def test_profile_must_sum_to_one(tmp_path):
    profiles = "job_id,memory_gb,probability\na,1,0.25\na,2,0.75\nb,1,0.5\nb,2,0.4\n"
    _, result = run(tmp_path, jobs=JOBS, phases=PHASES, profiles=profiles)
    assert result["profiles"].select("job_id", "probability", "origin").rows() == [
        ("a", 0.25, "given"),
        ("a", 0.75, "given"),
    ]
    assert rejected(result) == [("profiles.csv", row, "probabilities_do_not_sum_to_one") for row in (4, 5)]


@pytest.mark.parametrize(("jobs", "phases", "file"), [("x,y\n1,2\n", PHASES, "jobs.csv"), (JOBS, "", "phases.csv")])
def test_without_one_of_both_tables_the_drop_is_refused(tmp_path, jobs, phases, file):
    summary, result = run(tmp_path, jobs=jobs, phases=phases)
    assert summary.code == 2
    assert result["rejected_rows"]["file"].to_list() == [file, None]
    assert result["rejected_rows"]["reason"][1] == "table_missing"
    assert set(result) == {"traces", "rejected_rows", "provenance"}


def test_a_table_that_is_there_twice_is_refused(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    for name, text in {"jobs.csv": JOBS, "phases.csv": PHASES}.items():
        (drop / name).write_text(text)
    pl.read_csv(JOBS.encode()).write_parquet(drop / "jobs.parquet")
    _, code = ingest.check(drop)
    assert code == 2


def test_extra_columns_are_left_out_with_a_note_and_dates_count_from_the_first(tmp_path):
    jobs = "job_id,submit_s,nodes,colour\na,2024-01-01 00:00:00,1,red\nb,2024-01-01T00:01:00Z,1,blue\n"
    _, result = run(tmp_path, jobs=jobs, phases=PHASES)
    assert result["jobs"]["submit_s"].to_list() == [0, 60]
    assert "colour" in result["traces"]["note"][0]

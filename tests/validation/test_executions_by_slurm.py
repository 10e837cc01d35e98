"""What Slurm is asked to execute, what it says that it did, and how replays are compared with it."""

import gzip

import polars as pl
import pytest
from typer.testing import CliRunner

from validation.slurm import __main__ as program
from validation.slurm import compare, machine, workload
from validation.slurm.drop import Drop

LOG = """\
job_id,submit_s,nodes,runtime_s,walltime_s
a,0,64,100,3600
b,100,10,400,7200
c,130,32,0,600
d,175,33,61,
e,300,1,2400,2400
"""
COMPLETED = (
    "JobId=2 UserId=ada(1000) GroupId=ada(1000) Name=2 JobState=TIMEOUT Partition=main TimeLimit=1 "
    "StartTime=2024-01-01T00:01:17 EndTime=2024-01-01T00:02:40 NodeList=one NodeCnt=1 ProcCnt=2 WorkDir=/ "
    "ReservationName= Tres=cpu=2,mem=1M,node=1,billing=2 Account= QOS= WcKey= Cluster=unknown "
    "SubmitTime=2024-01-01T00:01:15 EligibleTime=2024-01-01T00:01:15 DerivedExitCode=0:0 ExitCode=0:1 \n"
    "JobId=1 UserId=ada(1000) GroupId=ada(1000) Name=1 JobState=COMPLETED Partition=main TimeLimit=UNLIMITED "
    "StartTime=2024-01-01T00:00:34 EndTime=2024-01-01T00:00:51 NodeList=one NodeCnt=1 ProcCnt=1 WorkDir=/ "
    "ReservationName= Tres=cpu=1,mem=1M,node=1,billing=1 Account= QOS= WcKey= Cluster=unknown "
    "SubmitTime=2024-01-01T00:00:33 EligibleTime=2024-01-01T00:00:33 DerivedExitCode=0:0 ExitCode=0:0 \n"
).replace("UNLIMITED", "5")


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "jobs.csv").write_text(LOG)
    (folder / "trace.yaml").write_text("nodes: 100\nsource: somewhere\nlicence: MIT\n")
    return folder


def test_jobs_of_a_log_made_small(log):
    """Job c did not run; times are divided by 10, and a processor is for 32 nodes: by hand."""
    result = workload.of_log(log, 2, 3, 32, 10)
    assert result.jobs.rows() == [
        # job, log_job, submit_s, nodes, run_s, limit_s
        (1, "b", 0, 1, 40, 720),
        (2, "d", 8, 2, 7, 60),  # without a limit the run time is it
        (3, "e", 20, 1, 240, 240),
    ]
    assert result.nodes == 4
    assert result.origin == {"source": "somewhere", "licence": "MIT"}
    assert result.what == "jobs 2 to 4 of log, times divided by 10, one node for 32 of the log"


def test_a_log_with_too_few_jobs(log):
    with pytest.raises(ValueError, match="it has 4 jobs that ran; 4 from job 2 on are not there"):
        workload.of_log(log, 2, 4, 1, 1)


def test_a_log_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="one log of jobs is needed"):
        workload.of_log(tmp_path / "nowhere", 1, 1, 1, 1)


def test_jobs_that_slurm_completed():
    result = machine.completed(COMPLETED)
    assert result.select("job", "cpus", "limit_min", "state").rows() == [(1, 1, 5, "COMPLETED"), (2, 2, 1, "TIMEOUT")]
    assert result.select("submit", "start", "end").cast(pl.String).row(1) == (
        "2024-01-01 00:01:15.000000",
        "2024-01-01 00:01:17.000000",
        "2024-01-01 00:02:40.000000",
    )


def test_without_slurm(log, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "PATH", str(tmp_path))
    result = CliRunner().invoke(program.app, [str(log), str(tmp_path / "drop")])
    assert result.exit_code == 3
    sentence = (
        "Slurm cannot be started; these packages of Debian are needed: faketime, slurm-client, slurmctld, slurmd\n"
    )
    assert result.stderr == sentence
    assert not (tmp_path / "drop").exists()


def written(folder, starts):
    """A drop of three jobs on two nodes: a and b take one each, c both. `starts`: of each execution."""
    folder.parent.mkdir(exist_ok=True)
    jobs = pl.DataFrame(
        {"job": [1, 2, 3], "log_job": ["a", "b", "c"], "submit_s": [0, 0, 100], "nodes": [1, 1, 2]}
    ).with_columns(run_s=pl.Series([600, 300, 60]), limit_s=pl.Series([900, 300, 120]))
    drop = Drop(folder, workload.Workload(jobs, 2, {"source": "somewhere"}, "three jobs"), "Slurm", one_node=True)
    for number, times in enumerate(starts, 1):
        begin = pl.datetime(2024, 1, 1)
        schedule = jobs.with_columns(start_s=pl.Series(times)).select(
            "job",
            submit=begin + pl.duration(seconds="submit_s"),
            start=begin + pl.duration(seconds="start_s"),
            end=begin + pl.duration(seconds=pl.col("start_s") + pl.col("run_s")),
            cpus="nodes",
            limit_min=pl.col("limit_s") // 60,
            state=pl.lit("COMPLETED"),
        )
        drop.add(f"run_{number:02}", schedule)
    return folder


def test_two_executions_and_the_replays_of_them(tmp_path):
    """c starts when a has ended, at 600 s, in every dialect; in the second execution Slurm took 12 s for that."""
    folder = written(tmp_path / "drops" / "small", [(0, 0, 600), (0, 0, 612)])
    assert sorted(path.name for path in folder.iterdir()) == [
        "run_01.sacct.gz", "run_02.sacct.gz", "runs.csv", "slurm.conf", "trace.yaml", "workload.csv",
    ]  # fmt: skip
    assert gzip.decompress((folder / "run_02.sacct.gz").read_bytes()).decode().splitlines()[-1] == (
        "3|3|2024-01-01T00:01:40|2024-01-01T00:10:12|2024-01-01T00:11:12|1|2|2|COMPLETED"
    )
    table = compare.compared(compare.Executions(folder))

    def values(half, kind, setting, measure):
        of_part = (
            table.filter(half=half, kind=kind, setting=setting, measure=measure)
            if half
            else table.filter(kind=kind, setting=setting, measure=measure)
        )
        return of_part.select("mean", "mean_size", "least", "most").row(0)

    # The second half is job c alone; it waits for 500 s and for 512 s.
    assert values(2, "machine", "", "mean_wait_measured_s") == (506, 506, 500, 512)
    assert values(2, "noise", "", "start_error_median_s") == (12, 12, 12, 12)
    error = (12 / 500, -12 / 512)
    expected = (sum(error) / 2, (error[0] - error[1]) / 2, error[1], error[0])
    assert values(2, "noise", "", "mean_wait_error") == pytest.approx(expected, rel=1e-4)
    for setting in ("fcfs", "depth 1", "depth all kept"):
        assert values(2, "replay", setting, "start_error_median_s") == (6, 6, 0, 12)
    assert values(2, "replay", "depth 1, lag 3 s", "start_error_median_s") == (6, 6, 3, 9)
    assert values(None, "machine", "", "run_longer_s") == (0, 0, 0, 0)
    # All dialects put the jobs in the same order, so the first of the list is taken.
    assert compare.chosen(table) == "fcfs"
    rows = compare.against_noise(table, "fcfs")
    # One job has no pairs.
    assert dict(rows.select("measure", "within").iter_rows()) == {
        "mean_wait_error": True,
        "start_error_median_s": True,
        "start_error_p90_s": True,
        "wait_distance_s": True,
    }
    assert not compare.against_noise(
        table.with_columns(pl.col("mean_size") + (pl.col("kind") == "replay") * 9), "fcfs"
    )["within"].any()


def test_the_list_of_settings(tmp_path):
    """Depths 0, 1, 10, 50 and all, kept where that matters, with the passes of slurm.conf, and three lags."""
    result = compare.settings(machine.CONF)
    assert result["setting"].is_unique().all()
    assert result.height == 1 + 3 * (5 + 3 + 5)
    slurm = result.filter(setting="depth all, Slurm's passes, lag 3 s").row(0, named=True)
    assert {name: slurm[name] for name in slurm if name not in ("setting", "reservations")} == {
        "backfilling": "reserve", "reserve_depth": -1, "release_lag_s": 3.0, "backfill_interval_s": 30.0,
        "backfill_depth": 500, "backfill_resolution_s": 60.0, "backfill_window_s": 86400.0,
    }  # fmt: skip


def test_one_execution_has_no_noise(tmp_path):
    folder = written(tmp_path / "drops" / "small", [(0, 0, 600)])
    result = CliRunner().invoke(compare.app, [str(folder)])
    assert result.exit_code == 1
    assert "it has one execution; two or more show how far executions differ" in result.stderr

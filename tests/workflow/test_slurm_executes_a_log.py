"""Slurm itself executes jobs of a log under a faster clock, and what it did is a drop."""

import subprocess
import sys
import time

import polars as pl
import pytest

from pipeline.runtime.sources import ROOT
from pipeline.stages.ingest import ingest
from pipeline.statistics import fidelity
from validation.slurm import machine
from validation.slurm.compare import Executions

MISSING = machine.missing()
NODES = 32
MOST_LOOKS = 3000

pytestmark = [
    pytest.mark.slow,
    pytest.mark.exhaustive,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed, packages of Debian: {', '.join(MISSING)}"),
]


@pytest.fixture(scope="module")
def drop(tmp_path_factory):
    """100 jobs of LANL-CM5, two hours of Slurm's clock in two minutes, twice at once."""
    folder = tmp_path_factory.mktemp("executed") / "lanl_cm5"
    options = {"first": 1201, "jobs": 100, "node-scale": 32, "time-scale": 4, "speed": 60, "repetitions": 2}
    subprocess.run(
        [
            sys.executable, "-m", "validation.slurm", "traces/lanl_cm5", folder,
            *(f"--{name}={value}" for name, value in options.items()),
        ],
        cwd=ROOT, check=True,
    )  # fmt: skip
    return folder


def test_the_drop_is_read_without_rejected_rows(drop, tmp_path):
    summary = ingest(drop, tmp_path / "read")
    assert summary.code == 0
    assert summary.rows["rejected_rows"] == 0
    assert summary.rows["jobs"] == 200
    runs = pl.read_csv(drop / "runs.csv")
    assert runs.rows() == [("run_01", "lanl_cm5"), ("run_02", "lanl_cm5")]
    assert summary.traces["trace"].to_list() == ["lanl_cm5/run_01", "lanl_cm5/run_02"]
    assert summary.traces["nodes"].to_list() == [NODES, NODES]


def test_schedules(drop):
    """Every job ends once, none starts before it is submitted, and no more nodes are busy than there are."""
    executions = Executions(drop)
    for run in ("run_01", "run_02"):
        jobs = executions.of(run)
        assert jobs["job"].to_list() == list(range(1, 101))
        assert (jobs["nodes"] == executions.asked["nodes"]).all()
        assert (jobs["walltime_s"] == executions.asked["limit_s"]).all()
        assert (jobs["start_s"] >= jobs["submit_s"]).all()
        # A job sleeps as long as it was to run at least; Slurm writes whole seconds.
        ran_s = jobs["end_s"] - jobs["start_s"]
        assert (ran_s >= executions.asked.select(pl.min_horizontal("run_s", "limit_s")).to_series() - 1).all()
        taken = pl.concat([jobs.select("nodes", at="start_s"), jobs.select(-pl.col("nodes"), at="end_s")])
        busy = taken.group_by("at").agg(pl.col("nodes").sum()).sort("at")["nodes"].cum_sum()
        assert 0 < busy.max() <= NODES


def test_one_execution_beside_the_other(drop):
    executions = Executions(drop)
    other = executions.of("run_02").select("job", replayed_start_s="start_s")
    measures = fidelity.measures(executions.of("run_01").join(other, on="job"), NODES)
    assert measures["value"].is_finite().all()
    waits = measures.filter(pl.col("measure") == "mean_wait_measured_s")["value"][0]
    assert waits > 0


def test_whatever_happens_nothing_runs_on():
    """Also where it is interrupted while daemons and a job are there."""
    job = {"job": [1], "submit_s": [0], "nodes": [1], "run_s": [36000], "limit_s": [36000]}
    with pytest.raises(KeyboardInterrupt), machine.Execution(pl.DataFrame(job), 2, 60) as execution:
        for _ in range(MOST_LOOKS):
            names = [name_of(process) for process in execution.processes()]
            if "sleep" in names:
                break
            assert not execution.ended()
            time.sleep(0.1)
        assert {"slurmctld", "slurmd", "sleep"} <= set(names)
        raise KeyboardInterrupt
    assert execution.processes() == []
    assert execution.process.poll() is not None
    assert not execution.folder.exists()


def name_of(process):
    try:
        return (machine.PROCESSES / str(process) / "comm").read_text().strip()
    except OSError:
        return ""

"""How true textbook rules are to OAR on a real cluster: 19 executions of 800 jobs on 32 nodes of Grid'5000."""

import polars as pl
import pytest
import reference
from make import dialects

from pipeline.statistics import fidelity

pytestmark = [pytest.mark.real, pytest.mark.slow]

NODES = 32
INCIDENT_S = 500  # mean wait above which an execution is taken for an incident
BUSY_S, LIGHT_S = 100, 20  # mean wait above, below which it is busy, light
SETTINGS = ("fcfs", "easy", "conservative")


@pytest.fixture(scope="module")
def executions(trace_data):
    """{execution: its jobs}, by increasing mean wait."""
    log = pl.read_csv(trace_data / "validation" / "oar_grid5000.csv.gz")
    parts = log.sort("run", "submit_s", "job_id").partition_by("run", as_dict=True)
    jobs_by_run = {run: jobs for (run,), jobs in parts.items()}
    return dict(sorted(jobs_by_run.items(), key=lambda item: wait_s(item[1])))


def wait_s(jobs):
    return (jobs["start_s"] - jobs["submit_s"]).mean()


def replayed(jobs, setting):
    """The jobs with the starts that a dialect gives them."""
    columns = jobs.select(
        pl.col("job_id").cast(pl.String), "submit_s", "nodes", pl.col("end_s") - pl.col("start_s"), "walltime_s"
    )
    starts = reference.starts([reference.Job(*row) for row in columns.iter_rows()], NODES, dialects()[setting])
    return jobs.with_columns(replayed_start_s=pl.Series(list(starts.values())))


def measures(jobs, half=None):
    return dict(fidelity.measures(jobs, NODES, half).select("measure", "value").iter_rows())


def means(executions, measure, half=None):
    """Mean of a measure over executions by setting, in percent."""
    return {
        setting: 100 * sum(measures(replayed(jobs, setting), half)[measure] for jobs in executions) / len(executions)
        for setting in SETTINGS
    }


@pytest.fixture(scope="module")
def busy(executions):
    return [jobs for jobs in executions.values() if BUSY_S < wait_s(jobs) <= INCIDENT_S]


def test_executions(executions, busy):
    assert len(executions) == 19
    assert sum(wait_s(jobs) > INCIDENT_S for jobs in executions.values()) == 2
    assert [jobs["workload_seed"].unique().to_list() for jobs in busy] == [[6], [6]]


def test_mean_wait_of_the_second_half_of_busy_executions(busy):
    """What is reported is the second half."""
    result = means(busy, "mean_wait_error", 2)
    assert round(result["conservative"]) == -9
    assert round(result["easy"]) == -12
    assert result["fcfs"] == pytest.approx(445, abs=1)


def test_busy_executions_as_a_whole(busy):
    result = means(busy, "mean_wait_error")
    assert result == {
        "fcfs": pytest.approx(370, abs=1),
        "easy": pytest.approx(-7.5, abs=0.1),
        "conservative": pytest.approx(-5.5, abs=0.1),
    }
    pairs = means(busy, "discordant_pairs")
    assert pairs == {
        "fcfs": pytest.approx(0.72, abs=0.01),
        "easy": pytest.approx(0.43, abs=0.01),
        "conservative": pytest.approx(0.35, abs=0.01),
    }


def test_light_executions_wait_longer_by_what_launching_takes(executions):
    light = [replayed(jobs, "conservative") for jobs in executions.values() if wait_s(jobs) < LIGHT_S]
    assert len(light) == 9
    for jobs in light:
        result = measures(jobs)
        assert 2 <= result["mean_wait_measured_s"] - result["mean_wait_replayed_s"] <= 6


def test_the_machine_differs_from_itself_by_little_less_than_the_best_rule_from_it(busy):
    """Two executions of one workload, one beside the other; submissions differ by up to 3 s."""
    one, other = busy
    assert (one["submit_s"] - other["submit_s"]).abs().max() <= 3
    assert (one["nodes"] == other["nodes"]).all()
    noise = measures(one.with_columns(replayed_start_s=other["start_s"]))
    assert abs(noise["mean_wait_error"]) < 0.001
    assert 100 * noise["discordant_pairs"] == pytest.approx(0.29, abs=0.01)
    pairs = [measures(replayed(one, setting))["discordant_pairs"] for setting in ("conservative", "easy", "fcfs")]
    assert noise["discordant_pairs"] < pairs[0] < pairs[1] < pairs[2]

"""`reserve`: equal to EASY at depth 1, and to a slow reference at every depth with every parameter of the queue."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import polars as pl
import pytest
import reserve_slow as slow
from reserve_cases import DEPTHS, RESERVATIONS, assert_as_slow, cases, compiled

from pipeline.runtime.sources import ROOT
from pipeline.studies import hpc_memory


def test_depth_one_is_easy():
    drawn = cases(1, 1500, lambda rng: [{"backfilling": "reserve"}, {"backfilling": "easy"}])
    result = compiled(drawn)
    assert result[::2] == result[1::2]


@pytest.mark.parametrize("reservations", RESERVATIONS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_depth(depth, reservations):
    assert_as_slow(cases(2, 250, lambda rng: [{"reserve_depth": depth, "reservations": reservations}]))


def test_longer_queues():
    """Jobs that wait for one that overruns are promised times that pass."""
    rng = Random(8)
    drawn = []
    for _ in range(60):
        nodes = rng.randint(3, 12)
        jobs = [slow.Job(0, 0, 1, 1, 1)]
        for job_id in range(1, rng.randint(20, 40)):
            run = rng.randint(1, 20)
            limit = max(1, run + rng.choice((0, 1, 5, 20, -1, -8)))
            jobs.append(slow.Job(job_id, rng.randint(0, 60), rng.randint(1, nodes), run, limit))
        drawn += [(jobs, {"nodes": nodes, "reserve_depth": -1, "reservations": kind}) for kind in RESERVATIONS]
    assert_as_slow(drawn)


def slurm(rng):
    """Parameters of Slurm's backfill scheduler at random."""
    return {
        "reserve_depth": rng.choice(DEPTHS),
        "backfill_interval_s": rng.choice((0, 1, 3, 7)),
        "backfill_depth": rng.choice((-1, -1, 0, 1, 2, 5)),
        "backfill_resolution_s": rng.choice((0, 1, 2, 5)),
        "backfill_window_s": rng.choice((-1, -1, 0, 3, 10)),
    }


def lags(rng):
    """What it takes to launch and to clean up, and whether limits are kept, beside any depth."""
    return {
        "reserve_depth": rng.choice(DEPTHS),
        "reservations": rng.choice(RESERVATIONS),
        "launch_lag_s": rng.choice((0, 1, 2)),
        "release_lag_s": rng.choice((0, 1, 3)),
        "kill_at_limit": rng.random() < 0.5,
    }


@pytest.mark.parametrize("draw", [slurm, lags, lambda rng: lags(rng) | slurm(rng) | {"reservations": "recomputed"}])
def test_parameters(draw):
    assert_as_slow(cases(3, 1000, lambda rng: [draw(rng)]))


def test_each_parameter_changes_schedules():
    """Else the tests above could not tell whether it is read."""
    plain = {"reserve_depth": -1}
    changes = [
        {"reserve_depth": 0}, {"reserve_depth": 1}, {"reserve_depth": 2}, {"reservations": "kept"},
        {"backfill_interval_s": 3}, {"backfill_depth": 1}, {"backfill_resolution_s": 5}, {"backfill_window_s": 2},
        {"launch_lag_s": 1}, {"release_lag_s": 1}, {"kill_at_limit": True},
    ]  # fmt: skip
    drawn = cases(4, 100, lambda rng: [plain, *(plain | change for change in changes)])
    result = compiled(drawn)
    step = 1 + len(changes)
    for k, change in enumerate(changes, 1):
        assert result[::step] != result[k::step], change


def test_conservative_by_hand():
    """Four nodes, one job runs on two until 10. Job 1 takes four from 10 to 15, job 2 two from 15.

    Job 3 (two nodes, 12 s) would delay job 1, job 4 (two nodes, 9 s from 1 on) does not: only it passes.
    """
    jobs = [
        slow.Job(0, 0, 2, 10, 10), slow.Job(1, 0, 4, 5, 5), slow.Job(2, 0, 3, 4, 4), slow.Job(3, 0, 2, 12, 12),
        slow.Job(4, 1, 2, 9, 9),
    ]  # fmt: skip
    conservative = {0: (0, 10), 1: (10, 15), 2: (15, 19), 3: (19, 31), 4: (1, 10)}
    assert compiled([(jobs, {"nodes": 4, "reserve_depth": -1})]) == [conservative]


def test_first_fit_lets_the_large_job_wait():
    jobs = [slow.Job(0, 0, 3, 4, 4), slow.Job(1, 0, 4, 1, 1), *(slow.Job(k, k - 2, 1, 3, 3) for k in range(2, 8))]
    (first_fit,), (easy,) = (compiled([(jobs, {"nodes": 4, "reserve_depth": depth})]) for depth in (0, 1))
    assert easy[1][0] < first_fit[1][0] == max(end for job, (_, end) in first_fit.items() if job != 1)


def test_a_limit_ends_a_job_that_memory_slows():
    """No fast memory: 6 s of work take 12 s at half speed, but the limit is 7 s; half of those are useful work."""
    jobs = pl.DataFrame({"workload_id": "w", "job_id": [1, 2], "submit_s": [0.0, 20.0], "nodes": 1, "walltime_s": 7.0})
    phases = jobs.select("workload_id", "job_id", phase=pl.lit(0), duration_s=pl.lit(3.0), memory_gb=pl.lit(1.0))
    phases = pl.concat([phases, phases.with_columns(phase=pl.lit(1))]).sort("job_id", "phase")
    scenario = {"scenario_id": "s", "workload_id": "w", "scheduler": "priority", "nodes": 1, "memory_gb": 0.0}
    scenario |= {"alpha": 0.5, "backfilling": "reserve", "kill_at_limit": True}
    result = hpc_memory.replay({"jobs": jobs, "phases": phases}, pl.DataFrame([scenario]))
    assert result["outcomes"]["end_s"].to_list() == [7.0, 27.0]
    (utilisation,) = result["metrics"].filter(pl.col("metric") == "utilisation")["value"]
    assert utilisation == pytest.approx(3.5 / 20)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"reserve_depth": -2}, "reserve_depth is -2 in row 1; it must be at least -1 and finite"),
        ({"reserve_depth": 1.5}, "reserve_depth is 1.5 in row 1; it must be a whole number"),
        ({"launch_lag_s": -1}, "launch_lag_s is -1.* at least 0"),
        ({"reservations": "keep"}, "unknown reservations 'keep'; known: kept, recomputed"),
        ({"backfilling": "easy", "reserve_depth": 3}, "scenario '0': reserve_depth is 3; it is a parameter of backfil"),
        ({"reservations": "kept", "backfill_interval_s": 30}, "'0': backfill_interval_s is 30.0; it is read where"),
    ],
)
def test_refused(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        compiled([([slow.Job(0, 0, 1, 1, 1)], {"nodes": 1} | columns)])


PASSES = """\
import sys
sys.path.insert(0, {folder!r})
import reserve_slow as slow
from reserve_cases import compiled
from pipeline.simulation import reserve

passes, schedule = [], reserve.schedule
def counted(*given):
    passes.append(given[3])
    assert len(passes) < 1000
    return schedule(*given)
reserve.schedule = counted
jobs = [slow.Job(0, 0, 1, 1020, 1), slow.Job(1, 1, 1, 20, 1e-9), slow.Job(2, 2, 2, 1, 1), slow.Job(3, 2, 3, 1e-6, 1e9)]
columns = dict(nodes=3, reserve_depth=-1, reservations="kept", release_lag_s=3.0)
print(compiled([(jobs, columns)])[0], len(passes))
"""


def test_there_are_no_more_passes_than_events():
    """Two jobs overrun, and each promise that they break made the next one a microsecond later."""
    code = PASSES.format(folder=str(Path(__file__).parent))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    schedule, passes = done.stdout.rsplit(maxsplit=1)
    starts = [start for start, _ in ast.literal_eval(schedule).values()]
    assert starts == pytest.approx([0, 1, 24, 1023])
    # Each job is submitted, starts, ends and gives its nodes back.
    assert int(passes) <= 4 * len(starts)

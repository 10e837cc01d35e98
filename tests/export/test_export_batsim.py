"""Jobs in Batsim's columns: they say what the replay did, and no node is in two jobs at once."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipeline.export import export
from pipeline.studies.hpc_memory.exports import _schedule, batsim

# The columns that evalys' documentation lists, and the state that Batsim adds.
COLUMNS = ["job_id", "workload_name", "submission_time", "requested_number_of_resources", "requested_time", "success",
           "final_state", "starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time",
           "stretch", "allocated_resources"]  # fmt: skip
EVALYS = ["evalys==4.0.7", "pandas==3.1.1", "matplotlib==3.11.2", "numpy==2.4.6", "seaborn==0.13.2", "procset==1.0"]


def nodes_of(ranges: str) -> set[int]:
    bounds = [tuple(map(int, part.split("-"))) for part in ranges.split()]
    return {node for part in bounds for node in range(part[0], part[-1] + 1)}


@pytest.fixture(scope="module")
def written(source, scenario, tmp_path_factory):
    path = tmp_path_factory.mktemp("batsim") / "jobs.csv"
    export("batsim", source, scenario("hpc_memory", "scheduler = 'priority' AND memory_per_node_gb = 105"), path)
    return path


@pytest.fixture(scope="module")
def jobs(written):
    return pl.read_csv(written, schema_overrides={"job_id": pl.String, "allocated_resources": pl.String})


def test_the_columns_are_batsims_and_agree_with_each_other(jobs):
    assert jobs.columns == COLUMNS
    assert len(jobs) == 60
    close = {
        "execution_time": pl.col("finish_time") - pl.col("starting_time"),
        "waiting_time": pl.col("starting_time") - pl.col("submission_time"),
        "turnaround_time": pl.col("waiting_time") + pl.col("execution_time"),
        "stretch": pl.col("turnaround_time") / pl.col("execution_time"),
    }
    for name, meant in close.items():
        assert np.allclose(jobs[name], jobs.select(meant).to_series(), rtol=1e-9, atol=1e-6), name
    assert jobs["stretch"].min() >= 1
    assert set(jobs["final_state"]) == {"COMPLETED_SUCCESSFULLY"}


def test_jobs_that_overlap_in_time_share_no_node_and_have_as_many_as_they_asked_for(jobs):
    rows = [(row["starting_time"], row["finish_time"], nodes_of(row["allocated_resources"])) for row in jobs.to_dicts()]
    for row, (_, _, nodes) in zip(jobs.to_dicts(), rows, strict=True):
        assert len(nodes) == row["requested_number_of_resources"]
        assert 0 <= min(nodes) <= max(nodes) < 54
    for i, (start, end, nodes) in enumerate(rows):
        for other_start, other_end, others in rows[:i]:
            together_s = min(end, other_end) - max(start, other_start)
            assert together_s <= 1e-6 or not nodes & others


@pytest.mark.parametrize("seed", range(20))
def test_nodes_are_the_lowest_free_ones_in_the_order_of_the_starts(seed):
    rng = np.random.default_rng(seed)
    machine, taken, rows = 12, [], []
    for number in range(60):
        start = number * 1.0
        free = machine - sum(size for end, size in taken if end > start)
        if free:
            size, end = int(rng.integers(1, free + 1)), start + float(rng.integers(1, 9))
            taken.append((end, size))
            rows.append({"job_id": f"{number:02d}", "nodes": size, "start_s": start, "end_s": end})
    frame = pl.DataFrame(rows)
    nodes_by_job = dict(zip(frame["job_id"], map(nodes_of, _schedule.first_fit(frame, machine)), strict=True))
    busy: dict[int, float] = {}
    for row in rows:
        free = [node for node in range(machine) if busy.get(node, 0.0) <= row["start_s"]]
        assert nodes_by_job[row["job_id"]] == set(free[: row["nodes"]])
        busy |= dict.fromkeys(free[: row["nodes"]], row["end_s"])
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    again = dict(zip(shuffled["job_id"], map(nodes_of, _schedule.first_fit(shuffled, machine)), strict=True))
    assert again == nodes_by_job


def test_ranges_are_written_short_and_a_job_that_did_not_run_has_none():
    frame = pl.DataFrame(
        {"job_id": ["a", "b", "c", "d"], "submit_s": [0.0] * 4, "nodes": [1, 1, 3, 9], "walltime_s": [None] * 4,
         "start_s": [0.0, 0.0, 1.0, None], "end_s": [5.0, 1.0, 2.0, None]},
        schema_overrides={"walltime_s": pl.Float64},
    )  # fmt: skip
    table = batsim.table(frame, "w", 4)
    assert table["allocated_resources"].to_list() == ["0", "1", "1-3", ""]
    assert table["success"].to_list() == [1, 1, 1, 0]
    assert table["final_state"][3] == "REJECTED"
    assert table.row(3, named=True)["waiting_time"] is None


def test_a_machine_that_is_too_small_is_a_sentence():
    frame = pl.DataFrame({"job_id": ["a", "b"], "nodes": [2, 2], "start_s": [0.0, 1.0], "end_s": [5.0, 6.0]})
    with pytest.raises(ValueError, match="job b starts on 2 nodes at 1 s, when fewer of 3 are free"):
        _schedule.first_fit(frame, 3)


@pytest.mark.peers
def test_evalys_draws_the_schedule(written, jobs, peer, tmp_path):
    driver = Path(__file__).with_name("evalys_driver.py")
    picture = tmp_path / "gantt.png"
    seen = json.loads(peer("evalys", EVALYS, driver, written, picture))
    assert seen["jobs"] == 60
    assert seen["resources"] == 54
    assert seen["allocated"] == jobs["requested_number_of_resources"].to_list()
    # A rectangle for each range of nodes of a job.
    assert seen["boxes"] == sum(len(ranges.split()) for ranges in jobs["allocated_resources"])
    assert seen["over_s"] < 1e-3
    held = (jobs["execution_time"] * jobs["requested_number_of_resources"]).sum()
    assert seen["area"] == pytest.approx(held, rel=1e-6)
    assert picture.read_bytes().startswith(b"\x89PNG")

"""Measures without the warm-up, and their parts by span, against the timeline and the outcomes of the same replay."""

from random import Random

import polars as pl
import pytest
from hpc_memory_cases import SCHEDULERS, random_scenario, random_workload, scenario_table, tables

from pipeline.studies import hpc_memory

SPANS = 7


def replayed(scheduler, seed):
    rng = Random(f"{scheduler} {seed}")
    nodes = rng.randint(2, 8)
    jobs = [job for job in random_workload(rng, nodes, dyadic=seed % 2 == 0, most_jobs=16) if job.nodes <= nodes]
    scenario = random_scenario(rng, nodes, scheduler, dyadic=seed % 2 == 0)
    table = scenario_table({"s": ("w", scenario)}).with_columns(spans=pl.lit(SPANS), timeline=pl.lit(True))
    return jobs, scenario, hpc_memory.replay(tables({"w": jobs}), table)


def useful_between(timeline, nodes_of, begin, end):
    """Useful node-seconds in [begin, end), from the speeds that the timeline notes."""
    total = 0.0
    for (job,), rows in timeline.sort("time_s", maintain_order=True).group_by("job_id", maintain_order=True):
        times, speeds = rows["time_s"].to_list(), rows["speed"].to_list()
        for start, stop, speed in zip(times, times[1:], speeds, strict=False):
            total += nodes_of[job] * speed * max(0.0, min(stop, end) - max(start, begin))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_spans_are_what_timeline_and_outcomes_say(scheduler):
    looked_at = 0
    for seed in range(40):
        jobs, scenario, result = replayed(scheduler, seed)
        first, last = (of(job.submit for job in jobs) for of in (min, max)) if jobs else (0, 0)
        if first == last:
            assert result["spans"].is_empty()
            continue
        warm, spans = first + 0.1 * (last - first), result["spans"]
        length = (last - warm) / SPANS
        nodes_of = {job.job_id: job.nodes for job in jobs}
        ran = {row["job_id"]: row for row in result["outcomes"].iter_rows(named=True)}
        late = [job for job in jobs if job.submit >= warm]
        assert spans["span"].to_list() == list(range(SPANS))
        assert spans["jobs"].sum() == len(late)
        for row in spans.iter_rows(named=True):
            begin = warm + row["span"] * length
            assert row["node_s"] == pytest.approx(scenario.nodes * length)
            useful = useful_between(result["timeline"], nodes_of, begin, begin + length)
            assert row["useful_node_s"] == pytest.approx(useful, rel=1e-6, abs=1e-4)
        response = {job.job_id: ran[job.job_id]["end_s"] - job.submit for job in late}
        slowdown = [max(1, response[j.job_id] / max(10, sum(d for d, _ in j.phases))) for j in late]
        assert spans["response_s"].sum() == pytest.approx(sum(response.values()))
        assert spans["wait_s"].sum() == pytest.approx(sum(ran[j.job_id]["start_s"] - j.submit for j in late))
        assert spans["slowdown"].sum() == pytest.approx(sum(slowdown))
        measures = dict(result["metrics"].select("metric", "value").iter_rows())
        assert measures["steady_utilisation"] == pytest.approx(spans["useful_node_s"].sum() / spans["node_s"].sum())
        assert measures["steady_response_s"] == pytest.approx(sum(response.values()) / len(late))
        looked_at += 1
    assert looked_at > 20


def test_the_cut_into_spans_changes_nothing_else():
    for scheduler in SCHEDULERS:
        jobs, scenario, result = replayed(scheduler, 1)
        plain = hpc_memory.replay(tables({"w": jobs}), scenario_table({"s": ("w", scenario)}))
        assert plain["outcomes"].equals(result["outcomes"])
        for metric, value in plain["metrics"].select("metric", "value").iter_rows():
            (other,) = result["metrics"].filter(pl.col("metric") == metric)["value"]
            assert value == other or value == pytest.approx(other, rel=1e-9)


def test_jobs_submitted_together_start_in_the_order_of_the_log_or_of_the_numbers_in_their_ids():
    """One node: whoever is first in the order starts first. Ids as text would give 10, 100, 11, 9."""

    def order(**columns):
        ids = columns.pop("ids")
        jobs = pl.DataFrame({"workload_id": "w", "job_id": ids, "submit_s": 0.0, "nodes": 1, **columns})
        phases = jobs.select("workload_id", "job_id", phase=0, duration_s=5.0, memory_gb=0.0)
        scenario = pl.DataFrame(
            {"scenario_id": ["s"], "scheduler": "unlimited", "seed": 0, "workload_id": "w", "nodes": 1}
        )
        result = hpc_memory.replay({"jobs": jobs, "phases": phases}, scenario)
        return result["outcomes"].sort("start_s")["job_id"].to_list()

    assert order(ids=["100", "9", "11", "10"]) == ["9", "10", "11", "100"]
    assert order(ids=["7_10", "7_2", "7_1", "10_1"]) == ["7_1", "7_2", "7_10", "10_1"]
    assert order(ids=["job12", "job9", "a", "job9b"]) == ["a", "job9", "job9b", "job12"]
    assert order(ids=["100", "9", "11"], position=[0, 1, 2]) == ["100", "9", "11"]
    assert order(ids=["100", "9", "11"], position=[None, None, 0]) == ["11", "9", "100"]

"""Slices of a Multi-Instance GPU: what counts as fitting is what an A100 offers."""

from itertools import combinations_with_replacement, pairwise
from random import Random

import polars as pl
import pytest
from gpu_partition_cases import metrics_of, random_options, random_tasks, scenario_table, task_table

from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import model

# Slices of memory of the eight there are, and where the first of them may be: as `nvidia-smi mig -lgipp` lists them.
PLACEMENTS = {1: (1, range(7)), 2: (2, (0, 2, 4)), 3: (4, (0, 4)), 4: (4, (0,)), 7: (8, (0,))}


def placed(slices, free=frozenset(range(8))):
    """Whether an A100 has all these slices beside each other, by trying each placement."""
    if not slices:
        return True
    length, starts = PLACEMENTS[slices[0]]
    wanted = (frozenset(range(start, start + length)) for start in starts)
    return any(placed(slices[1:], free - place) for place in wanted if place <= free)


def several():
    return (slices for n in range(1, 9) for slices in combinations_with_replacement(model.MIG_SLICES, n))


def takes(slices):
    return sum(int(model.MIG_TAKES[model.MIG_SLICES.index(s)]) for s in slices)


def test_slices_fit_where_an_a100_has_room_for_them():
    of_seven = [slices for slices in several() if sum(slices) <= 7]
    assert {slices for slices in of_seven if not placed(slices)} == {(1, 3, 3)}
    for slices in several():
        # Eight of one seventh would have memory, but there are seven of the compute slices.
        offered = sum(slices) <= 7 and placed(slices)
        assert (takes(slices) <= model.MIG_OFFERS) == offered, slices


def test_fewer_sevenths_always_take_less():
    by_total = {}
    for n in range(1, 7):
        for slices in combinations_with_replacement(model.MIG_SLICES, n):
            by_total.setdefault(sum(slices), []).append(takes(slices))
    totals = sorted(by_total)
    assert all(max(by_total[a]) < min(by_total[b]) for a, b in pairwise(totals))


@pytest.mark.parametrize("scheduler", ["sms", "bf", "local_search", "optimal"])
def test_partitions_are_accepted_where_an_a100_offers_them(scheduler):
    rng = Random(3)
    sets = {f"s{k:03d}": random_tasks(rng, rng.randint(3, 7), rng.uniform(15, 60)) for k in range(300)}
    rows = [
        {"scenario_id": name, "taskset_id": name, "scheduler": scheduler, "sizes": "mig", "sms": 98} for name in sets
    ]
    result = gpu_partition.replay({"tasks": task_table(sets)}, pl.DataFrame(rows))
    metrics = metrics_of(result)
    whole, refused = 0, 0
    for (name,), task_rows in result["outcomes"].drop_nulls("partition").group_by("scenario_id"):
        slices = tuple(task_rows.unique("partition")["partition_sms"] // 14)
        offered = sum(slices) <= 7 and placed(slices)
        assert metrics[name]["schedulable"] == offered
        whole += offered and sum(slices) == 7
        refused += sum(slices) == 7 and not offered
    assert whole > 5
    if scheduler == "sms":
        assert refused > 0
    if scheduler == "optimal":
        # It has a set of slices beside each other wherever there is one, so it is left with 3 + 3 + 1 only without.
        accepted = {name: values["schedulable"] for name, values in metrics.items()}
        others = metrics_of(
            gpu_partition.replay({"tasks": task_table(sets)}, pl.DataFrame(rows).with_columns(scheduler=pl.lit("sms")))
        )
        assert all(accepted[name] >= others[name]["schedulable"] for name in accepted)


def test_mig_slices_are_sevenths_and_all_kernels_compute():
    sets = {"s": random_tasks(Random(1), 6, 12.0)}
    options = {"scheduler": "sms", "taskset_id": "s", "sizes": "mig", "sms": 98}
    result = gpu_partition.replay(
        {"tasks": task_table(sets)}, pl.DataFrame([{"scenario_id": "x"} | options | {"stop": "exhaust"}])
    )
    outcomes = result["outcomes"]
    assert set(outcomes["partition_sms"]) <= {14, 28, 42, 56, 98}
    several = outcomes.filter(pl.len().over("partition") > 1)
    assert several["conflict"].all()
    work = {f"t{t.number:03d}": t.work for t in sets["s"]}
    for row in outcomes.iter_rows(named=True):
        k = 1.2 if row["conflict"] else 1.0
        assert row["execution_time"] == pytest.approx(k * 1.02 * work[row["task_id"]] / row["partition_sms"])


@pytest.mark.parametrize("scheduler", gpu_partition.schedulers())
def test_the_sms_of_the_partitions_are_what_is_needed(scheduler):
    rng = Random(6)
    sets = {f"s{k}": random_tasks(rng, rng.randint(1, 10), rng.uniform(1, 16)) for k in range(40)}
    rows = {s: (s, random_options(rng, scheduler=scheduler)) for s in sets}
    result = gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows))
    placed = result["outcomes"].drop_nulls("partition").group_by("scenario_id", "partition")
    sizes = placed.agg(pl.col("partition_sms").first(), sizes=pl.col("partition_sms").n_unique())
    assert sizes["sizes"].max() == 1
    totals = dict(sizes.group_by("scenario_id").agg(pl.col("partition_sms").sum()).iter_rows())
    metrics = metrics_of(result)
    assert len(totals) > 10
    assert all(metrics[name]["sms_needed"] == total for name, total in totals.items())

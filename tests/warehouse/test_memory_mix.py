"""The cheapest mix of local memory and pool: macro and views against a computation from the files of spans."""

import math
from itertools import pairwise

import polars as pl
import pytest

from pipeline.studies.memory_tiers import figures

LOCAL_USD, POOL_USD = 7.8125, 11.72
RESPONSE_BOUND = 0.1


@pytest.fixture(scope="module")
def machines(small_results):
    """Per family and scheduler: {(local, pool): (loss, growth of the response, price)}."""
    folder = small_results / "scenarios" / "memory_tiers"
    scenarios = pl.concat(pl.read_parquet(p) for p in folder.rglob("scenarios.parquet"))
    workloads = pl.concat(pl.read_parquet(p) for p in folder.rglob("workloads.parquet"))
    spans = pl.concat(pl.read_parquet(p) for p in (small_results / "replay" / "memory_tiers").rglob("spans.parquet"))
    rows = scenarios.join(workloads.select("workload_id", "family"), on="workload_id").join(spans, on="scenario_id")
    sums: dict = {}
    for row in rows.filter(pl.col("scheduler") != "all_local").iter_rows(named=True):
        places = sums.setdefault((row["family"], row["scheduler"]), {})
        place = places.setdefault((row["local_per_node_gb"], row["pool_per_node_gb"]), [])
        columns = ("useful_node_s", "local_useful_node_s", "response_s", "local_response_s")
        place.append([*(row[name] for name in columns), row["nodes"]])
    growths = {}
    for key, of in sums.items():
        for (local, pool), values in of.items():
            useful, base, response, base_response = (math.fsum(v[i] for v in values) for i in range(4))
            usd = values[0][4] * (local * LOCAL_USD + pool * POOL_USD)
            growth = response / base_response - 1 if base_response else math.nan
            growths.setdefault(key, {})[local, pool] = (1 - useful / base, growth, usd)
    return growths


def brute_force(tried, loss_bound):
    """The cheapest machine that keeps both bounds with all machines of no less of either memory."""

    def keeps(machine):
        loss, growth, _ = tried[machine]
        return loss <= loss_bound and growth <= RESPONSE_BOUND

    enough = [m for m in tried if all(keeps(o) for o in tried if o[0] >= m[0] and o[1] >= m[1])]
    return min(enough, key=lambda m: (tried[m][2], tried[m][0]), default=None)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [0.005, 0.02, 0.3])
def test_the_mix_is_the_cheapest_machine_that_is_enough(ask, machines, bound):
    rows = ask(f"FROM memory_mix_at([{bound}], {RESPONSE_BOUND})").to_dicts()
    assert {(row["workload"], row["scheduler"]) for row in rows} == set(machines)
    answered = 0
    for row in rows:
        tried = machines[row["workload"], row["scheduler"]]
        expected = brute_force(tried, bound)
        assert row["tried"] == len(tried)
        if expected is None:
            assert row["usd"] is None and row["place"] is None
            continue
        answered += 1
        assert (row["local_per_node_gb"], row["pool_per_node_gb"]) == pytest.approx(expected)
        assert row["usd"] == pytest.approx(tried[expected][2]) and row["loss"] == pytest.approx(tried[expected][0])
    assert answered >= 3


@pytest.mark.slow
def test_places_are_by_price_and_leave_out_exact_requests(ask):
    rows = ask("FROM memory_mix_for_loss WHERE usd IS NOT NULL ORDER BY workload, loss_bound, usd").to_dicts()
    assert all((row["place"] is None) == (row["scheduler"] == "static_used") for row in rows)
    placed = [row for row in rows if row["place"] is not None]
    for one, other in pairwise(placed):
        if (one["workload"], one["loss_bound"]) == (other["workload"], other["loss_bound"]):
            assert other["place"] > one["place"] or other["usd"] == one["usd"]
    assert {row["place"] for row in placed} >= {1, 2}


@pytest.mark.slow
def test_its_figures_are_drawn(connection):
    connection.execute("SET threads = 1")  # as the page does: sums of several threads vary
    for name in ("cost_against_loss", "local_and_pool"):
        figure = getattr(figures, f"fig_{name}")(connection)
        figure.chart.to_dict(validate=True)
        assert len(figure.frame)


@pytest.mark.slow
def test_an_answer_leads_down_to_its_scenarios(ask):
    """As docs/guides/capacity.md goes down: the machine's scenarios, and the sums of their spans."""
    row = ask("FROM memory_mix_for_loss WHERE place = 1 LIMIT 1").row(0, named=True)
    rows = ask(
        f"""
        SELECT 1 - sum(useful_node_s) / sum(local_useful_node_s) AS loss, count(DISTINCT scenario_id) AS scenarios
        FROM span_memory_tiers JOIN scenario USING (scenario_id) JOIN workload_memory_tiers USING (workload_id)
        WHERE family = '{row["workload"]}' AND scheduler = '{row["scheduler"]}'
            AND local_per_node_gb = {row["local_per_node_gb"]!r} AND pool_per_node_gb = {row["pool_per_node_gb"]!r}
        """
    ).row(0, named=True)
    assert rows["scenarios"] >= 1 and rows["loss"] == pytest.approx(row["loss"])

"""Contract cases of pim_ranks."""

from fractions import Fraction
from random import Random

import polars as pl
from contracts import Contract
from pim_ranks_cases import VIRTUAL, random_jobs, random_scenario, random_world, scenario_table, tables
from pim_ranks_slow import Job, Scenario, Stage, World

RANKS = 7
ALONE = World(
    {"A": [Fraction(8), Fraction(5), Fraction(3), Fraction(4)]},
    {"A": 3},
    {"A": [Stage("kernel", Fraction(0), Fraction(1), Fraction(7), Fraction(1))]},
    {"A": 3},
)


class Case(Contract):
    each = ("queue", "job_id")
    needed = ("overhead",)  # null is a scheduler's own
    ids = ("job_id", "app")
    instants = {"queue": ("arrival_s",)}
    durations = {
        "queue": ("arrival_s",),
        "perf_tables": ("time_s",),
        "stages": ("time_s", "input_s", "kernel_s", "output_s", "serial_s"),
    }
    result_instants = result_durations = ("start_s", "end_s", "freed_s")
    placed = "start_s"
    reasons = ("larger_than_machine",)
    order = ("arrival_s", "start_s", "freed_s", "end_s")
    empty_is_known = True

    def case(self, scheduler, seed):
        rng = Random(seed)
        most = 3 if scheduler == "optimal" else 16
        world = random_world(Random(0), RANKS, dyadic=True)
        queues = {f"{scheduler} {k:02d}": random_jobs(rng, dyadic=True, most=most) for k in range(10)}
        rows = {f"{w} s": (w, random_scenario(rng, scheduler, RANKS)) for w in queues}
        objective = pl.Series(["makespan", "att"] * 5)
        return tables(world, queues), scenario_table(rows).with_columns(objective=objective)

    def required(self, scheduler):
        queue = {"queue": ("workload_id", "job_id", "app", "arrival_s")}
        if scheduler in VIRTUAL:
            return queue | {
                "stages": ("app", "stage", "kind"),
                "requests": ("app", "ranks"),
            }
        return queue | {"perf_tables": ("app", "ranks", "time_s"), "best_ranks": ("app", "best_ranks")}

    def single(self, scheduler):
        """On its best ranks, or all; the whole job is one stage."""
        ranks, time_s = (4, 4) if scheduler == "se_full" else (3, 3)
        inputs = tables(ALONE, {"w": [Job(7, "A", Fraction(5, 2))]})
        row = scenario_table({"s": ("w", Scenario(scheduler, 4))})
        outcome = {"job_id": 7, "ranks": ranks, "start_s": 2.5, "end_s": 2.5 + time_s, "freed_s": 2.5 + time_s}
        return inputs, row, outcome, {"makespan_s": time_s, "att_s": time_s}

    def held(self, inputs, scenarios, result):
        """Ranks, but of programs whose units start and end at different times; and their share of the time."""
        runs = result["outcomes"].drop_nulls("start_s").join(scenarios.drop("ranks"), on="scenario_id")
        runs = runs.filter(~pl.col("scheduler").is_in(["virtual_pim_fine", "virtual_pim_coop"]))
        yield runs.select("scenario_id", start="start_s", end="freed_s", amount="ranks", limit=pl.lit(RANKS))
        share = result["metrics"].filter(metric="rank_utilisation").drop_nulls()
        yield share.select("scenario_id", start=0.0, end=1.0, amount="value", limit=1.0)

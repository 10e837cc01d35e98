"""Contract cases of gpu_sharing."""

from random import Random

import polars as pl
from contracts import Contract
from gpu_sharing_cases import random_curves, scenario_table, tables

from pipeline.studies.gpu_sharing import STUDY
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS, takes_slices

APPS = pl.DataFrame({"app": list("ABCD"), "pressure": [1.0, 2.0, 0.5, 0.0], "block_cycles": [25000.0, 1e4, 5e4, 2e4]})
SMS = 30


class Case(Contract):
    workload = "mix_id"
    each = ("mixes", "slot")
    tables = {"sm_curves": ("app", "sms", "ipc"), "mixes": ("mix_id", "slot", "app")}
    ids = ("app",)
    whole_ids = ("slot",)
    optional = {"apps": {"pressure": 1.0, "block_cycles": 25000.0}}
    durations = {"sm_curves": ("ipc",)}
    result_durations = ("throughput",)
    powers = {"total_throughput": 1, "restarted_work": 1}
    placed = "sms"

    def case(self, scheduler, seed):
        rng = Random(seed)
        mixes = {f"{scheduler} {k:02d}": rng.choices("ABCD", k=1 + k % 4) for k in range(8)}
        rows = {}
        for k, (mix, apps) in enumerate(mixes.items()):
            options = {name: rng.choice(each.words) for name, each in STUDY.parameters.items() if each.words}
            options |= {
                "gamma": rng.choice([0.0, 0.25]),
                "midpoint": rng.random() < 0.5,
                "qos_level": 80 + k % 3 * 10.0,
            }
            sms, takes = rng.choice([13, SMS]), takes_slices(SCHEDULERS[scheduler])
            # Of slices a target is of an application alone.
            if not takes or (len(apps) > 1 and SCHEDULERS[scheduler].FAMILY.question == "qos"):
                options["sizes"] = "any"
            options |= {"qos_slots": rng.sample(range(len(apps)), rng.randint(1, min(2, len(apps)))), "map_seed": k % 3}
            rows[f"{mix} s"] = {
                "scheduler": scheduler,
                "mix_id": mix,
                "sms": 28 if options["sizes"] == "mig" else sms,
                **options,
            }
        inputs = tables(random_curves(Random(0), SMS, "ABCD"), mixes) | {"apps": APPS}
        return inputs, scenario_table(rows).with_columns(idle_w=2.0, gated_w=3.0)

    def single(self, scheduler):
        """All SMs, or half of them: its target is half of what it has on all."""
        sms = 15 if SCHEDULERS[scheduler].FAMILY.question == "qos" else SMS
        row = {"scheduler": scheduler, "mix_id": "m", "sms": SMS, "clocking": "global"}
        inputs = tables({"A": {n: 2 * n for n in range(1, SMS + 1)}}, {"m": ["A"]})
        return inputs, scenario_table({"s": row}), {"slot": 0, "sms": sms, "throughput": 2 * sms}, {"unfairness_sms": 0}

    def held(self, inputs, scenarios, result):
        """SMs of the outcomes and of each round; in turns, those of a share of the time."""
        limit = scenarios.select("scenario_id", "scheduler", limit="sms")
        shared = pl.when(scheduler="cooperative").then(pl.len().over("scenario_id")).otherwise(1)
        rows = result["outcomes"].join(limit, on="scenario_id")
        yield rows.select("scenario_id", start=0.0, end=1.0, amount=pl.col("sms") / shared, limit="limit")
        rounds = result["rounds"].join(limit, on="scenario_id").with_columns(pl.col("round").cast(pl.Float64))
        if SCHEDULERS[scenarios["scheduler"][0]].FAMILY.name in ("dynamic", "qos_rounds"):
            yield rounds.select("scenario_id", start="round", end=pl.col("round") + 1, amount="sms", limit="limit")

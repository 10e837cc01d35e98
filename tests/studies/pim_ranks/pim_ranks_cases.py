"""Cases of the slow reference as tables for the compiled replay, and random cases for both."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import polars as pl
from pim_ranks_slow import Job, Scenario, Stage, World

from pipeline.studies import pim_ranks

RIGID = ("se_full", "se_opt", "sm_opt_fcfs", "sm_opt_ooo", "pim_care", "care_floor")
VIRTUAL = ("virtual_pim_coarse", "virtual_pim_fine", "virtual_pim_coop")
APPS = ("A", "B", "C", "D", "E")


def tables(world: World, queues: dict[str, list[Job]]) -> dict[str, pl.DataFrame]:
    """Input tables of the compiled replay."""
    perf = [(app, r, float(t)) for app, times in world.times.items() for r, t in enumerate(times, 1)]
    jobs = [(w, job.job_id, job.app, float(job.arrival)) for w, queue in queues.items() for job in queue]
    number = {"time_s": pl.Float64}
    inputs = {
        "perf_tables": pl.DataFrame(perf, schema={"app": pl.String, "ranks": pl.Int64} | number, orient="row"),
        "best_ranks": pl.DataFrame(
            list(world.best.items()), schema={"app": pl.String, "best_ranks": pl.Int64}, orient="row"
        ),
        "queue": pl.DataFrame(
            jobs,
            schema={"workload_id": pl.String, "job_id": pl.Int64, "app": pl.String, "arrival_s": pl.Float64},
            orient="row",
        ),
    }
    if world.predicted is not None:
        seen = [(app, r, float(t)) for app, times in world.predicted.items() for r, t in enumerate(times, 1)]
        inputs["predicted_perf_tables"] = pl.DataFrame(seen, schema=inputs["perf_tables"].schema, orient="row")
    if world.stages:
        rows = []
        for app, stages in world.stages.items():
            for place, s in enumerate(stages):
                kernel = (float(s.input), float(s.kernel), float(s.output), float(s.serial))
                own = (None, *kernel) if s.kind == "kernel" else (float(s.time), *[None] * 4)
                rows.append((app, place, s.kind, *own))
        names = ("time_s", "input_s", "kernel_s", "output_s", "serial_s")
        schema = {"app": pl.String, "stage": pl.Int64, "kind": pl.String} | dict.fromkeys(names, pl.Float64)
        inputs["stages"] = pl.DataFrame(rows, schema=schema, orient="row")
        inputs["requests"] = pl.DataFrame(
            list(world.requests.items()), schema={"app": pl.String, "ranks": pl.Int64}, orient="row"
        )
    return inputs


def scenario_table(scenarios: dict[str, tuple[str, Scenario]]) -> pl.DataFrame:
    """Scenario rows {scenario_id: (workload_id, Scenario)}, every option given."""
    schema = {
        "scenario_id": pl.String,
        "workload_id": pl.String,
        "seed": pl.Int64,
        "scheduler": pl.String,
        "ranks": pl.Int64,
        "window": pl.Int64,
        "ooo_window": pl.Int64,
        "perf_at": pl.String,
        "overhead": pl.Float64,
        "coop_limit": pl.Float64,
    }
    rows = [
        (key, w, 0, s.scheduler, s.ranks, s.window, s.ooo_window, s.perf_at, float(s.overhead), float(s.coop_limit))
        for key, (w, s) in scenarios.items()
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def compiled(world: World, cases: list[tuple[list[Job], Scenario]]) -> list[tuple[dict, dict]]:
    """Of each case its runs {job_id: (ranks, start, end, freed)} and metrics, from one call, without rejected jobs."""
    queues = {f"w{k}": jobs for k, (jobs, _) in enumerate(cases)}
    scenarios = {f"s{k}": (f"w{k}", scenario) for k, (_, scenario) in enumerate(cases)}
    result = pim_ranks.replay(tables(world, queues), scenario_table(scenarios))
    case_results: list[tuple[dict, dict]] = [({}, {}) for _ in cases]
    columns = ("scenario_id", "job_id", "ranks", "start_s", "end_s", "freed_s")
    for key, job_id, *run in result["outcomes"].select(columns).iter_rows():
        if run[0] is not None:
            case_results[int(key[1:])][0][job_id] = tuple(run)
    for key, metric, value in result["metrics"].select("scenario_id", "metric", "value").iter_rows():
        case_results[int(key[1:])][1][metric] = value
    return case_results


def random_world(rng: Random, ranks: int, *, dyadic: bool) -> World:
    """Tables of APPS on 1..ranks ranks, with stages and requests; `dyadic`: whole and half seconds, full of ties."""

    def time(low, high):
        return Fraction(rng.randint(2 * low, 2 * high), 2) if dyadic else Fraction(rng.uniform(low, high))

    times, best, stages, requests = {}, {}, {}, {}
    for app in APPS:
        if dyadic and rng.random() < 0.5:
            work = rng.choice((4, 8, 16))
            sat = rng.randint(1, ranks)
            times[app] = [Fraction(work, min(r, sat)) + 1 for r in range(1, ranks + 1)]
        else:
            times[app] = [time(1, 12) for _ in range(ranks)]
        best[app] = rng.randint(1, ranks + 3)
        stages[app] = [Stage("host_pre", time(0, 4))] if rng.random() < 0.5 else []
        for k in range(rng.choice((1, 1, 2, 3))):
            if k and rng.random() < 0.5:
                stages[app].append(Stage("host_mid", time(0, 3)))
            stages[app].append(
                Stage("kernel", Fraction(0), time(0, 3), time(1, 8), time(0, 2), rng.choice((Fraction(0), time(0, 1))))
            )
        stages[app] += [Stage("host_post", time(0, 4))] if rng.random() < 0.5 else []
        requests[app] = rng.choice((1, rng.randint(1, ranks), rng.randint(1, ranks), ranks + 1))
    return World(times, best, stages, requests)


def random_jobs(rng: Random, *, dyadic: bool, most: int = 16) -> list[Job]:
    last = rng.choice((0, 0, 6, 30))
    ids = rng.sample(range(3 * most), rng.randint(1, most))

    def arrival():
        return Fraction(rng.randint(0, 2 * last), 2) if dyadic else Fraction(rng.uniform(0, last))

    return [Job(job_id, rng.choice(APPS), arrival()) for job_id in ids]


def random_scenario(rng: Random, scheduler: str, ranks: int) -> Scenario:
    overheads = (Fraction(0), Fraction(0), Fraction(1, 4), Fraction(3, 50))
    return Scenario(
        scheduler,
        ranks,
        rng.choice(overheads),
        rng.choice((1, 2, 6, 6, 40)),
        rng.choice((None, None, 1, 3, 6, 40)),
        rng.choice(("leftover", "available")),
        rng.choice((Fraction(1), Fraction(11, 10), Fraction(2))),
    )

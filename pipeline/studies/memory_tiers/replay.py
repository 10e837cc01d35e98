"""Run a batch of scenarios."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.runtime import threads
from pipeline.simulation.table import checked, checked_inputs, codes, comparable, metrics_of
from pipeline.studies.memory_tiers import STUDY, arrays, model
from pipeline.studies.memory_tiers.inputs import INPUTS
from pipeline.studies.memory_tiers.schedulers import SCHEDULERS

DEFAULTS = STUDY.defaults
BASELINE = "all_local"
WARM_UP = 0.1
"""Share of the time from the first to the last release that is not measured."""
SHORTEST_RUN_S = 10.0
"""Shortest run time that a slowdown is relative to (bounded slowdown, Feitelson et al. 1997)."""
SPANS = (
    *("jobs", "rejected", "node_s", "useful_node_s", "local_useful_node_s", "response_s", "local_response_s"),
    "wait_s",
)
SIZES = ("one_node", "few", "many")
FEW = 0.1
"""Share of the machine up to which a job has few nodes."""
CLASSES = ("jobs", "rejected", "stretch", "slowdown", "local_slowdown")


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay scenarios on the jobs of their workloads.

    inputs: `jobs` (workload_id, job_id, submit_s, nodes, [walltime_s], [position], [request_gb per node],
    [sensitivity], [sensitivity_class]), `phases` (workload_id, job_id, phase, duration_s, memory_gb per node).
    scenarios: scenario_id, scheduler, workload_id, nodes, local_per_node_gb (null = as much as any job asks for),
    pool_per_node_gb (null = unlimited), and the columns of DEFAULTS.

    Returns `outcomes` (scenario_id, job_id, start_s, end_s, rejected) of scenarios with `keep_outcomes`, `metrics`
    (scenario_id, metric, value), `spans` (scenario_id, span and the columns of SPANS) and `classes` (scenario_id,
    sensitivity_class, size and the columns of CLASSES). Rows are sorted by scenario, then by submission.

    Raises ValueError naming an unknown scheduler, workload or option, a missing column or a value out of range.
    """
    scenarios = _checked(scenarios)
    inputs = checked_inputs(inputs, INPUTS)
    jobs, phases = inputs["jobs"], inputs["phases"]
    workloads: dict = {}
    if len(jobs):
        codes(scenarios["workload_id"], comparable(jobs["workload_id"]).unique().sort(), "workload")
        used = comparable(scenarios["workload_id"]).unique().implode()
        workloads = arrays.prepare(
            *(table.filter(comparable(table["workload_id"]).is_in(used)) for table in (jobs, phases))
        )
    rows = list(scenarios.iter_rows(named=True))
    local = {_queue(row): row for row in rows}
    ran = threads.each(lambda row: _times(_all_local(row), workloads.get(row["_workload"])), local.values())
    baselines = dict(zip(local, ran, strict=True))
    results = threads.each(
        lambda row: _run(row, workloads.get(row["_workload"]), baselines[_queue(row)]),
        rows,
    )
    return _tables(scenarios["scenario_id"], rows, results, jobs["job_id"].dtype)


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    scenarios = checked(scenarios, STUDY, SCHEDULERS, "workload_id")
    _require_read(scenarios)
    return scenarios.with_columns(_workload=comparable(scenarios["workload_id"]))


def _require_read(scenarios: pl.DataFrame) -> None:
    """Raise ValueError for a parameter that nothing reads in its scenario."""
    for name, reads, why in (
        ("reserve_depth", pl.col("backfilling") == "reserve", "a parameter of backfilling reserve"),
        ("growth", pl.col("scheduler") == "dynamic_pool", "read by dynamic_pool alone"),
    ):
        unread = scenarios.filter(~reads, pl.col(name) != DEFAULTS[name])
        if len(unread):
            row = unread.row(0, named=True)
            raise ValueError(f"scenario {row['scenario_id']!r}: {name} is {row[name]}; it is {why}")


def _queue(row: dict) -> tuple:
    """What two scenarios share that are measured against one baseline."""
    return tuple(row[name] for name in ("_workload", "nodes", "backfilling", "reserve_depth"))


def _all_local(row: dict) -> dict:
    return row | {"scheduler": BASELINE, "local_per_node_gb": None, "pool_per_node_gb": None}


def _times(row: dict, workload: arrays.Workload | None) -> dict:
    """Starts and ends of a scenario's jobs (seconds from the first release, nan = rejected), and the pool's use."""
    if workload is None:
        nothing = np.empty(0)
        return {
            "start": nothing,
            "end": nothing,
            "lost": nothing,
            "reason": np.empty(0, np.int64),
            "held": 0,
            "most": 0,
        }
    local = row["local_per_node_gb"]
    if local is None:
        local = float(workload.request_gb.max(initial=0))
    nodes, pool = int(row["nodes"]), arrays.pool_kb(row["pool_per_node_gb"], int(row["nodes"]))
    scheduler = SCHEDULERS[row["scheduler"]]
    jobs, fits, reason = workload.on(scheduler, nodes, local, pool, row["sensitivity_scale"])
    rules = model.Rules(
        model.BACKFILLING[row["backfilling"]],
        int(row["reserve_depth"]),
        model.GROWTH[row["growth"]],
        hasattr(scheduler, "order"),
        row["tau_s"],
        row["alpha"],
    )
    start, end, lost = np.empty(len(fits)), np.empty(len(fits)), np.empty(len(fits))
    held, most = model.run(jobs, nodes, pool, rules, start, end, lost)
    whole = np.full((3, len(reason)), np.nan)
    # An instant may be a hair earlier than a release that belongs to it.
    whole[0, fits], whole[1, fits], whole[2, fits] = np.maximum(start, workload.submit_s[fits]), end, lost
    return {"start": whole[0], "end": whole[1], "lost": whole[2], "reason": reason, "held": held, "most": most}


def _run(row: dict, workload: arrays.Workload | None, local: dict) -> dict:
    ours = _times(row, workload)
    if workload is None:
        spans, classes = np.zeros((0, len(SPANS))), []
        measures = dict.fromkeys(STUDY.metrics) | {"rejected_jobs": 0.0, "requeued_jobs": 0.0, "pool_peak_gb": 0.0}
        return {"workload": None, "times": ours, "spans": spans, "classes": classes, "measures": measures}
    release, run_s, last = workload.submit_s, workload.run_s, workload.submit_s[-1]
    ran = ours["reason"] == 0
    parts = max(int(row["spans"]), 1)
    edges = np.linspace(WARM_UP * last, last, parts + 1)
    spans = np.zeros((parts, len(SPANS)))
    counted = release >= edges[0]
    span = np.minimum(np.searchsorted(edges, release, side="right") - 1, parts - 1)
    # A job of the baseline is rejected where it is larger than the machine; then it is so everywhere.
    both = counted & ran
    response, local_response = ours["end"] - release, local["end"] - release
    wait = ours["start"] - release
    columns = (
        (0, both, None),
        (1, counted & ~ran, None),
        (5, both, response),
        (6, both, local_response),
        (7, both, wait),
    )
    for column, mask, values in columns:
        weights = None if values is None else values[mask]
        spans[:, column] = np.bincount(span[mask], weights, minlength=parts)
    spans[:, 2] = row["nodes"] * np.diff(edges)
    work = workload.nodes * run_s
    spans[:, 3], spans[:, 4] = _useful(work, ours, edges), _useful(work, local, edges)
    jobs, _, node_s, useful, local_useful, responses, local_responses, waits = spans.sum(axis=0)
    end = np.nanmax(ours["end"], initial=-np.inf) if ran.any() else None
    pool_gb = None if row["pool_per_node_gb"] is None else row["pool_per_node_gb"] * row["nodes"]
    measures = {
        "steady_utilisation": _over(useful, node_s),
        "steady_loss": None if not local_useful else float(1 - useful / local_useful),
        "steady_response_s": _over(responses, jobs),
        "steady_response_ratio": _over(responses, local_responses),
        "steady_wait_s": _over(waits, jobs),
        "makespan_s": None if end is None else float(end),
        "rejected_jobs": float((~ran).sum()),
        "rejected_work": _over(work[~ran].sum(), work.sum()),
        "requeued_jobs": float((ours["lost"] > 0).sum()),
        "lost_work": _over(workload.nodes[ran] @ ours["lost"][ran], work.sum()),
        "pool_used": None if end is None or not pool_gb else _over(ours["held"] / model.KB_PER_GB, pool_gb * end),
        "pool_peak_gb": float(ours["most"] / model.KB_PER_GB),
    }
    return {
        "workload": workload,
        "times": ours,
        "spans": spans if row["spans"] else spans[:0],
        "classes": _classes(row, workload, ours, local, counted),
        "measures": measures,
    }


def _over(above: float, below: float) -> float | None:
    return float(above / below) if below else None


def _useful(work: np.ndarray, times: dict, edges: np.ndarray) -> np.ndarray:
    """Useful node-seconds between edges; a job's work counts evenly over its run."""
    ran = times["reason"] == 0
    start, end, work = times["start"][ran], times["end"][ran], work[ran]
    done = [float(np.sum(work * np.clip((edge - start) / (end - start), 0, 1))) for edge in edges]
    return np.diff(done)


def _classes(row: dict, workload: arrays.Workload, ours: dict, local: dict, counted: np.ndarray) -> list[tuple]:
    few = FEW * row["nodes"]
    size = np.where(workload.nodes == 1, 0, np.where(workload.nodes <= few, 1, 2))
    names, group = np.unique(workload.sensitivity_class.astype(str), return_inverse=True)
    place = group * len(SIZES) + size
    ran = ours["reason"] == 0
    run_s = workload.run_s
    bounded = np.maximum(run_s, SHORTEST_RUN_S)
    counted_runs, count = counted & ran, len(names) * len(SIZES)
    sums = [np.bincount(place[counted_runs], minlength=count), np.bincount(place[counted & ~ran], minlength=count)]
    for values in (
        (ours["end"] - ours["start"]) / run_s,
        np.maximum((ours["end"] - workload.submit_s) / bounded, 1),
        np.maximum((local["end"] - workload.submit_s) / bounded, 1),
    ):
        sums.append(np.bincount(place[counted_runs], values[counted_runs], minlength=count))
    return [
        (names[i // len(SIZES)], SIZES[i % len(SIZES)], *(column[i] for column in sums))
        for i in range(count)
        if sums[0][i] or sums[1][i]
    ]


def _tables(scenario_id: pl.Series, rows: list[dict], results: list[dict], job_dtype: pl.DataType) -> dict:
    selected = [i for i, row in enumerate(rows) if row["keep_outcomes"] and results[i]["workload"] is not None]

    def repeated(counts: list[int], of: list[int]) -> pl.Series:
        return scenario_id.gather(pl.Series(np.repeat(np.array(of, np.int64), counts), dtype=pl.UInt32))

    times = [results[i]["times"] for i in selected]
    kept_of = [results[i]["workload"] for i in selected]
    # A job that starts as it is released does so at the very number that was given.
    start = [
        np.where(t["start"] == w.submit_s, w.released_s, t["start"] + w.origin_s)
        for t, w in zip(times, kept_of, strict=True)
    ]
    end = [t["end"] + w.origin_s for t, w in zip(times, kept_of, strict=True)]
    sides = {
        name: pl.Series(np.concatenate(of) if selected else np.empty(0)).fill_nan(None)
        for name, of in (("start_s", start), ("end_s", end))
    }
    reason = np.concatenate([t["reason"] for t in times]) if selected else np.empty(0, np.int64)
    outcomes = pl.DataFrame(
        {
            "scenario_id": repeated([len(t["start"]) for t in times], selected),
            "job_id": pl.concat([w.job_id for w in kept_of]) if selected else pl.Series([], dtype=job_dtype),
            **sides,
            "rejected": pl.Series(reason, dtype=pl.Int64).replace_strict(
                arrays.REASONS, default=None, return_dtype=pl.String
            ),
        }
    )
    values = np.array([[r["measures"][name] for name in STUDY.metrics] for r in results], dtype=np.float64)
    metrics = metrics_of(scenario_id, STUDY.metrics, values)
    everywhere = list(range(len(rows)))
    spans = np.concatenate([r["spans"] for r in results]) if rows else np.zeros((0, len(SPANS)))
    parts = [len(r["spans"]) for r in results]
    span = pl.DataFrame(
        {
            "scenario_id": repeated(parts, everywhere),
            "span": np.concatenate([np.arange(n) for n in parts]) if rows else np.empty(0, np.int64),
            **{name: spans[:, i] for i, name in enumerate(SPANS)},
        }
    ).cast({"jobs": pl.Int64, "rejected": pl.Int64, "span": pl.Int64})
    schema = {"sensitivity_class": pl.String, "size": pl.String} | dict.fromkeys(CLASSES[:2], pl.Int64)
    schema |= dict.fromkeys(CLASSES[2:], pl.Float64)
    classes = pl.DataFrame([row for r in results for row in r["classes"]], schema=schema, orient="row")
    classes = classes.insert_column(0, repeated([len(r["classes"]) for r in results], everywhere).alias("scenario_id"))
    return {"outcomes": outcomes, "metrics": metrics, "spans": span, "classes": classes}

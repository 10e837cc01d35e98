"""The job table: all columns that the scheduler's interface gives, with what little of them differs from job to job."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from pipeline.synthetic.marconi100.workload import CPUS

UNLIMITED, UNSET = 4_294_967_295, 4_294_967_294
"""Numbers that mean no limit, and a limit left to the partition (INFINITE and NO_VAL of Slurm)."""
NODE_MEMORY_MB = 243_200
CPUS_A_GPU = 32
HALF_UNSET = 65_534

_COLUMNS = {
    "timestamp[ms, UTC]": (
        "accrue_time eligible_time end_time last_sched_eval resize_time start_time submit_time suspend_time"
    ),
    "bool": "contiguous mem_per_cpu mem_per_node requeue",
    "int32": "assoc_id nice",
    "uint16": (
        "array_task_throttle batch_flag boards_per_node cores_per_socket max_cpus ntasks_per_board ntasks_per_core "
        "num_nodes pn_min_tmp_disk power_flags profile reboot req_switch restart_cnt show_flags sockets_per_board "
        "sockets_per_node threads_per_core time_min"
    ),
    "uint32": (
        "alloc_sid array_job_id array_max_tasks array_task_id billable_tres bitflags cpus_per_task group_id job_id "
        "max_nodes min_memory_cpu min_memory_node ntasks_per_node ntasks_per_socket num_cpus num_tasks pn_min_cpus "
        "pn_min_memory priority run_time time_limit user_id wait4switch"
    ),
    "string": (
        "alloc_node array_task_str batch_host cpus_alloc_layout cpus_allocated cpus_per_tres dependency derived_ec "
        "exc_nodes exit_code features job_state nodes ntasks_per_core_str ntasks_per_socket_str partition qos "
        "req_nodes resv_name run_time_str sched_nodes shared state_reason time_limit_str tres_alloc_str tres_bind "
        "tres_freq tres_per_job tres_per_node tres_per_socket tres_per_task tres_req_str wckey"
    ),
}
_ARROW = {
    "timestamp[ms, UTC]": pa.timestamp("ms", "UTC"),
    "bool": pa.bool_(),
    "int32": pa.int32(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "string": pa.string(),
}
SCHEMA = pa.schema(sorted((name, _ARROW[dtype]) for dtype, names in _COLUMNS.items() for name in names.split()))
"""All columns, by name as in the files."""

_SAME = {
    "array_max_tasks": 0,
    "array_task_throttle": 0,
    "assoc_id": 0,
    "batch_flag": 1,
    "bitflags": 0,
    "boards_per_node": 0,
    "contiguous": False,
    "cores_per_socket": HALF_UNSET,
    "cpus_alloc_layout": "{}",
    "cpus_per_task": 1,
    "derived_ec": "0:0",
    "max_cpus": 0,
    "max_nodes": 0,
    "mem_per_cpu": False,
    "mem_per_node": True,
    "nice": 0,
    "ntasks_per_board": 0,
    "ntasks_per_core": 65_535,
    "ntasks_per_core_str": "UNLIMITED",
    "ntasks_per_node": 0,
    "ntasks_per_socket": 65_535,
    "ntasks_per_socket_str": "UNLIMITED",
    "partition": "1",
    "pn_min_tmp_disk": 0,
    "power_flags": 0,
    "profile": 0,
    "reboot": 0,
    "req_switch": 0,
    "requeue": True,
    "restart_cnt": 0,
    "show_flags": 23,
    "sockets_per_board": 0,
    "sockets_per_node": HALF_UNSET,
    "state_reason": "None",
    "threads_per_core": HALF_UNSET,
    "time_min": 0,
    "wait4switch": 0,
}
"""Cells alike in every row; columns that are neither here nor computed are null."""


def job_table(rng: np.random.Generator, jobs: pl.DataFrame) -> pl.DataFrame:
    """Rows of the job table without faults, one per job and in the order of the jobs (columns as `Truth.jobs` has)."""
    run_s = (pl.col("end_time") - pl.col("start_time")).dt.total_seconds()
    limit_s = pl.col("limit_s")
    outcome = pl.Series("outcome", rng.random(jobs.height))
    state = (
        pl.when(run_s >= limit_s)
        .then(pl.lit("TIMEOUT"))
        .when(outcome < pl.when(run_s < 60).then(0.7).otherwise(0.08))
        .then(pl.lit("FAILED"))
        .when(outcome > 0.93)
        .then(pl.lit("CANCELLED"))
        .otherwise(pl.lit("COMPLETED"))
    )
    frame = jobs.with_columns(outcome).with_columns(state.alias("job_state"), run_s.alias("run_s"))
    frame = frame.join(_resources(jobs), on=["num_nodes", "cpus"], how="left", maintain_order="left")
    frame = frame.join(_limits(jobs), on="limit_s", how="left", maintain_order="left")
    node = pl.col("nodes")
    whole = node.list.eval(pl.element().cast(pl.String) + f": {CPUS}").list.join(", ")
    part = pl.format("{}: {}", node.list.first(), "cpus")
    days, clock = pl.col("run_s") // 86_400, pl.from_epoch(pl.col("run_s") % 86_400, "s").dt.strftime("%H:%M:%S")
    computed = {
        "accrue_time": pl.col("submit_time"),
        "alloc_node": pl.lit("login02"),
        "alloc_sid": 10_000 + pl.col("job_id") % 50_000,
        "array_job_id": 0,
        "batch_host": node.list.first().cast(pl.String),
        "billable_tres": pl.col("num_cpus"),
        "cpus_allocated": pl.concat_str(
            pl.lit("{"), pl.when(pl.col("cpus") == CPUS).then(whole).otherwise(part), pl.lit("}")
        ),
        "eligible_time": pl.col("submit_time"),
        "exit_code": pl.when(pl.col("job_state") == "FAILED").then(pl.lit("1:0")).otherwise(pl.lit("0:0")),
        "group_id": pl.col("user_id"),
        "last_sched_eval": pl.col("start_time"),
        "min_memory_node": pl.col("cpus") * NODE_MEMORY_MB // CPUS,
        "nodes": pl.concat_str(pl.lit("["), node.cast(pl.List(pl.String)).list.join(", "), pl.lit("]")),
        "num_tasks": pl.col("num_cpus"),
        "pn_min_cpus": pl.col("cpus"),
        "pn_min_memory": pl.col("cpus") * NODE_MEMORY_MB // CPUS,
        "priority": 1000 + pl.col("job_id") % 9000,
        "qos": pl.when(pl.col("num_nodes") > 64).then(pl.lit("2")).otherwise(pl.lit("1")),
        "run_time": pl.col("run_s"),
        "run_time_str": pl.when(days > 0).then(pl.format("{}-{}", days, clock)).otherwise(clock),
        "shared": pl.when(pl.col("cpus") == CPUS).then(pl.lit("0")).otherwise(pl.lit("OK")),
    }
    known = {*frame.columns} - {"nodes"}
    cells = []
    for name in SCHEMA.names:
        if name in computed:
            cell = computed[name]
        elif name in known:
            cell = pl.col(name)
        else:
            cell = pl.lit(_SAME.get(name))
        cells.append((cell if isinstance(cell, pl.Expr) else pl.lit(cell)).alias(name))
    empty = pl.DataFrame(SCHEMA.empty_table())
    return frame.select(cells).cast(dict(empty.schema))


def _resources(jobs: pl.DataFrame) -> pl.DataFrame:
    """Text of the trackable resources for each size of job."""
    rows = []
    for nodes, cpus in jobs.select("num_nodes", "cpus").unique().sort("num_nodes", "cpus").iter_rows():
        asked = f"cpu={nodes * cpus},mem={_memory(nodes * cpus * NODE_MEMORY_MB / CPUS)},node={nodes}"
        gpus = nodes * (cpus // CPUS_A_GPU)
        gpu = f",gres/gpu={gpus}" if gpus else ""
        text = f"{asked},billing={nodes * cpus}{gpu}"
        rows.append((nodes, cpus, nodes * cpus, text, text, f"gpu:{cpus // CPUS_A_GPU}" if gpus else None))
    numbers = dict.fromkeys(["num_nodes", "cpus", "num_cpus"], pl.Int64)
    texts = dict.fromkeys(["tres_alloc_str", "tres_req_str", "tres_per_node"], pl.String)
    return pl.DataFrame(rows, schema=numbers | texts, orient="row")


def _memory(megabytes: float) -> str:
    """A size as Slurm writes it: the largest unit below it, two decimals unless it is whole."""
    size, units = megabytes, iter("MGTP")
    unit = next(units)
    while size > 1024:
        size, unit = size / 1024, next(units)
    return f"{size:.0f}{unit}" if size == int(size) else f"{size:.2f}{unit}"


def _limits(jobs: pl.DataFrame) -> pl.DataFrame:
    limits_s = jobs["limit_s"].unique().sort()
    minutes = -(-limits_s // 60)
    return pl.DataFrame(
        {
            "limit_s": limits_s,
            "time_limit": minutes,
            "time_limit_str": pl.Series([_limit_text(limit) for limit in minutes], dtype=pl.String),
        }
    )


def _limit_text(minutes: int) -> str:
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    if days:
        return f"{days}-{hours:02d}:{left:02d}:00"
    return f"{hours}:{left:02d}:00" if hours else f"{left}:00"

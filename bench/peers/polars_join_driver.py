"""Join and segmentation in polars on one thread: `polars_join_driver.py SAMPLES PLACEMENTS PHASES`.

Prints the CPU time from reading the samples to having written the phases. Of the forms tried (sorted by node and time
or by one integer key, window expressions or groups joined back, in memory or streaming) this is the fastest.
"""

import os
import sys
import time

os.environ["POLARS_MAX_THREADS"] = "1"

import polars as pl

DELTA, ROUNDING, FLAT = 2.0, 1e-9, 1e-12
KIB_GB = 1024e-9
TIME_BITS = 42


def joined(samples, placements):
    """Used memory by slot (a job on a node) and time, a query over the samples of nodes in the file `samples`."""
    names = placements["node"].unique().sort()
    # Integers; null for a node that no job ran on.
    node = pl.col("node").cast(pl.Enum(names), strict=False).to_physical().cast(pl.Int64)
    valid = pl.col("value").is_finite() & (pl.col("value") >= 0) & pl.col("node").is_not_null()
    value = pl.col("value").cast(pl.Float64)
    of_nodes = (
        pl.scan_parquet(samples)
        .select(node, time_ms=pl.col("timestamp").dt.epoch("ms"), value="value")
        .filter(valid)
        .with_columns(key=pl.col("node") * 2**TIME_BITS + pl.col("time_ms"))
        .sort("key", maintain_order=True)
    )
    of_jobs = of_nodes.join_asof(
        placements.lazy().with_columns(node).sort("node", "start_ms"),
        left_on="time_ms", right_on="start_ms", by="node", strategy="backward", check_sortedness=False,
    ).filter(pl.col("time_ms") < pl.col("end_ms"))  # fmt: skip
    used = of_jobs.select("slot", "time_ms", used_gb=pl.col("total_kib") * KIB_GB - value * KIB_GB)
    # A sample that is there twice is there as a copy.
    again = _before("slot") & (pl.col("time_ms") == pl.col("time_ms").shift())
    return used.filter(pl.col("used_gb") >= 0).filter(~again.fill_null(False))


def phases(used):
    """Phases of each slot: slot, phase, duration_s, memory_gb."""
    steps = used.with_columns(
        change=pl.when(_before("slot")).then(pl.col("used_gb").diff()),
        step_ms=pl.when(_before("slot")).then(pl.col("time_ms").diff()),
    )
    change = pl.col("change")
    spread = steps.group_by("slot").agg(mean=change.mean(), std=change.std(ddof=0), largest=change.abs().max())
    limit = pl.when(pl.col("std") >= FLAT * pl.col("largest")).then(DELTA * (1 + ROUNDING) * pl.col("std"))
    scored = steps.join(spread.select("slot", "mean", limit=limit), on="slot", how="left", maintain_order="left")
    frontier = ((change - pl.col("mean")).abs() > pl.col("limit")).fill_null(False) | pl.col("step_ms").is_null()
    cut = (
        scored.with_columns(run=frontier.cum_sum())
        .group_by("run", maintain_order=True)
        .agg(
            pl.col("slot", "time_ms").first(),
            last_ms=pl.col("time_ms").last(),
            step_ms=pl.col("step_ms").last(),
            memory_gb=pl.col("used_gb").max(),
        )
    )
    next_ms = pl.when(pl.col("slot") == pl.col("slot").shift(-1)).then(pl.col("time_ms").shift(-1))
    end_ms = pl.coalesce(next_ms, pl.col("last_ms") + pl.col("step_ms").fill_null(1000))
    return cut.select(
        "slot",
        "memory_gb",
        phase=pl.int_range(pl.len()).over("slot"),
        duration_s=(end_ms - pl.col("time_ms")) / 1000,
    )


def _before(column):
    """Whether the row before has the same value."""
    return pl.col(column) == pl.col(column).shift()


def main(samples, placements, target):
    """Write the phases as Parquet to the file `target`."""
    placed = pl.read_parquet(placements)
    began = time.process_time()
    phases(joined(samples, placed)).collect(engine="in-memory").write_parquet(target)
    sys.stdout.write(f"{time.process_time() - began}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Runs in pandas' environment: `pandas_join_driver.py SAMPLES PLACEMENTS PHASES`.

Join and segmentation in pandas, statistics and phases by groupby; prints the CPU time from reading the samples to
having written the phases.
"""

import sys
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

DELTA, ROUNDING, FLAT = 2.0, 1e-9, 1e-12
KIB_GB = 1024e-9


def joined(samples, placements):
    """Used memory by slot (a job on a node) and time, from the samples of nodes in the file `samples`."""
    columns = ["timestamp", "value", "node"]
    rows = pq.read_table(samples, columns=columns, use_threads=False, read_dictionary=["node"])
    rows = rows.to_pandas(use_threads=False)
    names = placements["node"].unique()
    of_nodes = pd.DataFrame(
        {
            "node": rows["node"].cat.set_categories(names).cat.codes,
            "time_ms": rows["timestamp"].astype("datetime64[ms, UTC]").astype("int64"),
            "value": rows["value"].astype("float64"),
        }
    )
    del rows
    valid = np.isfinite(of_nodes["value"]) & (of_nodes["value"] >= 0) & (of_nodes["node"] >= 0)
    # merge_asof wants both sides in the order of time, whatever the node.
    of_nodes = of_nodes[valid].sort_values("time_ms", kind="stable")
    placed = placements.assign(node=pd.Categorical(placements["node"], names).codes).sort_values("start_ms")
    of_jobs = pd.merge_asof(of_nodes, placed, left_on="time_ms", right_on="start_ms", by="node")
    of_jobs = of_jobs[of_jobs["time_ms"] < of_jobs["end_ms"]]
    used = pd.DataFrame(
        {
            "slot": of_jobs["slot"].astype("int64"),
            "time_ms": of_jobs["time_ms"],
            "used_gb": of_jobs["total_kib"] * KIB_GB - of_jobs["value"] * KIB_GB,
        }
    )
    used = used[used["used_gb"] >= 0].sort_values("slot", kind="stable", ignore_index=True)
    # A sample that is there twice is there as a copy.
    again = _before(used["slot"]) & (used["time_ms"] == used["time_ms"].shift())
    return used[~again].reset_index(drop=True)


def phases(used):
    """Phases of each slot: slot, phase, duration_s, memory_gb."""
    inside = _before(used["slot"])
    change = used["used_gb"].diff().where(inside)
    step_ms = used["time_ms"].diff().where(inside)
    by_slot = change.groupby(used["slot"])
    mean, std, largest = by_slot.mean(), by_slot.std(ddof=0), change.abs().groupby(used["slot"]).max()
    limit = (DELTA * (1 + ROUNDING) * std).where(std >= FLAT * largest)
    beyond = (change - used["slot"].map(mean)).abs() > used["slot"].map(limit)
    by_run = used.assign(last_ms=used["time_ms"], step_ms=step_ms).groupby((beyond | ~inside).cumsum(), sort=False)
    cut = by_run.agg({"slot": "first", "time_ms": "first", "last_ms": "last", "step_ms": "last", "used_gb": "max"})
    cut.loc[cut["step_ms"].isna(), "step_ms"] = 1000.0
    follows = cut["slot"] == cut["slot"].shift(-1)
    end_ms = cut["time_ms"].shift(-1).where(follows, cut["last_ms"] + cut["step_ms"])
    return pd.DataFrame(
        {
            "slot": cut["slot"],
            "phase": cut.groupby("slot").cumcount(),
            "duration_s": (end_ms - cut["time_ms"]) / 1000,
            "memory_gb": cut["used_gb"],
        }
    )


def _before(column):
    """Whether the row before has the same value."""
    return column == column.shift()


def main(samples, placements, target):
    """Write the phases as Parquet to the file `target`."""
    placed = pd.read_parquet(placements)
    began = time.process_time()
    phases(joined(samples, placed)).to_parquet(target, index=False)
    sys.stdout.write(f"{time.process_time() - began}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Runs in pandas' environment: `pandas_formulations_driver.py log|edges SOURCE TARGET`; prints its CPU time."""

import sys
import time

import numpy as np
import pandas as pd

FIELDS = 18


def log(source, target):
    """Jobs of a log whose fields are parted by one blank."""
    names = [f"f{i}" for i in range(FIELDS)]
    rows = pd.read_csv(source, sep=" ", header=None, comment=";", names=names, dtype="float64")
    nodes = rows["f7"].where(rows["f7"] > 0, rows["f4"])
    kept = (rows["f3"] >= 0) & (nodes > 0)
    jobs = pd.DataFrame(
        {
            "job_id": rows["f0"],
            "submit_s": rows["f1"],
            "nodes": nodes,
            "walltime_s": rows["f8"],
            "runtime_s": rows["f3"],
        }
    )
    jobs[kept].astype({"nodes": "int64"}).sort_values(["submit_s", "job_id"]).to_parquet(target, index=False)


def edges(source, target):
    """Edges renumbered, sorted, without loops, the least weight of parallel ones."""
    rows = pd.read_csv(source, sep="\t", header=None, comment="#", names=["source", "target", "weight"], dtype="int64")
    ids = np.unique(np.concatenate([rows["source"], rows["target"]]))
    rows["source"] = np.searchsorted(ids, rows["source"])
    rows["target"] = np.searchsorted(ids, rows["target"])
    rows = rows[rows["source"] != rows["target"]]
    rows.groupby(["source", "target"], as_index=False, sort=True)["weight"].min().to_parquet(target, index=False)


def main(kind, source, target):
    """Write the table as Parquet to the file `target`."""
    began = time.process_time()
    {"log": log, "edges": edges}[kind](source, target)
    sys.stdout.write(f"{time.process_time() - began}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

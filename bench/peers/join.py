"""polars and pandas for what a month of node memory needs: samples joined to jobs, each series cut into phases.

Both get the file of samples and the jobs' placements, and write the phases of each slot (a job on a node). What our
reader does besides, they are spared: the phases of jobs as wholes, and saying what became of every row.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from bench.measure import Child
from bench.peers import Unavailable, environments, process

PANDAS, PYARROW = "3.1.1", "26.0.1"


@dataclass(frozen=True)
class Join:
    """A peer's run: the process, the CPU time from reading the samples to having written the phases, the phases.

    `phases` has slot, phase, duration_s, memory_gb.
    """

    process: Child
    cpu_s: float
    phases: pl.DataFrame


def run(peer: str, environments_folder: Path, samples: Path, placements: Path, scratch: Path, timeout_s: float) -> Join:
    """The run of `polars`, as it is installed here, on one thread, or of `pandas`, in an environment of its own.

    Raises Unavailable where it cannot be installed or fails, TimeoutError where it takes longer than `timeout_s`.
    """
    if peer == "pandas":
        requirements = [f"pandas=={PANDAS}", f"pyarrow=={PYARROW}"]
        python = environments.environment(environments_folder / "pandas", f"pandas {PANDAS}", requirements)
    else:
        python = Path(sys.executable)
    driver = Path(__file__).with_name(f"{peer}_join_driver.py")
    target = scratch / f"{peer}.parquet"
    target.unlink(missing_ok=True)
    # Isolated, since a file beside the driver could have the name of a module.
    done = process([python, "-I", driver, samples, placements, target], timeout_s, scratch)
    if not target.exists() or not done.output.strip():
        raise Unavailable(f"{peer} wrote no phases")
    return Join(done, float(done.output.split()[-1]), pl.read_parquet(target))


def same_phases(ours: pl.DataFrame, theirs: pl.DataFrame) -> float:
    """Share of phases that are in both tables (slot, phase, duration_s, memory_gb), of all that are in either."""
    key = ["slot", "phase"]
    theirs = theirs.select(pl.col(key).cast(pl.Int64), duration="duration_s", memory="memory_gb")
    both = ours.with_columns(pl.col(key).cast(pl.Int64)).join(theirs, on=key, how="full", validate="1:1")
    alike = (pl.col("duration_s") - pl.col("duration")).abs() < 1e-6
    alike &= (pl.col("memory_gb") - pl.col("memory")).abs() <= 1e-9 * pl.col("memory_gb")
    return float(both.select(alike.fill_null(False).mean()).item())

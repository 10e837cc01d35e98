"""Score Apportion's own compiled engine: `python validation/reference_schedules/others/run_apportion.py`.

Run it from the project's root, where `pipeline` is; it replays all cases under all dialects at once.
"""

import math
import sys
from pathlib import Path

import polars as pl

from pipeline.studies import hpc_memory

sys.path.append(str(Path(__file__).parent.parent))
from make import dialects, read_jobs
from score import MACHINES, REFUSALS, Starts, case_row, write


def schedules(cases: list[str]) -> dict[str, dict[str, Starts | str]]:
    """The starts of each case under each dialect; a sentence for a case with jobs of no length, which are refused."""
    words, refused = REFUSALS["length"]
    taken = [case for case in cases if not any(refused(job, MACHINES[case]) for job in read_jobs(case))]
    jobs = pl.DataFrame(
        [
            (case, position, job.submit_s, job.nodes, job.limit_s, job.run_s)
            for case in taken
            for position, job in enumerate(read_jobs(case))
        ],
        schema=["workload_id", "job_id", "submit_s", "nodes", "walltime_s", "duration_s"],
        orient="row",
    )
    phases = jobs.select("workload_id", "job_id", "duration_s", phase=pl.lit(0), memory_gb=pl.lit(0.0))
    scenarios = [scenario(case, name) for case in taken for name in dialects()]
    inputs = {"jobs": jobs.drop("duration_s"), "phases": phases}
    outcomes = hpc_memory.replay(inputs, pl.DataFrame(scenarios, infer_schema_length=None))["outcomes"]
    result = outcomes.select("scenario_id", "job_id", "start_s").partition_by("scenario_id", as_dict=True)
    found = {name: dict.fromkeys(cases, words) for name in dialects()}
    for case in taken:
        for name in dialects():
            starts = result[(f"{case} {name}",)].sort("job_id")["start_s"].fill_null(math.inf)
            found[name][case] = dict(zip([job.job for job in read_jobs(case)], starts, strict=True))
    return found


def scenario(case: str, name: str) -> dict[str, object]:
    """A dialect as the study's parameters say it."""
    dialect = dialects()[name]
    row = {"scenario_id": f"{case} {name}", "workload_id": case, "nodes": MACHINES[case], "scheduler": "unlimited"}
    row |= {"memory_gb": 0.0, "backfilling": dialect.backfilling}
    if dialect.backfilling == "reserve":
        row |= {"reserve_depth": dialect.reserve_depth, "reservations": dialect.reservations}
    return row


def lines(cases: list[str]) -> list[list[str]]:
    """The rows of scores.csv, each dialect under itself."""
    row = {"simulator": "Apportion", "version": "0.1.0"}
    return [
        case_row(row | {"scheduler": name}, name, case, read_jobs(case), found)
        for name, of in schedules(cases).items()
        for case, found in of.items()
    ]


if __name__ == "__main__":
    write("Apportion", lines(list(MACHINES)))

"""Write to workflow/usual_times.csv what two runs of a configuration took: `python workflow/usual.py NAME COLD WARM`.

NAME is that of the configuration's file without the ending, or default. COLD and WARM are folders results/logs of runs
from empty results, without and with compiled kernels. What a stage took longer without them is the time of compiling.
Run it when jobs take other times than they did, relative to each other.
"""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from workflow.progress import COMPILING, USUAL, seconds_of, stage_of

LEAST_S = 2.0
"""A difference of a stage that is smaller than this is noise."""


def times(logs: Path) -> dict[str, float]:
    """Job, by its benchmark file without the ending, to seconds."""
    return {
        str(path.relative_to(logs).with_suffix("")): seconds
        for path in sorted(logs.rglob("*.tsv"))
        if (seconds := seconds_of(path)) is not None
    }


def by_stage(seconds: dict[str, float]) -> dict[str, float]:
    """Seconds of all jobs of each stage."""
    total: dict[str, float] = {}
    for job, of_job in seconds.items():
        total[stage_of(job)] = total.get(stage_of(job), 0.0) + of_job
    return total


def main(configuration: str, cold: Path, warm: Path) -> None:
    """Write the file; what it says of other configurations stays."""
    usual, stages = times(warm), by_stage(times(cold))
    longer = {stage: stages.get(stage, 0.0) - seconds for stage, seconds in by_stage(usual).items()}
    found = usual | {f"{COMPILING}/{stage}": seconds for stage, seconds in longer.items() if seconds >= LEAST_S}
    with USUAL.open(newline="", encoding="utf-8") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file) if row["configuration"] != configuration]
    rows += [(configuration, job, f"{seconds:.1f}") for job, seconds in found.items()]
    with USUAL.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("configuration", "job", "seconds"))
        writer.writerows(sorted(rows))


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))

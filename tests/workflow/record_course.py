"""Write the course of a run that has ended: `python tests/workflow/record_course.py DRY_RUN LOGS > COURSE.csv`.

DRY_RUN is what `snakemake --dry-run` said before the run, LOGS its folder results/logs. A job ended when its benchmark
file was written, and began as much earlier as the file says. Times are seconds since the first job began.
"""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from workflow.plan import Plan, read
from workflow.progress import job_of, seconds_of


def main(dry_run: Path, logs: Path) -> None:
    """Rows of (number, job, needs, started_s, ended_s); a job without a benchmark file took no time to speak of."""
    plan = Plan(read(dry_run.read_text()))
    names = [job_of(job.benchmark or "") for job in plan.jobs]
    files = [logs / f"{name}.tsv" for name in names]
    ended = [file.stat().st_mtime if name else None for name, file in zip(names, files, strict=True)]
    began = [end - seconds_of(file) if end else None for end, file in zip(ended, files, strict=True)]
    first = min(filter(None, began))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("number", "job", "needs", "started_s", "ended_s"))
    for number, name in enumerate(names):
        times = ["", ""] if not name else [f"{time - first:.1f}" for time in (began[number], ended[number])]
        writer.writerow((number, name, " ".join(map(str, sorted(plan.needs[number]))), *times))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

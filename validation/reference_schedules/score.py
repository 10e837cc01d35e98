"""Score other simulators: `python score.py SIMULATOR [FOLDER ...]`; without a simulator, the table of README.md alone.

Runs each scheduler of others/simulators.csv on every case, writes how many jobs have the expected start to scores.csv,
and the table anew. In the column `command`, {0}, {1}, … are the FOLDERs. Standard library only.
"""

from __future__ import annotations

import csv
import io
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import reference
from check import differing, expected_starts, found_starts, said
from make import HERE, dialects, read_jobs, rows

LONGEST_S = 180
"""A log that takes longer is cut after its first jobs."""
FIRST = 1000
MACHINES = {row["case"]: int(row["nodes"]) for row in rows(HERE / "cases.csv")}
REFUSALS = {
    "length": ("no jobs of no length", lambda job, _: min(job.run_s, job.limit_s) == 0),
    "overruns": ("no jobs that run past their limit", lambda job, _: job.run_s > job.limit_s),
    "size": ("no jobs larger than the machine", lambda job, nodes: job.nodes > nodes),
    "seconds": (
        "no times but whole seconds",
        lambda job, _: any(time % 1 for time in (job.submit_s, job.run_s, job.limit_s)),
    ),
}
"""What a simulator may be unable to take, as the column `refuses` of others/simulators.csv names it."""
Starts = Mapping[str, float]


def main() -> None:
    """Score the simulator that is named, and write the table."""
    if sys.argv[1:]:
        name, *folders = sys.argv[1:]
        told = [row for row in rows(HERE / "others" / "simulators.csv") if row["simulator"] == name]
        write(name, [line for row in told for line in scheduler_rows(row, folders)])
    readme = HERE / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition("<!-- from scores.csv -->\n")
    after = rest.partition("<!-- end -->")[2]
    readme.write_text(f"{before}<!-- from scores.csv -->\n{table()}<!-- end -->{after}", encoding="utf-8")


def scheduler_rows(row: dict[str, str], folders: list[str]) -> list[list[str]]:
    """The rows of a scheduler under the dialect that fits it best, and under the one that it is named after."""
    found = {case: run(row, folders, case) for case in MACHINES}
    scored = {dialect: [case_row(row, dialect, case, *found[case]) for case in MACHINES] for dialect in dialects()}

    def fit(dialect: str) -> tuple[int, int, bool]:
        cells = [(int(line[5]), int(line[6])) for line in scored[dialect] if line[6]]
        return sum(jobs == equal for jobs, equal in cells), sum(equal for _, equal in cells), dialect == row["named"]

    return [line for dialect in dict.fromkeys([max(scored, key=fit), row["named"]]) for line in scored[dialect]]


def run(row: Mapping[str, str], folders: list[str], case: str) -> tuple[list[reference.Job], Starts | str]:
    """The jobs of a case that a simulator was given, and their starts, or why it cannot take them."""
    jobs, nodes = sorted(read_jobs(case), key=lambda job: job.submit_s), MACHINES[case]
    for words, refused in map(REFUSALS.get, row["refuses"].split()):
        if any(refused(job, nodes) for job in jobs):
            return jobs, words
    command = row["command"].format(*folders).split()
    while True:
        try:
            return jobs, starts_of(command, jobs, nodes)
        except subprocess.TimeoutExpired:
            if len(jobs) <= FIRST:
                return jobs, f"longer than {LONGEST_S} s"
            jobs = jobs[:FIRST]


def starts_of(command: list[str], jobs: list[reference.Job], nodes: int) -> Starts | str:
    """What a simulator prints for jobs, numbered from 1 in the Standard Workload Format."""
    lines = [
        f"{i} {job.submit_s:.0f} -1 {job.run_s:.0f} {job.nodes} -1 -1 {job.nodes} {job.limit_s:.0f} -1{' 1' * 6} -1 -1"
        for i, job in enumerate(jobs, start=1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        swf, starts = Path(folder, "jobs.swf"), Path(folder, "starts.csv")
        swf.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [*command, swf, str(nodes)], cwd=HERE, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["it stopped without a word"])[-1]
        starts.write_text(done.stdout)
        return {jobs[int(number) - 1].job: start for number, start in found_starts(starts).items()}


def case_row(
    row: Mapping[str, str], dialect: str, case: str, jobs: list[reference.Job], found: Starts | str
) -> list[str]:
    """A row of scores.csv."""
    start = [row["simulator"], row["version"], row["scheduler"], dialect, case, str(len(jobs))]
    if isinstance(found, str):
        return [*start, "", found]
    expected = expected_starts(case, dialect)
    if len(jobs) < len(expected):
        made = reference.starts(jobs, MACHINES[case], dialects()[dialect])
        expected = {job: math.inf if begin is None else begin for job, begin in made.items()}
    differ = differing(expected, found)
    words = [f"job {job} {said(found.get(job, math.inf))}; expected: {said(expected[job])}" for job in differ[:1]]
    return [*start, str(len(jobs) - len(differ)), *(words or [""])]


def write(simulator: str, lines: list[list[str]]) -> None:
    """Put the rows of a simulator into scores.csv, in place of those that it had."""
    path = HERE / "scores.csv"
    head = ["simulator", "version", "scheduler", "dialect", "case", "jobs", "equal", "first_difference"]
    kept = [list(row.values()) for row in rows(path) if row["simulator"] != simulator] if path.exists() else []
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *kept, *lines])
    path.write_text(text.getvalue(), encoding="utf-8")


def table() -> str:
    """The table "Who agrees where": a row for each scheduler and dialect in scores.csv."""
    told = {(row["simulator"], row["scheduler"]): row for row in rows(HERE / "others" / "simulators.csv")}
    cells: dict[tuple[str, str, str], dict[str, tuple[int, str]]] = {}
    for row in rows(HERE / "scores.csv"):
        of = cells.setdefault((row["simulator"], row["scheduler"], row["dialect"]), {})
        of[row["case"]] = int(row["jobs"]), row["equal"]
    logs = [case for case in MACHINES if case.startswith("logs/")]
    heads = ["simulator", "scheduler", "dialect", "small cases", *(f"`{log}`" for log in logs), "first differences"]
    lines = [heads, ["---"] * len(heads)]
    for (simulator, scheduler, dialect), of in cells.items():
        small = [(jobs, equal) for case, (jobs, equal) in of.items() if case not in logs and equal]
        counts = [f"{sum(str(jobs) == equal for jobs, equal in small)} of {len(small)}"]
        counts += [f"{int(of[log][1]):,} of {of[log][0]:,}" if of[log][1] else "not run" for log in logs]
        names = ["each dialect", "the same"] if scheduler == dialect else [f"`{scheduler}`", f"`{dialect}`"]
        lines.append([simulator, *names, *counts, told.get((simulator, scheduler), {}).get("why", "")])
    return "".join(f"| {' | '.join(line)} |\n" for line in dict.fromkeys(map(tuple, lines)))


if __name__ == "__main__":
    main()

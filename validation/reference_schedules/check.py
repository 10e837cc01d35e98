"""Compare the schedule of any simulator with the expected one: `python check.py CASE DIALECT STARTS.csv`.

STARTS.csv is what the simulator made of CASE.jobs.csv: columns `job` and `start_s` (others are passed over), in any
order of rows, packed with gzip where its name ends in .gz. Times have the origin of `submit_s`. A job that was
rejected has an empty start or no row. Exit code: 0 equal, 1 another schedule, with the first difference in a
sentence, 2 nothing could be compared. One file of standard Python 3.8 or later; keep it beside cases.csv.
"""

import argparse
import csv
import gzip
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class InputError(Exception):
    """A file that says nothing that can be compared."""


def main():
    """Exit code of the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", metavar="CASE", help="as cases.csv names it, such as cases/shadow_time")
    parser.add_argument("dialect", metavar="DIALECT", help="as dialects.csv names it, such as easy")
    parser.add_argument("starts", metavar="STARTS.csv", type=Path, help="columns job and start_s")
    parser.add_argument("--within", metavar="SECONDS", type=float, default=1e-6, help="difference that counts as none")
    told = parser.parse_args()
    try:
        difference = compare(told.case, told.dialect, told.starts, told.within)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if difference:
        print(difference)
        return 1
    print(f"{told.case}: the schedule is that of {told.dialect}.")
    return 0


def compare(case, dialect, path, within=1e-6):
    """The first difference in time between a schedule and the expected one in a sentence; None where there is none."""
    expected = expected_starts(case, dialect)
    found = found_starts(path)
    unknown = [job for job in found if job not in expected]
    if unknown:
        raise InputError(f"{path}: job {unknown[0]} is not one of {case}")
    differences = differing(expected, found, within)
    if not differences:
        return None
    job = differences[0]
    return (
        f"{case}: job {job} {said(found.get(job, math.inf))}, but under {dialect} it {said(expected[job])}. "
        f"{len(differences)} of {len(expected)} jobs differ; this one is the first in time."
    )


def differing(expected, found, within=1e-6):
    """The jobs that do not start as expected, the first in time first; equal ones keep the order of the file."""
    differ = [job for job, start in expected.items() if not same(start, found.get(job, math.inf), within)]
    return sorted(differ, key=lambda job: min(expected[job], found.get(job, math.inf)))


def same(expected, found, within):
    """Whether two starts are equal; infinity is a job that never starts."""
    return expected == found or abs(expected - found) <= within


def said(start):
    """A start in words."""
    return "never starts" if start == math.inf else f"starts at {start:.10g} s"


def expected_starts(case, dialect):
    """The starts of a case under a dialect, by job in the order of its file."""
    name = case[: -len(".jobs.csv")] if case.endswith(".jobs.csv") else case
    known = [row["case"] for row in rows(HERE / "cases.csv")]
    if name not in known:
        raise InputError("there is no case {}; there are {}".format(case, ", ".join(known)))
    path = HERE / (name + ".starts.csv")
    table = rows(path if path.exists() else HERE / (name + ".starts.csv.gz"))
    if dialect == "job" or dialect not in table[0]:
        dialects = ", ".join(column for column in table[0] if column != "job")
        raise InputError(f"there is no dialect {dialect}; there are {dialects}")
    return {row["job"]: float(row[dialect] or "inf") for row in table}


def found_starts(path):
    """The starts that a simulator gave, by job."""
    starts = {}
    for number, row in enumerate(rows(path), start=2):
        if row.get("job") is None or "start_s" not in row:
            raise InputError(f"{path}: columns job and start_s are needed")
        if row["job"] in starts:
            raise InputError("{}, line {}: job {} is there twice".format(path, number, row["job"]))
        try:
            start = float(row["start_s"] or "inf")
        except (TypeError, ValueError):
            start = math.nan
        if math.isnan(start):
            raise InputError(f"{path}, line {number}: start_s is no number: {row['start_s']}")
        starts[row["job"]] = start
    return starts


def rows(path):
    """The rows of a CSV file."""
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


if __name__ == "__main__":
    sys.exit(main())

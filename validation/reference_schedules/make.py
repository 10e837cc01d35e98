"""Write the expected starts of every case anew: `python make.py [--into FOLDER] [CASE ...]`.

The two logs take a minute or two, all else a second. Standard library only.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

import reference

HERE = Path(__file__).parent


def main() -> None:
    """Write `<case>.starts.csv`, packed where the jobs are, for the cases named or for all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("cases", metavar="CASE", nargs="*", help="as cases.csv names them; none = all")
    arguments.add_argument("--into", type=Path, default=HERE, help="folder to write to")
    told = arguments.parse_args()
    machines = {row["case"]: int(row["nodes"]) for row in rows(HERE / "cases.csv")}
    for case in told.cases or machines:
        write(case, machines[case], told.into)


def write(case: str, nodes: int, into: Path) -> None:
    """The starts of one case, a column a dialect."""
    jobs = read_jobs(case)
    expected = {name: reference.starts(jobs, nodes, dialect) for name, dialect in dialects().items()}
    lines = [",".join(["job", *expected])]
    lines += [",".join([job.job, *(number(starts[job.job]) for starts in expected.values())]) for job in jobs]
    text = "\n".join(lines) + "\n"
    path = into / f"{case}.starts.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    if packed(case).exists():
        with path.with_suffix(".csv.gz").open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
            zipped.write(text.encode())
    else:
        path.write_text(text, encoding="utf-8")


def dialects() -> dict[str, reference.Dialect]:
    """The dialects of dialects.csv by name; an empty cell is the default."""
    return {
        row["dialect"]: reference.Dialect(
            row["backfilling"], int(row["reserve_depth"] or 1), row["reservations"] or "recomputed"
        )
        for row in rows(HERE / "dialects.csv")
    }


def read_jobs(case: str) -> list[reference.Job]:
    """The jobs of a case, in the order of the file."""
    path = packed(case) if packed(case).exists() else HERE / f"{case}.jobs.csv"
    return [
        reference.Job(row["job"], float(row["submit_s"]), int(row["nodes"]), float(row["run_s"]), float(row["limit_s"]))
        for row in rows(path)
    ]


def packed(case: str) -> Path:
    """Where the jobs of a large case are."""
    return HERE / f"{case}.jobs.csv.gz"


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(start_s: float | None) -> str:
    """A start without needless digits; nothing for a job that is rejected."""
    if start_s is None:
        return ""
    return str(int(start_s)) if start_s == int(start_s) else repr(start_s)


if __name__ == "__main__":
    main()

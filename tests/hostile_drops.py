"""Drops that do harm to a program that trusts them; each is made in a folder of its own."""

import gzip
import os

import duckdb

SACCT = (
    "JobID|Submit|Start|End|NNodes|NodeList|State\n"
    "1|2024-01-01T00:00:00|2024-01-01T00:00:01|2024-01-01T00:01:00|1|{}|COMPLETED\n"
)
LOG = "1 0 5 100 4 90 1000 4 200 2000 1 3 1 2 -1 -1 -1 -1\n"
NAMES = (
    "a; touch x", "$(touch x)", "{rule}{wildcards.drop}", "--target", "run_" + "0" * 20, "new\nline", "\x1b[31mred",
)  # fmt: skip
"""Names of folders that are commands, wildcards, options and codes of a terminal."""


def nested_folders(folder):
    """More folders in folders than Python calls in calls."""
    above = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=above)
        below = os.open("d", os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = below
    os.close(above)


def selector_without_end(folder):
    """A header over which a pattern with choices would take for ever."""
    (folder / "jobs.csv").write_text("time,{" + 'a=""  ' * 26 + "X\n1,2\n")


def many_brackets(folder):
    """A list of nodes that would be a number of nodes to the power of 1500."""
    (folder / "jobs.csv").write_text(SACCT.format("a[1]" * 1500))


def open_brackets(folder):
    """A list of nodes that no bracket ends."""
    (folder / "jobs.csv").write_text(SACCT.format("[" * 480_000))


def codes_of_a_terminal(folder):
    """A file whose name and rows XML cannot hold."""
    (folder / "a\x1b[31m.swf").write_text(LOG)


def cut_archive(folder):
    """The first half of a gzip file."""
    whole = gzip.compress(LOG.encode() * 1000, mtime=0)
    (folder / "cut.swf.gz").write_bytes(whole[: len(whole) // 2])


def no_parquet(folder):
    """A file that has the ends of a Parquet file and nothing between."""
    (folder / "samples.parquet").write_bytes(b"PAR1 this is none PAR1")


def pipe(folder):
    """A named pipe, which would be waited for."""
    os.mkfifo(folder / "jobs.csv")


def pipe_as_settings(folder):
    """Settings that are a named pipe."""
    os.mkfifo(folder / "trace.yaml")
    (folder / "log.swf").write_text(LOG)


def link_out(folder):
    """A link to a file of the machine."""
    (folder / "linked.swf").symlink_to("/etc/passwd")


def two_formats(folder):
    """Files of two formats."""
    (folder / "a.swf").write_text(LOG)
    (folder / "samples.csv").write_text("job_id,time_s,used_gb\na,0,1\n")


def objects(folder):
    """Settings that a careless loader would run."""
    (folder / "trace.yaml").write_text("!!python/object/apply:os.system ['touch x']\n")
    (folder / "log.swf").write_text(LOG)


def huge_group(folder):
    """Few kilobytes of Parquet that are two gigabytes of jobs in one row group."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT 1 AS job_id, 0 AS submit_s, 1 AS nodes, 1 AS runtime_s FROM range(30_000_000))"
            f" TO '{folder / 'jobs.parquet'}' (ROW_GROUP_SIZE 30_000_000, COMPRESSION zstd)"
        )


def nested_table(folder):
    """Lists of structs of lists where numbers belong."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT range AS job_id, [{a: [range]}] AS submit_s, [{a: [1]}] AS nodes, MAP {range: [range]} AS"
            f" runtime_s FROM range(10)) TO '{folder / 'jobs.parquet'}'"
        )


def many_sms(folder):
    """A curve to more SMs than any replay has room for."""
    (folder / "sm_curve.csv").write_text("app,sms,time_s\na,1,9\na,2,5\na,2000000000,1\n")


def many_files(folder):
    """Thousands of files of nothing."""
    for number in range(5000):
        (folder / f"{number}.csv").touch()


CASES = {
    case.__name__: (case, code)
    for case, code in [
        (nested_folders, 2), (selector_without_end, 2), (many_brackets, 0), (open_brackets, 0),
        (codes_of_a_terminal, 0), (cut_archive, 1), (no_parquet, 2), (pipe, 2), (pipe_as_settings, 2), (link_out, 2),
        (two_formats, 2),
        (objects, 2), (huge_group, 2), (nested_table, 2), (many_sms, 1), (many_files, 2),
    ]
}  # fmt: skip
"""Each with the exit code of `check`: 0 read, 1 read with rows or files left out, 2 refused."""

"""A copy of the project in which snakemake runs for real."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipeline.report.page import ASKED
from pipeline.runtime import manifest

ROOT = Path(__file__).resolve().parents[2]


MEASURED = "measured.parquet", "measured_gpu_partition"
"""File and table of what is measured of a run, and differs from one to the next."""
QUICK = ("config/quick.yaml", "as_by_default.yaml")
"""The small configuration, with the replays of synthetic workloads in a job each, as by default."""


class Project:
    """A copy of the project; `snakemake` runs it with the small configuration."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.results = folder / "results"

    def snakemake(
        self,
        *arguments: str,
        cores: int | None = 2,
        check: bool = True,
        settings: tuple[str, ...] = QUICK,
        environment: Mapping[str, str] = os.environ,
    ) -> subprocess.CompletedProcess:
        """Run snakemake as a user would; the output is text of both streams. On a cluster `cores` is None."""
        where = () if cores is None else ("--cores", str(cores))
        configured = ("--configfile", *settings) if settings else ()
        command = [str(Path(sys.executable).with_name("snakemake")), *where, *configured, *arguments]
        run = subprocess.run(
            command, cwd=self.folder, env=dict(environment), text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if check:
            assert run.returncode == 0, run.stdout
        return run

    def create(self) -> None:
        """Copy the project's own files to the folder."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)

    def without_results(self) -> None:
        """Make it a project that never ran."""
        for folder in (self.results, self.folder / ".snakemake"):
            shutil.rmtree(folder)

    @contextmanager
    def edited(self, name: str) -> Iterator[None]:
        """A file of the project with a comment more, for as long as the block lasts; then as it was, times too."""
        path = self.folder / name
        text, state = path.read_text(), path.stat()
        path.write_text(text + "\n# edited\n")
        try:
            yield
        finally:
            path.write_text(text)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    def digests(self, below: str = ".") -> dict[str, str]:
        """Hash of every result file but logs, measured durations, remembered answers, and the database itself."""
        return {
            str(path.relative_to(self.results)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((self.results / below).rglob("*"))
            if path.is_file()
            and not {"logs", ASKED} & set(path.parts)
            and path.suffix not in (".duckdb", ".built", ".md")
            # A manifest has the hashes of the files beside it, of measured durations among them.
            and path.name not in (MEASURED[0], manifest.FILE)
        }

    def content(self) -> dict[str, tuple[int, int]]:
        """Rows of each table of the database but the measured one: how many, and a sum of their hashes."""
        with duckdb.connect(str(self.results / "apportion.duckdb"), read_only=True) as connection:
            names = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
            return {
                name: connection.execute(f"SELECT count(*), sum(hash(t)::HUGEINT) FROM {name} t").fetchone()
                for (name,) in names
                if name != MEASURED[1]
            }

    def settings(self) -> set[tuple[str, str]]:
        """Names and values of the settings in the database."""
        with duckdb.connect(str(self.results / "apportion.duckdb"), read_only=True) as connection:
            return set(connection.execute("FROM setting").fetchall())

    def planned(self, *arguments: str) -> set[str]:
        """Outputs that a dry run would make."""
        text = self.snakemake("--dry-run", *arguments).stdout
        lines = (line.strip() for line in text.splitlines())
        return {name for line in lines if line.startswith("output: ") for name in line[len("output: ") :].split(", ")}

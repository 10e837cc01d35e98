"""A copy of the project in which Snakemake runs for real: all studies, schedulers of one's own, hardly any work.

Tests share one that ran (fixture `tiny`), and copy it where they change something.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb
import examples
import yaml

from pipeline import config
from pipeline.report.page import ASKED
from pipeline.runtime import manifest
from pipeline.runtime.sources import ROOT

OWN = {file.parents[1].name: file for file in sorted(Path(__file__).parent.glob("studies/*/own/*.py"))}
"""A scheduler that no study ships, by the study that gets it."""
GRAPHS = {"workload": "stand_in", "graphs": ["amazon"], "scale": 0.002, "algorithms": ["bfs"], "batches": 1}
SWEEPS = {
    "hpc_memory": {"sweeps": {
        "own": {"workload": "phased", "batches": 2, "jobs": 15, "memory_per_node_gb": [105]},
        "replayed": {"memory_over_mean": [1.0]},
        "composed": {"memory_over_mean": [1.0]},
    }},
    "pim_ranks": {"sweeps": {
        "own": {"workload": "sets", "sets": ["3"], "jobs": [12], "batches": 2, "members": 1},
        "dropped": {"batches": 2},
    }},
    "gpu_corun": {"sweeps": {"own": {"workload": "pairs"}, "dropped": {}}},
    "gpu_partition": {"sweeps": {
        "own": {"workload": "generated", "tasks": [8], "sets": 2, "utilisation": [4.0], "sms": [12],
                "stop": ["exhaust"]},
        "dropped": {},
        "measured": {"sets": 2, "load": [0.3]},
    }},
    "gpu_sharing": {"fairness": {"own": {"curves": "ensemble", "members": 2}, "stated": {}}},
    "pim_graph": {"sweeps": {"own": GRAPHS | {"stacks": [4], "qr": [64]}, "dropped": {"batches": 1, "qr": [64]}}},
    "memory_tiers": {"sweeps": {"whole": {"local_over_mean": [0.5], "pool_over_mean": [0.5]}}},
}  # fmt: skip
"""All sweeps that run; none names a scheduler."""
SETTINGS = "tiny.yaml"
SAID = "said.txt"
"""What the run of the shared project said."""
OURS = ("NUMBA_CACHE_LOCATOR_CLASSES", "POLARS_ENGINE_AFFINITY", "APPORTION_RUN", "NUMBA_BOUNDSCHECK")
"""Variables that the package, or the tests, set for their own process."""
MEASURED = "measured.parquet", "measured_gpu_partition"
"""File and table of what is measured of a run, and differs from one to the next."""


class Project:
    """A copy of the project in a folder, its drops in `drops` and its configuration in tiny.yaml."""

    def __init__(self, folder: Path):
        self.folder = folder.resolve()
        self.results = self.folder / "results"
        self.drops = self.folder / "drops"

    def create(self) -> Project:
        """Copy the project's own files to the folder, with the drops, the schedulers and the configuration."""
        copy(self.folder, "traces/", "tests/")
        examples.only(self.drops)
        log = self.drops / "lublin_like" / "lublin_like.swf"
        log.write_text("".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[:200]), encoding="utf-8")
        for study, file in OWN.items():
            shutil.copy(file, self.folder / "pipeline" / "studies" / study / "schedulers")
        self.set(smallest())
        return self

    def set(self, settings: dict) -> None:
        """Write the configuration."""
        (self.folder / SETTINGS).write_text(yaml.safe_dump(settings), encoding="utf-8")

    def copied(self, folder: Path) -> Project:
        """A copy in another folder, results included."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def begin(
        self, *arguments: str, cores: int | None = 2, environment: Mapping[str, str] = os.environ, **options
    ) -> subprocess.Popen:
        """Start Snakemake as a user would, as the leader of a process group. On a cluster `cores` is None."""
        where = () if cores is None else ("--cores", str(cores))
        command = [str(Path(sys.executable).with_name("snakemake")), *where, "--configfile", SETTINGS, *arguments]
        own = {name: value for name, value in environment.items() if name not in OURS}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | options
        return subprocess.Popen(command, cwd=self.folder, env=own, text=True, start_new_session=True, **streams)

    def run(self, *arguments: str, check: bool = True, **options) -> subprocess.CompletedProcess:
        """Run Snakemake to its end; `stdout` is the text of both streams."""
        process = self.begin(*arguments, **options)
        output = process.communicate()[0]
        assert not check or process.returncode == 0, output
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def planned(self, *arguments: str) -> set[str]:
        """Outputs that a dry run would make."""
        lines = map(str.strip, self.run("--dry-run", *arguments).stdout.splitlines())
        return {name for line in lines if line.startswith("output: ") for name in line[len("output: ") :].split(", ")}

    def without_results(self) -> None:
        """Make it a project that never ran."""
        for folder in (self.results, self.folder / ".snakemake"):
            shutil.rmtree(folder)

    @contextmanager
    def edited(self, *names: str) -> Iterator[None]:
        """Files of the project with a comment more, for as long as the block lasts; then as they were, times too."""
        paths = [self.folder / name for name in names]
        before = [(path.read_text(), path.stat()) for path in paths]
        for path, (text, _) in zip(paths, before, strict=True):
            path.write_text(text + "\n# edited\n")
        try:
            yield
        finally:
            for path, (text, state) in zip(paths, before, strict=True):
                path.write_text(text)
                os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    def files(self, below: str = ".") -> dict[str, str]:
        """SHA-256 of each result file, but of logs, measured durations, remembered answers and the database itself."""
        return {
            str(path.relative_to(self.results)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((self.results / below).rglob("*"))
            if path.is_file()
            and not {"logs", ASKED} & set(path.parts)
            and path.suffix not in (".duckdb", ".built", ".md")
            # A manifest has the hashes of the files beside it, of measured durations among them.
            and path.name not in (MEASURED[0], manifest.FILE)
        }

    def tables(self) -> dict[str, tuple[int, int]]:
        """Rows of each table of the database but the measured one: how many, and a sum of their hashes."""
        with self.database() as connection:
            names = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
            return {
                name: connection.execute(f"SELECT count(*), sum(hash(t)::HUGEINT) FROM {name} t").fetchone()
                for (name,) in names
                if name != MEASURED[1]
            }

    def database(self) -> duckdb.DuckDBPyConnection:
        """A connection to the database, to read."""
        return duckdb.connect(str(self.results / "apportion.duckdb"), read_only=True)

    def jobs(self) -> dict[int, str]:
        """Processes of jobs of this project, with the verb that each runs."""
        found = {}
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if (
                    entry.name.isdigit()
                    and words[1:3] == ["-m", "pipeline"]
                    and (entry / "cwd").readlink() == self.folder
                ):
                    found[int(entry.name)] = words[3]
            except OSError:
                continue
        return found


def copy(folder: Path, *left_out: str) -> None:
    """Copy the project's own files, committed or not, to a folder; without those whose names begin with `left_out`."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(left_out):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def smallest() -> dict:
    """The configuration: each sweep that has a name is left out, but for SWEEPS."""
    settings: dict = {"trace_roots": ["drops"], "together": True}
    for study, section in config.parse({}).model_dump().items():
        for key, value in section.items() if isinstance(section, dict) else ():
            if (
                isinstance(value, dict)
                and value
                and key != "sensitivity"
                and all(isinstance(sweep, (dict, type(None))) for sweep in value.values())
            ):
                settings.setdefault(study, {})[key] = dict.fromkeys(value)
    for study, parts in SWEEPS.items():
        for part, sweeps in parts.items():
            settings[study][part] |= sweeps
    return settings

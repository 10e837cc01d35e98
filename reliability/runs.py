"""Runs of the workflow in a copy of the project, so small that they can be disturbed many times, and what they leave.

Two versions of the same run differ in a drop and in a sweep, so that going from one to the other runs every stage and
replaces the database: whatever is read meanwhile has to be all of the one or all of the other.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import duckdb
import yaml

from pipeline import config
from pipeline.runtime import manifest
from pipeline.runtime.sources import ROOT

OURS = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES", "POLARS_ENGINE_AFFINITY", "APPORTION_RUN")
"""Variables that the package sets for its own process."""
DROP = "automotive_like"
NOT_COMPARED = ("logs", "README.md", "apportion.duckdb", "apportion.duckdb.built", ".asked")
"""Below results: what holds times, what is the project's, what is compared table by table, what is remembered."""
VERSIONS = {"first": 15, "second": 20}
"""Jobs of the synthetic batch of each version; the drop of the second lacks its last row."""
POLL_S = 0.05
UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}


class Project:
    """A copy of the project in `folder`, with one drop and a configuration of few scenarios.

    compiled: with compiled kernels; else they run as Python, and a fresh copy starts at once.
    """

    def __init__(self, folder: Path, *, compiled: bool = False) -> None:
        self.folder, self.results = folder.resolve(), folder.resolve() / "results"
        self.compiled = compiled
        self.tasks = self.folder / "drops" / DROP / "tasks.csv"

    def create(self) -> Project:
        """Copy the project's files to the folder, with the first version of drop and configuration; gives itself."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        shutil.copytree(self.folder / "traces" / DROP, self.tasks.parent)
        self.become("first")
        return self

    def copied(self, folder: Path) -> Project:
        """A copy in another folder, results included."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder, compiled=self.compiled)

    def become(self, version: str) -> None:
        """Put drop and configuration of a version in place."""
        settings = smallest()
        settings["hpc_memory"]["sweeps"]["phased"] = {
            "batches": 1, "jobs": VERSIONS[version], "memory_per_node_gb": [105]
        }  # fmt: skip
        settings["gpu_partition"]["sweeps"]["dropped"] = {"workload": "dropped", "schedulers": ["bf", "one_gpu"]}
        (self.folder / "tiny.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        text = self.whole if version == "first" else self.whole.rstrip("\n").rpartition("\n")[0] + "\n"
        self.tasks.write_text(text, encoding="utf-8")

    @property
    def whole(self) -> str:
        """The file of the drop as the project has it."""
        return (self.folder / "traces" / DROP / self.tasks.name).read_text(encoding="utf-8")

    def begin(self, *arguments: str, output: IO[str] | int = subprocess.PIPE, **options) -> subprocess.Popen:
        """Start the user's command, as the leader of a process group of its own."""
        environment = {name: value for name, value in os.environ.items() if name not in OURS}
        environment |= {} if self.compiled else UNCOMPILED
        command = [str(Path(sys.executable).with_name("snakemake")), "--cores", "2", "--configfile", "tiny.yaml"]
        return subprocess.Popen(
            [*command, *arguments], cwd=self.folder, env=environment, text=True, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True, **options,
        )  # fmt: skip

    def run(self, *arguments: str, check: bool = True, **options) -> tuple[int, str]:
        """Exit code and output of the user's command. Raises RuntimeError where it fails and `check` is set."""
        process = self.begin(*arguments, **options)
        output = process.communicate()[0]
        if check and process.returncode:
            raise RuntimeError(f"the run failed: {output}")
        return process.returncode, output

    def jobs(self) -> dict[int, str]:
        """Processes of jobs of this project, with the verb that each runs."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if words[1:3] == ["-m", "pipeline"] and (entry / "cwd").readlink() == self.folder:
                    found[int(entry.name)] = words[3]
            except OSError:
                continue
        return found

    def seconds(self) -> dict[str, float]:
        """How long jobs of each verb took at the most, s, by the benchmark files of the last run."""
        verbs = {"scenarios": "scenarios", "ingest": "ingest", "replay": "replay-part"}
        longest: dict[str, float] = {}
        for path in (self.results / "logs").rglob("*.tsv"):
            stage = path.relative_to(self.results / "logs").parts[0].removesuffix(".tsv")
            verb = verbs.get(stage, stage)
            longest[verb] = max(longest.get(verb, 0.0), float(path.read_text().splitlines()[1].split("\t")[0]))
        return longest

    def files(self) -> dict[str, str]:
        """SHA-256 of every file of the results, hidden ones that were left behind included."""
        return {
            str(path.relative_to(self.results)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.results.rglob("*"))
            if path.is_file()
            and path.relative_to(self.results).parts[0] not in NOT_COMPARED
            # Durations, and hashes of the files beside them.
            and path.name not in ("measured.parquet", manifest.FILE)
        }

    def tables(self) -> dict[str, str]:
        """SHA-256 of the sorted rows of every table of the database; measured durations are left out."""
        with duckdb.connect(str(self.results / "apportion.duckdb"), read_only=True) as connection:
            return {
                name: hashlib.sha256(
                    repr(connection.execute(f"FROM {name} ORDER BY ALL").fetchall()).encode()
                ).hexdigest()
                for name in _names(connection)
                if not name.startswith("measured")
            }

    def rows(self) -> dict[str, int]:
        """Number of rows of every table of the database."""
        with duckdb.connect(str(self.results / "apportion.duckdb"), read_only=True) as connection:
            return {
                name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in _names(connection)
            }


def kill(process: subprocess.Popen, *, group: bool) -> None:
    """kill -9 of Snakemake, alone or with all jobs that it started."""
    if group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


class Reader(threading.Thread):
    """Opens the database again and again: it has to be there, and to be all of one version, at any moment."""

    def __init__(self, project: Project, complete: Sequence[dict[str, int]]) -> None:
        super().__init__(name="reader", daemon=True)
        self.project, self.complete = project, complete
        self.reads, self.failures = 0, []
        self._ended = threading.Event()

    def run(self) -> None:
        """Read until `end`."""
        while not self._ended.is_set():
            self.reads += 1
            try:
                rows = self.project.rows()
            except (duckdb.Error, OSError) as error:
                self.failures.append(str(error))
            else:
                if rows not in self.complete:
                    self.failures.append(f"rows of no version: {rows}")
            time.sleep(POLL_S)

    def end(self) -> None:
        """Stop after the read that is under way."""
        self._ended.set()
        self.join()


def _names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()]


def smallest() -> dict:
    """Settings in which every study runs nothing: all named sweeps are null."""
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
    return settings

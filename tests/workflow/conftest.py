"""A copy of the project in which snakemake runs for real."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


QUICK = ("config/quick.yaml",)
ONE_BY_ONE = ("config/quick.yaml", "one_by_one.yaml")


class Project:
    """A copy of the project; `snakemake` runs it with the small configuration, a job a scheduler."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.results = folder / "results"

    def snakemake(
        self, *arguments: str, cores: int = 2, check: bool = True, settings: tuple[str, ...] = ONE_BY_ONE
    ) -> subprocess.CompletedProcess:
        """Run snakemake as a user would; the output is text of both streams."""
        command = [str(Path(sys.executable).with_name("snakemake")), "--cores", str(cores), "--configfile",
                   *settings, *arguments]  # fmt: skip
        environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "POLARS_ENGINE_AFFINITY")}
        run = subprocess.run(
            command, cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False,
        )  # fmt: skip
        if check:
            assert run.returncode == 0, run.stdout
        return run

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

    def planned(self, *arguments: str) -> set[str]:
        """Outputs that a dry run would make."""
        text = self.snakemake("--dry-run", *arguments).stdout
        lines = (line.strip() for line in text.splitlines())
        return {name for line in lines if line.startswith("output: ") for name in line[len("output: ") :].split(", ")}


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Project:
    """The project, copied and run once on two cores."""
    folder = tmp_path_factory.mktemp("clone") / "apportion"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ONE_BY_ONE[1]).write_text("together: false\n")
    made = Project(folder)
    made.snakemake()
    return made

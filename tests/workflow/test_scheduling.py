"""Snakemake looks for jobs when one has ended, not ever more often; a limit that was asked for is kept."""

import subprocess
import sys

import pytest

from pipeline.runtime.sources import ROOT

COUNTS_LOOKS = """
import sys
from snakemake import cli
from snakemake.scheduling.job_scheduler import JobScheduler
later = JobScheduler._schedule_reevalutation
def looks_again(self, delay):
    print("looks again after", delay, "s")
    later(self, delay)
JobScheduler._schedule_reevalutation = looks_again
cli.main(sys.argv[1:])
"""


@pytest.mark.parametrize(("options", "spans"), [((), set()), (("--max-jobs-per-timespan", "20/2s"), {"2.0"})])
def test_snakemake_looks_again_by_itself_only_where_a_limit_was_asked_for(tmp_path, options, spans):
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "traces").mkdir()
    run = subprocess.run(
        [sys.executable, "-c", COUNTS_LOOKS, "--snakefile", ROOT / "Snakefile", "--directory", tmp_path,
         "--configfile", "config/quick.yaml", "--cores", "1", *options, "results/settings/hpc_memory.json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (tmp_path / "results/settings/hpc_memory.json").is_file()
    said = {line.split()[3] for line in run.stdout.splitlines() if line.startswith("looks again")}
    assert said == spans

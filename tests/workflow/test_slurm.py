"""The workflow on Slurm: the profile's rules and resources on a cluster of one machine, same bytes as without it."""

import one_machine_slurm
import pytest
from project_copy import Project

from reliability import runs

pytestmark = pytest.mark.workflow

MISSING = one_machine_slurm.missing()
IMPATIENT = (
    "--slurm-init-seconds-before-status-checks=1",
    "--seconds-between-status-checks=1",
    "--slurm-status-command=squeue",
    "--slurm-no-account",
)
"""Asks after jobs at once: those of a small configuration end within seconds; without a database of accounts."""


@pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (Debian: slurmctld slurmd slurm-client munge)"
)
def test_the_cluster_gives_the_same_bytes_as_one_machine(first, tmp_path):
    cluster = first.copied(tmp_path / "apportion")
    project = Project(cluster.folder)
    project.without_results()
    with one_machine_slurm.running() as environment:
        run = project.snakemake(
            "--profile", "profiles/slurm", "--jobs", "4", *IMPATIENT,
            cores=None, settings=("tiny.yaml",), environment=environment | runs.UNCOMPILED,
        )  # fmt: skip
    assert run.stdout.count("has been submitted with SLURM jobid") > 5
    assert cluster.files() == first.files()
    assert cluster.tables() == first.tables()

"""The workflow on Slurm: the profile's rules and resources on a cluster of one machine, same bytes as without it."""

import one_machine_slurm
import pytest

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
def test_the_cluster_gives_the_same_bytes_as_one_machine(tiny, own_project):
    """One drop and one study: the rules and their resources are those of all."""
    own_project.without_results()
    with one_machine_slurm.running() as environment:
        run = own_project.run(
            "--profile", "profiles/slurm", "--jobs", "4", *IMPATIENT, "--config", "studies=[gpu_partition]",
            "--", *(f"results/replay/gpu_partition/bf/{part}/0" for part in ("synthetic", "trace-automotive_like")),
            cores=None, environment=environment,
        )  # fmt: skip
    assert run.stdout.count("has been submitted with SLURM jobid") >= 3
    made = {name: digest for name, digest in own_project.files().items() if not name.startswith("settings/")}
    assert len(made) > 20
    assert made.items() <= tiny.files().items()

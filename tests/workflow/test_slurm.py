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
"""Asks after jobs at once: those of the small configuration end within seconds; without a database of accounts."""


@pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (Debian: slurmctld slurmd slurm-client munge)"
)
def test_the_cluster_gives_the_same_bytes_as_one_machine(finished, own_project):
    """Replays of all schedulers of a part in one job, as the small configuration has it, against one by one."""
    local = finished.digests(), finished.content()
    own_project.without_results()
    with one_machine_slurm.running() as environment:
        run = own_project.snakemake(
            "--profile", "profiles/slurm", "--jobs", "4", *IMPATIENT,
            cores=None, settings=("config/quick.yaml",), environment=environment,
        )  # fmt: skip
    cluster = own_project.digests(), own_project.content()
    assert run.stdout.count("has been submitted with SLURM jobid") > 20
    assert {name for name in local[0] if cluster[0].get(name) != local[0][name]} == {"settings/configuration.json"}
    assert cluster[0].keys() == local[0].keys()
    assert cluster[1] | {"setting": None} == local[1] | {"setting": None}

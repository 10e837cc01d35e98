"""What a job does not use it does not load: starting takes most of the time of the many short jobs of a run."""

import subprocess
import sys

import pytest

SLOW = ("scipy.stats", "scipy.optimize", "scipy.special", "scipy.sparse", "sqlalchemy", "altair", "snakemake", "pandas")


@pytest.mark.slow
@pytest.mark.parametrize(
    "modules",
    [
        "pipeline.stages.ingest, pipeline.readers.swf, pipeline.readers.edge_list",
        "pipeline.stages.fit",
        "pipeline.stages.scenarios, pipeline.studies.hpc_memory.workload, pipeline.studies.gpu_partition.workload",
        "pipeline.stages.together, pipeline.studies.pim_ranks, pipeline.studies.gpu_sharing",
    ],
)
def test_a_stage_starts_without_what_few_of_its_jobs_use(modules):
    # As main() begins: dataframely would load sqlalchemy.
    code = (
        f"import sys; sys.modules['sqlalchemy'] = None; import {modules}; print(*filter(sys.modules.get, sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "polars" in loaded
    assert not set(SLOW) & set(loaded)


def test_the_verbs_do_without_sqlalchemy():
    code = """
import sys
from unittest import mock
from pipeline import __main__ as verbs
with mock.patch.object(verbs, "app"):
    verbs.main()
import dataframely
print([name for name in sys.modules if name.startswith("sqlalchemy.")])
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "[]\n"

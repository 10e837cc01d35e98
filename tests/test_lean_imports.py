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


@pytest.mark.parametrize("table", ["jobs", "samples", "curves"])
def test_a_check_of_a_table_does_without_numba(tmp_path, table):
    header = {
        "jobs": "job_id,submit_s,nodes,runtime_s\na,0,1,5\n",
        "samples": "job_id,time_s,used_gb\na,0,1\na,5,2\n",
        "curves": "app,sms,time_s\na,1,5\na,2,3\n",
    }[table]
    (tmp_path / "table.csv").write_text(header)
    code = f"""
import sys
sys.modules["sqlalchemy"] = None
from pathlib import Path
from pipeline.stages.ingest import check
assert check(Path({str(tmp_path)!r}))[1] == 0
print([name for name in sys.modules if name in ("numba", "scipy.stats", "altair")])
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "[]\n"


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

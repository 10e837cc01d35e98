"""Small inputs on which compiled loops once wrote beyond an array, or never ended.

Compiled they end well, and as plain Python, too, where every index beyond an array is an IndexError.
"""

import os
import shutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest
from pipeline.studies import hpc_memory

pytestmark = pytest.mark.real
READ_AND_FIT = """\
import sys
from pathlib import Path
from pipeline.stages import fit, ingest
drop, target = map(Path, sys.argv[1:])
print(ingest.ingest(drop, target / "ingest").traces.select("jobs", "samples").row(0))
fit.fit(target / "ingest", target / "fit")
"""


def run(folder, jit, *words):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": str(int(jit == "plain"))}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("jit", ["compiled", "plain"])
@pytest.mark.parametrize(
    # Hosts of a record that a later one supersedes; samples of two nodes within 5e-324 s, of which one counts.
    ("name", "said"),
    [("crash_requeued_host.lsb.acct", "(11, 0)"), ("probe/tiny_times", "(2, 4)")],
)
def test_it_is_read_and_fitted(trace_data, tmp_path, name, said, jit):
    source, drop = trace_data / "field" / name, tmp_path / "demo"
    shutil.copytree(source, drop) if source.is_dir() else (drop.mkdir(), shutil.copy(source, drop))
    assert said in run(tmp_path, jit, "-c", READ_AND_FIT, str(drop), str(tmp_path))


def read(drop, target):
    """Status, jobs and reasons of rejection of a drop."""
    ingest.ingest(drop, target)
    traces, rejected = (pl.read_parquet(target / f"{name}.parquet") for name in ("traces", "rejected_rows"))
    return traces["status"].to_list(), traces["jobs"].sum(), rejected["reason"].to_list()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("far_end", (["read"], 3, ["runtime_s_too_large"])),
        ("far_release", (["read"], 4, ["submit_s_too_large"])),
        ("long_limits", (["refused"], 0, ["walltime_s_too_large"] * 60)),
        ("weights_19_digits", (["refused"], 0, ["weight_too_large"])),
        ("tiny_times", (["read"], 2, ["duplicate_sample"] * 2)),
        ("zero_division", (["read"], 30, [])),
    ],
)
def test_what_no_machine_has_is_rejected_with_a_reason(trace_data, tmp_path, name, found):
    assert read(trace_data / "field" / "probe" / name, tmp_path / "out") == found


LOG = "JobID|Submit|Start|End|Timelimit|NNodes|State\n"
LINE = "{}|{}|2024-01-01T00:01:00|{}|{}|1|COMPLETED\n"
DAY = "2024-01-01T00:00:00"


def test_instants_before_1970_and_limits_beyond_ten_years_are_rejected(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    lines = [(DAY, "2024-01-01T01:00:00", "01:00:00"), ("0001-01-01T00:00:00", "2024-01-01T01:00:00", "01:00:00"),
             (DAY, "2124-06-01T00:00:00", "01:00:00"), (DAY, "2024-01-01T01:00:00", "3660-00:00:00"),
             (DAY, "2024-01-01T01:00:00", "3640-00:00:00")]  # fmt: skip
    (drop / "log.psv").write_text(LOG + "".join(LINE.format(n, *line) for n, line in enumerate(lines)))
    reasons = ["submit_s_unreadable", "runtime_s_too_large", "walltime_s_too_large"]
    assert read(drop, tmp_path / "out") == (["read"], 2, reasons)


def test_limits_beyond_all_times_are_replayed(tmp_path):
    """From 2^34 s on a time less a microsecond is the same number. Tables of a replay may hold such limits."""
    jobs = pl.DataFrame(
        {"workload_id": "w", "job_id": range(60), "submit_s": 10.0 * np.arange(60), "nodes": 1 + np.arange(60) % 4,
         "walltime_s": 999_999_999.0}
    )  # fmt: skip
    phases = jobs.select("workload_id", "job_id", phase=0, duration_s=pl.lit(100.0), memory_gb=pl.lit(0.0))
    scenario = pl.DataFrame(
        {"scenario_id": ["s"], "workload_id": ["w"], "scheduler": ["unlimited"], "nodes": [4], "seed": [0],
         "backfilling": ["reserve"], "reservations": ["kept"], "reserve_depth": [50]}
    )  # fmt: skip
    outcomes = hpc_memory.replay({"jobs": jobs, "phases": phases}, scenario)["outcomes"]
    assert (outcomes["end_s"] - outcomes["start_s"]).to_list() == pytest.approx([100.0] * 60)

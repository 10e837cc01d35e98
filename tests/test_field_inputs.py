"""Small inputs on which compiled loops once wrote beyond an array: compiled they end well, and as plain Python, too.

As plain Python every index beyond an array is an IndexError; compiled, it may be anything.
"""

import os
import shutil
import subprocess
import sys

import pytest

from pipeline.runtime.sources import ROOT

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
    # Hosts of a record that a later one supersedes; samples of two nodes within 5e-324 s.
    ("name", "said"),
    [("crash_requeued_host.lsb.acct", "(11, 0)"), ("probe/tiny_times", "(2, 6)")],
)
def test_it_is_read_and_fitted(trace_data, tmp_path, name, said, jit):
    source, drop = trace_data / "field" / name, tmp_path / "demo"
    shutil.copytree(source, drop) if source.is_dir() else (drop.mkdir(), shutil.copy(source, drop))
    assert said in run(tmp_path, jit, "-c", READ_AND_FIT, str(drop), str(tmp_path))


@pytest.mark.parametrize("jit", ["plain", pytest.param("compiled", marks=pytest.mark.exhaustive)])
def test_limits_of_544_years_are_replayed_and_compared(trace_data, tmp_path, jit):
    """From 2^34 s on a time less a microsecond is the same number."""
    said = run(tmp_path, jit, "-m", "pipeline", "answer", str(trace_data / "field" / "probe" / "long_limits"))
    assert "how true: mean wait" in said

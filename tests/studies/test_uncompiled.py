"""Engines and rules as plain Python (NUMBA_DISABLE_JIT=1) give the bytes that they give compiled."""

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from contracts import HERE, contract_of, everyone
from examples import cases

from pipeline.runtime.sources import ROOT

STUDIES = sorted({study for study, *_ in everyone()})
ALWAYS = ("hpc_memory", "pim_graph", "gpu_corun")
MEASURED = "measured"
"""Table that differs from run to run."""


def write(study: str, target: Path) -> None:
    """Replay a case of each scheduler of a study, those with the tests among them; tables as text below `target`."""
    contract, module = contract_of(study), importlib.import_module(f"pipeline.studies.{study}")
    for _, name, file in (each for each in everyone() if each[0] == study):
        if file:
            spec = importlib.util.spec_from_file_location(f"{module.__name__}.schedulers.{name}", file)
            own = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(own)
            module.SCHEDULERS[name] = own
        inputs, scenarios = contract.case(name, 1)
        few = scenarios[contract.workload].unique().sort()[:2].implode()
        for table, frame in module.replay(inputs, scenarios.filter(pl.col(contract.workload).is_in(few))).items():
            if table != MEASURED:
                frame.write_csv(target / f"{name}.{table}.csv")


@pytest.mark.slow
@pytest.mark.parametrize("study", cases(STUDIES, ALWAYS))
def test_results_are_the_same_without_compilation(study, tmp_path):
    results = {}
    for switched_off in ("0", "1"):
        target = tmp_path / switched_off
        target.mkdir()
        environment = os.environ | {"NUMBA_DISABLE_JIT": switched_off, "PYTHONPATH": f"{ROOT}:{HERE}:{HERE.parent}"}
        run = subprocess.run([sys.executable, __file__, study, target], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        results[switched_off] = {path.name: path.read_text() for path in target.iterdir()}
    assert {name.partition(".")[0] for name in results["0"]} == {name for of, name, _ in everyone() if of == study}
    assert results["1"] == results["0"]


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))

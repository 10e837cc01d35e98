"""Small generated drops that tests run on: some ship as examples, the others lie beside the tests."""

import shutil
from pathlib import Path

from pipeline.runtime.sources import ROOT

TRACES = {
    name: folder / name
    for folder, names in (
        (ROOT / "traces", ("automotive_like", "marconi_like", "thesis_table_6")),
        (ROOT / "tests" / "traces", ("amazon_like", "lublin_like", "nvprof_like", "prim_like")),
    )
    for name in names
}
"""Folders of the drops by name."""


def only(traces: Path) -> None:
    """Leave in `traces`, a folder of drops, just these."""
    shutil.rmtree(traces, ignore_errors=True)
    for name, folder in TRACES.items():
        shutil.copytree(folder, traces / name)

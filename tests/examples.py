"""Small generated drops that tests run on, made anew by each process, and examples that ship."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from pipeline import synthetic
from pipeline.runtime.sources import ROOT

MADE = {
    "amazon_like": lambda folder: synthetic.write_graph(folder, graph="amazon", scale=0.003, seed=1),
    "lublin_like": lambda folder: synthetic.write_swf(folder, seed=1, jobs=1500, processors=128),
    "marconi_like": lambda folder: synthetic.write_memory_samples(folder, seed=2, jobs=60, nodes=54),
    "nvprof_like": lambda folder: synthetic.write_nvprof(folder, seed=1),
    "prim_like": lambda folder: synthetic.write_prim(folder, seed=1),
}
"""What writes each generated drop. Here `marconi_like` is one table of samples; the one that ships is days."""
SHIPPED = ("automotive_like", "thesis_table_6")
NAMES = (*MADE, *SHIPPED)


@cache
def trace(name: str) -> Path:
    """Folder of a drop, which tests only read."""
    if name in SHIPPED:
        return ROOT / "traces" / name
    folder = Path(tempfile.mkdtemp(prefix="apportion-examples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    MADE[name](folder / name)
    return folder / name


def only(traces: Path) -> None:
    """Leave in `traces`, a folder of drops, just these."""
    shutil.rmtree(traces, ignore_errors=True)
    for name in NAMES:
        shutil.copytree(trace(name), traces / name)

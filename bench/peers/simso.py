"""SimSo (Chéramy, Hladik, Déplanche, 2014), a simulator of real-time scheduling, in an environment of its own.

It pins a version of SimPy that nothing else here could live with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers import Unavailable, environments, process

VERSION = "0.8.5"
DRIVER = Path(__file__).with_name("simso_driver.py")

Tasks = Sequence[tuple[int, int, int]]


def simulate(
    folder: Path, sets: Sequence[tuple[Tasks, int]], scratch: Path, timeout_s: float
) -> tuple[list[bool], float]:
    """Whether preemptive EDF meets all deadlines of each set of tasks (C, T, D), and the seconds that it simulated.

    sets: tasks, which are released together, and how long they run. Raises Unavailable where SimSo cannot be installed
    or fails, TimeoutError where it takes longer than `timeout_s`.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    source = scratch / "sets.json"
    source.write_text(json.dumps(sets), encoding="utf-8")
    return _driven(folder, ["simulate", source], scratch, timeout_s)


def generate(
    folder: Path, tasks: int, load: float, count: int, scratch: Path, timeout_s: float
) -> tuple[np.ndarray, float]:
    """The largest utilisations (count,) of sets drawn by UUniFast with discard, and the seconds that drawing took.

    load: sum of the utilisations of a set. Raises what `simulate` raises.
    """
    largest, drawn_s = _driven(folder, ["generate", str(tasks), str(load), str(count)], scratch, timeout_s)
    return np.array(largest), drawn_s


def _driven(folder: Path, command: Sequence[str | Path], scratch: Path, timeout_s: float) -> tuple[list, float]:
    """What the driver writes, and the seconds that it prints."""
    python = environments.environment(folder, f"SimSo {VERSION}", [f"simso=={VERSION}"])
    scratch.mkdir(parents=True, exist_ok=True)
    target = scratch / "found.json"
    target.unlink(missing_ok=True)
    # Isolated, since this folder, with a file of the same name, would come first on its path.
    done = process([python, "-I", "-W", "ignore", DRIVER, target, *command], timeout_s, scratch)
    if not target.exists() or not done.output.strip():
        raise Unavailable("SimSo wrote nothing")
    return json.loads(target.read_text(encoding="utf-8")), float(done.output.split()[-1])

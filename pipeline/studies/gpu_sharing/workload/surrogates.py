"""Surrogate curves for Chapters 4 and 5 of the thesis: random ones that agree with what it prints of them.

The thesis prints no curve of these chapters, but sizes that suffice for a target, losses beside others and speed-ups
with the clock. Priors, conditions and their sources: docs/models/gpu_sharing-qos.md. Nothing here was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from pipeline.statistics.streams import stream
from pipeline.studies.gpu_sharing.model.variation import COMPUTE_BOUND, FULL_RAISE

SMS, MEMORY_CONTROLLERS = 30, 8
"""The modelled GPU (Chapter 3)."""
MACHINES = ((15, 8), (15, 4), (10, 8), (10, 3))
"""SMs and memory controllers of the machines of Figure 4."""
QOS = ("AES-D", "JPEG-D", "SHA1")
BEST_EFFORT = ("DVC", "Fractals", "ID", "RAY", "SAD")
COMPUTE, MEMORY = ("AES-E", "ID", "RAY", "SAD"), ("BPR", "DVC", "JPEG-D", "NN", "SHA1")
"""Classes of Section 4.1."""
LOSSES = {"AES-D": (0.003, 0.003), "JPEG-D": (0.16, 0.232), "SHA1": (0.182, 0.24)}
"""Largest loss of throughput on 15 and on 10 SMs, with the other application on the rest (Table 5)."""

CLOCKS = (1.0, 1.1, 1.2, 1.3, 1.4)
"""Clocks of Figure 4, over 1.3 GHz."""

IPC, SHA1_IPC = (50.0, 1000.0), 400.0
SATURATION_SMS, SHARPNESS = (3.0, 300.0), (1.0, 32.0)
SENSITIVITY = {True: (0.0, 0.005), False: (0.005, 0.015)}
PRESSURE = {True: (0.0, 0.5), False: (0.5, 1.0)}
"""Ranges of what an application suffers of others and does to them, by whether it is compute-bound."""

BATCH, MOST_BATCHES = 1 << 15, 200
"""Draws that are tried for an application at once, and how often before it is given up."""


@dataclass(frozen=True)
class Shape:
    """Parameters of a batch of curves, arrays of one shape: saturation (SMs, with all memory controllers) and bend."""

    saturation_sms: np.ndarray
    sharpness: np.ndarray

    def relative(self, sms: float, memory_controllers: int = MEMORY_CONTROLLERS) -> np.ndarray:
        """IPC on so many SMs (at the base clock) up to a factor that is the same for all numbers of SMs."""
        x = sms / (self.saturation_sms * memory_controllers / MEMORY_CONTROLLERS)
        return x / (1.0 + x**self.sharpness) ** (1.0 / self.sharpness)

    def share(self, sms: float) -> np.ndarray:
        """IPC over that on all SMs."""
        return self.relative(sms) / self.relative(SMS)

    def speedup(self, sms: int, memory_controllers: int, clock: float = 1.0 + FULL_RAISE) -> np.ndarray:
        """Speed-up at so many times the base clock (Figure 4)."""
        faster = self.relative(clock * sms, memory_controllers)
        return faster / self.relative(sms, memory_controllers)

    def fewest_is(self, sms: int, level: float) -> np.ndarray:
        """Whether so many SMs are the fewest for a level (share) of half of the IPC on all SMs."""
        return (self.share(sms) >= level / 2) & (self.share(sms - 1) < level / 2)

    def compute_bound(self) -> np.ndarray:
        """Whether the speed-up is 1.30 or more in each machine of Figure 4."""
        return self.over_machines().min(axis=0) >= COMPUTE_BOUND

    def mean_speedup(self) -> np.ndarray:
        """Mean over the machines of Figure 4."""
        return self.over_machines().mean(axis=0)

    def over_machines(self) -> np.ndarray:
        """Speed-ups in the machines of Figure 4, along a first axis."""
        return np.stack([self.speedup(*machine) for machine in MACHINES])


def _near(value: np.ndarray, printed: float) -> np.ndarray:
    return np.abs(value - printed) <= 0.03


CONDITIONS: Mapping[str, Callable[[Shape], np.ndarray]] = {
    "AES-D": lambda s: s.fewest_is(15, 1.0) & s.fewest_is(12, 0.8),
    "BPR": lambda s: ~s.compute_bound(),
    "DVC": lambda s: ~s.compute_bound() & _near(s.speedup(10, 8), 1.37) & _near(s.speedup(10, 3), 1.23),
    "Fractals": lambda s: np.ones_like(s.sharpness, bool),
    "JPEG-D": lambda s: ~s.compute_bound() & s.fewest_is(11, 0.8),
    "NN": lambda s: s.over_machines().max(axis=0) <= 1.15,
    "SHA1": lambda s: (
        s.fewest_is(11, 1.0) & s.fewest_is(9, 0.8) & _near(s.speedup(10, 8), 1.39) & (s.speedup(10, 3) <= 1.05)
    ),
}
"""What is printed of an application that does not depend on another one."""


def draw(members: int, seed: int) -> dict[str, pl.DataFrame]:
    """Curves of the applications of Chapters 4 and 5, and what goes with them; fewer members are the first of more.

    Returns `curves` (member, app, sms 1..30, ipc), `apps` (member, app, sensitivity, pressure, ipc_all, saturation_sms,
    sharpness) and `clock_speedups` (member, app, sms, memory_controllers, clock, speedup), sorted by member and
    application.
    Raises ValueError where too few draws agree with what is printed.
    """
    shapes = {app: _accepted(app, holds, members, seed) for app, holds in CONDITIONS.items()}
    shapes |= _compute_bound(members, seed)
    frames: dict[str, list[pl.DataFrame]] = {"curves": [], "apps": [], "clock_speedups": []}
    for app, shape in sorted(shapes.items()):
        random = stream(seed, "gpu_sharing surrogate", app)
        compute = app in COMPUTE or app in ("AES-D", "Fractals")
        u = random.random((members, 3))
        ipc_all = np.full(members, SHA1_IPC) if app == "SHA1" else _log_uniform(u[:, 0], IPC)
        of_table_5 = _sensitivity_range(*LOSSES[app]) if app in LOSSES else None
        key = {"member": np.arange(members), "app": [app] * members}
        frames["apps"].append(
            pl.DataFrame(
                {
                    **key,
                    "sensitivity": _uniform(u[:, 1], of_table_5 or SENSITIVITY[compute]),
                    "pressure": _uniform(u[:, 2], PRESSURE[compute]),
                    "ipc_all": ipc_all,
                    "saturation_sms": shape.saturation_sms,
                    "sharpness": shape.sharpness,
                }
            )
        )
        frames["curves"] += [
            pl.DataFrame({**key, "sms": [n] * members, "ipc": ipc_all * shape.share(n)}) for n in range(1, SMS + 1)
        ]
        frames["clock_speedups"] += [
            pl.DataFrame(
                {
                    **key,
                    "sms": [sms] * members,
                    "memory_controllers": [controllers] * members,
                    "clock": [clock] * members,
                    "speedup": shape.speedup(sms, controllers, clock),
                }
            )
            for (sms, controllers), clock in product(MACHINES, CLOCKS)
        ]
    order = {"curves": ("sms",), "apps": (), "clock_speedups": ("sms", "memory_controllers", "clock")}
    return {name: pl.concat(parts).sort("member", "app", *order[name]) for name, parts in frames.items()}


def _sensitivity_range(loss_at_15: float, loss_at_10: float) -> tuple[float, float]:
    """What each row of Table 5 gives for the rise of an application's time by an SM of a co-runner of pressure 1."""
    both = [(1.0 / (1.0 - loss) - 1.0) / other for loss, other in ((loss_at_15, 15), (loss_at_10, 20))]
    return min(both), max(both)


def _uniform(u: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return bounds[0] + (bounds[1] - bounds[0]) * u


def _log_uniform(u: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return np.exp(_uniform(u, (np.log(bounds[0]), np.log(bounds[1]))))


def _drawn(random: np.random.Generator, shape: tuple[int, ...]) -> Shape:
    u = random.random((2, *shape))
    return Shape(_log_uniform(u[0], SATURATION_SMS), _log_uniform(u[1], SHARPNESS))


def _accepted(app: str, holds: Callable[[Shape], np.ndarray], members: int, seed: int, width: int = 1) -> Shape:
    """The first draws that hold; with `width` > 1 draws of so many applications together, along a second axis."""
    random = stream(seed, "gpu_sharing surrogate shape", app)
    good_shapes: list[np.ndarray] = []
    for _ in range(MOST_BATCHES):
        shape = _drawn(random, (BATCH, width) if width > 1 else (BATCH,))
        good = holds(shape)
        good_shapes.append(np.stack([shape.saturation_sms[good], shape.sharpness[good]]))
        if sum(part.shape[1] for part in good_shapes) >= members:
            saturation_sms, sharpness = np.concatenate(good_shapes, axis=1)[:, :members]
            return Shape(saturation_sms, sharpness)
    agree = sum(part.shape[1] for part in good_shapes)
    raise ValueError(f"{app}: {agree} of {BATCH * MOST_BATCHES} surrogate curves agree with the thesis, not {members}")


def _compute_bound(members: int, seed: int) -> dict[str, Shape]:
    """AES-E, ID, RAY and SAD: compute-bound, and the first two scale better than the last two (Section 4.2.2)."""

    def holds(shapes: Shape) -> np.ndarray:
        mean = shapes.mean_speedup()
        return shapes.compute_bound().all(axis=1) & (mean[:, :2].min(axis=1) > mean[:, 2:].max(axis=1))

    drawn = _accepted("compute-bound", holds, members, seed, width=len(COMPUTE))
    return {app: Shape(drawn.saturation_sms[:, i], drawn.sharpness[:, i]) for i, app in enumerate(COMPUTE)}

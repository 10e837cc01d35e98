"""Sets of jobs: the mixes W1 to W5 of Table 2, and proxies of VirtualPIM's sets, which are not published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.fit.measured_shapes import GROUP_1, TABLE_2

GROUP_2 = tuple(app for app in TABLE_2 if app not in GROUP_1)
MIX = {"1": (1, 0), "2": (2, 1), "3": (1, 1), "4": (1, 2), "5": (0, 1)}
"""Parts of Group 1 and Group 2 in each set."""
UNIFORM = "uniform"
"""The set that is drawn among all applications of a drop, whichever these are."""

HOST_SHARE, HEAVY_HOST_SHARE = 0.2, 0.8
"""Host work of the proxies as a share of an application's least time; VW5 consists of host-heavy ones (Section 4.5)."""
PROXY_MIX = MIX | {"5": (1, 1)}
KERNEL_STAGES = {"SCAN-RSS": 2, "SCAN-SSA": 2}
"""Applications whose data is used by two kernels one after the other, with the host in between; the others have one."""
TRANSFER = (0.2, 0.7, 0.1)
"""Input, kernel and output as shares of the PIM time of a proxy's stage."""


class Groups(NamedTuple):
    """Applications that a set is drawn from."""

    first: tuple[str, ...]
    second: tuple[str, ...]

    @classmethod
    def among(cls, apps: Iterable[str]) -> Groups:
        """Those of Table 2 that are among `apps`."""
        known = set(apps)
        return cls(tuple(a for a in GROUP_1 if a in known), tuple(a for a in GROUP_2 if a in known))

    @classmethod
    def alike(cls, apps: Iterable[str]) -> Groups:
        """All of `apps` in one group, by name, for sets that are drawn uniformly among them."""
        return cls(tuple(sorted(set(apps))), ())

    def can_make(self, mix: tuple[int, int]) -> bool:
        """Whether no group that the mix needs is empty."""
        return bool((self.first or not mix[0]) and (self.second or not mix[1]))


def name(number: str) -> str:
    """Name of a set: W3, or uniform."""
    return number if number == UNIFORM else f"W{number}"


def draw(rng: np.random.Generator, mix: tuple[int, int], jobs: int, groups: Groups) -> np.ndarray:
    """Applications of a set: uniform with replacement inside each group, shuffled.

    Where the parts do not divide the jobs, Group 1 has the rounded number.
    """
    first = round(jobs * mix[0] / sum(mix))
    apps = [*rng.choice(groups.first or ("",), first), *rng.choice(groups.second or ("",), jobs - first)]
    return rng.permutation(np.array(apps, dtype=object))


def mean_rank_s(mix: tuple[int, int], groups: Groups, rank_s: dict[str, float]) -> float:
    """Expected rank-seconds of a job of the mix, from those of each application."""
    means = [np.mean([rank_s[app] for app in group]) if group else 0.0 for group in groups]
    return float(np.dot(mix, means) / sum(mix))


def request(kind: str, ranks: int, best: int) -> int:
    """User-defined request of a proxy: all ranks of the machine, half of them, or the best number."""
    return {"machine": ranks, "half": max(1, ranks // 2), "best": min(best, ranks)}[kind]


def proxy_stages(
    app: str, times_s: np.ndarray, ranks: int, host_share: float, transfer: Sequence[float] = TRANSFER
) -> pl.DataFrame:
    """Stages (app, stage, kind, times) of an application whose performance table is `times_s` (s, on 1, 2, … ranks).

    Host work is a share of its least time, half before the first kernel and half after the last, a third each where
    there are two kernels. The rest of its time on the requested ranks is divided among its kernels, so that alone
    under Coarse it takes as long as its table says. transfer: input, kernel and output as shares of a stage's PIM time.
    """
    kernels = KERNEL_STAGES.get(app, 1)
    host_s = host_share * float(times_s.min()) / (kernels + 1)
    one_rank_s = (float(times_s[ranks - 1]) - host_s * (kernels + 1)) * ranks / kernels
    kinds = ["host_pre", *["kernel", "host_mid"] * (kernels - 1), "kernel", "host_post"]
    of_kernel = [kind == "kernel" for kind in kinds]
    parts = zip(("input_s", "kernel_s", "output_s"), transfer, strict=True)
    return pl.DataFrame(
        {
            "app": [app] * len(kinds),
            "stage": np.arange(len(kinds)),
            "kind": kinds,
            "time_s": [None if k else host_s for k in of_kernel],
            **{name: [share * one_rank_s if k else None for k in of_kernel] for name, share in parts},
            "serial_s": [0.0 if k else None for k in of_kernel],
        },
        schema_overrides=dict.fromkeys(("time_s", "input_s", "kernel_s", "output_s", "serial_s"), pl.Float64),
    )

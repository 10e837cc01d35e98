"""Sets of curves: of each trace, and of each member of the ensemble of admissible ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.gpus.mig import MIG_PARTS, layouts, measured
from pipeline.runtime.wording import did_you_mean
from pipeline.statistics.streams import stream
from pipeline.studies.gpu_sharing import tables as gpu_sharing
from pipeline.studies.gpu_sharing.config import CurveSweep
from pipeline.tables.catalog import content_of

ENSEMBLE = "ensemble/"
ENSEMBLE_SMS = 16
"""SMs of the GPU that members are drawn for (GTX 480, Table 1)."""
APPLICATIONS = 7
"""Applications of a member: as many as Table 6 has."""
PEAK_IPC = (48.0, 1000.0)
SATURATION = (0.05, 20.0)
"""Ranges, log-uniform, of the IPC on all SMs and of the saturation h (docs/models/gpu_sharing.md)."""


class CurveSets:
    """Curves by set, as the catalog has them or as the prior draws them: trace, or `ensemble/<member>`."""

    def __init__(self, seed: int, catalog: Mapping[str, pl.DataFrame]) -> None:
        self.seed = seed
        self.catalog = {name: tables.empty(tables.CANONICAL[name]) for name in ("traces", "sm_curves")} | dict(catalog)

    @cached_property
    def _of_trace(self) -> dict[str, pl.DataFrame]:
        points = self.catalog["sm_curves"].sort("trace", "app", "sms")
        # Beside another an application is slower: no points of its curve.
        points = points.filter(pl.col("beside").is_null()) if "beside" in points.columns else points
        return {trace: _rates(frame) for (trace,), frame in points.group_by("trace", maintain_order=True)}

    @property
    def traces(self) -> list[str]:
        """Traces of SM curves, sorted."""
        return sorted(self._of_trace)

    def chosen(self, sweep: CurveSweep) -> Iterator[tuple[str, dict]]:
        """Sets of curves that a sweep takes, with what is known of each: trace, member, origin.

        Raises ValueError naming a trace that the sweep names and that has no SM curves.
        """
        if sweep.curves == "ensemble":
            for member in range(sweep.members):
                yield f"{ENSEMBLE}{member:04d}", {"trace": None, "member": member, "origin": "synthetic"}
            return
        for trace in self.traces if sweep.traces is None else sweep.traces:
            if trace not in self._of_trace:
                there = trace in self.catalog["traces"]["trace"].to_list()
                why = "has no SM curves" if there else "is not among the traces"
                raise ValueError(f"gpu_sharing: trace {trace!r} {why}{did_you_mean(trace, self.traces)}")
            kind = self.catalog["traces"].filter(pl.col("trace") == trace)["kind"]
            yield trace, {"trace": trace, "member": None, "origin": kind[0] if len(kind) else "measured"}

    def content(self, curve_set: str) -> str:
        """What random numbers for a set come from: the content of its trace, else its name."""
        return content_of(self.catalog, curve_set) if curve_set in self._of_trace else curve_set

    def machine(self, curve_set: str) -> int:
        """SMs of the machine that a set of curves is of: the most that a curve of it reaches."""
        if curve_set.startswith(ENSEMBLE) and curve_set not in self._of_trace:
            return ENSEMBLE_SMS
        points = self._of_trace[curve_set]
        if self.mig(curve_set):
            return points.select(pl.col("sms") * MIG_PARTS // pl.col("mig_slices"))["sms"].max()
        return points["sms"].max()

    def mig(self, curve_set: str) -> bool:
        """Whether the points of a set are MIG slices."""
        return curve_set in self._of_trace and self._of_trace[curve_set]["mig_slices"].is_not_null().any()

    def fit_together(self, curve_set: str, apps: Sequence[str]) -> bool:
        """Whether some MIG slices that are measured for each of the applications fit on a GPU together."""
        points = self._of_trace[curve_set]
        throughput = np.full((len(apps), MIG_PARTS + 1), np.nan)
        for row, app in enumerate(apps):
            own = points.filter(pl.col("app") == app)
            throughput[row, own["mig_slices"].to_numpy()] = own["ipc"].to_numpy()
        return bool(measured(layouts(len(apps)), throughput).any())

    def applications(self, curve_set: str, sms: int) -> list[str]:
        """Applications whose curve in the set reaches so many SMs, sorted; of slices those that have the whole GPU."""
        if curve_set.startswith(ENSEMBLE) and curve_set not in self._of_trace:
            return [f"A{i}" for i in range(1, APPLICATIONS + 1)] if sms <= ENSEMBLE_SMS else []
        if self.mig(curve_set) and sms != self.machine(curve_set):
            return []
        reach = self._of_trace[curve_set].group_by("app").agg(pl.col("sms").max()).filter(pl.col("sms") >= sms)
        return reach["app"].sort().to_list()

    def table(self, curve_sets: Iterable[str]) -> pl.DataFrame:
        """Curves of the sets: curve_set, app, sms, ipc, sorted."""
        frames = [
            (self._of_trace[name] if name in self._of_trace else self._drawn(name)).select(
                pl.lit(name).alias("curve_set"), "app", "sms", "ipc", "mig_slices"
            )
            for name in sorted(curve_sets)
        ]
        empty = pl.DataFrame(schema=tables.polars_schema(gpu_sharing.GpuSharingCurve))
        return pl.concat([empty, *(frame.cast(dict(empty.schema)) for frame in frames)])

    def _drawn(self, name: str) -> pl.DataFrame:
        """A member: IPC(n) = P (n/S) (1 + h)/(n/S + h) for each of its applications."""
        draw = stream(self.seed, "gpu_sharing curves", int(name.removeprefix(ENSEMBLE)))
        peak, saturation = (
            np.exp(draw.uniform(*np.log(bounds), size=(APPLICATIONS, 1))) for bounds in (PEAK_IPC, SATURATION)
        )
        share = np.arange(1, ENSEMBLE_SMS + 1) / ENSEMBLE_SMS
        ipc = peak * share * (1 + saturation) / (share + saturation)
        return pl.DataFrame(
            {
                "app": np.repeat([f"A{i}" for i in range(1, APPLICATIONS + 1)], ENSEMBLE_SMS),
                "sms": np.tile(np.arange(1, ENSEMBLE_SMS + 1), APPLICATIONS),
                "ipc": ipc.reshape(-1),
                "mig_slices": None,
            }
        )


def _rates(points: pl.DataFrame) -> pl.DataFrame:
    """app, sms, ipc, mig_slices of a trace.

    Where an application has times only, ipc is the share of its speed on the most SMs it has.
    """
    of_time = pl.col("time_s").sort_by("sms").last().over("app") / pl.col("time_s")
    has_ipc = pl.col("ipc").is_not_null().any().over("app")
    slices = "mig_slices" if "mig_slices" in points.columns else pl.lit(None, pl.Int64).alias("mig_slices")
    return points.select("app", "sms", slices, ipc=pl.when(has_ipc).then("ipc").otherwise(of_time)).drop_nulls("ipc")

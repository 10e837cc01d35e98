"""Mixes of applications for fairness (thesis, Chapter 6), and their scenarios."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

import polars as pl

from pipeline.simulation.table import require_known
from pipeline.statistics.streams import stream
from pipeline.studies.gpu_sharing.config import MixSweep
from pipeline.studies.gpu_sharing.families import dynamic
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS, takes_slices
from pipeline.studies.gpu_sharing.workload.curves import CurveSets
from pipeline.tables.mix_names import MIX_OF, stated_mix

log = logging.getLogger(__name__)
MOST_SPLITS = 1_000_000
"""Ways to split SMs that rules which try all of them may have to try: four applications on 180 SMs."""


@dataclass
class Asked:
    """Rows of the tables `workloads`, `mixes` and `scenarios` that a sweep asks for; some may occur in another's."""

    workloads: list[dict] = field(default_factory=list)
    mixes: list[dict] = field(default_factory=list)
    scenarios: list[dict] = field(default_factory=list)


def prepare(sweep: MixSweep, curves: CurveSets) -> Asked:
    """Workloads and scenarios of a sweep. Raises ValueError naming an unknown scheduler or trace."""
    known = sorted(name for name, scheduler in SCHEDULERS.items() if scheduler.FAMILY.question == "fairness")
    if sweep.schedulers is not None:
        require_known(pl.Series(sweep.schedulers), known, "scheduler")
    asked = Asked()
    for curve_set, facts in curves.chosen(sweep):
        for sms in sweep.sms or [curves.machine(curve_set)]:
            for mix in _mixes(sweep, curves, curve_set, sms):
                if curves.mig(curve_set) and not curves.fit_together(curve_set, mix):
                    log.debug("%s: no slices measured for %s fit together", curve_set, "+".join(mix))
                    continue
                apps = [app.rpartition(MIX_OF)[2] if stated_mix(app) else app for app in mix]
                family = f"{'stated' if sweep.mixes == 'stated' else 'mixes'}/{curve_set}"
                workload_id = f"{family}/{'+'.join(apps)}"
                asked.workloads.append(
                    {"workload_id": workload_id, "family": family, "kind": family.partition("/")[0],
                     "mix": "+".join(apps), "applications": len(mix), "curve_set": curve_set, **facts}
                )  # fmt: skip
                asked.mixes += [
                    {"mix_id": workload_id, "slot": slot, "app": app, "curve_set": curve_set}
                    for slot, app in enumerate(mix)
                ]
                sizes = "mig" if curves.mig(curve_set) else "any"
                chosen = sweep.schedulers or known
                asked.scenarios += _scenarios(sweep, workload_id, sms, sizes, facts["member"] or 0, chosen)
    return asked


def _mixes(sweep: MixSweep, curves: CurveSets, curve_set: str, sms: int) -> Iterator[tuple[str, ...]]:
    """Mixes of a set of curves, as the sweep wants them."""
    apps = curves.applications(curve_set, sms)
    if sweep.mixes == "stated":
        for mix in sorted({stated for app in apps if (stated := stated_mix(app))}):
            members = tuple(f"{mix}{MIX_OF}{app}" for app in mix.split("+"))
            if set(members) <= set(apps) and len(members) <= sms:
                yield members
        return
    alone = [app for app in apps if stated_mix(app) is None]
    for size in sweep.applications:
        if size > sms:
            log.warning("%s: no mixes of %d applications on %d SMs; each needs one", curve_set, size, sms)
        if not size <= min(len(alone), sms):
            continue
        if (ways := comb(sms - 1, size - 1)) > MOST_SPLITS:
            log.warning(
                "%s: no mixes of %d applications on %d SMs: they can be split in %d ways, and %d are the most that are "
                "tried; state fewer applications or SMs",
                *(curve_set, size, sms, ways, MOST_SPLITS),
            )
            continue
        if sweep.mixes == "all":
            yield from itertools.combinations(alone, size)
            continue
        draw = stream(curves.seed, "gpu_sharing mixes", curves.content(curve_set), size)
        for _ in range(sweep.count):
            yield tuple(alone[i] for i in sorted(draw.choice(len(alone), size, replace=False)))


def _scenarios(
    sweep: MixSweep, workload_id: str, sms: int, sizes: str, seed: int, schedulers: list[str]
) -> Iterator[dict]:
    """Scenarios of a sweep on one mix; a column varies where it makes a difference, between slices there is no line."""
    if sizes == "mig":
        schedulers = [name for name in schedulers if takes_slices(SCHEDULERS[name])]
    interpolations = sweep.interpolation if sizes == "any" else ["linear"]
    for name, interpolation, gamma in itertools.product(schedulers, interpolations, sweep.gamma):
        resizes = SCHEDULERS[name].FAMILY is dynamic
        looks = sweep.decide_by if gamma > 0 and not resizes else ["measured"]
        moves = itertools.product(sweep.initial, sweep.freeing) if resizes else [("equal", "wait")]
        for decide_by, (initial, freeing) in itertools.product(looks, moves):
            beside_defaults = (
                (interpolation, "linear"),
                (sizes, "any"),
                (f"gamma{gamma:.12g}", "gamma0"),
                (decide_by, "measured"),
                (f"from_{initial}", "from_equal"),
                (freeing, "wait"),
            )
            own = "".join(f"-{text}" for text, default in beside_defaults if text != default)
            yield {
                "scenario_id": f"gpu_sharing/{workload_id}/{name}/s{sms}{own}",
                "scheduler": name,
                "seed": seed,
                "workload_id": workload_id,
                "mix_id": workload_id,
                "sms": sms,
                "interpolation": interpolation,
                "sizes": sizes,
                "gamma": gamma,
                "decide_by": decide_by,
                "initial": initial,
                "freeing": freeing,
            }

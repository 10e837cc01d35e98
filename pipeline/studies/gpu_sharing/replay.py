"""Run a batch of scenarios: each by the family of its scheduler."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.replay.table import codes, comparable, require_finite, require_known, with_defaults
from pipeline.studies.gpu_sharing import arrays, model
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS

DEFAULTS = {
    "interpolation": model.LINEAR,
    "gamma": 0.0,
    "decide_by": "measured",
    "initial": "equal",
    "qos_level": 100.0,
    "qos_slots": [0],
    "midpoint": False,
    "start": "half",
    "spare": "idle",
    "idle_w": 2.2,
    "gated_w": 3.4,
    "clocking": "per_sm",
    "assignment": "cfms",
    "map_seed": 0,
}
"""Columns of the scenario table that may be left out, with what they are then; `sms` is the family's SMS."""
KNOWN = {
    "interpolation": model.INTERPOLATIONS,
    "decide_by": ("measured", "profile"),
    "initial": ("equal", "profile"),
    "start": ("half", "all"),
    "spare": ("idle", "gated", "best_effort"),
    "clocking": ("global", "per_sm"),
    "assignment": ("cfms", "csmf"),
}
TABLES = {
    "outcomes": {"slot": None, "app": None, "sms": pl.Int64, "throughput": pl.Float64, "speedup": pl.Float64},
    "metrics": {"metric": pl.String, "value": pl.Float64},
    "rounds": {
        "round": pl.Int64,
        "slot": None,
        "sms": pl.Int64,
        "throughput": pl.Float64,
        "from_cycle": pl.Float64,
    },
}
"""Result tables and their columns after scenario_id; a dtype of None is that of the input."""


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay scenarios on the applications of their mixes.

    inputs: `sm_curves` ([curve_set], app, sms, ipc), `mixes` (mix_id, slot, app, [curve_set]) and optionally `apps`
    ([curve_set], app, [pressure], [block_cycles], …). scenarios: scenario_id, scheduler, mix_id, [sms] and the columns
    of DEFAULTS (docs/models/gpu_sharing.md).

    Returns `outcomes` (scenario_id, slot, app, sms, throughput, speedup), `metrics` (scenario_id, metric, value) and
    `rounds` (scenario_id, round, slot, sms, throughput, from_cycle) of the dynamic schedulers. Rows are sorted by
    scenario, then round and slot.

    Raises ValueError naming an unknown scheduler, mix, application or option, a missing table or column, a value out of
    range, a curve that ends before the GPU does, or a mix of more applications than SMs.
    """
    mixes, curves = arrays.prepare(inputs)
    scenarios = _checked(scenarios)
    codes(scenarios["mix_id"], mixes.mix, "mix")
    found: dict[str, list[pl.DataFrame]] = {name: [_empty(name, mixes)] for name in TABLES}
    for _, mine in scenarios.group_by("_family", "sms", "interpolation", maintain_order=True):
        family = SCHEDULERS[mine["scheduler"][0]].FAMILY
        problem = arrays.problem(mine.drop("_family"), mixes, curves, SCHEDULERS)
        for name, frame in family.replay(problem).items():
            found[name].append(frame.select(found[name][0].columns).cast(dict(found[name][0].schema)))
    by = {"rounds": ["round"]}
    return {name: arrays.together(found[name], scenarios["scenario_id"], by.get(name, ())) for name in found}


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known. Columns _number and _family are added."""
    if not isinstance(scenarios.schema.get("qos_slots", pl.Null()), pl.List | pl.Null):
        raise ValueError(f"scenarios: qos_slots holds lists of slots, as [0], not {scenarios['qos_slots'].dtype}")
    scenarios = with_defaults(scenarios, DEFAULTS, required=("scheduler", "mix_id"))
    require_known(scenarios["scheduler"], SCHEDULERS, "scheduler")
    for column, known in KNOWN.items():
        require_known(scenarios[column], known, column)
    for column in ("gamma", "qos_level", "idle_w", "gated_w", "map_seed"):
        require_finite(scenarios, column, "scenarios", 0)
    if "sms" in scenarios.columns:
        require_finite(scenarios, "sms", "scenarios", 1, where=scenarios["sms"].is_not_null())
        if (scenarios["sms"].cast(pl.Float64) % 1 != 0).any():
            raise ValueError("scenarios: sms is not whole in some row; a GPU has whole SMs")
    family = {name: module.FAMILY for name, module in SCHEDULERS.items()}
    own = pl.col("scheduler").cast(pl.String).replace_strict(
        {name: its.SMS for name, its in family.items()}, return_dtype=pl.Int64
    )  # fmt: skip
    given = pl.col("sms").cast(pl.Int64) if "sms" in scenarios.columns else pl.lit(None, pl.Int64)
    name = {scheduler: its.__name__ for scheduler, its in family.items()}
    return (
        scenarios.with_columns(
            given.fill_null(own).alias("sms"),
            pl.col("scheduler").cast(pl.String).replace_strict(name, return_dtype=pl.String).alias("_family"),
            comparable(scenarios["scenario_id"]).alias("_id"),
        )
        .sort("_id")
        .drop("_id")
        .with_columns(pl.Series("_number", np.arange(len(scenarios)), dtype=pl.Int64))
    )


def _empty(name: str, mixes: arrays.Mixes) -> pl.DataFrame:
    """A result table without rows."""
    given = {"slot": mixes.slot.dtype, "app": mixes.app.dtype}
    columns = {column: dtype or given[column] for column, dtype in TABLES[name].items()}
    return pl.DataFrame(schema={"_scenario": pl.Int64} | columns)

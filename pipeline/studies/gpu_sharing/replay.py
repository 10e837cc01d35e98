"""Run a batch of scenarios: each by the family of its scheduler."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipeline.simulation.table import checked, codes
from pipeline.studies.gpu_sharing import STUDY, arrays, model
from pipeline.studies.gpu_sharing.families import FAMILIES
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS, takes_slices

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then; `sms` is the family's."""
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
    range, a curve that ends before the GPU does, a mix of more applications than SMs, or what a scheduler's rule chose
    where that cannot be.
    """
    mixes, curves = arrays.prepare(inputs)
    scenarios = _checked(scenarios)
    codes(scenarios["mix_id"], mixes.mix, "mix")
    frames: dict[str, list[pl.DataFrame]] = {name: [_empty(name, mixes)] for name in TABLES}
    for (family, *_), alike in scenarios.group_by("_family", "sms", "interpolation", "sizes", maintain_order=True):
        problem = arrays.problem(alike.drop("_family"), mixes, curves, SCHEDULERS)
        for name, frame in _tables(problem, FAMILIES[family].run(problem)):
            frames[name].append(frame.select(frames[name][0].columns).cast(dict(frames[name][0].schema)))
    by = {"rounds": ["round"]}
    return {name: arrays.together(frames[name], scenarios["scenario_id"], by.get(name, ())) for name in frames}


def _tables(problem: arrays.Problem, replayed: arrays.Replayed) -> Iterator[tuple[str, pl.DataFrame]]:
    """Names and rows of the result tables, scenarios by their number."""
    measures = np.empty((len(problem.scenarios), len(model.MEASURES)))
    split, throughput, speedup = replayed.split, replayed.throughput, np.empty(len(replayed.split))
    model.summarise(problem.first_slot, split, throughput, problem.cooperative, speedup, measures)
    number = np.repeat(problem.number, problem.applications)
    yield "outcomes", pl.DataFrame(
        {"_scenario": number, "slot": problem.slot, "app": problem.app, "sms": split, "throughput": throughput,
         "speedup": speedup}
    )  # fmt: skip
    # A value per scenario and measure; NaN is not defined.
    values = dict(zip(model.MEASURES, measures.T, strict=True)) | replayed.measures
    count = len(values)
    yield (
        "metrics",
        pl.DataFrame(
            {
                "_scenario": np.repeat(problem.number, count),
                "metric": pl.Series(list(values), dtype=pl.String).gather(
                    np.tile(np.arange(count), len(problem.number))
                ),
                "value": pl.Series(np.column_stack(list(values.values())).reshape(-1)).fill_nan(None),
            }
        ),
    )
    yield from (("rounds", frame) for frame in replayed.rounds)


def _require_slices(scenarios: pl.DataFrame) -> None:
    """Raise ValueError naming a scenario in MIG slices whose scheduler's file does not state that it takes them."""
    takes = [name for name, module in SCHEDULERS.items() if takes_slices(module)]
    wrong = scenarios.filter(sizes="mig").filter(~pl.col("scheduler").is_in(takes))
    if len(wrong):
        name, scheduler = wrong.select("scenario_id", "scheduler").row(0)
        raise ValueError(f"scenario {name!r}: scheduler {scheduler} takes no MIG slices; these do: {', '.join(takes)}")


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known. Columns _number and _family are added."""
    if not isinstance(scenarios.schema.get("qos_slots", pl.Null()), pl.List | pl.Null):
        raise ValueError(f"scenarios: qos_slots holds lists of slots, as [0], not {scenarios['qos_slots'].dtype}")
    scenarios = checked(scenarios, STUDY, SCHEDULERS)
    _require_slices(scenarios)
    scheduler = pl.col("scheduler").cast(pl.String)
    own_sms = {name: module.FAMILY.sms for name, module in SCHEDULERS.items()}
    family = {name: module.FAMILY.name for name, module in SCHEDULERS.items()}
    return scenarios.with_columns(
        pl.col("sms").cast(pl.Int64).fill_null(scheduler.replace_strict(own_sms, return_dtype=pl.Int64)).alias("sms"),
        scheduler.replace_strict(family, return_dtype=pl.String).alias("_family"),
        pl.Series("_number", np.arange(len(scenarios)), dtype=pl.Int64),
    )


def _empty(name: str, mixes: arrays.Mixes) -> pl.DataFrame:
    """A result table without rows."""
    given = {"slot": mixes.slot.dtype, "app": mixes.app.dtype}
    columns = {column: dtype or given[column] for column, dtype in TABLES[name].items()}
    return pl.DataFrame(schema={"_scenario": pl.Int64} | columns)

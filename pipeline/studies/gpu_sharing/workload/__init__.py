"""What is asked of the machine: mixes of applications, the curves they are replayed with, and the scenarios.

Each kind of sweep has a module of its own, listed in KINDS; it offers `prepare(sweep, curves) -> Asked`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from pipeline import tables
from pipeline.studies.gpu_sharing import STUDY
from pipeline.studies.gpu_sharing import tables as gpu_sharing
from pipeline.studies.gpu_sharing.config import CurveSweep
from pipeline.studies.gpu_sharing.workload import fairness, qos_and_variation
from pipeline.studies.gpu_sharing.workload.curves import CurveSets
from pipeline.studies.parts import share
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

KINDS = {"fairness": fairness}
"""For each field of the study's configuration that holds sweeps of Chapter 6, the module that makes them workloads."""
FIELDS = (*KINDS, qos_and_variation.QOS, qos_and_variation.VARIATION)
"""All fields of the study's configuration that hold sweeps; `qos_and_variation` has those of Chapters 4 and 5."""
TABLES = {
    "workloads": tables.polars_schema(gpu_sharing.GpuSharingWorkload),
    "mixes": tables.polars_schema(gpu_sharing.GpuSharingMix),
    "sm_curves": tables.polars_schema(gpu_sharing.GpuSharingCurve),
}
KEYS = {"workloads": ["workload_id"], "mixes": ["mix_id", "slot"]}
SCENARIOS = scenario_schema(STUDY)


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Mixes and curves of every workload that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, sm_curves). Returns `mixes` and `sm_curves` as `replay`
    takes them and `workloads`, one row per workload: where it comes from; with them `apps`, `clock_speedups` and
    `sm_maps` of the workloads of Chapters 4 and 5.
    """
    curves = CurveSets(config.seed, catalog)
    asked = [KINDS[kind].prepare(sweep, curves) for kind, sweep in _sweeps(config)]
    frames = {name: _rows((getattr(plan, name) for plan in asked), TABLES[name], keys) for name, keys in KEYS.items()}
    frames["sm_curves"] = curves.table(frames["mixes"]["curve_set"].unique())
    others = qos_and_variation.workloads(config, curves)
    keys = KEYS | {"sm_curves": ["curve_set", "app", "sms"]}
    return others | {
        name: pl.concat([frame, others[name].select(frame.columns).cast(TABLES[name])])
        .unique(keys[name], keep="first", maintain_order=True)
        .sort(keys[name])
        for name, frame in frames.items()
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id."""
    curves = CurveSets(config.seed, catalog)
    asked = (KINDS[kind].prepare(sweep, curves).scenarios for kind, sweep in _sweeps(config))
    others = qos_and_variation.scenarios(config, curves)
    missing = [pl.lit(None, dtype).alias(name) for name, dtype in SCENARIOS.items() if name not in others.columns]
    others = others.with_columns(missing).select(pl.col(name).cast(dtype) for name, dtype in SCENARIOS.items())
    return pl.concat([_rows(asked, SCENARIOS, ["scenario_id"]), others]).sort("scenario_id")


def _rows(asked: Iterable[list[dict]], schema: Mapping[str, pl.DataType], keys: list[str]) -> pl.DataFrame:
    """Rows of all sweeps as a table of the schema, each once, sorted; what a row does not have is null."""
    rows = {tuple(row[key] for key in keys): row for sweep_rows in asked for row in sweep_rows}
    ordered = [rows[key] for key in sorted(rows)]
    columns = {name: [row.get(name) for row in ordered] for name in schema}
    return pl.DataFrame(columns, schema=schema)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the curves of one drop; None: on no drop.

    Raises ValueError where a sweep names a trace that is in no drop of the catalog.
    """
    curves = CurveSets(config.seed, catalog)
    return share(
        config,
        "gpu_sharing",
        drop,
        curves.catalog["traces"],
        takes_traces=lambda sweep: sweep.curves == "dropped",
        possible=lambda _: curves.traces,
        fields=FIELDS,
    )


def _sweeps(config: Configuration) -> Iterator[tuple[str, CurveSweep]]:
    for kind in KINDS:
        for sweep in getattr(config.gpu_sharing, kind).values():
            if sweep is not None:
                yield kind, sweep

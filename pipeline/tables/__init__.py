"""Every canonical table: columns, dtypes, units, rules.

This package is the one place that says what a table looks like. Readers and fits produce the canonical tables
(`canonical`, one module per kind of machine), studies take and return them and their own (`results`, one module per
study), the warehouse copies descriptions and units into the database as comments. The tables of all studies together
are in `database`: a stage that used it would depend on all of them.

A rule that a row violates has a reason code, `<column>_<what>` for rules of one column (`submit_s_negative`,
`nodes_missing`, …) or the name of the rule; rows that violate one are kept in `rejected_row`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import dataframely as dy
import polars as pl

from pipeline.tables.canonical import drops, fidelity, gpu, gpu_pairs, gpu_slices, graph, memory, pim
from pipeline.tables.canonical.drops import CORE, NODE, Provenance, RejectedRow, Tally, Trace
from pipeline.tables.canonical.gpu import (
    CorunPair,
    GpuApp,
    Kernel,
    SmCurve,
    SmFit,
    Task,
    TaskCost,
)
from pipeline.tables.canonical.gpu_pairs import BestPair, SoloRate
from pipeline.tables.canonical.gpu_slices import SliceDemand, SliceNeed, SlicePlan, SlicePoint
from pipeline.tables.canonical.graph import Edge, Graph, VertexId
from pipeline.tables.canonical.memory import (
    Distribution,
    GpuMemory,
    Job,
    Marginal,
    MemoryProfile,
    Phase,
    Sample,
    TemporalClass,
)
from pipeline.tables.canonical.pim import (
    WHY_EXCLUDED,
    PerfPoint,
    PerfTable,
    PimCurve,
    PimModel,
    PimPhase,
    PimPrediction,
    PimRequest,
    PimRun,
    PimStage,
    QueuedApp,
)
from pipeline.tables.columns import COMPOSED, FITTED, GENERATED, GIVEN, MEASURED, SYNTHETIC

__all__ = [
    "CANONICAL",
    "COMPOSED",
    "CORE",
    "DATABASE_NAME",
    "FITTED",
    "GENERATED",
    "GIVEN",
    "MEASURED",
    "NODE",
    "SYNTHETIC",
    "WHY_EXCLUDED",
    "BestPair",
    "CorunPair",
    "Distribution",
    "Edge",
    "GpuApp",
    "GpuMemory",
    "Graph",
    "Job",
    "Kernel",
    "Marginal",
    "MemoryProfile",
    "PerfPoint",
    "PerfTable",
    "Phase",
    "PimCurve",
    "PimModel",
    "PimPhase",
    "PimPrediction",
    "PimRequest",
    "PimRun",
    "PimStage",
    "Provenance",
    "QueuedApp",
    "RejectedRow",
    "Sample",
    "SliceDemand",
    "SliceNeed",
    "SlicePlan",
    "SlicePoint",
    "SmCurve",
    "SmFit",
    "SoloRate",
    "Tally",
    "Task",
    "TaskCost",
    "TemporalClass",
    "Trace",
    "VertexId",
    "conform",
    "empty",
    "merged",
    "polars_schema",
    "reason_code",
]

_CANONICAL = (drops, memory, fidelity, pim, gpu, gpu_pairs, gpu_slices, graph)


def merged(modules: Iterable[ModuleType], what: str) -> dict:
    """The modules' mappings as one. Raises ValueError where two define the same name."""
    merged: dict = {}
    for module in modules:
        for name, value in getattr(module, what).items():
            if name in merged:
                raise ValueError(f"{module.__name__}: {what} has {name}, which another module has, too")
            merged[name] = value
    return merged


CANONICAL: dict[str, type[dy.Schema]] = merged(_CANONICAL, "CANONICAL")
"""Canonical tables by the name that drops, Parquet files and the studies' catalog use."""

DATABASE_NAME: dict[str, str] = merged(_CANONICAL, "DATABASE_NAME")
"""Name in the database of each canonical table that is loaded there (samples stay in Parquet)."""

_SUFFIX = {
    "nullability": "missing",
    "nan": "not_a_number",
    "inf": "infinite",
    "min": "too_small",
    "min_exclusive": "not_positive",
    "max": "too_large",
    "min_length": "empty",
}


def reason_code(rule: str) -> str:
    """Reason code of a dataframely rule name: `submit_s|min` → `submit_s_negative`, named rules as they are."""
    column, separator, what = rule.partition("|")
    if not separator:
        return rule
    if what == "min" and column.endswith(("_s", "_gb", "probability")):
        return f"{column}_negative"
    return f"{column}_{_SUFFIX.get(what, what)}"


def empty(schema: type[dy.Schema]) -> pl.DataFrame:
    """A frame of the schema without rows."""
    return pl.DataFrame(schema=polars_schema(schema))


def polars_schema(schema: type[dy.Schema]) -> dict[str, pl.DataType]:
    """Column names and polars dtypes of a schema, in order."""
    return {name: column.dtype for name, column in schema.columns().items()}


def conform(frame: pl.DataFrame, schema: type[dy.Schema]) -> pl.DataFrame:
    """The schema's columns in its order and dtypes; absent nullable ones become null.

    Raises ValueError naming a required column that is absent.
    """
    wanted = schema.columns()
    missing = [name for name, column in wanted.items() if name not in frame.columns and not column.nullable]
    if missing:
        raise ValueError(f"{schema.__name__}: missing column {', '.join(missing)}; found {', '.join(frame.columns)}")
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(column.dtype).alias(name)
        for name, column in wanted.items()
    )

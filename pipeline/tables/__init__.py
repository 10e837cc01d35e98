"""Every canonical and result table: columns, dtypes, units, rules.

This is the one place that says what a table looks like. Readers and fits produce the canonical tables (`canonical`, a
module a kind of machine), studies take and return them and their own (`results`, a module a study), the warehouse
copies descriptions and units into the database as comments.

A rule that a row violates has a reason code, `<column>_<what>` for rules of one column (`submit_s_negative`,
`nodes_missing`, …) or the name of the rule; rows that violate one are kept in `rejected_row`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import dataframely as dy
import polars as pl

from pipeline.tables.canonical import drops, gpu, graph, memory, pim
from pipeline.tables.canonical.drops import Provenance, RejectedRow, Tally, Trace
from pipeline.tables.canonical.gpu import (
    CorunChoice,
    CorunPair,
    CorunParameter,
    CorunPrediction,
    CorunScore,
    GpuApp,
    Kernel,
    SmCurve,
    SmFit,
    Task,
    TaskCost,
)
from pipeline.tables.canonical.graph import Edge, Graph, VertexId
from pipeline.tables.canonical.memory import (
    Distribution,
    GpuMemory,
    Job,
    Marginal,
    MemoryProfile,
    Phase,
    RecurrentProfile,
    RecurrentRun,
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
from pipeline.tables.columns import COMPOSED, FITTED, GENERATED, GIVEN, MEASURED, SYNTHETIC, count, flag, text
from pipeline.tables.results import common, gpu_corun, gpu_partition, gpu_sharing, hpc_memory, pim_graph, pim_ranks
from pipeline.tables.results.common import Claim, ClaimMeasured, ClaimPart, Metric, Scheduler, Setting
from pipeline.tables.results.gpu_corun import (
    GpuCorunApplication,
    GpuCorunKernel,
    GpuCorunOutcome,
    GpuCorunTimeline,
    GpuCorunWorkload,
)
from pipeline.tables.results.gpu_partition import (
    GpuPartitionMeasured,
    GpuPartitionOutcome,
    GpuPartitionTask,
    GpuPartitionWorkload,
)
from pipeline.tables.results.gpu_sharing import (
    GpuSharingCurve,
    GpuSharingMix,
    GpuSharingOutcome,
    GpuSharingRound,
    GpuSharingWorkload,
)
from pipeline.tables.results.hpc_memory import HpcMemoryJob, HpcMemoryOutcome, HpcMemoryTimeline, Workload
from pipeline.tables.results.pim_graph import PimGraphNeighbours, PimGraphOutcome, PimGraphWorkload
from pipeline.tables.results.pim_ranks import PimRanksJob, PimRanksOutcome, PimRanksTable, PimRanksWorkload

__all__ = [
    "CANONICAL",
    "COMPOSED",
    "DATABASE_NAME",
    "FITTED",
    "GENERATED",
    "GIVEN",
    "MEASURED",
    "RESULTS",
    "STUDIES",
    "STUDY_FILES",
    "SYNTHETIC",
    "WHY_EXCLUDED",
    "Claim",
    "ClaimMeasured",
    "ClaimPart",
    "CorunChoice",
    "CorunPair",
    "CorunParameter",
    "CorunPrediction",
    "CorunScore",
    "Distribution",
    "Edge",
    "GpuApp",
    "GpuCorunApplication",
    "GpuCorunKernel",
    "GpuCorunOutcome",
    "GpuCorunTimeline",
    "GpuCorunWorkload",
    "GpuMemory",
    "GpuPartitionMeasured",
    "GpuPartitionOutcome",
    "GpuPartitionTask",
    "GpuPartitionWorkload",
    "GpuSharingCurve",
    "GpuSharingMix",
    "GpuSharingOutcome",
    "GpuSharingRound",
    "GpuSharingWorkload",
    "Graph",
    "HpcMemoryJob",
    "HpcMemoryOutcome",
    "HpcMemoryTimeline",
    "Job",
    "Kernel",
    "Marginal",
    "MemoryProfile",
    "Metric",
    "PerfPoint",
    "PerfTable",
    "Phase",
    "PimCurve",
    "PimGraphNeighbours",
    "PimGraphOutcome",
    "PimGraphWorkload",
    "PimModel",
    "PimPhase",
    "PimPrediction",
    "PimRanksJob",
    "PimRanksOutcome",
    "PimRanksTable",
    "PimRanksWorkload",
    "PimRequest",
    "PimRun",
    "PimStage",
    "Provenance",
    "QueuedApp",
    "RecurrentProfile",
    "RecurrentRun",
    "RejectedRow",
    "Sample",
    "Scenario",
    "Scheduler",
    "Setting",
    "SmCurve",
    "SmFit",
    "Tally",
    "Task",
    "TaskCost",
    "TemporalClass",
    "Trace",
    "VertexId",
    "Workload",
    "conform",
    "empty",
    "polars_schema",
    "reason_code",
]

_CANONICAL = (drops, memory, pim, gpu, graph)
STUDIES = {
    "hpc_memory": hpc_memory,
    "pim_ranks": pim_ranks,
    "gpu_corun": gpu_corun,
    "gpu_sharing": gpu_sharing,
    "gpu_partition": gpu_partition,
    "pim_graph": pim_graph,
}
"""Modules of the studies' own tables."""


def _merged(modules: Iterable[ModuleType], what: str) -> dict:
    """The modules' mappings as one. Raises ValueError where two define the same name."""
    merged: dict = {}
    for module in modules:
        for name, value in getattr(module, what).items():
            if name in merged:
                raise ValueError(f"{module.__name__}: {what} has {name}, which another module has, too")
            merged[name] = value
    return merged


CANONICAL: dict[str, type[dy.Schema]] = _merged(_CANONICAL, "CANONICAL")
"""Canonical tables by the name that drops, Parquet files and the studies' catalog use."""

DATABASE_NAME: dict[str, str] = _merged(_CANONICAL, "DATABASE_NAME")
"""Name in the database of each canonical table that is loaded there (samples stay in Parquet)."""


class _Run(dy.Schema):
    scenario_id = text("scenario, unique across studies")
    study = text("study")
    scheduler = text("scheduler")
    seed = count("batch of the workload; with the master seed (table setting) it gives every random number", min=0)
    workload_id = text("workload", nullable=True)
    sms = count("streaming multiprocessors of the GPU; null where the machine is none", nullable=True, min=1)
    timeline = flag("whether the replay is kept instant by instant")


class _Source(dy.Schema):
    grid = text("coarse (as configured) or refined (placed by what the coarse ones gave)")
    code_version = text("hash of the source files that the replay ran")


Scenario: type[dy.Schema] = type(
    "Scenario",
    (dy.Schema,),
    {
        "__doc__": "One row a run; parameters that a study does not have are null.",
        **_Run.columns(),
        **_merged(STUDIES.values(), "SCENARIO"),
        **_Source.columns(),
    },
)

RESULTS: dict[str, type[dy.Schema]] = {"scenario": Scenario, **_merged((common, *STUDIES.values()), "RESULTS")}
"""Result tables by their name in the database."""

STUDY_FILES: dict[str, dict[str, tuple[str, str]]] = {study: module.FILES for study, module in STUDIES.items()}
"""For each study its tables in the database: the stage whose folders hold their rows, and the files' stem."""

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

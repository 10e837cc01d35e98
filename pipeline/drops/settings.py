"""The keys of a drop's `trace.yaml`, and what is wrong with them."""

from __future__ import annotations

import os
import re
import reprlib
import zoneinfo
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline import gpus
from pipeline.drops.files import SETTINGS_FILE, Refusal, entry_refusal
from pipeline.runtime.wording import did_you_mean, listing
from pipeline.tables import (
    GENERATED,
    MEASURED,
    CorunPair,
    Job,
    Kernel,
    MemoryProfile,
    PerfPoint,
    Phase,
    PimRequest,
    PimStage,
    QueuedApp,
    Sample,
    SmCurve,
    Task,
)
from pipeline.tables.columns import MOST_SMS

LARGEST_SETTINGS = 1 << 16
LONGEST_COMPLAINT = 200
"""Characters of what another program says of a file that are shown."""
MOST_PROBLEMS = 20

UNIT_SCALE = {
    "B": 1e-9,
    "kB": 1e-6,
    "KiB": 1024e-9,
    "MB": 1e-3,
    "MiB": 1024**2 * 1e-9,
    "GB": 1.0,
    "GiB": 1024**3 * 1e-9,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "h": 3600.0,
    "%": 1e-2,
    "SMs": 1.0,
}
"""Factor from a unit to GB (sizes), seconds (times), shares or SMs."""
TIME_UNITS = ("s", "ms", "us", "ns", "min", "h")
PERCENT = "%"
SHARES = ("occupancy", "dram_utilisation")
"""Columns that are shares, and may be percentages in a file."""

MOST_NODES = 10**9
MOST_RANKS = 1 << 16
"""Ranks of the largest machine: performance tables have a row for each rank."""
MOST_CPUS = 10**6

MAPPABLE = tuple(
    dict.fromkeys(
        [
            name
            for schema in (
                *(Job, Phase, MemoryProfile, Sample, PerfPoint, QueuedApp, PimStage, PimRequest),
                *(Kernel, SmCurve, CorunPair, Task),
            )
            for name in schema.columns()
            if name not in ("trace", "origin", "mig_slices")
        ]
        + ["timestamp"]
    )
)
"""Canonical columns that `columns:` in trace.yaml may map."""

USED_MEMORY = ("used_gb", "used_memory_gb", "memory_gb")
NOT_USED = re.compile(r"mem(ory)?[ _.-]?(avail|free)|(avail(able)?|free)[ _.-]?mem", re.IGNORECASE)
"""Names of columns with memory that is left, as MemAvailable and node_memory_MemFree_bytes."""

DAY_FIRST, MONTH_FIRST = "day_first", "month_first"
TABLES = ("sm_curve", "corun_pairs", "kernels", "perf_table", "tasks")
"""Tables whose file `tables:` in trace.yaml may name."""

PARTITION = re.compile(r"[\w.+-]{1,64}", re.ASCII)

PLACEHOLDER, UNKNOWN_UNIT = "NAME_OF_THE_COLUMN", "NAME_OF_THE_UNIT"
"""Stand in a proposed trace.yaml where no name of a column says what is needed, or the unit of memory."""

MADE_OF_SEVERAL = ("job_id", "app")
"""Canonical columns that several source columns may make together."""


def _as_source(value: Any) -> Any:
    """The short forms of a column source, a name or a list of names, as its long form."""
    if isinstance(value, str):
        return {"from": [value]}
    if isinstance(value, list):
        return {"from": value}
    if isinstance(value, dict) and isinstance(value.get("from"), str):
        return {**value, "from": [value["from"]]}
    return value


def _names_as_text(value: Any) -> Any:
    """A mapping with keys that YAML takes for numbers, as texts."""
    return {str(name): each for name, each in value.items()} if isinstance(value, dict) else value


Nodes = Annotated[int, Field(ge=1, le=MOST_NODES)]


class ColumnSource(BaseModel):
    """Where a canonical column comes from: source columns (several together make an id) and their unit."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    names: Annotated[list[str], Field(alias="from", min_length=1)]
    unit: Literal["B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "s", "ms", "us", "ns", "min", "h", "%", "SMs"] | None = (
        None
    )

    @property
    def scale(self) -> float:
        """Factor to the canonical unit."""
        return UNIT_SCALE[self.unit] if self.unit else 1.0


class DropSettings(BaseModel):
    """The keys of a drop's `trace.yaml`; all of them optional."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: str | None = Field(None, description="format to read the drop as, where the files do not tell")
    kind: Literal["measured", "generated"] = Field(MEASURED, description=f"{MEASURED} on a machine, or {GENERATED}")
    nodes: Nodes | None = Field(None, description="nodes of the traced machine")
    partitions: Annotated[dict[str, Nodes], BeforeValidator(_names_as_text)] = Field(
        default_factory=dict,
        description="nodes of each partition that has its own, and becomes a trace of its own: {batch: 128}",
    )
    node_memory_gb: float | None = Field(None, gt=0, allow_inf_nan=False, description="memory of a node, GB")
    mean_memory_gb: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="mean memory that jobs use per node (per core where the log counts cores), GB; for logs without it",
    )
    ranks: int | None = Field(None, ge=1, le=MOST_RANKS, description="ranks of the traced PIM machine")
    pim_unit: Literal["rank", "dpu"] = Field(
        "rank", description="what a PIM machine shares: ranks, or single DPUs (small machines, simulators)"
    )
    sms: int | None = Field(None, ge=1, le=MOST_SMS, description="streaming multiprocessors of the traced GPU")
    sizes: Literal["any", "mig"] = Field(
        "any",
        description="parts of the GPU that times against SMs are measured on: any, or mig (slices of 1, 2, 3, 4 and 7 "
        "sevenths of `sms`, or of the most SMs of the file)",
    )
    gpu: str | None = Field(None, description="the traced GPU by its name in pipeline/gpus/gpus.csv, as A100-SXM4-40GB")
    peak_gflops: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="peak single-precision rate of the GPU, GFLOP/s"
    )
    bandwidth_gbps: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="peak bandwidth of the GPU's memory, GB/s"
    )
    repetitions: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="how often a run of a GPU application repeats what was profiled",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict, description="other names of applications of a GPU in the files: {name: application}"
    )
    cpus_per_node: int = Field(1, ge=1, le=MOST_CPUS, description="processors a node, where a log counts processors")
    share: Literal["nodes", "cores"] | None = Field(
        None,
        description="what jobs have to themselves: nodes, or cores of nodes that they share; null = told from logs",
    )
    time_zone: str = Field("UTC", description="zone of timestamps that carry none, as Europe/Rome")
    dates: Literal["day_first", "month_first"] | None = Field(
        None, description="order of dates as 01/03/2024, where no day above 12 shows it"
    )
    columns: dict[str, Annotated[ColumnSource, BeforeValidator(_as_source)]] = Field(
        default_factory=dict, description="source column of each canonical column: name, [names] or {from, unit}"
    )
    samples: str | None = Field(None, description="file that holds the samples, where it is not called samples.*")
    jobs: str | None = Field(None, description="file that holds the jobs, where it is not called jobs.*")
    tables: dict[Literal["sm_curve", "corun_pairs", "kernels", "perf_table", "tasks"], str] = Field(
        default_factory=dict, description="files of other tables that are not called after them: {table: file}"
    )
    count_page_cache: bool = Field(
        True,
        description="whether page cache counts as used memory, where node metrics tell it apart (marconi100)",
    )
    directed: bool | None = Field(
        None, description="whether edges of a graph lead one way only, where its file does not tell (edge_list)"
    )
    weights: bool | None = Field(
        None,
        description="whether a third column of a graph's edges is their weight; null = unless the file says otherwise "
        "or it looks like times",
    )
    source: str | None = Field(None, description="where the figures come from: who measured them, and the address")
    licence: str | None = Field(None, description="terms under which the figures may be passed on, as CC-BY-4.0")
    citation: str | None = Field(None, description="what to cite where the figures are used")
    note: str | None = Field(None, description="what a reader of results should know about the trace")

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, zone: str) -> str:
        known = zoneinfo.available_timezones()
        if zone not in known:
            raise ValueError(f"unknown time zone {listing([zone])!r}{did_you_mean(zone, known)}")
        return zone

    @field_validator("gpu")
    @classmethod
    def _known_gpu(cls, name: str | None) -> str | None:
        if name is None:
            return None
        card = gpus.find(name)
        if card is None:
            near = [known for known in gpus.known() if name.casefold() in known.casefold()]
            hint = f"; did you mean {listing(near, 4)}?" if near else did_you_mean(name, gpus.known())
            otherwise = f"{hint} Or" if hint else "; or"
            raise ValueError(
                f"unknown GPU {listing([name])!r}{otherwise} state its peak_gflops, bandwidth_gbps and sms"
            )
        return card.name

    @field_validator("aliases")
    @classmethod
    def _aliases_end(cls, aliases: dict[str, str]) -> dict[str, str]:
        chained = sorted(name for name, app in aliases.items() if app in aliases)
        if chained:
            raise ValueError(f"{chained[0]} means {aliases[chained[0]]}, which is an alias itself; name the app")
        return aliases

    @model_validator(mode="after")
    def _partitions_fit(self) -> DropSettings:
        strange = [name for name in self.partitions if not PARTITION.fullmatch(name)]
        together = sum(self.partitions.values())
        if strange:
            raise ValueError(f"partitions: {listing(strange)} is no name of letters, digits and the signs _ . + -")
        if self.nodes and together > self.nodes:
            raise ValueError(
                f"partitions: they have {together} nodes together, and the machine {self.nodes}; those that share "
                "nodes cannot be replayed alone, so name those that have nodes of their own"
            )
        return self

    @property
    def gpu_sms(self) -> int | None:
        """SMs of the traced GPU, as stated or by its stated name."""
        return self.sms or (gpus.known()[self.gpu].sms if self.gpu else None)

    @model_validator(mode="after")
    def _columns_are_canonical(self) -> DropSettings:
        problems = []
        for column, source in self.columns.items():
            if column not in MAPPABLE:
                problems.append(f"columns: unknown canonical column {column!r}{did_you_mean(column, MAPPABLE)}")
            elif len(source.names) > 1 and column not in MADE_OF_SEVERAL:
                several = " and ".join(MADE_OF_SEVERAL)
                problems.append(f"columns: {column} takes one source column, only {several} may be made of several")
            elif column in USED_MEMORY and any(NOT_USED.search(name) for name in source.names):
                problems.append(
                    f"columns: {listing(source.names)} is memory that is not used; {column} = total - available, "
                    "so make a column of it first"
                )
            elif source.unit and not _unit_fits(column, source.unit):
                problems.append(f"columns: {column} cannot have the unit {source.unit}")
            elif column == "sms" and source.unit == PERCENT and self.gpu_sms is None:
                problems.append("columns: sms in % are a share of the GPU's SMs; state `sms:` or `gpu:`, too")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _unit_fits(column: str, unit: str) -> bool:
    if column.endswith("_s") or column == "timestamp":
        return unit in TIME_UNITS
    if unit in (PERCENT, "SMs"):
        return column == "sms" or (column in SHARES and unit == PERCENT)
    return column.endswith("_gb") and unit not in TIME_UNITS


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases and numbers to the base of 60.

    With nested aliases a few lines mean more than any memory holds, and `1:1:1…` takes time in the square of its
    length.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read; write the value out")
        return super().compose_node(parent, index)

    def construct_number(self, node: yaml.ScalarNode) -> Any:
        if ":" in node.value:
            return self.construct_yaml_str(node)
        integer = node.tag == "tag:yaml.org,2002:int"
        return self.construct_yaml_int(node) if integer else self.construct_yaml_float(node)


for _tag in ("int", "float"):
    _PlainLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _PlainLoader.construct_number)


def settings_of(folder: Path) -> DropSettings:
    """The settings of the drop in a folder; raises Refusal for a `trace.yaml` that cannot be used."""
    path = folder / SETTINGS_FILE
    if not os.path.lexists(path):
        return DropSettings()
    refusal = entry_refusal(path, folder)
    if refusal:
        raise refusal
    if path.is_dir():
        raise Refusal(
            "settings_malformed", f"{SETTINGS_FILE} is a folder, where a file would be right", file=SETTINGS_FILE
        )
    try:
        if path.stat().st_size > LARGEST_SETTINGS:
            raise Refusal(
                "settings_too_large", f"{SETTINGS_FILE} is larger than {LARGEST_SETTINGS} bytes", file=SETTINGS_FILE
            )
        content = yaml.load(path.read_bytes(), Loader=_PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError, ArithmeticError) as error:
        mark = getattr(error, "problem_mark", None)
        row = mark.line + 1 if mark else None
        what = (getattr(error, "problem", None) or str(error))[:LONGEST_COMPLAINT]
        raise Refusal(
            "settings_malformed", f"{SETTINGS_FILE} is not YAML: {what}", file=SETTINGS_FILE, row=row
        ) from None
    if content is None:
        return DropSettings()
    if not isinstance(content, dict):
        raise Refusal(
            "settings_malformed", f"{SETTINGS_FILE} must hold `key: value` lines, as `nodes: 100`", file=SETTINGS_FILE
        )
    try:
        return DropSettings.model_validate(content)
    except ValidationError as error:
        problems = _join_problems([_problem(e) for e in error.errors()])
        raise Refusal("settings_invalid", f"{SETTINGS_FILE}: {problems}", file=SETTINGS_FILE) from None


def _join_problems(problems: Sequence[str]) -> str:
    more = f"; and {len(problems) - MOST_PROBLEMS} more" if len(problems) > MOST_PROBLEMS else ""
    return "; ".join(problems[:MOST_PROBLEMS]) + more


def _problem(error: dict[str, Any]) -> str:
    """One validation error as a clause that names key, fault and the nearest right word."""
    location = [str(part)[:LONGEST_COMPLAINT] for part in error["loc"]]
    value = error["input"]
    if error["type"] == "extra_forbidden":
        known = DropSettings.model_fields if len(location) == 1 else ("from", "unit")
        return f"unknown key {'.'.join(location)!r}{did_you_mean(location[-1], known)}"
    if error["type"] == "value_error":
        sentence = str(error["ctx"]["error"])[: MOST_PROBLEMS * LONGEST_COMPLAINT]
        return f"{'.'.join(location)}: {sentence}" if location else sentence
    hint = ""
    if error["type"] == "literal_error":
        hint = did_you_mean(str(value), re.findall(r"'(\w+)'", error["ctx"]["expected"]))
    return f"{'.'.join(location)}: {error['msg'].lower()}, found {reprlib.repr(value)}{hint}"

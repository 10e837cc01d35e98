"""Finds data drops, reads their settings and recognises their format.

A drop is a folder below one of the trace roots. Which format it holds is asked of the reader modules, which are found
because they lie in `pipeline.readers`; a drop's `trace.yaml` may state the format and what the data do not tell.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pkgutil
import re
import reprlib
import zoneinfo
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline import gpus, readers
from pipeline.readers import _not_read
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

SETTINGS_FILE = "trace.yaml"
LARGEST_SETTINGS = 1 << 16
SMALL_BYTES = 4 << 20
"""Of drops up to this size starting a job for each scheduler takes longer than its replay (configuration: together)."""
LONGEST_COMPLAINT = 200
"""Characters of what another program says of a file that are shown."""
MOST_PROBLEMS = 20
MOST_LISTED = 5
MOST_NAMES = 15
DROP_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Safe in commands, paths and patterns of Snakemake; with a dash in front it would be an option of a command."""

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
    "min": 60.0,
    "h": 3600.0,
    "%": 1e-2,
    "SMs": 1.0,
}
"""Factor from a unit to GB (sizes), seconds (times), shares or SMs."""
TIME_UNITS = ("s", "ms", "min", "h")
PERCENT = "%"
SHARES = ("occupancy", "dram_utilisation")
"""Columns that are shares, and may be percentages in a file."""

MOST_NODES = 10**9
MOST_RANKS = 1 << 16
"""Ranks of the largest machine: performance tables have a row for each rank."""
MOST_SMS = 1 << 16
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
            if name not in ("trace_id", "origin")
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

PLACEHOLDER = "NAME_OF_THE_COLUMN"
"""Stands in a proposed trace.yaml where no column looks like the one that is needed."""

MADE_OF_SEVERAL = ("job_id", "app")
"""Canonical columns that several source columns may make together."""


class Refusal(Exception):  # noqa: N818 - a refusal is an outcome, kept as a result
    """A drop, or a file of one, that is not used.

    `reason` is the code kept in `rejected_rows`, `detail` the sentence beside it, `file` the file inside the drop
    (None: the drop as a whole) and `row` the line or row, from 1. `proposed` is the text of a `trace.yaml` to try.
    """

    def __init__(
        self, reason: str, detail: str, *, file: str | None = None, row: int | None = None, proposed: str | None = None
    ):
        super().__init__(detail)
        self.reason, self.detail, self.file, self.row, self.proposed = reason, detail, file, row, proposed


def _as_source(value: Any) -> Any:
    """The short forms of a column source, a name or a list of names, as its long form."""
    if isinstance(value, str):
        return {"from": [value]}
    if isinstance(value, list):
        return {"from": value}
    if isinstance(value, dict) and isinstance(value.get("from"), str):
        return {**value, "from": [value["from"]]}
    return value


class ColumnSource(BaseModel):
    """Where a canonical column comes from: source columns (several together make an id) and their unit."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    names: Annotated[list[str], Field(alias="from", min_length=1)]
    unit: Literal["B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "s", "ms", "min", "h", "%", "SMs"] | None = None

    @property
    def scale(self) -> float:
        """Factor to the canonical unit."""
        return UNIT_SCALE[self.unit] if self.unit else 1.0


class DropSettings(BaseModel):
    """The keys of a drop's `trace.yaml`; all of them optional."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: str | None = Field(None, description="format to read the drop as, where the files do not tell")
    kind: Literal["measured", "generated"] = Field(MEASURED, description=f"{MEASURED} on a machine, or {GENERATED}")
    nodes: int | None = Field(None, ge=1, le=MOST_NODES, description="nodes of the traced machine")
    node_memory_gb: float | None = Field(None, gt=0, allow_inf_nan=False, description="memory of a node, GB")
    ranks: int | None = Field(None, ge=1, le=MOST_RANKS, description="ranks of the traced PIM machine")
    pim_unit: Literal["rank", "dpu"] = Field(
        "rank", description="what a PIM machine shares: ranks, or single DPUs (small machines, simulators)"
    )
    sms: int | None = Field(None, ge=1, le=MOST_SMS, description="streaming multiprocessors of the traced GPU")
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
        description="whether page cache counts as used memory, where node metrics tell it apart (marconi100, ldms)",
    )
    directed: bool | None = Field(
        None, description="whether edges of a graph lead one way only, where its file does not tell (edge_list)"
    )
    weights: bool = Field(True, description="whether a third column of a graph's edges is their weight")
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
        found = gpus.find(name)
        if found is None:
            near = [known for known in gpus.known() if name.casefold() in known.casefold()]
            hint = f"; did you mean {listing(near, 4)}?" if near else did_you_mean(name, gpus.known())
            otherwise = f"{hint} Or" if hint else "; or"
            raise ValueError(
                f"unknown GPU {listing([name])!r}{otherwise} state its peak_gflops, bandwidth_gbps and sms"
            )
        return found.name

    @field_validator("aliases")
    @classmethod
    def _aliases_end(cls, aliases: dict[str, str]) -> dict[str, str]:
        chained = sorted(name for name, app in aliases.items() if app in aliases)
        if chained:
            raise ValueError(f"{chained[0]} stands for {aliases[chained[0]]}, which is an alias itself; name the app")
        return aliases

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


@dataclass(frozen=True)
class Drop:
    """A data drop: folder name, path and the settings of its `trace.yaml`."""

    name: str
    path: Path
    settings: DropSettings = field(default_factory=DropSettings)


@dataclass(frozen=True)
class Folder:
    """A sub-folder of a trace root.

    `key` is unique and safe in file names: the folder's name, or for a folder refused by its name one made from it.
    """

    key: str
    path: Path
    refusal: Refusal | None = None


def discover(roots: Sequence[Path]) -> list[Folder]:
    """Sub-folders of the trace roots, by name; hidden ones are left out.

    A folder with a name that cannot serve as a drop's, or with the name of a drop in an earlier root, carries its
    refusal and leaves the others alone. Raises FileNotFoundError for a root that is not a folder.
    """
    found: dict[str, Folder] = {}
    for root in roots:
        if not root.is_dir():
            raise FileNotFoundError(f"trace root {root} is not a folder; create it or take it out of trace_roots")
        for path in sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")):
            refusal = _name_refusal(path.name)
            key = path.name if refusal is None else _safe_key(path.name)
            if key in found:
                first = found[key].path.parent.name
                refusal = Refusal(
                    "drop_duplicate",
                    f"a drop named {path.name!r} was already found in trace root {first!r}; rename one of the two",
                )
                key = next(k for n in range(2, len(found) + 3) if (k := f"{key}-{n}") not in found)
            found[key] = Folder(key, path, refusal)
    return sorted(found.values(), key=lambda folder: folder.key)


def _name_refusal(name: str) -> Refusal | None:
    if DROP_NAME.fullmatch(name):
        return None
    suggestion = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "trace"
    return Refusal(
        "drop_name",
        f"folder name {name!r} begins with '-' or holds characters other than letters, digits, '_' and '-'; "
        f"rename the folder, for example to {suggestion!r}",
    )


def _safe_key(name: str) -> str:
    # The digest keeps names apart that differ only in the characters replaced.
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name).strip('-') or 'trace'}-{digest}"


def load(path: Path) -> Drop:
    """The drop in folder `path`; raises Refusal for its name or its `trace.yaml`."""
    refusal = _name_refusal(path.name)
    if refusal:
        raise refusal
    return Drop(path.name, path, _settings(path))


def of_file(path: Path) -> Drop:
    """A drop of one file, named after it, with default settings; raises Refusal for what may not be read."""
    refusal = _entry_refusal(path, path.parent)
    if refusal:
        raise refusal
    name = path.name.partition(".")[0]
    return Drop(name if DROP_NAME.fullmatch(name) else _safe_key(path.name), path.parent)


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases and numbers to the base of 60.

    Nested aliases let a few lines stand for more than any memory holds, and `1:1:1…` takes time in the square of its
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


def _settings(folder: Path) -> DropSettings:
    path = folder / SETTINGS_FILE
    if not os.path.lexists(path):
        return DropSettings()
    refusal = _entry_refusal(path, folder)
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
        problems = _together([_problem(e) for e in error.errors()])
        raise Refusal("settings_invalid", f"{SETTINGS_FILE}: {problems}", file=SETTINGS_FILE) from None


def _together(problems: Sequence[str]) -> str:
    more = f"; and {len(problems) - MOST_PROBLEMS} more" if len(problems) > MOST_PROBLEMS else ""
    return "; ".join(problems[:MOST_PROBLEMS]) + more


def _problem(error: dict[str, Any]) -> str:
    """One validation error as a clause that names key, fault and the nearest right word."""
    location = [str(part)[:LONGEST_COMPLAINT] for part in error["loc"]]
    found = error["input"]
    if error["type"] == "extra_forbidden":
        known = DropSettings.model_fields if len(location) == 1 else ("from", "unit")
        return f"unknown key {'.'.join(location)!r}{did_you_mean(location[-1], known)}"
    if error["type"] == "value_error":
        sentence = str(error["ctx"]["error"])[: MOST_PROBLEMS * LONGEST_COMPLAINT]
        return f"{'.'.join(location)}: {sentence}" if location else sentence
    hint = ""
    if error["type"] == "literal_error":
        hint = did_you_mean(str(found), re.findall(r"'(\w+)'", error["ctx"]["expected"]))
    return f"{'.'.join(location)}: {error['msg'].lower()}, found {reprlib.repr(found)}{hint}"


def contents(drop: Drop) -> tuple[list[Path], list[Refusal]]:
    """Files of the drop that may be read, by path, and the entries that may not.

    Hidden files and `trace.yaml` are left out. Linked folders are not entered: one that lies inside the drop is seen
    where it lies, one outside is refused, like every link to a file outside.
    """
    files, refusals = [], []
    for parent, folders, names in os.walk(drop.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in sorted([*links, *(n for n in names if not n.startswith("."))]):
            path = Path(parent) / name
            refusal = _entry_refusal(path, drop.path)
            if refusal:
                refusals.append(refusal)
            elif name not in links and path != drop.path / SETTINGS_FILE:
                files.append(path)
    return sorted(files), refusals


def fingerprint(folder: Path) -> str:
    """Hash of what ingest would see of a drop: names, sizes and times of its entries, down to the refused ones."""
    return _digest(folder, lambda _, state: f"{state.st_size}\0{state.st_mtime_ns}")


def content(folder: Path) -> str:
    """Hash by which the workflow sees that a drop has changed and has to be read again, replaced by older files or not.

    It is of names and contents; where these are more than SMALL_BYTES, of names, sizes and times in seconds. Archives
    keep no more of a time, so a copy of a finished project has nothing to do.
    """
    if size(folder) <= SMALL_BYTES:
        return _digest(folder, lambda path, _: hashlib.sha256(path.read_bytes()).hexdigest())
    return _digest(folder, lambda _, state: f"{state.st_size}\0{int(state.st_mtime)}")


def _digest(folder: Path, told: Callable[[Path, os.stat_result], str]) -> str:
    drop = Drop(folder.name, folder, DropSettings())
    files, refusals = contents(drop)
    digest = hashlib.sha256()
    for path in [folder / SETTINGS_FILE, *files]:
        try:
            state = told(path, path.stat())
        except OSError:
            continue
        digest.update(f"{path.relative_to(folder)}\0{state}\n".encode(errors="replace"))
    for refusal in refusals:
        digest.update(f"{refusal.reason}\0{refusal.file}\n".encode(errors="replace"))
    return digest.hexdigest()


def size(folder: Path) -> int:
    """Bytes of the files that ingest would see of a drop; one that has gone in the meantime has none."""
    found = 0
    for path in contents(Drop(folder.name, folder, DropSettings()))[0]:
        with contextlib.suppress(FileNotFoundError):
            found += path.stat().st_size
    return found


def readable(path: Path, folder: Path) -> bool:
    """Whether `path` is a file of the drop in `folder`, and not a link out of it."""
    return path.is_file() and _entry_refusal(path, folder) is None


def _entry_refusal(path: Path, folder: Path) -> Refusal | None:
    """Why an entry of a drop may not be read; None where it may."""
    name = path.relative_to(folder).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(name).decode(errors="backslashreplace")
        return Refusal(
            "name_not_utf8", f"the name {shown} is not UTF-8, so no table can hold it; rename the file", file=shown
        )
    if path.is_symlink():
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return Refusal("link_broken", f"{name} is a link to nothing; replace it by the file itself", file=name)
        if not target.is_relative_to(folder.resolve()):
            return Refusal(
                "link_outside",
                f"{name} is a link that leads out of the drop and is not followed; copy the file into the drop",
                file=name,
            )
    if not path.is_file() and not path.is_dir():
        return Refusal("not_a_file", f"{name} is neither a file nor a folder", file=name)
    return None


def reader_modules() -> list[ModuleType]:
    """The reader modules, by name; modules that start with `_` are parts they share."""
    return [
        importlib.import_module(f"{readers.__name__}.{module.name}")
        for module in sorted(pkgutil.iter_modules(readers.__path__), key=lambda module: module.name)
        if not module.name.startswith("_")
    ]


@dataclass(frozen=True)
class Recognised:
    """The reader of a drop, the drop with what its tables told beyond trace.yaml, and sentences that say what.

    `proposed` is the text of a `trace.yaml` that says the same; None where nothing was told.
    """

    module: ModuleType
    drop: Drop
    notes: Sequence[str] = ()
    proposed: str | None = None


def recognise(drop: Drop, files: list[Path] | None = None) -> ModuleType:
    """The reader of the drop, see `identify`."""
    return identify(drop, files).module


def identify(drop: Drop, files: list[Path] | None = None) -> Recognised:
    """The reader of the drop: the stated format's, the only one that knows files of it, or that of what tables hold.

    `files` are the readable files (default: `contents(drop)`). Raises Refusal where that is not one reader.
    """
    files = contents(drop)[0] if files is None else files
    if not files:
        raise Refusal("drop_empty", "the folder holds no file to read; put the trace into it or remove it")
    _require_stated(drop, files)
    known = reader_modules()
    found = listing([file.relative_to(drop.path).as_posix() for file in files], MOST_LISTED)
    stated = drop.settings.format
    if stated is not None:
        module = next((module for module in known if stated == module.FORMAT), None)
        if module is None:
            formats = [module.FORMAT for module in known]
            raise Refusal(
                "format_unknown",
                f"format {stated!r} is not known{did_you_mean(stated, formats)} Known: {', '.join(formats)}.",
                file=SETTINGS_FILE,
            )
        if module.recognises(files, drop.settings):
            return _completed(module, drop, files)
        told = _told(drop, files)
        if told is None or told.module is not module:
            raise Refusal("format_unknown", f"format {stated} is stated, but found only {found}: {_purpose(module)}")
        return told
    # A text file of a tool may look like one of edges, so what is known and not read is told first.
    if all(_not_read.kind(file) for file in files):
        raise _not_read_refusal(drop, files)
    mine = [module for module in known if module.recognises(files, drop.settings)]
    if not mine and _not_read.sentence(files):
        raise _not_read_refusal(drop, files)
    sure = [module for module in mine if not _guesses(module, drop, files)]
    mine = sure or mine
    if not sure:
        told = _told(drop, files)
        if told is not None:
            return told
    if not mine:
        raise Refusal("format_unknown", _unrecognised(files, [module.FORMAT for module in known], found))
    if len(mine) > 1:
        parts = "; ".join(
            f"{m.FORMAT}: {listing([f.name for f in m.recognises(files, drop.settings)], MOST_LISTED)}" for m in mine
        )
        raise Refusal(
            "format_ambiguous",
            f"several formats in one folder ({parts}); split it into one drop a format, or state `format:` in "
            f"{SETTINGS_FILE} to read one of them",
        )
    return _completed(mine[0], drop, files)


def _guesses(module: ModuleType, drop: Drop, files: list[Path]) -> bool:
    """Whether a reader that recognises the files has only their names to go by."""
    return hasattr(module, "guesses") and module.guesses(module.recognises(files, drop.settings))


def _content() -> ModuleType:
    # The modules of readers import this one.
    return importlib.import_module(f"{readers.__name__}._content")


def _require_stated(drop: Drop, files: list[Path]) -> None:
    """Raise Refusal where `tables:` in trace.yaml names a file that is not there."""
    names = sorted(file.name for file in files)
    for table, name in drop.settings.tables.items():
        if name not in names:
            raise Refusal(
                "file_unknown",
                f"tables: {table}: {name!r} is no file of the drop{did_you_mean(name, names)} Found: {listing(names)}.",
                file=SETTINGS_FILE,
            )


def _told(drop: Drop, files: list[Path]) -> Recognised | None:
    """The drop by what its tables hold; None where they look like nothing known."""
    told = _content().tell(files, drop.settings)
    if told is None:
        return None
    name = told.settings.format
    module = next(module for module in reader_modules() if name == module.FORMAT)
    known = _completed(module, replace(drop, settings=told.settings), files)
    return replace(known, notes=[*told.notes, *known.notes], proposed=known.proposed or told.proposed)


def _completed(module: ModuleType, drop: Drop, files: list[Path]) -> Recognised:
    """The drop with the columns of its tables found, where they are not called as the canonical ones."""
    content = _content()
    taken = module.recognises(files, drop.settings)
    tables = content.tables_of(module.FORMAT, taken, drop.settings)
    if not tables:
        return Recognised(module, drop)
    told = content.complete(tables, module.FORMAT, drop.settings)
    return Recognised(module, replace(drop, settings=told.settings), told.notes, told.proposed)


def _unrecognised(files: list[Path], formats: list[str], found: str) -> str:
    """Why no reader takes the files: what the columns of the first table are."""
    tables = importlib.import_module(f"{readers.__name__}._files")
    for file in files:
        if tables.stem(file, _content().TEXT_SUFFIXES) is None:
            continue
        try:
            names = tables.open_table(file).names
        except Refusal:
            continue
        if len(names) > 1:
            found = f"{file.name}, whose columns are {listing(names, MOST_NAMES)}"
            break
    return (
        f"no format recognised in {found}. State `format:` or map `columns:` in {SETTINGS_FILE}, as docs/data-drops.md "
        f"says. Known formats: {', '.join(formats)}."
    )


def _not_read_refusal(drop: Drop, files: list[Path]) -> Refusal:
    file, sentence = _not_read.sentence(files)
    return Refusal("format_not_read", sentence, file=file.relative_to(drop.path).as_posix())


def require(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise ValueError for a drop that the configuration names and nobody has dropped."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"no drop {name!r} under the trace roots{did_you_mean(name, known)}")


def hang_together(
    modules: Mapping[str, ModuleType], takes: Iterable[str], lenders: Iterable[str] = ()
) -> dict[str, list[str]]:
    """For each drop (key) that gives what a study takes: the drops that its workloads are made of, itself first.

    `lenders` are drops that the configuration names as what others' workloads take something of. Drops that are
    refused have no workloads.
    """
    gives = [key for key, module in modules.items() if set(takes) & set(module.GIVES)]
    lent = [key for key in gives if key in set(lenders)]
    return {key: [key, *(other for other in lent if other != key)] for key in gives}


def modules(folders: Iterable[Folder]) -> dict[str, ModuleType]:
    """The reader of each drop (key) that can be read."""
    found: dict[str, ModuleType] = {}
    for folder in folders:
        try:
            if folder.refusal is None:
                found[folder.key] = recognise(load(folder.path))
        except Refusal:
            continue
    return found


def _purpose(module: ModuleType) -> str:
    """First line of a reader's docstring, which says what files it reads."""
    return f"{module.FORMAT} ({(module.__doc__ or '').strip().splitlines()[0].rstrip('.')})."

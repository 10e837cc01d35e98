"""How busy GPUs are over time: output of `dcgmi dmon`, DCGM's metrics as Prometheus text or CSV, `nvidia-smi` as CSV.

Source: DCGM User Guide (dcgmi dmon, profiling metrics), dcgm-exporter's text format, and `nvidia-smi --help-query-gpu`.
They tell of a GPU as a whole and nothing of its kernels. Samples are added up GPU by GPU as they pass by.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import CsvTable, Reject, first_line, line_blocks, separator_of
from pipeline.readers._sink import Sink

FORMAT = "dcgm"
GIVES = ("gpu_activities",)

SNIFFED_BYTES = 1 << 13
SUFFIXES = (".csv", ".csv.gz", ".txt", ".txt.gz", ".log", ".log.gz", ".prom", ".prom.gz")
DMON, PROMETHEUS, TABLE = "dmon", "prometheus", "table"
_SIGNS = {
    DMON: r"(?m)^#\s*Entity\s",
    PROMETHEUS: r"(?m)^DCGM_FI_\w+\{",
    TABLE: r"\A[^\n]*(?:DCGM_FI_|\b(?:utilization\.gpu|memory\.used)\b)",
}
_MIB_GB = 1024**2 * 1e-9
QUANTITIES = ("sm_active", "sm_occupancy", "dram_active", "kernel_active", "memory_gb")
"""Shares of time, or of warps, and memory in use."""
METRICS = {
    "DCGM_FI_PROF_SM_ACTIVE": ("sm_active", 1.0),
    "DCGM_FI_PROF_SM_OCCUPANCY": ("sm_occupancy", 1.0),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dram_active", 1.0),
    "DCGM_FI_DEV_GPU_UTIL": ("kernel_active", 1e-2),
    "DCGM_FI_DEV_FB_USED": ("memory_gb", _MIB_GB),
    "SMACT": ("sm_active", 1.0),
    "SMOCC": ("sm_occupancy", 1.0),
    "DRAMA": ("dram_active", 1.0),
    "GPUTL": ("kernel_active", 1e-2),
    "FBUSD": ("memory_gb", _MIB_GB),
    "utilization.gpu [%]": ("kernel_active", 1e-2),
    "memory.used [MiB]": ("memory_gb", _MIB_GB),
}
"""Metrics that are read: the quantity, and the factor to its unit."""
_GPU = ("gpu", "GPU", "index", "gpu_id", "UUID", "uuid", "pci.bus_id", "gpu_uuid")
_NODE = ("Hostname", "hostname", "node", "host", "instance")
_UNKNOWN = ("N/A", "[N/A]", "[Not Supported]", "Not Supported")
_BLANK = 2.0**47 - 1
"""DCGM's markers of a value that is not there begin here (DCGM_FP64_BLANK, and far above it DCGM_INT64_BLANK)."""
_NUMBER = r"^\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)(?: (?:%|MiB))?\s*$"
_LINE = r"^(DCGM_FI_\w+)\{(.*)\}\s+(\S+)(?:\s+\d+)?\s*$"


def kind(file: Path) -> str | None:
    """Which of the forms a file has, by its first 8 KiB; None for other files."""
    name = file.name.lower()
    if not name.endswith(SUFFIXES):
        return None
    try:
        with (gzip.open if name.endswith(".gz") else open)(file, "rb") as content:
            head = content.read(SNIFFED_BYTES).decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error):
        return None
    return next((form for form, sign in _SIGNS.items() if re.search(sign, head)), None)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The outputs among the files, told by their beginnings."""
    return [file for file in files if kind(file)]


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the activity of each GPU to the sink. Without a readable sample the drop is refused."""
    sink.trace(drop.name)
    total, used = _empty(), 0
    for file in files:

        def reject(rows: pl.DataFrame, file: Path = file) -> None:
            sink.reject_rows(rows, file, table="gpu_activities")

        with sink.reading(file):
            for samples in _samples(file, reject):
                good = _valid(samples, reject)
                empty = pl.all_horizontal(pl.col(name).is_null() for name in QUANTITIES)
                told = good.filter(~empty)
                sink.left_out(
                    drop.name, "gpu_activities", "not_measured", good.height - told.height,
                    "no metric that is read, or none with a value", file,
                )  # fmt: skip
                sink.count_rows(file, told.height)
                used += told.height
                total = _together(pl.concat([total, _added(told)]))
    if not used:
        raise Refusal("table_missing", f"no sample of {', '.join(sorted(METRICS)[:5])} or their like can be read")
    frame = _table(total)
    sink.table("gpu_activities", frame.with_columns(trace_id=pl.lit(drop.name)))
    sink.used("gpu_activities", drop.name, used)
    sink.note(drop.name, _sentence(frame))


def _samples(file: Path, reject: Reject) -> Iterator[pl.DataFrame]:
    """Rows of a file: row, node, gpu and quantities as texts by the names of metrics that the file has."""
    form = kind(file)
    if form == TABLE:
        yield from _rows_of_table(file, reject)
    else:
        yield from (_lines_of_dmon if form == DMON else _lines_of_prometheus)(file, reject)


def _rows_of_table(file: Path, reject: Reject) -> Iterator[pl.DataFrame]:
    table = CsvTable(file, separator_of(first_line(file)))
    metrics = [name for name in METRICS if name in table.names]
    gpu, node = (next((n for n in names if n in table.names), None) for names in (_GPU, _NODE))
    if not metrics:
        raise Refusal(
            "columns_missing",
            "no column is a metric that is read; with `nvidia-smi` leave units in the header (`--format=csv`, not "
            f"noheader), with DCGM name {', '.join(list(METRICS)[:5])}",
            row=1,
        )
    for rows in table.batches([*metrics, *filter(None, (gpu, node))], reject):
        yield rows.select(
            "row",
            (pl.col(node).str.strip_chars() if node else pl.lit(None, pl.String)).alias("node"),
            (pl.col(gpu).str.strip_chars() if gpu else pl.lit("0")).alias("gpu"),
            *metrics,
        )


def _texts(file: Path) -> Iterator[pl.DataFrame]:
    """Lines of a text file with their numbers."""
    for line, block in line_blocks(file):
        texts = pl.Series("text", block.decode(errors="replace").split("\n"))
        frame = texts.str.strip_chars().to_frame().with_row_index("row", offset=line)
        yield frame.with_columns(pl.col("row").cast(pl.Int64)).filter(pl.col("text") != "")


def _lines_of_dmon(file: Path, reject: Reject) -> Iterator[pl.DataFrame]:
    """Lines as `GPU 0  0.812 …` below a header, which comes again and again."""
    names: list[str] = []
    for lines in _texts(file):
        header = pl.col("text").str.contains(r"^#\s*Entity\s")
        of_header = lines.filter(header)["text"].unique(maintain_order=True).to_list()
        found = [re.sub(r"^#\s*Entity\s+", "", text).split() for text in of_header]
        names = names or next(iter(found), [])
        if any(other != names for other in found) or len(set(names)) < len(names):
            raise Refusal("columns_differ", "headers within the file name other metrics; write one file a command")
        rest = lines.filter(~header & ~pl.col("text").str.contains(r"(?i)^id\b"))
        parts = pl.col("text").str.replace(r"^(GPU(?:-CI|-I)?)\s+", "$1 ").str.extract(r"^(?:GPU\S*) \S+\s+(.*)$", 1)
        rest = rest.with_columns(
            gpu=pl.col("text").str.extract(r"^GPU(?:-CI|-I)?\s+(\S+)\s", 1),
            kind=pl.col("text").str.extract(r"^(GPU(?:-CI|-I)?)\s", 1),
            values=parts.str.replace_all(r"\s+", " ").str.split(" "),
        )
        whole = pl.col("gpu").is_not_null() & (pl.col("values").list.len() == len(names))
        _malformed(rest.filter(~whole.fill_null(False)), f"right is GPU, its number and {len(names)} values", reject)
        rest = rest.filter(whole.fill_null(False))
        instance = pl.when(pl.col("kind") == "GPU").then("gpu").otherwise(pl.format("{} {}", "kind", "gpu"))
        yield rest.select(
            "row",
            pl.lit(None, pl.String).alias("node"),
            instance.alias("gpu"),
            *(pl.col("values").list.get(place).alias(n) for place, n in enumerate(names) if n in METRICS),
        )


def _lines_of_prometheus(file: Path, reject: Reject) -> Iterator[pl.DataFrame]:
    """Lines as `DCGM_FI_DEV_FB_USED{gpu="0",Hostname="n1"} 30211`; each is a sample of one metric."""
    for lines in _texts(file):
        rest = lines.filter(~pl.col("text").str.starts_with("#")).with_columns(
            metric=pl.col("text").str.extract(_LINE, 1),
            labels=pl.col("text").str.extract(_LINE, 2),
            value=pl.col("text").str.extract(_LINE, 3),
        )
        whole = pl.col("metric").is_not_null()
        _malformed(rest.filter(~whole), 'right is metric{gpu="0",…} value', reject)
        rest = rest.filter(whole)
        instance = _label("GPU_I_ID")
        gpu = pl.coalesce(_label("gpu"), _label("UUID"), pl.lit("0"))
        yield rest.select(
            "row",
            pl.coalesce(_label("Hostname"), _label("instance")).alias("node"),
            pl.when(instance.is_not_null() & (instance != "")).then(pl.format("{} GPU-I {}", gpu, instance))
            .otherwise(gpu).alias("gpu"),
            *(pl.when(pl.col("metric") == name).then("value").alias(name) for name in METRICS if "DCGM" in name),
        )  # fmt: skip


def _label(name: str) -> pl.Expr:
    return pl.col("labels").str.extract(rf'(?:^|,){name}="([^"]*)"', 1)


def _malformed(lines: pl.DataFrame, right: str, reject: Reject) -> None:
    if lines.height:
        detail = pl.format("{}: {}", pl.col("text").str.slice(0, 80), pl.lit(right))
        reject(lines.select("row", reason=pl.lit("malformed_line"), detail=detail))


def _valid(samples: pl.DataFrame, reject: Reject) -> pl.DataFrame:
    """Samples with numbers in the units of QUANTITIES; rows with a value that cannot be go to `reject`."""
    names = [name for name in METRICS if name in samples.columns]
    text = {name: pl.col(name).str.strip_chars() for name in names}
    unknown = {name: text[name].is_null() | text[name].is_in(["", *_UNKNOWN]) for name in names}
    number = {name: text[name].str.extract(_NUMBER, 1).cast(pl.Float64, strict=False) for name in names}
    number = {name: pl.when(value < _BLANK).then(value) for name, value in number.items()}
    blank = {name: text[name].str.extract(_NUMBER, 1).cast(pl.Float64, strict=False) >= _BLANK for name in names}
    reason, detail = pl.lit(None, pl.String), pl.lit(None, pl.String)
    for name in names:
        quantity, scale = METRICS[name]
        value = number[name]
        shown = pl.format("{} = {}", pl.lit(name), text[name].str.slice(0, 60))
        for code, wrong, right in (
            ("share_too_large", (value * scale > 1) & (quantity != "memory_gb"),
             "at most 1 would be right; with MIG the whole GPU's is none, so sample its instances"),
            ("value_negative", value < 0, "at least 0 would be right"),
            ("value_unreadable", value.is_null() & ~unknown[name] & ~blank[name].fill_null(False),
             "a number would be right"),
        ):  # fmt: skip
            wrong = wrong.fill_null(False)
            reason = pl.when(wrong).then(pl.lit(code)).otherwise(reason)
            detail = pl.when(wrong).then(pl.format("{}, {}", shown, pl.lit(right))).otherwise(detail)
    judged = samples.with_columns(reason=reason, detail=detail)
    bad = judged.filter(pl.col("reason").is_not_null())
    if bad.height:
        reject(bad.select("row", "reason", "detail"))
    values = {}
    for name in names:
        quantity, scale = METRICS[name]
        values.setdefault(quantity, []).append(number[name] * scale)
    return judged.filter(pl.col("reason").is_null()).select(
        "node",
        pl.col("gpu").fill_null("0"),
        *(pl.coalesce(*values.get(q, [pl.lit(None, pl.Float64)])).alias(q) for q in QUANTITIES),
    )


def _added(samples: pl.DataFrame) -> pl.DataFrame:
    """Sum, number and largest of each quantity, a row per GPU; `samples` is the most of a quantity."""
    return samples.group_by("node", "gpu", maintain_order=True).agg(
        *(
            expression
            for name in QUANTITIES
            for expression in (
                pl.col(name).sum().alias(f"{name}_sum"),
                pl.col(name).count().cast(pl.Int64).alias(f"{name}_count"),
                pl.col(name).max().alias(f"{name}_max"),
            )
        )
    )


def _empty() -> pl.DataFrame:
    return _added(pl.DataFrame(schema={"node": pl.String, "gpu": pl.String, **dict.fromkeys(QUANTITIES, pl.Float64)}))


def _together(sums: pl.DataFrame) -> pl.DataFrame:
    return sums.group_by("node", "gpu", maintain_order=True).agg(
        pl.col(c).max() if c.endswith("_max") else pl.col(c).sum() for c in sums.columns if c not in ("node", "gpu")
    )


def _table(sums: pl.DataFrame) -> pl.DataFrame:
    """Columns of `gpu_activities` but the trace, sorted."""
    means = {name: pl.when(pl.col(f"{name}_count") > 0).then(pl.col(f"{name}_sum") / pl.col(f"{name}_count"))
             for name in QUANTITIES}  # fmt: skip
    return sums.select(
        "node",
        "gpu",
        pl.max_horizontal(f"{name}_count" for name in QUANTITIES).alias("samples"),
        *(mean.alias(name) for name, mean in means.items()),
        pl.col("memory_gb_max").alias("peak_memory_gb"),
    ).sort("node", "gpu")


def _sentence(gpus: pl.DataFrame) -> str:
    """What is known of the GPUs, all together."""
    words = {
        "sm_active": "SMs active {:.1%}", "sm_occupancy": "occupancy {:.1%}", "dram_active": "memory busy {:.1%}",
        "kernel_active": "a kernel runs {:.1%} of the time", "memory_gb": "{:.1f} GB in use",
    }  # fmt: skip
    told = [text.format(gpus[name].mean()) for name, text in words.items() if gpus[name].count()]
    least = gpus["sm_active"].min()
    spare = "" if least is None else f" SMs of the least busy GPU are idle {1 - least:.1%} of the time."
    peak = gpus["peak_memory_gb"].max()
    most = "" if peak is None else f" The most memory in use is {peak:.1f} GB."
    return (
        f"Mean of {gpus.height} GPU{'s' if gpus.height > 1 else ''}: {', '.join(told)}.{spare}{most} "
        "hpc_memory is about memory of nodes and takes none of this. Who should share a GPU follows from its kernels "
        "(docs/formats/ncu.md)."
    )

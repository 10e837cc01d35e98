"""Files of GPU tools and clusters that no reader takes: what they are, why they do not do, and what does instead."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SNIFFED_BYTES = 1 << 13
SUFFIXES = (
    "cluster_job_log", ".json", ".json.gz", ".csv", ".csv.gz", ".tsv", ".psv", ".txt", ".log", ".out", ".prom", ".xml",
    ".sqlite", ".db",
)  # fmt: skip
_TIMES = (
    "which has times of kernels and no rates. Profile the program instead: `ncu --csv --page raw --set full --log-file "
    "app.csv --metrics <those of docs/formats/ncu.md> <program>`."
)
_WHOLE = (
    "which tells how busy a whole GPU was, and nothing of its kernels. Profile its programs with `ncu` "
    "(docs/formats/ncu.md)."
)
_SAMPLES = (
    "which is not read. Export a table samples.csv with the columns job_id, time_s and used_gb instead "
    "(docs/formats/memory_samples.md), or an answer of Prometheus (docs/formats/prometheus.md)."
)
_RANGE = (
    "which is not read. Ask for a range of time instead: `promtool query range -o json <server> <query>` "
    "(docs/formats/prometheus.md)."
)
_JOBS = (
    "which has no memory of its jobs, and shares of a GPU by count alone. Profile the programs (docs/formats/ncu.md) "
    "or measure them side by side (docs/formats/pair_rates.md)."
)


class Known(NamedTuple):
    """A kind of file: what its beginning or name shows, what it is, and what is to be said of it."""

    sign: str
    what: str
    instead: str


KNOWN = (
    Known(r'\ASQLite format 3\x00|(?m:^"?(?:Time ?\(%\)"?,"?)?Total Time ?\(\w+\)|^"?Start ?\(\w+\)"?,"?Duration ?\()'
          r"|(?m:^[^\n]*\b(?:Kernel Dur|KAvg) ?\()", "an export of Nsight Systems", _TIMES),
    Known(r"\A#Time,[^\n]*\b(?:ProducerName|component_id)\b", "a CSV store of LDMS", _SAMPLES),
    Known(r'(?s)\A\s*\{(?=.*"jobId"\s*:)(?=.*"(?:numNodes|startTime)"\s*:)'
          r'|\A\s*\{\s*"[^"]+"\s*:\s*\{\s*"(?:node|socket|memoryDomain|core|hwthread|accelerator)"\s*:\s*\{',
          "a file of a ClusterCockpit job archive", _SAMPLES),
    Known(r"(?m)^# gpu\s+(?:pwr|pid|sm)\s|NVIDIA-SMI \d|\A[^\n]*\b(?:utilization\.gpu|memory\.used)\b",
          "output of nvidia-smi", _WHOLE),
    Known(r"(?m)^#\s*Entity\s|DCGM_FI_\w+", "output of DCGM", _WHOLE),
    Known(r"\A[^\n]*,num_gpu,gpu_milli,", "a list of Alibaba's GPU pods", _JOBS),
    Known(r"\A[^\n]*,gpu_num,[^\n]*,node_num,", "a log of GPU jobs of Helios", _JOBS),
    Known(r'(?s)\A\s*\[\s*\{(?=.*"jobid")(?=.*"attempts"\s*:)', "a log of GPU jobs of Philly", _JOBS),
    Known(r"\A[^\n]*,(?:gpu_request|gpu_model|plan_gpu|adapter_\w+),", "a table of a GPU cluster of Alibaba", _JOBS),
    Known(r"(?m)^\s*(?:Type\s+)?Time\(%\)\s+Time\s+Calls\s|^\s*Start\s+Duration\s+Grid Size\s",
          "output of nvprof that is written for the eye",
          "whose numbers are rounded. Run nvprof again with `--csv` (docs/formats/nvprof.md)."),
    Known(r'\A\{__name__="', "a dump of the database of Prometheus", _RANGE),
    Known(r"\A# (?:HELP|TYPE|UNIT) \w+ ", "a page of metrics at one moment (OpenMetrics)", _RANGE),
    Known(r'\A(?:sep=.\s+)?"?Series"?[;,]"?Time"?[;,]"?Value', "an export of Grafana with a row for each value",
          "which is not read. Export it anew with series as columns, from Inspect (docs/formats/prometheus.md)."),
    Known(r"\A\s*(?:<\?xml[^>]*>\s*)?<simulation\b", "a configuration of SimSo",
          "which is not read. Write its tasks as tasks.csv (docs/formats/tasks.md)."),
    Known(r"(?m)^\[::\] [^\n]*latency_\w+_us=", "a log of PrIM's programs as a fork prints it",
          "which is not read. Run the programs of CMU-SAFARI/prim-benchmarks (docs/formats/prim.md), or write a table "
          "perf_table.csv (docs/formats/pim_tables.md)."),
    Known(r'(?s)\A\s*\{(?=.*"jobs"\s*:\s*\[)(?=.*"(?:job_state|submit_time)"\s*:)', "the queue of Slurm now",
          "which has no job that ended. Get the accounting: `sacct --allusers --json` (docs/formats/sacct.md)."),
    Known(r"\A(?![^\n]*\bJobID)(?=[^\n]*\b(?:ReqMem|AllocTRES|ReqTRES|MaxRSS|CPUTimeRAW|TimelimitRaw|AllocCPUS|NNodes)\b)"
          r"(?=[^\n]*\b(?:Elapsed|ElapsedRaw|State|Submit|Timelimit)\b)[^\n]*[|,;\t]", "output of sacct without JobID",
          "so that jobs and steps look alike. Get it anew with JobID, Submit, Start and End (docs/formats/sacct.md)."),
)  # fmt: skip
REPORTS = {
    ".ncu-rep": Known(
        "", "a report of Nsight Compute", "which is not read itself. Export it: `ncu --import <file> --csv --page raw`."
    ),
    ".nsys-rep": Known("", "a report of Nsight Systems", _TIMES),
    ".qdrep": Known("", "a report of Nsight Systems", _TIMES),
} | {
    ending: Known("", "a spreadsheet", "which is not read itself. Save each of its sheets as CSV, and drop that.")
    for ending in (".xlsx", ".xls", ".ods")
}


def kind(file: Path) -> Known | None:
    """The kind of a file that no reader takes, by its name or its first 8 KiB; None for others."""
    name = file.name.lower()
    if file.suffix.lower() in REPORTS:
        return REPORTS[file.suffix.lower()]
    if not name.endswith(SUFFIXES) and "meminfo" not in name:
        return None
    try:
        with (gzip.open if name.endswith(".gz") else open)(file, "rb") as content:
            head = content.read(SNIFFED_BYTES).decode("latin-1")
    except (OSError, EOFError, zlib.error):
        return None
    return next((known for known in KNOWN if re.search(known.sign, head)), None)


def sentence(files: Sequence[Path]) -> tuple[Path, str] | None:
    """The first of the files that no reader takes though it is known what it is, and what to say of it; else None."""
    for file in files:
        known = kind(file)
        if known:
            return file, f"{file.name} is {known.what}, {known.instead}"
    return None

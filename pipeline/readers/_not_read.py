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
    "cluster_job_log",
    ".json",
    ".csv",
    ".csv.gz",
    ".txt",
    ".log",
    ".prom",
    ".sqlite",
    ".db",
    ".nsys-rep",
    ".qdrep",
    ".ncu-rep",
)
_REPORT = (
    "which tells no kernels, or is not read itself. Export the profile: `nsys stats --format csv --output . --report "
    "cuda_gpu_trace <file>` or `nsys export --type sqlite <file>` (docs/formats/nsys.md)."
)
_WHOLE = (
    "which tells how busy a whole GPU was, and nothing of its kernels. Profile its programs: `nsys profile` "
    "(docs/formats/nsys.md) or `ncu` (docs/formats/ncu.md)."
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
    Known(r'(?m)^"?Time \(%\)"?,"?Total Time \(\w+\)"?,"?(?:Num Calls|Instances"?,.*(?:Range|Category))',
          "another report of Nsight Systems", _REPORT),
    Known(r"(?m)^# gpu\s+(?:pwr|pid|sm)\s|NVIDIA-SMI \d|\A[^\n]*\b(?:utilization\.gpu|memory\.used)\b",
          "output of nvidia-smi", _WHOLE),
    Known(r"(?m)^#\s*Entity\s|DCGM_FI_\w+", "output of DCGM", _WHOLE),
    Known(r"\A[^\n]*,num_gpu,gpu_milli,", "a list of Alibaba's GPU pods", _JOBS),
    Known(r"\A[^\n]*,gpu_num,[^\n]*,node_num,", "a log of GPU jobs of Helios", _JOBS),
    Known(r'(?s)\A\s*\[\s*\{(?=.*"jobid")(?=.*"attempts"\s*:)', "a log of GPU jobs of Philly", _JOBS),
)  # fmt: skip
REPORTS = {
    ".ncu-rep": Known(
        "", "a report of Nsight Compute", "which is not read itself. Export it: `ncu --import <file> --csv --page raw`."
    ),
    ".nsys-rep": Known("", "a report of Nsight Systems", _REPORT),
    ".qdrep": Known("", "a report of Nsight Systems", _REPORT),
} | {
    ending: Known("", "a spreadsheet", "which is not read itself. Save each of its sheets as CSV, and drop that.")
    for ending in (".xlsx", ".xls", ".ods")
}


def kind(file: Path) -> Known | None:
    """The kind of a file that no reader takes, by its name or its first 8 KiB; None for others."""
    name = file.name.lower()
    if file.suffix.lower() in REPORTS:
        return REPORTS[file.suffix.lower()]
    if not name.endswith(SUFFIXES):
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

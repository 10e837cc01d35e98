"""What must hold of every drop, however broken: it is read or refused with sentences, in bounded work and memory."""

from __future__ import annotations

import cProfile
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import polars as pl
import pyarrow.parquet as pq

from pipeline import tables
from pipeline.config import ConfigurationError, parse
from pipeline.stages.fit import fit
from pipeline.stages.ingest import ingest
from reliability.fuzzing import container

MOST_CALLS = 20_000_000
"""Calls of functions, Python's own among them, that a drop may take: a measure of work that is the same on every
machine. What hangs without a call is ended from outside (see `once`)."""
MOST_RSS_MB = 1500
LONGEST_SENTENCE = 4000
"""Characters of a reason: a sentence, not the file over again."""

_CODE = r"^[a-z][a-z0-9_]*$"
_NO_SENTENCE = r"Traceback|<class '| object at 0x|PanicException|Errno|polars\.|pyarrow\.|numpy\."
_STATUS = Path("/proc/self/status")
_REFS = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Fault:
    """What must not have happened: a kind, a sentence, and where (the innermost frame of the pipeline; two inputs with
    the same kind and place are one finding)."""

    kind: str
    sentence: str
    place: str

    @property
    def key(self) -> str:
        """Name of the finding, fit for a folder."""
        return re.sub(r"\W+", "-", f"{self.kind}-{self.place}").strip("-").lower()


def examine(folder: Path) -> Fault | None:
    """Ingest a drop and fit what is there, then look at every sentence and every row that came of it."""
    with calls() as made:
        fault = _examined(folder)
    if fault is None and made() > MOST_CALLS:
        return Fault("work", f"it took {made():,} calls", folder.name)
    return fault


def _examined(folder: Path) -> Fault | None:
    reset_peak()
    with tempfile.TemporaryDirectory(prefix="apportion-fuzz-") as scratch:
        ingested = Path(scratch) / "ingested"
        try:
            # What a reader raises refuses its drop; here it is a fault.
            with mock.patch("pipeline.drops.failed", return_value=None):
                ingest(folder, ingested)
            with warnings.catch_warnings():
                # Numbers near the largest there is overflow in fits, which say so by warnings.
                warnings.simplefilter("ignore", RuntimeWarning)
                fit(ingested, Path(scratch) / "fitted")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # polars' panics are no Exception
            return raised(error)
        peak = peak_rss_mb()
        if peak > MOST_RSS_MB:
            return Fault("memory", f"it took {peak:.0f} MB of memory", folder.name)
        return _badly_said(ingested) or _against_rules(ingested)


def examine_files(files: Mapping[str, bytes]) -> Fault | None:
    """`examine` a drop in memory."""
    with tempfile.TemporaryDirectory(prefix="apportion-fuzz-") as scratch:
        folder = Path(scratch) / "drop"
        container.write(files, folder)
        return examine(folder)


def examine_settings(settings: object) -> Fault | None:
    """Parse a configuration: it is taken, or refused with a sentence a problem."""
    try:
        with calls() as made:
            parse(settings)
    except ConfigurationError as error:
        text = str(error)
        if not re.match(r"\d+ problem\(s\) in the configuration:\n  ", text) or len(text) > 100 * LONGEST_SENTENCE:
            return Fault("sentence", text[:300], "configuration")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return raised(error)
    return Fault("work", f"it took {made():,} calls", "configuration") if made() > MOST_CALLS else None


def raised(error: BaseException) -> Fault:
    """An exception as a fault, placed at the innermost line of the pipeline."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/pipeline/" in f.filename.replace("\\", "/")]
    last = frames[-1] if frames else None
    place = f"{Path(last.filename).stem}.{last.name}" if last else "outside"
    where = f" ({Path(last.filename).name}:{last.lineno})" if last else ""
    return Fault(type(error).__name__, f"{str(error)[:300]}{where}", place)


def _badly_said(ingested: Path) -> Fault | None:
    """A rejected row, or a note, that does not say what is wrong as a reader needs it."""
    bad = (
        pl.col("detail").is_null()
        | (pl.col("detail").str.len_chars() > LONGEST_SENTENCE)
        | pl.col("detail").str.contains(_NO_SENTENCE)
        | ~pl.col("reason").str.contains(_CODE)
    )
    rejected = 0
    with pq.ParquetFile(ingested / "rejected_rows.parquet", pre_buffer=False) as file:
        for batch in file.iter_batches(columns=["reason", "detail"]):
            rows = pl.DataFrame(batch)
            rejected += rows.height
            for reason, detail in rows.filter(bad.fill_null(True)).head(1).iter_rows():
                return Fault("sentence", f"{reason}: {str(detail)[:300]}", f"rejected_rows.{reason}")
    traces = pl.read_parquet(ingested / "traces.parquet")
    if traces.is_empty() or not set(traces["status"]) <= {"read", "refused"}:
        return Fault("result", f"traces {traces['status'].to_list()}", "traces")
    if (traces["status"] == "refused").any() and not rejected:
        return Fault("sentence", "a trace is refused and nothing says why", "traces")
    return None


def _against_rules(ingested: Path) -> Fault | None:
    """A canonical table that breaks its own rules."""
    for path in sorted(ingested.glob("*.parquet")):
        schema = tables.CANONICAL.get(path.stem)
        if schema is None:
            continue
        _, failure = schema.filter(pl.read_parquet(path))
        if failure.counts():
            return Fault("rule", f"{path.stem}: {failure.counts()}", path.stem)
    return None


@contextmanager
def calls() -> Iterator[Callable[[], int]]:
    """Count the calls of functions in this block; gives what tells, after it, how many there were.

    Of blocks in one another only the innermost counts.
    """
    with cProfile.Profile() as profile:
        yield lambda: sum(entry.callcount for entry in profile.getstats())


def reset_peak() -> None:
    """Let the peak of resident memory count from here, where the system can."""
    if _REFS.exists():
        _REFS.write_text("5")


def peak_rss_mb() -> float:
    """Largest resident memory since reset_peak, MB; 0 where the system does not tell."""
    if not _STATUS.exists():
        return 0.0
    line = next((line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024

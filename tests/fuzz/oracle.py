"""What must hold of every drop, however broken: it is read and fitted, or refused with sentences."""

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import polars as pl
import seeds

from pipeline import tables
from pipeline.stages.fit import fit
from pipeline.stages.ingest import ingest

LONGEST_SENTENCE = 4000
"""Characters of a reason: a sentence, not the file over again."""
CODE = r"^[a-z][a-z0-9_]*$"
NO_SENTENCE = r"Traceback|<class '| object at 0x|PanicException|Errno|polars\.|pyarrow\.|numpy\."


def examine(folder: Path) -> None:
    """Ingest a drop and fit what is there, then look at every sentence and every row that results."""
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
            raise AssertionError(f"{type(error).__name__}: {str(error)[:300]}") from error
        _well_said(ingested)
        _within_rules(ingested)


def examine_files(files: Mapping[str, bytes]) -> None:
    """`examine` a drop in memory."""
    with tempfile.TemporaryDirectory(prefix="apportion-fuzz-") as scratch:
        seeds.write(files, Path(scratch) / "drop")
        examine(Path(scratch) / "drop")


def _well_said(ingested: Path) -> None:
    """Each rejected row says what is wrong as a reader needs it, and so does each refused trace."""
    rejected = pl.read_parquet(ingested / "rejected_rows.parquet")
    bad = (
        pl.col("detail").is_null()
        | (pl.col("detail").str.len_chars() > LONGEST_SENTENCE)
        | pl.col("detail").str.contains(NO_SENTENCE)
        | ~pl.col("reason").str.contains(CODE)
    )
    assert rejected.filter(bad.fill_null(True)).select("reason", "detail").head(1).rows() == []
    status = set(pl.read_parquet(ingested / "traces.parquet")["status"])
    assert status
    assert status <= {"read", "refused"}
    assert "refused" not in status or rejected.height


def _within_rules(ingested: Path) -> None:
    """No canonical table breaks its own rules."""
    for path in sorted(ingested.glob("*.parquet")):
        if path.stem in tables.CANONICAL:
            _, failure = tables.CANONICAL[path.stem].filter(pl.read_parquet(path))
            assert failure.counts() == {}, path.stem

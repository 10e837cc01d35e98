"""The tables of all drops, from the folders that reading and fitting left: what scenarios and database start from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

import polars as pl

from pipeline import tables

SETTINGS = "trace.yaml"
"""The file of a drop that says what the others are."""


def table_files(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Files of each canonical table of all drops, by drop, from their folders of ingest and fit.

    A table that several folders of one drop hold (phases as given, phases as fitted) is taken from the last of them.
    """
    path_of: dict[tuple[str, str], Path] = {}
    for folder in folders:
        for name in tables.CANONICAL:
            if (folder / f"{name}.parquet").is_file():
                path_of[name, folder.name] = folder / f"{name}.parquet"
    return {name: [path for key, path in sorted(path_of.items()) if key[0] == name] for name in tables.CANONICAL}


def catalog(folders: Iterable[Path]) -> dict[str, pl.DataFrame]:
    """Canonical tables of all drops as studies take them.

    Of phases and profiles, which may be far larger than memory, only those of whole jobs (node null) are there; samples
    and the original ids of vertices are not.
    """
    return {
        name: pl.concat([tables.empty(tables.CANONICAL[name]), *(_read(name, path) for path in paths)])
        for name, paths in table_files(folders).items()
        if name not in ("samples", "vertex_ids")
    }


def content_of(catalog: Mapping[str, pl.DataFrame], trace: str) -> str:
    """Hash of what the files of a trace hold, whatever they, their folder and the trace are called.

    Random numbers for a trace come from it, so a drop that is renamed or copied has the same answers. A trace that is
    one file of its drop (`<drop>/<file stem>`) has the content of that file. A trace of no known file has its name.
    """
    if "traces" not in catalog or "provenance" not in catalog:
        return trace
    drops = catalog["traces"].filter(pl.col("trace") == trace).select("drop")
    files = catalog["provenance"].join(drops, on="drop", how="semi").filter(pl.col("file") != SETTINGS)
    own = [PurePosixPath(name).name.partition(".")[0] == trace.partition("/")[2] for name in files["file"]]
    files = files.filter(pl.Series(own, dtype=pl.Boolean)) if any(own) else files
    return hashlib.sha256("\n".join(files["sha256"].sort()).encode()).hexdigest() if len(files) else trace


def _read(name: str, path: Path) -> pl.DataFrame:
    frame = pl.scan_parquet(path)
    return (frame.filter(pl.col("node").is_null()) if name in ("phases", "profiles") else frame).collect()

"""What a database is made from, in pieces that change by themselves: tables of drops, and parts of studies' results.

A piece is known by the hash of its files, which the database keeps (table `loaded`), so that a later run finds what has
changed. Files of the same bytes are the same piece, whenever they were written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline import tables
from pipeline.runtime import manifest, sources
from pipeline.tables.catalog import table_files
from pipeline.warehouse import complete
from pipeline.warehouse.schemas import STUDY_FILES

DURATIONS = "measured.parquet"
"""File of measured durations, which differ from run to run: other ones alone change no piece."""


@dataclass
class Part:
    """Results of a part of a study's workloads.

    replays: folders <scheduler>/<part>/<chunk>.
    """

    study: str
    name: str
    replays: list[Path] = field(default_factory=list)

    def prepared(self, results: Path) -> Path:
        """The folder of its workloads and scenarios."""
        return results / "scenarios" / self.study / self.name


def existing(folders: Iterable[Path], stem: str) -> list[Path]:
    """The Parquet files of this stem that are in the folders."""
    return [folder / f"{stem}.parquet" for folder in folders if (folder / f"{stem}.parquet").is_file()]


def of_drops(results: Path, drops: Iterable[str] | None) -> dict[str, list[Path]]:
    """Files of each canonical table of the named drops, or of all that were ingested.

    Raises ValueError where a file is damaged or results of a named drop are missing.
    """
    names = sorted(p.name for p in (results / "ingest").glob("[!.]*")) if drops is None else list(drops)
    given = [results / stage / name for stage in ("ingest", "fit") for name in names]
    given += compared(results, drops)
    if drops is not None:
        complete.require_ingested(given)
    manifest.require_whole(*given)
    return table_files(given)


def compared(results: Path, drops: Iterable[str] | None) -> list[Path]:
    """Folders of what studies' replays of the named drops, or of all, were compared with."""
    named = None if drops is None else set(drops)
    folders = sorted((results / "fidelity").glob("*/[!.]*"), key=lambda folder: (folder.name, folder))
    return [folder for folder in folders if named is None or folder.name in named]


def of_studies(results: Path, parts: Iterable[str] | None, chunks: int | None) -> dict[str, Part]:
    """The parts of the studies' results by <study>/<part>: those named, with all schedulers, or all that are found."""
    by_name: dict[str, Part] = {}
    for folder in _replays(results, parts, chunks):
        study, name = folder.parts[-4], folder.parts[-2]
        by_name.setdefault(f"{study}/{name}", Part(study, name)).replays.append(folder)
    return dict(sorted(by_name.items()))


def _replays(results: Path, parts: Iterable[str] | None, chunks: int | None) -> list[Path]:
    """Folders of the replays to load: of all schedulers where parts are named, else those that are found."""
    if parts is None or chunks is None:
        return [
            folder
            for folder in sorted((results / "replay").glob("*/*/*/[0-9]*"))
            if (parts is None or f"{folder.parts[-4]}/{folder.parent.name}" in set(parts))
            and (chunks is None or int(folder.name) < chunks)
        ]
    return sorted(
        results / "replay" / study / scheduler / part / str(chunk)
        for study, _, part in {name.partition("/") for name in parts}
        for scheduler in sources.schedulers(study)
        for chunk in range(chunks)
    )


def hashes(results: Path, of_drop: Mapping[str, list[Path]], of_study: Mapping[str, Part], code: str) -> dict[str, str]:
    """Hash of each piece, as the table `loaded` has them. Raises ValueError where a study's results are damaged."""
    by_piece = {"code": code}
    by_piece |= {database: _hash(results, of_drop[name]) for name, database in tables.DATABASE_NAME.items()}
    for name, part in of_study.items():
        folders = [part.prepared(results), *part.replays]
        manifest.require_whole(*folders)
        files = [file for folder in folders for file in sorted(folder.glob("*.parquet")) if file.name != DURATIONS]
        # A folder that is missing is told by its name.
        by_piece[name] = _hash(results, files, [folder for folder in folders if folder.is_dir()])
    return by_piece


def _hash(results: Path, files: Iterable[Path], folders: Iterable[Path] = ()) -> str:
    digest = hashlib.sha256()
    for path in [*folders, *files]:
        digest.update(f"{path.relative_to(results).as_posix()}\0".encode())
        if path.is_file():
            digest.update(bytes.fromhex(manifest.sha256(path)))
    return digest.hexdigest()


def tables_of(study: str, stage: str) -> dict[str, str]:
    """Tables of a study whose rows lie in the folders of a stage (scenarios or replay), with their files' stems."""
    return {table: stem for table, (at, stem) in STUDY_FILES[study].items() if at == stage}

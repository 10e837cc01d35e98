"""Which reader reads a drop: that of the stated format, one that knows its files, or that of its tables' headers."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from pipeline import readers
from pipeline.drops.files import SETTINGS_FILE, Refusal, failed
from pipeline.drops.folders import Drop, Folder, contents, load
from pipeline.readers import _not_read
from pipeline.runtime import bounded
from pipeline.runtime.bounded import Bounds
from pipeline.runtime.wording import did_you_mean, listing

log = logging.getLogger(__name__)
_KEY = r'"(\w{1,40})"\s*:'

MOST_LISTED = 5
MOST_NAMES = 15
MOST_SHOWN = 60
"""Characters of the beginning of a file that nobody knows."""
FORMATS_LISTED = "The formats are in docs/guides/data-drops.md."


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
    """The reader of the drop: the stated format's, the only one that knows files of it, or that of tables' headers.

    `files` are the readable files (default: `contents(drop)`). Raises Refusal where that is not one reader.
    """
    files = contents(drop)[0] if files is None else files
    if not files:
        raise Refusal("drop_empty", "the folder holds no file to read; put the trace into it or remove it")
    _require_stated(drop, files)
    known = reader_modules()
    names = listing([file.relative_to(drop.path).as_posix() for file in files], MOST_LISTED)
    stated = drop.settings.format
    if stated is not None:
        module = next((module for module in known if stated == module.FORMAT), None)
        if module is None:
            formats = [module.FORMAT for module in known]
            raise Refusal(
                "format_unknown",
                f"format {stated!r} is not known{did_you_mean(stated, formats)} {FORMATS_LISTED}",
                file=SETTINGS_FILE,
            )
        if module.recognises(files, drop.settings):
            return _doubted(module, drop, files)
        recognised = _by_tables(drop, files)
        if recognised is None or recognised.module is not module:
            raise Refusal("format_unknown", f"format {stated} is stated, but found only {names}: {_purpose(module)}")
        return recognised
    # A text file of a tool may look like one of edges, so what is known and not read is told first.
    if not drop.settings.columns and all(_not_read.kind(file) for file in files):
        raise _not_read_refusal(drop, files)
    takers = [module for module in known if module.recognises(files, drop.settings)]
    if not takers and _not_read.sentence(files):
        raise _not_read_refusal(drop, files)
    sure = [module for module in takers if not _guesses(module, drop, files)]
    takers = sure or takers
    if not sure:
        recognised = _by_tables(drop, files)
        if recognised is not None:
            return recognised
    if not takers:
        raise Refusal("format_unknown", _unrecognised(files, names))
    if len(takers) > 1:
        parts = "; ".join(
            f"{m.FORMAT}: {listing([f.name for f in m.recognises(files, drop.settings)], MOST_LISTED)}" for m in takers
        )
        raise Refusal(
            "format_ambiguous",
            f"several formats in one folder ({parts}); split it into one drop per format, or state `format:` in "
            f"{SETTINGS_FILE} to read one of them",
        )
    return _doubted(takers[0], drop, files)


def _guesses(module: ModuleType, drop: Drop, files: list[Path]) -> bool:
    """Whether a reader that recognises the files has only their names to go by."""
    return hasattr(module, "guesses") and module.guesses(module.recognises(files, drop.settings))


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


def _by_tables(drop: Drop, files: list[Path]) -> Recognised | None:
    """The drop by the headers of its tables; None where they look like nothing known."""
    from pipeline.readers import _headers

    told = _headers.tell(files, drop.settings)
    if told is None:
        return None
    module = next(module for module in reader_modules() if told.settings.format == module.FORMAT)
    return replace(_doubted(module, replace(drop, settings=told.settings), files), proposed=told.proposed)


def _doubted(module: ModuleType, drop: Drop, files: list[Path]) -> Recognised:
    """The drop with what its tables may have beside what is read."""
    from pipeline.readers import _headers

    taken = module.recognises(files, drop.settings)
    return Recognised(module, drop, _headers.doubts(module.FORMAT, taken, drop.settings))


def _unrecognised(files: list[Path], what: str) -> str:
    """Why no reader takes the files: what the first of them looks like."""
    from pipeline.readers import _files, _headers

    if len(files) == 1 and not files[0].stat().st_size:
        return f"{files[0].name} is empty"
    for file in files:
        if len(files) == 1 and not file.name.endswith(".parquet") and _files.is_binary(_files.beginning(file)):
            return f"{file.name} {_files.BINARY}"
        looks = _looks(file) if _files.stem(file, (*_headers.TEXT_SUFFIXES, ".json", ".json.gz", ".xml")) else None
        if looks:
            what = f"{file.name}, {looks}"
            break
    return (
        f"no format recognised in {what}. State `format:` or map `columns:` in {SETTINGS_FILE}, as "
        f"docs/guides/data-drops.md says. {FORMATS_LISTED}"
    )


def _looks(file: Path) -> str | None:
    """What a file looks like: JSON with its first keys, a table with its columns, or how it begins."""
    from pipeline.readers import _files

    is_text = not file.name.endswith(".parquet")
    text = _files.beginning(file).decode("utf-8-sig", errors="replace").lstrip() if is_text else ""
    if text[:1] in ("{", "["):
        keys = list(dict.fromkeys(re.findall(_KEY, text)))
        return f"JSON whose first keys are {listing(keys, MOST_LISTED) or 'none'}"
    try:
        names = _files.open_table(file).names if text[:1] != "<" else []
    except Refusal:
        names = []
    # Names of columns are short; a sentence with a comma is no header.
    if len(names) > 1 and all(len(name) <= MOST_SHOWN for name in names):
        return f"whose columns are {listing(names, MOST_NAMES)}"
    return f"which begins with {text.splitlines()[0][:MOST_SHOWN]!r}" if text else None


def _not_read_refusal(drop: Drop, files: list[Path]) -> Refusal:
    file, sentence = _not_read.sentence(files)
    return Refusal("format_not_read", sentence, file=file.relative_to(drop.path).as_posix())


def workload_drops(
    modules: Mapping[str, Reader], takes: Iterable[str], lenders: Iterable[str] = ()
) -> dict[str, list[str]]:
    """For each drop (key) that gives what a study takes: the drops that its workloads are made of, itself first.

    `lenders` are drops that the configuration names as what others' workloads take something of. Drops that are
    refused have no workloads.
    """
    gives = [key for key, module in modules.items() if set(takes) & set(module.GIVES)]
    lent = [key for key in gives if key in set(lenders)]
    return {key: [key, *(other for other in lent if other != key)] for key in gives}


class Reader(NamedTuple):
    """What the workflow asks of the reader of a drop: tables that it gives."""

    GIVES: tuple[str, ...]


def modules(folders: Iterable[Folder], bounds: Bounds | None = None) -> dict[str, Reader]:
    """The reader of each drop (key) that can be read; with bounds each is recognised within them (see `bounded`)."""
    folders = [folder for folder in folders if folder.refusal is None]
    readers = map(_reader, folders) if bounds is None else bounded.each(_reader, folders, [bounds] * len(folders))
    by_key: dict[str, Reader] = {}
    for folder, reader in zip(folders, readers, strict=True):
        if isinstance(reader, Reader):
            by_key[folder.key] = reader
        elif isinstance(reader, Exception):
            log.warning("drop %s is not recognised: %s", folder.key, reader)
    return by_key


def _reader(folder: Folder) -> Reader | None:
    try:
        module = recognise(load(folder.path))
    except Refusal:
        return None
    except BaseException as error:
        # Reading will meet the same fault, and say what it is.
        if failed(error, folder.path) is None:
            raise
        return None
    return Reader(module.GIVES)


def _purpose(module: ModuleType) -> str:
    """First line of a reader's docstring, which says what files it reads."""
    return f"{module.FORMAT} ({(module.__doc__ or '').strip().splitlines()[0].rstrip('.')})."

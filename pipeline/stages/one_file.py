"""A trace that lies in no project: every stage on it, one after the other, in this process.

The folders are those of the workflow, with one drop and no synthetic workloads, so its answers are the workflow's.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from pipeline import config, drops
from pipeline.readers import _recognise
from pipeline.runtime import sources, storage, threads
from pipeline.runtime.study import declared
from pipeline.stages import fidelity, ingest, together
from pipeline.stages import fit as fit_drop
from pipeline.stages.add import place
from pipeline.warehouse import load

DATABASE = "apportion.duckdb"
MOST_CORES = 4


def build(
    source: Path, results: Path, settings: config.Section | None = None, say: Callable[[str], None] = print
) -> str:
    """Take a file or folder through all stages into the folder `results`; the name of its drop.

    The database is `results/apportion.duckdb`. settings: a configuration, by default the default one. say: what is told
    of the progress. Raises FileNotFoundError where there is no such source, and ValueError with what `check` says
    where it cannot be read.
    """
    if not source.exists():
        raise FileNotFoundError(f"{source} does not exist")
    settings = settings or config.Configuration()
    os.environ.setdefault(threads.CORES, str(min(MOST_CORES, os.cpu_count() or 1)))
    source = source.resolve()
    name = drops.name_for(source)
    with tempfile.TemporaryDirectory(prefix="apportion-drop-") as scratch:
        drop = Path(scratch, name)
        place(source, drop, copy=False)
        say(f"reading {source.name}")
        read = ingest.ingest(drop, results / "ingest" / name, None, settings.fit.delta, settings.fit.node_memory)
        if read.code == 2:
            raise ValueError(f"{read.text(full=False)}\n{_remedy(source, read.proposed)}")
        reader = _recognise.modules(drops.discover([Path(scratch)]))
    _fit(results, name, settings)
    _write(results / "settings" / "configuration.json", settings.model_dump_json())
    wanted = _studies(settings, reader)
    uncompiled = sorted(set(wanted) & set(sources.uncompiled()))
    if uncompiled:
        say(f"compiling {', '.join(uncompiled)}: once on this machine, a minute or two")
    part = f"{sources.OF_DROP}{name}"
    for study in wanted:
        say(f"replaying through the {len(sources.schedulers(study))} schedulers of {study}")
        _replay(results, study, part, name, settings)
    for study in sources.with_module("fidelity"):
        if study in wanted and sources.fidelity_takes(study) in reader[name].GIVES:
            say("comparing with the starts of the log")
            fidelity.write_fidelity(study, results / "ingest" / name, results / "fidelity" / study / name)
    load.build(results, results / DATABASE, [name], [f"{study}/{part}" for study in wanted], 1, judged=False)
    return name


def _studies(settings: config.Section, reader: dict) -> list[str]:
    """Studies that are run and take something of what the reader gives."""
    return [
        study
        for study, declaration in declared().items()
        if study in (settings.studies or [study])
        and _recognise.workload_drops(reader, declaration.takes, config.lenders(settings, study))
    ]


def _fit(results: Path, name: str, settings: config.Section) -> None:
    given = settings.fit.model_dump()
    fit_drop.fit(results / "ingest" / name, results / "fit" / name, **given)


def _replay(results: Path, study: str, part: str, name: str, settings: config.Section) -> None:
    """Scenarios of a study on the drop and their replays."""
    own = results / "settings" / f"{study}.json"
    _write(own, json.dumps(config.section(settings, study)))
    together.write_part(study, part, [results / stage / name for stage in ("ingest", "fit")], own, results)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with storage.replacing_file(path) as part:
        part.write_text(text, encoding="utf-8")


def _remedy(source: Path, proposed: str | None) -> str:
    if proposed is None or source.is_dir():
        return "nothing was replayed"
    return (
        f"nothing was replayed; put {source.name} into a folder, with the lines above as {drops.SETTINGS_FILE} where "
        "they are right, and ask for the folder"
    )

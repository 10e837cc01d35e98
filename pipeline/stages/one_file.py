"""A trace that lies in no project: every stage on it, one after the other, in one process of its own.

The folders are those of the workflow, with one drop and no synthetic workloads, so its answers are the workflow's.
What polars does at import is left to that process.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pipeline import config, drops
from pipeline.readers import _recognise
from pipeline.runtime import sources, storage, threads
from pipeline.runtime.bounded import Bounds, OutOfBounds
from pipeline.runtime.study import declared
from pipeline.stages import one_drop, one_part
from pipeline.stages.add import place
from pipeline.stages.one_part import Step

DATABASE = "apportion.duckdb"
MOST_CORES = 4


def build(
    source: Path,
    results: Path,
    settings: config.Section | None = None,
    say: Callable[[str], None] = print,
    ask: Callable[[Path, str], Any] = lambda _, name: name,
) -> Any:
    """Take a file or folder through all stages into the folder `results`; what is asked of the database in the end.

    The database is `results/apportion.duckdb`. settings: a configuration, by default the default one; its limits hold
    for each step. say: what is told of the progress. ask: a function of the database and the name of the drop, by
    default to that name. A study that fails costs its own answer. Raises FileNotFoundError where there is no such
    source, and ValueError with what `check` says where it cannot be read.
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
        try:
            return list(one_part.each(_Stages(source, drop, results, settings, say).steps(ask)))[-1]
        except OutOfBounds as error:
            raise ValueError(f"{error}; nothing is answered") from None


class _Stages:
    """The stages on one drop."""

    def __init__(
        self, source: Path, drop: Path, results: Path, settings: config.Section, say: Callable[[str], None]
    ) -> None:
        self.source, self.drop, self.results, self.settings, self.say = source, drop, results, settings, say
        self.name, self.part = drop.name, f"{sources.OF_DROP}{drop.name}"
        self.ingested, self.fitted = results / "ingest" / drop.name, results / "fit" / drop.name

    def steps(self, ask: Callable[[Path, str], Any]) -> list[Step]:
        """In their order: what has no answer is said before anything is replayed."""
        limits = self.settings.limits
        bounds, name = Bounds(limits.drop_s or math.inf, limits.recognition.memory_gb), self.source.name
        studies = [study for study in sources.studies() if study in (self.settings.studies or [study])]
        compared = [study for study in sources.with_module("fidelity") if study in studies]
        folders = {study: one_part.folders(self.results, study, self.part, 1) for study in studies}
        of_study = partial(Step, bounds=bounds, part=self.part)
        return [
            one_drop.recognising(self.drop, limits.recognition),
            Step(self.read, bounds, f"reading {name}"),
            one_drop.fitting(self.ingested, self.fitted, bounds, **self.settings.fit.model_dump()),
            *(
                of_study(partial(self.prepare, study), stage="scenarios", study=study, targets=folders[study][:1])
                for study in studies
            ),
            Step(self.tell, bounds, f"preparing replays of {name}"),
            *(
                of_study(partial(self.replay, study), stage="replay", study=study, targets=folders[study][1:])
                for study in studies
            ),
            *(
                of_study(partial(self.compare, study), stage="fidelity", study=study, targets=[self.comparison(study)])
                for study in compared
            ),
            Step(partial(self.answer, ask), bounds, f"answering for {name}"),
        ]

    def read(self) -> None:
        """Read the drop."""
        from pipeline.stages import ingest

        phasing = self.settings.fit
        read = ingest.ingest(self.drop, self.ingested, None, phasing.delta, phasing.node_memory)
        if read.code == 2:
            raise ValueError(f"{read.text(full=False)}\n{_remedy(self.source, read.proposed)}")

    @cached_property
    def gives(self) -> tuple[str, ...]:
        """Tables that the reader of the drop gives."""
        import polars as pl

        form = pl.read_parquet(self.ingested / "traces.parquet")["format"].drop_nulls()[0]
        return next(module.GIVES for module in _recognise.reader_modules() if form == module.FORMAT)

    @cached_property
    def wanted(self) -> list[str]:
        """Studies that take something of what the reader gives."""
        return [
            study
            for study, declaration in declared().items()
            if study in (self.settings.studies or [study]) and set(declaration.takes) & set(self.gives)
        ]

    def prepare(self, study: str) -> None:
        """Scenarios of a study."""
        if study not in self.wanted:
            return
        from pipeline.stages.scenarios import write_scenarios

        own = self.results / "settings" / f"{study}.json"
        _write(own, json.dumps(config.section(self.settings, study)))
        folder = self.results / "scenarios" / study / self.part
        write_scenarios(study, own, [self.ingested, self.fitted], folder, self.name)

    def failed(self, study: str) -> list[str]:
        """Why a study has no scenarios; nothing where it has."""
        from pipeline.runtime import failed

        return failed.of([self.results / "scenarios" / study / self.part])["detail"].to_list()

    def tell(self) -> None:
        """Say which studies give no answer."""
        for study in self.wanted:
            for why in self.failed(study):
                self.say(f"no answer from {study}: {why}")
        uncompiled = sorted(set(self.wanted) & set(sources.uncompiled()))
        if uncompiled:
            self.say(f"compiling {', '.join(uncompiled)}: once on this machine, a minute or two")

    def replay(self, study: str) -> None:
        """Replays of a study's scenarios by its schedulers."""
        if study not in self.wanted:
            return
        from pipeline.stages import together

        if not self.failed(study):
            self.say(f"replaying through the {len(sources.schedulers(study))} schedulers of {study}")
        together.write_replays(study, self.part, self.results)

    def comparison(self, study: str) -> Path:
        """Folder of what a study's replays give, beside what the drop measured."""
        return self.results / "fidelity" / study / self.name

    def compare(self, study: str) -> None:
        """Compare a study's replays with what the drop measured, where it says that."""
        if study not in self.wanted or sources.fidelity_takes(study) not in self.gives:
            return
        from pipeline.stages import fidelity

        self.say("comparing with the starts of the log")
        fidelity.write_fidelity(study, self.ingested, self.comparison(study))

    def answer(self, ask: Callable[[Path, str], Any]) -> Any:
        """Build the database, and ask it."""
        from pipeline.warehouse import load

        _write(self.results / "settings" / "configuration.json", self.settings.model_dump_json())
        parts = [f"{study}/{self.part}" for study in self.wanted]
        load.build(self.results, self.results / DATABASE, [self.name], parts, 1, judged=False)
        return ask(self.results / DATABASE, self.name)


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

"""The second round of scenarios: a study places them by what the replays of the first round gave.

Imports little: of each of these processes, of which there are many, starting up is the larger part.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from pipeline.config.sections import of_study, parse
from pipeline.runtime import failed, manifest, storage

log = logging.getLogger(__name__)

METRICS = {"scenario_id": pl.String, "metric": pl.String, "value": pl.Float64}


def write_refinement(study: str, settings: Path, prepared: Path, replays: Iterable[Path], target: Path) -> None:
    """Scenario table of a study's second round, as `scenarios.parquet` of the folder `target`.

    It is what `refine` of the study's module `refinement` makes of the first round: `prepared` is the folder that the
    stage scenarios wrote, whose workloads are those of the second round too, and `replays` are folders of replays of
    its scenarios, those of the baseline among them. Raises ValueError where a scenario of the first round comes again.
    """
    replays, part = list(replays), prepared.name
    manifest.require_whole(prepared, *replays)
    failed.attempt(
        lambda: _write(study, settings, prepared, replays, target),
        "refine",
        study,
        part,
        [prepared, *replays],
        [target],
    )


def _write(study: str, settings: Path, prepared: Path, replays: list[Path], target: Path) -> None:
    module = importlib.import_module(f"pipeline.studies.{study}.refinement")
    configuration = parse(json.loads(settings.read_text(encoding="utf-8")), of_study(study))
    scenarios = pl.read_parquet(prepared / "scenarios.parquet")
    measured = sorted(path for folder in replays if (path := folder / "metrics.parquet").is_file())
    metrics = pl.concat([pl.DataFrame(schema=METRICS), *(pl.read_parquet(path) for path in measured)])
    refined = module.refine(configuration, pl.read_parquet(prepared / "workloads.parquet"), scenarios, metrics)
    again = refined.filter(pl.col("scenario_id").is_in(scenarios["scenario_id"].implode()))
    if len(again):
        raise ValueError(f"{study}: scenario {again['scenario_id'][0]!r} of the second round is one of the first")
    with manifest.replacing_folder(target) as folder:
        storage.write(refined, folder / "scenarios.parquet")
    log.info("%s: %d scenarios more", study, len(refined))

"""A scheduler of one's own, one file per study, goes through scenarios and replays like those that ship."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from pipeline import config
from pipeline.runtime.study import declared
from pipeline.stages import replay, scenarios

HERE = Path(__file__).parent
SMALL = HERE.parent / "warehouse" / "small"
OWN = sorted(HERE.glob("*/own/*.py"))


def test_every_study_with_workloads_of_its_own_has_one():
    studies = {name for name, study in declared().items() if study.synthetic}
    assert {file.parent.parent.name for file in OWN} == studies


@pytest.mark.slow
@pytest.mark.parametrize("file", OWN, ids=lambda file: file.stem)
def test_it_is_swept_replayed_and_measured(file, own_scheduler, tmp_path):
    study = file.parent.parent.name
    name = own_scheduler(study, file)
    parsed = config.parse({study: yaml.safe_load((SMALL / f"{study}.yaml").read_text())})
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(config.section(parsed, study)))
    source, target = tmp_path / "scenarios", tmp_path / "replays"
    scenarios.write_scenarios(study, settings, [], source)
    asked = pl.read_parquet(source / "scenarios.parquet").filter(scheduler=name)
    assert len(asked)
    replay.write_replay(study, name, 0, 1, source, target)
    measured = pl.read_parquet(target / "metrics.parquet")
    assert set(measured["scenario_id"]) == set(asked["scenario_id"])
    assert declared()[study].headline in set(measured["metric"]) <= set(declared()[study].metrics)

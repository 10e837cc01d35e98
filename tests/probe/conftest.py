"""A simulated card all the way: from the probe's drop to a database of the three studies of GPUs."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline import config
from pipeline.runtime import sources
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest
from pipeline.stages import replay as stage
from pipeline.stages import scenarios as stages
from pipeline.warehouse import load
from probe.__main__ import app

CARD = "made_probe"
SLATES = {"made_a": "transpose", "made_b": "black_scholes", "made_c": "gaussian", "made_d": "quasi_random",
          "made_e": "sgemm"}  # fmt: skip
"""Simulated kernels that are called as Slate's are, so that what is asked of those is asked."""
SMALL = {
    "gpu_corun": {"sweeps": {"dropped": {"workload": "pairs", "kernels": "dropped"}}},
    "gpu_sharing": {
        "fairness": {"pairs": {}},
        "qos": {"dropped": {"curves": "dropped", "gamma": [0.0], "levels": [80]}},
        "variation": {"dropped": {"curves": "dropped", "applications": [2], "maps": 2, "gamma": 0.0}},
    },
    "gpu_partition": {"sweeps": {"measured": {"workload": "measured", "tasks": [6], "load": [0.3, 0.5], "sets": 2}}},
}


@pytest.fixture(scope="session")
def card_drop(tmp_path_factory) -> Path:
    """A drop as the probe leaves it, of six simulated kernels."""
    folder = tmp_path_factory.mktemp("cards") / CARD
    kernels = [word for name in (*SLATES, "made_f") for word in ("--kernel", name)]
    result = CliRunner().invoke(app, [str(folder), "--simulate", "--seed", "3", *kernels])
    assert result.exit_code == 0, result.output
    with (folder / "trace.yaml").open("a") as file:
        file.write(f"aliases: {json.dumps(SLATES)}\n")
    return folder


def through_the_stages(drop: Path, results: Path) -> Path:
    """Database of one drop, with the studies of GPUs only; nothing of it is synthetic."""
    name = drop.name
    ingest.ingest(drop, results / "ingest" / name)
    fit_drop.fit(results / "ingest" / name, results / "fit" / name)
    parsed = config.parse(SMALL)
    (results / "settings").mkdir()
    (results / "settings" / "configuration.json").write_text(parsed.model_dump_json())
    for study in SMALL:
        settings = results / "settings" / f"{study}.json"
        settings.write_text(json.dumps(config.section(parsed, study)))
        source = results / "scenarios" / study / f"trace-{name}"
        stages.write_scenarios(study, settings, [results / step / name for step in ("ingest", "fit")], source, name)
        for scheduler in sources.schedulers(study):
            target = results / "replay" / study / scheduler / source.name / "0"
            stage.write_replay(study, scheduler, 0, 1, source, target)
    load.build(results, results / "apportion.duckdb")
    return results / "apportion.duckdb"


@pytest.fixture(scope="session")
def card_database(card_drop, tmp_path_factory) -> Path:
    """The database of the simulated card."""
    return through_the_stages(card_drop, tmp_path_factory.mktemp("card_results"))

"""The configuration: all problems at once, defaults, generated files."""

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from pipeline import config
from pipeline.reference import generated
from pipeline.runtime import sources
from pipeline.studies.hpc_memory.config import HpcMemory

ROOT = Path(__file__).resolve().parent.parent


def merged(base: dict, extra: dict) -> dict:
    """As Snakemake merges one configuration file into another."""
    out = dict(base)
    for key, value in extra.items():
        out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out


def test_every_problem_is_named_at_once_with_a_suggestion():
    settings = {
        "sede": 3,
        "chunks": 0,
        "fit": {"detla": 1.0},
        "hpc_memory": {"sweeps": {"a": {"jobbs": 5, "load": []}}},
    }
    with pytest.raises(config.ConfigurationError) as error:
        config.parse(settings)
    text = str(error.value)
    assert text.startswith("6 problem(s)")
    assert "sede: unknown key; did you mean 'seed'?" in text
    assert "fit.detla: unknown key; did you mean 'delta'?" in text
    assert "hpc_memory.sweeps.a.jobbs: unknown key; did you mean 'jobs'?" in text
    assert "hpc_memory.sweeps.a.load" in text
    assert "chunks" in text
    assert "hpc_memory.sweeps.a.workload: Field required" in text


def test_the_default_file_is_the_default():
    assert config.parse(yaml.safe_load(config.default_yaml())) == config.Configuration()


@pytest.mark.parametrize("name", ["quick", "paper"])
def test_the_other_configurations_are_valid(name):
    default = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    other = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())
    settings = merged(default, other)
    jsonschema.validate(settings, yaml.safe_load(config.schema_yaml()))
    assert config.parse(settings) != config.Configuration()


def test_the_schema_refuses_what_the_models_refuse():
    with pytest.raises(jsonschema.ValidationError, match="sede"):
        jsonschema.validate({"sede": 3}, yaml.safe_load(config.schema_yaml()))


def test_generated_files_are_up_to_date():
    assert generated.differences() == ""


@pytest.mark.slow
def test_a_file_out_of_date_is_shown_as_a_diff(tmp_path):
    generated.write(tmp_path)
    assert generated.differences(tmp_path) == ""
    path = tmp_path / "config" / "config.yaml"
    path.write_text(path.read_text().replace("seed: 1", "seed: 7"))
    said = generated.differences(tmp_path)
    assert "-seed: 7" in said
    assert "+seed: 1" in said
    assert "apportion generate" in said


def test_a_section_carries_the_seed_and_nothing_of_other_stages():
    settings = config.section(config.Configuration(seed=9), "hpc_memory")
    assert set(settings) == {"seed", "hpc_memory"}
    assert config.parse(settings).hpc_memory == HpcMemory()


def test_bounds_and_prices_replay_nothing_again():
    bounds = {"loss_bounds": [0.3], "response_bound": 0.2}
    settings = config.parse({"hpc_memory": bounds, "memory_tiers": bounds, "prices": {"memory_usd_per_gb": 1}})
    for study in ("hpc_memory", "memory_tiers"):
        assert config.section(settings, study) == config.section(config.Configuration(), study)
    with pytest.raises(config.ConfigurationError, match="loss_bounds"):
        config.parse({"hpc_memory": {"loss_bounds": [1.0]}})


@pytest.mark.parametrize("study", sources.studies())
def test_a_mistyped_scheduler_is_found_when_the_configuration_is_read(study):
    kind = "fairness" if study == "gpu_sharing" else "sweeps"
    name, sweep = next(iter(config.Configuration().model_dump(mode="json")[study][kind].items()))
    right = sources.schedulers(study)[0]
    config.parse({study: {kind: {name: sweep | {"schedulers": [right]}}}})
    with pytest.raises(config.ConfigurationError, match=f"no scheduler '{right}x'; did you mean '{right}'"):
        config.parse({study: {kind: {name: sweep | {"schedulers": [right, f"{right}x"]}}}})


def test_the_configuration_is_read_without_what_compiles():
    code = (
        "import sys; from pipeline import config; config.Configuration(); "
        "assert not {'numba', 'polars', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=sources.ROOT)


def test_studies_that_are_run_are_known_ones():
    assert config.parse({"studies": ["pim_graph"]}).studies == ["pim_graph"]
    with pytest.raises(config.ConfigurationError, match="unknown study 'pim_grap'; did you mean 'pim_graph'"):
        config.parse({"studies": ["pim_grap"]})
    with pytest.raises(config.ConfigurationError, match="studies"):
        config.parse({"studies": []})

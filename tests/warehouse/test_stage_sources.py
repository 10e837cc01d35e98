"""What a stage really runs is in the list of the files that its results depend on."""

import json
import os
import subprocess
import sys

import examples
import pytest
from examples import cases

from pipeline.config.sections import of_study, parse
from pipeline.runtime import sources
from pipeline.runtime.study import traits as traits_of
from pipeline.stages import scenarios as stages

NO_RESULT = {
    "pipeline.__main__",
    "pipeline.runtime.one_run",
    "pipeline.runtime.kernel_cache",
    "pipeline.runtime.sources",
    "pipeline.runtime.bounded",
    "pipeline.stages.one_drop",
    "pipeline.stages.one_part",
    "pipeline.studies",
    *(f"pipeline.studies.{study}{of}" for study in sources.studies() for of in ("", ".leads")),
}
"""Modules that no result depends on: the words of the verbs, the end of a run, whether a compiled kernel is whole and
of which version, what work on a drop may take, what a drop leads to."""


def loaded(*arguments):
    """Modules of the package that a verb has loaded when it ends."""
    code = (
        "import sys\n"
        "from pipeline.__main__ import main\n"
        "from pipeline.runtime import bounded\n"
        "bounded._polars_runs = lambda: True  # so that no work is done in another process\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'pipeline'))"
    )
    environment = os.environ | {"PYTHONPATH": str(sources.ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def listed(files):
    """Modules whose files are in a list."""
    paths = [path.resolve().relative_to(sources.ROOT) for path in files]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths if path.suffix == ".py"}


def schedulers_of(study):
    """Modules of all schedulers and what they import, which are found where they lie and need not be used."""
    return listed(sources.closure(f"pipeline.studies.{study}.schedulers.{name}" for name in sources.schedulers(study)))


ALWAYS = ("hpc_memory", "pim_graph", "memory_tiers")


@pytest.mark.parametrize("study", cases(sources.studies(), ALWAYS))
def test_scenarios_and_replays_run_what_is_listed(small_results, tmp_path, study):
    prepared = small_results / "scenarios" / study / "synthetic"
    settings = small_results / "settings" / f"{study}.json"
    first = sources.schedulers(study)[0]
    ran = loaded("scenarios", study, "--settings", settings, "--target", tmp_path / "scenarios")
    # What scenarios and replays take of the others is names and TRAITS.
    others = schedulers_of(study)
    assert ran - NO_RESULT - others <= listed(sources.of_scenarios(study))
    ran = loaded("replay", study, first, "--scenarios", prepared, "--target", tmp_path / "replay", "--chunks", 50)
    assert ran - NO_RESULT - others <= listed(sources.of_replay(study, first))


def test_reading_and_fitting_run_what_is_listed(tmp_path):
    drop = examples.trace("marconi_like")
    both = "--target", tmp_path / "ingest", "--fitted", tmp_path / "fit"
    ran = loaded("ingest", drop, *both, "--roots", drop.parent)
    assert ran - NO_RESULT <= listed({*sources.of_ingest(), *sources.of_fit()})
    assert {"pipeline.stages.ingest", "pipeline.stages.fit"} <= ran


class Watched:
    """A scheduler's module that notes which of its names are asked for."""

    def __init__(self, module, asked):
        self._module, self._asked = module, asked

    def __getattr__(self, name):
        self._asked.add(name)
        return getattr(self._module, name)


@pytest.mark.parametrize("study", sorted(set(sources.studies()) - {"pim_graph"}))
def test_scenarios_take_nothing_of_the_schedulers_but_what_the_study_names(small_results, monkeypatch, study):
    settings = small_results / "settings" / f"{study}.json"
    package = __import__(f"pipeline.studies.{study}", fromlist=["workload"])
    asked: set[str] = set()
    watched = {name: Watched(module, asked) for name, module in package.SCHEDULERS.items()}
    package.workloads  # noqa: B018 - the modules of the workloads are loaded on demand
    for name, module in list(sys.modules.items()):
        if name.startswith(f"pipeline.studies.{study}.") and not name.endswith((".replay", ".schedulers")):
            monkeypatch.setattr(module, "SCHEDULERS", watched) if hasattr(module, "SCHEDULERS") else None
    configuration = parse(json.loads(settings.read_text()), of_study(study))
    catalog = stages.catalog([])
    share = package.part(configuration, catalog, None)
    package.scenarios(share, package.workloads(share, catalog) | catalog)
    assert asked == set(package.STUDY.traits)
    traits = traits_of(study)
    assert traits.keys() == package.SCHEDULERS.keys()
    assert all(traits[name].keys() <= asked for name in traits)

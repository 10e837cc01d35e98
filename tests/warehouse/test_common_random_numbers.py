"""Schedulers meet the same draws, and draws that have nothing to do with each other come from different streams."""

import importlib
import pkgutil
import sys
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from scipy import stats

import pipeline
from pipeline import config
from pipeline.runtime.study import declared
from pipeline.stages import scenarios as stages
from pipeline.statistics import streams

STUDIES = [study for study, declaration in declared().items() if declaration.synthetic]
"""Those that draw workloads of no drop."""
SMALL = Path(__file__).parent / "small"
DRAWS = 4096


def configuration(**changes):
    small = {path.stem: yaml.safe_load(path.read_text()) for path in SMALL.glob("*.yaml")}
    return config.parse(small | changes)


def more_replicates(study):
    """The small configuration of a study with two more batches, task sets or members wherever it says how many."""
    section = yaml.safe_load((SMALL / f"{study}.yaml").read_text())

    def grow(settings):
        for key, value in settings.items():
            if isinstance(value, dict):
                grow(value)
            elif key in ("batches", "sets", "members") and isinstance(value, int):
                settings[key] = value + 2

    grow(section)
    return configuration(**{study: section})


@pytest.fixture(scope="module")
def catalog(small_results):
    return stages.catalog([folder for step in ("ingest", "fit") for folder in sorted((small_results / step).iterdir())])


def made(study, parsed, catalog):
    """Tables of a study's synthetic workloads, and its scenarios."""
    module = importlib.import_module(f"pipeline.studies.{study}")
    parsed = module.part(parsed, catalog, None)
    workloads = module.workloads(parsed, catalog)
    return workloads | {"scenarios": module.scenarios(parsed, workloads | catalog)}


@pytest.fixture(scope="module")
def used(catalog, small_results):
    """Keys of all streams that workloads draw from, with the master seed, by study; those of every drop among them."""
    for module in pkgutil.walk_packages(pipeline.__path__, "pipeline."):
        if module.name.startswith("pipeline.studies.") or module.name.startswith("pipeline.fit."):
            importlib.import_module(module.name)
    holders = [module for name, module in sys.modules.items() if name.startswith("pipeline")]
    drops = [None, *(folder.name for folder in sorted((small_results / "ingest").iterdir()))]
    keys_by_study = {}
    with pytest.MonkeyPatch.context() as patch:
        keys = set()

        def recorded(seed, *key, of=streams.stream):
            keys.add((seed, *key))
            return of(seed, *key)

        for module in [module for module in holders if getattr(module, "stream", None) is streams.stream]:
            patch.setattr(module, "stream", recorded)
        for study in STUDIES:
            keys = set()
            module = importlib.import_module(f"pipeline.studies.{study}")
            for drop in drops:
                parsed = module.part(configuration(), catalog, drop)
                module.scenarios(parsed, module.workloads(parsed, catalog) | catalog)
            keys_by_study[study] = sorted(keys, key=lambda key: tuple(map(str, key)))
    return keys_by_study


def test_every_study_draws_from_named_streams_under_the_master_seed(used):
    assert set(used) == set(STUDIES)
    for study, keys in used.items():
        assert len(keys) > 1, study
        assert {key[0] for key in keys} == {configuration().seed}, study
        assert all(isinstance(key[1], str) for key in keys), study


def test_different_names_are_different_streams(used):
    keys = [key for of_study in used.values() for key in of_study]
    states = {streams.stream(*key).bit_generator.state["state"]["state"] for key in keys}
    assert len(states) == len(set(keys)) > 100


def test_no_two_studies_draw_from_one_stream(used):
    for one, other in combinations(used, 2):
        assert not set(used[one]) & set(used[other])


def test_neighbouring_streams_are_uncorrelated(used):
    keys = [key for of_study in used.values() for key in of_study]
    draws = np.array([streams.stream(*key).random(DRAWS) for key in keys])
    z = np.array([np.corrcoef(one, other)[0, 1] for one, other in pairwise(draws)]) * np.sqrt(DRAWS)
    assert np.abs(z).max() < stats.norm.isf(0.0005 / len(z))
    assert 0.0005 < stats.chi2.sf((z**2).sum(), len(z)) < 0.9995
    assert stats.kstest(draws.ravel(), "uniform").pvalue > 0.0005


def test_another_master_seed_is_another_stream_of_every_name(used):
    keys = [key for of_study in used.values() for key in of_study]
    first, second = ({streams.stream(seed, *key[1:]).integers(2**62) for key in keys} for seed in (1, 2))
    assert not first & second


@pytest.mark.parametrize("study", STUDIES)
def test_more_replicates_leave_those_there_were_as_they_were(study, catalog):
    few, many = made(study, configuration(), catalog), made(study, more_replicates(study), catalog)
    assert set(few) <= set(many)
    assert len(many["scenarios"]) > len(few["scenarios"])
    for name, frame in few.items():
        if len(frame):
            assert frame.join(many[name], on=frame.columns, how="anti", nulls_equal=True).is_empty(), name


# What a scheduler is asked to place: its names in the outcomes of a study.
PLACED = dict.fromkeys(("hpc_memory", "pim_ranks"), "job_id")
PLACED |= {"gpu_corun": "position || kernel", "gpu_sharing": "slot || app", "gpu_partition": "task_id"}


@pytest.mark.parametrize("study", PLACED)
def test_all_schedulers_were_asked_for_the_same(study, ask):
    placed = ask(f"""
        SELECT workload_id, scheduler, list_sort(list(DISTINCT ({PLACED[study]})::VARCHAR)) AS placed
        FROM outcome_{study} JOIN scenario USING (scenario_id)
        GROUP BY workload_id, scenario_id, scheduler""")
    asked = placed.group_by("workload_id").agg(
        pl.col("scheduler").n_unique(), pl.col("placed").list.join(" ").n_unique().alias("different")
    )
    assert asked["scheduler"].max() > 1
    assert asked.filter(pl.col("different") > 1).is_empty()


def test_all_policies_searched_from_the_same_sources(fetch):
    rows = fetch("""
        SELECT count(DISTINCT root), count(DISTINCT scheduler)
        FROM scenario WHERE study = 'pim_graph' GROUP BY workload_id, algorithm, seed, len(root)""")
    assert {roots for roots, _ in rows} == {1}
    assert max(policies for _, policies in rows) > 1


@pytest.mark.parametrize("study", STUDIES)
def test_schedulers_that_are_compared_ran_on_the_same_replicates(study, ask):
    rows = ask(f"""
        SELECT workload, scheduler, list_sort(list(DISTINCT replicate)) AS replicates
        FROM comparable_run WHERE study = '{study}' GROUP BY ALL""")
    most = {}
    for workload, _, replicates in rows.iter_rows():
        most.setdefault(workload, set()).update(replicates)
    assert most
    # A sweep may have fewer batches than another of the same workloads: its batches are the first of theirs.
    for workload, scheduler, replicates in rows.iter_rows():
        of_all = sorted(most[workload], key=lambda name: (len(name), name))
        assert of_all[: len(replicates)] == sorted(replicates, key=lambda name: (len(name), name)), scheduler

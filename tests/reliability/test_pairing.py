"""The trial of pairing computes ratios of variances as numpy does, and asks of the database what is there."""

import argparse

import duckdb
import numpy as np
import polars as pl
import pytest

from pipeline.runtime import sources
from pipeline.warehouse.definitions import found
from reliability.trials import pairing
from reliability.trials.pairing import Measure

MEASURE = Measure("result", "workload", "batch", "value")


def ratios(**schedulers):
    frame = pl.concat(
        pl.DataFrame({"workload": "w", "batch": np.arange(len(values)), "scheduler": name, "value": values})
        for name, values in schedulers.items()
    )
    with duckdb.connect() as connection:
        connection.register("result", frame.to_arrow())
        return pairing.ratios(connection, MEASURE)


def test_a_ratio_is_that_of_the_variances():
    rng = np.random.default_rng(2)
    shared = rng.normal(0, 1, 12)
    a, b = shared + rng.normal(0, 0.3, 12), 2 + shared + rng.normal(0, 0.3, 12)
    expected = np.var(a - b, ddof=1) / (np.var(a, ddof=1) + np.var(b, ddof=1))
    pairs, quartiles, gains = ratios(a=a, b=b)
    assert (pairs, gains) == (1, 1.0)
    assert quartiles == [pytest.approx(expected)] * 3
    assert expected < 0.3


def test_schedulers_that_go_against_each_other_gain_nothing():
    a = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    pairs, quartiles, gains = ratios(a=a, b=-a)
    assert (pairs, gains) == (1, 0.0)
    assert quartiles[1] == pytest.approx(2.0)


def test_few_replicates_and_constants_are_no_pairs():
    assert ratios(a=[1.0, 2.0, 3.0, 4.0], b=[2.0, 2.5, 3.0, 3.5])[0] == 0
    assert ratios(a=[1.0, 2.0, 3.0, 4.0, 5.0], b=[2.0] * 5)[0] == 0


def test_every_study_has_a_measure_of_one_of_its_views():
    # Schedulers of memory_tiers are compared on spans of one log, not on replicates.
    assert set(pairing.MEASURES) == set(sources.studies()) - {"memory_tiers"}
    for study, measure in pairing.MEASURES.items():
        assert measure.view.startswith(study)
        assert found(measure.view)


def test_the_default_database_is_that_of_a_run():
    parser = argparse.ArgumentParser()
    pairing.arguments(parser)
    assert parser.parse_args([]).database.as_posix() == "results/apportion.duckdb"

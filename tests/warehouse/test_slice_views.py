"""Slices that serve demands, as the view and the macro tell them, against the tables of the fit stage."""

import duckdb
import polars as pl
import pytest


def test_each_demand_has_its_optimum_and_what_whole_gpus_need(ask, small_results):
    need = pl.read_parquet(small_results / "fit" / "parvagpu_a100" / "slice_needs.parquet")
    rows = ask("FROM fewest_slices WHERE trace = 'parvagpu_a100'")
    assert rows["demand"].to_list() == [f"S{i}" for i in range(1, 7)]
    assert set(rows["method"]) == {"optimum"}
    for name, method in (("gpus", "optimum"), ("gpus_heuristic", "heuristic"), ("gpus_whole", "whole_gpus")):
        assert rows[name].to_list() == need.filter(method=method).sort("demand")["gpus"].to_list()
    assert rows["saved"].to_list() == pytest.approx((1 - rows["gpus"] / rows["gpus_whole"]).to_list())


def test_best_slices_are_those_of_the_plan(ask):
    rows = ask("FROM best_slices('parvagpu_a100')")
    assert rows.group_by("demand").agg(same=pl.col("gpu").max() == pl.col("gpus").max())["same"].all()
    sums = rows.group_by("demand").agg(pl.col("slices").sum(), pl.col("processes").sum(), slice=pl.len()).sort("demand")
    need = ask("SELECT demand, sevenths, processes, slices FROM fewest_slices ORDER BY demand")
    assert sums["slices"].to_list() == need["sevenths"].to_list()
    assert sums["processes"].to_list() == need["processes"].to_list()
    assert sums["slice"].to_list() == need["slices"].to_list()
    with pytest.raises(duckdb.Error, match="no trace 'gavel'"):
        ask("FROM best_slices('gavel')")


def test_the_answer_says_how_many_gpus_each_set_needs(ask):
    ((said,),) = ask("SELECT amount FROM answer_gpu_partition WHERE topic = 'slices'").rows()
    for demand, gpus, whole in ask("SELECT demand, gpus, gpus_whole FROM fewest_slices").rows():
        assert f"{demand}: {gpus} instead of {whole}" in said

"""Errors of gpu_corun: sentences that name what was wrong and what would be right."""

import polars as pl
import pytest
from gpu_corun_cases import pairs, plain

from pipeline.studies import gpu_corun

INPUTS = {"queue": pairs("A-B"), "kernels": plain(A={}, B={})}
ROW = pl.DataFrame({"scenario_id": ["s"], "scheduler": ["slate"], "workload_id": ["A-B"]})


def with_column(table, name, value, dtype=None):
    return INPUTS | {table: INPUTS[table].with_columns(pl.lit(value, dtype).alias(name))}


def row(**values):
    return ROW.with_columns(**{name: pl.lit(value) for name, value in values.items()})


@pytest.mark.parametrize(
    ("inputs", "scenarios", "message"),
    [
        (INPUTS, row(sms=0), "sms is 0 in row 1; it must be at least 1"),
        (INPUTS, row(sms=2.5), "sms is 2.5 in row 1; it must be a whole number"),
        (INPUTS, row(task_size=0), "task_size is 0"),
        (INPUTS, row(bandwidth_gbps=0.0), "bandwidth_gbps is 0.0 in row 1; it must be above 0"),
        (INPUTS, row(knee=1.5), "knee is 1.5; it is a share of the bandwidth, at most 1"),
        (INPUTS, row(resize_s=-1.0), "resize_s is -1.0"),
        (INPUTS, row(latency=float("nan")), "latency is nan"),
        (INPUTS, row(medium_gflops=600.0), "medium_gflops is 600.0 and high_gflops 496.0; they must rise"),
        (INPUTS, row(model_id="m"), "unknown model 'm'; no table has a column model_id"),
        (INPUTS | {"queue": pairs("A-X").with_columns(workload_id=pl.lit("A-B"))}, ROW, "unknown kernel 'X'.*'A-B'"),
        (with_column("queue", "position", 0), ROW, "position 0 occurs twice in workload 'A-B'"),
        (with_column("queue", "kernel", None, pl.String), ROW, "queue: kernel is null in row 1"),
        (with_column("queue", "arrival_s", float("inf")), ROW, "queue: arrival_s is inf in row 1"),
        (with_column("kernels", "kernel", "A"), ROW, "kernel 'A' occurs twice"),
        (with_column("kernels", "gflops", None, pl.Float64), ROW, "kernels: gflops is None in row 1"),
        (with_column("kernels", "memory_gbps", -1.0), ROW, "kernels: memory_gbps is -1.0"),
        (with_column("kernels", "loop_s", 0.0), ROW, "kernels: loop_s is 0.0 in row 1; it must be above 0"),
        (with_column("kernels", "saturation", 1.1), ROW, "saturation is 1.1 in row 1; it is a share of the SMs"),
        (with_column("kernels", "slate_speed", 0.0), ROW, "slate_speed is 0.0"),
        (with_column("kernels", "imbalance", 0.2), row(task_size=1), "would take no time at task_size 1"),
        (INPUTS | {"kernels": plain(A={}).with_columns(kernel=pl.Series([1]))}, ROW, "kernel is Int64.*String"),
        (
            INPUTS | {"queue": pairs("A-A-B").with_columns(workload_id=pl.lit("A-B"))},
            row(scheduler="optimal"),
            "optimal takes at most 2 applications; workload 'A-B' has 3",
        ),
    ],
)
def test_what_is_wrong_is_named(inputs, scenarios, message):
    with pytest.raises(ValueError, match=message):
        gpu_corun.replay(inputs, scenarios)


def test_a_model_must_be_named_where_there_are_several():
    kernels = pl.concat(INPUTS["kernels"].with_columns(model_id=pl.lit(m)) for m in ("a", "b"))
    with pytest.raises(ValueError, match="model_id is null in scenario 's'; it must be one of a, b"):
        gpu_corun.replay(INPUTS | {"kernels": kernels}, ROW)
    with pytest.raises(ValueError, match="unknown model 'c'"):
        gpu_corun.replay(INPUTS | {"kernels": kernels}, row(model_id="c"))
    alone = kernels.filter(model_id="a")
    assert len(gpu_corun.replay(INPUTS | {"kernels": alone}, ROW)["outcomes"]) == 2


def test_a_model_without_a_kernel_is_named():
    kernels = pl.concat(INPUTS["kernels"].with_columns(model_id=pl.lit(m)) for m in ("a", "b")).head(3)
    with pytest.raises(ValueError, match=r"unknown kernel 'B'.*of model 'b'.*known: A"):
        gpu_corun.replay(INPUTS | {"kernels": kernels}, row(model_id="b"))

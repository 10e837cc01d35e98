"""Models on slices of a partitioned GPU: what was measured, what is asked of them, and slices that keep it."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import count, number, text


class SlicePoint(dy.Schema):
    """Rates and latencies of a model on a slice of a partitioned GPU, by batch size and processes that share it."""

    trace = text("trace the point belongs to")
    app = text("model", min_length=1)
    slices = count("sevenths of the GPU that the slice has", min=1, max=7)
    batch = count("requests of a batch", min=1)
    processes = count("processes that share the slice", min=1)
    rate_per_s = number(
        "requests a second of all its processes; null = does not fit", "1/s", nullable=True, min_exclusive=0
    )
    latency_s = number("time of a batch in service; null = does not fit", "s", nullable=True, min_exclusive=0)

    @dy.rule()
    def duplicate_point(cls) -> pl.Expr:
        """A model has one point for each slice, batch size and number of processes; the first row counts."""
        return pl.struct("trace", "app", "slices", "batch", "processes").is_first_distinct()


class SliceDemand(dy.Schema):
    """What a set of models has to serve together."""

    trace = text("trace the demand belongs to")
    demand = text("set of models", min_length=1)
    app = text("model", min_length=1)
    rate_per_s = number("requests a second", "1/s", min_exclusive=0)
    latency_s = number(
        "longest time from request to answer; null = none is asked for", "s", nullable=True, min_exclusive=0
    )

    @dy.rule()
    def duplicate_demand(cls) -> pl.Expr:
        """A model occurs once in a set; the first row counts."""
        return pl.struct("trace", "demand", "app").is_first_distinct()


class SliceNeed(dy.Schema):
    """What it takes to keep each demand: GPUs, sevenths, slices and processes, by how they were chosen."""

    trace = text("trace")
    demand = text("set of models")
    method = text(
        "whole_gpus (no slices), single_process (fewest, one process per slice), heuristic or optimum (fewest GPUs, "
        "then sevenths, then processes)"
    )
    gpus = count("GPUs; null = not kept, or no optimum was found", nullable=True, min=0)
    sevenths = count("sevenths of GPUs in use", nullable=True, min=0)
    slices = count("slices", nullable=True, min=0)
    processes = count("processes", nullable=True, min=0)
    apps = count("models of the set", min=1)
    unmet = text("models that no slice serves in time, apart by ', '; null = all are kept", nullable=True)


class SlicePlan(dy.Schema):
    """The slices that keep each demand, one row each."""

    trace = text("trace")
    demand = text("set of models")
    method = text("as slice_need")
    gpu = count("GPU, from 1", min=1)
    position = count("slice of the GPU, from 1, the largest first", min=1)
    app = text("model that it serves", min_length=1)
    slices = count("sevenths of the GPU", min=1, max=7)
    batch = count("requests of a batch", min=1)
    processes = count("processes that share it", min=1)
    rate_per_s = number("requests a second that it can serve", "1/s", min_exclusive=0)
    latency_s = number("time of a batch in service", "s", min_exclusive=0)


CANONICAL = {
    "slice_points": SlicePoint,
    "slice_demands": SliceDemand,
    "slice_needs": SliceNeed,
    "slice_plans": SlicePlan,
}
DATABASE_NAME = {
    "slice_points": "slice_point",
    "slice_demands": "slice_demand",
    "slice_needs": "slice_need",
    "slice_plans": "slice_plan",
}

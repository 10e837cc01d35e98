"""Slices for demands: layouts as an A100 has them, exhaustive search on tiny cases, and the published profiles."""

from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import slices
from pipeline.gpus.mig import MIG_OFFERS, MIG_SLICES, MIG_TAKES, whole_layouts
from pipeline.runtime.sources import ROOT
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest

# The layouts of an A100 to which nothing can be added, by the table of profiles in NVIDIA's MIG User Guide.
LAYOUTS = {
    (7,), (4, 3), (4, 2, 1), (4, 1, 1, 1), (3, 3), (3, 2, 2), (3, 2, 1, 1), (3, 1, 1, 1, 1), (2, 2, 2, 1),
    (2, 2, 1, 1, 1), (2, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1, 1),
}  # fmt: skip


def test_whole_layouts_are_those_of_the_guide():
    layouts = {
        tuple(size for size, n in sorted(zip(MIG_SLICES, layout, strict=True), reverse=True) for _ in range(n))
        for layout in whole_layouts()
    }
    assert layouts == LAYOUTS


def points_of(rows):
    frame = pl.DataFrame(rows, schema=["app", "slices", "batch", "processes", "rate_per_s", "latency_s"], orient="row")
    return tables.conform(frame.with_columns(trace=pl.lit("t")), tables.SlicePoint)


def asked_of(rows):
    frame = pl.DataFrame(rows, schema=["app", "rate_per_s", "latency_s"], orient="row")
    return frame.with_columns(pl.col("rate_per_s", "latency_s").cast(pl.Float64))


def fits_on(gpus, kinds):
    """Whether slices (positions in MIG_SLICES) fit on so many GPUs, by trying every place of each."""

    def place(left, rest):
        if not rest:
            return True
        takes = MIG_TAKES[rest[0]]
        tried = set()
        for gpu, room in enumerate(left):
            if room >= takes and room not in tried:
                tried.add(room)
                if place([*left[:gpu], room - takes, *left[gpu + 1 :]], rest[1:]):
                    return True
        return False

    return place([MIG_OFFERS] * gpus, sorted(kinds, reverse=True))


def covers(options, model, rate, most):
    """Every set of up to `most` slices that serves the rate and could spare none, with the fewest processes of each."""
    model_options = np.flatnonzero(options.model == model)
    fewest = {}
    for n in range(1, most + 1):
        for chosen in combinations_with_replacement(model_options, n):
            served = options.rate[list(chosen)]
            if rate * (1 - 1e-9) <= served.sum() < rate * (1 - 1e-9) + served.min():
                kinds = tuple(sorted(options.size[list(chosen)].tolist()))
                processes = int(options.processes[list(chosen)].sum())
                fewest[kinds] = min(processes, fewest.get(kinds, processes))
    return fewest.items()


def exhaustive(options, rates, most):
    """Fewest (GPUs, sevenths, processes) by trying every number of every option up to `most` slices a model."""
    best = (99, 0, 0)
    for together in product(*(covers(options, model, rate, most) for model, rate in enumerate(rates))):
        kinds = [kind for cover, _ in together for kind in cover]
        sevenths = sum(MIG_SLICES[kind] for kind in kinds)
        if -(-sevenths // 7) <= best[0]:
            gpus = next(n for n in range(1, len(kinds) + 1) if fits_on(n, kinds))
            best = min(best, (gpus, sevenths, sum(processes for _, processes in together)))
    return best


def drawn(seed, models):
    rng = np.random.default_rng(seed)
    rows = []
    for model in range(models):
        for size in MIG_SLICES:
            for processes in (1, 2):
                if rng.random() < 0.8 or (size == 7 and processes == 1):
                    rate = size ** rng.uniform(0.6, 1.1) * processes ** rng.uniform(0, 0.5) * 10
                    rows.append((f"m{model}", size, 4, processes, round(rate, 1), 0.1))
    asked = asked_of([(f"m{model}", rng.uniform(8, 40), 1.0) for model in range(models)])
    return points_of(rows), asked


def value_of(options, chosen):
    taken, gpus = chosen
    used = [i for gpu in gpus for i in gpu]
    assert np.bincount(used, minlength=len(taken)).tolist() == taken.tolist()
    for gpu in gpus:
        assert MIG_TAKES[options.size[gpu]].sum() <= MIG_OFFERS
    return len(gpus), int(slices.SIZES[options.size[used]].sum()), int(options.processes[used].sum())


@pytest.mark.parametrize("seed", range(16))
def test_the_optimum_is_that_of_exhaustive_search(seed):
    points, asked = drawn(seed, 2)
    options = slices.options_of(points, asked)
    rates = asked["rate_per_s"].to_numpy()
    best = slices.choose(options, rates, "optimum")
    value = value_of(options, best)
    # A slice serves 10 a second or more: four are enough, and with a fifth one could be spared.
    assert value == exhaustive(options, rates, 4)
    for method in ("heuristic", "whole_gpus"):
        chosen = slices.choose(options, rates, method)
        assert value_of(options, chosen) >= value, method
        served = np.bincount(options.model, options.rate * chosen[0])
        assert (served >= rates * (1 - 1e-6)).all()
    alone = slices.choose(options, rates, "single_process")
    if alone is not None:
        of = options[options.processes == 1]
        assert value_of(of, alone)[:2] >= value[:2]


def test_options_keep_the_latency_and_no_useless_processes():
    points = points_of([
        ("a", 1, 1, 1, 10.0, 0.02), ("a", 1, 8, 1, 30.0, 0.2), ("a", 1, 16, 1, 50.0, 0.5), ("a", 1, 8, 2, 29.0, 0.3),
        ("a", 1, 4, 3, 40.0, 0.4), ("a", 2, 8, 1, None, None), ("b", 1, 1, 1, 5.0, 0.1),
    ])  # fmt: skip
    options = slices.options_of(points, asked_of([("a", 1, 1.0), ("c", 1, 1.0)]))
    # 0.45 of a second: batch 16 is too slow; two processes are no faster than one.
    assert list(zip(options.processes.tolist(), options.rate.tolist(), strict=True)) == [(1, 30.0), (3, 40.0)]
    assert options.model.tolist() == [0, 0]
    free = slices.options_of(points, asked_of([("a", 1, None)]))
    assert free.rate.tolist() == [50.0]


def test_a_case_by_hand():
    # 3 + 3 + 1 are not to be had: two GPUs for what makes seven sevenths, but 2 + 2 + 3 would do.
    points = points_of([("a", 3, 1, 1, 10.0, 0.1), ("b", 3, 1, 1, 10.0, 0.1), ("c", 1, 1, 1, 10.0, 0.1)])
    asked = asked_of([("a", 10, None), ("b", 10, None), ("c", 10, None)])
    options = slices.options_of(points, asked)
    assert value_of(options, slices.choose(options, np.array([10.0] * 3), "optimum")) == (2, 7, 3)
    assert slices.choose(options, np.array([10.0] * 3), "whole_gpus") is None
    more = pl.concat([points, points_of([("a", 2, 1, 2, 10.0, 0.1), ("b", 2, 1, 2, 10.0, 0.1)])])
    options = slices.options_of(more, asked)
    assert value_of(options, slices.choose(options, np.array([10.0] * 3), "optimum")) == (1, 5, 5)


def test_models_that_no_slice_serves_are_named():
    points = points_of([("a", 1, 1, 1, 10.0, 0.1), ("b", 1, 1, 1, 10.0, 9.0)])
    demands = asked_of([("a", 5, 1.0), ("b", 5, 1.0)]).with_columns(trace=pl.lit("t"), demand=pl.lit("S"))
    result = slices.needs(points, tables.conform(demands, tables.SliceDemand))
    assert result["slice_plans"].is_empty()
    assert result["slice_needs"].select("unmet", "gpus").unique().rows() == [("b", None)]


def test_the_published_demands_are_kept(tmp_path):
    ingest.ingest(ROOT / "traces" / "parvagpu_a100", tmp_path / "ingest")
    fit_drop.fit(tmp_path / "ingest", tmp_path / "fit")
    need, plan = (pl.read_parquet(tmp_path / "fit" / f"{name}.parquet") for name in slices.TABLES)
    asked = pl.read_parquet(tmp_path / "ingest" / "slice_demands.parquet")
    points = pl.read_parquet(tmp_path / "ingest" / "slice_points.parquet")
    assert need.height == 6 * len(slices.METHODS)
    assert need["unmet"].null_count() == need["gpus"].len()
    served = plan.group_by("demand", "method", "app").agg(pl.col("rate_per_s").sum(), pl.col("latency_s").max())
    both = served.join(asked, on=["demand", "app"], suffix="_asked")
    assert both.height == served.height == asked.height * len(slices.METHODS)
    assert (both["rate_per_s"] >= both["rate_per_s_asked"] * (1 - 1e-6)).all()
    assert (both["latency_s"] <= 0.45 * both["latency_s_asked"]).all()
    same = ["app", "slices", "batch", "processes", "rate_per_s", "latency_s"]
    assert plan.join(points, on=same, how="anti").is_empty()
    for (_, _, _), gpu in plan.group_by("demand", "method", "gpu"):
        assert sum(MIG_TAKES[MIG_SLICES.index(size)] for size in gpu["slices"]) <= MIG_OFFERS
    gpus = {method: of["gpus"].to_list() for (method,), of in need.sort("demand").group_by("method")}
    assert all(a <= b for a, b in zip(gpus["optimum"], gpus["heuristic"], strict=True))
    assert all(a <= b for a, b in zip(gpus["optimum"], gpus["single_process"], strict=True))
    assert all(a <= b for a, b in zip(gpus["heuristic"], gpus["whole_gpus"], strict=True))


def test_the_heuristic_scales_to_many_models():
    points, asked = drawn(1, 300)
    options = slices.options_of(points, asked)
    _, _, _ = value_of(options, slices.choose(options, asked["rate_per_s"].to_numpy(), "heuristic"))

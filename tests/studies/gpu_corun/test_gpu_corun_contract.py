"""What every scheduler of gpu_corun owes its users, for all that are found."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import polars as pl
import pytest
from gpu_corun_cases import TABLE_2, pairs, plain, random_apps, random_machine, run, tables

from pipeline.studies import gpu_corun

SCHEDULERS = tuple(sorted(gpu_corun.schedulers()))
every_scheduler = pytest.mark.parametrize("scheduler", SCHEDULERS)


def cases_of(seed, scheduler, count=12):
    rng = Random(seed)
    cases = {}
    for k in range(count):
        machine = random_machine(rng)
        cases[f"w{k:02d}"] = (machine, random_apps(rng, machine, 2 if scheduler == "optimal" else 6))
    return cases


def as_bytes(result):
    """Each table as its schema and text (floats in full), rows as they come."""
    return {name: (frame.schema, frame.write_csv()) for name, frame in result.items()}


def test_the_schedulers_of_the_design_are_found():
    assert set(SCHEDULERS) >= {"cuda", "mps", "slate", "optimal"}


@every_scheduler
def test_same_bytes_for_the_same_input_in_any_order_of_rows(scheduler):
    inputs, scenarios = tables(cases_of(1, scheduler), scheduler)
    first = as_bytes(gpu_corun.replay(inputs, scenarios))
    assert as_bytes(gpu_corun.replay(inputs, scenarios)) == first
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=3) for name, frame in inputs.items()}
    assert as_bytes(gpu_corun.replay(shuffled, scenarios.sample(fraction=1, shuffle=True, seed=4))) == first


@every_scheduler
def test_a_scenario_alone_gives_what_it_gives_in_a_batch(scheduler):
    inputs, scenarios = tables(cases_of(2, scheduler), scheduler)
    batch = gpu_corun.replay(inputs, scenarios)
    for name in scenarios["scenario_id"]:
        row = scenarios.filter(scenario_id=name)
        own = {
            "queue": inputs["queue"].filter(workload_id=name),
            "kernels": inputs["kernels"].filter(model_id=name),
        }
        mine = {k: v.filter(pl.col("scenario_id") == name) for k, v in batch.items()}
        assert as_bytes(gpu_corun.replay(own, row)) == as_bytes(mine)


@every_scheduler
def test_every_application_ends_once_after_it_arrives(scheduler):
    inputs, scenarios = tables(cases_of(3, scheduler), scheduler)
    outcomes = gpu_corun.replay(inputs, scenarios)["outcomes"]
    joined = outcomes.join(
        inputs["queue"], left_on=["scenario_id", "position"], right_on=["workload_id", "position"], validate="1:1"
    )
    assert len(joined) == len(inputs["queue"])
    assert joined.select((pl.col("arrival_s") <= pl.col("start_s")).all()).item()
    assert joined.select((pl.col("start_s") < pl.col("kernel_end_s")).all()).item()
    assert joined.select((pl.col("kernel_end_s") <= pl.col("end_s")).all()).item()


@every_scheduler
def test_metrics_are_those_of_the_outcomes(scheduler):
    inputs, scenarios = tables(cases_of(4, scheduler), scheduler)
    result = gpu_corun.replay(inputs, scenarios)
    rows = (
        result["outcomes"]
        .join(inputs["queue"], left_on=["scenario_id", "position"], right_on=["workload_id", "position"])
        .join(inputs["kernels"], left_on=["scenario_id", "kernel"], right_on=["model_id", "kernel"])
        .with_columns(shared=pl.col("end_s") - pl.col("arrival_s"), alone=pl.col("setup_s") + pl.col("loop_s"))
    )
    expected = rows.group_by("scenario_id").agg(
        makespan_s=pl.col("end_s").max() - pl.col("arrival_s").min(),
        kernel_makespan_s=pl.col("kernel_end_s").max() - (pl.col("arrival_s") + pl.col("setup_s")).min(),
        antt=(pl.col("shared") / pl.col("alone")).mean(),
        stp=(pl.col("alone") / pl.col("shared")).sum(),
    )
    found = result["metrics"].pivot("metric", index="scenario_id", values="value")
    both = expected.join(found, on="scenario_id", suffix="_found", validate="1:1")
    for name in ("makespan_s", "kernel_makespan_s", "antt", "stp"):
        assert both[name].to_list() == pytest.approx(both[f"{name}_found"].to_list())


@every_scheduler
def test_shifting_and_scaling_time_shifts_and_scales_the_results(scheduler):
    cases = cases_of(5, scheduler)
    base = gpu_corun.replay(*tables(cases, scheduler))["outcomes"]
    inputs, scenarios = tables(cases, scheduler)
    later = inputs | {"queue": inputs["queue"].with_columns(pl.col("arrival_s") + 1024)}
    shifted = gpu_corun.replay(later, scenarios)["outcomes"]
    assert shifted["end_s"].to_list() == pytest.approx((base["end_s"] + 1024).to_list())
    times = ("loop_s", "setup_s", "arrival_s")
    longer = {
        name: (
            replace(machine, resize_s=4 * machine.resize_s),
            [_with(app, {t: 4 * getattr(app, t) for t in times}) for app in apps],
        )
        for name, (machine, apps) in cases.items()
    }
    scaled = gpu_corun.replay(*tables(longer, scheduler))["outcomes"]
    assert scaled["end_s"].to_list() == pytest.approx((4 * base["end_s"]).to_list())
    assert scaled["mode"].to_list() == base["mode"].to_list()


def _with(app, values):
    return type(app)(
        **{name: values.get(name, getattr(app, name)) for name in (
            "kind", "loop_s", "dram", "saturation", "slate_speed", "setup_s", "arrival_s", "pull_cost", "imbalance"
        )}
    )  # fmt: skip


@every_scheduler
def test_one_application_alone_starts_at_once_and_runs_at_full_speed(scheduler):
    result = run(plain(A={"setup_s": 2.0, "dram_gbps": 450.0, "saturation": 0.3}), pairs("A"), scheduler)
    assert result["outcomes"].select("start_s", "end_s", "mode").rows() == [(2, 32, "solo")]
    assert dict(result["metrics"].select("metric", "value").iter_rows()) == {
        "makespan_s": 32, "kernel_makespan_s": 30, "antt": 1, "stp": 1
    }  # fmt: skip


@every_scheduler
def test_no_scenarios_give_empty_tables_of_the_same_schema(scheduler):
    inputs, scenarios = tables(cases_of(6, scheduler), scheduler)
    some, none = gpu_corun.replay(inputs, scenarios), gpu_corun.replay(inputs, scenarios.head(0))
    assert {name: frame.schema for name, frame in none.items()} == {name: frame.schema for name, frame in some.items()}
    assert all(frame.is_empty() for frame in none.values())


def test_what_is_left_out_and_what_is_null_takes_the_default():
    inputs, scenarios = tables(cases_of(7, "slate"), "slate")
    kernels = inputs["kernels"].select("model_id", "kernel", "gflops", "memory_gbps")
    rows = scenarios.select("scenario_id", "scheduler", "workload_id", "model_id")
    queue = inputs["queue"].drop("arrival_s")
    absent = gpu_corun.replay({"queue": queue, "kernels": kernels}, rows)
    defaults = {k: v for k, v in gpu_corun.DEFAULTS.items() if v is not None}
    given = {"loop_s": 30, "setup_s": 3, "slate_speed": 1.06, "pull_cost": 0, "imbalance": 0}
    filled = {
        "queue": queue.with_columns(arrival_s=0),
        "kernels": kernels.with_columns(dram_gbps=pl.col("memory_gbps").clip(upper_bound=450), **given),
    }
    explicit = gpu_corun.replay(filled, rows.with_columns(**{k: pl.lit(v) for k, v in defaults.items()}))
    assert as_bytes(absent) == as_bytes(explicit)
    null = gpu_corun.replay(
        {
            "queue": queue.with_columns(arrival_s=pl.lit(None, pl.Float64)),
            "kernels": kernels.with_columns(pl.lit(None, pl.Float64).alias(c) for c in ("dram_gbps", *given)),
        },
        rows.with_columns(pl.lit(None, pl.Series([v]).dtype).alias(k) for k, v in defaults.items()),
    )
    assert as_bytes(null) == as_bytes(absent)


def test_saturation_by_default_is_of_the_class():
    kernels = pl.DataFrame(
        {"kernel": list("LMHC"), "gflops": [4.0, 4, 4, 900], "memory_gbps": [70.0, 300, 560, 300], "setup_s": [0.0] * 4}
    )
    result = run(kernels, pairs("L-L", "L-M", "L-H", "L-C"), "slate", latency=0.0, bandwidth_gbps=1e6)
    speed = dict(
        result["timeline"].sort("start_s").unique("kernel", keep="first").select("kernel", "speed").iter_rows()
    )
    expected = {"L": 0.75, "M": 0.65, "H": 0.45, "C": 0.9}
    assert speed == pytest.approx({k: 1.06 * min(1, 0.5 / u) for k, u in expected.items()})


@pytest.mark.parametrize("dtype", [pl.Int32, pl.UInt64, pl.String, pl.Categorical])
def test_ids_come_back_as_they_were_given(dtype):
    kernels = plain(A={}, B={"memory_gbps": 300.0}).with_columns(kernel=pl.Series(["1", "2"]).cast(dtype))
    queue = pl.DataFrame(
        {
            "workload_id": pl.Series(["7", "7"]).cast(dtype),
            "position": pl.Series([0, 1]).cast(pl.String).cast(dtype),
            "kernel": pl.Series(["2", "1"]).cast(dtype),
        }
    )
    scenarios = pl.DataFrame(
        {
            "scenario_id": pl.Series(["5"]).cast(dtype),
            "scheduler": ["slate"],
            "workload_id": pl.Series(["7"]).cast(dtype),
            "sms": pl.Series([30.0]),
        }
    )
    outcomes = gpu_corun.replay({"queue": queue, "kernels": kernels}, scenarios)["outcomes"]
    assert [outcomes[c].dtype for c in ("scenario_id", "position", "kernel")] == [dtype] * 3
    assert outcomes["kernel"].cast(pl.String).to_list() == ["2", "1"]


def test_positions_sort_as_numbers_and_need_not_begin_at_0():
    queue = pl.DataFrame({"workload_id": ["w"] * 3, "position": [10, 9, -1], "kernel": ["A", "A", "B"]})
    outcomes = run(plain(A={}, B={}), queue, "mps")["outcomes"]
    assert outcomes.select("position", "kernel", "start_s").rows() == [(-1, "B", 0), (9, "A", 30), (10, "A", 60)]


def test_the_published_pairs_are_judged_by_table_1():
    """Only what the paper prints is given: RG shares with every kernel, no other pair does."""
    kernels = pl.DataFrame([{"kernel": k, "gflops": g, "memory_gbps": m} for k, (g, m) in TABLE_2.items()])
    names = [f"{a}-{b}" for i, a in enumerate(TABLE_2) for b in list(TABLE_2)[i:]]
    outcomes = run(kernels, pairs(*names), "slate")["outcomes"]
    modes = {name: set(frame["mode"]) for (name,), frame in outcomes.group_by("scenario_id")}
    assert modes == {name: {"corun" if "RG" in name.split("-") else "solo"} for name in names}


@pytest.mark.parametrize("at_s", [Fraction(0), Fraction(10**9)])
def test_far_from_the_origin_nothing_is_lost(at_s):
    queue = pairs("R-M").with_columns(arrival_s=pl.Series([float(at_s), float(at_s) + 10]))
    outcomes = run(plain(M={"memory_gbps": 300.0, "saturation": 0.5}, R={}), queue, "slate")["outcomes"]
    assert (outcomes["end_s"] - float(at_s)).to_list() == [45, 40]

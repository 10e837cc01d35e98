"""Task sets and scenarios of gpu_partition: what is generated follows the paper, what is dropped comes as it is.

Sets of measured curves: test_gpu_partition_measured.
"""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import config, tables
from pipeline.statistics.streams import stream
from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import generate


def configuration(seed=1, **sweeps):
    return config.parse({"seed": seed, "gpu_partition": {"sweeps": dict.fromkeys(_names()) | sweeps}})


def _names():
    return config.Configuration().gpu_partition.sweeps


def made(catalog=None, seed=1, **sweeps):
    settings = configuration(seed, **sweeps)
    return gpu_partition.workloads(settings, catalog or {}), gpu_partition.scenarios(settings, catalog or {})


GENERATED = {"workload": "generated", "tasks": [50], "sets": 40, "utilisation": [30.0, 60.0]}


def dropped():
    rows = [
        ("mine", s, t, 100.0, 75.0, w, "memory", None, None, "given")
        for s, t, w in (("mine", "a", 50.0), ("mine", "b", 80.0), ("other", "a", 120.0))
    ]
    trace = {"trace": "mine", "drop": "mine", "status": "read", "kind": "measured", "jobs": 0, "samples": 0,
             "rejected": 0}  # fmt: skip
    return {
        "traces": pl.DataFrame([trace]),
        "tasks": pl.DataFrame(rows, schema=tables.polars_schema(tables.Task), orient="row"),
    }


def test_generated_sets_follow_the_paper():
    tasks = made(a=GENERATED)[0]["tasks"].with_columns(share=pl.col("work") / pl.col("period"))
    totals = tasks.group_by("taskset_id").agg(pl.col("share").sum(), pl.len())
    wanted = totals["taskset_id"].str.extract(r"u(\d+)/").cast(pl.Float64)
    assert totals["share"].to_list() == pytest.approx(wanted.to_list())
    assert set(totals["len"]) == {50}
    # 0.75 / (1/68 + 0.1): more would make a memory task late on the whole GPU in the literal mode.
    assert tasks["share"].max() <= 0.75 / (1 / 68 + 0.1)
    assert set(tasks["period"]) <= {t for t in range(50, 4001) if 4000 % t == 0}
    assert (tasks["deadline"] == 0.75 * tasks["period"]).all()
    short = tasks.filter(pl.col("period") < 4000)
    assert (short["work"] >= 1 - 1e-12).all()
    memory = (tasks["kind"] == "memory").sum()
    assert stats.binomtest(memory, len(tasks), 0.5).pvalue > 1e-4


def test_periods_divide_the_hyperperiod_and_are_those_of_the_paper_s_range():
    assert generate.periods().tolist() == [50, 80, 100, 125, 160, 200, 250, 400, 500, 800, 1000, 2000, 4000]
    longer = generate.periods(12000)
    assert (12000 % longer == 0).all()
    assert (longer[0], longer[-1], len(longer)) == (50, 4000, 28)  # of 48 divisors, without 18 below and 2 above
    drawn = generate.task_set(np.random.default_rng(1), 200, 20.0, 68, hyperperiod=12000)
    assert set(drawn["period"]) <= set(longer) and 75 in drawn["period"]


def test_utilisations_are_uniform_over_the_simplex():
    # Marginal law of one of n uniform shares: (1 - x)^(n - 1).
    rng = stream(3, "uunifast")
    shares = np.array([generate.uunifast(rng, 5, 1.0, 1.0) for _ in range(2000)])
    for column in shares.T:
        assert stats.kstest(column, stats.beta(1, 4).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("n", "total", "most"), [(2, 1.5, 1.0), (10, 4.0, 1.0), (3, 2.0, np.array([1.0, 0.9, 0.4]))])
def test_uunifast_takes_the_first_draw_within_the_limits(n, total, most):
    ours, plain = stream(3, "uunifast"), stream(3, "uunifast")
    for _ in range(200):
        while True:
            left = [total]
            for i in range(n - 1):
                left.append(left[-1] * plain.random() ** (1 / (n - 1 - i)))
            shares = -np.diff(left, append=0.0)
            if (shares <= most).all():
                break
        np.testing.assert_allclose(generate.uunifast(ours, n, total, most), shares, rtol=1e-12)
    assert ours.random() == plain.random()


def test_uunifast_draws_as_often_as_it_may_and_no_more():
    plain, needed = stream(5, "uunifast"), 1
    while (largest := max(0.9 * (1 - (share := plain.random())), 0.9 * share)) > 0.5:
        needed += 1
    assert needed > 2
    assert generate.uunifast(stream(5, "uunifast"), 2, 0.9, 0.5, needed).max() == pytest.approx(largest)
    short = stream(5, "uunifast")
    with pytest.raises(ValueError, match=f"no 2 utilisations of at most 0.5 with the sum 0.9 in {needed - 1} attempts"):
        generate.uunifast(short, 2, 0.9, 0.5, needed - 1)
    assert short.random() == share


def test_all_that_the_limits_allow_can_be_had():
    assert generate.uunifast(stream(1, "x"), 1, 1.0, 1.0).tolist() == [1.0]


def test_a_sum_that_cannot_be_had_is_said():
    with pytest.raises(ValueError, match="2 tasks of at most 1 each do not make a utilisation of 3"):
        generate.uunifast(stream(1, "x"), 2, 3.0, 1.0)
    with pytest.raises(ValueError, match=r"2 tasks of at most 0\.5 to 1 each do not make a utilisation of 3"):
        generate.uunifast(stream(1, "x"), 2, 3.0, np.array([0.5, 1.0]))


def test_each_task_may_have_a_limit_of_its_own():
    limits = np.array([0.2, 0.5, 1.0])
    for seed in range(50):
        shares = generate.uunifast(stream(seed, "limits"), 3, 1.2, limits)
        assert shares.sum() == pytest.approx(1.2)
        assert (shares <= limits).all()


def test_a_set_depends_on_its_own_key_only():
    whole = made(a=GENERATED)[0]["tasks"]
    few = made(b=GENERATED | {"sets": 2, "utilisation": [60.0], "order": ["increasing"], "schedulers": ["bf"]})[0][
        "tasks"
    ]
    assert whole.filter(pl.col("taskset_id").is_in(few["taskset_id"].unique().implode())).equals(few)
    assert not made(seed=2, b=GENERATED | {"sets": 2})[0]["tasks"].equals(few)
    assert few["taskset_id"].n_unique() == 2


def test_options_vary_where_they_make_a_difference():
    sweep = GENERATED | {"sets": 1, "utilisation": [30.0], "forbidden": ["inactive", "act"],
                         "execution_mode": ["scaled", "literal"]}  # fmt: skip
    scenarios = made(a=sweep)[1]
    counts = dict(scenarios.group_by("scheduler").len().iter_rows())
    assert counts == {"bf": 4, "sms": 4, "local_search": 4, "one_gpu": 2}
    assert scenarios["scenario_id"].n_unique() == len(scenarios)
    assert "gpu_partition/generated/n50-u30/s000/sms/m68-execution_mode:literal-forbidden:act" in set(
        scenarios["scenario_id"]
    )


def test_the_optimum_is_asked_of_small_sets_only():
    schedulers = {
        n: set(made(a=GENERATED | {"tasks": [n], "sets": 1, "utilisation": [8.0]})[1]["scheduler"]) for n in (12, 13)
    }
    assert schedulers[12] - schedulers[13] == {"optimal"}
    named = GENERATED | {"tasks": [13], "sets": 1, "utilisation": [8.0], "schedulers": ["optimal"]}
    assert made(a=named)[1]["scheduler"].to_list() == ["optimal"]


def test_slices_need_a_gpu_of_seven_sms():
    sweep = GENERATED | {"sets": 1, "utilisation": [4.0], "sms": [6, 14], "sizes": ["any", "mig"], "schedulers": ["bf"]}
    scenarios = made(a=sweep)[1]
    assert sorted(scenarios.select("sms", "sizes").rows()) == [(6, "any"), (14, "any"), (14, "mig")]


def test_every_scenario_can_be_replayed():
    sweep = GENERATED | {"sets": 2, "forbidden": ["inactive", "act"], "priority": ["edf", "dm"]}
    inputs, scenarios = made(a=sweep, b=sweep | {"tasks": [6], "utilisation": [4.0]})
    result = gpu_partition.replay(inputs, scenarios)
    assert result["metrics"]["scenario_id"].n_unique() == len(scenarios)


def test_dropped_sets_come_as_they_are():
    inputs, scenarios = made(dropped(), a={"workload": "dropped", "sms": [8, 16]})
    assert inputs["workloads"].select("workload_id", "kind", "trace", "tasks", "utilisation", "origin").rows() == [
        ("dropped/mine", "dropped", "mine", 2, 1.3, "measured"),
        ("dropped/mine/other", "dropped", "mine", 1, 1.2, "measured"),
    ]
    assert inputs["tasks"].select("taskset_id", "task_id", "work").rows() == [
        ("dropped/mine", "a", 50.0),
        ("dropped/mine", "b", 80.0),
        ("dropped/mine/other", "a", 120.0),
    ]
    assert set(scenarios["scheduler"]) == set(gpu_partition.SCHEDULERS)
    assert set(scenarios["sms"]) == {8, 16}


def test_parts_hang_on_one_drop_or_on_none():
    settings = configuration(a=GENERATED, b={"workload": "dropped"})
    none, matched, other = (
        gpu_partition.part(settings, dropped(), d).gpu_partition.sweeps for d in (None, "mine", "x")
    )
    assert list(none) == ["a"]
    assert list(matched) == ["b"]
    assert matched["b"].traces == ["mine"]
    assert other["b"].traces == []


def test_a_trace_that_is_not_there_is_said():
    settings = configuration(b={"workload": "dropped", "traces": ["mine/x"]})
    with pytest.raises(ValueError, match="gpu_partition sweep b: no trace 'mine/x'"):
        gpu_partition.part(settings, dropped(), "mine")
    with pytest.raises(ValueError, match="trace 'mein' is not among the traces; did you mean 'mine'"):
        made(dropped(), b={"workload": "dropped", "traces": ["mein"]})

"""95 % intervals hold the truth in 95 of 100 cases: those of answers and verdicts, on simulated normal replicates.

Each view and macro is the database's own; only the table that it reads is made here, from `draws` of experiment,
replicate, x (of mean 0.3) and common (what two schedulers have in common; 2 to 3).
"""

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import tables
from pipeline.claims import verdicts
from pipeline.warehouse.definitions import MACROS, VIEWS, Definition, definitions, files_of
from pipeline.warehouse.load import create_student_t
from pipeline.warehouse.schemas import Scenario

MEAN, EXPERIMENTS, ERRORS = 0.3, 1000, 4
"""ERRORS: Monte Carlo standard errors by which an observed share may miss 95 %: one of 16,000 does by chance."""
EITHER = "(SELECT *, 'a' AS scheduler, x AS gain FROM draws UNION ALL SELECT *, 'b', 0 FROM draws)"
"""A row per scheduler: a has x more than b."""
SCHEDULERS = """CREATE TABLE scheduler AS
    FROM (VALUES ('gpu_corun', 'a', 1), ('gpu_corun', 'b', 2)) AS of_study (study, scheduler, complexity)"""
SCORE = f"""CREATE TABLE score AS SELECT 'gpu_corun' AS study, experiment AS question, scheduler, replicate,
    true AS drawn, common + gain AS score FROM {EITHER}"""
HPC_RESULT = """CREATE TABLE hpc_memory_result AS SELECT experiment::VARCHAR AS workload, 'phased' AS kind,
    NULL AS trace, NULL AS shapes, 'a' AS scheduler, replicate AS batch, 105.0 AS memory_per_node_gb, 0.03 AS alpha,
    1.0 AS tau_s, 'serial' AS reconfiguration, 'easy' AS backfilling, '' AS dialect, false AS free_start,
    'memory' AS largest_by, 'own' AS knowledge, 'coarse' AS grid, true AS is_default, x AS utilisation, x AS loss,
    common * x AS mean_response_s, common AS unlimited_response_s, common * x AS mean_wait_s,
    common AS unlimited_wait_s, 0.0 AS reconfigurations FROM draws"""
PIM_CLAIM = """CREATE TABLE pim_ranks_claim AS
    SELECT 'tables' AS setting, false AS pooled, 'measured_shapes' AS evidence, experiment AS jobs, 'W1' AS set_name,
        'a' AS scheduler, 'batch ' || replicate AS replicate, exp(x + spread) AS throughput, exp(x - spread) AS att
    FROM draws CROSS JOIN (VALUES (0.5), (-0.5)) AS of_table (spread)
    UNION ALL SELECT DISTINCT 'tables', true, 'measured_shapes', experiment, 'W1', 'a', 'table', 1.0, 1.0 FROM draws"""
PARTITION_RESULT = """CREATE TABLE gpu_partition_result AS SELECT 'generated' AS kind, experiment AS tasks,
    8.0 AS utilisation, 0.5 AS memory_share, 68 AS sms, 'sms' AS scheduler, 'paper' AS setting,
    'inactive' AS forbidden, (x > 0)::DOUBLE AS schedulable, 1.0 AS sms_needed, 1.0 AS partitions,
    1.0 AS tasks_per_partition, x AS scheduled_workload, 1.0 AS workload_lower, 1.0 AS workload_upper, x AS tests
    FROM draws"""
COMPARED = (
    SCHEDULERS,
    """INSERT INTO scenario BY NAME SELECT scheduler || experiment || '/' || replicate AS scenario_id,
        'gpu_corun' AS study, scheduler, 1 AS seed, experiment || '/' || replicate AS workload_id, 30 AS sms FROM """
    + EITHER,
    """CREATE TABLE comparable_run AS SELECT scenario_id, study, scheduler, workload_id,
        split_part(workload_id, '/', 1) AS workload, 'batch ' || split_part(workload_id, '/', 2) AS replicate
    FROM scenario""",
    f"""CREATE TABLE metric AS SELECT scheduler || experiment || '/' || replicate AS scenario_id,
        'makespan_s' AS metric, common + gain AS value FROM {EITHER}""",
)
RECOMMEND = "(SELECT *, if(scheduler = 'a', 1, -1) AS sign FROM recommend('gpu_corun'))"
CASES = {
    **{f"hpc_memory_summary {column}": ((HPC_RESULT,), ("hpc_memory_summary",), "workload", column)
       for column in ("utilisation", "loss", "response_ratio", "wait_ratio")},
    **{f"pim_ranks_speedup {column}": ((PIM_CLAIM,), ("pim_ranks_speedup",), "jobs", column)
       for column in ("throughput", "att")},
    **{f"gpu_partition_point {column}": ((PARTITION_RESULT,), ("gpu_partition_point",), "tasks", column)
       for column in ("scheduled_workload", "tests")},
    "recommend": ((SCHEDULERS, SCORE), ("tie_bound", "known_name", "recommend"), "question", "difference"),
    "compare": (COMPARED, ("known_name", "compare"), "workload", "difference"),
}  # fmt: skip
"""By name: statements that make what is read, definitions, the column that numbers the experiments, the estimate."""
GEOMETRIC = ("pim_ranks_speedup throughput", "pim_ranks_speedup att")
SOURCES = {"recommend": RECOMMEND, "compare": "compare('a', 'b')"}


def _ends(made, needs, source, experiment, columns, x, common):
    """Lower and upper ends (experiments, 2) from x and common (experiments, replicates)."""
    of_row = {"experiment": np.arange(len(x)).repeat(x.shape[1]), "replicate": np.tile(range(x.shape[1]), len(x))}
    with duckdb.connect() as connection:
        connection.register("draws", pl.DataFrame({**of_row, "x": x.ravel(), "common": common.ravel()}).to_arrow())
        connection.register("no_scenario", tables.empty(Scenario).to_arrow())
        connection.execute("CREATE TABLE scenario AS FROM no_scenario")
        create_student_t(connection)
        for statement in (*made, *(Definition(files_of(name)[-1]).text for name in needs)):
            connection.execute(statement)
        found = connection.execute(f"SELECT {columns} FROM {source} ORDER BY ({experiment})::BIGINT").fetchnumpy()
    return np.column_stack(list(found.values()))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("replicates", [5, 30])
def test_an_interval_is_students_and_holds_the_mean_as_often_as_it_says(name, replicates):
    made, needs, experiment, column = CASES[name]
    rng = np.random.default_rng(replicates)
    x, common = rng.normal(MEAN, 0.2, (EXPERIMENTS, replicates)), 2 + rng.random((EXPERIMENTS, replicates))
    lo, hi = f"{column}_lo", f"{column}_hi"
    if name == "recommend":
        # Where b is recommended, the interval is that of b less a.
        lo, hi = (f"least(sign * {lo}, sign * {hi})", f"greatest(sign * {lo}, sign * {hi})")
    ends = _ends(made, needs, SOURCES.get(name, needs[-1]), experiment, f"{lo} AS lo, {hi} AS hi", x, common)
    ends = np.log(ends) if name in GEOMETRIC else ends
    theirs = stats.t.interval(0.95, replicates - 1, x.mean(axis=1), stats.sem(x, axis=1))
    assert ends == pytest.approx(np.column_stack(theirs), rel=1e-9, abs=1e-9)
    _holds_as_often_as_it_says(ends)


def test_an_interval_of_a_claim_holds_the_mean_as_often_as_it_says():
    x = np.random.default_rng(1).normal(MEAN, 0.2, (EXPERIMENTS, 5))
    found = [verdicts.mean_interval(list(row)) for row in x]
    _holds_as_often_as_it_says(np.array([(each.lo, each.hi) for each in found]))


def _holds_as_often_as_it_says(ends):
    held = ((ends[:, 0] <= MEAN) & (ends[:, 1] >= MEAN)).mean()
    assert abs(held - 0.95) <= ERRORS * np.sqrt(0.95 * 0.05 / EXPERIMENTS)


@pytest.mark.parametrize("count", [5, 10, 30])
def test_intervals_of_shares_are_wilsons_and_hold_the_share_in_nine_of_ten_cases(count):
    theirs = [stats.binomtest(k, count).proportion_ci(0.95, method="wilson") for k in range(count + 1)]
    theirs = np.array([(end.low, end.high) for end in theirs])
    x = (np.arange(count) < np.arange(count + 1)[:, None]).astype(float)
    columns = "schedulable_lo, schedulable_hi"
    in_view = _ends((PARTITION_RESULT,), ("gpu_partition_point",), "gpu_partition_point", "tasks", columns, x, x)
    in_claims = [verdicts.wilson(k, count) for k in range(count + 1)]
    assert in_view == pytest.approx(theirs, abs=1e-9)
    assert np.array([(each.lo, each.hi) for each in in_claims]) == pytest.approx(theirs, abs=1e-9)
    for share in (0.5, 0.8, 0.95, 0.99):
        holds = (theirs[:, 0] <= share) & (share <= theirs[:, 1])
        assert stats.binom.pmf(np.arange(count + 1), count, share)[holds].sum() > 0.9


def test_a_claim_that_is_true_is_reproduced():
    for count in (5, 10, 30):
        x = np.random.default_rng(count).normal(1, 0.1, (200, count))
        said = [verdicts.verdict("value", 1.0, 0.01, verdicts.mean_interval(list(row))) for row in x]
        assert said.count(verdicts.REPRODUCED) >= 0.95 * len(said)


def test_every_mean_with_an_error_takes_its_quantile_from_students_t():
    wrong = [d.name for d in definitions(*VIEWS, *MACROS) if "stddev_samp" in d.text and "student_t" not in d.text]
    assert wrong == []

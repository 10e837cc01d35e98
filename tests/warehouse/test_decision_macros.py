"""Macros that answer a decision: what they say is what the replays say, counted by other means."""

import json
import math
import re

import duckdb
import numpy as np
import pytest
from scipy import stats

from pipeline.runtime import sources
from pipeline.studies.hpc_memory.config import Sweep
from pipeline.warehouse import load
from pipeline.warehouse.definitions import MACROS, VIEWS, Definition, definitions


def test_macros_and_their_columns_are_described_in_the_database(fetch):
    comments = dict(fetch("SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal"))
    macros = {definition.name: definition for definition in definitions(*VIEWS, *MACROS) if definition.parameters}
    assert set(comments) == set(macros)
    for name, definition in macros.items():
        assert comments[name].startswith(definition.about)
        assert all(f"\n{column}: " in comments[name] for column in definition.columns)


def test_the_macros_of_the_decisions_are_there():
    signatures = {definition.signature for definition in definitions(*MACROS)}
    assert {
        "recommended_scheduler(trace_name)",
        "smallest_memory_for_loss(trace_name, accepted_loss)",
        "best_ranks(app_name)",
        "best_split(mix_name, policy_name)",
        "compare(scheduler_a, scheduler_b)",
    } <= signatures


@pytest.mark.parametrize("replicates", [1, 2, 4, 5, 30])
@pytest.mark.parametrize("half", [None, 0.0, 0.004, 0.5])
def test_a_tie_is_as_wide_as_the_interval_but_at_most_a_hundredth(fetch, half, replicates):
    given = "NULL" if half is None else half
    (bound, strict) = fetch(f"SELECT tie_bound({given}, {replicates}), tie_bound({given}, {replicates}, few := 0)")[0]
    # Four pairs or fewer say nothing of their spread: only means that are all but equal are a tie.
    assert bound == (0.001 if replicates < 5 else 0.01 if half is None else min(half, 0.01))
    assert strict == (0 if replicates < 5 else bound)


def test_every_study_recommends_for_every_trace_that_it_replayed(fetch):
    recommended = set(fetch("SELECT DISTINCT study, trace FROM recommendation"))
    assert {study for study, _ in recommended} == set(sources.studies())
    for study in sources.studies():
        table = "workload" if study == "hpc_memory" else f"workload_{study}"
        traces = {row[0] for row in fetch(f"SELECT DISTINCT trace FROM {table} WHERE trace IS NOT NULL")}
        assert traces, study
        assert traces <= {trace for named, trace in recommended if named == study}, study


def test_a_recommendation_gains_over_its_runner_up_or_is_a_tie(fetch):
    rows = fetch(
        "SELECT study, margin, margin_lo, margin_hi, tied, replicates FROM recommendation "
        "WHERE margin IS NOT NULL AND study NOT IN ('hpc_memory', 'memory_tiers')"
    )
    assert len(rows) > 20
    for study, margin, lo, hi, tied, replicates in rows:
        relative = study != "gpu_partition"
        gain, upper = (math.log1p(margin), hi and math.log1p(hi)) if relative else (margin, hi)
        few = 0 if study == "gpu_partition" else 0.001
        bound = few if replicates < 5 else min(upper - gain, 0.01)
        if tied is None:
            # Few batches, and an interval that holds no difference, too: nobody is called better.
            assert (replicates < 5, lo is None or lo <= 0, gain > bound) == (True, True, True)
            continue
        assert tied == (gain <= bound + 1e-12), (study, margin, lo, hi)
        assert margin > 0 or tied
        assert (lo is None) == (replicates == 1)


def test_the_macro_and_the_view_of_one_name_say_the_same(fetch):
    of_macro = fetch(
        "SELECT question, scheduler, margin FROM recommended_scheduler('marconi_like') "
        "WHERE study = 'hpc_memory' ORDER BY ALL"
    )
    of_view = fetch(
        "SELECT question, scheduler, margin FROM recommended_hpc_memory WHERE trace = 'marconi_like' ORDER BY ALL"
    )
    assert of_macro == of_view != []
    for loss in json.loads(fetch("SELECT value FROM setting WHERE key = 'hpc_memory.loss_bounds'")[0][0]):
        assert fetch(f"FROM smallest_memory_for_loss('phased', {loss})") == fetch(
            f"FROM smallest_memory_for_loss WHERE trace = 'phased' AND loss_bound = {loss}"
        )


def test_the_best_ranks_have_the_largest_speed_that_is_worth_it(fetch):
    (row,) = fetch("SELECT trace, app, best_ranks FROM best_ranks('va')")
    assert row[:2] == ("prim_like", "VA")
    assert row[2] == fetch("SELECT ranks FROM perf_table WHERE app = 'VA' AND chosen AND is_best")[0][0]


def test_a_split_is_the_one_that_was_replayed_whatever_the_order_of_its_names(fetch):
    (mix,) = fetch("SELECT min(mix) FROM workload_gpu_sharing WHERE kind = 'stated' AND applications = 2")[0]
    turned = "+".join(reversed(mix.split("+")))
    everything = fetch(f"FROM best_split('{turned.lower()}')")
    assert everything == fetch(f"FROM best_split('{mix}')")
    assert {row[3] for row in everything} >= {"cooperative", "max_throughput", "max_fair_throughput"}
    (row,) = fetch(f"SELECT split, system_speedup FROM best_split('{turned}', 'equal_speedup')")
    assert sum(row[0]) == 16
    stated = fetch(f"""SELECT value FROM metric JOIN scenario USING (scenario_id)
        JOIN workload_gpu_sharing USING (workload_id) WHERE mix = '{mix}' AND metric = 'system_speedup'
        AND scheduler = 'equal_speedup' AND interpolation = 'linear' AND kind = 'stated'""")
    assert stated == [(row[1],)]


def paired(runs, a, b):
    """Mean and interval of a less b over replicates, from rows (scheduler, replicate, what is shared, value)."""
    values = {(scheduler, replicate, shared): value for scheduler, replicate, shared, value in runs}
    gaps = {}
    for scheduler, replicate, shared in values:
        if scheduler == a:
            gap = values[a, replicate, shared] - values[b, replicate, shared]
            gaps.setdefault(replicate, []).append(gap)
    means = [np.mean(gap) for gap in gaps.values()]
    half = stats.sem(means) * stats.t.ppf(0.975, len(means) - 1)
    return np.mean(means), np.mean(means) - half, np.mean(means) + half, len(means), sum(map(len, gaps.values()))


def test_a_comparison_is_of_pairs_batch_by_batch(fetch):
    (row,) = fetch("""SELECT difference, difference_lo, difference_hi, replicates, pairs
        FROM compare('priority', 'aggregated')
        WHERE workload = 'phased/n60-P54-uniform-beta-load0.9' AND metric = 'utilisation'
        AND setting = 'alpha 0.03, memory_per_node_gb 105, tau_s 1'""")
    runs = fetch("""SELECT scheduler, batch, memory_per_node_gb, utilisation FROM hpc_memory_result
        WHERE workload = 'phased/n60-P54-uniform-beta-load0.9' AND alpha = 0.03 AND tau_s = 1
        AND memory_per_node_gb = 105""")
    assert row == pytest.approx(paired(runs, "priority", "aggregated"), rel=1e-9)


def test_tables_are_averaged_before_batches_are_compared(fetch):
    (row,) = fetch("""SELECT difference, difference_lo, difference_hi, replicates, pairs
        FROM compare('pim_care', 'se_full')
        WHERE workload = 'sets/W3-n24 (measured_shapes tables)' AND metric = 'makespan_s' AND setting = 'window 6'""")
    runs = fetch("""SELECT scheduler, batch, table_id, makespan_s FROM pim_ranks_result
        WHERE workload = 'sets/W3-n24' AND "window" = 6 AND evidence = 'measured_shapes'""")
    assert row == pytest.approx(paired(runs, "pim_care", "se_full"), rel=1e-9)


def test_comparing_the_other_way_round_turns_the_sign(fetch):
    forth = fetch("SELECT study, workload, setting, metric, difference, pairs FROM compare('migration', 'baseline')")
    back = fetch("SELECT study, workload, setting, metric, -difference, pairs FROM compare('baseline', 'migration')")
    assert {row[0] for row in forth} == {"pim_graph"}
    assert [row[:4] for row in forth] == [row[:4] for row in back]
    assert [row[4:] for row in forth] == [pytest.approx(row[4:], rel=1e-12) for row in back]


def test_a_parameter_of_one_scheduler_alone_tells_its_variants_apart(fetch):
    rows = fetch("""SELECT DISTINCT regexp_extract(setting, 'memory_per_node_gb ([0-9.]+)', 1)
        FROM compare('priority', 'unlimited') WHERE workload = 'phased/n60-P54-uniform-beta-load0.9'""")
    assert {"105", "150"} <= {row[0] for row in rows}


def test_columns_said_to_be_those_of_a_file_that_is_not_there_are_refused(tmp_path):
    path = tmp_path / "one.sql"
    path.write_text("-- what it is\n-- columns: as absent\nCREATE VIEW one AS SELECT 1 AS a;\n")
    with pytest.raises(ValueError, match=r"one\.sql.*no absent\.sql"):
        Definition(path).columns  # noqa: B018
    with duckdb.connect() as connection, pytest.raises(ValueError, match="absent"):
        load.create_views(connection, tmp_path)


def test_an_indented_line_of_a_header_continues_its_column_and_others_are_refused(tmp_path):
    path = tmp_path / "one.sql"
    path.write_text("-- what\n-- a: first of\n--   two lines\n-- b: other\nCREATE VIEW one AS SELECT 1 AS a, 2 AS b;\n")
    assert Definition(path).about == "what"
    assert Definition(path).columns == {"a": "first of two lines", "b": "other"}
    path.write_text("-- what it is\n-- a: first of\n-- two lines\nCREATE VIEW one AS SELECT 1 AS a;\n")
    with pytest.raises(ValueError, match=r"one\.sql: indent a line .* -- two lines"):
        Definition(path).columns  # noqa: B018


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("recommended_scheduler('marconi_lik')", "no trace 'marconi_lik' here; names like it: 'marconi_like'"),
        ("smallest_memory('marconi_lik', 0.02)", "no trace 'marconi_lik' here; names like it: 'marconi_like'"),
        # A trace of another study has no memory to be told.
        ("smallest_memory('prim_like', 0.02)", "no trace 'prim_like' here"),
        ("smallest_memory_for_loss('phase', 0.01)", "no trace 'phase' here; names like it: 'phased'"),
        ("at_memory('phase', 128)", "no trace 'phase' here; names like it: 'phased'"),
        ("at_memory('phased', 1)", "no size up to 1 GB per node was tried; the smallest is "),
        ("best_ranks('GEM')", "no application 'gem' here; names like it: 'gemv'"),
        ("best_split('AES+BFS')", "no mix 'aes+bfs' here; names like it: "),
        ("best_split('PATH+AES', policy_name := 'equal_sped')", "no policy 'equal_sped' here; names like it: "),
        ("compare('priorty', 'oldest_first')", "no scheduler 'priorty' here; names like it: 'priority'"),
        ("compare('priority', 'slate')", "no study has both schedulers, priority and slate"),
        ("recommend('gpu_shaing')", "no study 'gpu_shaing' here; names like it: 'gpu_sharing'"),
    ],
)
def test_a_name_or_a_size_that_is_not_there_is_an_error_and_not_an_empty_answer(fetch, question, said):
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(said)):
        fetch(f"FROM {question}")


def test_a_memory_that_was_not_tried_is_answered_at_the_next_smaller_size_that_was(fetch):
    tried = fetch("""SELECT workload, scheduler, memory_per_node_gb, loss
        FROM steady_hpc_memory JOIN hpc_memory_basis USING (workload)
        WHERE kind = 'phased' AND trace IS NULL AND memory_per_node_gb IS NOT NULL""")
    assert 128.0 not in {gb for _, _, gb, _ in tried}
    wanted = {}
    for workload, scheduler, gb, loss in sorted(tried, key=lambda row: row[2]):
        if gb <= 128:
            wanted[workload, scheduler] = (gb, loss)
    larger = {
        key: min((gb for *names, gb, _ in tried if tuple(names) == key and gb > 128), default=None) for key in wanted
    }
    rows = fetch("""SELECT workload, scheduler, asked_gb, memory_per_node_gb, next_gb, loss
        FROM at_memory('phased', 128)""")
    assert {(w, s): (gb, loss) for w, s, _, gb, _, loss in rows} == wanted
    assert {(w, s): after for w, s, _, _, after, _ in rows} == larger
    assert {asked for _, _, asked, *_ in rows} == {128.0}
    assert len(rows) == len(wanted) > 0
    # A size that was tried is answered by itself.
    exact = min(gb for gb, _ in wanted.values())
    assert exact in {gb for (gb,) in fetch(f"SELECT memory_per_node_gb FROM at_memory('phased', {exact})")}


@pytest.mark.parametrize("gb", [128, 256])
def test_a_memory_is_answered_in_order_of_merit(fetch, gb):
    """First those whose response time grows by at most a tenth, of them the one that loses least utilisation."""
    rows = fetch(f"SELECT workload, response_ratio - 1 > 0.1, loss, response_ratio FROM at_memory('phased', {gb})")
    assert rows == sorted(rows)
    assert len(rows) > 3


def test_parameters_of_a_comparison_can_be_asked_for_exactly(fetch):
    rows = fetch("SELECT setting, parameters FROM compare('priority', 'aggregated') WHERE study = 'hpc_memory'")
    assert rows
    for setting, parameters in rows:
        listed = [part for part in re.split("[,;] ", setting) if part]
        assert sorted(listed) == sorted(f"{name} {value}" for name, value in (parameters or {}).items())
    size = rows[0][1]["memory_per_node_gb"]
    sizes = fetch(f"""SELECT DISTINCT parameters['memory_per_node_gb'] FROM compare('priority', 'aggregated')
        WHERE parameters['memory_per_node_gb'] = '{size}'""")
    assert sizes == [(size,)]


def test_rows_at_the_default_parameters_are_marked(fetch):
    usual = """alpha = 0.03 AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start
        AND largest_by = 'memory'
        AND coalesce(knowledge = (SELECT any_value(w.knowledge) FROM workload AS w WHERE w.family = workload), true)
        AND (tau_s = 1 OR kind = 'dynamic')"""
    for view in ("hpc_memory_result", "hpc_memory_summary"):
        assert fetch(f"SELECT DISTINCT is_default FROM {view} ORDER BY ALL") == [(False,), (True,)]
        assert fetch(f"SELECT count(*) FROM {view} WHERE is_default IS DISTINCT FROM ({usual})") == [(0,)]
    sweep = Sweep(workload="phased")
    assert (sweep.alpha, sweep.tau_s, sweep.reconfiguration, sweep.backfilling) == ([0.03], [1.0], ["serial"], ["easy"])
    assert (sweep.free_start, sweep.largest_by, sweep.knowledge) == ([False], ["memory"], None)

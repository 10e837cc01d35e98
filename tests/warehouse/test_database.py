"""The database: comments, keys, origins, views, replacement in one rename."""

import math
import os
import re
import shutil
import subprocess

import contents
import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.runtime import manifest, sources, storage
from pipeline.warehouse import load
from pipeline.warehouse.definitions import definitions
from pipeline.warehouse.schemas import KEYS, REFERENCES
from pipeline.warehouse.status import summary

VIEWS = [definition.name for definition in definitions(*load.VIEWS)]
IN_NO_EXAMPLE = {"gpu_memory", "perf_point", "queue", "pim_request", "pim_stage"}
EMPTY = {"gpu_card_kernel", "gpu_card_pair", "unused"}
"""Views of dropped cards, of which there is none among the examples (tests/probe has one), and of rejected rows."""
DEFAULT_MACHINE = """alpha = 0.03 AND tau_s = 1 AND reconfiguration = 'serial' AND backfilling = 'easy'
    AND NOT free_start AND largest_by = 'memory'
    AND coalesce(knowledge = (SELECT any_value(w.knowledge) FROM workload AS w WHERE w.family = workload), true)"""


def test_every_table_view_and_column_has_a_comment(fetch):
    bare = fetch("SELECT table_name FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''")
    bare += fetch("SELECT view_name FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''")
    bare += fetch(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''"
    )
    assert bare == []


def test_the_tables_of_the_design_are_there(fetch):
    tables = {row[0] for row in fetch("SELECT table_name FROM duckdb_tables()")}
    designed = (
        "trace rejected_row job phase memory_profile scenario outcome_hpc_memory metric claim claim_part provenance"
    )
    assert set(designed.split()) <= tables


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda r: f"{r.child}-{r.parent}")
def test_every_row_leads_back(fetch, reference):
    shared = " AND ".join(f'parent."{column}" = child."{column}"' for column in reference.columns)
    asked = ["true", *([f"study = '{reference.study}'"] if reference.study else [])]
    asked += [f'child."{reference.columns[0]}" IS NOT NULL'] if reference.optional else []
    child = f"{reference.child} AS child"
    lost = f"FROM {child} ANTI JOIN {reference.parent} AS parent ON {shared} WHERE {' AND '.join(asked)}"
    assert fetch(lost) == []
    assert reference.child in IN_NO_EXAMPLE or fetch(f"SELECT count(*) FROM {child}") > [(0,)]


@pytest.mark.parametrize("table", KEYS)
def test_keys_are_unique(fetch, table):
    key = ", ".join(f'"{column}"' for column in KEYS[table])
    assert fetch(f"SELECT {key} FROM {table} GROUP BY ALL HAVING count(*) > 1") == []


def test_every_table_has_a_key(fetch):
    tables = {row[0] for row in fetch("SELECT table_name FROM duckdb_tables()")}
    # Rows are rejected for whatever is wrong with them, their names among it.
    assert tables - set(KEYS) == {"rejected_row"}


def test_every_run_carries_code_version_and_every_trace_its_file_hashes(fetch):
    for study in sources.studies():
        expected = {s: sources.version(sources.of_replay(study, s)) for s in sources.schedulers(study)}
        versions = fetch(f"SELECT DISTINCT scheduler, code_version FROM scenario WHERE study = '{study}'")
        assert dict(versions) == expected
    assert fetch("FROM trace WHERE drop NOT IN (SELECT drop FROM provenance WHERE length(sha256) = 64)") == []


def test_origins_are_told_apart(fetch):
    origins = fetch("SELECT DISTINCT kind, laws, trace IS NULL, origin FROM workload ORDER BY ALL")
    assert origins == [
        ("composed", "documented", False, "assumed"),
        ("dynamic", "documented", True, "synthetic"),
        ("phased", "documented", True, "synthetic"),
        ("phased", "fitted", False, "fitted"),
        ("replayed", None, False, "generated"),
    ]
    assert fetch("SELECT DISTINCT origin FROM phase") == [("fitted",)]


@pytest.mark.parametrize(
    ("workload", "outcome"), [("workload", "outcome_hpc_memory"), ("workload_pim_ranks", "outcome_pim_ranks")]
)
def test_every_job_of_every_scenario_has_an_outcome(fetch, workload, outcome):
    rows = fetch(f"""SELECT scenario_id FROM scenario JOIN {workload} USING (workload_id)
        LEFT JOIN (SELECT scenario_id, count(*) AS ran FROM {outcome} GROUP BY ALL) USING (scenario_id)
        WHERE ran IS DISTINCT FROM jobs""")
    assert rows == []


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers(fetch, view):
    assert (fetch(f"SELECT count(*) FROM {view}")[0][0] > 0) == (view not in EMPTY)


def test_results_of_fitted_laws_stand_beside_the_papers_not_among_them(fetch):
    drawn = fetch("SELECT DISTINCT workload, trace FROM recommended_hpc_memory WHERE workload LIKE 'phased/%/fitted-%'")
    assert drawn == [("phased/marconi_like/fitted-n30-P54-load0.9", "marconi_like")]
    assert fetch(
        "SELECT DISTINCT kind, trace FROM hpc_memory_paper JOIN hpc_memory_summary USING (workload, kind) ORDER BY kind"
    ) == [("dynamic", None), ("phased", None)]
    (mean,) = fetch("SELECT min(memory_per_node_gb) FROM scenario WHERE workload_id LIKE 'phased/marconi_like/%'")
    (trace,) = fetch(
        "SELECT value FROM marginal WHERE quantity = 'memory_by_node_time_gb' AND law = 'empirical'"
        " AND parameter = 'mean'"
    )
    assert mean == pytest.approx(trace, rel=0.05)


def test_one_law_a_quantity_is_the_best(fetch):
    rows = fetch("""SELECT trace, quantity FROM marginal GROUP BY ALL
        HAVING count(DISTINCT law) FILTER (best) <> 1 OR bool_or(best) FILTER (law = 'empirical')""")
    assert rows == []


def test_loss_and_interval_are_what_they_say(fetch):
    rows = fetch("""
        SELECT ours.value, base.value FROM metric AS ours JOIN scenario AS s USING (scenario_id)
        JOIN scenario AS b ON b.workload_id = s.workload_id AND b.alpha = s.alpha AND b.scheduler = 'unlimited'
        JOIN metric AS base ON base.scenario_id = b.scenario_id AND base.metric = 'utilisation'
        WHERE ours.metric = 'utilisation' AND s.scheduler = 'priority' AND s.memory_per_node_gb = 105
            AND s.alpha = 0.03 AND s.tau_s = 1 AND s.workload_id LIKE 'phased/n60-P54-uniform-beta-load0.9/%'""")
    losses = [1 - ours / base for ours, base in rows]
    (got,) = fetch("""SELECT loss, loss_lo, loss_hi, batches FROM fig_hpc_memory_4
        WHERE scheduler = 'priority' AND memory_per_node_gb = 105""")
    lo, hi = stats.t.interval(0.95, len(losses) - 1, loc=np.mean(losses), scale=stats.sem(losses))
    assert got == pytest.approx((np.mean(losses), lo, hi, 2), rel=1e-9)


def test_the_recommendation_follows_utilisation_and_response(fetch):
    """The rule of docs/concepts/methods.md again, on the pairs: with two batches by the estimates alone."""
    complexity = dict(fetch("SELECT scheduler, complexity FROM scheduler WHERE study = 'hpc_memory'"))
    sums = {}
    for workload, memory, scheduler, *values in fetch(f"""
        SELECT workload, memory_per_node_gb, scheduler, sum(useful_node_s) / sum(node_s),
            sum(response_s) / sum(span.jobs)
        FROM hpc_memory_result JOIN span_hpc_memory AS span USING (scenario_id)
        WHERE memory_per_node_gb IS NOT NULL AND {DEFAULT_MACHINE} GROUP BY ALL"""):
        sums.setdefault((workload, memory), {})[scheduler] = values
    recommended = {
        (w, m): (s, evidence)
        for w, m, s, evidence in fetch(
            "SELECT workload, memory_per_node_gb, scheduler, evidence FROM recommended_hpc_memory"
        )
    }
    assert set(recommended) == set(sums)
    assert len(sums) > 5

    def gains(a, b):
        return a[0] - b[0], 1 - a[1] / b[1]

    for key, of in sums.items():
        beaten = {
            b
            for a in of
            for b in of
            if any(gain > m for gain, m in zip(gains(of[a], of[b]), (0.01, 0.05), strict=True))
            and all(gain >= -m for gain, m in zip(gains(of[a], of[b]), (0.01, 0.05), strict=True))
        }
        left = [name for name in of if name not in beaten] or list(of)
        most = max(of[name][0] for name in left)
        best = min((n for n in left if of[n][0] >= most - 0.01), key=lambda n: (of[n][1], complexity[n]))
        tied = [n for n in left if abs(gains(of[n], of[best])[0]) <= 0.01 and abs(of[n][1] / of[best][1] - 1) <= 0.05]
        assert recommended[key] == (min(tied, key=complexity.get), "estimates"), key


def test_smallest_memory_for_loss_keeps_both_bounds_from_there_on(fetch):
    for workload, scheduler, bound, memory in fetch(
        "SELECT workload, scheduler, loss_bound, memory_per_node_gb FROM smallest_memory_for_loss"
    ):
        runs = fetch(f"""SELECT memory_per_node_gb, loss, response_ratio FROM steady_hpc_memory
            WHERE workload = '{workload}' AND scheduler = '{scheduler}' ORDER BY ALL""")
        enough = [
            m for i, (m, *_) in enumerate(runs) if all(loss <= bound and ratio <= 1.1 for _, loss, ratio in runs[i:])
        ]
        assert memory == (enough[0] if enough else None)


def test_answers_say_what_they_rest_on(fetch):
    (bare,) = fetch(
        "SELECT DISTINCT memory_origin, assumed, share_of_log, nodes_origin FROM recommended_hpc_memory "
        "WHERE trace = 'lublin_like/lublin_like'"
    )
    assert bare == (
        "assumed",
        "memory is assumed: documented laws. Nobody states its mean",
        pytest.approx(80 / 1500),
        "header",
    )
    (own,) = fetch(
        "SELECT DISTINCT memory_origin, assumed, share_of_log, nodes_origin, nodes "
        "FROM recommended_hpc_memory WHERE workload LIKE 'replayed/marconi_like/%'"
    )
    assert own == ("measured", None, pytest.approx(0.5), "stated", 54)
    assert fetch("SELECT DISTINCT share_of_log, nodes_origin FROM recommended_hpc_memory WHERE trace = 'phased'") == [
        (None, None)
    ]
    # Memory that is assumed saves nobody any money.
    origins = fetch("SELECT DISTINCT memory_origin FROM smallest_memory_for_loss")
    assert {("assumed",), ("fitted",)} <= set(origins)
    rows = fetch("""FROM smallest_memory_for_loss WHERE memory_origin IN ('assumed', 'fitted')
        AND (usd_saved IS NOT NULL OR gb_saved IS NOT NULL OR share_saved IS NOT NULL)""")
    assert rows == []


def test_a_rebuild_is_equal_table_by_table_and_leaves_no_rubbish(small_results, tmp_path):
    again = tmp_path / "again.duckdb"
    load.build(small_results, again)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.duckdb", "again.duckdb.built"]
    with contents.opened(small_results / "apportion.duckdb") as one, contents.opened(again) as other:
        # The same definitions on the same rows in the same order: views give the same, too.
        assert contents.defined(one) == contents.defined(other)
        names = contents.tables(one)
        assert len(names) > 20
        for name in names:
            assert contents.rows(one, name).equals(contents.rows(other, name)), name


def test_a_failed_build_leaves_the_previous_database(small_results, tmp_path, monkeypatch):
    target = tmp_path / "apportion.duckdb"
    shutil.copyfile(small_results / "apportion.duckdb", target)
    before = target.read_bytes()
    broken = tmp_path / "views"
    broken.mkdir()
    (broken / "wrong.sql").write_text("-- what\n-- x: y\nCREATE VIEW wrong AS SELECT no_such_column FROM metric;\n")
    monkeypatch.setattr(load, "VIEWS", (*load.VIEWS, broken))
    # Other code makes the database anew.
    monkeypatch.setattr(sources, "version", lambda _: "another")
    with pytest.raises(ValueError, match=r"wrong\.sql"):
        load.build(small_results, target)
    assert target.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["apportion.duckdb", "views"]


def test_a_view_without_a_comment_on_a_column_is_refused(tmp_path):
    (tmp_path / "one.sql").write_text("-- what it is\n-- a: first\nCREATE VIEW one AS SELECT 1 AS a, 2 AS b;\n")
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"one\.sql.*'b'"):
        load.create_views(connection, tmp_path)


def test_the_storage_is_readable_by_older_versions(small_database):
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{small_database}' AS a (READ_ONLY)")
        (tags,) = connection.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'a'").fetchone()
    assert tags["storage_version"].startswith("v1.2.0")


def test_status_names_the_traces_and_the_next_step(small_database):
    text = summary(small_database)
    assert "marconi_like" in text
    assert "prim_like (prim): 98 runs of 14 PIM applications, performance tables of 14 of them" in text
    assert "automotive_like (tasks): 32 real-time tasks" in text
    assert "apportion answer" in text
    assert "is not there yet" in summary(small_database.with_name("absent.duckdb"))


def test_a_query_prints_a_table_and_an_absent_database_is_said(small_database):
    assert "marconi_like" in load.answer(small_database, "SELECT trace FROM trace")
    with pytest.raises(FileNotFoundError, match="make"):
        load.answer(small_database.with_name("absent.duckdb"), "SELECT 1")


def test_parquet_results_read_without_the_database(small_results):
    files = sorted((small_results / "replay" / "hpc_memory").rglob("metrics.parquet"))
    assert len(files) >= 2 * len(sources.schedulers("hpc_memory"))
    assert pl.concat(pl.read_parquet(f) for f in files)["metric"].n_unique() == 12


def test_the_paper_s_results_are_of_its_own_schedulers(fetch):
    paper = {"unlimited", "aggregated", "priority", "stochastic", "oldest_first", "largest_first"}
    assert {row[0] for row in fetch("SELECT DISTINCT scheduler FROM hpc_memory_paper")} == paper
    for view in ("fig_hpc_memory_4", "fig_hpc_memory_8"):
        assert {row[0] for row in fetch(f"SELECT DISTINCT scheduler FROM {view}")} <= paper


def test_a_setting_is_named_by_what_differs(fetch):
    # Options of the reconfiguration do not touch the baseline: it has them as they are by default.
    settings = {row[0] for row in fetch("SELECT DISTINCT setting FROM hpc_memory_paper WHERE scheduler <> 'unlimited'")}
    of_options = "normal memory, incremental, free start, largest by nodes"
    assert settings == {"default", "load 0.8, nodes by C_m", "load 0.85", "sigma_phases 2", of_options}


def test_ratios_of_machines_are_taken_on_shared_batches(fetch):
    runs = {}
    for scheduler, memory, tau, batch, value, unlimited in fetch("""
        SELECT scheduler, memory_per_node_gb, tau_s, batch, utilisation, unlimited_utilisation FROM hpc_memory_paper
        WHERE setting = 'default' AND kind = 'phased' AND alpha = 0.03"""):
        runs[scheduler, memory, tau, batch] = (value, unlimited)
    (got,) = fetch("""SELECT ratio, batches FROM hpc_memory_paper_ratio
        WHERE kind = 'phased' AND scheduler = 'oldest_first' AND other = 'priority' AND memory_per_node_gb = 105
            AND alpha = 0.03 AND tau_s = 1""")
    shared = [b for b in range(2) if ("priority", 105, 40, b) in runs]
    assert shared == [0]
    ratios = [runs["oldest_first", 105, 1, b][0] / runs["priority", 105, 1, b][0] for b in shared]
    assert got == pytest.approx((np.mean(ratios), 1), rel=1e-12)
    figure = {(r, memory): value for r, memory, value in
              fetch("SELECT phase_length_over_tau, memory_per_node_gb, normalised FROM fig_hpc_memory_7")}  # fmt: skip
    value, unlimited = runs["priority", 105, 40, 0]
    assert figure[25, 105] == pytest.approx(value / unlimited, rel=1e-12)
    value, unlimited = runs["aggregated", 150, 1, 0]
    assert figure[None, 150] == pytest.approx(value / unlimited, rel=1e-12)


def test_response_times_by_size_are_those_of_the_outcomes(fetch):
    times = {}
    for scenario, nodes, response in fetch("""
        SELECT scenario_id, job.nodes, end_s - submit_s FROM outcome_hpc_memory JOIN scenario USING (scenario_id)
        JOIN job_hpc_memory AS job USING (workload_id, job_id) WHERE NOT timeline"""):
        times.setdefault(scenario, []).append((nodes, response))
    largest = {}
    for scenario, family in fetch("SELECT scenario_id, family FROM scenario JOIN workload USING (workload_id)"):
        for nodes, _ in times.get(scenario, []):
            largest[family] = max(largest.get(family, 0), nodes)
    rows = fetch("""SELECT scenario_id, family, smallest_nodes, response.jobs, mean_response_s
        FROM hpc_memory_response AS response JOIN scenario USING (scenario_id) JOIN workload USING (workload_id)""")
    assert {row[0] for row in rows} == set(times)
    for scenario, family, smallest, jobs, mean in rows:
        width = max(1, math.ceil(largest[family] / 4))
        responses = [response for nodes, response in times[scenario] if smallest <= nodes < smallest + width]
        assert (len(responses), np.mean(responses)) == (jobs, pytest.approx(mean, rel=1e-9))
    # A user's trace is asked in the same way.
    kinds = {row[0] for row in fetch("SELECT DISTINCT kind FROM hpc_memory_response_by_size WHERE trace IS NOT NULL")}
    assert kinds == {"replayed", "composed", "phased"}


def test_the_distribution_of_memory_is_that_over_node_time(fetch):
    phases = fetch("""SELECT memory_gb, duration_s * nodes FROM phase JOIN job USING (trace, job_id)
        WHERE trace = 'marconi_like' AND node IS NULL""")
    memory, weight = np.array(phases).T
    rows = fetch("SELECT memory_gb, share FROM fig_hpc_memory_1 WHERE trace = 'marconi_like' ORDER BY memory_gb")
    assert rows[-1][1] == pytest.approx(1)
    for value, share in rows:
        assert weight[memory <= value + 1e-9].sum() / weight.sum() == pytest.approx(share, abs=1e-9)


def test_examples_are_the_jobs_with_the_most_node_seconds_of_their_class(fetch):
    sizes = {}
    for kind, job, size in fetch("""
        SELECT temporal_class, job_id, sum(phase.duration_s) * any_value(job.nodes)
        FROM temporal_class JOIN job USING (trace, job_id) JOIN phase USING (trace, job_id)
        WHERE node IS NULL AND trace = 'marconi_like' GROUP BY ALL"""):
        sizes.setdefault(kind, {})[job] = size
    shown = {kind: max(jobs, key=jobs.get) for kind, jobs in sizes.items()}
    assert dict(fetch("SELECT DISTINCT temporal_class, job_id FROM fig_hpc_memory_2")) == shown
    rows = fetch("SELECT job_id, node, phase, from_s, to_s, memory_gb FROM fig_hpc_memory_2 ORDER BY ALL")
    lines = {}
    for job, node, *row in rows:
        lines.setdefault((job, node), []).append(row)
    for (job, node), line in lines.items():
        given = fetch(f"""SELECT duration_s, memory_gb FROM phase WHERE job_id = '{job}' AND trace = 'marconi_like'
            AND node IS NOT DISTINCT FROM {"NULL" if node is None else repr(node)} ORDER BY phase""")
        ends = np.cumsum([duration for duration, _ in given])
        assert [row[2] for row in line] == pytest.approx(ends.tolist())
        assert [row[1] for row in line] == pytest.approx([0, *ends[:-1]], abs=1e-6)
        assert [row[3] for row in line] == [gb for _, gb in given]


def test_figure_3_has_the_jobs_of_every_trace(fetch):
    for trace in ("marconi_like", "lublin_like/lublin_like"):
        nodes = np.array([row[0] for row in fetch(f"SELECT nodes FROM job WHERE trace = '{trace}'")])
        for value, share in fetch(
            f"SELECT value, share FROM fig_hpc_memory_3 WHERE trace = '{trace}' AND quantity = 'nodes' AND exact"
        ):
            assert (nodes <= value).mean() == pytest.approx(share)


def test_an_answer_too_wide_for_a_table_has_a_line_a_value(small_database):
    columns = ", ".join(f"{n} AS column_number_{n}" for n in range(30))
    text = load.answer(small_database, f"SELECT {columns} UNION ALL SELECT {columns}")
    lines = text.splitlines()
    assert len(lines) == 2 * 31
    assert [lines[0], lines[1], lines[31]] == ["row 1", " column_number_0 │ 0", "row 2"]
    assert max(map(len, lines)) < load.WIDTH
    assert load.answer(small_database, "SELECT 1 AS a, 2 AS b").splitlines()[1] == "│ a ┆ b │"


def copied(small_results, tmp_path):
    """Results of which a test may remove some; the files are links."""
    return shutil.copytree(small_results, tmp_path / "results", copy_function=os.link)


@pytest.mark.parametrize(
    ("removed", "again"),
    [
        ("replay/hpc_memory/priority/synthetic/0/metrics.parquet", "replay/hpc_memory/priority/synthetic/0"),
        ("replay/pim_ranks/pim_care/synthetic/1/outcomes.parquet", "replay/pim_ranks/pim_care/synthetic/1"),
        ("replay/gpu_corun/mps/synthetic/1", "replay/gpu_corun/mps/synthetic/1"),
        ("replay/pim_graph/migration", "replay/pim_graph/migration/synthetic/0"),
        ("replay/gpu_sharing/profile/synthetic/0/versions.parquet", "replay/gpu_sharing/profile/synthetic/0"),
        ("scenarios/hpc_memory/synthetic/scenarios.parquet", "scenarios/hpc_memory/synthetic"),
        ("scenarios/pim_graph/synthetic/workloads.parquet", "scenarios/pim_graph/synthetic"),
        ("ingest/marconi_like", "ingest/marconi_like"),
        ("fit/marconi_like", "fit/marconi_like"),
    ],
)
def test_a_database_is_not_built_of_results_that_lack_some(small_results, tmp_path, removed, again):
    results = copied(small_results, tmp_path)
    parts = [f"{study}/synthetic" for study in sources.studies()]
    named = {"drops": ["marconi_like"], "parts": parts, "chunks": 2}
    path = results / removed
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    before = (results / "apportion.duckdb").read_bytes()
    with pytest.raises(ValueError, match=f"run again: rm -rf {re.escape(str(results / again))}$"):
        load.build(results, results / "apportion.duckdb", **named)
    assert (results / "apportion.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    "file",
    [
        "ingest/marconi_like/jobs.parquet",
        "ingest/marconi_like/traces.parquet",
        "fit/marconi_like/phases.parquet",
        "scenarios/pim_ranks/synthetic/queue.parquet",
        "replay/gpu_corun/mps/synthetic/0/outcomes.parquet",
    ],
)
def test_a_folder_that_lacks_a_file_is_not_loaded_as_if_it_had_no_rows(small_results, tmp_path, file):
    results = copied(small_results, tmp_path)
    path = results / file
    path.unlink()
    before = (results / "apportion.duckdb").read_bytes()
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))} is missing, with .* rm -rf {path.parent}$"):
        load.build(results, results / "apportion.duckdb")
    assert (results / "apportion.duckdb").read_bytes() == before


def test_a_scenario_without_replay_or_measures_is_named(small_results, tmp_path):
    results = copied(small_results, tmp_path)
    folder = results / "replay" / "gpu_corun" / "mps" / "synthetic" / "0"
    metrics = pl.read_parquet(folder / "metrics.parquet")
    first = metrics["scenario_id"].min()
    (folder / "metrics.parquet").unlink()
    storage.write(metrics.filter(pl.col("scenario_id") != first), folder / "metrics.parquet")
    manifest.seal(folder)
    with pytest.raises(ValueError, match=f"scenario {re.escape(first)} has no measures; .* rm -rf {folder}"):
        load.build(results, tmp_path / "one.duckdb")
    ran = pl.read_parquet(folder / "versions.parquet")
    (folder / "versions.parquet").unlink()
    storage.write(ran.filter(pl.col("scenario_id") != first), folder / "versions.parquet")
    manifest.seal(folder)
    with pytest.raises(ValueError, match=f"scenario {re.escape(first)} was not replayed; .* rm -rf {folder.parent}"):
        load.build(results, tmp_path / "one.duckdb")


def test_results_of_a_drop_that_is_gone_are_named_with_what_removes_them(small_results, tmp_path):
    results = copied(small_results, tmp_path)
    before = {path for path in results.rglob("*") if path.is_dir()}
    gone = ["ingest/old_one", "fit/old_one"]
    for stage in ("scenarios/hpc_memory", "replay/hpc_memory/priority"):
        gone.append(f"{stage}/trace-old_one")
    for folder in gone:
        (results / folder).mkdir()
    other = results / "scenarios" / "hpc_memory" / "trace-old_one_more"
    other.mkdir()
    (line,) = [line for line in summary(results / "apportion.duckdb").splitlines() if line.startswith("left ")]
    assert line.startswith("left     old_one: results of a drop that is gone")
    subprocess.run(line.partition("remove them: ")[2], shell=True, check=True)
    assert {path for path in results.rglob("*") if path.is_dir()} == before | {other}
    assert "left " not in summary(results / "apportion.duckdb")

"""How much memory is enough: views and macros against a computation from the metric files."""

import math
import shutil

import duckdb
import polars as pl
import pytest

from pipeline.warehouse import load

PRICE = 7.8125


@pytest.fixture(scope="module")
def curves(small_results):
    """Per workload and scheduler: {size: (loss, growth of the response, wait)}, from the files of spans."""
    folder = small_results / "scenarios" / "hpc_memory"
    scenarios = pl.concat(pl.read_parquet(p) for p in folder.rglob("scenarios.parquet")).filter(
        ~pl.col("timeline"),
        pl.col("alpha") == 0.03,
        (pl.col("tau_s") == 1) | pl.col("workload_id").str.starts_with("dynamic"),
        pl.col("reconfiguration") == "serial",
        pl.col("backfilling") == "easy",
        ~pl.col("free_start"),
        pl.col("largest_by") == "memory",
    )
    workloads = pl.concat(pl.read_parquet(p) for p in folder.rglob("workloads.parquet"))
    spans = pl.concat(pl.read_parquet(p) for p in (small_results / "replay" / "hpc_memory").rglob("spans.parquet"))
    rows = scenarios.join(workloads.select("workload_id", "family"), on="workload_id").join(spans, on="scenario_id")
    sums: dict = {}
    for row in rows.iter_rows(named=True):
        of_size = sums.setdefault((row["family"], row["scheduler"]), {}).setdefault(row["memory_per_node_gb"], [])
        of_size.append((row["useful_node_s"], row["response_s"], row["wait_s"], row["jobs"]))
    total = {
        key: {size: [math.fsum(column) for column in zip(*values, strict=True)] for size, values in sorted(of.items())}
        for key, of in sums.items()
        if key[1] != "unlimited"
    }
    base = {
        family: [math.fsum(column) for column in zip(*of[None], strict=True)]
        for (family, scheduler), of in sums.items()
        if scheduler == "unlimited"
    }
    return {
        (family, scheduler): {
            size: (1 - useful / base[family][0], response / base[family][1] - 1, wait / jobs)
            for size, (useful, response, wait, jobs) in of.items()
        }
        for (family, scheduler), of in total.items()
    }


def brute_force(curve, loss_bound, response_bound=0.1):
    """Smallest size that keeps both bounds with all larger ones, and the largest size that does not."""
    sizes = sorted(curve)
    enough = [
        s for s in sizes if all(curve[m][0] <= loss_bound and curve[m][1] <= response_bound for m in sizes if m >= s)
    ]
    failing = [s for s in sizes if s not in enough]
    return (enough[0] if enough else None), (failing[-1] if failing else None)


def check(rows, curves):
    for row in rows.iter_rows(named=True):
        curve = curves[row["workload"], row["scheduler"]]
        assert (row["memory_per_node_gb"], row["fails_at_gb"]) == brute_force(curve, row["loss_bound"]), row
        assert row["response_bound"] == 0.1
        # From fewer than five batches there is no interval.
        assert row["memory_lo_gb"] is row["memory_hi_gb"] is row["loss_lo"] is None
        if row["memory_per_node_gb"] is None:
            assert row["loss"] is row["gb_saved"] is row["usd_saved"] is None
            assert row["unanswered"].startswith("no size that was tried keeps both bounds")
            assert row["fails_at_gb"] == max(curve)
            continue
        assert row["unanswered"] is None
        assert row["at_most"] == (row["memory_per_node_gb"] == min(curve)) == (row["fails_at_gb"] is None)
        loss, growth, wait = curve[row["memory_per_node_gb"]]
        assert row["loss"] == pytest.approx(loss, abs=1e-12)
        assert row["response_ratio"] == pytest.approx(1 + growth)
        assert row["wait_s"] == pytest.approx(wait)


def test_the_view_answers_every_bound_of_the_configuration(ask, curves):
    rows = ask("FROM smallest_memory_for_loss")
    assert sorted(rows["loss_bound"].unique()) == [0.005, 0.01, 0.02, 0.05]
    assert len(rows) == 4 * len(curves)
    check(rows, curves)
    assert rows["memory_per_node_gb"].null_count() < len(rows)


@pytest.mark.parametrize("loss", [1e-9, 0.0031, 0.013, 0.027, 0.08, 0.4])
@pytest.mark.parametrize("trace", ["phased", "dynamic", "lublin_like/lublin_like", "marconi_like"])
def test_the_macro_answers_any_loss(ask, curves, trace, loss):
    rows = ask(f"FROM smallest_memory('{trace}', {loss})")
    assert set(rows["loss_bound"]) == {loss}
    assert set(rows["trace"]) == {trace}
    assert len(rows) == sum(workload in set(rows["workload"]) for workload, _ in curves)
    check(rows, curves)


def test_the_macro_knows_no_other_trace(ask):
    with pytest.raises(duckdb.InvalidInputException, match="no trace 'nowhere' here; names like it: "):
        ask("FROM smallest_memory('nowhere', 0.01)")


def test_every_trace_of_an_hpc_machine_has_a_row_that_answers_or_says_why_not(small_database, tmp_path):
    shutil.copyfile(small_database, tmp_path / "whole.duckdb")
    with duckdb.connect(str(tmp_path / "whole.duckdb")) as connection:
        connection.execute("""
            INSERT INTO trace BY NAME
            SELECT 'drop' AS drop, 'measured' AS kind, 0 AS rejected, 64.0 AS node_memory_gb, * FROM (VALUES
                ('series', 'read', 0, 500), ('lent', 'read', 0, 500), ('log', 'read', 70, 0),
                ('idle', 'read', 70, 0), ('broken', 'refused', 0, 0), ('pim', 'read', 0, 0)
            ) AS added(trace, status, jobs, samples)
        """)
        connection.execute("UPDATE workload SET shapes = 'lent' WHERE kind = 'composed'")
        connection.execute("""
            INSERT INTO workload BY NAME
            SELECT * REPLACE ('idle/b00' AS workload_id, 'idle' AS family, 'idle' AS trace)
            FROM workload WHERE kind = 'replayed' LIMIT 1
        """)
        rows = connection.sql("FROM smallest_memory_for_loss").pl()
        asked = connection.sql("FROM smallest_memory('lent', 0.03)").pl()
        hpc = connection.sql("SELECT trace FROM trace WHERE status = 'read' AND (jobs > 0 OR samples > 0)").pl()
        composed = connection.sql("SELECT DISTINCT family FROM workload WHERE kind = 'composed' ORDER BY ALL").pl()
    assert set(hpc["trace"]) <= set(rows["trace"])
    assert {"lent", "series", "log", "idle"} < set(hpc["trace"])
    assert rows.filter(pl.col("trace").is_in(["pim", "broken", "prim_like"])).is_empty()
    assert (rows["memory_per_node_gb"].is_null() == rows["unanswered"].is_not_null()).all()
    added = rows.filter(pl.col("workload").is_null())
    assert added["loss_bound"].to_list() == [0.005, 0.01, 0.02, 0.05] * 4
    why = dict(added.select("trace", "unanswered").iter_rows())
    assert why["series"].startswith("no queue of jobs: ")
    assert (
        why["lent"] == f"{why['series']}; composed with the queue of a log they are in {', '.join(composed['family'])}"
    )
    assert why["log"].startswith("its jobs are in no workload: ")
    assert why["idle"].startswith("no loss is known: ")
    assert asked.select("trace", "scheduler", "loss_bound", "node_memory_gb", "unanswered").rows() == [
        ("lent", None, 0.03, 64.0, why["lent"])
    ]


def test_savings_are_counted_from_the_memory_of_the_machine_at_the_price_of_the_configuration(ask):
    rows = ask("FROM smallest_memory_for_loss WHERE memory_per_node_gb IS NOT NULL AND node_memory_gb IS NOT NULL")
    # The memory of lublin_like is assumed: there is nothing to count savings from.
    assert set(rows["trace"]) == {"phased", "dynamic", "marconi_like"}
    for row in rows.iter_rows(named=True):
        saved = (row["node_memory_gb"] - row["memory_per_node_gb"]) * row["nodes"]
        assert row["gb_saved"] == pytest.approx(saved, abs=1e-9)
        assert row["usd_saved"] == pytest.approx(PRICE * saved, abs=1e-9)
        assert row["share_saved"] == pytest.approx(1 - row["memory_per_node_gb"] / row["node_memory_gb"], abs=1e-12)
    synthetic = rows.filter(pl.col("trace").is_in(["phased", "dynamic"]))
    assert set(synthetic["node_memory_gb"]) == {256.0}
    assert set(synthetic["nodes"]) == {54}


def test_a_scheduler_is_recommended_at_every_size_that_was_tried(ask):
    tried = ask(
        "SELECT DISTINCT workload, memory_per_node_gb FROM steady_hpc_memory WHERE memory_per_node_gb IS NOT NULL"
    )
    recommended = ask("SELECT workload, memory_per_node_gb, runner_up FROM recommended_hpc_memory")
    assert set(recommended.drop("runner_up").rows()) == set(tried.rows())
    assert len(recommended) == len(tried)
    assert recommended["runner_up"].null_count() == 0


def test_sizes_are_multiples_where_nobody_measured_or_stated_the_memory(small_results, tmp_path):
    load.build(small_results, tmp_path / "whole.duckdb")
    asked = "SELECT DISTINCT trace, assumed_mean_gb, assumed FROM hpc_memory_basis WHERE kind = 'composed' ORDER BY ALL"
    with duckdb.connect(str(tmp_path / "whole.duckdb")) as connection:
        (log, mean, assumed) = connection.execute(asked).fetchone()
        known = connection.execute("SELECT DISTINCT assumed_mean_gb FROM hpc_memory_basis WHERE kind <> 'composed'")
        assert known.fetchall() == [(None,)]
        connection.execute("UPDATE trace SET mean_memory_stated_gb = 14 WHERE trace = ?", [log])
        stated = connection.execute(asked).fetchone()
        connection.execute("UPDATE workload SET memory_origin = 'default' WHERE kind = 'replayed'")
        of_default = connection.execute(
            "SELECT bool_and(assumed_mean_gb = mean_memory_gb AND node_memory_gb IS NULL) "
            "FROM hpc_memory_basis WHERE kind = 'replayed'"
        ).fetchone()
    assert mean == pytest.approx(105)
    assert assumed.endswith("Nobody states its mean")
    assert stated == (log, None, "memory is assumed: documented laws, scaled to the mean that trace.yaml states")
    assert of_default == (True,)


def test_a_macro_whose_columns_are_not_described_is_refused(tmp_path):
    (tmp_path / "one.sql").write_text(
        "-- what it is\n-- a: first\nCREATE MACRO one(x) AS TABLE SELECT x AS a, 2 AS b;\n"
    )
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"one\.sql.*'b'"):
        load.create_views(connection, tmp_path)


def test_a_database_without_a_configuration_knows_no_price(small_database, tmp_path):
    shutil.copyfile(small_database, tmp_path / "whole.duckdb")
    with duckdb.connect(str(tmp_path / "whole.duckdb")) as connection:
        connection.execute("DELETE FROM setting WHERE key LIKE 'prices.%'")
        saved = connection.execute(
            "SELECT gb_saved, usd_saved FROM smallest_memory('phased', 0.4) WHERE memory_per_node_gb IS NOT NULL"
        ).fetchall()
    assert saved
    assert all(gb is not None and usd is None for gb, usd in saved)

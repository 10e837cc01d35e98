"""Views of pim_graph, compared with the files of the replays."""

import numpy as np
import polars as pl
import pytest

STUDY = "pim_graph"


def test_every_scenario_is_there_with_its_metrics(ask, measured):
    ours = ask("SELECT scenario_id, cycles, energy_5x, setting FROM pim_graph_result")
    both = measured.join(ours, on="scenario_id", validate="1:1", suffix="_view")
    assert len(both) == len(ours) == len(measured)
    assert (both["cycles"] == both["cycles_view"]).all()
    assert (both["energy_5x"] == both["local_accesses"] + 5 * both["remote_accesses"]).all()
    assert set(ours["setting"]) == {"default", "cl 64, mlp 1", "per enqueue", "s 16", "e 16", "ql 16", "ql 256"}


def test_the_drop_and_the_stand_ins_are_all_there(measured):
    assert set(measured["graph"]) == {"amazon", "road", "pokec", "google", "amazon_like"}
    assert set(measured.filter(pl.col("graph") == "amazon_like")["origin"]) == {"generated"}


def test_levels_add_up_to_their_scenario(ask):
    rows = ask("""
        SELECT algorithm, any_value(r.cycles) AS cycles, sum(o.cycles) AS of_levels, any_value(r.tasks) AS tasks,
            sum(o.tasks) AS of_tasks
        FROM outcome_pim_graph AS o JOIN pim_graph_result AS r USING (scenario_id)
        GROUP BY scenario_id, algorithm""")
    forward = rows.filter(pl.col("algorithm") != "bc")
    assert (forward["cycles"] == forward["of_levels"]).all()
    assert (rows["tasks"] == rows["of_tasks"]).all()
    assert (rows.filter(pl.col("algorithm") == "bc").select(pl.col("cycles") > pl.col("of_levels"))).to_series().all()


def test_time_is_over_the_baseline_of_the_same_source(ask, measured):
    ours = ask("""
        SELECT * FROM pim_graph_curve
        WHERE kind = 'stand_in' AND graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8
            AND scheduler = 'dl_work_stealing' AND qr = 640""").row(0, named=True)
    runs = measured.filter(
        (pl.col("graph") == "amazon") & (pl.col("stacks") == 8) & (pl.col("cl") == 192) & (pl.col("queue") == "pim")
        & (pl.col("s") == 1) & (pl.col("e") == 1) & (pl.col("ql") == 64)
    )  # fmt: skip

    def cycles(scheduler, qr):
        rows = runs.filter((pl.col("scheduler") == scheduler) & (pl.col("qr") == qr) & (pl.col("mlp") == 0))
        return rows.sort("seed")["cycles"].to_numpy()

    ratios = cycles("dl_work_stealing", 640) / cycles("baseline", 64)
    assert len(ratios) == 2
    assert ours["time"] == pytest.approx(np.exp(np.log(ratios).mean()))
    assert ours["batches"] == 2


def test_software_is_compared_with_hardware_at_the_same_cost(ask, measured):
    ours = ask("SELECT * FROM fig_pim_graph_25")
    assert set(ours["setting"]) == {"default", "per enqueue"}
    migration = measured.filter((pl.col("scheduler") == "migration") & (pl.col("stacks") == 4) & (pl.col("qr") == 640))
    migration = migration.filter(pl.col("graph") == "amazon")

    def cycles(queue, per_task, batch):
        rows = migration.filter(
            (pl.col("queue") == queue) & (pl.col("per_task") == per_task) & (pl.col("seed") == batch)
        )
        return rows["cycles"][0]

    for setting, per_task in (("default", True), ("per enqueue", False)):
        slower = [100 * (cycles("software", per_task, b) / cycles("pim", False, b) - 1) for b in (0, 1)]
        row = ours.filter((pl.col("setting") == setting) & (pl.col("qr") == 640)).row(0, named=True)
        assert row["slower"] == pytest.approx(np.mean(slower))


def test_the_recommended_policy_is_no_slower_than_a_tie(ask):
    rows = ask("""
        SELECT r.graph, r.algorithm, r.stacks, r.qr, any_value(ours.cycles) AS cycles, min(c.cycles) AS least
        FROM (SELECT *, trace AS graph FROM recommended_pim_graph) AS r
        JOIN pim_graph_curve AS ours USING (graph, kind, algorithm, stacks, qr, scheduler)
        JOIN pim_graph_curve AS c USING (graph, kind, algorithm, stacks, qr)
        GROUP BY ALL""")
    assert len(rows) > 0
    assert (rows["cycles"] <= rows["least"] * 1.02).all()


def test_neighbours_of_the_google_stand_in_are_even(ask):
    shares = ask(
        "SELECT neighbour_stack, sum(neighbours)::DOUBLE AS n FROM fig_pim_graph_18 GROUP BY ALL ORDER BY ALL"
    )["n"]
    assert len(shares) == 4
    assert (shares / shares.sum()).to_list() == pytest.approx([0.25] * 4, abs=0.08)


def test_table_7_has_the_printed_numbers_beside_ours(ask):
    rows = ask("SELECT graph, thesis_vertices, vertices, scale FROM table_pim_graph_7 WHERE kind = 'stand_in'")
    assert set(rows["graph"]) == {"amazon", "road", "pokec", "google"}
    assert (rows["vertices"] == (rows["thesis_vertices"] * rows["scale"]).round()).all()

"""What the claims' queries on pim_ranks make of results that are made up, so that their answers are known."""

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions
from tests.claims.worlds.pim_ranks import ATT, PAPER, SETS, TABLES, exact, runs_of, virtual

FOLDER = sources.PACKAGE / "studies" / "pim_ranks" / "claims"


def judged(runs: list[dict], claim: str) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up runs of pim_ranks_paper."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(runs).to_arrow())
    connection.execute("CREATE TABLE pim_ranks_paper AS FROM made_up")
    connection.execute(definitions.found("pim_ranks_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    header, sql = evaluate.read(path)
    row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


def test_speedups_are_geometric_means_over_the_sets():
    # Twice and half the paper's value in two sets cancel out in a geometric mean only.
    spread = {"W1": 2.0, "W2": 0.5, "W3": 1.0, "W4": 1.0, "W5": 1.0}
    row, parts = judged(runs_of(lambda s, w, n, m, b: (PAPER[s] * spread[w], 1.0)), "C1")
    assert (row["verdict"], row["robustness"], row["replicates"]) == (REPRODUCED, 1.0, TABLES)
    assert {name: part["value"] for name, part in parts.items()} == pytest.approx(
        {"SE-Opt": 1.23, "SM-Opt (FCFS)": 3.82, "SM-Opt (OoO)": 4.09, "PIM-CARE": 5.49}
    )


def test_a_mean_over_fewer_sets_is_not_judged():
    row, _ = judged(runs_of(lambda s, w, n, m, b: (PAPER[s], 1.0), sets=SETS[:4]), "C1")
    assert row["verdict"] == NOT_DERIVABLE


def test_robustness_is_the_share_of_tables_and_default_is_not_counted():
    # In two of six tables PIM-CARE is behind.
    row, _ = judged(runs_of(lambda s, w, n, m, b: (3.0 if (s, m < 2) == ("pim_care", True) else PAPER[s], 1.0)), "C6")
    assert row["value"] == pytest.approx(4 / 6)
    assert row["robustness"] == pytest.approx(4 / 6)


def test_each_ensemble_has_its_own_value_and_robustness_and_the_first_is_the_claims():
    behind = runs_of(lambda s, w, n, m, b: (3.0 if (s, m < 2) == ("pim_care", True) else PAPER[s], 1.0))
    ahead = runs_of(lambda s, w, n, m, b: (PAPER[s], 1.0), evidence="figure_2")
    row, _ = judged(behind + ahead, "C6")
    assert (row["value"], row["replicates"]) == (pytest.approx(4 / 6), TABLES)
    assert row["robustness"] == pytest.approx(4 / 6)
    settings = row["settings"].split("; ")
    assert len(settings) == 4 + 2 * TABLES  # FCFS's overhead has two other values
    assert settings[0].startswith("Table 2 only: 0.6667") and settings[0].endswith(
        "(reproduced in 67% of its settings)"
    )
    assert settings[1].startswith("Table 2 and Figure 2: 1 ") and settings[1].endswith(
        "(reproduced in 100% of its settings)"
    )
    first, second = judged(behind + ahead, "C1")[0]["settings"].split("; ")[:2]
    assert "SE-Opt 1.23 [1.23, 1.23]" in first and "PIM-CARE 5.49" not in first
    assert "PIM-CARE 5.49 [5.49, 5.49]" in second


def test_growth_is_from_12_to_36_jobs():
    row, parts = judged(runs_of(lambda s, w, n, m, b: (PAPER[s] * n, PAPER[s] / n), jobs=(12, 24, 36)), "C3")
    assert parts["throughput grows"]["verdict"] == REPRODUCED
    assert parts["turnaround time improves"]["verdict"] == NOT_REPRODUCED
    # The printed numbers count, too.
    assert parts["throughput, 12 jobs"]["value"] == pytest.approx(5.49 * 12)
    assert (row["verdict"], row["robustness"]) == (NOT_REPRODUCED, 0.0)


def test_steps_are_ratios_of_one_scheduler_to_the_one_before():
    _, parts = judged(runs_of(lambda s, w, n, m, b: (PAPER[s], ATT[s])), "C13")
    assert parts["PIM-CARE over OoO"]["value"] == pytest.approx(5.49 / 4.09)
    assert parts["PIM-CARE over SE-Opt"]["value"] == pytest.approx(5.49 / 1.23)
    _, parts = judged(runs_of(lambda s, w, n, m, b: (PAPER[s], ATT[s])), "C14")
    assert parts["OoO over FCFS"]["value"] == pytest.approx(5.45 / 3.85)


def test_a_gain_is_asked_of_each_set():
    _, parts = judged(runs_of(lambda s, w, n, m, b: (4.0 if (s, w) == ("pim_care", "W3") else PAPER[s], 1.0)), "C15")
    assert [name for name, part in parts.items() if part["verdict"] != REPRODUCED] == ["W3"]


def test_flat_throughput_of_sm_opt_may_rise_by_five_per_cent():
    def ratio(s, w, n, m, b):
        rise = {"sm_opt_fcfs": 1.04, "sm_opt_ooo": 1.06}.get(s, 1.0) if n == 36 else 1.0
        return PAPER[s] * rise, PAPER[s] * (1.2 if n == 36 else 1.0)

    _, parts = judged(runs_of(ratio, jobs=(12, 36)), "C10")
    assert parts["FCFS, throughput does not grow"]["value"] == 1
    assert parts["OoO, throughput does not grow"]["value"] == 0
    assert parts["FCFS, turnaround time improves"]["value"] == 1


@pytest.mark.parametrize(("lead", "verdict"), [(1.0, REPRODUCED), (1.05, IN_PART)])
def test_w5_is_the_set_without_a_lead_of_out_of_order(lead, verdict):
    def ratio(s, w, n, m, b):
        return (PAPER["sm_opt_fcfs"] * lead if (s, w) == ("sm_opt_ooo", "W5") else PAPER[s], 1.0)

    row, parts = judged(runs_of(ratio), "C4")
    assert parts["more in each of W1 to W4"]["value"] == 1
    assert row["verdict"] == verdict


@pytest.mark.parametrize(("in_w4", "elsewhere", "verdict"), [(0.9, 1.1, REPRODUCED), (1.1, 1.1, NOT_REPRODUCED),
                                                            (0.9, 0.9, NOT_REPRODUCED)])  # fmt: skip
def test_turnaround_time_is_no_better_in_w4_and_better_in_others(in_w4, elsewhere, verdict):
    def ratio(s, w, n, m, b):
        return 1.0, (in_w4 if w == "W4" else elsewhere) if s == "pim_care" else 1.0

    assert judged(runs_of(ratio), "C5")[0]["verdict"] == verdict


@pytest.mark.parametrize(("in_w5", "elsewhere", "verdict"), [(1.01, 1.3, REPRODUCED), (0.97, 1.3, NOT_REPRODUCED),
                                                            (1.0, 1.0, NOT_REPRODUCED)])  # fmt: skip
def test_nothing_is_added_in_w5_and_something_in_others(in_w5, elsewhere, verdict):
    def ratio(s, w, n, m, b):
        return (in_w5 if w == "W5" else elsewhere) if s == "pim_care" else 1.0, 1.0

    assert judged(runs_of(ratio), "C11")[0]["verdict"] == verdict


def test_virtual_pim_is_judged_measure_by_measure_and_by_what_users_request():
    rows = virtual(lambda w: 0.8 if w == 5 else 1.3)
    for row in rows:
        if (row["scheduler"], row["requests"], row["set_name"]) == ("pim_care", "best", "VW2"):
            row["att_ratio"] = 0.9
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows).to_arrow())
    connection.execute("CREATE TABLE pim_ranks_virtual AS FROM made_up")
    header, sql = evaluate.read(FOLDER / "C8.sql")
    row, parts = evaluate._judge(FOLDER / "C8.sql", header.model_copy(update={"evidence": None}), sql, connection)
    assert {part["part"] for part in parts if part["value"] == 0} == {
        "turnaround time, VW1 to VW4, requests of the best ranks",
        "turnaround time, ahead in VW1 to VW4 and not in VW5, requests of the best ranks",
    }
    assert row["verdict"] == NOT_REPRODUCED  # one of the main parts does not hold


def test_other_proxies_are_settings_of_their_own():
    other = [row | {"reading": "coop limit 1.0"} for row in virtual(lambda w: 0.9)]
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(virtual(lambda w: 0.8 if w == 5 else 1.3) + other).to_arrow())
    connection.execute("CREATE TABLE pim_ranks_virtual AS FROM made_up")
    header, sql = evaluate.read(FOLDER / "C8.sql")
    row, _ = evaluate._judge(FOLDER / "C8.sql", header, sql, connection)
    assert (row["verdict"], row["robustness"]) == (REPRODUCED, None)  # two batches per table
    assert row["most_moved_by"] == "coop limit 1.0: 0 not reproduced"


def test_what_fcfs_adds_stretches_its_schedule():
    row, _ = judged(runs_of(exact("C13"), (12, 24, 36)), "C13")
    shares = row["settings"].split("; ")
    assert [s for s in shares if s.startswith("FCFS overhead 6 %: FCFS over SE-Opt 3.091")], row["settings"]


@pytest.mark.parametrize(
    ("kind", "ranks", "verdict"),
    [("generated", 30, NOT_DERIVABLE), ("measured", 30, REPRODUCED), ("measured", 8, NOT_DERIVABLE)],
)
def test_best_ranks_are_judged_on_measured_traces_of_30_ranks_only(kind, ranks, verdict):
    best = evaluate.read(FOLDER / "C7.sql")[0].parts
    rows = [
        {"trace_id": str(i), "trace_kind": kind, "max_ranks": ranks, "app": app, "best_ranks": int(value)}
        for i in range(6)
        for app, value in best.items()
    ]
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows).to_arrow())
    connection.execute("CREATE TABLE ranks_to_give AS FROM made_up")
    path = FOLDER / "C7.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), connection)
    assert row["verdict"] == verdict


@pytest.mark.parametrize("claim", ["C9", "C12"])
def test_inputs_are_marked_as_such(claim):
    path = FOLDER / f"{claim}.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), duckdb.connect())
    assert (row["verdict"], row["value"]) == (INPUT, None)

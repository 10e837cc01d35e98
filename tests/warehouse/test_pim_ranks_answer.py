"""What is said of the size of a PIM machine that nobody states."""

import duckdb
import pytest
import words

ASKED = {
    **dict.fromkeys(("trace", "kind", "evidence", "arrival", "requests", "set_name", "best_att"), "NULL::VARCHAR"),
    **dict.fromkeys(("scheduler", "runner_up", "extrapolated_apps"), "NULL::VARCHAR"),
    **dict.fromkeys(("jobs", "ranks", "replicates"), "NULL::BIGINT"),
    **dict.fromkeys(("load", "value", "margin", "margin_lo", "margin_hi"), "NULL::DOUBLE"),
    "tied": "NULL::BOOLEAN",
}
GIVE = words.row("""trace 't', app 'a', trace_kind 'measured', best_ranks 8, unit 'dpu', max_ranks 16,
    least_best_ranks 8, most_best_ranks 8, still_faster false, most_measured 16, over_all_ranks 1.5""")


@pytest.mark.parametrize(("ranks", "assumed"), [("16", False), ("NULL::BIGINT", True)])
def test_a_machine_that_nobody_states_is_assumed(ranks, assumed):
    with duckdb.connect() as connection:
        words.table(connection, "recommended_pim_ranks", ASKED)
        connection.execute("DELETE FROM recommended_pim_ranks")
        words.table(connection, "ranks_to_give", GIVE)
        words.table(connection, "trace", {"trace": "'t'", "kind": "'measured'", "ranks": ranks, "unit": "'node'"})
        connection.execute("CREATE TABLE pim_curve AS SELECT 't' AS trace, 'a' AS app, true AS chosen")
        words.create(connection, "answer_pim_ranks")
        ((about, amount, said),) = connection.sql("SELECT about, amount, assumed FROM answer_pim_ranks").fetchall()
    assert (about, amount) == ("DPUs for each application, of 16", "8 DPUs: a")
    assert (said is not None and "state its own number as ranks: in trace.yaml" in said) == assumed

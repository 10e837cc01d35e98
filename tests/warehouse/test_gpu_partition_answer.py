"""What is said of task sets on a GPU: loads that hold stay below the first that fails, and how sure that is."""

import re

import duckdb
import pytest
import words
from scipy.stats import binomtest

NOTHING = (
    "CREATE TABLE sm_curve (trace VARCHAR, mig_slices INT); "
    "CREATE TABLE fewest_slices (trace VARCHAR, trace_kind VARCHAR, demand VARCHAR, method VARCHAR, gpus INT, "
    "gpus_whole INT, unmet VARCHAR)"
)


def amount(*loads: tuple, sliced: bool = False) -> str:
    """The amount of an answer from rows of load, sets, sets that hold (None: no scheduler holds any) and SMs."""
    with duckdb.connect() as connection:
        connection.execute(NOTHING)
        trace, machine = ("'cam'", "98") if sliced else ("'generated'", "68")
        if sliced:
            connection.execute("INSERT INTO sm_curve VALUES ('cam', 1), ('cam', 7)")
        words.table(
            connection,
            "recommended_gpu_partition",
            *(
                words.row(f"""trace {trace}, tasks 8, sms {machine}, origin 'synthetic', utilisation {load},
                    question 'load {load}', scheduler {"'bf'" if held else "NULL::VARCHAR"}, runner_up NULL::VARCHAR,
                    margin NULL::DOUBLE, margin_lo NULL::DOUBLE, margin_hi NULL::DOUBLE, tied NULL::BOOLEAN,
                    replicates {sets}::BIGINT, sets_held {"NULL" if held is None else held}::BIGINT,
                    sms_enough {"NULL" if held is None else sms}::DOUBLE, value {(held or 0) / sets}""")
                for load, sets, held, sms in loads
            ),
        )
        words.create(connection, "answer_gpu_partition")
        (said,) = {amount for (amount,) in connection.execute("SELECT amount FROM answer_gpu_partition").fetchall()}
        return said


def test_what_holds_ends_below_the_first_load_that_fails():
    said = amount((1.4, 10, 10, 4), (2.1, 10, 9, 6), (2.8, 10, 10, 7))
    assert said.startswith("4 SMs hold every set up to load 1.4, ")
    assert said.endswith("; 9 of 10 sets fit at load 2.1")
    assert "hold" not in amount((1.4, 10, 8, 4), (2.1, 10, 10, 6))


def test_of_slices_slices_are_enough():
    assert amount((1.4, 10, 10, 28), sliced=True).startswith("2 slices hold every set, ")
    assert amount((1.4, 10, None, None), sliced=True) == "no number of slices that was tried"


def test_loads_of_slices_count_slices():
    said = amount((14, 10, 10, 28), (28, 10, 9, 42), (42, 10, 8, 56), sliced=True)
    assert said.startswith("2 slices hold every set up to load 1, ")
    assert said.endswith("; 9 of 10 sets fit at load 2")


def test_nothing_holds_beyond_a_load_at_which_no_scheduler_holds_any():
    assert amount((1.4, 10, 10, 4), (2.1, 10, None, None), (2.8, 10, 10, 7)).startswith(
        "4 SMs hold every set up to load 1.4"
    )


@pytest.mark.parametrize("sets", [2, 10, 20, 100])
def test_the_share_of_such_sets_is_clopper_and_pearsons_bound(sets):
    bound = binomtest(sets, sets, alternative="greater").proportion_ci(0.95, method="exact").low
    said = re.fullmatch(
        r"60 SMs hold every set, so at least (\d+)\D+ of such sets with 95\D+ confidence", amount((9, sets, sets, 60))
    )
    assert int(said[1]) == int(100 * bound)


def test_the_surest_load_does_not_vouch_for_one_of_fewer_sets():
    assert "so at least 74" in amount((1.4, 100, 100, 4), (2.1, 10, 10, 6))


def test_one_set_says_nothing_of_others():
    assert amount((9, 1, 1, 60)) == "60 SMs hold the set"

"""Logs of machines that do not ship: the page has what is recorded of them; where they are there it comes out again."""

import polars as pl
import pytest

from pipeline.runtime.sources import ROOT
from validation import machines


def test_the_page_has_the_recorded_tables():
    page = (ROOT / "docs" / "guides" / "fidelity.md").read_text()
    block = page.partition(machines.BEGIN)[2].partition(machines.END)[0]
    assert block == machines.section(machines.recorded())
    assert block.count("\n| easy |") == 2


def test_an_incident_waits_three_times_the_least_of_its_workload():
    waits = [("a", 1, 10.0), ("b", 1, 31.0), ("c", 1, 29.0), ("d", 2, 300.0), ("e", 2, 800.0)]
    jobs = pl.DataFrame(
        [(trace, seed, 5.0, 5.0 + wait) for trace, seed, wait in waits],
        schema=["trace", "workload_seed", "submit_s", "start_s"],
        orient="row",
    )
    assert machines.waits_of(jobs).filter("incident")["trace"].to_list() == ["b"]


def test_the_setting_with_the_largest_error_comes_first_and_draws_have_their_range():
    of_oar = {"machine": "OAR", "half": "second", "least": None, "most": None, "noise": 0.01}
    rows = [
        of_oar | {"trace": trace, "setting": setting, "measure": measure, "value": value, "closest": setting == "easy"}
        for trace in ("x", "y")
        for setting, error in (("easy", 0.1), ("fcfs", -0.5))
        for measure, value in (
            ("mean_wait_measured_s", 50.0), ("mean_wait_error", error), ("discordant_queued", 0.25)
        )
    ]  # fmt: skip
    cirrus = {"machine": "Cirrus", "trace": "log", "noise": None, "closest": False}
    for setting, error, least, most in (("easy", 1.5, None, None), ("easy_drawn", 0.4, -0.3, 0.7)):
        for half in ("second", "whole"):
            for measure, value in (("mean_wait_measured_s", 60.0), ("mean_wait_error", error)):
                spread = (
                    {"least": least, "most": most} if measure == "mean_wait_error" else {"least": None, "most": None}
                )
                rows.append(cirrus | {"half": half, "setting": setting, "measure": measure, "value": value} | spread)
    lines = machines.section(pl.DataFrame(rows, infer_schema_length=None)).splitlines()
    assert lines[2:5] == [
        "| fcfs | −50 % | 25.0 % | −50 % | 25.0 % |",
        "| easy | **+10 %** | 25.0 % | **+10 %** | 25.0 % |",
        "| *the machine beside itself* | ±1 % | 1.0 % | ±1 % | 1.0 % |",
    ]
    assert lines[-1] == "| easy | +150 % | +40 % (−30 % to +70 %) | +150 % | +40 % (−30 % to +70 %) |"


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_record_comes_out_again(trace_data):
    folder = trace_data / "validation"
    busy, incidents = machines.of_oar(folder / "oar_grid5000.csv.gz")
    table = machines.records(busy, machines.of_cirrus(folder / "cirrus_2024q1_sacct.csv.gz"))
    assert incidents == 2
    assert table.equals(machines.recorded())

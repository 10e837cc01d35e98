"""Performance tables and queues of PIM applications as plain tables: what makes a table, and what is refused."""

import polars as pl
import pytest

from pipeline.stages import ingest

POINTS = [1, 6, 8]
"""Profile points of a machine with 8 ranks."""


def perf_table(rows: list[tuple]) -> str:
    return "app,ranks,time_s\n" + "".join(f"{app},{ranks},{time_s}\n" for app, ranks, time_s in rows)


def profile(app="VA", points=POINTS) -> list[tuple]:
    return [(app, ranks, 8.0 / ranks) for ranks in points]


@pytest.fixture
def drop(tmp_path):
    """Write files (name: text) of a drop of 8 ranks and ingest them: summary and canonical tables by name."""

    def run(trace_yaml="ranks: 8", **files: str):
        folder = tmp_path / "tables"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.csv").write_text(text)
        (folder / "trace.yaml").write_text(trace_yaml)
        summary = ingest.ingest(folder, tmp_path / "out")
        return summary, {path.stem: pl.read_parquet(path) for path in (tmp_path / "out").glob("*.parquet")}

    return run


def reasons(tables) -> dict[str, list[str]]:
    rows = tables["rejected_rows"].group_by("reason", maintain_order=True).agg("detail")
    return {row["reason"]: row["detail"] for row in rows.to_dicts()}


def apps(tables) -> list[str]:
    return sorted(tables["perf_points"]["app"].unique()) if "perf_points" in tables else []


def test_profile_points_or_a_whole_table_make_one(drop):
    summary, result = drop(perf_table=perf_table(profile() + profile("TS", range(1, 9))))
    assert apps(result) == ["TS", "VA"]
    assert summary.code == 0


@pytest.mark.parametrize("points", [[1, 8], [2, 5], [3, 4, 7]])
def test_any_two_rank_counts_make_a_curve(drop, points):
    summary, result = drop(perf_table=perf_table(profile() + profile("TS", points)))
    assert apps(result) == ["TS", "VA"]
    assert summary.code == 0
    assert result["perf_points"].filter(app="TS")["ranks"].to_list() == points


def test_one_measurement_makes_no_curve(drop):
    _, result = drop(perf_table=perf_table(profile() + profile("TS", [8])))
    assert apps(result) == ["VA"]
    assert reasons(result)["one_measurement"] == ["app TS has a time at 8 ranks only, which makes no curve; give more"]


def test_the_order_of_rows_is_no_meaning(drop, tmp_path):
    _, result = drop(perf_table=perf_table(profile()[::-1]))
    assert sorted(result["perf_points"]["ranks"]) == POINTS
    assert reasons(result) == {}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("VA", 6, 1.0), "duplicate_ranks"),
        (("VA", 0, 1.0), "ranks_too_small"),
        (("VA", -2, 1.0), "ranks_too_small"),
        (("VA", 9, 1.0), "larger_than_machine"),
        (("VA", 2, 0.0), "time_s_not_positive"),
        (("VA", 2, "fast"), "time_s_unreadable"),
    ],
)
def test_a_row_that_is_wrong_goes_and_the_others_stay(drop, row, reason):
    _, result = drop(perf_table=perf_table([*profile(), row]))
    assert list(reasons(result)) == [reason]
    assert result["perf_points"].sort("ranks")["time_s"].to_list() == [8.0 / ranks for ranks in POINTS]


def test_a_bad_row_that_leaves_one_measurement_takes_its_application_away(drop):
    _, result = drop(perf_table=perf_table([("VA", 1, 8.0), ("VA", 6, -1.0), *profile("TS")]))
    assert apps(result) == ["TS"]
    assert set(reasons(result)) == {"one_measurement", "time_s_not_positive"}


def test_a_queue_naming_an_unknown_application_says_which_was_meant(drop):
    queue = "job_id,app,arrival_s\n1,SCAN-SSA,0\n2,SCAN-SAS,1\n"
    _, result = drop(perf_table=perf_table(profile("SCAN-SSA")), queue=queue)
    assert result["queues"]["job_id"].to_list() == ["1"]
    (detail,) = reasons(result)["app_unknown"]
    assert detail == "app 'SCAN-SAS' has no performance table; did you mean 'SCAN-SSA'?"


def test_requests_beyond_the_machine_are_rejected(drop):
    _, result = drop(perf_table=perf_table(profile()), requests="app,ranks\nVA,9\n")
    assert reasons(result) == {"larger_than_machine": ["app VA on 9 ranks, the machine has 8"]}


def test_without_a_readable_table_the_drop_is_refused(drop):
    summary, result = drop(perf_table="app,ranks\nVA,1\n")
    assert summary.code == 2
    assert "columns_missing" in reasons(result)

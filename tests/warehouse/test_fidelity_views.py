"""Views of replays beside the starts of logs, compared with the files of the stage."""

import polars as pl

from pipeline.studies.hpc_memory.figures.fidelity import fig_queue_measured_and_replayed


def test_the_closest_dialect_is_reported_on_the_second_half(small_results, connection, fetch):
    files = sorted((small_results / "fidelity" / "hpc_memory").glob("*/log_fidelity.parquet"))
    second = pl.concat(pl.read_parquet(path) for path in files).filter(
        "closest", pl.col("half") == "second", pl.col("measure") == "mean_wait_error"
    )
    rows = fetch("SELECT trace, setting, mean_wait_error FROM closest_dialects ORDER BY trace")
    figure = fig_queue_measured_and_replayed(connection)
    assert rows == second.select("trace", "setting", "value").sort("trace").rows()
    assert rows
    # A generated log tells of no machine.
    assert fetch("SELECT how_true FROM answer_hpc_memory WHERE how_true IS NOT NULL") == []
    assert figure.chart is not None
    assert set(figure.frame["trace"]) == {trace for trace, *_ in rows}
    assert set(figure.frame["run"]) == {"machine", "replay"}

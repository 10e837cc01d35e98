"""The study of the schedulers that are not of the paper: its statistics, its best of five, its page."""

import numpy as np
import polars as pl
import pytest
import scipy.stats
from typer.testing import CliRunner

from bench.studies import better_scheduler as study


def test_differences_have_the_t_interval_of_their_pairs():
    rng = np.random.default_rng(1)
    theirs = rng.normal(80, 5, 12)
    for shift, sign in ((1.0, "▲"), (0.0, "·"), (-1.0, "▼")):
        ours = theirs + shift + rng.normal(0, 0.3, 12)
        mean, half, found = study.difference(ours, theirs)
        interval = scipy.stats.ttest_rel(ours, theirs).confidence_interval(0.95)
        assert (mean - half, mean + half) == pytest.approx((interval.low, interval.high))
        assert found == sign


def test_the_best_of_the_papers_is_named_cell_by_cell():
    means = {1000.0: {"priority": 90.0, "aggregated": 80.0}, 1.0: {"priority": 60.0, "aggregated": 80.0}}
    rows = [
        {"scheduler": name, "ratio": ratio, "memory_per_node_gb": 105.0, "batch": batch, "utilisation": mean + batch}
        for ratio, schedulers in means.items()
        for name, mean in {**schedulers, "cost_aware": 85.0}.items()
        for batch in range(3)
    ]
    lines = list(study.against_best(pl.DataFrame(rows)))
    assert lines[2:4] == ["| 1000 | ▼ -5.00 ± 0.00 (priority 91.00) |", "| 1 | ▲ +5.00 ± 0.00 (aggregated 81.00) |"]
    assert lines[-1].strip() == "More than the best of five in 1 cells, open in 0, less in 1."


def test_a_replay_that_tau_does_not_touch_serves_every_ratio():
    inputs = study.workloads("dynamic", 1, 2, 12)
    rows = study.replays(inputs, ["aggregated", "priority"], [1000.0, 1.0], [105.0, 200.0])
    assert rows.height == 2 * 2 * 2 * 2
    assert rows["utilisation"].is_between(0, 100).all()
    spread = rows.group_by("batch", "scheduler", "memory_per_node_gb").agg(pl.col("utilisation").n_unique())
    assert dict(spread.group_by("scheduler").agg(pl.col("utilisation").max()).rows()) == {
        "aggregated": 1,
        "priority": 2,
    }


@pytest.mark.slow
def test_only_what_was_measured_is_rewritten_in_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\nWords.\n\n{study.MEASURED}\n\nof yesterday\n")
    command = ["--seed", "3", "--batches", "2", "--jobs", "12", "--page", str(page)]
    app = study.typer.Typer()
    app.command()(study.main)
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    text = page.read_text()
    assert text.startswith(f"# Title\n\nWords.\n\n{study.MEASURED}\n\nSeed 3, 2 batches of 12 jobs")
    assert "yesterday" not in text
    assert text.count("\n### ") == 6

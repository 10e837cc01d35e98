"""How much is gained over one application at a time: throughput and turnaround time, by set and number of jobs."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, WIDTH, figure, finding, of_kind
from pipeline.report.marks import panels
from pipeline.studies.pim_ranks.figures.encodings import ABSENT, ratios

TABLES = (
    "Tables have shapes that were measured on a UPMEM machine. They agree with the paper's Table 2, and with "
    "SE-Opt over SE-Full, which depend on tables alone"
)
INTERVALS = "Thick bars are 95 % intervals over batches, thin ones the range of the tables' means"

SPEEDUP = """\
SELECT
    set_name, scheduler, {measure} AS ratio, {measure}_lo AS ratio_lo, {measure}_hi AS ratio_hi,
    {measure}_least AS ratio_least, {measure}_most AS ratio_most, tables, batches
FROM {view}
WHERE evidence = 'measured_shapes' AND scheduler <> 'se_full' AND scheduler <> 'optimal'
ORDER BY set_name, scheduler"""
THROUGHPUT_SQL = SPEEDUP.format(measure="throughput", view="fig_pim_ranks_8a")
TURNAROUND_SQL = SPEEDUP.format(measure="att", view="fig_pim_ranks_8b")

JOBS_SQL = """\
SELECT
    measure, jobs, scheduler, ratio, ratio_lo, ratio_hi, ratio_least, ratio_most, tables, batches
FROM (
    SELECT
        evidence, 'throughput' AS measure, jobs, scheduler, throughput AS ratio, throughput_lo AS ratio_lo,
        throughput_hi AS ratio_hi, throughput_least AS ratio_least, throughput_most AS ratio_most, tables, batches
    FROM fig_pim_ranks_8c
    UNION ALL
    SELECT
        evidence, 'turnaround time', jobs, scheduler, att, att_lo, att_hi, att_least, att_most, tables, batches
    FROM fig_pim_ranks_8c
)
WHERE evidence = 'measured_shapes' AND scheduler <> 'se_full' AND scheduler <> 'optimal'
ORDER BY measure, jobs, scheduler"""


def _best_of_all(words: str) -> Callable[[pl.DataFrame], str | None]:
    """A title of the scheduler with the largest ratio over all sets; words: text with {times} and {best}."""

    def said(frame: pl.DataFrame) -> str | None:
        over_all = frame.filter(pl.col("set_name") == "all").sort("ratio", "scheduler")
        if over_all.is_empty():
            return None
        best, ratio = over_all.select("scheduler", "ratio").row(-1)
        return words.format(best=best, times=f"{ratio:.3g}")

    return said


fig_throughput = figure(
    title=finding(
        "Throughput of 24 applications on 30 ranks, over that of SE-Full",
        _best_of_all("24 applications on 30 ranks: {best} has {times} times the throughput of SE-Full"),
    ),
    source="ICS 2025, Section 4.2, Figure 8a",
    caption=f"Geometric means; se_full, one application at a time on all ranks, is the dashed rule. {TABLES}. "
    f"{INTERVALS}. The scale is logarithmic.",
    sql=THROUGHPUT_SQL,
    absent=ABSENT,
    draw=of_kind(ratios, "set_name", "set", "throughput, SE-Full = 1", WIDTH, 300),
)


fig_turnaround = figure(
    title=finding(
        "Average turnaround time of 24 applications on 30 ranks: times shorter than with SE-Full",
        _best_of_all("24 applications on 30 ranks: turnaround is {times} times shorter with {best} than with SE-Full"),
    ),
    source="ICS 2025, Section 4.2, Figure 8b",
    caption=f"Geometric means of the turnaround time of se_full over that of the scheduler. {TABLES}. {INTERVALS}. "
    "The scale is logarithmic.",
    sql=TURNAROUND_SQL,
    absent=ABSENT,
    draw=of_kind(ratios, "set_name", "set", "times shorter", WIDTH, 300),
)


@figure(
    title="More applications: gains over SE-Full with 12, 24 and 36 of them",
    source="ICS 2025, Section 4.3, Figure 8c",
    caption=f"Geometric means over W1 to W5 of throughput over that of se_full, and of the turnaround time of "
    f"se_full over that of the scheduler. {INTERVALS}. The scale is logarithmic.",
    sql=JOBS_SQL,
    absent="No sets of 12, 24 or 36 jobs were replayed with admissible tables (pim_ranks.sweeps in the configuration).",
    columns=2,
)
def fig_jobs(frame: pl.DataFrame) -> alt.FacetChart:
    """Throughput and turnaround time over se_full by the number of jobs."""
    return panels(ratios(frame, "jobs", "applications in the set", "over SE-Full", PANEL_WIDTH, 230), "measure")

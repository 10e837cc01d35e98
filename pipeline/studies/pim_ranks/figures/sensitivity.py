"""What PIM-CARE's own parameters are worth."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, figure, steps
from pipeline.report.marks import START, interval, legend, level, lines, looks_of, panels, points, spans, tips

SENSITIVITY_SQL = """\
SELECT
    CASE parameter
        WHEN 'profiling_ratio' THEN 'ranks that are profiled'
        WHEN 'threshold' THEN 'THOpt'
        ELSE 'window'
    END AS panel,
    list_position(['profiling_ratio', 'threshold', 'window'], parameter) AS place,
    CASE
        WHEN value IS NULL THEN CASE parameter WHEN 'threshold' THEN 'Table 2' ELSE 'all' END
        WHEN parameter = 'profiling_ratio' THEN format('{:.0f}%', 100 * value)
        ELSE format('{:.4g}', value)
    END || CASE WHEN is_paper THEN ' *' ELSE '' END AS tried,
    row_number() OVER (PARTITION BY parameter ORDER BY value NULLS FIRST) AS number,
    measure, ratio, ratio_lo, ratio_hi, profiling_share, batches
FROM (
    SELECT *, 'throughput' AS measure, throughput AS ratio, throughput_lo AS ratio_lo, throughput_hi AS ratio_hi
    FROM pim_ranks_sensitivity
    UNION ALL
    SELECT *, 'turnaround', att, att_lo, att_hi FROM pim_ranks_sensitivity
)
ORDER BY place, measure, number"""


@figure(
    title="PIM-CARE by its own parameters",
    source="ICS 2025, Sections 3.2 and 4.1 (profiling ratio 20 %, THOpt 95 %, window 6, marked *)",
    caption="Throughput, and how many times shorter turnaround is, over PIM-CARE with a window of 6 that knows all "
    "times and takes best_ranks from Table 2 (dashed). Profiled applications are scheduled by the times that "
    "Algorithm 1 interpolates, and take their true ones. The profile runs themselves are not in it: the tooltip has "
    "their time over the makespan. Bars are 95 % intervals over batches.",
    sql=SENSITIVITY_SQL,
    absent="No set of pim_ranks was replayed with several values of these parameters (pim_ranks.sweeps).",
    columns=2,
)
def fig_sensitivity(frame: pl.DataFrame) -> alt.FacetChart:
    """Throughput and turnaround over those of the defaults, one panel per parameter."""
    value = "defaults = 1"
    colour, shape = looks_of(steps(frame, "measure", "measure"), legend())
    x = alt.X("tried:O", title=None, sort=alt.EncodingSortField("number", op="min"), axis=alt.Axis(labelAngle=0))
    y = alt.Y("ratio:Q", title=value, scale=alt.Scale(zero=False), axis=alt.Axis(format=".3~g", tickCount=5))
    tooltip = tips(
        "measure:N",
        ("tried:N", "value"),
        *interval("ratio", value, ".3f"),
        ("profiling_share:Q", "profile runs over makespan", ".1%"),
        "batches:Q",
    )
    layers = [
        level(1, strokeWidth=1.5),
        lines(x=x, y=y, color=colour),
        spans("ratio_lo", "ratio_hi", value, 1.5, "ratio", x=x, color=colour),
        points(45, x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ]
    chart = alt.layer(*layers, data=frame).properties(width=PANEL_WIDTH, height=190)
    return panels(chart, "panel", order="place", header=START, x="independent")

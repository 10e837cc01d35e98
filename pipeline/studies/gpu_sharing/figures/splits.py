"""Figure of the splits that policies choose on the SM curves of dropped traces."""

from __future__ import annotations

from functools import partial

from pipeline.report.chart import figure, of_kind
from pipeline.studies.gpu_sharing.figures.fairness import LETTERS, split_panels, with_roles

PAIRS, PANELS = 4, 8
"""Pairs of a trace and of all traces that are drawn, at most."""
OWN_SQL = f"""\
WITH apart AS (
    SELECT
        trace, mix, sms, any_value(line) FILTER (slot = 0) AS first, any_value(line) FILTER (slot = 1) AS second,
        max(first_sms) FILTER (policies IS NOT NULL) - min(first_sms) FILTER (policies IS NOT NULL) AS sms_apart
    FROM gpu_sharing_split
    WHERE kind = 'mixes' AND trace <> 'thesis_table_6'
    GROUP BY ALL
),
of_second AS (
    FROM apart QUALIFY row_number() OVER (PARTITION BY trace, sms, second ORDER BY sms_apart DESC, mix) = 1
),
of_both AS (
    FROM of_second QUALIFY row_number() OVER (PARTITION BY trace, sms, first ORDER BY sms_apart DESC, mix) = 1
),
drawn AS (
    SELECT *, row_number() OVER (PARTITION BY trace ORDER BY sms_apart DESC, mix) AS place FROM of_both
    QUALIFY place <= {PAIRS}
    ORDER BY trace, place
    LIMIT {PANELS}
)
SELECT
    trace || CASE trace.kind WHEN 'generated' THEN ' (generated)' ELSE '' END || ': ' || first || ' + ' || second
    AS panel, trace, mix, sms, place, first_sms, slot, line, throughput,
    policies
FROM gpu_sharing_split JOIN drawn USING (trace, mix, sms) JOIN trace USING (trace)
WHERE gpu_sharing_split.kind = 'mixes'
ORDER BY trace, place, slot, first_sms"""


fig_own_splits = figure(
    title="Dropped curves: every split of the SMs between two applications, and those that the policies choose",
    source="ours: the policies of the thesis, Chapter 6, on curves of a trace",
    caption=f"{LETTERS} Of each trace up to {PAIRS} pairs, those on which the policies disagree most, no "
    "application first or second in two of them. Lines are straight between the points of a curve. "
    "Throughput is in instructions a cycle. Of curves of times it is a share of the application's speed "
    "on all SMs.",
    sql=OWN_SQL,
    rows=partial(with_roles, by="panel"),
    absent="No trace beside the example thesis_table_6 has SM curves (`sm_curve` in a folder below traces/) other "
    "than of MIG slices.",
    columns=2,
    traces=True,
    draw=of_kind(split_panels, "panel", "SMs of the first application; the other has the rest", "throughput"),
)

"""PIM-CARE beside VirtualPIM, on proxies of its sets."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, figure, of_kind
from pipeline.report.marks import START, panels
from pipeline.studies.pim_ranks.figures.encodings import ratios

VIRTUAL = """\
SELECT
    'requests: ' || CASE requests
        WHEN 'machine' THEN 'all ranks'
        WHEN 'half' THEN 'half the ranks'
        ELSE 'best ranks'
    END AS panel,
    list_position(['machine', 'half', 'best'], requests) AS place, set_name, scheduler,
    {measure} AS ratio, {measure}_lo AS ratio_lo, {measure}_hi AS ratio_hi, tables, batches, origin
FROM fig_pim_ranks_11
WHERE evidence = 'measured_shapes'
    AND scheduler IN ('virtual_pim_fine', 'virtual_pim_coop', 'pim_care', 'care_floor', 'sm_opt_ooo')
ORDER BY place, set_name, scheduler"""
PROXIES = (
    "VirtualPIM's sets are not published. These are proxies; VW5 is the host-heavy one. The result depends on how many "
    "ranks users request. Bars are 95 % intervals over batches. The scale is logarithmic."
)


def _figure(measure: str, title: str, caption: str) -> dict:
    """What a figure of a measure over that of Coarse is, beside its chart."""
    return {
        "title": title,
        "source": "ICS 2025, Section 4.5, Figure 11",
        "caption": f"{caption} {PROXIES}",
        "sql": VIRTUAL.format(measure=measure),
        "absent": "No proxies of VirtualPIM's sets were replayed on 14 ranks (pim_ranks.sweeps in the configuration).",
        "columns": 2,
    }


def _by_requests(frame: pl.DataFrame, value: str) -> alt.FacetChart:
    """Ratios by set, one panel a kind of request."""
    drawn = ratios(frame, "set_name", "proxy of the set", value, PANEL_WIDTH, 230)
    return panels(drawn, "panel", order="place", header=START)


fig_virtual_pim = figure(
    **_figure(
        "throughput",
        "PIM-CARE and VirtualPIM on 14 ranks: throughput on proxies of VirtualPIM's sets",
        "Throughput over that of virtual_pim_coarse (dashed).",
    ),
    draw=of_kind(_by_requests, "throughput, Coarse = 1"),
)


fig_virtual_pim_turnaround = figure(
    **_figure(
        "att",
        "PIM-CARE and VirtualPIM on 14 ranks: times shorter turnaround on proxies of VirtualPIM's sets",
        "Average turnaround time of virtual_pim_coarse (dashed) over that of the scheduler; above 1 is better.",
    ),
    draw=of_kind(_by_requests, "times shorter, Coarse = 1"),
)

"""Dropped cards, GPUs whose kernels have run times against SMs: their curves and fits."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, STEPS, figure, finding
from pipeline.report.marks import named, panels, tips

KINDS = {"compute": STEPS[0], "memory": STEPS[-1]}
MOST_PANELS = 30
"""Kernels that are drawn at most, of all cards: two with the probe's fifteen."""
ABSENT = "No trace has run times of kernels against SMs (docs/guides/probe.md says how to measure them)."
SOURCE = "ours, on dropped cards; the fit and the two kinds are those of Zahaf et al. 2021, Section 3"
MARKED = "trace || CASE origin WHEN 'generated' THEN ' (generated)' ELSE '' END"

CURVES_SQL = f"""\
WITH drawn AS (
    SELECT *, {MARKED} AS card, row_number() OVER (ORDER BY trace, app) AS place
    FROM gpu_card_kernel
    QUALIFY place <= {MOST_PANELS}
),
whole AS (
    SELECT trace, app, arg_max(time_s, sms) AS time_s FROM sm_curve WHERE beside IS NULL GROUP BY ALL
)
SELECT
    card || ': ' || app AS panel, place, trace, drawn.origin, app, kind, sm_curve.sms, sm_curve.time_s,
    whole.time_s / sm_curve.time_s AS speed, whole.time_s / (a_s / sm_curve.sms + b_s) AS fitted,
    sm_curve.sms = saturation_sms AS saturates
FROM sm_curve JOIN drawn USING (trace, app) JOIN whole USING (trace, app)
WHERE beside IS NULL
ORDER BY place, sms"""


def _saturating(frame: pl.DataFrame) -> str:
    kernels = frame.unique("place")
    saturating = kernels.filter(pl.col("kind") == "memory")
    return f"{len(saturating)} of {len(kernels)} kernels run at full speed on 80\u00a0% of the SMs or fewer"


@figure(
    title=finding("Speed of kernels against the number of SMs", _saturating),
    source=SOURCE,
    caption="Points: as timed alone, over the speed on all SMs. Lines: the fit a/m + b of the times. Diamonds: "
    "least SMs from which no point is more than 5 % faster. Kernels of memory saturate at 0.8 of the SMs "
    "or fewer; what is marked as generated was simulated, not measured.",
    sql=CURVES_SQL,
    absent=ABSENT,
    columns=2,
    traces=True,
)
def fig_curves(frame: pl.DataFrame) -> alt.FacetChart:
    """Speed of each kernel of a card against SMs, the fit a/m + b, and where it saturates."""
    colour = named(alt.Color, "kind", KINDS, title=None, legend=alt.Legend(symbolOpacity=1))
    x = alt.X("sms:Q", title="SMs", scale=alt.Scale(nice=False, padding=8), axis=alt.Axis(tickCount=5))
    y = alt.Y("speed:Q", title="speed", axis=alt.Axis(format="~%", tickCount=4), scale=alt.Scale(zero=True))
    tooltip = tips(
        ("app:N", "kernel"), ("sms:Q", "SMs"), ("time_s:Q", "time (s)", ".4~g"), ("speed:Q", None, ".1%"),
        ("fitted:Q", "by the fit", ".1%"),
    )  # fmt: skip
    at = {"x": x, "y": y, "color": colour, "tooltip": tooltip}
    saturates = alt.Chart().transform_filter("datum.saturates")
    layers = alt.layer(
        alt.Chart().mark_line(strokeWidth=1.6).encode(x=x, y=alt.Y("fitted:Q", title="speed"), color=colour),
        alt.Chart().mark_point(filled=True, size=24, opacity=0.9).encode(**at),
        saturates.mark_point(shape="diamond", size=150, strokeWidth=2, filled=False, opacity=1).encode(**at),
        data=frame,
    ).properties(width=PANEL_WIDTH, height=120)
    return panels(layers, "panel", order="place", x="independent")

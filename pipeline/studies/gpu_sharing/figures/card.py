"""Dropped cards, GPUs whose kernels have run times against SMs: their curves and fits, and who slows down whom."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, PANEL_WIDTH, STEPS, WIDTH, figure, finding
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

BESIDE_SQL = f"""\
SELECT {MARKED} AS card, trace, origin, app, beside, sms, slowdown
FROM gpu_card_pair
WHERE sms = machine_sms // 2
ORDER BY trace, app, beside"""


def _saturating(frame: pl.DataFrame) -> str:
    kernels = frame.unique("place")
    saturating = kernels.filter(pl.col("kind") == "memory")
    return f"{len(saturating)} of {len(kernels)} kernels run at full speed on 80\u00a0% of the SMs or fewer"


def _slowest(frame: pl.DataFrame) -> str:
    """On the first card."""
    first = frame.filter(pl.col("card") == frame["card"][0]).sort("slowdown", "app", "beside")
    card, app, beside, slowdown = first.select("card", "app", "beside", "slowdown").row(-1)
    return f"{card}: {app} beside {beside} takes {slowdown:.2f} times as long, the most of all pairs"


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


@figure(
    title=finding("Slowdown beside another kernel, each on half of the SMs", _slowest),
    source="ours, on dropped cards; Zahaf et al. 2021, Section 3.2, Figure 4, has one such pair of each kind",
    caption="Time of the kernel of the row beside that of the column, over its time alone on as many SMs. It is "
    "what is lost to caches and bandwidth that the two share. What is marked as generated was simulated "
    "and not measured.",
    sql=BESIDE_SQL,
    absent=ABSENT,
    traces=True,
)
def fig_beside(frame: pl.DataFrame) -> alt.FacetChart:
    """Slowdown of each kernel of a card beside each other one, both on half of the SMs."""
    scale = alt.Scale(domain=[1, max(1.05, frame["slowdown"].max())], range=["#ffffff", STEPS[-1]], clamp=True)
    square = (
        alt.Chart(frame)
        .mark_rect(stroke=GREY, strokeWidth=0.3)
        .encode(
            x=alt.X("beside:N", title="beside", axis=alt.Axis(labelAngle=-40)),
            y=alt.Y("app:N", title=None, axis=alt.Axis(labelLimit=110, minExtent=110)),
            color=alt.Color("slowdown:Q", scale=scale, legend=alt.Legend(title="times as long", format=".2~f")),
            tooltip=tips(
                ("app:N", "kernel"), "beside:N", ("sms:Q", "SMs each"), ("slowdown:Q", "times as long", ".2f")
            ),
        )
        .properties(width=WIDTH - 110, height=26 * frame["app"].n_unique())
    )
    return panels(square, "card", columns=1, x="independent", y="independent")

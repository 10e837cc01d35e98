"""Figures of Chapter 6: fair splits of the SMs of a GPU, and their dynamic forms."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from pipeline.report.chart import BLUE_TEXT, GREY, PANEL_WIDTH, RED_TEXT, SOFT, STEPS, WIDTH, figure, of_kind
from pipeline.report.marks import colours, legend, named, panels, points, symbols, tips

SOURCE = "thesis, Chapter 6"
ABSENT = (
    "The example drop thesis_table_6 was not replayed (gpu_sharing.fairness in the configuration), or is not among the "
    "traces."
)
SHORT = """CASE policy
        WHEN 'equal_compute' THEN 'equal SMs'
        WHEN 'equal_throughput' THEN 'equal throughput'
        WHEN 'equal_speedup' THEN 'equal speed-up'
        WHEN 'max_fair_throughput' THEN 'max fair'
        WHEN 'max_throughput' THEN 'max (unfair)'
        ELSE replace(policy, '_', ' ')
    END"""
ORDER = ["equal SMs", "equal throughput", "equal speed-up", "max fair", "max (unfair)"]
OURS, PRINTED = STEPS[0], STEPS[-1]

CODES = {"equal_compute": "C", "equal_throughput": "T", "equal_speedup": "S", "max_fair_throughput": "F"} | {
    "max_throughput": "M"
}
"""Letters by which figures name policies where there is no room for more."""
LETTERS = (
    "Points are the splits of the policies, named by letters above: C equal SMs, T equal throughput, S equal speed-up, "
    "F max fair, M max (unfair)."
)
ROLES = ["system", "first application", "second application"]

SPLITS_SQL = """\
SELECT mix, first_sms, slot, line, throughput, cooperative, policies
FROM gpu_sharing_split
WHERE trace = 'thesis_table_6' AND kind = 'stated' AND sms = 16
ORDER BY mix, slot, first_sms"""

TABLE_SQL = f"""\
SELECT
    mix, {SHORT} AS policy, array_to_string(split, ' / ') AS split,
    array_to_string(printed_split, ' / ') AS printed_split, same_split, system_speedup, printed_speedup,
    array_to_string(split, '/')
        || CASE WHEN same_split THEN '' ELSE chr(10) || '≠ ' || array_to_string(printed_split, '/') END AS label,
    format('{{:.2f}}', system_speedup) || chr(10) || format('({{:.2f}})', printed_speedup) AS speedups,
    abs(difference) <= 0.015 AS same_speedup
FROM fig_gpu_sharing_table_6
WHERE interpolation = 'linear'
ORDER BY len(split), mix, policy"""

SPEEDUP_SQL = f"""\
SELECT
    CASE source WHEN 'ensemble' THEN 'drawn curves' ELSE 'points of Table 6' END AS source, {SHORT} AS policy, measure,
    avg(value) AS value, quantile_cont(value, 0.025) AS lo, quantile_cont(value, 0.975) AS hi, count(*) AS members
FROM (
    UNPIVOT (
        SELECT source, member, policy, system_speedup AS system, least_speedup AS "least sped-up application"
        FROM fig_gpu_sharing_15
        WHERE interpolation = 'linear' AND sms = 16 AND policy <> 'cooperative'
            AND source IN ('ensemble', 'thesis_table_6')
    ) ON system, "least sped-up application" INTO NAME measure VALUE value
)
GROUP BY ALL
ORDER BY source DESC, policy, measure DESC"""

UNFAIRNESS_SQL = f"""\
SELECT
    CASE source WHEN 'ensemble' THEN 'drawn curves' ELSE 'points of Table 6' END AS source, {SHORT} AS policy, measure,
    avg(value) AS value, quantile_cont(value, 0.025) AS lo, quantile_cont(value, 0.975) AS hi, count(*) AS members
FROM (
    UNPIVOT (
        SELECT
            source, member, policy, unfairness_sms AS SMs, unfairness_throughput AS throughput,
            unfairness_speedup AS "speed-up"
        FROM fig_gpu_sharing_15
        WHERE interpolation = 'linear' AND sms = 16 AND policy <> 'cooperative'
            AND source IN ('ensemble', 'thesis_table_6')
    ) ON SMs, throughput, "speed-up" INTO NAME measure VALUE value
)
GROUP BY ALL
ORDER BY source DESC, policy, measure"""

PREDICTION_SQL = "SELECT app, sms, ipc, known, predicted FROM fig_gpu_sharing_16 ORDER BY app, sms"

PATHS_SQL = """\
SELECT
    CASE part WHEN 'a' THEN 'AES + RAY, equal throughput' ELSE 'ID + JPEG, max fair throughput' END AS panel,
    app, round, sms, printed_sms, from_cycle / 1000 AS from_kilocycle
FROM fig_gpu_sharing_17
WHERE interpolation = 'linear'
ORDER BY panel, app, round"""


def with_roles(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of gpu_sharing_split with `role` (ROLES), letters of the policies that choose the split, and `crowded`.

    Letters are crowded where the splits of a panel (a value of `by`, rows by first_sms) are hardly apart.
    """
    role = pl.col("slot").replace_strict({0: ROLES[1], 1: ROLES[2]}, default=ROLES[0], return_dtype=pl.String)
    letters = pl.col("policies").str.split(", ").list.eval(pl.element().replace_strict(CODES, default="?"))
    frame = frame.with_columns(role=role, letters=letters.list.sort().list.join(""))
    before = pl.when(pl.col("policies").is_not_null()).then("first_sms").forward_fill().shift().over(by, "role")
    too_near = pl.col("first_sms") - before <= 0.09 * pl.col("first_sms").max().over(by)
    return frame.with_columns(crowded=too_near.fill_null(False))


def split_panels(frame: pl.DataFrame, by: str, x_title: str, y_title: str) -> alt.FacetChart:
    """Throughput of each split of two applications, a panel a value of `by`; frame: rows as `with_roles` gives them."""
    colour = named(alt.Color, "role", dict(zip(ROLES, (GREY, STEPS[0], STEPS[-1]), strict=True)), title=None)
    dash = named(alt.StrokeDash, "role", dict(zip(ROLES, ([1, 0], [1, 0], [6, 2]), strict=True)), title=None)
    last = frame["first_sms"].max()
    chosen = frame.filter(pl.col("policies").is_not_null(), role="system")
    axis = alt.Axis(values=sorted({1, *(round(last * quarter / 4) for quarter in (1, 2, 3)), last}))
    x = alt.X("first_sms:Q", title=x_title, axis=axis, scale=alt.Scale(nice=False, zero=False, padding=8))
    y = alt.Y("throughput:Q", title=y_title)
    ticks = alt.Chart().transform_filter("datum.role == 'system' && datum.policies")
    layers = alt.layer(
        ticks.mark_rule(strokeDash=[2, 3], color=GREY, opacity=0.8).encode(x=x),
        alt.Chart().mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash),
        *(
            ticks.transform_filter(f"datum.crowded == {'true' if crowded else 'false'}")
            .mark_text(baseline="bottom", fontSize=11, color=SOFT)
            .encode(x=x, y=alt.value(12 if crowded else -2), text="letters:N")
            for crowded in chosen["crowded"].unique().sort()
        ),
        ticks.mark_point(filled=True, size=45, color=GREY).encode(
            x=x, y="throughput:Q", tooltip=tips("policies:N", ("first_sms:Q", "SMs of the first"), "throughput:Q")
        ),
        data=frame,
    )
    return panels(layers.properties(width=PANEL_WIDTH, height=190), by, bounds=None, y="shared")


def _by_policy(frame: pl.DataFrame, title: str, *rules: alt.Chart) -> alt.FacetChart:
    """A panel per measure: dots by policy, a colour a source of curves, bars for the spread of an ensemble."""
    colour, symbol = _sources(frame)
    y = alt.Y("policy:N", title=None, sort=ORDER, axis=alt.Axis(labelLimit=120))
    at = {"y": y, "yOffset": alt.YOffset("source:N", sort="descending"), "color": colour}
    x = alt.X("lo:Q", title=title, axis=alt.Axis(tickCount=4))
    bar = alt.Chart().mark_rule(strokeWidth=3).encode(**at, x=x, x2="hi:Q")
    tooltip = ["source:N", "policy:N", "measure:N", "value:Q", "lo:Q", "hi:Q"]
    layers = alt.layer(*rules, bar, points(60, **at, x="value:Q", shape=symbol, tooltip=tooltip), data=frame)
    return panels(layers.properties(width=PANEL_WIDTH - 60, height=190), "measure", bounds=None, y="shared")


fig_splits = figure(
    title="Every split of 16 SMs between two applications, and those that the policies choose",
    source=f"{SOURCE}, Figure 14",
    caption=f"{LETTERS} Between the points that Table 6 prints lines are straight.",
    sql=SPLITS_SQL,
    rows=partial(with_roles, by="mix"),
    absent=ABSENT,
    columns=2,
    draw=of_kind(split_panels, "mix", "SMs of the first application (of 16)", "throughput (instructions a cycle)"),
)


@figure(
    title="Table 6, cell by cell: SMs of each application, and system speed-up",
    source=f"{SOURCE}, Table 6",
    caption="Upper line: our split, and the printed one where it is another. Lower line: our system speed-up over "
    "cooperative multitasking and in brackets the printed one, red where they differ by more than 0.015. PATH's "
    "printed numbers contradict each other by 4 %, and no point of it is printed between 8 and 11 SMs.",
    sql=TABLE_SQL,
    absent=ABSENT,
)
def fig_table_6(frame: pl.DataFrame) -> alt.LayerChart:
    """Splits and system speed-ups of Table 6, ours beside the printed ones."""
    mixes = frame["mix"].unique(maintain_order=True).to_list()
    base = alt.Chart(frame).encode(
        x=alt.X("policy:N", title=None, sort=ORDER, axis=alt.Axis(orient="top", labelAngle=0, domain=False)),
        y=alt.Y("mix:N", title=None, sort=mixes, axis=alt.Axis(domain=False, labelLimit=140)),
    )
    key = alt.Legend(labelExpr="datum.value ? 'as printed' : 'not as printed'", symbolType="square")
    split = named(alt.Color, "same_split", {True: OURS, False: PRINTED}, title="split of the SMs", legend=key)
    text = alt.condition("datum.same_split", alt.value(BLUE_TEXT), alt.value(RED_TEXT))
    speedup = alt.condition("datum.same_speedup", alt.value(SOFT), alt.value(RED_TEXT))
    return alt.layer(
        base.mark_rect(opacity=0.12, stroke=GREY, strokeWidth=0.3).encode(
            color=split, tooltip=["mix", "policy", "split", "printed_split", "system_speedup", "printed_speedup"]
        ),
        base.mark_text(dy=-22, fontSize=11, lineBreak="\n").encode(text="label:N", color=text),
        base.mark_text(dy=10, fontSize=10, lineBreak="\n").encode(text="speedups:N", color=speedup),
    ).properties(width=WIDTH - 120, height=66 * len(mixes))


fig_speedups = figure(
    title="All pairs of seven applications: speed-up of the system, and of the worst-off application",
    source=f"{SOURCE}, Figure 15a",
    caption="Geometric means over 21 pairs of the speed-up over cooperative multitasking (dashed: 1). Bars hold "
    "95 % of the members of an ensemble of saturating curves. They are drawn, since the thesis prints "
    "none as a whole. It prints no values of its Figure 15 either.",
    sql=SPEEDUP_SQL,
    absent=ABSENT,
    columns=2,
    draw=of_kind(
        _by_policy,
        "speed-up over cooperative",
        alt.Chart().mark_rule(strokeDash=[4, 3], color=GREY).encode(x=alt.datum(1.0)),
    ),
)


fig_unfairness = figure(
    title="Unfairness of the policies in what two applications get",
    source=f"{SOURCE}, Figure 15b, Equation 1",
    caption="Unfairness is (max - min) / max of two applications, averaged over 21 pairs; 0 is equal. Bars hold "
    "95 % of the members of the ensemble of drawn curves.",
    sql=UNFAIRNESS_SQL,
    absent=ABSENT,
    columns=2,
    draw=of_kind(_by_policy, "unfairness, (max - min) / max"),
)


@figure(
    title="What a measurement on 8 SMs predicts for other numbers of SMs",
    source=f"{SOURCE}, Figure 16 (for JPEG)",
    caption="Blue: the curve, points as Table 6 gives them (means over its mixes). Red, dashed: the prediction, "
    "through the origin for fewer SMs, towards the isolated throughput on all for more. The vertical scales "
    "differ.",
    sql=PREDICTION_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_prediction(frame: pl.DataFrame) -> alt.FacetChart:
    """Two-slope predictions from a measurement on half of the SMs."""
    x = alt.X("sms:Q", title="SMs", axis=alt.Axis(values=[0, 4, 8, 12, 16]))
    (whole, guessed), colour = _compared(("curve", "prediction from 8 SMs"))
    curve = whole.mark_line(strokeWidth=2).encode(x=x, y=alt.Y("ipc:Q", title="instructions a cycle"), color=colour)
    given = alt.Chart().transform_filter("datum.known && datum.sms > 0").mark_point(color=OURS, filled=True, size=35)
    given = given.encode(x=x, y="ipc:Q", tooltip=["app:N", "sms:Q", "ipc:Q"])
    guess = guessed.mark_line(strokeDash=[5, 3], strokeWidth=2).encode(x=x, y="predicted:Q", color=colour)
    layers = alt.layer(curve, given, guess, data=frame).properties(width=PANEL_WIDTH, height=150)
    return panels(layers, "app", bounds=None, y="independent")


@figure(
    title="Two dynamic allocations, from 8 and 8 SMs",
    source=f"{SOURCE}, Figure 17",
    caption='Dots: SMs by our rounds on the points of Table 6. Rings: as printed (of RAY\'s "8 SMs" in the text 11 '
    "is meant: three of AES's move).",
    sql=PATHS_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_paths(frame: pl.DataFrame) -> alt.FacetChart:
    """SMs of two dynamic allocations, round by round."""
    x = alt.X("round:O", title="round (0 = start)", axis=alt.Axis(labelAngle=0))
    scale = alt.Scale(domain=[0, 16])
    line = alt.Chart().mark_line(color=OURS, strokeWidth=2)
    line = line.encode(x=x, y=alt.Y("sms:Q", title="SMs", scale=scale), detail="app:N")
    (rounds, rings), colour = _compared(("our rounds", "as printed"))
    tooltip = tips("app:N", "round:O", "sms:Q", "printed_sms:Q", ("from_kilocycle:Q", "from (K cycles)"))
    ours = rounds.mark_point(filled=True, size=60, opacity=1)
    ours = ours.encode(x=x, y=alt.Y("sms:Q", scale=scale), color=colour, tooltip=tooltip)
    printed = rings.mark_point(size=170, strokeWidth=1.8).encode(x=x, y="printed_sms:Q", color=colour)
    labels = [
        alt.Chart()
        .transform_filter(f"datum.round > 0 && datum.sms {side} 8")
        .transform_calculate(name="datum.app + ' ' + datum.sms")
        .mark_text(dy=dy, fontSize=11)
        .encode(x=x, y="sms:Q", text="name:N")
        for side, dy in ((">", -16), ("<", 17))
    ]
    layers = alt.layer(line, ours, printed, *labels, data=frame).properties(width=PANEL_WIDTH, height=200)
    return panels(layers, "panel", bounds=None, y="shared")


def _sources(frame: pl.DataFrame) -> tuple[alt.Color, alt.Shape]:
    """Colour and symbol of where the curves come from, in one legend."""
    looks = {"points of Table 6": (PRINTED, "square"), "drawn curves": (OURS, "circle")}
    shown = {name: look for name, look in looks.items() if name in frame["source"]}
    return (
        named(alt.Color, "source", colours(shown), title=None),
        named(alt.Shape, "source", symbols(shown), title=None),
    )


def _compared(names: tuple[str, str]) -> tuple[list[alt.Chart], alt.Color]:
    """A chart for each of two things that a figure compares, ours first, and their colours with a legend."""
    charts = [alt.Chart().transform_calculate(what=f"'{name}'") for name in names]
    looks = dict(zip(names, (OURS, PRINTED), strict=True))
    return charts, named(alt.Color, "what", looks, legend=legend(labelLimit=220))

"""What a real-time task would cost that runs an application of a GPU: the model of Zahaf et al. 2021, fitted.

Execution time on m SMs: C(m) = k (a/m + b) (Section 3). `work` a and `serial_fraction` b/a come from the application's
curve against SMs, as does its kind; k, its factor beside another task of its kind, from pairs that were measured: time
beside another over time alone on as many SMs where curves tell that (Figure 4), else the slowdowns of pairs as they are
given. Where a trace has no such pair of an application, its factor is null and the paper's holds.
"""

from __future__ import annotations

import logging

import polars as pl

from pipeline import tables
from pipeline.fit import sm_curve
from pipeline.tables.mix_names import stated_mix

log = logging.getLogger(__name__)

SECONDS, OF_FASTEST = "s", "time on the most SMs"


def costs(curves: pl.DataFrame, fits: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Table task_costs: one row an application that has a curve to itself.

    curves: sm_curves; fits: their sm_fits; pairs: corun_pairs. Times are seconds; in a trace that has rates only, each
    application's time on its most SMs is the unit, so all are taken to run equally long there. In a trace with both,
    applications without times are left out, as are those that more SMs do not make faster (a = 0) and curves beside
    others.
    """
    rows = [tables.empty(tables.TaskCost)]
    for (trace_id,), of_trace in curves.group_by("trace", maintain_order=True):
        kinds = fits.filter(pl.col("trace") == trace_id).select("app", "kind", "points", "least_sms")
        of_mixes = [app for app in of_trace["app"].unique() if stated_mix(app)]
        alone = of_trace.filter(pl.col("beside").is_null(), ~pl.col("app").is_in(of_mixes))
        alone = alone.join(kinds, on="app", how="semi", maintain_order="left")
        timed, unit = _times(str(trace_id), alone)
        fitted = sm_curve.fit(timed)
        for app in fitted.filter(pl.col("a") <= 0)["app"].to_list():
            log.warning("%s: %s gains nothing from more SMs; no tasks are made of it", trace_id, app)
        fitted = fitted.filter(pl.col("a") > 0).join(kinds, on="app", maintain_order="left")
        given = slowdowns_of_pairs(pairs.filter(pl.col("trace") == trace_id))
        on_own_sms = slowdowns_on_own_sms(of_trace)
        factors = conflict_factors(given if on_own_sms.is_empty() else on_own_sms, kinds)
        frame = fitted.join(factors, on="app", how="left", maintain_order="left").with_columns(
            pl.col("conflict_pairs").fill_null(0),
            trace=pl.lit(trace_id),
            machine_sms=pl.lit(of_trace["sms"].max()),
            unit=pl.lit(unit),
            work="a",
            serial_fraction=pl.col("b") / pl.col("a"),
            origin=pl.lit(tables.FITTED),
        )
        rows.append(tables.conform(frame, tables.TaskCost))
    return pl.concat(rows)


def slowdowns_of_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """app, other, slowdown of pairs (corun_pairs), each from either side."""
    return pl.concat(
        pairs.select(app=f"app_{own}", other=f"app_{other}", slowdown=f"slowdown_{own}").drop_nulls("slowdown")
        for own, other in (("a", "b"), ("b", "a"))
    )


def slowdowns_on_own_sms(curves: pl.DataFrame) -> pl.DataFrame:
    """app, other, slowdown of curves (sm_curves) beside others, over those alone at the same numbers of SMs.

    What both have on SMs of their own they do not take from each other: this is what caches and memory cost. Points
    without one alone at as many SMs are left out.
    """
    rate = pl.coalesce("ipc", 1 / pl.col("time_s"))
    alone = curves.filter(pl.col("beside").is_null()).select("app", "sms", alone=rate)
    return (
        curves.filter(pl.col("beside").is_not_null())
        .with_columns(together=rate)
        .join(alone, on=["app", "sms"], maintain_order="left")
        .filter(pl.col("together") > 0)
        .select("app", other="beside", slowdown=pl.col("alone") / pl.col("together"))
    )


def conflict_factors(slowdowns: pl.DataFrame, kinds: pl.DataFrame) -> pl.DataFrame:
    """app, conflict_factor (at least 1), conflict_pairs: of each application that has a measured pair of its kind.

    slowdowns: app, other, slowdown; kinds: app, kind. The factor is the largest slowdown beside an application of its
    kind: deadlines have to hold beside any of them. Applications without a kind are in no pair.
    """
    kind = kinds.select("app", "kind")
    return (
        slowdowns.join(kind, on="app", maintain_order="left")
        .join(kind.rename({"app": "other", "kind": "kind_of_other"}), on="other", maintain_order="left")
        .filter(pl.col("kind") == pl.col("kind_of_other"))
        .group_by("app")
        .agg(
            conflict_factor=pl.max_horizontal(pl.lit(1.0), pl.col("slowdown").max()),
            conflict_pairs=pl.len().cast(pl.Int64),
        )
        .sort("app")
    )


def _times(trace_id: str, curves: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """app, sms, time_s of the curves whose times can be compared, and the unit of these times."""
    rated = curves.filter(pl.col("time_s").is_null())["app"].unique().sort().to_list()
    timed = curves.filter(~pl.col("app").is_in(rated))
    if timed.height:
        if rated:
            log.warning("%s: %s: rates, but no times as others have; no tasks", trace_id, ", ".join(rated))
        return timed.select(sm_curve.COLUMNS), SECONDS
    rate = pl.coalesce("ipc", 1 / pl.col("time_s"))
    of_fastest = rate.sort_by("sms").last().over("app") / rate
    return curves.filter(rate > 0).select("app", "sms", time_s=of_fastest), OF_FASTEST

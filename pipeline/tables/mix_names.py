"""Names of applications that were measured beside those of a mix: `<mix>/<application>`, as A+B/A."""

from __future__ import annotations

import polars as pl

MIX_OF = "/"
"""Between the mix and the application."""


def stated_mix(app: str) -> str | None:
    """The mix of an application that is named `<mix>/<application>`; None where it is named otherwise."""
    mix, _, own = app.rpartition(MIX_OF)
    return mix if "+" in mix and own in mix.split("+") else None


def apps_alone(curves: pl.DataFrame) -> list[str]:
    """Applications of curves against SMs that were measured alone, mixes of known names left out."""
    alone = curves.filter(pl.col("beside").is_null())["app"].unique().to_list()
    return [app for app in alone if stated_mix(app) is None]

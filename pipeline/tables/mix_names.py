"""Names of applications that were measured beside those of a mix: `<mix>/<application>`, as A+B/A."""

from __future__ import annotations

MIX_OF = "/"
"""Between the mix and the application."""


def stated_mix(app: str) -> str | None:
    """The mix of an application that is named `<mix>/<application>`; None where it is named otherwise."""
    mix, _, own = app.rpartition(MIX_OF)
    return mix if "+" in mix and own in mix.split("+") else None

"""Columns as the tables state them: a meaning, a unit for every number, and what values are right."""

from __future__ import annotations

import dataframely as dy

MEASURED, GENERATED, FITTED, GIVEN, COMPOSED, SYNTHETIC = (
    "measured",
    "generated",
    "fitted",
    "given",
    "composed",
    "synthetic",
)

YEAR_S = 365.25 * 86400
LIFE_S, LONGEST_LIMIT_S = 100 * YEAR_S, 10 * YEAR_S
"""No instant of a machine lies further from the first, and no limit of a job is longer: a time beyond is an error."""
MOST_SMS = 10_000
"""SMs that a GPU may have, fifty times as many as the largest one has (2026): replays have an array of them."""


def text(description: str, *, nullable: bool = False, **kw) -> dy.String:
    """Words; not null unless said."""
    return dy.String(nullable=nullable, description=description, **kw)


def number(description: str, unit: str, *, nullable: bool = False, **kw) -> dy.Float64:
    """A real number in the unit; "1" is a share or a ratio."""
    return dy.Float64(nullable=nullable, description=description, metadata={"unit": unit}, **kw)


def count(description: str, *, unit: str = "1", nullable: bool = False, **kw) -> dy.Int64:
    """A whole number."""
    return dy.Int64(nullable=nullable, description=description, metadata={"unit": unit}, **kw)


def flag(description: str) -> dy.Bool:
    """Yes or no; null where it does not apply."""
    return dy.Bool(nullable=True, description=description)

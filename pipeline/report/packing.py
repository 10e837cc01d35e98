"""Rows of figures as the page stores them: a list per column instead of a name per value, and each data set once.

`figures.js` makes rows of them again.
"""

from __future__ import annotations

from typing import Any

DIGITS = 6
"""Significant digits of the numbers of figures on the page: more than any picture shows."""
SHORTER = 0.9
"""A column is stored as a list of its distinct values where that has at most this share of its characters."""


def packed(rows: list[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    """Rows with the same columns as {"length", "columns"}; other rows as they are.

    A column is a list of values, or, where that is shorter, {"of": the distinct ones, "at": the place of each row's}.
    Numbers are rounded to DIGITS significant digits.
    """
    names = list(rows[0]) if rows else []
    if not names or any(list(row) != names for row in rows):
        return rows
    return {"length": len(rows), "columns": {name: _column([_short(row[name]) for row in rows]) for name in names}}


def _short(value: Any) -> Any:
    """A number without the digits that nobody sees; whole numbers without a point."""
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, dict | list) for value in values):
        return values
    # A dictionary would take True for 1.
    places: dict[tuple[type, Any], int] = {}
    at = [places.setdefault((type(value), value), len(places)) for value in values]
    of = [value for _, value in places]
    coded = sum(len(str(place)) + 1 for place in at) + _characters(of)
    return {"of": of, "at": at} if coded <= SHORTER * _characters(values) else values


def _characters(values: list[Any]) -> int:
    """About how many characters the values take as JSON."""
    return sum(len(str(value)) + (3 if isinstance(value, str) else 1) for value in values)

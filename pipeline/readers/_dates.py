"""Dates that are not ISO 8601: the day or the month first, the clock of 24 hours or of AM and PM.

Parts of such a date are distinguished by the file itself, where a number above 12 can be no month, or by `dates:` in
trace.yaml. Points between them always mean that the day is first, unless trace.yaml says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pipeline.drops import DAY_FIRST, MONTH_FIRST, Refusal

_CLOCK = r"[ T,]+(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s*(?:([AaPp])\.?[Mm]\.?)?\s*(Z|[-+]\d\d:?\d\d)?$"
_YEAR_LAST = r"^(\d{1,2})([./-])(\d{1,2})[./-](\d{4})" + _CLOCK
_YEAR_FIRST = r"^(\d{4})([./-])(\d{1,2})[./-](\d{1,2})" + _CLOCK
_UNCLEAR = r"^\s*(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?:\D|$)"
_TWO_DIGITS = r"^\s*\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\D|$)"
DATED = r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\b|T)"
"""Texts that begin with a date of whatever kind."""


def iso(text: pl.Expr, order: str | None) -> pl.Expr:
    """Dates as ISO 8601 (`2024-01-31T12:00:00`, with the zone that they have); null for other texts.

    order: day_first or month_first; None reads dates with points only, their day first, and those with the year first.
    """
    text = text.str.strip_chars()
    last = [text.str.extract(_YEAR_LAST, group) for group in range(1, 10)]
    first = [text.str.extract(_YEAR_FIRST, group) for group in range(1, 10)]
    if order == MONTH_FIRST:
        month, day = last[0], last[2]
    else:
        readable = pl.lit(order == DAY_FIRST) | (last[1] == ".")
        day, month = (pl.when(readable).then(part) for part in (last[0], last[2]))
    year_last = _joined((last[3], month, day), *last[4:])
    return pl.coalesce(year_last, _joined((first[0], first[2], first[3]), *first[4:]))


def _joined(
    date: Sequence[pl.Expr], hour: pl.Expr, minute: pl.Expr, second: pl.Expr, half: pl.Expr, zone: pl.Expr
) -> pl.Expr:
    """Year, month and day, and a time of the day, as one text."""
    year, month, day = date
    number = hour.cast(pl.Int32, strict=False)
    of_half = pl.when(number.is_between(1, 12)).then(number % 12 + 12 * half.str.to_lowercase().eq("p").cast(pl.Int32))
    hour = pl.when(half.is_null()).then(number).otherwise(of_half).cast(pl.String).str.zfill(2)
    zone = zone.fill_null("").str.replace("Z", "+00:00", literal=True).str.replace(r"(\d\d)(\d\d)$", "${1}:${2}")
    return pl.format(
        "{}-{}-{}T{}:{}:{}{}", year, month.str.zfill(2), day.str.zfill(2), hour, minute, second.fill_null("00"), zone
    )


def order_of(texts: pl.Series, stated: str | None = None) -> str | None:
    """Which part of the dates is first: as stated, or as the texts show; None where none of them asks for it.

    Raises Refusal where half of the texts or more are dates of which nobody can tell, or have two digits for the year.
    """
    texts = texts.drop_nulls()
    if not len(texts):
        return stated
    short = texts.filter(texts.str.contains(_TWO_DIGITS))
    if 2 * len(short) >= len(texts):
        raise Refusal(
            "year_two_digits",
            f"{short[0][:40]} has two digits for its year, which nobody can tell from a day; write years with four",
        )
    if stated:
        return stated
    asked = texts.filter(texts.str.contains(_UNCLEAR))
    if not len(asked):
        return None
    parts = [asked.str.extract(_UNCLEAR, group).cast(pl.Int32) for group in (1, 2)]
    days = asked.filter(parts[0].is_between(13, 31) & (parts[1] <= 12))
    months = asked.filter(parts[1].is_between(13, 31) & (parts[0] <= 12))
    if len(days) and len(months):
        raise Refusal(
            "dates_mixed",
            f"{days[0][:40]} has the day first and {months[0][:40]} the month; mend the dates, or state "
            f"`dates: {DAY_FIRST}` or `dates: {MONTH_FIRST}` in trace.yaml, and the other ones are rejected",
        )
    if len(days) or len(months):
        return DAY_FIRST if len(days) else MONTH_FIRST
    if 2 * len(asked) >= len(texts):
        raise Refusal(
            "date_order_unclear",
            f"{asked[0][:40]} may have the day or the month first, and no date of the file shows which; state "
            f"`dates: {DAY_FIRST}` or `dates: {MONTH_FIRST}` in trace.yaml",
        )
    return None

"""Months and days of a trace, as the monitoring counts them: from midnight to midnight in Bologna."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Rome")


@dataclass(frozen=True)
class Day:
    """A local day [start_s, end_s), seconds since 1970 UTC; 23 or 25 h long where summer time begins or ends."""

    month: str
    start_s: int
    end_s: int


def stretches(months: Sequence[str], days: int | None = None) -> list[list[Day]]:
    """The days of all months, cut where they do not follow one another.

    `months` are YY-MM. With `days` only so many of each month: its first ones; of the first of several months its last
    ones, so that it meets the second. Raises ValueError for months that are none, occur twice or are out of order, and
    for a number of days that no month has.
    """
    firsts = [_first(month) for month in months]
    if not firsts:
        raise ValueError("no month is given; a trace needs at least one, as 22-05")
    for (earlier, month), (later, next_month) in pairwise(zip(firsts, months, strict=True)):
        if later <= earlier:
            raise ValueError(f"month {next_month} stands after {month}; give months in order, each once")
    periods: list[list[Day]] = []
    for position, (first, month) in enumerate(zip(firsts, months, strict=True)):
        length = calendar.monthrange(first.year, first.month)[1]
        if days is not None and not 1 <= days <= length:
            raise ValueError(f"days is {days}; month {month} has 1 to {length}")
        used_days = length if days is None else days
        skipped = length - used_days if position == 0 and len(months) > 1 else 0
        for number in range(skipped, skipped + used_days):
            day = Day(month, *(_midnight_s(first + datetime.timedelta(number + n)) for n in (0, 1)))
            if not periods or periods[-1][-1].end_s != day.start_s:
                periods.append([])
            periods[-1].append(day)
    return periods


def _first(month: str) -> datetime.date:
    if not re.fullmatch(r"\d\d-(0[1-9]|1[0-2])", month):
        raise ValueError(f"{month!r} is not a month; write year and month as 22-05")
    return datetime.date(2000 + int(month[:2]), int(month[3:]), 1)


def _midnight_s(date: datetime.date) -> int:
    return int(datetime.datetime.combine(date, datetime.time(), ZONE).timestamp())

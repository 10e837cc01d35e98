"""Numbers as people read them: shares in per cent, four significant digits, a true minus, the unit where it belongs."""

from __future__ import annotations

NOTHING = "–"
"""What represents a value that is not there."""


TIME_UNITS = (("days", 86400), ("h", 3600), ("min", 60))
"""Units of times beside the second, with their seconds."""


def share(value: float | None, digits: int = 1) -> str:
    """A share as a percentage."""
    return NOTHING if value is None else f"{value:.{digits}%}".replace("%", "\u00a0%").replace("-", "−")


def number(value: float | None) -> str:
    """A number with four significant digits, thousands apart."""
    if value is None:
        return NOTHING
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return text.replace("-", "−")


def duration(seconds: float | None) -> str:
    """A time in the unit in which it has one to three digits before the point."""
    return NOTHING if seconds is None else durations(seconds)[0]


def durations(*seconds: float) -> tuple[str, ...]:
    """Times that are compared, all in the unit of the longest; the last one bears it."""
    longest = max(seconds)
    unit, length = next((each for each in TIME_UNITS if longest >= 2 * each[1]), ("s", 1))
    numbers = [_three_digits(each / length) for each in seconds]
    return (*numbers[:-1], f"{numbers[-1]}\u00a0{unit}")


def _three_digits(value: float) -> str:
    """Three significant digits without an exponent, nothing below a thousandth."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 1e-3 else "0"


def memory(*gb: float) -> str:
    """An amount of memory with its unit; of two, the range from one to the other."""
    unit, size = memory_unit(*gb)
    return f"{'–'.join(dict.fromkeys(number(each / size) for each in gb))}\u00a0{unit}"


def memory_unit(*gb: float) -> tuple[str, float]:
    """Unit in which amounts of memory are shown together, that of the largest, and its size in GB."""
    largest = max(gb)
    return ("TB", 1000.0) if largest >= 1000 else ("GB", 1.0) if largest >= 0.1 or not largest else ("MB", 0.001)


def quantity(value: float | None, unit: str, named: bool = True) -> str:
    """A claim's value in its unit, with the unit's name or without it."""
    if value is None:
        return NOTHING
    if unit == "yes/no":
        text, name = f"{value * 100:.0f}", "%"
    elif unit.startswith("share"):
        text, name = f"{value * 100:.3g}", "%"
    elif unit.startswith("points"):
        text, name = f"{value * 100:.3g}", "points"
    else:
        # Of several units that of each number is in its name.
        text, name = number(value), "" if ";" in unit else unit
    return text.replace("-", "−") + (f"\u00a0{name}" if named and name else "")


def unit_of(rule: str, unit: str) -> str:
    """Unit in which a part of a claim is shown: that of the claim, but for what is said to hold."""
    return "yes/no" if rule in ("yes_no", "always") else unit


def paper_value(value: float | None, unit: str, rule: str = "") -> str:
    """What a paper says: its number, or for a claim that is said to hold or not, yes or no."""
    if rule == "more":
        return "above 0"
    if unit == "yes/no" and value is not None:
        return "yes" if value else "no"
    return quantity(value, unit)


def interval(lo: float | None, hi: float | None, unit: str) -> str:
    """An interval in brackets, without its unit; nothing where there is none."""
    return "" if lo is None or hi is None else f"[{quantity(lo, unit, False)}, {quantity(hi, unit, False)}]"

"""Numbers in texts: which mark parts a file's decimals, a point or a comma, and what the texts are by it.

A program prints by the locale of who started it, so a file has one decimal mark. It shows in texts that can be read in
one way only; a file whose texts contradict each other is refused, as any reading of it would be partly wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from pipeline.drops import Refusal

GB_PER_BYTE = 1e-9
"""A factor: polars divides one row exactly and several by the reciprocal, so that blocks of a file would show."""

POINT, COMMA = ".", ","
REASON = "decimal_marks_mixed"
LONGEST_SHOWN = 40
_E = r"(?:[eE][-+]?\d+)?"
_GROUPS = "\u00a0\u202f\u2009'’ "
_GROUPED = rf"^[-+]?\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+(?:[.,]\d*)?{_E}$"
"""Blanks and apostrophes part thousands in some locales, and decimals in none."""


def number(text: pl.Expr, mark: str = POINT) -> pl.Expr:
    """Finite numbers (Float64) of texts with this decimal mark; the other mark may part thousands, three digits each.

    Null where a text is no such number: with a point, `410,5` is none and not 4105.
    """
    decimal, group = _escaped(mark)
    text = _bare(text)
    shape = rf"^[-+]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d*)(?:{decimal}\d*)?{_E}$"
    plain = text.str.replace_all(_other(mark), "", literal=True).str.replace(mark, POINT, literal=True)
    value = pl.when(text.str.contains(shape)).then(plain).cast(pl.Float64, strict=False)
    return pl.when(value.is_finite()).then(value)


def decimal_mark(texts: pl.DataFrame) -> str:
    """The decimal mark of a file, by all its numbers: point where nothing speaks against it, or comma.

    texts: row, text, and `whole` (whether it is a number without decimals, as a count is). Texts that are no numbers
    count for nothing. Raises Refusal where one text has a decimal point and another a decimal comma, and where a comma
    in a text as `1,234` may part either and no other text shows which.
    """
    texts = texts.with_columns(_bare(pl.col("text"))).filter(pl.col("text").str.contains(r"\d[.,]|[.,]\d"))
    first = {mark: _first(texts, _shows(mark)) for mark in (POINT, COMMA)}
    if first[POINT] and first[COMMA]:
        row, text = first[COMMA]
        other_row, other = first[POINT]
        raise Refusal(
            REASON,
            f"{text} has a decimal comma, and {other} in row {other_row} a decimal point; export the file anew with "
            "LC_ALL=C, so that all numbers have points",
            row=row,
        )
    if first[COMMA]:
        return COMMA
    unclear = _first(texts, pl.col("text").str.contains(_unclear(COMMA)) & ~pl.col("whole"))
    if unclear and not first[POINT]:
        row, text = unclear
        raise Refusal(
            "decimal_mark_unclear",
            f"{text} may have a decimal comma or one that parts thousands, and no other number shows which; export the "
            "file anew with LC_ALL=C",
            row=row,
        )
    return POINT


def with_points(frame: pl.DataFrame, columns: Iterable[str], whole: Iterable[str] = ()) -> pl.DataFrame:
    """The frame with numbers for the texts of the columns where these have decimal commas, else as it is.

    frame: the columns and `row`; whole: those of the columns that hold whole numbers. Raises Refusal where some texts
    show a decimal comma and others a point. Texts that are no numbers stay, for their rows to be rejected.
    """
    columns = [column for column in columns if frame[column].dtype == pl.String]
    if mark_of(frame, columns, whole) == POINT:
        return frame
    return commas_read(frame, columns)


def mark_of(frame: pl.DataFrame, columns: Iterable[str], whole: Iterable[str] = ()) -> str:
    """The decimal mark of the columns of text (see with_points): a point unless one of them can only have a comma."""
    texts = [
        frame.select("row", _bare(pl.col(column)).alias("text"), pl.lit(column in set(whole)).alias("whole"))
        for column in columns
        if frame[column].dtype == pl.String
    ]
    # Nothing else than a decimal comma makes a table of points doubtful: a text as `1,234` is then no number.
    if not any(_first(part, _shows(COMMA) & ~pl.col("whole")) for part in texts):
        return POINT
    return decimal_mark(pl.concat(texts))


def commas_read(frame: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """The frame with the texts of the columns read by decimal commas, as texts with points."""
    columns = [column for column in columns if frame[column].dtype == pl.String]
    read = {column: number(pl.col(column), COMMA).cast(pl.String) for column in columns}
    return frame.with_columns(pl.coalesce(value, column).alias(column) for column, value in read.items())


def require_mark(frame: pl.DataFrame, columns: Iterable[str], mark: str) -> None:
    """Raise Refusal where a text in one of the columns shows another decimal mark than that of what was read before.

    frame: the columns and `row`. What was read may look right and be wrong: `1.530` is then 1530.
    """
    for column in columns:
        if frame[column].dtype != pl.String:
            continue
        texts = frame.select("row", _bare(pl.col(column)).alias("text"), pl.lit(False).alias("whole"))
        example = _first(texts, _shows(_other(mark)))
        if example:
            row, text = example
            words = {POINT: "a decimal point", COMMA: "a decimal comma"}
            raise Refusal(
                REASON,
                f"{column} = {text} has {words[_other(mark)]}, and what the file begins with has {words[mark]}; write "
                "all numbers of the file with decimal points",
                row=row,
            )


def _shows(mark: str) -> pl.Expr:
    """Whether a text can only be read with this decimal mark."""
    decimal, group = _escaped(mark)
    ways = (
        rf"\d{{1,3}}(?:{group}\d{{3}})+{decimal}\d*{_E}",
        rf"\d{{1,3}}(?:{group}\d{{3}}){{2,}}",
        rf"\d+{decimal}(?:\d{{0,2}}|\d{{4,}}){_E}",
        rf"(?:0\d*|\d{{4,}}|){decimal}\d+{_E}",
        rf"\d+{decimal}\d+[eE][-+]?\d+",
    )
    alone = pl.col("text").str.contains(rf"^[-+]?(?:{'|'.join(ways)})$")
    # The only mark in a whole number parts its thousands.
    return alone | (pl.col("whole") & pl.col("text").str.contains(_unclear(_other(mark))))


def _unclear(mark: str) -> str:
    """Pattern of texts in which the mark may part decimals or thousands."""
    return rf"^[-+]?[1-9]\d{{0,2}}{_escaped(mark)[0]}\d{{3}}$"


def _first(texts: pl.DataFrame, shown: pl.Expr) -> tuple[int, str] | None:
    rows = texts.filter(shown).head(1)
    return (rows["row"].item(), rows["text"].item()[:LONGEST_SHOWN]) if rows.height else None


def _bare(text: pl.Expr) -> pl.Expr:
    text = text.str.strip_chars()
    return pl.when(text.str.contains(_GROUPED)).then(text.str.replace_all(f"[{_GROUPS}]", "")).otherwise(text)


def _other(mark: str) -> str:
    return COMMA if mark == POINT else POINT


def _escaped(mark: str) -> tuple[str, str]:
    """Patterns of the decimal mark and of the one that parts thousands."""
    return rf"\{mark}", rf"\{_other(mark)}"

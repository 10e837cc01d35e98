"""Series of a Prometheus range query, one after the other: from JSON, or from CSV as Grafana exports it.

Source: HTTP API of Prometheus (`/api/v1/query_range`, result type matrix), `promtool query range -o json`, and
Grafana's export of a panel (a column per series, or a row a sample with its labels in columns).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._files import HEADER_BYTES, CsvTable, Reject, first_line, separator_of
from pipeline.readers._json_array import objects
from pipeline.runtime.wording import listing

MILLISECONDS_FROM = 1e11
"""Numbers from here on are milliseconds since 1970, as Grafana writes them."""
NAME = "__name__"
TIMES = ("time", "timestamp", "date")

_ANSWER = re.compile(rb'\A\s*\{\s*"status"\s*:\s*"(?:success|error)"')
_ARRAY = re.compile(rb'\A\s*\[\s*\{\s*"metric"\s*:')
_RESULT = re.compile(r'"result"\s*:\s*\[|\A\s*\[')
_TYPE = re.compile(r'"resultType"\s*:\s*"(\w+)"')
# Nothing is tried twice (possessive), so that no header takes longer than it is long.
_SELECTOR = re.compile(r'(?P<name>[a-zA-Z_:][\w:]*+)?\{(?P<labels>(?:\s*+\w++="(?:[^"\\]|\\.)*+"\s*+,?)*+)\s*+\}')
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_VALUE = re.compile(r"value(?: #\w+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """Samples of one series: its labels, and a frame of row, time (number or text) and value (text)."""

    labels: dict[str, str]
    samples: pl.DataFrame
    milliseconds: bool = False


def is_json(head: bytes) -> bool:
    """Whether a file begins as an answer of Prometheus, or as the array that promtool prints."""
    return bool(_ANSWER.match(head) or _ARRAY.match(head))


def is_csv(file: Path) -> bool:
    """Whether the header of a CSV file has a time and either selectors of series or labels beside a value."""
    names = _header(file)
    if not names or names[0].strip().lower() not in TIMES:
        return False
    long = _value_column(names) is not None and (NAME in names or "instance" in names)
    return long or any(_SELECTOR.fullmatch(name.strip()) for name in names[1:])


def _header(file: Path) -> list[str]:
    try:
        return CsvTable(file, separator_of(first_line(file))).names
    except Refusal:
        return []


def _value_column(names: list[str]) -> str | None:
    matching = [name for name in names if _VALUE.fullmatch(name)]
    return matching[0] if len(matching) == 1 else None


def parts(file: Path, reject: Reject) -> Iterator[Part]:
    """The series of a file, those of CSV a block of lines at a time; `row` counts samples (JSON) or lines.

    Raises Refusal where the file is none, after the series before the damage.
    """
    return _of_json(file) if file.name.lower().endswith((".json", ".json.gz")) else _of_csv(file, reject)


def _of_json(file: Path) -> Iterator[Part]:
    row = 1
    for series in objects(file, _after_head, "series"):
        metric, values = series.get("metric"), series.get("values")
        if not isinstance(metric, dict) or not all(isinstance(label, str) for label in metric.values()):
            raise Refusal("columns_missing", "a series has no `metric` with its labels", row=row)
        if not isinstance(values, list):
            raise Refusal(
                "columns_missing",
                f"a series has no `values`, but {listing(list(series))}; ask for a range (query_range) of a gauge",
                row=row,
            )
        try:
            times, texts = zip(*values, strict=True) if values else ((), ())
            samples = pl.DataFrame(
                [
                    pl.int_range(row, row + len(values), eager=True).alias("row"),
                    pl.Series("time", times, dtype=pl.Float64, strict=False),
                    pl.Series("value", texts, dtype=pl.String, strict=False),
                ]
            )
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            raise Refusal("column_type", '`values` must hold pairs [time, "value"]', row=row) from None
        row += len(values)
        yield Part(metric, samples)
    if row == 1:
        raise Refusal("file_empty", "the result holds no samples; do the names and the times of the query fit?")


def _after_head(text: str) -> str:
    """What follows the bracket that opens the array of results; raises Refusal for an answer without one."""
    head = text[:HEADER_BYTES]
    kind = _TYPE.search(head)
    if kind and kind[1] != "matrix":
        raise Refusal("result_not_matrix", f"the result is a {kind[1]}, of one instant; ask for a range (query_range)")
    start = _RESULT.search(head)
    if start is None:
        raise Refusal("result_missing", f"the answer has no result; it begins {head[:200]!r}")
    return text[start.end() :]


def _of_csv(file: Path, reject: Reject) -> Iterator[Part]:
    table = CsvTable(file, separator_of(first_line(file)))
    time, others = table.names[0], table.names[1:]
    value = _value_column(others)
    if not others:
        raise Refusal("columns_missing", f"no column of values beside {time!r}", row=1)
    for batch in table.batches(table.names, reject):
        numbers = batch[time].cast(pl.Float64, strict=False)
        milliseconds = (numbers.max() or 0) >= MILLISECONDS_FROM
        if value is not None:
            labels = [name for name in others if name != value]
            frame = batch.rename({time: "time", value: "value"})
            for key, samples in frame.group_by(labels, maintain_order=True) if labels else [((), frame)]:
                series_labels = {name: text for name, text in zip(labels, key, strict=True) if text is not None}
                yield Part(series_labels, samples.select("row", "time", "value"), milliseconds)
            continue
        for name in others:
            # Series of one table need not have a sample at every time.
            samples = batch.select("row", pl.col(time).alias("time"), pl.col(name).alias("value"))
            yield Part(_labels(name), samples.drop_nulls("value"), milliseconds)


def _labels(name: str) -> dict[str, str]:
    """Labels of a series as a selector writes it; a name that is no selector is that of a node."""
    match = _SELECTOR.fullmatch(name.strip())
    if match is None:
        return {"instance": name}
    labels = {key: re.sub(r"\\(.)", r"\1", text) for key, text in _LABEL.findall(match["labels"])}
    return {NAME: match["name"], **labels} if match["name"] else labels

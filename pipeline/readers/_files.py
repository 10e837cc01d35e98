"""Streams of a drop's files: blocks of text lines, and tables (CSV, Parquet) batch by batch with their row numbers."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from pipeline.drops import LONGEST_COMPLAINT, Refusal
from pipeline.runtime.wording import listing

BLOCK_BYTES = 1 << 23
LONGEST_LINE_BYTES = 1 << 26
BATCH_ROWS = 1 << 17
HEADER_BYTES = 1 << 16
SEPARATORS = (",", "|", ";", "\t")
MOST_COLUMNS = 10_000
LONGEST_TEXT = 1 << 16
"""Bytes of a text in a Parquet file. Its dictionary has a text once, however many rows repeat it."""
LARGEST_CHUNK = 1 << 30
"""Bytes of a column in a row group of a Parquet file, unpacked."""
UNPACKED_AT_EASE = 1 << 25
MOST_UNPACKED = 32
"""From UNPACKED_AT_EASE on a gzip file may unpack to so many times its size: logs come to a tenth of it."""

BINARY = "is a binary file (or text in UTF-16), where text in UTF-8 would be right"
_TEXT_BYTES = bytes([*range(8, 14), 0x1B, *range(0x20, 0x100)])

TABLE_SUFFIXES = (".parquet", ".csv", ".csv.gz")

Reject = Callable[[pl.DataFrame], None]
"""Takes rows that cannot be parsed: row, reason, detail."""


def require_columns(names: Sequence[str], row: int | None = None) -> None:
    """Raise Refusal for a header (in line `row`) that names more columns than any table has, or one of them twice."""
    if len(names) > MOST_COLUMNS:
        raise Refusal(
            "columns_too_many",
            f"the header names {len(names)} columns, where {MOST_COLUMNS} are the most; leave out those not needed",
            row=row,
        )
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise Refusal("columns_repeated", f"the header names {listing(repeated)} more than once", row=row)


def stem(path: Path, suffixes: Sequence[str] = TABLE_SUFFIXES) -> str | None:
    """File name without the first of the suffixes that it has; None where it has none of them."""
    name = path.name
    return next((name[: -len(s)] for s in suffixes if name.lower().endswith(s) and len(name) > len(s)), None)


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is no text: more than one byte in twenty is a control code that texts lack."""
    return len(head.translate(None, _TEXT_BYTES)) * 20 > len(head)


def beginning(path: Path) -> bytes:
    """The first 64 KiB of a file, plain or gzip, unpacked; empty where it cannot be read."""
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            return _read_up_to(gzip.GzipFile(fileobj=raw) if zipped else raw, HEADER_BYTES)[0]
    except OSError:
        return b""


def first_line(path: Path) -> str:
    """The first line of a text file, plain or gzip, or its beginning; empty where it is no text or cannot be read."""
    try:
        return beginning(path).partition(b"\n")[0].decode("utf-8-sig").strip("\r")
    except UnicodeDecodeError:
        return ""


def first_lines(path: Path) -> list[str]:
    """Whole lines of the first 64 KiB of a text file, plain or gzip, in whatever encoding; none of one that is not
    text or cannot be read.
    """
    read = beginning(path)
    whole = read.rpartition(b"\n")[0] if len(read) >= HEADER_BYTES else read
    return [] if b"\0" in whole else whole.decode("utf-8-sig", errors="replace").splitlines()


def separator_of(header: str, known: Container[str] = ()) -> str:
    """What stands between the names of a header: the separator that gives the most of the `known` names, in lower case,
    then the most names.
    """

    def score(separator: str) -> tuple[int, int]:
        names = [name.strip().lower() for name in header.split(separator)]
        return sum(name in known for name in names), len(names)

    return max(SEPARATORS, key=score)


def line_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines of a text file, plain or gzip, each with the number of its first line (from 1).

    Raises Refusal for an empty file, a line without an end, a gzip file that unpacks to what no log does, and, after
    the last whole line before it, for the cut of a truncated gzip file.
    """
    line, rest, failure = 1, b"", None
    for read, broken in byte_blocks(path):
        if line == 1 and not rest and is_binary(read[:HEADER_BYTES]):
            raise Refusal("file_binary", f"{path.name} {BINARY}")
        failure = broken
        whole, newline, rest = (rest + read).rpartition(b"\n")
        if newline:
            yield line, whole + newline
            line += whole.count(b"\n") + 1
        elif len(rest) > LONGEST_LINE_BYTES:
            raise Refusal("line_too_long", f"line {line} does not end within 64 MiB; this is no text table", row=line)
    if failure:
        # What stands after the last line end may be half a number, so it does not count as a line.
        raise Refusal(failure[0], f"{failure[1]} after line {line - 1}; what follows is lost, get the file anew")
    if rest:
        yield line, rest
    elif line == 1:
        raise Refusal("file_empty", "the file is empty")


Failure = tuple[str, str]
"""Reason and sentence of a gzip stream that breaks."""


def byte_blocks(path: Path) -> Iterator[tuple[bytes, Failure | None]]:
    """Blocks of a file, plain or gzip, each with the failure of a gzip stream that breaks after it, which is the last.

    Raises Refusal for a gzip file that unpacks to what no log does.
    """
    unpacked, size = 0, path.stat().st_size
    with path.open("rb") as raw:
        zipped = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream = gzip.GzipFile(fileobj=raw) if zipped else raw
        read, failure = b"start", None
        while read and failure is None:
            read, failure = _read_up_to(stream, BLOCK_BYTES)
            unpacked += len(read)
            require_unpacked(unpacked, size)
            yield read, failure


def require_unpacked(unpacked: int, size: int) -> None:
    """Raise Refusal for a file of `size` bytes that unpacks to more (so far: `unpacked` bytes) than any log."""
    if unpacked > max(UNPACKED_AT_EASE, MOST_UNPACKED * size):
        raise Refusal(
            "unpacks_too_large",
            f"the gzip file unpacks to more than {MOST_UNPACKED} times its size, as no log does; if it is one, drop it "
            "unpacked",
        )


def _read_up_to(stream: gzip.GzipFile | io.BufferedReader, size: int) -> tuple[bytes, Failure | None]:
    """Bytes up to `size` (fewer only at the end), and reason and sentence if a gzip stream breaks after them."""
    parts: list[bytes] = []
    missing = size
    try:
        # A plain read() of a broken gzip stream would lose what it had unpacked before the cut.
        while missing > 0 and (part := stream.read1(missing)):
            parts.append(part)
            missing -= len(part)
    except EOFError:
        return b"".join(parts), ("truncated_gzip", "the gzip file is cut off")
    except (gzip.BadGzipFile, zlib.error) as error:
        return b"".join(parts), ("unreadable_gzip", f"the gzip file is damaged ({error})")
    return b"".join(parts), None


class Table(Protocol):
    """A CSV or Parquet file as batches of rows."""

    names: list[str]

    def batches(self, columns: Sequence[str], reject: Reject) -> Iterator[pl.DataFrame]:
        """The columns and `row` (from 1; CSV: the line), at most some 10^5 rows at a time."""
        ...


def open_table(path: Path) -> Table:
    """The table in a CSV or Parquet file, known by its name; raises Refusal where it cannot be opened.

    What stands between the values of a CSV file is what parts its header into most names.
    """
    if path.name.lower().endswith(".parquet"):
        return ParquetTable(path)
    return CsvTable(path, separator_of(first_line(path)))


DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError, pl.exceptions.PolarsError)
"""What pyarrow and polars raise for a file that is not, or no longer, the Parquet it says it is."""


def unreadable(error: Exception) -> Refusal:
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, pa.ArrowException):
        raise error
    what = (str(error).splitlines() or [type(error).__name__])[0][:LONGEST_COMPLAINT]
    return Refusal("unreadable_parquet", f"the file cannot be read as Parquet ({what}); write it anew")


class ParquetTable:
    """Rows of a Parquet file, record batch by record batch."""

    def __init__(self, path: Path):
        self.path = path
        if path.stat().st_size == 0:
            raise Refusal("file_empty", "the file is empty")
        try:
            with pq.ParquetFile(path) as file:
                self.names = list(file.schema_arrow.names)
                rows = file.metadata.num_rows
                self._texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        except DAMAGED as error:
            raise unreadable(error) from None
        require_columns(self.names)
        if rows == 0:
            raise Refusal("file_empty", "the file holds no rows")

    def batches(self, columns: Sequence[str], reject: Reject) -> Iterator[pl.DataFrame]:  # noqa: ARG002
        """See Table.batches; values keep their types, but categories become text."""
        row = 1
        self._require_size(columns)
        # By default pyarrow reads ahead, in the end all of the file.
        with pq.ParquetFile(self.path, pre_buffer=False) as file:
            batches = file.iter_batches(batch_size=BATCH_ROWS, columns=list(columns))
            while (frame := _next_frame(batches)) is not None:
                yield frame.with_columns(
                    pl.col(pl.Categorical, pl.Enum).cast(pl.String),
                    pl.int_range(row, row + pl.len(), dtype=pl.Int64).alias("row"),
                )
                row += frame.height
        if row == 1:
            raise Refusal("unreadable_parquet", "the file announces rows that it does not hold; write it anew")

    def _require_size(self, columns: Sequence[str]) -> None:
        """Raise Refusal where a column of a row group, or a text that rows may repeat, is larger than memory bears."""
        texts = [name for name in self._texts if name in columns]
        try:
            with pq.ParquetFile(self.path, read_dictionary=texts, pre_buffer=False) as file:
                for group in range(file.num_row_groups):
                    metadata = file.metadata.row_group(group)
                    chunks = (metadata.column(c) for c in range(metadata.num_columns))
                    if any(chunk.total_uncompressed_size > LARGEST_CHUNK for chunk in chunks):
                        raise Refusal(
                            "row_group_too_large",
                            f"a column of row group {group} unpacks to more than 1 GiB; write the file anew with "
                            "smaller row groups",
                        )
                    first = next(file.iter_batches(1, [group], texts), None) if texts else None
                    longest = max(map(_longest, first.columns), default=0) if first is not None else 0
                    if longest > LONGEST_TEXT:
                        raise Refusal("text_too_long", f"a text has {longest} bytes, where {LONGEST_TEXT} are the most")
        except (*DAMAGED, KeyError):
            # Reading says so, after the rows before the damage.
            return


def _is_text(dtype: pa.DataType) -> bool:
    dtype = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    return any(test(dtype) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _longest(column: pa.Array) -> int:
    """Bytes of the longest text in a column, or in its dictionary."""
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    return pc.max(pc.binary_length(texts)).as_py() or 0


def _next_frame(batches: Iterator[pa.RecordBatch]) -> pl.DataFrame | None:
    """The next batch, None after the last; raises Refusal where it is damaged."""
    try:
        batch = next(batches, None)
        if batch is None:
            return None
        # Polars takes texts, offsets and metadata on trust and panics over damaged ones: check, and leave metadata out.
        batch.validate(full=True)
        return pl.DataFrame(pa.Table.from_arrays(batch.columns, names=batch.schema.names))
    except DAMAGED as error:
        raise unreadable(error) from None


class CsvTable:
    """Rows of a CSV file (plain or gzip; header line, UTF-8), block by block; values are text, empty is null.

    Commas stand between the values, or another `separator`; without `quoted` a quote is a character like any other.
    The header is line `header`, what stands before it is not read.
    A line break ends a row even between quotes, so that every row has a line number.
    """

    def __init__(self, path: Path, separator: str = ",", *, quoted: bool = True, header: int = 1):
        self.path, self.separator, self.quoted, self._header = path, separator, quoted, header
        _, block = next(line_blocks(path))
        line = block.split(b"\n", header)[header - 1].decode("utf-8-sig", errors="replace").strip().replace("\r", " ")
        self.names = [name.strip() for name in (_values(line, separator) if quoted else line.split(separator))]
        if not any(self.names):
            raise Refusal("columns_missing", "the first line must name the columns, and is blank", row=1)
        require_columns(self.names, header)

    def batches(self, columns: Sequence[str], reject: Reject) -> Iterator[pl.DataFrame]:
        """See Table.batches; lines with a wrong number of values go to `reject` as `malformed_line`."""
        positions = [f"{self.names.index(column)}" for column in columns]
        rows = 0

        def count(malformed: pl.DataFrame) -> None:
            nonlocal rows
            rows += malformed.height
            reject(malformed)

        for line, block in line_blocks(self.path):
            if line == 1:
                parts = block.split(b"\n", self._header)
                line, block = self._header + 1, parts[-1] if len(parts) > self._header else b""
            if not block:
                continue
            frame = self._parse(line, block, positions, count).rename(dict(zip(positions, columns, strict=True)))
            rows += frame.height
            for start in range(0, max(frame.height, 1), BATCH_ROWS):
                yield frame[start : start + BATCH_ROWS]
        if rows == 0:
            raise Refusal("file_empty", "the file holds no rows below its header")

    def _parse(self, first: int, block: bytes, positions: list[str], reject: Reject) -> pl.DataFrame:
        """Rows of a block whose first line has number `first`: columns named by position, and `row`."""
        if b"\r" in block:
            # A lone carriage return would end a line for the parser but not for the line numbers.
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b" ")
        width = len(self.names)
        if self.quoted and b'"' in block:
            frame, malformed = _split_quoted(_as_utf8(block), width, positions, self.separator)
        else:
            frame, malformed = split_values(_as_utf8(block), width, positions, self.separator)
        bad = np.array([number for number, _, _ in malformed], dtype=np.int64)
        lines = np.setdiff1d(np.arange(1, frame.height + len(bad) + 1), bad, assume_unique=True)
        if malformed:
            details = [
                f"{count} values where the header names {width} columns: {text!r}" for _, count, text in malformed
            ]
            reject(pl.DataFrame({"row": bad + first - 1, "reason": "malformed_line", "detail": details}))
        frame = frame.with_columns(pl.Series("row", lines + first - 1))
        blank = np.flatnonzero([not line for line in block.split(b"\n")]) if b"\n\n" in b"\n" + block else []
        return frame.filter(~pl.col("row").is_in(blank + first)) if len(blank) else frame


Malformed = list[tuple[int, int, str]]
"""Lines with a wrong number of values: number in the block (from 1), values found, start of the text."""


def _values(line: str, separator: str = ",") -> list[str]:
    """Values of a CSV line; none where a value is longer than the csv module takes."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _as_utf8(block: bytes) -> bytes:
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode(errors="replace").encode()
    return block


def split_values(
    block: bytes, width: int, positions: list[str], separator: str, quote: str | bool = False
) -> tuple[pl.DataFrame, Malformed]:
    """Values of a block: columns named by position, and the malformed lines; without `quote` none means anything."""
    malformed: Malformed = []

    def note(row: pa_csv.InvalidRow) -> str:
        malformed.append((row.number, row.actual_columns, row.text[:80]))
        return "skip"

    # The parser takes a byte order mark off, and does not bear that nothing is left.
    if block == codecs.BOM_UTF8:
        malformed.append((1, 1, "a byte order mark"))
    block = block.removeprefix(codecs.BOM_UTF8)
    if not block:
        return pl.DataFrame(schema=dict.fromkeys(positions, pl.String)), malformed
    names = [str(position) for position in range(width)]
    table = pa_csv.read_csv(
        io.BytesIO(block),
        # The parser numbers invalid rows only when it runs in one thread over one block.
        read_options=pa_csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
        parse_options=pa_csv.ParseOptions(
            delimiter=separator, quote_char=quote, ignore_empty_lines=False, invalid_row_handler=note
        ),
        convert_options=pa_csv.ConvertOptions(
            include_columns=positions,
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    return pl.DataFrame(table, schema_overrides=dict.fromkeys(positions, pl.String)), malformed


def _split_quoted(block: bytes, width: int, positions: list[str], separator: str) -> tuple[pl.DataFrame, Malformed]:
    """Values of a block with quotes; line by line, so that a quote that is never closed spoils one line only."""
    malformed: Malformed = []
    rows: list[list[str | None]] = []
    wanted = [int(position) for position in positions]
    for number, line in enumerate(block.decode().removesuffix("\n").split("\n"), start=1):
        values = _values(line, separator) if line else [""] * width
        if len(values) == width:
            rows.append([values[position] or None for position in wanted])
        else:
            malformed.append((number, len(values), line[:80]))
    return pl.DataFrame(rows, schema=dict.fromkeys(positions, pl.String), orient="row"), malformed

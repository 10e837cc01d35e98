"""Mutants of drops that keep enough of their form to get past the first check: of bytes, fields, lines, tables, names.

Every function takes a random.Random and is deterministic in it.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from reliability.fuzzing.container import Files

LARGEST = 1 << 18
"""Bytes up to which a mutant grows; larger ones are for the hand-made traps."""

NUMBERS = (
    "0", "-0", "-1", "1e308", "-1e308", "1e309", "1e-320", "nan", "NaN", "inf", "-inf", "Infinity", "9" * 15, "9" * 19,
    "9" * 400, "-" + "9" * 19, str(2**31), str(2**32), str(2**53 + 1), str(2**63 - 1), str(2**63), str(-(2**63)),
    "0x10",
    "1_000", "1,5", "1.5", "١٢", "²", "+5", "--5", "1e", ".", "1K", "99999999P", "00:00:00", "9999999-00:00:00",
)  # fmt: skip
TEXTS = (
    "", " ", "\0", "\t", '"', "'", '""', "a,b", "a|b", "a\rb", "x" * 5000, "é", "\u2028", "\ufeff", "null", "None",
    "nan",
    "'; DROP TABLE job; --", "$$", "{}", "{0}", "%s", "<script>alert(1)</script>", "../../etc/passwd", "a/b", "$(id)",
    "`id`", "=1+1", "[680, 681]", "(1,2,3)", "\\", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
)  # fmt: skip
TIMES = (
    "1970-01-01T00:00:00Z", "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999999+23:59", "2024-02-30T00:00:00",
    "2024-03-31T02:30:00", "2024-10-27 02:30:00", "262143-01-01T00:00:00Z", "1969-12-31T23:59:59-14:00", "Unknown",
    "2024-13-01", "24:00:00", "2016-12-31T23:59:60Z",
)  # fmt: skip
NAMES = (
    "jobs.csv", "samples.parquet", "samples.csv.gz", "trace.yaml", "a.swf", "a\nb.swf", "a'b\".swf", "x.sacct",
    "meta.json",
    "data.json", "VA_64", "outs_tl16_bl10_dpus0", "VA/profile/outs_dpus" + "9" * 40, "g.mtx", "g.txt", "kernels.csv",
    "sm_curve.csv", "corun_pairs.csv", "queue.csv", "tasks.csv", ".hidden", "a/b/c/d.swf", "<b>.swf", "-rf.swf",
    "\udcff.csv",
    "%s.el", "{}.el", "README.md", "year_month=99-99/plugin=ganglia_pub/metric=mem_free/a.parquet",
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r", b"\r\n", b'"', b",", b"|", b"\x1f\x8b", b"PAR1")
SETTINGS: dict[str, tuple[Any, ...]] = {
    "nodes": (1, 0, 2**31, 2**63 - 1, 2**63, 10**400, True, 1.0, "4", None),
    "node_memory_gb": (1e-300, 1e300, 5, float("nan"), float("inf"), 10**400),
    "ranks": (1, 64, 10**9, 2**63, 10**400),
    "sms": (1, 30, 2**63 - 1, 10**400),
    "cpus_per_node": (1, 2, 2**53 + 1, 2**63, 10**400),
    "time_zone": ("Europe/Rome", "UTC", "../../etc/passwd", "Mars/Olympus", "\0"),
    "format": ("swf", "canonical", "prim", "tasks", "edge_list", "sWf", "", "\0"),
    "samples": ("samples.csv", "log.csv", "../x", "trace.yaml", "\0"),
    "jobs": ("jobs.csv", "jobs.parquet", "/etc/passwd", "trace.yaml"),
    "aliases": ({"a": "b"}, {"a": "a"}, {"a": "b", "b": "a"}, {"": ""}),
    "columns": ({"used_gb": "x"}, {"job_id": ["a", "b"]}, {"time_s": {"from": "t", "unit": "h"}}, {"submit_s": "\0"}),
    "directed": (True, False, None),
    "weights": (True, False),
    "kind": ("measured", "generated", "guessed"),
    "note": ("<b>note</b>", "x" * 5000, "\ud7ff\0"),
    "count_page_cache": (True, False),
}


def mutate(files: Files, random: Random) -> Files:
    """A mutant of a drop: one to four changes of its files, names or settings."""
    mutant = dict(files)
    for _ in range(random.choice((1, 1, 1, 2, 2, 4))):
        if not mutant:
            mutant = {random.choice(NAMES): b"x\n"}
        name = random.choice(sorted(mutant))
        kind = random.random()
        next(change for most, change in KINDS if kind < most)(mutant, name, random)
    return mutant


def _copy(files: Files, name: str, random: Random) -> None:
    files[random.choice(NAMES)] = files[name]


def _rename(files: Files, name: str, random: Random) -> None:
    files[random.choice(NAMES)] = files.pop(name)


def _leave_out(files: Files, name: str, random: Random) -> None:  # noqa: ARG001
    del files[name]


def _set(files: Files, name: str, random: Random) -> None:  # noqa: ARG001
    files["trace.yaml"] = _settings(files.get("trace.yaml", b""), random)


def _change(files: Files, name: str, random: Random) -> None:
    files[name] = _content(name, files[name], random)[:LARGEST]


KINDS = ((0.06, _copy), (0.09, _rename), (0.11, _leave_out), (0.25, _set), (1.0, _change))
"""How a file of a drop is changed, in place: each kind's share of the changes, with those before it."""


def _content(name: str, content: bytes, random: Random) -> bytes:
    """A mutant of a file in its own form, or of its bytes."""
    if random.random() < 0.2:
        return _bytes(content, random)
    if content[:2] == b"\x1f\x8b":
        return _zipped(content, random)
    if content[:4] == b"PAR1" and random.random() < 0.85:
        return _parquet(content, random)
    if name.endswith(".json"):
        return changed_json(content, random)
    if name.endswith((".csv", ".sacct", ".psv", ".swf", ".mtx", ".edges", ".el", ".txt")) or random.random() < 0.5:
        changed = _fields(content, random)
        return gzip.compress(changed, mtime=0) if random.random() < 0.03 else changed
    return _bytes(content, random)


def _bytes(content: bytes, random: Random) -> bytes:
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = random.randrange(256)
        elif kind == 1:
            data[at:at] = random.choice(BYTES)
        elif kind == 2:
            del data[at : at + random.choice((1, 4, 64))]
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            stretch = bytes(data[at : at + random.choice((8, 256))])
            data[at:at] = stretch * random.choice((1, 50))
        else:
            data[at:at] = random.choice((*NUMBERS, *TEXTS)).encode("utf-8", "replace")
    return bytes(data)


def _zipped(content: bytes, random: Random) -> bytes:
    try:
        return gzip.compress(_bytes(gzip.decompress(content), random), mtime=0)
    except (OSError, EOFError, zlib.error):
        return _bytes(content, random)


def _fields(content: bytes, random: Random) -> bytes:
    """A mutant of a table in text: a field, a column, a line or a line end changed."""
    lines = content.decode(errors="surrogateescape").split("\n")
    at = random.randrange(len(lines))
    kind = random.randrange(10)
    if kind < 5:
        parts = re.split(r"([,|\t ]+)", lines[at])
        place = random.randrange(0, len(parts), 2)
        parts[place] = random.choice(random.choice((NUMBERS, NUMBERS, TEXTS, TIMES)))
        lines[at] = "".join(parts)
    elif kind == 5:
        lines[at:at] = [random.choice(lines)] * random.choice((1, 1, 30))
    elif kind == 6:
        del lines[at]
    elif kind == 7:
        lines[at], other = random.choice(lines), lines[at]
        lines.append(other)
    elif kind == 8:
        separator = random.choice(",|;\t ")
        place = random.randrange(8)
        lines = [_without(line, separator, place) for line in lines]
    else:
        return "\r\n".join(lines).encode(errors="surrogateescape")
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _without(line: str, separator: str, place: int) -> str:
    parts = line.split(separator)
    return separator.join(parts[:place] + parts[place + 1 :])


def changed_json(content: bytes, random: Random) -> bytes:
    """A mutant of a JSON text: a value left out, replaced, or put into a list or an object."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return _bytes(content, random)
    places = list(_places(tree))
    if not places:
        return _bytes(content, random)
    holder, key = random.choice(places)
    kind = random.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = [holder[key]]
    elif kind == 2:
        holder[key] = {"": holder[key]}
    else:
        values = (None, True, -1, 1.5, 10**30, float("inf"), float("nan"), "", "x", "\ud800", [], {}, [[1]], 10**400)
        holder[key] = random.choice(values)
    # Python takes whole numbers of 4300 digits at most, and writes none longer.
    return json.dumps(tree).encode()


def _places(tree: Any) -> Any:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _places(value)


def _settings(content: bytes, random: Random) -> bytes:
    if random.random() < 0.2:
        return _bytes(content, random)
    try:
        tree = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError, ArithmeticError, AttributeError):
        tree = None
    tree = tree if isinstance(tree, dict) else {}
    key = random.choice(sorted(SETTINGS))
    tree[key] = random.choice(SETTINGS[key])
    if random.random() < 0.1:
        tree[random.choice(("nodez", "", "columns.x", "1"))] = random.choice((1, [], {"a": {}}))
    return yaml.safe_dump(tree).encode("utf-8", "replace")


Change = Callable[[pa.Table, int, Random], pa.Table]


def _parquet(content: bytes, random: Random) -> bytes:
    """A mutant of a table in Parquet: a column of another type or with other values, left out, doubled, nested."""
    try:
        table = pq.read_table(pa.BufferReader(content))
        column = random.randrange(max(table.num_columns, 1))
        if table.num_columns and random.random() < 0.9:
            table = random.choice(_CHANGES)(table, column, random)
        else:
            table = table.slice(0, random.choice((0, 1))) if random.random() < 0.5 else pa.concat_tables([table] * 3)
        out = io.BytesIO()
        compression, rows = random.choice(("zstd", "none")), random.choice((1, 3, 1000))
        pq.write_table(table, out, row_group_size=rows, compression=compression, use_dictionary=random.random() < 0.5)
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError):
        return _bytes(content, random)
    return out.getvalue()


def _retyped(table: pa.Table, column: int, random: Random) -> pa.Table:
    field = table.schema.field(column)
    types = (
        pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.uint64(), pa.int64(), pa.float16(), pa.float32(),
        pa.bool_(), pa.date32(), pa.timestamp("s"), pa.timestamp("ns", "UTC"), pa.timestamp("us", "Europe/Rome"),
        pa.time32("s"), pa.duration("ms"), pa.decimal128(38, 10), pa.null(), pa.dictionary(pa.int32(), pa.string()),
    )  # fmt: skip
    wanted = random.choice(types)
    try:
        values = table.column(column).cast(wanted, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = pa.nulls(table.num_rows, wanted)
    return table.set_column(column, field.name, values)


def _revalued(table: pa.Table, column: int, random: Random) -> pa.Table:
    field = table.schema.field(column)
    values = table.column(column).to_pylist()
    if not values:
        return table
    known = (None, 0, -1, 2**31, 2**62, -(2**62), float("nan"), float("inf"), 1e308, "", "x", "[680, 681]", b"\xff")
    for _ in range(random.choice((1, len(values)))):
        value = random.choice(known)
        if pa.types.is_temporal(field.type):
            value = pa.scalar(random.choice((-(2**62), 2**62, 0, None)), pa.int64()).cast(field.type, safe=False)
        values[random.randrange(len(values))] = value
    values = [value.as_py() if isinstance(value, pa.Scalar) and not value.is_valid else value for value in values]
    return table.set_column(column, field.name, pa.array(values, field.type))


def _nested(table: pa.Table, column: int, random: Random) -> pa.Table:
    values = table.column(column).combine_chunks()
    lists = pa.ListArray.from_arrays(pa.array(range(len(values) + 1), pa.int32()), values)
    structs = pa.StructArray.from_arrays([values], names=["inner"])
    return table.set_column(column, table.schema.field(column).name, random.choice((lists, structs)))


def _left_out(table: pa.Table, column: int, random: Random) -> pa.Table:  # noqa: ARG001
    return table.remove_column(column)


def _doubled(table: pa.Table, column: int, random: Random) -> pa.Table:  # noqa: ARG001
    return table.append_column(table.schema.field(column).name, table.column(column))


def _renamed(table: pa.Table, column: int, random: Random) -> pa.Table:
    names = list(table.column_names)
    names[column] = random.choice((*TEXTS[:-1], "job_id", "node", "time_s", "row", "file"))
    return table.rename_columns(names)


_CHANGES: tuple[Change, ...] = (_retyped, _retyped, _revalued, _revalued, _nested, _left_out, _doubled, _renamed)

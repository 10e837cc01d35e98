"""Hypothesis draws mutants of drops that keep enough of their form to get past the first check."""

import io
import re

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from hypothesis import strategies as st

NUMBERS = (
    "0", "-0", "-1", "1e308", "-1e308", "1e309", "1e-320", "nan", "NaN", "inf", "-inf", "Infinity", "9" * 19, "9" * 400,
    "-" + "9" * 19, str(2**31), str(2**32), str(2**53 + 1), str(2**63 - 1), str(2**63), str(-(2**63)), "0x10", "1_000",
    "1,5", "1.5", "١٢", "²", "+5", "--5", "1e", ".", "1K", "99999999P", "00:00:00", "9999999-00:00:00",
)  # fmt: skip
TEXTS = (
    "", " ", "\0", "\t", '"', "'", '""', "a,b", "a|b", "a\rb", "x" * 5000, "é", "\u2028", "\ufeff", "null", "None",
    "'; DROP TABLE job; --", "{}", "{0}", "%s", "<script>alert(1)</script>", "../../etc/passwd", "$(id)", "=1+1",
    "[680, 681]", "(1,2,3)", "\\",
)  # fmt: skip
TIMES = (
    "1970-01-01T00:00:00Z", "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999999+23:59", "2024-02-30T00:00:00",
    "2024-03-31T02:30:00", "2024-10-27 02:30:00", "262143-01-01T00:00:00Z", "1969-12-31T23:59:59-14:00", "Unknown",
    "2024-13-01", "24:00:00", "2016-12-31T23:59:60Z",
)  # fmt: skip
NAMES = (
    "jobs.csv", "samples.parquet", "samples.csv.gz", "trace.yaml", "a.swf", "a\nb.swf", "a'b\".swf", "x.sacct",
    "meta.json", "data.json", "VA_64", "outs_tl16_bl10_dpus0", "VA/profile/outs_dpus" + "9" * 40, "g.mtx", "g.txt",
    "kernels.csv", "sm_curve.csv", "corun_pairs.csv", "queue.csv", "tasks.csv", ".hidden", "a/b/c/d.swf", "<b>.swf",
    "-rf.swf", "\udcff.csv", "%s.el", "{}.el", "README.md",
    "year_month=99-99/plugin=ganglia_pub/metric=mem_free/a.parquet",
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r", b"\r\n", b'"', b",", b"|", b"\x1f\x8b", b"PAR1")
SETTINGS = {
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
    "nodez": (1, [], {"a": {}}),
}
TYPES = (
    pa.string(), pa.binary(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.bool_(), pa.date32(), pa.null(),
    pa.timestamp("s"), pa.timestamp("ns", "UTC"), pa.time32("s"), pa.duration("ms"), pa.decimal128(38, 10),
    pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.int64()),
)  # fmt: skip
VALUES = (None, 0, -1, 2**31, 2**62, -(2**62), float("nan"), float("inf"), 1e308, "", "x", "[680, 681]", b"\xff")


@st.composite
def mutants(draw, drops):
    """A drop of these with one to four changes of its files, their names or its settings."""
    files = dict(draw(st.sampled_from(drops)))
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(sorted(files) or ["a.swf"]))
        content = files.get(name, b"x\n")
        kind = draw(st.sampled_from(("content",) * 6 + ("settings", "copied", "renamed", "left out")))
        if kind == "content":
            files[name] = _content(draw, content)
        elif kind == "settings":
            files["trace.yaml"] = _settings(draw, files.get("trace.yaml", b""))
        elif kind == "copied":
            files[draw(st.sampled_from(NAMES))] = content
        else:
            files.pop(name, None)
            if kind == "renamed":
                files[draw(st.sampled_from(NAMES))] = content
    return files


def _content(draw, content):
    if draw(st.integers(0, 4)) == 0 or content[:2] == b"\x1f\x8b":
        return _bytes(draw, content)
    return _parquet(draw, content) if content[:4] == b"PAR1" else _lines(draw, content)


def _bytes(draw, content):
    at = draw(st.integers(0, len(content)))
    new = draw(st.sampled_from([*BYTES, *(text.encode() for text in (*NUMBERS, *TEXTS))]))
    end = draw(st.sampled_from((at, at + len(new), at + 64, len(content))))
    return content[:at] + new * draw(st.sampled_from((0, 1, 50))) + content[end:]


def _lines(draw, content):
    """A table in text with another field, another order or number of lines, a column less, or other line ends."""
    lines = content.decode(errors="surrogateescape").split("\n")
    at, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    kind = draw(st.sampled_from(("field",) * 5 + ("doubled", "dropped", "swapped", "column", "ends")))
    if kind == "field":
        parts = re.split(r"([,|\t ]+)", lines[at])
        place = 2 * draw(st.integers(0, len(parts) // 2))
        parts[place] = draw(st.sampled_from(draw(st.sampled_from((NUMBERS, TEXTS, TIMES)))))
        lines[at] = "".join(parts)
    elif kind == "doubled":
        lines[at:at] = [lines[other]] * draw(st.sampled_from((1, 30)))
    elif kind == "dropped":
        del lines[at]
    elif kind == "swapped":
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "column":
        separator, place = draw(st.sampled_from(",|;\t ")), draw(st.integers(0, 7))
        fields = [line.split(separator) for line in lines]
        lines = [separator.join(line[:place] + line[place + 1 :]) for line in fields]
    return ("\r\n" if kind == "ends" else "\n").join(lines).encode(errors="surrogateescape")


def _settings(draw, content):
    if draw(st.integers(0, 4)) == 0:
        return _bytes(draw, content)
    try:
        tree = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, ArithmeticError):
        tree = None
    key = draw(st.sampled_from(sorted(SETTINGS)))
    tree = (tree if isinstance(tree, dict) else {}) | {key: draw(st.sampled_from(SETTINGS[key]))}
    return yaml.safe_dump(tree).encode("utf-8", "replace")


def _parquet(draw, content):
    """A table in Parquet with a column of another type, with another value, of another name, doubled, or left out."""
    kind = draw(st.sampled_from(("type", "type", "value", "value", "name", "doubled", "left out", "nested")))
    try:
        table = pq.read_table(pa.BufferReader(content))
        at = draw(st.integers(0, table.num_columns - 1))
        name, values = table.schema.names[at], table.column(at)
        if kind == "left out":
            table = table.remove_column(at)
        elif kind == "doubled":
            table = table.append_column(name, values)
        elif kind == "name":
            table = table.set_column(at, draw(st.sampled_from((*TEXTS, "job_id", "node", "time_s"))), values)
        elif kind == "nested":
            table = table.set_column(at, name, pa.StructArray.from_arrays([values.combine_chunks()], names=["inner"]))
        elif kind == "value":
            known = [draw(st.sampled_from(VALUES)), *values.to_pylist()[1:]]
            table = table.set_column(at, name, pa.array(known, values.type))
        else:
            wanted = draw(st.sampled_from(TYPES))
            try:
                table = table.set_column(at, name, values.cast(wanted, safe=False))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                table = table.set_column(at, name, pa.nulls(table.num_rows, wanted))
        out = io.BytesIO()
        pq.write_table(table, out, row_group_size=draw(st.sampled_from((1, 3, 1000))))
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError):
        return _bytes(draw, content)
    return out.getvalue()

"""Hand-made traps, one function each: it makes a drop in a folder that does not exist yet, and says what is nasty.

`TRAPS` has them by name. What the drop comes to is for the reader; that it comes to rows and sentences is for `oracle`.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa

from reliability.fuzzing import container, seeds

MB = 1 << 20
HOSTILE_NAMES = (
    "a; touch x", "$(touch x)", "`touch x`", "{rule}", "{input}", "..", "a/../../b", "a\nb", "'; DROP TABLE job; --",
    '"; --', "$$", "<script>alert(1)</script>", "--target", "-rf", "%s", "{{ 7 * 7 }}", "\x1b[2J", "\u202egpj.exe", "*",
)  # fmt: skip
"""Names of drops, applications, users and files that mean something to a shell, SQL, HTML, Snakemake or a terminal."""
_SWF_LINE = b"1 0 5 100 4 90 1000 4 200 2000 1 3 1 2 -1 -1 -1 -1\n"

TRAPS: dict[str, Callable[[Path], None]] = {}


def _trap(make: Callable[[Path], None]) -> Callable[[Path], None]:
    TRAPS[make.__name__] = make
    return make


def _text(folder: Path, **files: str | bytes) -> None:
    """Write files named `<stem>__<suffix>` (a keyword takes no point)."""
    contents = {
        name.replace("__", "."): text if isinstance(text, bytes) else text.encode() for name, text in files.items()
    }
    container.write(contents, folder)


def _zeros_gz(size: int, pattern: bytes = b"\0") -> bytes:
    """A gzip file that unpacks to so many bytes of a repeated pattern, made a piece at a time."""
    out = io.BytesIO()
    piece = pattern * (MB // len(pattern))
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as zipped:
        for _ in range(size // len(piece) + 1):
            zipped.write(piece)
    return out.getvalue()


@_trap
def gzip_bomb_of_records(folder: Path) -> None:
    """A gzip file of two megabytes that unpacks to half a gigabyte of jobs."""
    _text(folder, log__swf__gz=_zeros_gz(512 * MB, _SWF_LINE))


@_trap
def gzip_bomb_without_a_line(folder: Path) -> None:
    """A gzip file that unpacks to one line of half a gigabyte."""
    _text(folder, samples__csv__gz=_zeros_gz(512 * MB, b"x"))


@_trap
def gzip_bomb_of_edges(folder: Path) -> None:
    """A gzip file that unpacks to lines that are no edges."""
    _text(folder, graph__txt__gz=_zeros_gz(512 * MB, b"x y z w\n" * 16))


@_trap
def gzip_bomb_in_json(folder: Path) -> None:
    """An archive's data that unpack to half a gigabyte of a nested list."""
    meta = '{"jobId": 1, "startTime": 1, "duration": 9, "numNodes": 1}'
    _text(folder, meta__json=meta, data__json__gz=_zeros_gz(512 * MB, b"[1, "))


@_trap
def gzip_in_gzip(folder: Path) -> None:
    """A bomb inside a bomb; only one layer is ever unpacked."""
    _text(folder, log__swf__gz=gzip.compress(_zeros_gz(64 * MB, _SWF_LINE), mtime=0))


@_trap
def zip_and_tar(folder: Path) -> None:
    """Archives with members that lead out of where they are unpacked; archives are not unpacked at all."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("../../escaped.swf", "/tmp/escaped.swf", "log.swf"):
            archive.writestr(name, _SWF_LINE * 10_000)
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        for name in ("../../escaped.swf", "/tmp/escaped.swf", "log.swf"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    _text(
        folder,
        a__zip=zipped.getvalue(),
        b__tar__gz=tarred.getvalue(),
        c__swf=zipped.getvalue(),
        d__swf__gz=tarred.getvalue(),
    )


@_trap
def gigantic_numbers(folder: Path) -> None:
    """Numbers of four hundred digits where a log has small ones."""
    huge = "9" * 400
    lines = [_SWF_LINE.decode().strip().split() for _ in range(18)]
    for place, line in enumerate(lines):
        line[place] = huge
    _text(folder, log__swf=f"; MaxNodes: {huge}\n" + "\n".join(" ".join(line) for line in lines) + "\n")


@_trap
def gigantic_settings(folder: Path) -> None:
    """Whole numbers that no machine word holds in trace.yaml."""
    keys = ("nodes", "ranks", "sms", "cpus_per_node", "node_memory_gb")
    _text(folder, log__swf=_SWF_LINE, trace__yaml="".join(f"{key}: {10**400}\n" for key in keys))


@_trap
def million_columns_csv(folder: Path) -> None:
    """A header of a million columns, and one row."""
    names = ",".join(f"c{number}" for number in range(10**6))
    _text(folder, samples__csv=f"job_id,time_s,used_gb,{names}\na,0,1{',' * 10**6}\n")


@_trap
def million_equal_columns_csv(folder: Path) -> None:
    """A header that names one column a million times."""
    _text(folder, jobs__csv="job_id" + ",job_id" * 10**6 + "\n", phases__csv="job_id,phase,duration_s,memory_gb\n")


@_trap
def long_column_names(folder: Path) -> None:
    """A few columns with names of a megabyte."""
    _text(folder, tasks__csv=",".join(letter * MB for letter in "abc") + "\n1,2,3\n")


@_trap
def many_columns_parquet(folder: Path) -> None:
    """A Parquet file of twenty thousand columns."""
    _text(folder, samples__parquet=seeds.parquet(pl.DataFrame({f"c{n}": [1] for n in range(20_000)})))


@_trap
def nested_yaml(folder: Path) -> None:
    """Lists in lists, as deep as the largest trace.yaml has room for."""
    _text(folder, log__swf=_SWF_LINE, trace__yaml="a: " + "[" * 60_000)


@_trap
def nested_yaml_mappings(folder: Path) -> None:
    """Mappings in mappings in one line."""
    _text(folder, log__swf=_SWF_LINE, trace__yaml="{a: " * 15_000)


@_trap
def yaml_alias_bomb(folder: Path) -> None:
    """A billion laughs: nine aliases nine deep."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    _text(folder, log__swf=_SWF_LINE, trace__yaml="\n".join(lines) + "\nnote: *a9\n")


@_trap
def yaml_of_base_sixty(folder: Path) -> None:
    """A whole number and a real one to the base of sixty, with thirty thousand places."""
    places = ":1" * 16_000
    _text(folder, log__swf=_SWF_LINE, trace__yaml=f"nodes: 1{places}\nnode_memory_gb: 1{places}.5\n")


@_trap
def yaml_objects(folder: Path) -> None:
    """Tags that a careless loader would run."""
    tag = "!!python/object/apply:os.system ['touch escaped']"
    _text(folder, log__swf=_SWF_LINE, trace__yaml=f"note: {tag}\n")


@_trap
def yaml_oddities(folder: Path) -> None:
    """Times of no calendar, binary, sets, merges, keys that are no words."""
    text = "2001-99-99: 1\n? [1, 2]\n: x\n<<: [{a: 1}]\nnote: !!binary '='\n1: !!set {a}\n"
    text += "format: 9999-12-31T23:59:59-23:59\n"
    _text(folder, log__swf=_SWF_LINE, trace__yaml=text)


@_trap
def large_yaml(folder: Path) -> None:
    """A trace.yaml of ten megabytes."""
    _text(folder, log__swf=_SWF_LINE, trace__yaml="aliases: {" + ", ".join(f"a{n}: b" for n in range(800_000)) + "}\n")


@_trap
def nested_json(folder: Path) -> None:
    """Lists in lists, a million deep."""
    meta = '{"jobId": 1, "startTime": 1, "duration": 9, "numNodes": 1}'
    _text(folder, meta__json=meta, data__json="[" * 10**6)


@_trap
def odd_json(folder: Path) -> None:
    """Half characters, numbers of four hundred digits, lists where names belong."""
    huge = "9" * 400
    unit = '"unit": {"prefix": ["G"]}'
    metas = (
        f'{{"jobId": {huge}, "startTime": {huge}, "duration": {huge}, "numNodes": {huge}}}',
        '{"jobId": "\\ud800", "startTime": 1, "duration": 9, "numNodes": 1, "user": "\\udfff"}',
        '{"jobId": 1, "startTime": 1, "duration": NaN, "numNodes": 1}',
        '{"jobId": 2, "startTime": 1, "duration": 9, "numNodes": 1, "walltime": 1e999}',
    )
    data = (
        f'{{"mem_used": {{"node": {{"unit": {{"prefix": "G"}}, "timestep": {huge}, "series": 7}}}}}}',
        f'{{"mem_used": {{"node": {{{unit}, "timestep": 1, "series": [{{"hostname": [1], "data": [[1]]}}]}}}}}}',
        f'{{"mem_used": {{"node": {{"unit": {{"prefix": "G"}}, "timestep": 1, "series": [{{"data": [{huge}]}}]}}}}}}',
        '{"mem_used": {"node": {"unit": {"prefix": "G"}, "timestep": 1, "series": [{"data": [1, null]}]}}}',
    )
    for number, (meta, samples) in enumerate(zip(metas, data, strict=True)):
        _text(folder, **{f"{number}_meta__json": meta, f"{number}_data__json": samples})


@_trap
def odd_times(folder: Path) -> None:
    """Times that are no numbers, infinite, negative, beyond the calendar."""
    times = ("nan", "inf", "-inf", "-1", "1e308", "1e-320", "9223372036854775807", "9" * 400, "1e15", "253402300800")
    _text(
        folder,
        samples__csv="job_id,timestamp,used_gb\n" + "".join(f"a,{time},1\n" for time in times),
        jobs__csv="job_id,submit_s,nodes\n" + "".join(f"j{n},{time},1\n" for n, time in enumerate(times)),
    )


@_trap
def times_of_no_calendar_parquet(folder: Path) -> None:
    """Timestamps of the year 292277 in Parquet."""
    extremes = [2**62, -(2**62), 0]
    times = pa.array(extremes, pa.int64()).cast(pa.timestamp("us"))
    days = pa.array([2**31 - 1, -(2**31), 0], pa.int32()).cast(pa.date32())
    _text(
        folder,
        samples__parquet=seeds.parquet(pa.table({"job_id": times, "timestamp": times, "used_gb": [1.0] * 3})),
        jobs__parquet=seeds.parquet(pa.table({"job_id": ["a", "b", "c"], "submit_s": days, "nodes": [1] * 3})),
    )


@_trap
def invalid_text(folder: Path) -> None:
    """Invalid UTF-8, NUL bytes, a byte order mark, carriage returns, all in one file."""
    rows = b"\xef\xbb\xbfjob_id,time_s,used_gb\r\n\xff\xfe,0,1\r\na\0b,0,1\r\n\xed\xa0\x80,1,2\rx,3,4\n\0\n,,\n"
    _text(folder, samples__csv=rows, jobs__csv=b"job_id,submit_s,nodes\n" + b"\0" * 1000)


@_trap
def utf_16(folder: Path) -> None:
    """A table in UTF-16, as spreadsheets write it."""
    _text(folder, tasks__csv="task_id,period,deadline,work,kind\n1,2,3,1,compute\n".encode("utf-16"))


@_trap
def huge_footer_rows(folder: Path) -> None:
    """A Parquet file whose footer says there are more rows than there are."""
    data = seeds.parquet(pl.DataFrame({"job_id": ["a"] * 77, "time_s": [1.0] * 77, "used_gb": [1.0] * 77}))
    footer = data.rindex(b"PAR1") - 4 - struct.unpack("<I", data[-8:-4])[0]
    # 77 rows are the zigzag varint 154, 1 in two bytes; -2^13 and 8191 take as many.
    _text(folder, samples__parquet=data[:footer] + data[footer:].replace(b"\x9a\x01", b"\xfe\x7f"))


@_trap
def damaged_footers(folder: Path) -> None:
    """Parquet files whose footers are cut, of absurd length, or not there."""
    data = seeds.parquet(pl.DataFrame({"job_id": ["a"], "submit_s": [0], "nodes": [1]}))
    _text(
        folder,
        jobs__parquet=data[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1",
        phases__parquet=b"PAR1PAR1",
        profiles__parquet=data[:-40],
    )


@_trap
def no_columns_parquet(folder: Path) -> None:
    """A Parquet file without columns, and one without rows."""
    _text(
        folder,
        jobs__parquet=seeds.parquet(pa.table({})),
        phases__parquet=seeds.parquet(pa.table({"job_id": pa.array([], pa.string())})),
    )


@_trap
def nested_parquet(folder: Path) -> None:
    """Lists of structs of lists where numbers belong."""
    deep = pa.array([[{"a": [1, None]}], None, []], pa.list_(pa.struct([("a", pa.list_(pa.int64()))])))
    columns = dict.fromkeys(("task_id", "period", "deadline", "work", "kind"), deep)
    _text(folder, tasks__parquet=seeds.parquet(pa.table(columns)))


@_trap
def extension_types_parquet(folder: Path) -> None:
    """Columns that claim to be Python objects; the claim is a pickle that a careless reader would load."""
    pickled = b"cos\nsystem\n(S'touch escaped'\ntR."
    metadata = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": pickled}
    schema = pa.schema(
        [pa.field(name, dtype, metadata=metadata) for name, dtype in
         (("job_id", pa.string()), ("submit_s", pa.int64()), ("nodes", pa.int64()), ("phase", pa.int64()),
          ("duration_s", pa.float64()), ("memory_gb", pa.float64()))]
    )  # fmt: skip
    values = ("a", 0, 1, 0, 1.0, 1.0)
    columns = [pa.array([value], field.type) for value, field in zip(values, schema, strict=True)]
    table = pa.table(columns, schema=schema)
    _text(folder, jobs__parquet=seeds.parquet(table), phases__parquet=seeds.parquet(table))


@_trap
def wrong_indices_parquet(folder: Path) -> None:
    """A dictionary column whose indices point past its dictionary."""
    frame = pa.table(
        {"job_id": pa.array(["a", "b"] * 200), "time_s": [float(n) for n in range(400)], "used_gb": [1.0] * 400}
    )
    data = bytearray(seeds.parquet(frame, compression="none", use_dictionary=["job_id"], data_page_version="1.0"))
    # The indices are bit-packed runs of 0 and 1: every byte 0xaa; as others they are of the same length and wrong.
    at = bytes(data).find(b"\xaa\xaa\xaa\xaa")
    data[at - 2] = 9
    _text(folder, samples__parquet=bytes(data))


@_trap
def dictionary_bomb_parquet(folder: Path) -> None:
    """A text of eight megabytes that a dictionary holds once and a million rows repeat."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), pa.array(["x" * (8 * MB)]))
    zero = pa.array([0.0] * 10**6)
    table = pa.table({"job_id": text, "time_s": zero, "used_gb": zero})
    _text(folder, samples__parquet=seeds.parquet(table, compression="zstd", dictionary_pagesize_limit=64 * MB))


@_trap
def repeated_rows_parquet(folder: Path) -> None:
    """Ten million jobs in a few kilobytes: every column is one value, many times."""
    rows = 10**7
    columns = {"job_id": pa.array([7], pa.int64()), "submit_s": pa.array([0.0]), "nodes": pa.array([1], pa.int64())}
    table = pa.table({name: pa.repeat(value[0], rows) for name, value in columns.items()})
    phases = pa.table({"job_id": [7], "phase": [0], "duration_s": [1.0], "memory_gb": [1.0]})
    _text(folder, jobs__parquet=seeds.parquet(table, compression="zstd"), phases__parquet=seeds.parquet(phases))


@_trap
def far_vertices(folder: Path) -> None:
    """Two edges whose ids lie far apart."""
    _text(folder, graph__el="0 268435454\n4294967295 7\n", other__el="0 268435454\n", third__el=f"0 {'9' * 400}\n")


@_trap
def empty_giant_matrix(folder: Path) -> None:
    """A matrix of a billion rows with one entry, and ones of absurd sizes."""
    banner = "%%MatrixMarket matrix coordinate pattern general\n"
    sizes = {"a": "1000000000 1000000000 1", "b": f"{'9' * 400} {'9' * 400} 1", "c": f"{2**63} {2**63} {2**63}"}
    for name, size in sizes.items():
        _text(folder, **{f"{name}__mtx": f"{banner}{size}\n1 2\n"})


@_trap
def giant_machine(folder: Path) -> None:
    """A performance table on two thousand million ranks, and logs of as many DPUs."""
    _text(
        folder,
        perf_table__csv="app,ranks,time_s\nVA,1,8\nVA,2000000000,1\nTS,1,3\nTS,9223372036854775807,2\n",
        queue__csv="job_id,app,arrival_s\n1,VA,0\n",
    )


@_trap
def giant_logs_of_dpus(folder: Path) -> None:
    """Logs whose names and lines tell of more DPUs than numbers are for."""
    line = "CPU-DPU Time (ms): 5.0\tDPU Kernel Time (ms): 1.5\tDPU-CPU Time (ms): 6.5\t[OK] Outputs are equal\n"
    files = {
        f"VA/profile/outs_tl{'9' * 40}_bl10_dpus{'9' * 60}": line,
        "VA/profile/outs_tl16_bl10_dpus999999999999": line,
        "VA": f"Allocated {'9' * 5000} DPU(s)\nNR_TASKLETS {'9' * 5000}\nnr_elements {'9' * 30}\n{line}",
        "BS_0": line,
    }
    container.write({name: text.encode() for name, text in files.items()}, folder)


@_trap
def giant_kernels(folder: Path) -> None:
    """Profiles with launches of impossible shapes and rates."""
    _text(
        folder,
        kernels__csv="app,kernel,gflops,memory_gbps,time_s,launches,blocks,gpu_sms\nA,k,1e308,1e308,1e-320,"
        "9223372036854775807,1e308,9223372036854775807\n",
        sm_curve__csv="app,sms,time_s\nA,1,1\nA,9223372036854775807,1e-320\nA,2000000000,1e308\n",
    )


@_trap
def giant_task(folder: Path) -> None:
    """Periods and work beyond any clock."""
    _text(
        folder,
        tasks__csv="task_id,period,deadline,work,kind\n1,1e308,1e308,1e308,compute\n2,1e-320,1e-320,1e-320,memory\n"
        f"3,{'9' * 400},1,1,compute\n4,9223372036854775807,9223372036854775807,1,compute\n",
    )


@_trap
def quotes_without_end(folder: Path) -> None:
    """Quotes that nobody closes, and doubled ones."""
    _text(folder, samples__csv='job_id,time_s,used_gb\n"a,0,1\na","0","1\n""",""",""\n' + '"' * 5001 + "\n")


@_trap
def profiler_of_nothing(folder: Path) -> None:
    """An export of a profiler with broken quotes, repeated headers and units in the wrong place."""
    header = '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Name"\n'
    _text(
        folder,
        trace_a__csv=header + "ms,us,,,,,,,\n" + header + '1,2,3,4,5,6,7,8,"k\n' + "s,lightyear,,,,,,,\n1,2,,,,,,,k\n",
    )


@_trap
def files_with_hostile_names(folder: Path) -> None:
    """Files whose names mean something to a shell, SQL, HTML, or a terminal."""
    container.write({f"{name}.swf": _SWF_LINE for name in HOSTILE_NAMES if container.writable(name)}, folder)
    with (folder / os.fsdecode(b"\xff\xfe.swf")).open("wb") as file:
        file.write(_SWF_LINE)


@_trap
def rows_with_hostile_names(folder: Path) -> None:
    """Jobs of users with such names."""
    quoted = ('"' + name.replace('"', '""').replace("\n", " ") + '"' for name in HOSTILE_NAMES)
    rows = [f"{name},0,1,10,{name}" for name in quoted]
    phases = [f"{row.rsplit(',0,1,10,', 1)[0]},0,10,1" for row in rows]
    _text(
        folder,
        jobs__csv="job_id,submit_s,nodes,walltime_s,user\n" + "\n".join(rows) + "\n",
        phases__csv="job_id,phase,duration_s,memory_gb\n" + "\n".join(phases) + "\n",
    )


@_trap
def links_out(folder: Path) -> None:
    """Links to files and folders outside, to nothing, to themselves, and up."""
    folder.mkdir(parents=True)
    (folder / "log.swf").write_bytes(_SWF_LINE)
    for name, target in (
        ("passwd.swf", "/etc/passwd"), ("up.swf", ".."), ("etc", "/etc"), ("gone.swf", "nothing"),
        ("loop.swf", "loop.swf"),
        ("here", "."), ("trace.yaml", "/etc/hostname"), ("zero.swf", "/dev/zero"),
    ):  # fmt: skip
        (folder / name).symlink_to(target)


@_trap
def pipes(folder: Path) -> None:
    """Named pipes, which would be waited for until somebody writes into them."""
    folder.mkdir(parents=True)
    (folder / "log.swf").write_bytes(_SWF_LINE)
    for name in ("pipe.swf", "samples.csv"):
        os.mkfifo(folder / name)


@_trap
def pipe_as_settings(folder: Path) -> None:
    """A trace.yaml that is a named pipe."""
    folder.mkdir(parents=True)
    (folder / "log.swf").write_bytes(_SWF_LINE)
    os.mkfifo(folder / "trace.yaml")


@_trap
def folders_named_like_files(folder: Path) -> None:
    """Folders with the names of traces, deep ones, and empty ones."""
    for name in ("log.swf", "samples.csv", "trace.yaml", "/".join("d" * 100)):
        (folder / name).mkdir(parents=True)


@_trap
def many_files(folder: Path) -> None:
    """Two thousand logs of nothing."""
    container.write({f"{number}.swf": b"" for number in range(2000)}, folder)

"""Hand-made drops that are bombs, absurd or hostile, beside those of hostile_drops."""

import gzip
import io
import os
import struct
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import seeds

MB = 1 << 20
HOSTILE_NAMES = (
    "a; touch x", "$(touch x)", "`touch x`", "{rule}", "{input}", "..", "a/../../b", "a\nb", "'; DROP TABLE job; --",
    '"; --', "$$", "<script>alert(1)</script>", "--target", "-rf", "%s", "{{ 7 * 7 }}", "\x1b[2J", "\u202egpj.exe", "*",
)  # fmt: skip
"""Names of drops, applications, users and files that mean something to a shell, SQL, HTML, Snakemake or a terminal."""
SWF = b"1 0 5 100 4 90 1000 4 200 2000 1 3 1 2 -1 -1 -1 -1\n"
HUGE = "9" * 400
ANSWER = '{"status": "success", "data": {"resultType": "matrix", "result": ['
JOB, SAMPLE, TASK = "job_id,submit_s,nodes", "job_id,time_s,used_gb", "task_id,period,deadline,work,kind"
EXTREMES = [2**62, -(2**62), 0]
EXTENSION = {
    "ARROW:extension:name": "arrow.py_extension_type",
    "ARROW:extension:metadata": b"cos\nsystem\n(S'touch escaped'\ntR.",
}


def _bomb(pattern: bytes) -> bytes:
    """A gzip file of some kilobytes that unpacks to more than is unpacked at ease."""
    return gzip.compress(pattern * (40 * MB // len(pattern)), mtime=0)


def _parquet(columns, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **options)
    return out.getvalue()


def _archives() -> dict[str, bytes]:
    """Archives with members that lead out of where they are unpacked; archives are not unpacked at all."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive, tarfile.open(fileobj=tarred, mode="w:gz") as other:
        for name in ("../../escaped.swf", "/tmp/escaped.swf", "log.swf"):
            archive.writestr(name, SWF)
            other.addfile(tarfile.TarInfo(name), io.BytesIO())
    of_zip, of_tar = zipped.getvalue(), tarred.getvalue()
    return {"a.zip": of_zip, "b.tar.gz": of_tar, "c.swf": of_zip, "d.swf.gz": of_tar}


def _claimed() -> dict[str, bytes]:
    """Columns that claim to be Python objects; the claim is a pickle that a careless reader would load."""
    values = {"job_id": "a", "submit_s": 0, "nodes": 1, "phase": 0, "duration_s": 1.0, "memory_gb": 1.0}
    fields = [pa.field(name, pa.scalar(value).type, metadata=EXTENSION) for name, value in values.items()]
    table = _parquet(pa.table([[value] for value in values.values()], schema=pa.schema(fields)))
    return {"jobs.parquet": table, "phases.parquet": table}


def _wrong_indices() -> bytes:
    """A dictionary column whose indices point past its dictionary: bit-packed runs of 0 and 1 are every byte 0xaa."""
    frame = {"job_id": ["a", "b"] * 200, "time_s": [float(n) for n in range(400)], "used_gb": [1.0] * 400}
    data = bytearray(_parquet(frame, compression="none", use_dictionary=["job_id"], data_page_version="1.0"))
    data[bytes(data).find(b"\xaa\xaa\xaa\xaa") - 2] = 9
    return bytes(data)


def _more_rows() -> bytes:
    """A footer of more rows than there are: 77 is the varint 154; -2^13 and 8191 take as many bytes."""
    data = _parquet({"job_id": ["a"] * 77, "time_s": [1.0] * 77, "used_gb": [1.0] * 77})
    footer = data.rindex(b"PAR1") - 4 - struct.unpack("<I", data[-8:-4])[0]
    return data[:footer] + data[footer:].replace(b"\x9a\x01", b"\xfe\x7f")


def _repeated_rows() -> dict[str, bytes]:
    jobs = {name: pa.repeat(pa.scalar(value), 10**7) for name, value in (("job_id", 7), ("submit_s", 0), ("nodes", 1))}
    phases = {"job_id": [7], "phase": [0], "duration_s": [1.0], "memory_gb": [1.0]}
    return {"jobs.parquet": _parquet(jobs, compression="zstd"), "phases.parquet": _parquet(phases)}


def _long_text() -> bytes:
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), ["x" * (8 * MB)])
    zero = pa.array([0.0] * 10**6)
    return _parquet({"job_id": text, "time_s": zero, "used_gb": zero}, dictionary_pagesize_limit=64 * MB)


def _yaml(text: str | bytes) -> dict[str, str | bytes]:
    return {"log.swf": SWF, "trace.yaml": text}


LAUGHS = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)), "note: *a9\n"]
DPUS = "CPU-DPU Time (ms): 5.0\tDPU Kernel Time (ms): 1.5\tDPU-CPU Time (ms): 6.5\t[OK] Outputs are equal\n"
MATRIX = "%%MatrixMarket matrix coordinate pattern general\n"
TRAPS = {
    "gzip_bomb_of_records": (None, lambda: {"log.swf.gz": _bomb(SWF)}),
    "gzip_bomb_in_json": (None, lambda: {"answer.json.gz": _bomb(b"[1, ")}),
    "gzip_in_gzip": (None, lambda: {"log.swf.gz": gzip.compress(_bomb(SWF), mtime=0)}),
    "zip_and_tar": (None, _archives),
    "gigantic_settings": ("settings_invalid", lambda: _yaml("".join(
        f"{key}: {10**400}\n" for key in ("nodes", "ranks", "sms", "cpus_per_node", "node_memory_gb")))),
    "million_columns_csv": ("columns_too_many", lambda: {
        "samples.csv": f"{SAMPLE},{','.join(f'c{n}' for n in range(10**6))}\na,0,1{',' * 10**6}\n"}),
    "long_column_names": (None, lambda: {"tasks.csv": ",".join(letter * MB for letter in "abc") + "\n1,2,3\n"}),
    "many_columns_parquet": ("columns_too_many", lambda: {
        "samples.parquet": _parquet({f"c{n}": [1] for n in range(20_000)})}),
    "nested_yaml": ("settings_malformed", lambda: _yaml("a: " + "[" * 60_000)),
    "yaml_alias_bomb": ("settings_malformed", lambda: _yaml("\n".join(LAUGHS))),
    "yaml_of_base_sixty": (None, lambda: _yaml(f"nodes: 1{':1' * 16_000}\nnode_memory_gb: 1{':1' * 16_000}.5\n")),
    "yaml_objects": ("settings_malformed", lambda: _yaml("note: !!python/object/apply:os.system ['touch escaped']\n")),
    "yaml_oddities": (None, lambda: _yaml(
        "2001-99-99: 1\n? [1, 2]\n: x\n<<: [{a: 1}]\nnote: !!binary '='\n1: !!set {a}\n"
        "format: 9999-12-31T23:59:59-23:59\n")),
    "large_yaml": ("settings_too_large", lambda: _yaml("note: " + "x" * (10 * MB))),
    "nested_json": ("unreadable_json", lambda: {"answer.json": ANSWER + "[" * 10**6}),
    "times_of_no_calendar_parquet": ("timestamp_unreadable", lambda: {
        "samples.parquet": _parquet({"job_id": ["a"] * 3, "timestamp": pa.array(EXTREMES, pa.timestamp("us")),
                                     "used_gb": [1.0] * 3}),
        "jobs.parquet": _parquet({"job_id": ["a", "b"], "submit_s": pa.array([2**31 - 1, 0], pa.date32()),
                                  "nodes": [1] * 2})}),
    "invalid_text": (None, lambda: {
        "samples.csv": b"\xef\xbb\xbfjob_id,time_s,used_gb\r\n\xff\xfe,0,1\r\na\0b,0,1\r\n\xed\xa0\x80,1,2\rx,3,4\n",
        "jobs.csv": JOB.encode() + b"\n" + b"\0" * 1000}),
    "utf_16": (None, lambda: {"tasks.csv": f"{TASK}\n1,2,3,1,compute\n".encode("utf-16")}),
    "huge_footer_rows": (None, lambda: {"samples.parquet": _more_rows()}),
    "damaged_footers": (None, lambda: {"jobs.parquet": b"PAR1" + struct.pack("<I", 2**32 - 1) + b"PAR1",
                                       "phases.parquet": b"PAR1PAR1", "profiles.parquet": _more_rows()[:-40]}),
    "no_columns_parquet": (None, lambda: {"jobs.parquet": _parquet({}), "phases.parquet": _parquet({"job_id": []})}),
    "extension_types_parquet": (None, _claimed),
    "wrong_indices_parquet": (None, lambda: {"samples.parquet": _wrong_indices()}),
    "dictionary_bomb_parquet": ("text_too_long", lambda: {"samples.parquet": _long_text()}),
    "repeated_rows_parquet": ("table_too_long", _repeated_rows),
    "far_vertices": (None, lambda: {"a.el": "0 268435454\n4294967295 7\n", "b.el": f"0 {HUGE}\n"}),
    "empty_giant_matrix": ("graph_too_large", lambda: {
        f"{n}.mtx": f"{MATRIX}{size}\n1 2\n" for n, size in enumerate(("1000000000 1000000000 1", f"{HUGE} {HUGE} 1",
                                                                       f"{2**63} {2**63} {2**63}"))}),
    "giant_machine": ("larger_than_machine", lambda: {
        "perf_table.csv": "app,ranks,time_s\nVA,1,8\nVA,2000000000,1\nTS,1,3\nTS,9223372036854775807,2\n",
        "queue.csv": "job_id,app,arrival_s\n1,VA,0\n"}),
    "giant_logs_of_dpus": ("ranks_too_many", lambda: {
        f"VA/profile/outs_tl{'9' * 40}_bl10_dpus{'9' * 60}": DPUS, "VA/profile/outs_tl16_bl10_dpus999999999999": DPUS,
        "VA_1": f"Allocated {'9' * 5000} DPU(s)\nNR_TASKLETS {'9' * 5000}\nnr_elements {HUGE}\n{DPUS}", "BS_0": DPUS}),
    "files_with_hostile_names": ("name_not_utf8", lambda: {os.fsdecode(b"\xff\xfe.swf"): SWF} | {
        f"{name}.swf": SWF for name in HOSTILE_NAMES if "/../" not in name}),
    "folders_named_like_files": ("settings_malformed", lambda: dict.fromkeys(
        ("log.swf/a", "samples.csv/a", "trace.yaml/a", "/".join("d" * 100)), b"")),
    "links_out": ("link_outside", lambda: {"log.swf": SWF}),
}  # fmt: skip
"""Each with a reason that its refusal or a row of it has (None: whatever the reader says), and its files."""
LINKS = {
    "passwd.swf": "/etc/passwd", "up.swf": "..", "etc": "/etc", "gone.swf": "nothing", "loop.swf": "loop.swf",
    "here": ".", "trace.yaml": "/etc/hostname", "zero.swf": "/dev/zero",
}  # fmt: skip


def make(name, folder) -> None:
    """Make the drop of a trap in a folder that does not exist yet."""
    files = TRAPS[name][1]()
    seeds.write({n: text if isinstance(text, bytes) else text.encode() for n, text in files.items()}, folder)
    for link, target in LINKS.items() if name == "links_out" else ():
        (folder / link).symlink_to(target)

"""Accounting of LSF: sections of variable length, quotes, versions, counts that do not fit, every line's fate."""

import gzip

import polars as pl
import pytest

from pipeline.stages import ingest

KIB_GB = 1024 / 1e9
BASE = 1_709_283_600
USE = "5793.25 67.5 966960 0 -1 0 0 30263 0 0 0 0 -1 0 0 0 12529 6498 -1"
NEWER = '"" "" "" "" 0 "" 0 "" -1 "/ada" "" "" "" -1 "" "" 6160 "" 1709283660 "" ""'
HOSTS = "2 n01 1306 0 2896 242 0 n02 1291 0 2896 66 0"
NEWEST = '0 868864 "select[type == local] " "" -1 "" -1 0 "" 0 0 "" 7200 "/home/ada" 0'


def record(
    job=501, submit=BASE, start=BASE + 60, end=BASE + 3660, asked="0", used='2 "16*n01" "16*n02"', status=64,
    name="cfd", command="./run", index=0, memory=20971520, more=f"{NEWER} 0 0 14400 {NEWEST}",
):  # fmt: skip
    return (
        f'"JOB_FINISH" "10.1" {end} {job} 2001 33554450 32 {submit} 0 0 {start} "ada" "normal" "" "" "" "login1" '
        f'"/home" "" "" "" "{submit}.{job}" {asked} {used} {status} 60.0 "{name}" "{command}" {USE} "" "lab" 0 32 '
        f'"" "" {index} {memory} 0 {more}'.rstrip()
    )


def run(folder, lines, trace_yaml="share: nodes", name="lsb.acct"):
    drop = folder / "demo"
    drop.mkdir(parents=True, exist_ok=True)
    content = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
    (drop / name).write_bytes(content)
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def only_job(folder, trace_yaml="share: nodes", **values):
    _, result = run(folder, [record(**values)], trace_yaml)
    return result["jobs"].row(0, named=True)


def fates(tables):
    rows = tables["tallies"].select("fate", "reason", "rows").rows()
    return {reason or fate: count for fate, reason, count in rows}


def test_a_record_becomes_a_job(tmp_path):
    summary, result = run(tmp_path, [record()])
    assert (summary.format, summary.code) == ("lsf", 0)
    assert result["jobs"].rows(named=True) == [
        {
            "trace": "demo", "job_id": "501", "submit_s": 0.0, "nodes": 2, "walltime_s": 14400.0,
            "runtime_s": 3600.0, "requested_memory_gb": None, "used_memory_gb": pytest.approx(10485760 * KIB_GB),
            "user": "ada", "name": "cfd", "partition": "normal", "start_s": 60.0, "end_s": 3660.0, "position": 0,
            "sensitivity": None,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["lsb.acct", "lsb.acct.1", "jan.txt", "a.log.gz", "lsb.acct.gz"])
def test_files_are_known_by_their_first_record(tmp_path, name):
    content = f"{record()}\n".encode()
    summary, result = run(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name=name)
    assert (summary.format, result["jobs"].height) == ("lsf", 1)


@pytest.mark.parametrize(
    ("used", "nodes", "cores"),
    [
        ('2 "16*n01" "16*n02"', 2, 32),
        ('4 "n01" "n01" "n02" "n02"', 2, 4),
        ('1 "n01"', 1, 1),
        ('3 "2*n01" "n02" "n02"', 2, 4),
        ('1 "a*b"', 1, 1),
    ],
)
def test_hosts_and_slots(tmp_path, used, nodes, cores):
    assert only_job(tmp_path / "a", used=used)["nodes"] == nodes
    assert only_job(tmp_path / "b", "share: cores", used=used)["nodes"] == cores


def test_hosts_asked_for_move_the_fields_behind(tmp_path):
    assert only_job(tmp_path, asked='2 "n01" "n02"')["nodes"] == 2


@pytest.mark.parametrize(
    "more",
    [
        f"{NEWER} 0 0 14400 {NEWEST}",
        f'{NEWER} 2 1110 "default" 1041 "x y" 0 14400 {NEWEST}',
        f"{NEWER} 0 {HOSTS} 14400 {NEWEST}",
        f"{NEWER} 0 {HOSTS.replace(' 0 n02', ' n02').removesuffix(' 0')} 14400 {NEWEST}",
        f'{NEWER} 1 1110 "default" {HOSTS} 14400 {NEWEST}',
    ],
)
def test_the_limit_stands_behind_two_sections_of_variable_length(tmp_path, more):
    assert only_job(tmp_path, more=more)["walltime_s"] == 14400.0


@pytest.mark.parametrize(
    ("more", "observed"),
    [
        ("", 0),
        (NEWER.partition(" -1")[0], 0),
        (f"{NEWER} 0 0 -1 {NEWEST}", 0),
        (f"{NEWER} 1 0 14400 {NEWEST}", 1),
        (f"{NEWER} 0 3 n01 1306 0 2896 242 0 14400 {NEWEST}", 1),
    ],
)
def test_without_a_limit_or_where_it_cannot_be_found_the_job_is_used(tmp_path, more, observed):
    _, result = run(tmp_path, [record(more=more)])
    assert result["jobs"]["walltime_s"].to_list() == [None]
    assert fates(result).get("walltime_s_unreadable", 0) == observed


def test_quotes_in_texts_are_doubled(tmp_path):
    job = only_job(tmp_path, name='a ""b"" 64 60.0', command='""exec"" ""sh"" ""x""')
    assert job["name"] == 'a "b" 64 60.0'
    assert job["walltime_s"] == 14400.0


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"used": '1 "16*n01" "16*n02"'}, "status '16*n02' is neither done nor exit"),
        ({"used": '3 "16*n01" "16*n02"'}, "3 hosts used are announced"),
        ({"asked": "1"}, "1 hosts asked for are announced"),
        ({"asked": "-1"}, "no count of the hosts asked for"),
        ({"status": 1}, "status '1' is neither done nor exit"),
        ({"name": 'a" "b'}, "the use of resources is 19 numbers"),
        ({"command": 'a"b'}, "a quote does not end"),
        ({"index": '""'}, "field '' is not a whole number"),
        ({"submit": "soon"}, "field 'soon' is not a time"),
    ],
)
def test_a_count_that_does_not_fit_is_said(tmp_path, broken, sentence):
    _, result = run(tmp_path, [record(), record(502, **broken)])
    row = result["rejected_rows"].row(0, named=True)
    assert (row["file"], row["row"], row["reason"]) == ("lsb.acct", 2, "malformed_line")
    assert sentence in row["detail"]


def test_every_line_has_a_fate(tmp_path):
    lines = [
        record(),
        record(502, index=3),
        record(503, start=0, used="0"),
        '"JOB_RESIZE" "10.1" 1709290905 501 0',
        '"EVENT_ADRSV_FINISH" "10.1" 1709290905 1 2',
        '"SOMETHING" 1',
        "words",
        record(504, start=BASE - 5),
        record(505, submit=0),
        record(506, end=BASE + 30),
        record(507, used="0"),
        record(508),
        record(508, end=BASE + 9000),
        record()[:150],
    ]
    _, result = run(tmp_path, lines)
    assert fates(result) == {
        "used": 3, "never_started": 1, "other_record": 2, "malformed_line": 3, "start_before_submit": 1,
        "outside_span": 1, "end_before_start": 1, "nodes_missing": 1, "requeued": 1,
    }  # fmt: skip
    assert result["jobs"]["job_id"].sort().to_list() == ["501", "502[3]", "508"]
    assert dict(result["provenance"].select("file", "rows").rows())["lsb.acct"] == len(lines)

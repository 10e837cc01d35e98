"""Tables of kernels and of pairs measured side by side."""

import polars as pl

from pipeline import ingest


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    assert summary.format == "kernels"
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").iterdir()}


def rejected(found):
    return found["rejected_rows"].select("row", "reason").rows()


def tallies(found):
    return {(row["fate"], row["reason"]): row["rows"] for row in found["tallies"].iter_rows(named=True)}


def test_kernels_of_a_table(tmp_path):
    text = "kernel,gflops,memory_gbps\nBS,161.3,403.5\nGS,19.6,340.9\nBS,1,1\nRG,x,1\n"
    _, found = run(tmp_path, {"kernels.csv": text})
    assert found["kernels"].select("app", "kernel", "gflops", "origin").rows() == [
        ("BS", "BS", 161.3, "given"),
        ("GS", "GS", 19.6, "given"),
    ]
    assert rejected(found) == [(5, "gflops_unreadable"), (4, "duplicate_kernel")]


def test_saturation_is_of_the_gpu_that_the_table_or_the_drop_states(tmp_path):
    text = "kernel,gflops,memory_gbps,saturation_sms\nBS,161.3,403.5,9\nGS,19.6,340.9,\nRG,1,1,-2\n"
    _, found = run(tmp_path / "drop", {"kernels.csv": text}, "sms: 30\n")
    assert found["kernels"].select("kernel", "saturation_sms", "gpu_sms").rows() == [("BS", 9.0, 30), ("GS", None, 30)]
    assert [row for row, _ in rejected(found)] == [4]
    text = "kernel,gflops,memory_gbps,gpu_sms\nBS,161.3,403.5,28\n"
    _, found = run(tmp_path / "table", {"kernels.csv": text})
    assert found["kernels"]["gpu_sms"].to_list() == [28]


def test_pairs_need_slowdowns_or_times(tmp_path):
    text = "app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s\na,b,2,4,3,5\nc,d,,4,3,5\ne,f,0,4,3,5\n"
    _, found = run(tmp_path, {"corun_pairs.csv": text})
    assert found["corun_pairs"].select("slowdown_a", "slowdown_b", "alone_a_s").row(0) == (1.5, 1.25, 2.0)
    assert found["rejected_rows"].height == 2
    assert (3, "slowdown_missing") in rejected(found)


def test_a_table_with_decimal_commas_is_refused(tmp_path):
    # Row 2 alone would be read, as 1.53 GFLOP/s.
    text = 'kernel,gflops,memory_gbps\na,1.530,40\nb,"410,5",20\n'
    summary, found = run(tmp_path, {"kernels.csv": text})
    assert summary.code == 2
    assert found["rejected_rows"].select("row", "reason", "detail").rows() == [
        (3, "decimal_comma", "gflops = 410,5 has a decimal comma; write the numbers of the file with decimal points")
    ]


def test_an_occupancy_above_one_is_rejected(tmp_path):
    text = "kernel,gflops,memory_gbps,occupancy\na,100,50,37.2\nb,100,50,1\n"
    _, found = run(tmp_path, {"kernels.csv": text})
    assert found["rejected_rows"].select("row", "reason", "detail").rows() == [
        (2, "occupancy_too_large", "occupancy = 37.2, at most 1 would be right")
    ]
    assert found["kernels"]["kernel"].to_list() == ["b"]

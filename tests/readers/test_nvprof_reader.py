"""Exports of nvprof: units that differ by file, values with units, cut and mixed files, and what becomes of them."""

import gzip
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import drops
from pipeline.fit.pairing import card
from pipeline.readers import nvprof
from pipeline.readers._gpu_profile import app_of
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest

MESSAGES = "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n"
HEADER = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",'
    '"Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"\n'
)
UNITS = "ms,us,,,,,,,,KB,B,MB,GB/s,,,,\n"
GPU = '"GeForce GTX 1080 Ti (0)","1","7",'
COPY = f'100.0,500.0,,,,,,,,,,2.0,4.0,{GPU}"[CUDA memcpy HtoD]"\n'
SET = f'101.0,10.0,,,,,,,,,,1.0,4.0,{GPU}"[CUDA memset]"\n'
KERNEL = f'102.0,250.0,56,2,1,256,1,1,32,1.0,0,,,{GPU}"void k<int, float>(int*, int) [12]"\n'
AGAIN = f'103.0,750.0,56,2,1,256,1,1,32,1.0,0,,,{GPU}"void k<int, float>(int*, int) [15]"\n'
TRACE = MESSAGES + HEADER + UNITS + COPY + SET + KERNEL + AGAIN
METRICS_HEADER = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
SUMMARY_HEADER = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n'


def metric(name, value, kernel="void k<int, float>(int*, int)", calls=5):
    return f'"G","{kernel}",{calls},"{name}","text, with a comma",{value},{value},{value}\n'


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def reasons(tables):
    return tables["rejected_rows"].select("file", "row", "reason").rows()


def tallies(tables):
    return {(row["table_name"], row["reason"]): row["rows"] for row in tables["tallies"].iter_rows(named=True)}


def test_a_trace_tells_kernels_and_the_application(tmp_path):
    summary, result = run(tmp_path, {"trace_a.csv": TRACE})
    assert (summary.code, summary.format) == (0, "nvprof")
    kernel = result["kernels"].row(0, named=True)
    assert result["kernels"].height == 1
    assert (kernel["app"], kernel["kernel"], kernel["launches"]) == ("a", "void k<int, float>(int*, int)", 2)
    assert kernel["time_s"] == pytest.approx(1e-3)
    assert kernel["blocks"] == 112
    # 256 threads and 32 registers a thread: 8 blocks of 2048 threads an SM, 28 SMs of a GTX 1080 Ti hold 224 at once.
    assert kernel["waves"] == pytest.approx(112 / 224)
    assert kernel["gpu_sms"] == 28
    assert kernel["missing"] == "gflops memory_gbps dram_gbps occupancy"
    app = result["gpu_apps"].row(0, named=True)
    assert app["start_s"] == pytest.approx(0.1)
    assert app["span_s"] == pytest.approx(0.00375)
    # The filling of memory is no copy between host and GPU.
    assert app["copy_s"] == pytest.approx(5e-4)
    assert app["copied_gb"] == pytest.approx(2 * 1024**2 / 1e9)
    assert app["device"] == "GeForce GTX 1080 Ti (0)"


@pytest.mark.parametrize(("start", "time"), [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_units_are_those_of_the_file(tmp_path, start, time):
    units = f"{start},{start},,,,,,,,B,B,KB,MB/s,,,,\n"
    _, result = run(tmp_path, {"trace_a.csv": MESSAGES + HEADER + units + COPY + KERNEL})
    app = result["gpu_apps"].row(0, named=True)
    assert app["kernel_s"] == pytest.approx(250 * time)
    assert app["start_s"] == pytest.approx(100 * time)
    assert app["copied_gb"] == pytest.approx(2048e-9)


def test_metrics_give_rates_in_decimal_units(tmp_path):
    metrics = MESSAGES + METRICS_HEADER + "".join([
        metric("flop_count_sp", '"2,000,000"'), metric("flop_count_dp", "500000"), metric("gld_throughput", "2GB/s"),
        metric("gst_throughput", "512MB/s"), metric("dram_read_throughput", "1.5GB/s"),
        metric("dram_write_throughput", "0B/s"), metric("achieved_occupancy", "0.75"),
        metric("dram_utilization", '"Low (3)"'), metric("branch_efficiency", "99.98%"),
    ])  # fmt: skip
    summary, result = run(tmp_path, {"trace_a.csv": TRACE, "metrics_a.csv": metrics})
    assert summary.code == 0
    kernel = result["kernels"].row(0, named=True)
    # A mean launch takes 0.5 ms, in which it does 2.5 million operations.
    assert kernel["gflops"] == pytest.approx(2.5e6 / 0.5e-3 / 1e9)
    assert kernel["memory_gbps"] == pytest.approx(2.5 * 1024**3 / 1e9)
    assert kernel["dram_gbps"] == pytest.approx(1.5 * 1024**3 / 1e9)
    assert (kernel["occupancy"], kernel["dram_utilisation"], kernel["missing"]) == (0.75, pytest.approx(0.3), None)
    assert (kernel["launches"], kernel["time_s"]) == (2, pytest.approx(1e-3))


def test_metrics_alone_leave_times_open(tmp_path):
    _, result = run(tmp_path, {"metrics_a.csv": METRICS_HEADER + metric("gld_throughput", "2GB/s", calls=9)})
    kernel = result["kernels"].row(0, named=True)
    assert (kernel["launches"], kernel["time_s"], kernel["gflops"]) == (9, None, None)
    assert kernel["missing"].split() == ["time_s", "gflops", "dram_gbps", "occupancy", "blocks", "waves"]
    assert result["gpu_apps"].row(0, named=True)["copy_s"] is None


def test_a_summary_tells_times_but_not_when(tmp_path):
    rows = (
        "%,ms,,ms,ms,ms,\n".join([SUMMARY_HEADER, ""]).replace(SUMMARY_HEADER, SUMMARY_HEADER + ",", 1)
        + 'GPU activities,80,"1,200.5",10,120.05,100,130,"k(int*)"\n'
        + 'GPU activities,20,300,2,150,150,150,"[CUDA memcpy DtoH]"\n'
        + 'API calls,100,9000,1,9000,9000,9000,"cudaMalloc"\n'
    )
    _, result = run(tmp_path, {"summary_a.csv": MESSAGES + rows})
    kernel = result["kernels"].row(0, named=True)
    assert result["kernels"].height == 1
    assert (kernel["launches"], kernel["time_s"]) == (10, pytest.approx(1.2005))
    app = result["gpu_apps"].row(0, named=True)
    assert (app["start_s"], app["copy_s"]) == (None, pytest.approx(0.3))


def test_a_trace_goes_before_a_summary(tmp_path):
    rows = SUMMARY_HEADER + ",%,ms,,ms,ms,ms,\n" + 'GPU activities,80,9000,10,900,1,1,"other(int*)"\n'
    for files in ({"summary_a.csv": rows, "trace_a.csv": TRACE}, {"a.csv": TRACE, "a_summary.csv": rows}):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        _, result = run(folder, files)
        assert result["gpu_apps"]["kernel_s"].item() == pytest.approx(1e-3)


def test_a_missing_row_of_units_is_refused(tmp_path):
    summary, result = run(tmp_path, {"trace_a.csv": MESSAGES + HEADER + KERNEL, "trace_b.csv": TRACE})
    assert summary.code == 1
    assert reasons(result) == [("trace_a.csv", 4, "units_missing")]
    assert result["gpu_apps"]["app"].to_list() == ["b"]
    summary, result = run(tmp_path / "2", {"trace_a.csv": MESSAGES + HEADER + KERNEL})
    assert summary.code == 2


def test_an_unknown_unit_is_named(tmp_path):
    _, result = run(tmp_path, {"trace_a.csv": HEADER + UNITS.replace("us", "usec") + KERNEL, "trace_b.csv": TRACE})
    detail = result["rejected_rows"].filter(pl.col("reason") == "unit_unknown")["detail"].item()
    assert "Duration is 'usec'" in detail and "us" in detail


def test_two_tables_of_one_file_have_their_own_units(tmp_path):
    other = HEADER + UNITS.replace("ms,us", "s,ms") + KERNEL.replace("102.0,250.0", "0.2,0.25")
    _, result = run(tmp_path, {"trace_a.csv": MESSAGES + HEADER + UNITS + KERNEL + other})
    kernel = result["kernels"].row(0, named=True)
    assert (kernel["launches"], kernel["time_s"]) == (2, pytest.approx(5e-4))


def test_values_in_mixed_units_are_scaled_one_by_one(tmp_path):
    rows = [
        metric("gld_throughput", value, kernel=f"k{i}()")
        for i, value in enumerate(("1GB/s", "1024MB/s", "1048576KB/s"))
    ]
    _, result = run(tmp_path, {"metrics_a.csv": METRICS_HEADER + "".join(rows)})
    assert result["kernels"]["memory_gbps"].to_list() == pytest.approx([1024**3 / 1e9] * 3)


@pytest.mark.parametrize("value", ["n/a", "<OVERFLOW>", "fast", "12.3GB/h", '""'])
def test_words_where_numbers_belong_are_rejected(tmp_path, value):
    text = METRICS_HEADER + metric("gld_throughput", value) + metric("achieved_occupancy", "0.5")
    _, result = run(tmp_path, {"metrics_a.csv": text})
    assert reasons(result) == [("metrics_a.csv", 2, "value_unreadable")]
    assert result["kernels"]["occupancy"].item() == 0.5


def test_percent_signs_and_words_in_a_trace_are_rejected(tmp_path):
    bad = KERNEL.replace("250.0", "5%") + KERNEL.replace("102.0", "soon") + KERNEL.replace("56,2,1", "many,2,1")
    _, result = run(tmp_path, {"trace_a.csv": MESSAGES + HEADER + UNITS + bad + KERNEL})
    assert [(row, reason) for _, row, reason in reasons(result)] == [
        (5, "time_s_unreadable"),
        (6, "start_s_unreadable"),
        (7, "blocks_unreadable"),
    ]
    assert result["kernels"]["launches"].item() == 1


@pytest.mark.parametrize("kept", [0.97, 0.9])
def test_a_profile_cut_in_half_keeps_whole_lines(tmp_path, kept):
    cut = TRACE[: int(len(TRACE) * kept)]
    _, result = run(tmp_path, {"trace_a.csv": cut})
    assert result["kernels"]["launches"].item() == cut.count("\n") - TRACE.count("\n") + 2
    lines = [(row, reason) for _, row, reason in reasons(result)]
    assert lines == [(cut.count("\n") + 1, "truncated_line")]


def test_a_profile_cut_before_its_first_row_is_refused(tmp_path):
    for number, text in enumerate((MESSAGES, MESSAGES + HEADER, MESSAGES + HEADER + UNITS, MESSAGES + HEADER[:40])):
        summary, result = run(tmp_path / str(number), {"trace_a.csv": text, "trace_b.csv": TRACE})
        assert summary.code == 1
        assert result["gpu_apps"]["app"].to_list() == ["b"]
        assert "trace_a.csv" in {file for file, _, _ in reasons(result)}


def test_quotes_and_commas_of_kernel_names(tmp_path):
    broken = KERNEL.replace('(int*, int) [12]"', "(int*, int) [12]")
    _, result = run(tmp_path, {"trace_a.csv": MESSAGES + HEADER + UNITS + broken + "1,2,3\n" + KERNEL})
    assert [(row, reason) for _, row, reason in reasons(result)] == [(5, "malformed_line"), (6, "malformed_line")]
    assert result["kernels"]["kernel"].to_list() == ["void k<int, float>(int*, int)"]


def test_gzip_and_windows_line_ends(tmp_path):
    _, result = run(tmp_path, {"trace_a.csv.gz": gzip.compress(TRACE.replace("\n", "\r\n").encode())})
    assert result["kernels"]["launches"].item() == 2


def test_names_of_files_tell_the_application(tmp_path):
    named = drops.DropSettings(aliases={"bfs": "rodinia_bfs"})
    names = {
        "traces_x.csv": "x", "metrics_x.csv": "x", "x.csv": "x", "x_gpu_trace.csv.gz": "x", "nvprof_summary_x.csv": "x",
        "bfs.csv": "rodinia_bfs", "trace_bfs.csv": "rodinia_bfs", "tracer.csv": "tracer", "trace.csv": "trace",
    }  # fmt: skip
    assert {name: app_of(tmp_path / name, named) for name in names} == names


def test_the_same_profile_twice_is_refused(tmp_path):
    _, result = run(tmp_path, {"trace_a.csv": TRACE, "traces_a.csv": TRACE})
    assert reasons(result) == [("traces_a.csv", None, "profile_repeated")]
    assert result["kernels"]["launches"].item() == 2


def test_pairs_are_named_by_aliases_and_strangers_remarked_on(tmp_path):
    pairs = "app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s\nb0,a,10,20,15,25\na,ghost,1,1,2,2\n"
    yaml = "aliases: {b0: b}\n"
    _, result = run(tmp_path, {"trace_a.csv": TRACE, "trace_b.csv": TRACE, "corun_pairs.csv": pairs}, yaml)
    rows = result["corun_pairs"].select("app_a", "app_b", "slowdown_a", "slowdown_b").rows()
    assert rows == [("a", "ghost", 2.0, 2.0), ("b", "a", 1.5, 1.25)]
    assert tallies(result)["corun_pairs", "profile_absent"] == 1
    assert "ghost" in result["tallies"].filter(pl.col("reason") == "profile_absent")["detail"].item()


def test_an_alias_of_an_alias_is_refused(tmp_path):
    summary, result = run(tmp_path, {"trace_a.csv": TRACE}, "aliases: {x: y, y: z}\n")
    assert summary.code == 2
    assert "x means y, which is an alias itself" in result["rejected_rows"]["detail"][0]


def test_same_bytes_whatever_the_order_of_lines_of_other_files(tmp_path):
    first, _ = run(tmp_path / "1", {"trace_a.csv": TRACE, "trace_b.csv": TRACE}), None
    second, _ = run(tmp_path / "2", {"trace_b.csv": TRACE, "trace_a.csv": TRACE}), None
    assert first[1]["kernels"].equals(second[1]["kernels"])


def test_other_tables_are_not_taken(tmp_path):
    (tmp_path / "jobs.csv").write_text("job_id,submit_s,nodes\n1,0,1\n")
    (tmp_path / "text.csv").write_text("Metric Name of something\n")
    assert nvprof.recognises(sorted(tmp_path.iterdir()), drops.DropSettings()) == []


def test_a_value_in_the_unit_of_something_else_is_rejected(tmp_path):
    metrics = METRICS_HEADER + "".join([
        metric("gld_throughput", "12%"), metric("gst_throughput", "3"), metric("flop_count_sp", "2GB/s"),
        metric("dram_read_throughput", '"Low (1)"'), metric("achieved_occupancy", "50%"),
        metric("dram_utilization", "high"),
    ])  # fmt: skip
    _, result = run(tmp_path, {"trace_a.csv": TRACE, "metrics_a.csv": metrics})
    kernel = result["kernels"].row(0, named=True)
    assert (kernel["memory_gbps"], kernel["gflops"], kernel["dram_gbps"]) == (None, None, None)
    assert kernel["occupancy"] == 0.5
    rejected = dict(result["rejected_rows"].select("row", "detail").iter_rows())
    assert rejected == {
        2: "gld_throughput = 12% is a share, not a rate",
        3: "gst_throughput = 3 is a number, not a rate",
        4: "flop_count_sp = 2GB/s is a rate, not a number",
        5: "dram_read_throughput = Low (1) is a share, not a rate",
        7: "Avg = high is not a number",
    }


def test_a_lone_carriage_return_ends_no_line(tmp_path):
    damaged = TRACE.replace("GeForce GTX", "GeForce\rGTX", 1)
    assert damaged != TRACE
    _, result = run(tmp_path, {"trace_a.csv": damaged})
    assert result["gpu_apps"].height == 1


METRICS = METRICS_HEADER + metric("gld_throughput", "2GB/s") + metric("dram_utilization", '"Low (3)"')


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.data())
def test_damage_is_told_and_never_raised(data):
    files = {}
    for name, text in (("trace_a.csv", TRACE), ("metrics_a.csv", METRICS), ("trace_b.csv", TRACE)):
        content = bytearray(text.encode())
        for _ in range(data.draw(st.integers(0, 6))):
            at = data.draw(st.integers(0, len(content) - 1))
            content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        files[name] = bytes(content)
    with tempfile.TemporaryDirectory() as folder:
        summary, result = run(Path(folder), files)
    if summary.format is not None and "kernels" in result:
        assert result["kernels"].select(pl.col("time_s").is_finite().all()).item() is not False
    assert (result["rejected_rows"]["detail"].str.len_chars() > 0).all()


MAGUS_ALIASES = {
    "binopt": "binomialOptions", "convfft2d": "convolutionFFT2D",
    **{name: name for name in ("interval", "reduction", "scan", "radixSortThrust", "MCSingleAsianOptionP",
                               "quasirandomGenerator", "mergeSort", "transpose", "matrixMul", "sortingNetworks",
                               "SobolQRNG")},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.real
def test_magus_profiles_read_whole_and_pairs_find_them(trace_data, tmp_path):
    drop = tmp_path / "magus"
    drop.mkdir()
    for kind in ("traces", "metrics"):
        with tarfile.open(trace_data / "gpu" / f"magus_nvprof_{kind}.tar.xz") as archive:
            archive.extractall(drop, filter="data")
    (drop / "corun_pairs.csv").write_bytes((trace_data / "gpu" / "magus_corun_pairs.csv").read_bytes())
    lines = [f"  {time}_{side}_s: {{from: {time}_{side}_ms, unit: ms}}" for time in ("alone", "corun") for side in "ab"]
    lines += ["aliases:", *(f"  {name}: cudasdk_{app}" for name, app in MAGUS_ALIASES.items())]
    lines += ["  cudasdk_c11Cuda: cudasdk_c++11Cuda", "  rodinia_btree: rodinia_b+tree"]
    (drop / "trace.yaml").write_text("\n".join(["columns:", *lines]) + "\n")
    summary = ingest.ingest(drop, tmp_path / "ingest")
    # 79 rows are pairs whose times alone nobody measured; the metrics of one application are an empty file.
    assert summary.rejected.keys() == {"slowdown_missing"}
    assert summary.rejected["slowdown_missing"][0] == 79
    assert summary.unread == ["metrics_cudasdk_segmentationTreeThrust.csv"]
    apps = pl.read_parquet(tmp_path / "ingest" / "gpu_apps.parquet")
    assert apps.height == 79
    assert apps.filter(pl.col("missing").is_not_null())["app"].to_list() == ["cudasdk_segmentationTreeThrust"]
    kernels = pl.read_parquet(tmp_path / "ingest" / "kernels.parquet")
    # Below what the data sheet of the GTX 1080 Ti says: 484 GB/s, 11.3 TFLOP/s.
    assert 400 < kernels["dram_gbps"].max() < 484
    assert 4000 < kernels["gflops"].max() < 11340
    assert kernels["occupancy"].max() <= 1
    # Bytes moved by transactions of 32 B in the time of the trace: the throughput means what we take it for.
    reduce6 = kernels.filter(
        pl.col("kernel").str.contains("reduce6<int, unsigned int=256") & (pl.col("launches") == 101)
    )
    assert reduce6["dram_gbps"].item() == pytest.approx(
        (2097193 + 42432) * 32 / (reduce6["time_s"].item() / 101) / 1e9, rel=0.02
    )
    pairs = pl.read_parquet(tmp_path / "ingest" / "corun_pairs.parquet")
    assert pairs.height == 156
    assert set(pairs["app_a"]) <= set(apps["app"])
    tallied = pl.read_parquet(tmp_path / "ingest" / "tallies.parquet")
    assert "profile_absent" not in tallied["reason"].to_list()

    fit_drop.fit(tmp_path / "ingest", tmp_path / "fit")
    best = pl.read_parquet(tmp_path / "fit" / "best_pairs.parquet")
    assert best.height == 13
    # Measured in both orders: 1054.25 and 1044.3 ms beside matrixMul, 659.2 ms alone.
    of = card(pairs)
    at = [of.apps.index(f"cudasdk_{app}") for app in ("SobolQRNG", "matrixMul")]
    shares = [659.2 / 1054.25, 659.2 / 1044.3]
    assert of.share[*at] == pytest.approx(np.mean(shares))


def test_values_with_decimal_commas_and_an_occupancy_above_one(tmp_path):
    rows = [("gld_throughput", '"1.100,5GB/s"'), ("flop_count_sp", "2000"), ("achieved_occupancy", '"37,2"')]
    text = METRICS_HEADER + "".join(metric(*row) for row in rows)
    _, result = run(tmp_path, {"a.csv": text})
    assert result["kernels"]["memory_gbps"].item() == pytest.approx(1100.5 * 1024**3 / 1e9)
    assert result["rejected_rows"].select("reason", "detail").rows() == [
        ("occupancy_too_large", "achieved_occupancy = 37,2 is more than the 1 of an SM")
    ]
    mixed = METRICS_HEADER + metric("gld_throughput", '"1.100,5GB/s"') + metric("gst_throughput", "10.5GB/s")
    summary, result = run(tmp_path / "mixed", {"a.csv": mixed})
    assert summary.code == 2
    assert result["rejected_rows"]["reason"].to_list() == ["decimal_marks_mixed", "table_missing"]


def test_a_device_that_is_in_no_table_is_said(tmp_path):
    rates = [("flop_count_sp", "2000"), ("gld_throughput", "80.0GB/s")]
    files = {"trace_a.csv": TRACE, "metrics_a.csv": METRICS_HEADER + "".join(metric(*row) for row in rates)}
    summary, _ = run(tmp_path / "known", files)
    assert summary.traces["note"].item().startswith("GPU: GeForce GTX 1080 Ti, 28 SMs (looked up)")
    files["trace_a.csv"] = TRACE.replace("GeForce GTX 1080 Ti", "GeForce GTX 9999")
    summary, _ = run(tmp_path / "strange", files)
    assert (
        summary.traces["note"]
        .item()
        .startswith(
            "The profiles name GeForce GTX 9999 (0), of which pipeline/gpus/gpus.csv has no row. "
            "GPU assumed: TITAN Xp, "
        )
    )


def test_rates_that_are_missing_are_said_with_what_they_are_made_of(tmp_path):
    text = METRICS_HEADER + metric("gld_throughput", "80.0GB/s") + metric("flop_count_sp", "2000")
    summary, _ = run(tmp_path / "untimed", {"metrics_a.csv": text})
    note = summary.traces["note"].item()
    assert note.startswith("1 of 1 kernels have no gflops, so no pairs are made of them: metrics_a.csv lacks durat")
    summary, _ = run(tmp_path / "timed", {"trace_a.csv": TRACE, "metrics_a.csv": METRICS_HEADER + metric("x", "1")})
    assert "have no gflops and no memory_gbps, so no pairs are made of them: trace_a.csv lacks the metrics " in (
        summary.traces["note"].item()
    )


FAULTS = "103.5" + "," * 16 + '"PC 0x4","0x7f","[Unified Memory CPU page faults]"\n'
UNIFIED = (
    '\n==7== Unified Memory profiling result:\n"Device","Count","Avg Size","Min Size","Max Size","Total Size",'
    '"Total Time",""\n"TITAN Xp (0)",158,40.8KB,4.0KB,600.0KB,6.3MB,0.0,"Host To Device"\n'
    '"TITAN Xp (0)",33,,,,,5.3,"Gpu page fault groups"\nTotal CPU Page faults: 49\n'
)


def test_page_faults_of_unified_memory_are_read_over(tmp_path):
    wide = HEADER.replace('"Name"', '"Unified Memory","Virtual Address","Name"')
    rows = [row.replace(GPU, GPU + ",,") for row in (COPY, KERNEL, AGAIN)]
    trace = MESSAGES + wide + UNITS.replace("\n", ",,\n") + "".join([rows[0], FAULTS, *rows[1:]]) + UNIFIED
    summary, result = run(tmp_path, {"a.csv": trace})
    assert (summary.code, reasons(result)) == (0, [])
    assert result["kernels"].select("launches", "time_s").rows() == [(2, pytest.approx(1e-3))]
    assert result["gpu_apps"]["span_s"][0] == pytest.approx(0.00375)


@pytest.mark.parametrize("name", ["a.txt", "a.log", "nvprof.12"])
@pytest.mark.parametrize("first", ['"Type",', ""])
def test_a_summary_may_have_any_name(tmp_path, name, first):
    kind = '"GPU activities",' if first else ""
    text = (
        f'{MESSAGES}{first}"Time(%)","Time","Calls","Avg","Min","Max","Name"\n{"," if first else ""}%,ms,,us,us,ms,\n'
    )
    summary, result = run(tmp_path, {name: text + f'{kind}100.0,250.0,5,50,45,1.6,"flux(int)"\n' + UNIFIED})
    assert (summary.code, summary.format, reasons(result)) == (0, "nvprof", [])
    assert result["kernels"].select("app", "launches", "time_s").row(0)[1:] == (5, pytest.approx(0.25))


def test_the_summary_called_txt(trace_data, tmp_path):
    text = (trace_data / "field" / "nvprof_csv_named.txt").read_text()
    summary, result = run(tmp_path, {"nvprof_csv_named.txt": text})
    assert (summary.code, reasons(result)) == (0, [])
    assert dict(result["kernels"].select("kernel", "time_s").rows()) == {
        "flux(int, float*)": pytest.approx(0.26835),
        "step(int, float*)": pytest.approx(0.08808),
    }

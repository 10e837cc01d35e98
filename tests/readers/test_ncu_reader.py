"""Exports of Nsight Compute: old and new headers, names of units, thousands commas, and what becomes of bad rows."""

import polars as pl
import pytest

from pipeline.stages import ingest

NEW = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)
OLD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name",'
    '"Metric Name","Metric Unit","Metric Value"\n'
)
MESSAGES = '==PROF== Connected to process 7 (/usr/bin/a)\n==PROF== Profiling "k" - 0: 0%....100% - 10 passes\n'


def new(name, unit, value, launch=0, kernel="k(int *, int)"):
    return (
        f'"{launch}","7","a","host","{kernel}","1","7","(256, 1, 1)","(1,024, 2, 1)","0","8.0","Section","{name}",'
        f'"{unit}","{value}"\n'
    ).replace("(1,024, 2, 1)", "(1024, 2, 1)")


def old(name, unit, value, launch=0):
    place = f'"{launch}","7","a","host","k(int *, int)","2019-Jun-01 12:00:00","1","7","Section"'
    return f'{place},"{name}","{unit}","{value}"\n'


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def kernel_of(folder, text, **kw):
    summary, tables = run(folder, {"a.csv": text}, **kw)
    assert summary.format == "ncu"
    return tables["kernels"].row(0, named=True)


def test_details_of_a_new_version(tmp_path):
    rows = [
        ("Duration", "us", "2,000.5"), ("Memory Throughput", "%", "80"),
        ("Memory Throughput", "Gbyte/second", "1,234.5"),
        ("DRAM Throughput", "%", "79.5"), ("Achieved Occupancy", "%", "62.5"), ("Waves Per SM", "", "1.19"),
        ("Registers Per Thread", "register/thread", "32"),
    ]  # fmt: skip
    kernel = kernel_of(tmp_path, MESSAGES + NEW + "".join(new(*row) for row in rows))
    assert kernel["time_s"] == pytest.approx(2000.5e-6)
    assert (kernel["dram_gbps"], kernel["dram_utilisation"]) == (pytest.approx(1234.5), pytest.approx(0.795))
    assert (kernel["occupancy"], kernel["waves"], kernel["blocks"]) == (pytest.approx(0.625), pytest.approx(1.19), 2048)
    assert kernel["missing"] == "gflops memory_gbps"


@pytest.mark.parametrize(
    ("time", "scale"), [("nsecond", 1e-9), ("ns", 1e-9), ("usecond", 1e-6), ("msecond", 1e-3), ("second", 1.0)]
)
def test_old_version_without_columns_of_the_grid(tmp_path, time, scale):
    rows = [("Duration", time, "10"), ("Memory Throughput", "byte/second", "3000000000"), ("Grid Size", "", "4,096")]
    kernel = kernel_of(tmp_path, OLD + "".join(old(*row) for row in rows))
    assert kernel["time_s"] == pytest.approx(10 * scale)
    assert (kernel["dram_gbps"], kernel["blocks"]) == (pytest.approx(3.0), 4096)


def test_raw_metrics_are_summed_over_their_names(tmp_path):
    rows = [
        ("gpu__time_duration.sum", "ns", "1000"),
        ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "100"),
        ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "Kinst", "1"),
        ("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "50"),
        ("sm__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "50"),
        ("l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", "Gbyte/second", "10"),
        ("l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", "Mbyte/second", "500"),
        ("dram__bytes.sum.per_second", "GB/s", "7"),
        ("dram__bytes_read.sum.per_second", "GB/s", "6"),
        ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "50"),
    ]
    kernel = kernel_of(tmp_path, NEW + "".join(new(*row) for row in rows))
    # A fused multiply-add is two operations: 100 + 2000 + 50 in a microsecond; sm__ counts what smsp__ does.
    assert kernel["gflops"] == pytest.approx(2.150)
    assert kernel["memory_gbps"] == pytest.approx(10.5)
    # The sum over reads and writes is not counted together with its reads.
    assert kernel["dram_gbps"] == pytest.approx(7)
    assert kernel["occupancy"] == pytest.approx(0.5)


def test_launches_add_up(tmp_path):
    text = NEW + "".join(
        new("Duration", "us", time, launch) + new("Achieved Occupancy", "%", busy, launch)
        for launch, (time, busy) in enumerate([("10", "40"), ("30", "60")])
    )
    kernel = kernel_of(tmp_path, text)
    assert (kernel["launches"], kernel["time_s"]) == (2, pytest.approx(40e-6))
    assert kernel["occupancy"] == pytest.approx(0.5)


def test_bad_rows_are_rejected_and_the_rest_goes_on(tmp_path):
    text = (
        NEW + new("Duration", "fortnight", "1") + new("Achieved Occupancy", "%", "high") + new("Duration", "us", "5", 1)
    )
    _, tables = run(tmp_path, {"a.csv": text + '"2","7","a"'})
    assert sorted(tables["rejected_rows"].select("row", "reason").rows()) == [
        (2, "unit_unknown"),
        (3, "value_unreadable"),
        (5, "truncated_line"),
    ]
    assert tables["kernels"]["time_s"].item() == pytest.approx(5e-6)


def test_a_unit_of_something_else_is_rejected(tmp_path):
    text = NEW + new("Duration", "%", "1") + new("Achieved Occupancy", "us", "2") + new("Duration", "us", "5", 1)
    _, tables = run(tmp_path, {"a.csv": text})
    assert tables["rejected_rows"]["detail"].sort().to_list() == [
        "Achieved Occupancy = 2 is a time, not a share or a number",
        "Duration = 1 is a share, not a time",
    ]


def test_files_that_are_cut_or_hold_no_metric_are_refused(tmp_path):
    good = NEW + new("Duration", "us", "5")
    wide = '"ID","Kernel Name","Grid Size","launch__func_cache"\n"","","",""\n"0","k","(1, 1, 1)","5"\n'
    summary, tables = run(tmp_path, {"a.csv": MESSAGES, "b.csv": wide, "c.csv": NEW, "d.csv": good})
    assert summary.code == 1
    assert tables["gpu_apps"]["app"].to_list() == ["d"]
    assert dict(tables["rejected_rows"].select("file", "reason").rows()) == {
        "a.csv": "columns_missing",
        "b.csv": "columns_missing",
        "c.csv": "file_empty",
    }


def test_pairs_may_stand_beside(tmp_path):
    files = {name: NEW + new("Duration", "us", "5") for name in ("a.csv", "b.csv")}
    files["corun_pairs.csv"] = "app_a,app_b,slowdown_a,slowdown_b\na,b,1.1,1.2\n"
    _, tables = run(tmp_path, files)
    assert tables["corun_pairs"].select("slowdown_a", "slowdown_b").row(0) == (1.1, 1.2)


def test_the_wide_form_gives_both_rates(tmp_path):
    metrics = {
        "gpu__time_duration.sum": ("us", "2,000.5"),
        "smsp__cycles_elapsed.avg.per_second": ("Ghz", "1.25"),
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed": ("inst/cycle", "100"),
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed": ("inst/cycle", "60"),
        "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2": ("inst/cycle", "1,024.5"),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("sector", "10,000,000"),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ("sector", "2,500,000"),
        "dram__bytes.sum.per_second": ("Gbyte/s", "150.25"),
        "launch__waves_per_multiprocessor": ("", "1.19"),
        "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "62.5"),
    }
    names = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
             "Grid Size", "Device", "CC", *metrics]  # fmt: skip
    launch = ["0", "7", "a", "host", "k", "1", "7", "(256, 1, 1)", "(1024, 2, 1)", "0", "8.0"]
    rows = [names, [""] * len(launch) + [u for u, _ in metrics.values()], launch + [v for _, v in metrics.values()]]
    text = "".join(",".join(f'"{value}"' for value in row) + "\n" for row in rows)
    kernel = kernel_of(tmp_path, MESSAGES + text)
    # Operations a cycle times cycles a second, and 32 B a sector.
    assert kernel["gflops"] == pytest.approx((100 + 60 + 1024.5) * 1.25)
    assert kernel["memory_gbps"] == pytest.approx(12.5e6 * 32 * 1e-9 / 2000.5e-6)
    assert (kernel["dram_gbps"], kernel["waves"], kernel["blocks"]) == (
        pytest.approx(150.25),
        pytest.approx(1.19),
        2048,
    )
    assert (kernel["time_s"], kernel["occupancy"], kernel["missing"]) == (pytest.approx(2000.5e-6), 0.625, None)


DETAILS = [
    ("Elapsed Cycles", "cycle", "1,234,567"), ("Duration", "us", "1,530.2"),
    ("Memory Throughput", "Gbyte/s", "410.5"), ("DRAM Throughput", "%", "61.2"),
    ("Waves Per SM", "", "2.37"), ("Achieved Occupancy", "%", "37.2"),
]  # fmt: skip
COMMAS = str.maketrans(",.", ".,")


def test_an_export_with_decimal_commas_is_read_as_one_with_points(tmp_path):
    german = [(name, unit, value.translate(COMMAS)) for name, unit, value in DETAILS]
    points, commas = (
        kernel_of(tmp_path / str(n), NEW + "".join(new(*row) for row in rows))
        for n, rows in enumerate((DETAILS, german))
    )
    assert points["time_s"] == pytest.approx(1530.2e-6)
    assert (points["dram_gbps"], points["occupancy"]) == (pytest.approx(410.5), pytest.approx(0.372))
    assert commas == points


def test_an_export_that_mixes_decimal_marks_is_refused(tmp_path):
    mixed = [*DETAILS[:1], ("Duration", "us", "1.530,2"), *DETAILS[2:]]
    summary, tables = run(tmp_path, {"a.csv": NEW + "".join(new(*row) for row in mixed)})
    assert summary.code == 2
    assert tables["rejected_rows"].filter(file="a.csv").select("row", "reason", "detail").row(0) == (
        3,
        "decimal_marks_mixed",
        "1.530,2 has a decimal comma, and 1,234,567 in row 2 a decimal point; export the file anew with LC_ALL=C, so "
        "that all numbers have points",
    )


def test_an_occupancy_above_one_is_rejected(tmp_path):
    text = NEW + new("Achieved Occupancy", "%", "372") + new("Duration", "us", "5")
    _, tables = run(tmp_path, {"a.csv": text})
    assert tables["rejected_rows"].select("row", "reason", "detail").rows() == [
        (2, "occupancy_too_large", "Achieved Occupancy = 372.0 % is more than the 100 % of an SM")
    ]
    assert tables["kernels"]["occupancy"].to_list() == [None]


def test_rates_that_are_missing_are_said_with_their_metrics_and_the_command(tmp_path):
    summary, _ = run(tmp_path, {"a.csv": NEW + "".join(new(*row) for row in DETAILS)})
    assert summary.traces["note"].item() == (
        "1 of 1 kernels have no gflops and no memory_gbps, so no pairs are made of them: a.csv lacks "
        "smsp__sass_thread_inst_executed_op_{fadd,fmul,ffma,dadd,dmul,dfma}_pred_on.sum and "
        "l1tex__t_bytes_pipe_lsu_mem_global_op_{ld,st}.sum.per_second. Export with `ncu --csv --page raw --set full "
        "--metrics` and these names (the whole line is in docs/formats/ncu.md)."
    )


WIDE = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","device__attribute_display_name","gpu__time_duration.sum","smsp__cycles_elapsed.avg.per_second",'
    '"dram__bytes.sum.per_second","l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum",'
    '"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"\n'
    '"","","","","","","","","","","","","ns","hz","byte/second","byte","inst"\n'
)
WIDE_ROW = (
    '"0","7","a","host","k(int *)","1","7","(256, 1, 1)","(864, 1, 1)","0","8.0","NVIDIA A100-SXM4-40GB","2,000",'
    '"1,410,000,000.50","1,000,000,000,000","400,000","6,000,000"\n'
)


@pytest.mark.parametrize("messages", [MESSAGES, ""])
def test_base_units_and_the_name_of_the_gpu(tmp_path, messages):
    """`--page raw --print-units base` of 2024 and later."""
    summary, tables = run(tmp_path, {"a.csv": messages + WIDE + WIDE_ROW})
    assert (summary.code, summary.format) == (0, "ncu")
    kernel = tables["kernels"].row(0, named=True)
    # 6 million fused multiply-adds, 400 kB of loads and 2 us.
    assert (kernel["time_s"], kernel["gflops"]) == pytest.approx((2e-6, 6000))
    assert (kernel["memory_gbps"], kernel["dram_gbps"]) == pytest.approx((200, 1000))
    card = tables["gpus"].row(0, named=True)
    assert (card["gpu"], card["sms"], card["sms_origin"]) == ("A100-SXM4-40GB", 108, "looked_up")


def test_the_wide_form_of_old_versions_is_told_without_messages(tmp_path):
    header = '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream",'
    text = (
        header + '"gpu__time_duration.sum"\n"","","","","","","","","nsecond"\n"0","7","a","h","k","t","1","7","500"\n'
    )
    assert kernel_of(tmp_path, text)["time_s"] == pytest.approx(5e-7)


@pytest.mark.parametrize("absent", ["n/a", "nan", "N/A"])
def test_a_metric_that_the_gpu_lacks_is_missing_and_no_fault(tmp_path, absent):
    rows = [("Duration", "us", "2"), ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "", absent)]
    summary, tables = run(tmp_path, {"a.csv": NEW + "".join(new(*row) for row in rows)})
    assert summary.code == 0
    assert tables["kernels"]["dram_utilisation"].to_list() == [None]


RULES = ["Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]


@pytest.mark.parametrize("columns", [3, 5])
@pytest.mark.parametrize("commas", [0, 1, 2])
def test_rows_may_end_before_the_columns_of_rules(tmp_path, columns, commas):
    header = NEW.removesuffix("\n") + "".join(f',"{name}"' for name in RULES[:columns]) + "\n"
    rows = [new("Duration", "ns", "2,000.5"), new("Achieved Occupancy", "%", "50")]
    rows = [row.removesuffix("\n") + "," * commas + "\n" for row in rows]
    rule = new("", "", "").removesuffix("\n") + ',"Bottleneck","OPT","low, see x."' + ',""' * (columns - 3) + "\n"
    cut = new("Waves Per SM", "", "1").rpartition(",")[0] + "\n"
    _, tables = run(tmp_path, {"a.csv": MESSAGES + header + "".join([rows[0], rule, cut, rows[1]])})
    kernel = tables["kernels"].row(0, named=True)
    assert (kernel["time_s"], kernel["occupancy"], kernel["waves"]) == (pytest.approx(2.0005e-6), 0.5, None)
    # A row without its value is none.
    assert tables["rejected_rows"].select("row", "reason").rows() == [(6, "malformed_line")]
    assert tables["provenance"]["rows"].sum() == 4


def test_the_default_export_of_a_program_with_rules(trace_data, tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "ncu_rules.csv").write_text((trace_data / "field" / "ncu_rules.csv").read_text())
    summary = ingest.ingest(drop, tmp_path / "out")
    assert (summary.code, summary.format) == (0, "ncu")
    kernels = pl.read_parquet(tmp_path / "out" / "kernels.parquet")
    assert kernels.select("kernel", "launches").rows() == [("gemm", 2)]
    assert kernels["time_s"][0] == pytest.approx(0.80624e-3)
    # Two operations of each of 4,194,304 fused multiply-adds in 0.40312 ms, the mean launch.
    assert kernels["gflops"][0] == pytest.approx(20.81, abs=0.005)

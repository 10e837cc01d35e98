"""How busy GPUs are: four forms of samples, against hand-counted means; what is no sample is counted."""

import polars as pl
import pytest

from pipeline.readers import _files, dcgm
from pipeline.stages import ingest

DMON = "#Entity   SMACT  DRAMA  FBUSD\nID\nGPU 0  0.8  0.5  1000\nGPU 1  0.1  N/A  500\nGPU 0  0.6  0.3  3000\n"
SCRAPE = (
    "# TYPE DCGM_FI_PROF_SM_ACTIVE gauge\n"
    'DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-a",Hostname="n1"} 0.25 1700000000000\n'
    'DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-a",Hostname="n2"} 0.5\n'
    'DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-a",GPU_I_ID="7",Hostname="n2"} 1\n'
    'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",Hostname="n1"} 2000\n'
)
TABLE = "timestamp,gpu,DCGM_FI_PROF_SM_ACTIVE,DCGM_FI_PROF_SM_OCCUPANCY,DCGM_FI_DEV_FB_USED\n"
SMI = "timestamp, index, utilization.gpu [%], memory.used [MiB]\n2026/05/01 12:00:00.1, 0, 50 %, 1000 MiB\n"
MIB = 1024**2 * 1e-9


def run(folder, files):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        (drop / name).write_text(content)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def fates(found):
    return {(row["fate"], row["reason"]): row["rows"] for row in found["tallies"].iter_rows(named=True)}


def test_dmon_is_means_a_gpu(tmp_path):
    summary, found = run(tmp_path, {"dmon.txt": DMON})
    assert (summary.code, summary.format) == (0, "dcgm")
    first, second = found["gpu_activities"].rows(named=True)
    assert (first["gpu"], first["samples"], second["samples"]) == ("0", 2, 1)
    assert (first["sm_active"], first["dram_active"]) == pytest.approx((0.7, 0.4))
    assert (first["memory_gb"], first["peak_memory_gb"]) == pytest.approx((2000 * MIB, 3000 * MIB))
    assert (second["dram_active"], second["sm_occupancy"], second["kernel_active"]) == (None, None, None)
    # Mean of 0.7 and 0.1; the least busy one is GPU 1.
    note = found["traces"]["note"][0]
    assert "Mean of 2 GPUs: SMs active 40.0%" in note
    assert "idle 90.0% of the time" in note
    assert fates(found) == {("used", None): 3}
    assert found["provenance"]["rows"].to_list() == [3]


def test_headers_that_come_again_are_none_of_the_samples_and_others_are_refused(tmp_path):
    _, found = run(tmp_path / "same", {"dmon.log": DMON + DMON})
    assert found["gpu_activities"]["samples"].to_list() == [4, 2]
    summary, _ = run(tmp_path / "other", {"dmon.log": DMON + DMON.replace("SMACT", "SMOCC")})
    assert "columns_differ" in summary.rejected


def test_prometheus_text_tells_nodes_and_instances_apart(tmp_path):
    other = 'DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="n1"} 41\n'
    summary, found = run(tmp_path, {"scrape.prom": SCRAPE + other})
    assert summary.code == 0
    rows = found["gpu_activities"].select("node", "gpu", "sm_active", "memory_gb").rows()
    assert rows == [
        ("n1", "0", 0.25, pytest.approx(2000 * MIB)),
        ("n2", "0", 0.5, None),
        ("n2", "0 GPU-I 7", 1.0, None),
    ]
    assert fates(found) == {("used", None): 4, ("left_out", "not_measured"): 1}
    assert found["provenance"]["rows"].to_list() == [5]


def test_tables_of_dcgm_and_nvidia_smi(tmp_path):
    _, found = run(tmp_path / "dcgm", {"metrics.csv": TABLE + "1,0,0.81,0.40,30211\n2,0,0.79,0.39,30211\n"})
    row = found["gpu_activities"].row(0, named=True)
    assert (row["sm_active"], row["sm_occupancy"]) == pytest.approx((0.8, 0.395))
    _, found = run(tmp_path / "smi", {"smi.csv": SMI + "2026/05/01 12:00:10.1, 0, [N/A], 3000 MiB\n"})
    row = found["gpu_activities"].row(0, named=True)
    assert (row["kernel_active"], row["memory_gb"]) == pytest.approx((0.5, 2000 * MIB))
    assert row["samples"] == 2


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("1.3,0.4,100", "share_too_large"),
        ("0.9,-0.4,100", "value_negative"),
        ("0.9,0.4,many", "value_unreadable"),
        ("0.9,0.4", "malformed_line"),
    ],
)
def test_bad_rows_are_rejected_and_the_others_used(tmp_path, values, reason):
    summary, found = run(tmp_path, {"metrics.csv": TABLE + f"1,0,0.5,0.4,100\n2,0,{values}\n"})
    assert summary.code == 1
    assert found["rejected_rows"].select("row", "reason").rows() == [(3, reason)]
    assert found["gpu_activities"]["sm_active"].to_list() == [0.5]
    assert found["provenance"]["rows"].to_list() == [2]


@pytest.mark.parametrize("blank", ["", "N/A", "140737488355328", "9223372036854775794"])
def test_what_was_not_measured_is_no_zero(tmp_path, blank):
    _, found = run(tmp_path, {"metrics.csv": TABLE + f"1,0,0.5,0.4,100\n2,0,{blank},{blank},{blank}\n"})
    assert found["gpu_activities"]["samples"].to_list() == [1]
    assert fates(found) == {("used", None): 1, ("left_out", "not_measured"): 1}


def test_without_a_sample_the_drop_is_refused(tmp_path):
    summary, _ = run(tmp_path / "none", {"dmon.txt": DMON.partition("GPU")[0]})
    assert summary.code == 2
    summary, _ = run(tmp_path / "other", {"metrics.csv": "timestamp,gpu,DCGM_FI_DEV_GPU_TEMP\n1,0,40\n"})
    assert "columns_missing" in summary.rejected


def test_what_is_held_does_not_grow_with_the_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "BLOCK_BYTES", 256)
    seen = []
    together = dcgm._together
    monkeypatch.setattr(dcgm, "_together", lambda sums: seen.append(sums.height) or together(sums))
    _, found = run(tmp_path, {"metrics.csv": TABLE + "".join(f"{i},{i % 2},0.5,0.4,100\n" for i in range(1000))})
    assert found["gpu_activities"]["samples"].to_list() == [500, 500]
    # Two GPUs so far and two of the next block.
    assert len(seen) > 50
    assert max(seen) == 4


def test_a_text_of_dcgm_is_no_graph(tmp_path):
    assert run(tmp_path, {"dmon.txt": DMON})[0].format == "dcgm"

"""What check says of a drop that has no jobs: what it holds, and which answers it leads to."""

import pytest

from pipeline.stages import ingest

PIM = "app,ranks,time_s\nVA,1,4\nVA,4,2\nVA,8,1\n"
CURVE = "app,sms,time_s\na,1,4\na,2,2\n"
CASES = {
    "kernels": (
        {"kernels.csv": "kernel,gflops,memory_gbps\na,1,1\nb,2,2\nc,,3\n"},
        "3 kernels, 0 rows rejected",
        ["recommended_gpu_corun (who shares the GPU, pairs among 2 applications)"],
    ),
    "kernels without rates": (
        {"kernels.csv": "kernel,gflops\na,1\n"},
        "1 kernel, 0 rows rejected",
        ["no recommended_gpu_corun, as no kernel has both gflops and memory_gbps"],
    ),
    "one curve": (
        {"sm_curve.csv": CURVE},
        "2 points of curves, 0 rows rejected",
        [
            "recommended_gpu_partition (task sets that run these applications)",
            "no recommended_gpu_sharing, as one application alone shares nothing",
        ],
    ),
    "curves": (
        {"sm_curve.csv": CURVE + "b,1,4\nb,2,3\n"},
        "4 points of curves, 0 rows rejected",
        [
            "recommended_gpu_sharing (SMs of each, mixes among 2 applications)",
            "recommended_gpu_partition (task sets that run these applications)",
        ],
    ),
    "tasks": (
        {"tasks.csv": "task_id,period,deadline,work,kind\na,10,10,5,compute\n"},
        "1 task, 0 rows rejected",
        ["recommended_gpu_partition (partitions of a GPU for 1 task set)"],
    ),
    "graph": (
        {"x.edges": "1 2\n2 3\n"},
        "1 graph, 0 rows rejected",
        ["recommended_pim_graph (which policy traverses it fastest)"],
    ),
    "jobs": (
        {"jobs.csv": "job_id,submit_s,nodes\na,0,1\n", "phases.csv": "job_id,phase,duration_s,memory_gb\na,0,9,1\n"},
        "1 jobs, 0 samples, 0 rows rejected",
        ["recommended_hpc_memory, smallest_memory_for_loss (memory that nodes share)"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_check_says_what_the_drop_holds_and_answers(name, tmp_path):
    files, content, answers = CASES[name]
    drop = tmp_path / "demo"
    drop.mkdir()
    for file, text in files.items():
        (drop / file).write_text(text)
    lines = ingest.check(drop)[0].splitlines()
    assert lines[1].startswith(f"  trace demo (read): {content}")
    assert [line.removeprefix("    answer: ") for line in lines if line.startswith("    answer: ")] == answers


def test_memory_that_will_be_assumed_is_said(tmp_path):
    """Field 7 of the Standard Workload Format is used memory, field 10 requested memory; -1 = not known."""
    for used, requested, said in ((-1, -1, "none"), (-1, 2048, "requested"), (1024, -1, None)):
        drop = tmp_path / f"log{used}{requested}"
        drop.mkdir()
        (drop / "a.swf").write_text(f"; MaxNodes: 8\n1 0 1 60 4 -1 {used} 4 90 {requested} 1 1 1 1 1 1 -1 -1\n")
        text = ingest.check(drop)[0]
        assert ("assume it by documented laws" in text) == (said is not None), text
        assert said is None or f"the log has {'none' if said == 'none' else 'what was requested'}" in text


def test_a_refused_drop_counts_no_rows(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "kernels.csv").write_text("a,b\n1,2\n")
    lines = ingest.check(drop)[0].splitlines()
    assert lines[1] == "  trace demo (refused)"
    assert any(line.startswith("  rejected 1 x columns_missing") for line in lines)


def test_a_log_without_memory_is_asked_for_its_mean_until_it_is_stated(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "jobs.csv").write_text("job_id,submit_s,nodes,runtime_s\na,0,1,60\nb,9,2,60\n")
    asked, _ = ingest.check(drop)
    assert "missing: mean_memory_gb in trace.yaml (would give sizes in GB" in asked
    (drop / "trace.yaml").write_text("mean_memory_gb: 14\n")
    stated, _ = ingest.check(drop)
    assert "documented laws with the mean of 14 GB that trace.yaml states and count no savings" in stated
    assert "mean_memory_gb in trace.yaml" not in stated

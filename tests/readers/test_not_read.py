"""Files of known tools that no reader takes: one short sentence each, which says what can be used instead."""

import pytest

from pipeline.stages import ingest

FILES = {
    "report_cuda_api_sum.csv": (
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n50.1,9,3,3,cudaMalloc\n",
        "report_cuda_api_sum.csv is another report of Nsight Systems, which tells no kernels, or is not read itself. "
        "Export the profile: `nsys stats --format csv --output . --report cuda_gpu_trace <file>` or `nsys export "
        "--type sqlite <file>` (docs/formats/nsys.md).",
    ),
    "dmon.log": (
        "# gpu   pwr gtemp    sm\n# Idx     W     C     %\n    0    43    35     0\n",
        "is output of nvidia-smi",
    ),
    "gpus.csv": (
        "timestamp, index, utilization.gpu [%], memory.used [MiB]\n2024/01/01 00:00:00.000, 0, 50 %, 10 MiB\n",
        "is output of nvidia-smi, which tells how busy a whole GPU was, and nothing of its kernels",
    ),
    "scrape.prom": ('DCGM_FI_PROF_SM_ACTIVE{gpu="0",Hostname="n1"} 0.25\n', "is output of DCGM, which tells"),
    "openb_pod_list_default.csv": (
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\na,4000,15258,1,220,\n",
        "is a list of Alibaba's GPU pods, which has no memory of its jobs",
    ),
    "cluster_log.csv": (
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time\n1,ua,vc1,8,64,1,COMPLETED,2020-04-01 00:00:00\n",
        "is a log of GPU jobs of Helios",
    ),
    "cluster_job_log": (
        '[{"status": "Pass", "vc": "v", "jobid": "a", "attempts": [], "user": "u"}]',
        "is a log of GPU jobs of Philly",
    ),
    "app.ncu-rep": (
        "NVR\x00",
        "is a report of Nsight Compute, which is not read itself. Export it: `ncu --import <file>",
    ),
    "app.nsys-rep": ("\x00", "is a report of Nsight Systems, which tells no kernels, or is not read itself"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_refusal_says_what_the_file_is(name, tmp_path):
    content, sentence = FILES[name]
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / name).write_text(content)
    text, code = ingest.check(drop)
    assert code == 2
    assert sentence in text
    assert text.splitlines()[1] == "  trace demo (refused)"
    assert f"rejected 1 x format_not_read, first {name}: {name} is " in text
    assert len(text) < 500


def test_a_drop_that_holds_something_else_besides_is_read(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "report_cuda_api_sum.csv").write_text(FILES["report_cuda_api_sum.csv"][0])
    (drop / "kernels.csv").write_text("kernel,gflops,memory_gbps\na,1,1\n")
    text, code = ingest.check(drop)
    assert code == 0
    assert "not read: report_cuda_api_sum.csv" in text

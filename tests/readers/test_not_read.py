"""Files of known tools that no reader takes: one short sentence each, which says what can be used instead."""

import gzip

import pytest

from pipeline.readers import _not_read
from pipeline.stages import ingest

NSYS = (
    "is an export of Nsight Systems, which has times of kernels and no rates. Profile the program instead: `ncu --csv "
    "--page raw --set full --log-file app.csv --metrics <those of docs/formats/ncu.md> <program>`."
)
FILES = {
    "report_cuda_api_sum.csv": (
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n50.1,9,3,3,cudaMalloc\n",
        NSYS,
    ),
    "train_cuda_gpu_kern_sum.csv": (
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n50.1,9,3,3,gemm\n",
        NSYS,
    ),
    "train_cuda_gpu_trace.csv": (
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Name\n1,2,3,1,1,1,32,1,1,A100 (0),gemm\n",
        NSYS,
    ),
    "old_gputrace.csv": (
        '"Start(nsec)","Duration(nsec)","CorrId","GrdX","Name"\n1,2,3,1,gemm\n',
        NSYS,
    ),
    "train_cuda_kern_exec_trace.csv": (
        "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Kernel Name\n",
        NSYS,
    ),
    "train_cuda_kern_exec_sum.csv": ("Count,QCount,AAvg (ns),QAvg (ns),KAvg (ns),Kernel Name\n3,3,1,1,1,gemm\n", NSYS),
    "train.sqlite": ("SQLite format 3\x00\x10\x00", NSYS),
    "meminfo.1700000000": (
        "#Time,Time_usec,ProducerName,component_id,job_id,MemTotal::meminfo\n1700000000.001204,1204,n1,1,0,262144000\n",
        "is a CSV store of LDMS, which is not read. Export a table samples.csv with the columns job_id, time_s and "
        "used_gb instead (docs/formats/memory_samples.md), or an answer of Prometheus",
    ),
    "meta.json": (
        '{"jobId": 1403, "user": "ada", "cluster": "alpha", "numNodes": 2, "startTime": 1700000000, "duration": 180}',
        "is a file of a ClusterCockpit job archive, which is not read. Export a table samples.csv",
    ),
    "17_data.json": (
        '{"mem_used": {"node": {"unit": {"base": "B", "prefix": "G"}, "timestep": 60, "series": []}}}',
        "is a file of a ClusterCockpit job archive",
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
    "app.nsys-rep": (
        "\x00",
        "is a report of Nsight Systems, which has times of kernels and no rates. Profile the program",
    ),
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


def test_an_archive_with_both_files_of_a_job_is_named(tmp_path):
    job = tmp_path / "demo" / "1403"
    job.mkdir(parents=True)
    (job / "meta.json").write_text(FILES["meta.json"][0])
    (job / "data.json.gz").write_bytes(gzip.compress(FILES["17_data.json"][0].encode(), mtime=0))
    text, code = ingest.check(tmp_path / "demo")
    assert code == 2
    assert "data.json.gz is a file of a ClusterCockpit job archive, which is not read." in text


def test_an_answer_of_prometheus_may_have_any_name(tmp_path):
    (tmp_path / "data.json").write_text(
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"instance":"n1"},"values":[[1,"2"]]}]}}'
    )
    assert _not_read.kind(tmp_path / "data.json") is None


def test_a_drop_that_holds_something_else_besides_is_read(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "report_cuda_api_sum.csv").write_text(FILES["report_cuda_api_sum.csv"][0])
    (drop / "kernels.csv").write_text("kernel,gflops,memory_gbps\na,1,1\n")
    text, code = ingest.check(drop)
    assert code == 0
    assert "not read: report_cuda_api_sum.csv" in text

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
    "summary.txt": (
        "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n            Type  Time(%)"
        "      Time     Calls       Avg       Min       Max  Name\n GPU activities:   70.00%  300.00ms      6000\n",
        "is output of nvprof that is written for the eye, whose numbers are rounded. Run nvprof again with `--csv`",
    ),
    "old_summary.log": (
        "==7== Profiling result:\nTime(%)      Time     Calls       Avg       Min       Max  Name\n 70.00%  300.00ms\n",
        "Run nvprof again with `--csv`",
    ),
    "trace.log": (
        "==7== Profiling result:\n   Start  Duration            Grid Size      Block Size     Regs*\n477.30ms   -  -\n",
        "Run nvprof again with `--csv`",
    ),
    "dump.txt": (
        '{__name__="node_memory_MemFree_bytes", instance="n1"} 104857600 1700000000000\n',
        "is a dump of the database of Prometheus, which is not read. Ask for a range of time instead: `promtool query",
    ),
    "metrics.txt": (
        "# HELP node_memory_MemFree_bytes Memory.\n# TYPE node_memory_MemFree_bytes gauge\nnode_memory_MemFree_bytes 1",
        "is a page of metrics at one moment (OpenMetrics), which is not read. Ask for a range of time instead",
    ),
    "grafana_data_export.csv": (
        'Series;Time;Value\nnode_memory{instance="n1"};2018-12-01T00:00:00+00:00;1234\n',
        "is an export of Grafana with a row for each value, which is not read. Export it anew with series as columns",
    ),
    "tasks.xml": (
        '<?xml version="1.0"?>\n<simulation cycles_per_ms="1000000">\n<sched class="EDF"/></simulation>\n',
        "is a configuration of SimSo, which is not read. Write its tasks as tasks.csv",
    ),
    "va.log": (
        "[::] VA-UPMEM | n_dpus=64 n_ranks=1 n_elements=100 | latency_kernel_us=12.5 throughput_MBps=3\n",
        "is a log of PrIM's programs as a fork prints it, which is not read.",
    ),
    "queue.json": (
        '{"jobs": [{"job_id": 1, "job_state": ["RUNNING"], "submit_time": {"set": true, "number": 1}}]}',
        "is the queue of Slurm now, which has no job that ended. Get the accounting: `sacct --allusers --json`",
    ),
    "kabre.csv": (
        "User,State,Elapsed,AllocCPUS,ReqMem,Partition\nada,COMPLETED,00:10:00,4,4Gn,nu\n",
        "is output of sacct without JobID, so that jobs and steps look alike. Get it anew with JobID, Submit, Start",
    ),
    "disaggregated.csv": (
        "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit\na,CN,b,1,1,0,0\n",
        "is a table of a GPU cluster of Alibaba, which has no memory of its jobs",
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


def test_nvprof_for_the_eye_in_the_field(trace_data, tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "p.txt").write_text((trace_data / "field" / "nvprof_for_the_eye.txt").read_text())
    text, code = ingest.check(drop)
    assert code == 2
    assert "written for the eye" in text
    assert "nvprof again with `--csv`" in text


def test_a_table_of_fields_of_sacct_is_read_where_trace_yaml_maps_it(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "mine.csv").write_text("Number,Submit,Elapsed,NNodes\n1,0,60,2\n2,10,60,1\n")
    assert "without JobID" in ingest.check(drop)[0]
    (drop / "trace.yaml").write_text("columns: {job_id: Number, submit_s: Submit, runtime_s: Elapsed, nodes: NNodes}\n")
    text, code = ingest.check(drop)
    assert code == 0
    assert "mine" not in text.splitlines()[0]
    assert "2 jobs" in text


@pytest.mark.parametrize(
    ("name", "content", "looks"),
    [
        ("x.json", '{"alpha": 1, "beta": {"gamma": []}}', "x.json, JSON whose first keys are alpha, beta, gamma"),
        ("x.txt", "Dear all, this is a letter\nwith lines\n", "x.txt, whose columns are Dear all, this is a letter"),
        ("x.log", "starting\n1 2 3 done\n", "x.log, which begins with 'starting'"),
        ("x.csv", "a,b\n1,2\n", "x.csv, whose columns are a, b"),
        ("x.xml", "<a><b/></a>\n", "x.xml, which begins with '<a><b/></a>'"),
    ],
)
def test_a_file_that_nobody_knows_is_described_and_no_format_listed(tmp_path, name, content, looks):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / name).write_text(content)
    text, code = ingest.check(drop, full=True)
    assert code == 2
    assert f"no format recognised in {looks}." in text
    assert "docs/guides/data-drops.md" in text
    assert "matrix_market" not in text

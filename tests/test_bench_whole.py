"""What is read of a run's jobs: stages, shares, and a sentence where a stage takes more than a fifth."""

from bench.whole_run import WHY, Job, finished, shares

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def job(logs, name, seconds, max_rss):
    path = logs / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}{seconds}\t0:00:01\t{max_rss}\t0\t0\t0\t0\t0\t0\t0\n")


def test_jobs_are_told_by_stage_and_replays_by_study(tmp_path):
    job(tmp_path, "ingest/mine", 2.5, 1000.0)
    job(tmp_path, "replay/hpc_memory/priority/synthetic/0", 7.0, 500.0)
    job(tmp_path, "replay/pim_graph/trace-mine", 0.1, "-")
    job(tmp_path, "warehouse", 1.0, "NA")
    (tmp_path / "warehouse.log").touch()
    assert finished(tmp_path) == [
        Job("ingest", 2.5, 1000 * 2**20 / 1e9),
        Job("replay hpc_memory", 7.0, 500 * 2**20 / 1e9),
        Job("replay pim_graph", 0.1, 0.0),
        Job("warehouse", 1.0, 0.0),
    ]


def test_shares_are_of_all_jobs_and_large_ones_have_a_reason():
    jobs = [Job("replay hpc_memory", 30.0, 2.0), Job("replay hpc_memory", 20.0, 1.0), Job("fit", 30.0, 0.5),
            Job("ingest", 20.0, 0.3)]  # fmt: skip
    hpc, fit, ingest = shares("default", jobs)
    assert [(f.name, f.values, f.unit) for f in (hpc, fit, ingest)] == [
        ("default, replay hpc_memory", [50.0], "%"),
        ("default, fit", [30.0], "%"),
        ("default, ingest", [20.0], "%"),
    ]
    assert hpc.note == f"2 jobs, 50.0 s, at most 2.00 GB; {WHY['replay hpc_memory']}"
    assert fit.note.endswith("; no reason is known")
    assert ingest.note == "1 job, 20.0 s, at most 0.30 GB"
    assert list(shares("quick", [])) == []

"""Generated example drops: the laws they are drawn from, and the shipped files byte by byte."""

import gzip

import examples
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline import synthetic
from pipeline.runtime.sources import ROOT

TRACES = ROOT / "traces"


@pytest.fixture(scope="module")
def trace():
    return synthetic.memory_trace(seed=3, jobs=600, nodes=54)


@pytest.fixture(scope="module")
def log():
    return synthetic.lublin_jobs(seed=3, jobs=40_000, processors=128, load=0.85)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("marconi_like", lambda folder: synthetic.write_marconi100(folder, 1, ["22-05"], nodes=4, jobs=1000, days=1)),
        ("automotive_like", lambda folder: synthetic.write_tasks(folder, seed=1, jobs=32, load=40.0)),
    ],
)
def test_shipped_drop_is_what_the_generator_writes(tmp_path, name, write):
    write(tmp_path / name)
    shipped = sorted(path.relative_to(TRACES) for path in (TRACES / name).rglob("*") if path.is_file())
    assert sorted(path.relative_to(tmp_path) for path in (tmp_path / name).rglob("*") if path.is_file()) == shipped
    for file in shipped:
        ours, theirs = tmp_path / file, TRACES / file
        if file.suffix == ".parquet":
            assert_frame_equal(pl.read_parquet(ours), pl.read_parquet(theirs), check_exact=True)
            # Another version of the Parquet writer signs, and may pack, its files differently.
            if not pq.read_metadata(theirs).created_by.endswith(f"version {pa.__version__}"):
                continue
        assert ours.read_bytes() == theirs.read_bytes(), file


@pytest.mark.parametrize("name", [*examples.MADE, "automotive_like", "marconi_like"])
def test_a_generated_drop_says_so_and_how_it_was_made(name):
    folder = TRACES / name if (TRACES / name).is_dir() else examples.trace(name)
    description = yaml.safe_load((folder / "trace.yaml").read_text(encoding="utf-8"))
    assert description["kind"] == "generated"
    assert "seed" in description["note"]


def test_task_sets_have_the_load_asked_for_and_both_kinds():
    tasks = synthetic.task_table(seed=5, tasks=200, load=30.0)
    assert (tasks["work"] / tasks["period"]).sum() == pytest.approx(30.0, rel=1e-3)
    assert (tasks["deadline"] == 0.75 * tasks["period"]).all()
    assert set(tasks["kind"]) == {"compute", "memory"}
    assert tasks["task_id"].is_unique().all()
    with pytest.raises(ValueError, match="load is 0"):
        synthetic.task_table(seed=1, load=0)


def test_generated_drops_are_small():
    sizes = {
        name: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        for name, folder in {name: examples.trace(name) for name in examples.MADE}.items()
    }
    sizes["shipped"] = sum(path.stat().st_size for path in (TRACES / "marconi_like").rglob("*") if path.is_file())
    assert {name: size for name, size in sizes.items() if size > 700_000} == {}


def test_same_seed_same_trace_other_seed_another():
    for generate in (
        lambda seed: synthetic.memory_trace(seed, 10, 8)[0],
        lambda seed: synthetic.memory_trace(seed, 10, 8)[1],
        lambda seed: synthetic.lublin_jobs(seed, 100, 32, 0.7),
    ):
        assert generate(5).equals(generate(5))
        assert not generate(5).equals(generate(6))


@pytest.mark.slow
def test_memory_trace_follows_the_documented_laws(trace):
    samples, jobs = trace
    assert jobs["nodes"].mean() == pytest.approx(7, abs=4 * 9.5 / np.sqrt(600))
    assert jobs["nodes"].min() == 1 and jobs["nodes"].max() <= 48
    # E[N_p] after clipping at 45 is 11.5 (model page), E[L] 1000 s; standard error of a job's run time about 700 s.
    assert jobs["runtime_s"].mean() == pytest.approx(11_500, abs=2_800)
    assert samples["used_gb"].min() >= 0 and samples["used_gb"].max() <= 242
    assert samples["used_gb"].mean() == pytest.approx(105, abs=10)
    assert samples["used_gb"].std() == pytest.approx(60, abs=6)
    load = (jobs["nodes"] * jobs["runtime_s"]).sum() / (54 * jobs["submit_s"].max())
    assert load == pytest.approx(0.9, rel=1e-4)
    assert (jobs["walltime_s"] >= jobs["runtime_s"]).all()


def test_sampling_steps_are_those_of_the_monitoring(trace):
    samples, _ = trace
    steps = samples.select(pl.col("time_s").diff().over("job_id", "node")).drop_nulls().to_series()
    assert set(steps.unique()) == {40, 80, 120}
    assert 40 / steps.mean() == pytest.approx(0.81, abs=0.005)


def test_no_node_is_shared_and_jobs_run_in_order(trace):
    samples, jobs = trace
    spans = samples.group_by("job_id", "node").agg(
        pl.col("time_s").min().alias("first"), pl.col("time_s").max().alias("last")
    )
    spans = spans.join(jobs.select("job_id", "start_s", "end_s", "nodes"), on="job_id", maintain_order="left")
    assert ((spans["first"] >= spans["start_s"]) & (spans["last"] < spans["end_s"])).all()
    assert spans.group_by("job_id").agg(pl.len() == pl.col("nodes").first())["len"].all()
    free_again = (
        spans.sort("node", "start_s").select(pl.col("start_s") - pl.col("end_s").shift().over("node")).drop_nulls()
    )
    assert free_again["start_s"].min() >= 0
    assert jobs["start_s"].is_sorted() and (jobs["start_s"] >= jobs["submit_s"]).all()
    # First come, first served wastes no time: a job starts when submitted, with its elder, or as some job ends.
    starts = jobs.filter(pl.col("start_s") > pl.col("submit_s"))["start_s"]
    assert set(starts) <= set(jobs["end_s"]) | set(jobs["submit_s"])


def test_nodes_of_a_job_differ_little(trace):
    samples, _ = trace
    per_node = samples.group_by("job_id", "node").agg(pl.col("used_gb").mean(), pl.len()).filter(pl.col("len") > 100)
    spread = per_node.group_by("job_id").agg((pl.col("used_gb").std() / pl.col("used_gb").mean()).alias("cv"), pl.len())
    spread = spread.filter(pl.col("len") > 3)["cv"]
    assert 0 < spread.median() < 0.1


def test_lublin_sizes(log):
    def share_below(exponent):
        """Two-stage uniform law of the logarithm of a parallel job's size: 86 % on [0.8, 4.5], the rest up to 7."""
        return np.interp(exponent, [0.8, 4.5, 7.0], [0.0, 0.86, 1.0])

    nodes = log["nodes"]
    error = 4 * np.sqrt(0.25 / log.height)
    assert (nodes == 1).mean() == pytest.approx(0.244, abs=error)
    assert nodes.max() == 128
    powers = 2 ** np.arange(1, 8)
    by_chance = (share_below(np.log2(powers + 0.5)) - share_below(np.log2(powers - 0.5))).sum()
    assert nodes.is_in(powers.tolist()).mean() == pytest.approx(0.576 + 0.18 * by_chance, abs=error)
    # Rounded either way, exponents above 5.5 give more than 45 processors.
    assert (nodes > 45).mean() == pytest.approx(0.756 * (1 - share_below(5.5)), abs=error)


@pytest.mark.parametrize("processors", [1, 2, 3, 100, 256])
def test_lublin_sizes_fit_any_machine(processors):
    nodes = synthetic.lublin_jobs(1, 2000, processors, 0.5)["nodes"]
    assert nodes.min() == 1 and nodes.max() <= processors
    assert nodes.max() > processors / 2


def test_lublin_run_times(log):
    # Of serial jobs 77.5 % draw from the short gamma in the logarithm of the run time.
    serial = log.filter(pl.col("nodes") == 1)["runtime_s"]
    p = 0.78 - 0.0054
    short, long = stats.gamma(4.2, scale=0.94), stats.gamma(312, scale=0.03)
    for seconds in (10, 60, 600, 3600, 14_400, 86_400):
        x = np.log(seconds)
        expected = p * short.cdf(x) / short.cdf(12) + (1 - p) * long.cdf(x)
        assert (serial < seconds).mean() == pytest.approx(expected, abs=0.015)
    assert log["runtime_s"].min() >= 1 and log["runtime_s"].max() <= np.exp(12)
    by_size = log.group_by((pl.col("nodes") > 32).alias("large")).agg(pl.col("runtime_s").median()).sort("large")
    assert by_size["runtime_s"][1] > 5 * by_size["runtime_s"][0]


def test_lublin_arrivals(log):
    assert log["submit_s"].is_sorted() and log["submit_s"][0] == 0
    load = (log["nodes"] * log["runtime_s"]).sum() / (128 * log["submit_s"].max())
    assert load == pytest.approx(0.85, rel=1e-5)
    hour = (log["submit_s"] % 86_400 // 3600).value_counts().sort("submit_s")["count"].to_numpy()
    # The daily cycle: quiet before dawn, most jobs early in the afternoon.
    assert hour.argmin() in (3, 4, 5) and hour.argmax() in (12, 13, 14)
    assert hour.max() > 5 * hour.min()


def test_estimates_are_round_and_long_enough(log):
    assert (log["walltime_s"] >= log["runtime_s"]).all()
    assert set(log["walltime_s"].unique()) <= set(synthetic.ESTIMATES_S.tolist())
    accuracy = log["runtime_s"] / log["walltime_s"]
    assert 0.1 < accuracy.median() < 0.6


def test_swf_has_eighteen_whole_numbers_a_job(tmp_path):
    synthetic.write_swf(tmp_path / "log", seed=9, jobs=200, processors=64, load=0.6)
    lines = (tmp_path / "log" / "log.swf").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith(";"))
    assert header["Version"] == "2.2"
    assert (header["MaxJobs"], header["MaxNodes"], header["MaxProcs"]) == ("200", "64", "64")
    rows = [[int(field) for field in line.split()] for line in lines if not line.startswith(";")]
    assert {len(row) for row in rows} == {18}
    jobs = synthetic.lublin_jobs(9, 200, 64, 0.6)
    assert [(r[0], r[1], r[4], r[8], r[3], r[11]) for r in rows] == jobs.rows()
    assert all(r[2] == -1 and r[7] == r[4] and r[10] == 1 for r in rows)


def test_long_logs_are_compressed_with_reproducible_bytes(tmp_path):
    for name in ("a", "b"):
        synthetic.write_swf(tmp_path / name / "log", seed=9, jobs=3000, processors=64)
    packed = (tmp_path / "a/log/log.swf.gz").read_bytes()
    assert packed == (tmp_path / "b/log/log.swf.gz").read_bytes()
    assert gzip.decompress(packed).count(b"\n") > 3000
    # A shorter log in the same folder leaves no second one behind.
    synthetic.write_swf(tmp_path / "a/log", seed=9, jobs=30, processors=64)
    assert sorted(path.name for path in (tmp_path / "a/log").iterdir()) == ["log.swf", "trace.yaml"]


def test_one_job_and_unusable_arguments():
    samples, jobs = synthetic.memory_trace(1, 1, 1)
    assert jobs.height == 1 and samples.height >= 1
    assert synthetic.lublin_jobs(1, 1, 1, 0.5)["submit_s"].to_list() == [0]
    with pytest.raises(ValueError, match="jobs is 0"):
        synthetic.memory_trace(1, 0, 4)
    with pytest.raises(ValueError, match="processors is 0"):
        synthetic.lublin_jobs(1, 4, 0, 0.5)
    with pytest.raises(ValueError, match="load is 0"):
        synthetic.lublin_jobs(1, 4, 4, 0)

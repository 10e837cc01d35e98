"""Streaming fit of a drop: equal to the fit in memory for any batch size, given tables pass through."""

import polars as pl
import pytest
from examples import memory_trace
from polars.testing import assert_frame_equal

from pipeline import tables
from pipeline.fit import marginals
from pipeline.fit.phases import job_series, segment
from pipeline.fit.profiles import stochastic
from pipeline.runtime import manifest, storage
from pipeline.stages import fit as drop

COMMON = ("marginals", "distributions", "temporal_classes")
FILES = tuple(f"{name}.parquet" for name in ("phases", "profiles", *COMMON))


def ingested(folder, samples=None, **others):
    folder.mkdir()
    frames = {"samples": samples, **others}
    for name, frame in frames.items():
        if frame is not None:
            storage.write(tables.conform(frame, tables.CANONICAL[name]), folder / f"{name}.parquet")
    manifest.seal(folder)
    return folder


def bytes_of(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def generated(seed=1, jobs=12, nodes=6):
    samples, submitted = memory_trace(seed, jobs, nodes)
    trace = pl.lit("drop").alias("trace")
    return samples.with_columns(trace), submitted.with_columns(trace)


def fitted_in_memory(samples, submitted):
    """The same tables from whole frames, each step on all series at once."""
    by_node = samples.with_columns(pl.concat_str("job_id", "node", separator="\0").alias("series_id"))
    keys = by_node.select("series_id", "job_id", "node").unique()
    wholes = segment(job_series(samples)).with_columns(job_id="series_id", node=pl.lit(None, pl.String))
    nodes = segment(by_node).join(keys, on="series_id")
    phases = pl.concat([wholes, nodes.select(wholes.columns)]).sort("job_id", "node", "phase", nulls_last=False)
    law = stochastic(phases)
    named = phases.select("series_id", "job_id", "node").unique()
    profiles = law.join(named, on="series_id").sort("job_id", "node", "memory_gb", nulls_last=False)
    labels = {"trace": pl.lit("drop"), "origin": pl.lit("fitted")}
    phases = phases.with_columns(duration_s=pl.col("end_s") - pl.col("start_s"), **labels)
    return {
        "phases": tables.conform(phases, tables.Phase),
        "profiles": tables.conform(profiles.with_columns(**labels), tables.MemoryProfile),
        "marginals": marginals.fit(submitted, phases),
    }


def test_streaming_equals_in_memory_for_any_batch_size(tmp_path):
    samples, submitted = generated()
    folder = ingested(tmp_path / "drop", samples, jobs=submitted)
    drop.fit(folder, tmp_path / "whole")
    for name, expected in fitted_in_memory(samples, submitted).items():
        assert_frame_equal(pl.read_parquet(tmp_path / "whole" / f"{name}.parquet"), expected)
    largest = samples.group_by("job_id").len()["len"].max()
    for batch_rows in (97, 1000, largest, samples.height - 1):
        drop.fit(folder, tmp_path / "cut", batch_rows=batch_rows)
        assert bytes_of(tmp_path / "cut") == bytes_of(tmp_path / "whole")


def test_batches_of_one_row(tmp_path):
    samples, submitted = generated(jobs=3, nodes=2)
    samples = samples.group_by("job_id", "node", maintain_order=True).head(15)
    folder = ingested(tmp_path / "drop", samples, jobs=submitted)
    drop.fit(folder, tmp_path / "whole")
    drop.fit(folder, tmp_path / "single", batch_rows=1)
    assert bytes_of(tmp_path / "single") == bytes_of(tmp_path / "whole")


def test_files_are_what_the_table_writer_writes(tmp_path, monkeypatch):
    """Row groups filled piece by piece have the bytes of a table written whole."""
    samples, submitted = generated()
    monkeypatch.setattr(storage, "ROW_GROUP", 64)
    drop.fit(ingested(tmp_path / "drop", samples, jobs=submitted), tmp_path / "fit", batch_rows=500)
    drop.fit(tmp_path / "drop", tmp_path / "again", batch_rows=10_000)
    assert bytes_of(tmp_path / "fit") == bytes_of(tmp_path / "again")
    monkeypatch.undo()
    drop.fit(tmp_path / "drop", tmp_path / "plain")
    for name in FILES:
        frame = pl.read_parquet(tmp_path / "plain" / name)
        storage.write(frame, tmp_path / name)
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_rows_obey_the_table_rules(tmp_path):
    samples, submitted = generated(seed=5)
    drop.fit(ingested(tmp_path / "drop", samples, jobs=submitted), tmp_path / "fit", bin_gb=5.0, node_memory="max")
    phases = tables.Phase.validate(pl.read_parquet(tmp_path / "fit/phases.parquet"))
    profiles = tables.MemoryProfile.validate(pl.read_parquet(tmp_path / "fit/profiles.parquet"))
    tables.Marginal.validate(pl.read_parquet(tmp_path / "fit/marginals.parquet"))
    series = samples.select("job_id", "node").unique().height + samples["job_id"].n_unique()
    assert phases.select("job_id", "node").n_unique() == series
    assert profiles.select("job_id", "node").n_unique() == series
    assert (profiles["memory_gb"] % 5 == 0).all()
    # By the maximum over nodes: a whole job needs what the largest of its nodes does.
    peak = phases.group_by("job_id", "node").agg(pl.col("memory_gb").max())
    whole = peak.filter(pl.col("node").is_null()).sort("job_id")["memory_gb"]
    of_nodes = peak.drop_nulls("node").group_by("job_id").agg(pl.col("memory_gb").max()).sort("job_id")["memory_gb"]
    assert whole.to_list() == of_nodes.to_list()


def test_series_of_jobs_have_no_rows_of_nodes(tmp_path):
    samples = pl.DataFrame({"trace": "t", "job_id": ["a", "a", "b"], "time_s": [0, 40, 7], "used_gb": [3, 5, 4]})
    drop.fit(ingested(tmp_path / "drop", samples), tmp_path / "fit")
    assert pl.read_parquet(tmp_path / "fit/phases.parquet").rows() == [
        ("t", "a", None, 0, 80.0, 5.0, "fitted"),
        ("t", "b", None, 0, 1.0, 4.0, "fitted"),
    ]
    assert pl.read_parquet(tmp_path / "fit/profiles.parquet").rows() == [
        ("t", "a", None, 5.0, 1.0, "fitted"),
        ("t", "b", None, 4.0, 1.0, "fitted"),
    ]


def test_given_tables_pass_through_and_are_not_fitted_again(tmp_path):
    samples = pl.DataFrame({"trace": "t", "job_id": ["a", "b", "c"], "time_s": 0, "used_gb": [1, 2, 3]})
    phases = pl.DataFrame(
        {"trace": "t", "job_id": ["b", "b"], "phase": [0, 1], "duration_s": [30, 10], "memory_gb": [8, 6]}
    ).with_columns(origin=pl.lit("given"))
    profiles = pl.DataFrame(
        {"trace": "t", "job_id": ["c", "c"], "memory_gb": [1, 9], "probability": [0.5, 0.5], "origin": "given"}
    )
    drop.fit(ingested(tmp_path / "drop", samples, phases=phases, profiles=profiles), tmp_path / "fit")
    assert pl.read_parquet(tmp_path / "fit/phases.parquet").rows() == [
        ("t", "b", None, 0, 30.0, 8.0, "given"),
        ("t", "b", None, 1, 10.0, 6.0, "given"),
        ("t", "a", None, 0, 1.0, 1.0, "fitted"),
        ("t", "c", None, 0, 1.0, 3.0, "fitted"),
    ]
    assert pl.read_parquet(tmp_path / "fit/profiles.parquet").rows() == [
        ("t", "c", None, 1.0, 0.5, "given"),
        ("t", "c", None, 9.0, 0.5, "given"),
        ("t", "b", None, 6.0, 0.25, "fitted"),
        ("t", "b", None, 8.0, 0.75, "fitted"),
        ("t", "a", None, 1.0, 1.0, "fitted"),
    ]


def test_a_drop_without_samples_has_no_phases_of_its_own(tmp_path):
    drop.fit(ingested(tmp_path / "drop"), tmp_path / "fit")
    assert not (tmp_path / "fit/phases.parquet").exists()
    for name, schema in (("profiles", tables.MemoryProfile), ("marginals", tables.Marginal)):
        frame = pl.read_parquet(tmp_path / "fit" / f"{name}.parquet")
        assert frame.is_empty()
        assert frame.schema == tables.polars_schema(schema)


def test_target_is_replaced_whole_or_not_at_all(tmp_path):
    samples = pl.DataFrame({"trace": "t", "job_id": ["a"], "time_s": 0, "used_gb": 1})
    drop.fit(ingested(tmp_path / "drop", samples), tmp_path / "fit")
    before = bytes_of(tmp_path / "fit")
    twice = pl.DataFrame({"trace": "t", "job_id": ["a", "a"], "time_s": 0, "used_gb": 1})
    with pytest.raises(
        ValueError, match=r"sample of node None of job 'a' at time_s = 0.0 with used_gb = 1.0: .* later than"
    ):
        drop.fit(ingested(tmp_path / "bad", twice), tmp_path / "fit")
    assert bytes_of(tmp_path / "fit") == before
    (tmp_path / "fit/stale.txt").touch()
    drop.fit(tmp_path / "drop", tmp_path / "fit")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "drop", "fit"]
    assert sorted(path.name for path in (tmp_path / "fit").glob("*.parquet")) == sorted(FILES)


@pytest.mark.parametrize("batch_rows", [1, 100])
@pytest.mark.parametrize(
    ("jobs", "nodes", "message"),
    [
        (["b", "a"], ["x", "x"], "job 'a' of trace 't' comes after 'b'"),
        (["a", "b", "a"], ["x", "x", "x"], "job 'a' of trace 't' comes after 'b'"),
        (["a", "a", "a"], ["x", "y", "x"], "samples of node 'x' of job 'a' are not in one piece"),
    ],
)
def test_unsorted_samples_are_refused(tmp_path, jobs, nodes, message, batch_rows):
    samples = pl.DataFrame({"trace": "t", "job_id": jobs, "node": nodes, "time_s": range(len(jobs)), "used_gb": 1})
    with pytest.raises(ValueError, match=message):
        drop.fit(ingested(tmp_path / "drop", samples), tmp_path / "fit", batch_rows=batch_rows)


@pytest.mark.parametrize(
    ("times", "used"), [([0, 40, 40], [1, 2, 3]), ([0, 40, 30], [1, 2, 3]), ([0, 1, 2], [1, 2, None])]
)
def test_unusable_samples_are_named(tmp_path, times, used):
    samples = pl.DataFrame({"trace": "t", "job_id": "a", "node": "x", "time_s": times, "used_gb": used})
    message = f"sample of node 'x' of job 'a' at time_s = {times[-1]}.0"
    with pytest.raises(ValueError, match=message):
        drop.fit(ingested(tmp_path / "drop", samples), tmp_path / "fit")
    assert not (tmp_path / "fit").exists()


def test_a_missing_drop_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        drop.fit(tmp_path / "nowhere", tmp_path / "fit")

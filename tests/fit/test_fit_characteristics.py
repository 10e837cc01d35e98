"""The fits of all jobs at once: each under the name of its table, valid and of its schema, also of nothing."""

import polars as pl
from examples import memory_trace

from pipeline import tables
from pipeline.fit import characteristics
from pipeline.fit.phases import job_series, segment


def test_every_table_is_valid_under_its_name():
    samples, submitted = memory_trace(3, 40, 12)
    jobs = tables.conform(submitted.with_columns(trace=pl.lit("t")), tables.Job)
    phases = segment(job_series(samples)).select(
        pl.lit("t").alias("trace"),
        pl.col("series_id").alias("job_id"),
        (pl.col("end_s") - pl.col("start_s")).alias("duration_s"),
        "memory_gb",
    )
    for given in ((jobs, phases), (jobs.clear(), phases.clear())):
        for name, frame in characteristics.fit(*given).items():
            schema = tables.CANONICAL[name]
            assert frame.schema == tables.polars_schema(schema)
            assert schema.validate(frame).equals(frame)
            assert frame.is_empty() == given[0].is_empty()

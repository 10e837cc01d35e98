"""Jobs that have the number of another job: batch systems use numbers again, and tasks of an array may share one."""

from __future__ import annotations

import polars as pl


def unique_ids(jobs: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Jobs with an id each: of several with the id 7, in the order given, the second becomes `7#2`, the third `7#3`.

    Returns a sentence on them, too; None where no id was there twice.
    """
    nth = jobs.select(pl.int_range(1, pl.len() + 1).over("job_id"))["literal"]
    others = int((nth > 1).sum())
    if not others:
        return jobs, None
    again = pl.when(nth > 1).then(pl.format("{}#{}", "job_id", nth)).otherwise("job_id")
    sentence = f"{others} jobs have the number of an earlier one: the second job of number 7 is called 7#2."
    return jobs.with_columns(again.alias("job_id")), sentence

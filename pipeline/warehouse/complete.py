"""Whether the results to load are all there: a database without some of its rows would answer as if it had them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl


def require_ingested(folders: Iterable[Path]) -> None:
    """Raise ValueError where the folder of a drop is not there, or not what reading or fitting it leaves."""
    for folder in folders:
        # Reading writes this table of any drop; fits write what there is to fit.
        if not folder.is_dir() or (folder.parent.name == "ingest" and not (folder / "traces.parquet").is_file()):
            raise ValueError(_again(folder, f"results of drop {folder.name} are missing"))


def require_prepared(folder: Path, tables: Iterable[str]) -> None:
    """Raise ValueError where one of the tables is not among the scenarios and workloads of a part."""
    for name in tables:
        if not (folder / f"{name}.parquet").is_file():
            raise ValueError(_again(folder, f"{folder / name}.parquet is missing"))


def require_replayed(scenarios: pl.DataFrame, replays: Sequence[Path]) -> pl.DataFrame:
    """Code versions (scenario_id, code_version) of the replays of a part of a study's workloads, in these folders.

    scenarios: its table of scenarios; replays: folders <scheduler>/<part>/<chunk>. Raises ValueError where a folder is
    not there, or a scenario of the folders' schedulers has no replay or no measures.
    """
    replayed = []
    for folder in replays:
        listed = folder / "versions.parquet"
        if not listed.is_file():
            raise ValueError(_again(folder, f"{folder} has no replays"))
        ran = pl.read_parquet(listed)
        if len(ran):
            measured = pl.scan_parquet(folder / "metrics.parquet").select("scenario_id").unique()
            unmeasured = ran.join(measured.collect(), on="scenario_id", how="anti")
            if len(unmeasured):
                raise ValueError(_again(folder, f"scenario {unmeasured['scenario_id'].min()} has no measures"))
        replayed.append(ran.select("scenario_id", "code_version", scheduler=pl.lit(folder.parts[-3])))
    versions = pl.concat(replayed)
    known = {folder.parts[-3]: folder.parent for folder in replays}
    asked = scenarios.filter(pl.col("scheduler").is_in(list(known)))
    left = asked.join(versions, on="scenario_id", how="anti").sort("scenario_id")
    if len(left):
        raise ValueError(_again(known[left["scheduler"][0]], f"scenario {left['scenario_id'][0]} was not replayed"))
    return versions.drop("scheduler")


def _again(folder: Path, what: str) -> str:
    return f"{what}; remove the folder and run again: rm -rf {folder}"

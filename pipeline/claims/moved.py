"""What moves a claim most: another reading, or what is drawn in an ensemble."""

from __future__ import annotations

import math
from collections.abc import Mapping

import duckdb
import polars as pl
import scipy

FEWEST_MEMBERS = 100
"""Members from which a rank correlation is told."""


def farthest(default: str, values: Mapping[str, tuple[float | None, list[dict]]]) -> str | None:
    """The setting whose value is farthest from that of `default`, of parts by the one that moves most in terms of its
    default; None where none moves. values: value and parts of each setting, as in `claim` and `claim_part`."""

    def moved(setting: str) -> float:
        ours, its_default = (
            [part["value"] for part in parts] or [value] for value, parts in (values[setting], values[default])
        )
        known = [(a, b) for a, b in zip(ours, its_default, strict=True) if a is not None and b is not None]
        return max((abs(a - b) / (abs(b) or 1.0) for a, b in known), default=0.0)

    others = [setting for setting in values if setting != default]
    if default not in values or not others:
        return None
    most = max(others, key=moved)
    return most if moved(most) > 0 else None


def drawn(study: str, connection: duckdb.DuckDBPyConnection) -> pl.DataFrame | None:
    """What is drawn for each member of a study's ensemble, its view `drawn_<study>`; None where it has none.

    Columns: replicate (as its claims name the member), parameter, drawn (its value).
    """
    view = f"drawn_{study}"
    ((there,),) = connection.execute("SELECT count(*) FROM duckdb_views() WHERE view_name = $1", [view]).fetchall()
    return pl.from_arrow(connection.sql(f"FROM {view}").to_arrow_table()) if there else None


def most_correlated(rows: list[dict], drawn: pl.DataFrame) -> list[str]:
    """What is drawn with the largest rank correlation (Spearman) to a claim's values, as text; none of too few members.

    rows: replicate, value and maybe part of each member. A correlation that as many quantities have by chance in one of
    twenty ensembles is none (normal approximation, Bonferroni).
    """
    values = pl.DataFrame(
        [(row.get("part"), str(row["replicate"]), float(row["value"])) for row in rows if row["value"] is not None],
        schema={"part": pl.String, "replicate": pl.String, "value": pl.Float64},
        orient="row",
    )
    by = values.join(drawn, on="replicate").group_by("part", "parameter")
    told = by.agg(pl.len().alias("members"), rho=pl.corr("value", "drawn", method="spearman")).filter(
        pl.col("members") >= FEWEST_MEMBERS, pl.col("rho").is_finite()
    )
    if told.is_empty():
        return []
    most = told.sort(-pl.col("rho").abs(), "parameter", "part").row(0, named=True)
    chance = scipy.special.ndtri(1 - 0.025 / len(told)) / math.sqrt(most["members"] - 1)
    of_part = f" of {most['part']}" if most["part"] else ""
    text = f"among {most['members']} models {most['parameter']} (rank correlation{of_part} {most['rho']:.2f})"
    return [text] if abs(most["rho"]) > chance else []

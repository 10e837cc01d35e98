"""What the claims' queries make of results that are made up, so that their answers are known."""

import duckdb
import numpy as np
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from tests.claims.worlds.hpc_memory import (
    ALPHAS,
    BATCHES,
    alphas,
    grid,
    lucky,
    month,
    reconfiguration,
    responses,
    runs_of,
)

FOLDER = sources.PACKAGE / "studies" / "hpc_memory" / "claims"


class Results:
    """A database of made-up results in which claims are judged."""

    def __init__(self, runs: list[dict] = (), **tables: list[dict]):
        self.connection = duckdb.connect()
        if runs:
            tables["hpc_memory_paper"] = runs_of(runs)
        for name, rows in tables.items():
            self.connection.register("made_up", pl.DataFrame(rows, infer_schema_length=None).to_arrow())
            self.connection.execute(f"CREATE TABLE {name} AS FROM made_up")
            self.connection.unregister("made_up")

    def rows(self, claim: str) -> list[dict]:
        """Rows of the claim's query."""
        cursor = self.connection.execute(evaluate.read(FOLDER / f"{claim}.sql")[1])
        columns = [c[0] for c in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def values(self, claim: str, **wanted: object) -> list:
        """Values of the rows that have what is wanted, by replicate."""
        rows = [row for row in self.rows(claim) if all(row[k] == v for k, v in wanted.items())]
        return [row["value"] for row in sorted(rows, key=lambda row: row["replicate"])]

    def verdict(self, claim: str) -> str:
        """The claim's verdict."""
        path = FOLDER / f"{claim}.sql"
        header, sql = evaluate.read(path)
        return evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, self.connection)[0]["verdict"]


@pytest.mark.parametrize(
    ("claim", "kind", "scheduler", "size", "paper"),
    [("M1", "phased", "priority", 150, 0.002), ("M2", "phased", "priority", 125, 0.007)],
)
def test_losses_are_read_at_the_paper_s_size(claim, kind, scheduler, size, paper):
    def utilisation(s, m, a, t, b):
        return 0.9 * (1 - paper) if (s, m, a, t) == (scheduler, size, 0.03, 1.0) else 0.1

    runs = grid(utilisation, kind, [scheduler, "aggregated", "cost_aware"], [105, 125, 150, 200], taus=(1.0, 10.0))
    results = Results(runs)
    assert results.values(claim) == pytest.approx([paper] * BATCHES)
    assert results.verdict(claim) == REPRODUCED


def test_a_loss_within_the_bound_is_half_of_m10_and_priority_the_other():
    lost = {"stochastic": 0.01, "priority": 0.01}
    results = Results(grid(lambda s, *_: 0.9 * (1 - lost[s]), "dynamic", list(lost), [150, 200]))
    assert results.values("M10", part="loss") == pytest.approx([0.01] * BATCHES)
    assert results.values("M10", part="Priority loses more") == pytest.approx([0.0] * BATCHES)
    assert results.verdict("M10") == IN_PART


def test_what_is_lost_at_105_gb():
    runs = grid(lambda s, m, a, t, b: 0.85 + b / 1000, "phased", ["priority"], [105])
    assert Results(runs).values("M3") == pytest.approx([0.15 - b / 1000 for b in range(BATCHES)])
    assert Results(grid(lambda *_: 0.86, "phased", ["priority"], [105])).verdict("M3") == REPRODUCED
    assert Results(grid(lambda *_: 0.80, "phased", ["priority"], [105])).verdict("M3") == IN_PART
    results = Results(grid(lambda s, m, a, t, b: 0.8, "dynamic", ["stochastic"], [105]))
    assert results.values("M11", part="of the machine") == pytest.approx([0.2] * BATCHES)
    assert results.values("M11", part="of the utilisation with unlimited memory") == pytest.approx(
        [1 - 0.8 / 0.9] * BATCHES
    )


@pytest.mark.parametrize(("claim", "other", "gain"), [("M4", "oldest_first", 0.02), ("M5", "largest_first", 0.04)])
def test_gains_of_priority_are_points_of_utilisation(claim, other, gain):
    level = {"priority": 0.85, other: 0.85 - gain}
    results = Results(grid(lambda s, m, a, t, b: level[s], "phased", list(level), [105, 150]))
    assert results.values(claim) == pytest.approx([gain] * BATCHES)
    assert results.verdict(claim) == REPRODUCED


def test_one_size_at_which_aggregated_is_not_the_lowest_counts_against_m6():
    def utilisation(s, m, a, t, b):
        return 0.7 if s == "aggregated" and (m, b) != (125, 2) else 0.8

    schedulers = ["aggregated", "priority", "oldest_first", "largest_first"]
    results = Results(grid(utilisation, "phased", schedulers, [105, 125, 150]))
    assert results.values("M6") == [True, True, False, True, True, True]


def test_m7_tells_its_two_schedulers_apart():
    level = {"priority": 0.80, "oldest_first": 0.81, "largest_first": 0.79}
    results = Results(grid(lambda s, m, a, t, b: level[s], "phased", list(level), [105, 150]))
    assert results.values("M7", part="Oldest-First above Priority") == pytest.approx([0.01] * BATCHES)
    assert results.values("M7", part="Largest-First above Priority") == pytest.approx([-0.01] * BATCHES)
    assert results.verdict("M7") == IN_PART


def test_m8_takes_the_largest_difference_over_the_sizes():
    def utilisation(s, m, a, t, b):
        return 0.8 * (1 - (0.02 if a == 0.3 and m == 125 else 0.005) * (s == "oldest_first"))

    runs = grid(utilisation, "phased", ["priority", "oldest_first"], [105, 125, 150, 256], alphas=ALPHAS)
    other = grid(utilisation, "phased", ["priority", "oldest_first"], [105], setting="load 0.8")
    results = Results(runs + other)
    for alpha in ALPHAS:
        wanted = 0.02 if alpha == 0.3 else 0.005
        assert results.values("M8", part=f"alpha {alpha}") == pytest.approx([wanted] * BATCHES)
    assert results.values("M8", part="Priority ahead at 105 GB") == pytest.approx([0.8 * 0.005] * BATCHES)
    assert results.verdict("M8") == NOT_REPRODUCED  # one of the alphas, which are its main parts
    # A setting with one alpha says nothing on the others.
    assert {row["setting"] for row in results.rows("M8")} == {"default"}


PARTS_M9 = (
    "r = 100 as good as r = 1000",
    "r = 25, above 200 GB: Aggregated better",
    "r = 1, every memory: Aggregated better",
)


@pytest.mark.parametrize(
    ("lower_at", "holds"),
    [(None, (1, 1, 1)), ((10.0, 105), (0, 1, 1)), ((40.0, 105), (1, 1, 1)), ((1.0, 225), (0, 0, 1))],
)
def test_m9_is_asked_of_every_size(lower_at, holds):
    results = Results(reconfiguration(lower_at))
    assert [all(results.values("M9", part=part)) for part in PARTS_M9] == [bool(h) for h in holds]
    assert results.verdict("M9") == (REPRODUCED if all(holds) else IN_PART if sum(holds) > 1 else NOT_REPRODUCED)


def test_m12_needs_priority_below_both():
    def utilisation(s, m, a, t, b):
        return {"priority": 0.7, "stochastic": 0.8, "aggregated": 0.75 if b else 0.69}[s]

    runs = grid(utilisation, "dynamic", ["priority", "stochastic", "aggregated"], [105, 256])
    unlimited = {
        "kind": "dynamic",
        "scheduler": "unlimited",
        "batch": 0,
        "utilisation": 0.9,
        "memory_per_node_gb": None,
    }
    assert Results([*runs, unlimited]).values("M12") == [False] + [True] * (BATCHES - 1)


def test_m13_compares_the_growth_of_a_class_with_that_of_all():
    # All jobs take twice as long; small phased ones 3.1 times, which is more than 1.5 times as much.
    results = Results(**responses(lambda kind, size: 3.1 if (kind, size) == ("phased", "1–6 nodes") else 2.9))
    rows = [row for row in results.rows("M13") if row["setting"] == "default"]
    assert len(rows) == 8 * BATCHES
    assert {row["part"] for row in rows if not row["value"]} == {"Priority, 1–6 nodes"}
    assert results.verdict("M13") == IN_PART
    small = [row for row in results.rows("M13") if row["part"] == "Priority, 1–6 nodes" and row["value"]]
    assert {row["setting"] for row in small} == {"hurt from 2 times on"}


def test_m13_says_nothing_where_memory_hurts_nobody():
    assert Results(**responses(lambda kind, size: 1.0, all_grown=1.0)).verdict("M13") == NOT_REPRODUCED


@pytest.mark.parametrize(("losses", "wanted"), [((0.02, 0.0), 0.0176), ((0.007, 0.007), 0.007), ((0.0, 0.025), 0.003)])
def test_m14_interpolates_the_loss_at_half_of_the_memory(losses, wanted):
    """128 GB lie at 3 of 25 between 125 and 150."""
    at = {105: 0.5, 125: losses[0], 150: losses[1], 200: 0.0}

    def utilisation(s, m, a, t, b):
        return 0.9 * (1 - at[m] - (0.1 if s == "aggregated" else 0.0))

    results = Results(grid(utilisation, "phased", ["priority", "aggregated"], list(at)))
    assert results.values("M14", part="loss with half of the memory") == pytest.approx([wanted] * BATCHES)
    assert results.values("M14", part="Aggregated loses more") == pytest.approx([0.1] * BATCHES)
    assert results.verdict("M14") == (REPRODUCED if wanted <= 0.0077 else NOT_REPRODUCED)


def test_m15_rises_at_each_step():
    def rising(s, m, a, t, b):
        return 0.9 * (0.982 + a / 50) - 0.05 * (s == "priority")

    def dented(s, m, a, t, b):
        return rising(s, m, a, t, b) - 0.05 * (a == 0.1)

    assert Results(alphas(rising, rising)).verdict("M15") == REPRODUCED
    results = Results(alphas(dented, rising) + grid(rising, "phased", ["priority"], [105], setting="load 0.84"))
    assert not any(results.values("M15", part="Priority rises with alpha (Fig. 6b)"))
    assert all(results.values("M15", part="Stochastic rises with alpha (Fig. 10b)"))
    assert {row["setting"] for row in results.rows("M15")} == {"default"}
    results = Results(alphas(rising, dented))
    assert not any(results.values("M15", part="Stochastic loses less than 2 % at 150 GB for every alpha (Fig. 10b)"))
    assert all(results.values("M15", part="Stochastic above Priority for every alpha (Fig. 10a)"))


SELDOM = "at most a tenth of the cases better than the baseline"
REORDERED = "jobs start in another order where they are"


@pytest.mark.parametrize(
    ("ours", "exchanged"),
    [([0.0, 5.0, 3.0], True), ([0.0, 2.0, 3.0], False), ([0.0, 3.0, 3.0], False), ([0.0, 0.0, 1.0], False)],
)
def test_m16_finds_exchanged_starts(ours, exchanged):
    results = Results(**lucky({"base": [0.0, 1.0, 2.0], "ours": ours}, better={200.0}))
    assert results.values("M16", setting="default", part=SELDOM) == [True] * BATCHES
    assert results.values("M16", setting="default", part=REORDERED) == [exchanged] * BATCHES


def test_m16_counts_cases_and_says_nothing_on_their_order_without_any():
    starts = {"base": [0.0, 1.0, 2.0], "ours": [0.0, 5.0, 3.0]}
    many = Results(**lucky(starts, better={175.0, 200.0}))
    assert many.values("M16", setting="default", part=SELDOM) == [False] * BATCHES
    assert many.values("M16", setting="rare up to a twentieth", part=SELDOM) == [False] * BATCHES
    none = Results(**lucky(starts, better=set()))
    assert none.values("M16", part=REORDERED) == []
    assert none.verdict("M16") == NOT_DERIVABLE


def test_m17_is_the_difference_of_normalised_utilisations():
    def utilisation(gap):
        return lambda s, m, a, t, b: 0.8 - gap * (m == 105) + b / 1000

    phased = grid(utilisation(0.0), "phased", ["aggregated", "priority"], [105, 150])
    dynamic = grid(utilisation(0.09), "dynamic", ["aggregated", "priority"], [105, 150])
    results = Results(phased + dynamic)
    assert results.values("M17", part="105 GB") == pytest.approx([-0.1] * BATCHES)
    assert results.values("M17", part="150 GB") == pytest.approx([0.0] * BATCHES)
    assert results.verdict("M17") == IN_PART  # one of two sizes


def test_m18_is_read_from_measured_months_of_marconi100():
    tables = month()
    results = Results(**tables)
    assert results.verdict("M18") == REPRODUCED
    means = {}
    for row in results.rows("M18"):
        means.setdefault(row["part"], []).append(row["value"])
    assert all(len(values) == 10 for values in means.values())
    lasting = pl.DataFrame(tables["job"]).filter(pl.col("nodes") < 40)
    assert np.mean(means["nodes per job"]) == pytest.approx(lasting["nodes"].mean())
    whole = (
        pl.DataFrame(tables["phase"], infer_schema_length=None)
        .filter(pl.col("node").is_null())
        .join(lasting, on="job_id")
    )
    assert np.mean(means["phases per job"]) == pytest.approx(len(whole) / len(lasting))


def test_m18_takes_the_papers_reading_of_a_job_over_several_nodes_only():
    results = Results(**month(node_memory='"mean"'))
    assert results.verdict("M18") == NOT_DERIVABLE


@pytest.mark.parametrize(
    ("name", "kind", "format_name"),
    [("m100_2205", "generated", "marconi100"), ("m100_like", "measured", "swf"), ("x", "generated", "memory_samples")],
)
def test_m18_takes_nothing_else_for_marconi100(name, kind, format_name):
    results = Results(**month(name, kind, format_name))
    assert results.rows("M18") == []
    assert results.verdict("M18") == NOT_DERIVABLE


def test_a_claim_that_fails_in_every_batch_is_not_reproduced():
    runs = grid(
        lambda s, m, a, t, b: 0.8, "phased", ["aggregated", "priority", "oldest_first", "largest_first"], [105, 150]
    )
    assert Results(runs).verdict("M6") == NOT_REPRODUCED

"""What the claims' queries make of results that are made up, so that their answers are known."""

import itertools
import json

import duckdb
import numpy as np
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources

FOLDER = sources.PACKAGE / "studies" / "hpc_memory" / "claims"
IDS = [f"M{i}" for i in range(1, 19)]
BATCHES = 6


class Results:
    """A database of made-up results in which claims are judged."""

    def __init__(self, runs: list[dict] = (), **tables: pl.DataFrame):
        self.connection = duckdb.connect()
        base = {"setting": "default", "alpha": 0.03, "tau_s": 1.0, "unlimited_utilisation": 0.9}
        full = []
        for number, given in enumerate(runs):
            run = base | given
            run.setdefault("scenario_id", str(number))
            run["workload"] = f"{run['kind']}/{run['setting']}"
            run["normalised"] = run["utilisation"] / run["unlimited_utilisation"]
            run["loss"] = 1 - run["normalised"]
            full.append(run)
        if full:
            tables["hpc_memory_paper"] = pl.DataFrame(full)
        for name, frame in tables.items():
            self.connection.register("made_up", frame.to_arrow())
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
        return evaluate._judge(path, *evaluate.read(path), self.connection)[0]["verdict"]


def grid(utilisation, kind, schedulers, sizes, batches=BATCHES, alphas=(0.03,), taus=(1.0,), **more) -> list[dict]:
    """Runs of every combination; `utilisation` is a function of scheduler, size, alpha, tau and batch."""
    return [
        {
            "kind": kind, "scheduler": s, "memory_per_node_gb": float(m), "alpha": a, "tau_s": t, "batch": b,
            "utilisation": utilisation(s, m, a, t, b),
        } | more
        for s, m, a, t, b in itertools.product(schedulers, sizes, alphas, taus, range(batches))
    ]  # fmt: skip


def test_every_claim_of_the_paper_has_a_file():
    assert sorted(path.stem for path in FOLDER.glob("*.sql")) == sorted(IDS)


@pytest.mark.parametrize(
    ("claim", "kind", "scheduler", "size", "paper"),
    [
        ("M1", "phased", "priority", 150, 0.002),
        ("M2", "phased", "priority", 125, 0.007),
        ("M10", "dynamic", "stochastic", 150, 0.02),
    ],
)
def test_losses_are_read_at_the_paper_s_size(claim, kind, scheduler, size, paper):
    def utilisation(s, m, a, t, b):
        return 0.9 * (1 - paper) if (s, m, a, t) == (scheduler, size, 0.03, 1.0) else 0.1

    runs = grid(utilisation, kind, [scheduler, "aggregated", "cost_aware"], [105, 125, 150, 200], taus=(1.0, 10.0))
    results = Results(runs)
    assert results.values(claim) == pytest.approx([paper] * BATCHES)
    assert results.verdict(claim) == REPRODUCED


def test_utilisation_at_105_gb():
    runs = grid(lambda s, m, a, t, b: 0.85 + b / 1000, "phased", ["priority"], [105])
    assert Results(runs).values("M3") == pytest.approx([0.85 + b / 1000 for b in range(BATCHES)])
    runs = grid(lambda s, m, a, t, b: 0.8, "dynamic", ["stochastic"], [105])
    results = Results(runs)
    assert results.values("M11", part="utilisation") == pytest.approx([0.8] * BATCHES)
    assert results.values("M11", part="share of the utilisation with unlimited memory") == pytest.approx(
        [0.8 / 0.9] * BATCHES
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
    assert results.values("M7", part="Oldest-First above Priority") == [True] * BATCHES
    assert results.values("M7", part="Largest-First above Priority") == [False] * BATCHES
    assert results.verdict("M7") == IN_PART


ALPHAS = (0.01, 0.03, 0.1, 0.3, 0.5)


def test_m8_takes_the_largest_difference_over_the_sizes():
    def utilisation(s, m, a, t, b):
        return 0.8 * (1 - (0.02 if a == 0.3 and m == 125 else 0.005) * (s == "oldest_first"))

    runs = grid(utilisation, "phased", ["priority", "oldest_first"], [105, 125, 256], alphas=ALPHAS)
    other = grid(utilisation, "phased", ["priority", "oldest_first"], [105], setting="load 0.8")
    results = Results(runs + other)
    for alpha in ALPHAS:
        wanted = 0.02 if alpha == 0.3 else 0.005
        assert results.values("M8", part=f"alpha {alpha}") == pytest.approx([wanted] * BATCHES)
    assert results.verdict("M8") == IN_PART
    # A setting with one alpha says nothing on the others.
    assert {row["setting"] for row in results.rows("M8")} == {"default"}


def reconfiguration(lower_at):
    """Utilisation against tau that meets M9, but for one size of one tau."""
    of_tau = {1.0: 0.88, 10.0: 0.879, 40.0: 0.86, 1000.0: 0.5}

    def utilisation(s, m, a, t, b):
        if s == "aggregated":
            return (0.87 if m > 200 else 0.7) - 0.3 * ((t, m) == lower_at)
        return of_tau[t] - 0.05 * ((t, m) == lower_at)

    aggregated = [r for r in grid(utilisation, "phased", ["aggregated"], [105, 200, 225, 256]) if r["tau_s"] == 1]
    return aggregated + grid(utilisation, "phased", ["priority"], [105, 200, 225, 256], taus=tuple(of_tau))


PARTS_M9 = (
    "r = 100 as good as r = 1000",
    "r = 25, above 200 GB: Aggregated better",
    "r = 1, every memory: Aggregated better",
)


@pytest.mark.parametrize(
    ("lower_at", "holds"),
    [(None, (1, 1, 1)), ((10.0, 105), (0, 1, 1)), ((40.0, 105), (1, 1, 1)), ((1.0, 225), (0, 0, 1))],
)
def test_m9_is_held_against_every_size(lower_at, holds):
    results = Results(reconfiguration(lower_at))
    assert [all(results.values("M9", part=part)) for part in PARTS_M9] == [bool(h) for h in holds]
    assert results.verdict("M9") == (REPRODUCED if all(holds) else IN_PART)


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
    runs, result, response = [], [], []
    for kind, scheduler in (("phased", "priority"), ("dynamic", "stochastic")):
        for batch in range(BATCHES):
            for name in ("unlimited", scheduler):
                scenario = f"{kind}{batch}{name}"
                size_gb = None if name == "unlimited" else 105.0
                runs.append({"kind": kind, "scheduler": name, "batch": batch, "utilisation": 0.8,
                             "memory_per_node_gb": size_gb, "scenario_id": scenario})  # fmt: skip
                result.append({"scenario_id": scenario, "mean_response_s": 100.0 if name == "unlimited" else 200.0,
                               "unlimited_response_s": 100.0})  # fmt: skip
                for size in ("1–6 nodes", "7–12 nodes", "13–18 nodes", "19–24 nodes"):
                    # All jobs take twice as long; small phased ones 3.1 times, which is more than 1.5 times as much.
                    grown = 3.1 if (kind, size) == ("phased", "1–6 nodes") else 2.9
                    response.append({"scenario_id": scenario, "size": size,
                                     "mean_response_s": 50.0 * (1 if name == "unlimited" else grown)})  # fmt: skip
    results = Results(runs, hpc_memory_result=pl.DataFrame(result), hpc_memory_response=pl.DataFrame(response))
    rows = results.rows("M13")
    assert len(rows) == 8 * BATCHES
    assert {row["part"] for row in rows if not row["value"]} == {"Priority, 1–6 nodes"}
    assert results.verdict("M13") == IN_PART


@pytest.mark.parametrize(
    ("losses", "wanted"),
    [
        ([0.05, 0.02, 0.002, 0.0], None),
        ([0.05, 0.002, 0.02, 0.001], None),  # a lucky size in between does not count
        ([0.003, 0.002, 0.001, 0.0], (105.0, 105.0)),
        ([0.05, 0.04, 0.03, 0.02], (200.0, 200.0)),
    ],
)
def test_m14_interpolates_the_memory_of_a_loss(losses, wanted):
    sizes = [105.0, 125.0, 150.0, 200.0]
    runs = grid(lambda s, m, a, t, b: 0.9 * (1 - losses[sizes.index(m)]), "phased", ["priority"], sizes)
    results = Results(runs)
    for i, (part, bound) in enumerate((("0.7 % lost", 0.007), ("1 % lost", 0.01))):
        if wanted is not None:
            expected = wanted[i]
        else:
            last = max(k for k, loss in enumerate(losses) if loss > bound)
            expected = np.interp(-bound, [-losses[last], -losses[last + 1]], sizes[last : last + 2])
        assert results.values("M14", part=part) == pytest.approx([expected] * BATCHES)


def alphas(phased, dynamic, setting="default"):
    runs = grid(phased, "phased", ["priority"], [105, 150], alphas=ALPHAS, setting=setting)
    return runs + grid(dynamic, "dynamic", ["priority", "stochastic"], [105, 150], alphas=ALPHAS, setting=setting)


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


def lucky(starts: dict[str, list[float]], better: set[float]) -> Results:
    """Dynamic runs of Stochastic at ten sizes, better than the baseline at some; starts of three jobs in each run."""
    sizes = [105.0, 115.0, 120.0, 125.0, 135.0, 150.0, 160.0, 175.0, 190.0, 200.0]
    runs = grid(lambda s, m, a, t, b: 0.91 if m in better else 0.89, "dynamic", ["stochastic"], sizes)
    for run in runs:
        run["scenario_id"] = f"ours{run['batch']}-{run['memory_per_node_gb']}"
    unlimited = [{"kind": "dynamic", "scheduler": "unlimited", "batch": b, "utilisation": 0.9,
                  "memory_per_node_gb": None, "scenario_id": f"base{b}"} for b in range(BATCHES)]  # fmt: skip
    outcomes = [
        {"scenario_id": run["scenario_id"], "job_id": str(j), "start_s": s}
        for run in [*runs, *unlimited]
        for j, s in enumerate(starts["base" if run["scheduler"] == "unlimited" else "ours"])
    ]
    return Results([*runs, *unlimited], outcome_hpc_memory=pl.DataFrame(outcomes))


@pytest.mark.parametrize(
    ("ours", "exchanged"),
    [([0.0, 5.0, 3.0], True), ([0.0, 2.0, 3.0], False), ([0.0, 3.0, 3.0], False), ([0.0, 0.0, 1.0], False)],
)
def test_m16_finds_exchanged_starts(ours, exchanged):
    results = lucky({"base": [0.0, 1.0, 2.0], "ours": ours}, better={200.0})
    assert results.values("M16", part="at most a tenth of the cases better than the baseline") == [True] * BATCHES
    assert results.values("M16", part="jobs start in another order where they are") == [exchanged] * BATCHES


def test_m16_counts_cases_and_says_nothing_on_their_order_without_any():
    starts = {"base": [0.0, 1.0, 2.0], "ours": [0.0, 5.0, 3.0]}
    many = lucky(starts, better={175.0, 200.0})
    assert many.values("M16", part="at most a tenth of the cases better than the baseline") == [False] * BATCHES
    none = lucky(starts, better=set())
    assert none.values("M16", part="jobs start in another order where they are") == []
    assert none.verdict("M16") == IN_PART


def test_m17_is_the_difference_of_normalised_utilisations():
    def utilisation(gap):
        return lambda s, m, a, t, b: 0.8 - gap * (m == 105) + b / 1000

    phased = grid(utilisation(0.0), "phased", ["aggregated", "priority"], [105, 150])
    dynamic = grid(utilisation(0.09), "dynamic", ["aggregated", "priority"], [105, 150])
    results = Results(phased + dynamic)
    assert results.values("M17", part="105 GB") == pytest.approx([-0.1] * BATCHES)
    assert results.values("M17", part="150 GB") == pytest.approx([0.0] * BATCHES)
    assert results.verdict("M17") == IN_PART


def month(
    trace_id: str, kind: str, format_name: str = "marconi100", jobs: int = 200, node_memory: str = "max"
) -> dict[str, pl.DataFrame]:
    """Tables of a trace: jobs of 7 nodes, 17 phases of 1000 s and 105 GB in the mean, and short ones of no account."""
    rng = np.random.default_rng(7)
    nodes = rng.integers(1, 14, jobs)
    job, phase = [], []
    for j in range(jobs):
        job.append({"trace_id": trace_id, "job_id": str(j), "submit_s": 10.0 * j, "nodes": int(nodes[j])})
        for p in range(int(rng.integers(1, 34))):
            row = {"trace_id": trace_id, "job_id": str(j), "phase": p, "duration_s": float(rng.exponential(1000.0)),
                   "memory_gb": float(rng.uniform(0, 210))}  # fmt: skip
            phase += [row | {"node": None}, row | {"node": "n1", "memory_gb": 1.0}]
    for j in range(jobs, 2 * jobs):
        job.append({"trace_id": trace_id, "job_id": str(j), "submit_s": 10.0 * j, "nodes": 40})
        phase.append(
            {"trace_id": trace_id, "job_id": str(j), "phase": 0, "duration_s": 59.0, "memory_gb": 900.0, "node": None}
        )
    trace = [{"trace_id": trace_id, "format": format_name, "kind": kind, "nodes": 980}]
    return {
        "job": pl.DataFrame(job),
        "phase": pl.DataFrame(phase, infer_schema_length=None),
        "trace": pl.DataFrame(trace),
        "setting": pl.DataFrame([{"key": "fit.node_memory", "value": json.dumps(node_memory)}]),
    }


def test_m18_is_read_from_measured_months_of_marconi100():
    tables = month("m100_2205", "measured")
    results = Results(**tables)
    assert results.verdict("M18") == REPRODUCED
    means = {}
    for row in results.rows("M18"):
        means.setdefault(row["part"], []).append(row["value"])
    assert all(len(values) == 10 for values in means.values())
    lasting = tables["job"].filter(pl.col("nodes") < 40)
    assert np.mean(means["nodes a job"]) == pytest.approx(lasting["nodes"].mean())
    whole = tables["phase"].filter(pl.col("node").is_null()).join(lasting, on="job_id")
    assert np.mean(means["phases a job"]) == pytest.approx(len(whole) / len(lasting))


def test_m18_takes_the_papers_reading_of_a_job_over_several_nodes_only():
    results = Results(**month("m100_2205", "measured", node_memory="mean"))
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

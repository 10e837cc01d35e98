"""What the claims' queries on gpu_corun make of results that are made up, so that their answers are known."""

import itertools

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions

FOLDER = sources.PACKAGE / "studies" / "gpu_corun" / "claims"
DTYPES = {"ipc": pl.Float64, "beside": pl.String}
KERNELS = ["BS", "GS", "MM", "RG", "TR"]
PAIRS = ["-".join(pair) for pair in itertools.combinations_with_replacement(KERNELS, 2)]
PRINTED = {"GS-RG": 0.35, "BS-MM": -0.02, "GS-GS": 0.24}
MACHINES, DRAWS, SPLITS = 6, 6, ("equal", "best", "saturate")


def runs_of(gain=lambda pair, machine, draw, split: PRINTED.get(pair, 0.1), corun=lambda pair: "RG" in pair.split("-"),
            alone=lambda kernel: 0.02, mps=0.06, mps_alone=-0.01) -> list[dict]:  # fmt: skip
    """Rows of gpu_corun_result of Slate on every pair and every kernel alone; gains are over MPS."""
    rows = []
    for machine, draw, split in itertools.product(range(MACHINES), range(DRAWS), SPLITS):
        of = {"machine": f"m{machine:04d}", "draw": f"k{draw:02d}", "split": split, "scheduler": "slate", "sms": 30,
              "symmetry": "printed", "task_size": 10}  # fmt: skip
        for pair in PAIRS:
            over_mps = gain(pair, machine, draw, split)
            rows.append(
                of | {"kind": "pair", "pair": pair, "gain_over_mps": over_mps, "kernel_gain_over_mps": over_mps,
                      "gain_over_cuda": (1 + over_mps) * (1 + mps) - 1, "corun": corun(pair)}
            )  # fmt: skip
        for kernel in KERNELS:
            over_mps = alone(kernel)
            rows.append(
                of | {"kind": "alone", "pair": kernel, "gain_over_mps": over_mps, "kernel_gain_over_mps": over_mps,
                      "gain_over_cuda": (1 + over_mps) * (1 + mps_alone) - 1, "corun": False}
            )  # fmt: skip
    return rows


def judged(runs: list[dict], claim: str) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up rows of gpu_corun_result."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(runs).to_arrow())
    connection.execute("CREATE TABLE gpu_corun_result AS FROM made_up")
    connection.execute(definitions.found("gpu_corun_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    row, parts = evaluate._judge(path, *evaluate.read(path), connection)
    return row, {part["part"]: part for part in parts}


def test_every_claim_of_the_page_has_a_file():
    assert {path.stem for path in FOLDER.glob("*.sql")} == {f"S{i}" for i in range(1, 15)}


@pytest.mark.parametrize("claim", ["S1", "S2", "S3", "S5", "S6", "S7", "S8", "S9", "S12", "S13"])
def test_what_the_paper_says_is_reproduced(claim):
    """Rows with exactly the printed numbers, as far as they go together."""
    rest = {"S2": (0.11 * 15 - 0.57) / 12, "S6": 0.3055, "S9": 0.08, "S3": 1.18 / 1.06 - 1}.get(claim, 0.2)

    def gain(pair, machine, draw, split):
        if claim in ("S3", "S6", "S9"):
            return rest
        return PRINTED.get(pair, rest)

    row, _ = judged(runs_of(gain), claim)
    assert (row["verdict"], row["robustness"], row["replicates"]) == (REPRODUCED, 1.0, MACHINES)


def test_robustness_is_the_share_of_machines_with_a_split_and_default_is_the_equal_split():
    """In two of six machines nothing is gained, and by 'best' never anything: 4 of 6 in two of three splits."""
    row, _ = judged(runs_of(lambda pair, machine, draw, split: 0.11 * (machine >= 2) * (split != "best")), "S2")
    assert row["robustness"] == pytest.approx(4 / 6 * 2 / 3)
    assert row["value"] == pytest.approx(0.11 * 4 / 6)
    assert row["replicates"] == MACHINES


def test_a_mean_over_fewer_pairs_is_not_judged():
    runs = [run for run in runs_of() if run["pair"] != "TR-TR"]
    for claim in ("S1", "S2", "S3", "S5", "S7", "S13"):
        assert judged(runs, claim)[0]["verdict"] == NOT_DERIVABLE


def test_one_pair_more_side_by_side_is_not_what_the_paper_says():
    row, _ = judged(runs_of(corun=lambda pair: "RG" in pair.split("-") or pair == "TR-TR"), "S1")
    assert (row["verdict"], row["value"]) == (NOT_REPRODUCED, 0)


def test_the_best_pair_may_be_another():
    row, parts = judged(runs_of(lambda pair, *_: 0.4 if pair == "BS-RG" else PRINTED.get(pair, 0.1)), "S5")
    assert parts["gain of RG-GS"]["verdict"] == REPRODUCED
    assert parts["RG-GS is the best pair"]["value"] == 0
    assert row["verdict"] == IN_PART


def test_mm_bs_has_to_be_behind_alone():
    row, parts = judged(runs_of(lambda pair, *_: -0.05 if pair == "BS-BS" else PRINTED.get(pair, 0.1)), "S7")
    assert parts["gain of MM-BS"]["verdict"] == REPRODUCED
    assert parts["MM-BS is behind and no other pair is"]["value"] == 0
    assert row["verdict"] == IN_PART


def test_consecutive_pairs_are_those_that_did_not_share():
    """Whatever those side by side gain is left out."""
    row, _ = judged(runs_of(lambda pair, *_: 5.0 if "RG" in pair else 0.08), "S9")
    assert row["value"] == pytest.approx(0.08)


@pytest.mark.parametrize(("gain", "value"), [(0.101, 1), (0.099, 0)])
def test_pairs_side_by_side_gain_a_tenth(gain, value):
    row, _ = judged(runs_of(lambda pair, *_: gain if pair == "MM-RG" else 0.2), "S13")
    assert row["value"] == value
    solo, _ = judged(runs_of(lambda pair, *_: 0.0 if "RG" not in pair else 0.2), "S13")
    assert solo["value"] == 1


@pytest.mark.parametrize(
    ("alone", "mps_alone", "never", "slightly"), [(0.005, -0.01, 1, 1), (-0.03, -0.01, 0, 1), (0.1, 0.01, 1, 0),
                                                  (0.1, -0.08, 1, 0)]
)  # fmt: skip
def test_one_application_alone(alone, mps_alone, never, slightly):
    runs = runs_of(alone=lambda kernel: alone if kernel == "BS" else 0.1, mps_alone=mps_alone)
    _, parts = judged(runs, "S12")
    assert parts["Slate is never behind"]["value"] == never
    assert parts["MPS is slightly behind CUDA"]["value"] == slightly


@pytest.mark.parametrize(("kind", "verdict"), [("measured", REPRODUCED), ("generated", NOT_DERIVABLE)])
def test_saturation_is_judged_on_measured_streams_only(kind, verdict):
    traces = [f"t{i}" for i in range(6)]
    curve = [
        {"trace_id": t, "app": app, "sms": n, "time_s": 1 / min(n, 9 if app == "Stream" else 30), "ipc": None,
         "beside": None}
        for t in traces
        for app in ("Stream", "gemm")
        for n in range(1, 31)
    ]  # fmt: skip
    # A point beside another application is none of the stream's curve, however fast.
    curve += [row | {"sms": 2, "time_s": 0.1, "beside": "gemm"} for row in curve if row["sms"] == 1]
    connection = duckdb.connect()
    connection.register("curves", pl.DataFrame(curve, schema_overrides=DTYPES).to_arrow())
    connection.register("traces", pl.DataFrame({"trace_id": traces, "kind": [kind] * 6}).to_arrow())
    connection.execute("CREATE TABLE sm_curve AS FROM curves; CREATE TABLE trace AS FROM traces")
    connection.execute(definitions.found("fig_gpu_corun_1")[-1].read_text())
    path = FOLDER / "S11.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), connection)
    assert row["verdict"] == verdict
    assert row["value"] == (pytest.approx(0.3) if kind == "measured" else None)


@pytest.mark.parametrize("claim", ["S4", "S10", "S14"])
def test_inputs_are_marked_as_such(claim):
    path = FOLDER / f"{claim}.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), duckdb.connect())
    assert (row["verdict"], row["value"]) == (INPUT, None)

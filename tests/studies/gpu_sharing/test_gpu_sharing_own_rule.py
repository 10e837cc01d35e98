"""A rule of one's own: replayed as any other, checked when it is loaded, refused where it chooses what cannot be."""

import importlib
import re
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from gpu_sharing_cases import all_splits, at, metric, scenario_table, splits_of, tables

from pipeline import config
from pipeline.studies import gpu_sharing
from pipeline.studies.gpu_sharing import families
from pipeline.studies.gpu_sharing.families import FAMILIES

OWN = Path(__file__).parent / "own" / "weighted_max_min.py"
WEIGHTS = (2, 1, 1, 1)
HEAD = """
from numba import njit
from pipeline.studies.gpu_sharing import families
from pipeline.studies.gpu_sharing.rules import least_cost, split
COMPLEXITY = 9
"""


@pytest.fixture
def written(own_scheduler, tmp_path):
    """written(name, family, lines): a scheduler of the family with these lines in its rule, or its file with them."""

    def write(name, family, lines, before=""):
        body = "\n".join(f"    {line}" for line in lines)
        text = f"{HEAD}FAMILY = families.{family}\n{before}\n@split\ndef rule(mix, sms):\n{body}\n"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        return own_scheduler("gpu_sharing", path)

    return write


def replayed(scheduler, inputs, **columns):
    rows = {mix: {"scheduler": scheduler, "mix_id": mix, **columns} for mix in inputs["mixes"]["mix_id"].unique()}
    return gpu_sharing.replay(inputs, scenario_table(rows))


def rising(rng, sms, apps):
    """Curves that rise with every SM, with steps of any size."""
    curves = {}
    for app in apps:
        steps = np.cumsum([rng.randint(1, 9) for _ in range(sms)])
        curves[app] = {n + 1: int(value) for n, value in enumerate(steps)}
    return curves


@pytest.mark.slow
@pytest.mark.parametrize(("k", "sms"), [(2, 16), (3, 13), (4, 11)])
def test_weighted_max_min_is_the_best_of_all_splits_for_the_worst_off(own_scheduler, k, sms):
    name = own_scheduler("gpu_sharing", OWN)
    rng = Random(k)
    for _ in range(15):
        curves = rising(rng, sms, "ABCDE")
        apps = rng.sample("ABCDE", k)
        chosen_split = splits_of(replayed(name, tables(curves, {"m": apps}), sms=sms))["m"]

        def levels(split, curves=curves, apps=apps):
            """Speed-up for its weight of each, the least first: of two splits the larger list is the fairer one."""
            each = [
                at(curves[app], n) / (at(curves[app], sms) / k) / WEIGHTS[i]
                for i, (app, n) in enumerate(zip(apps, split, strict=True))
            ]
            return sorted(each)

        assert levels(chosen_split) == max(levels(split) for split in all_splits(sms, k))


def test_equal_applications_share_by_their_weights(own_scheduler):
    name = own_scheduler("gpu_sharing", OWN)
    inputs = tables({app: {12: 12.0} for app in "ABC"}, {"m": list("ABC")})
    assert splits_of(replayed(name, inputs, sms=12))["m"] == (6, 3, 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_rule_runs_in_every_family(family, own_scheduler, tmp_path):
    path = tmp_path / "weighted.py"
    path.write_text(OWN.read_text().replace("import splits\n", f"import {family}\n").replace("= splits", f"= {family}"))
    name = own_scheduler("gpu_sharing", path)
    inputs = tables({app: {16: 16.0} for app in "AB"}, {"m": ["A", "B"]})
    result = replayed(name, inputs, sms=16, qos_slots=[0, 1])
    # On straight lines predictions are right: two thirds for the first slot, in whole SMs.
    assert splits_of(result)["m"] == (11, 5)
    assert (len(result["rounds"]) > 0) == (family in ("dynamic", "qos_rounds"))


def test_the_pipeline_asks_for_a_new_file_where_it_belongs(written):
    names = {
        family: written(f"new_{family}", family, ["sms[:] = 1", "sms[0] = mix.sms - len(sms) + 1"])
        for family in FAMILIES
    }
    points = [(app, n, float(n)) for app in "AB" for n in range(1, 17)]
    catalog = {
        "traces": pl.DataFrame({"trace": ["t"], "drop": ["t"], "kind": ["measured"]}),
        "sm_curves": pl.DataFrame(points, schema=["app", "sms", "ipc"], orient="row").with_columns(
            trace=pl.lit("t"), time_s=pl.lit(None, pl.Float64)
        ),
    }
    settings = gpu_sharing.part(config.Configuration(), catalog, "t")
    rows = gpu_sharing.scenarios(settings, catalog)
    asked = {row[0] for row in rows.select("scheduler").unique().iter_rows()}
    assert set(names.values()) <= asked
    of_new = rows.filter(pl.col("scheduler").is_in(list(names.values())))
    result = gpu_sharing.replay(gpu_sharing.workloads(settings, catalog), of_new)
    kinds = of_new.with_columns(kind=pl.col("mix_id").str.split("/").list.first())
    for family, name in names.items():
        assert set(kinds.filter(scheduler=name)["kind"]) <= {FAMILIES[family].question, "mixes", "stated"}
    assert result["outcomes"]["scenario_id"].n_unique() == len(of_new)


def test_a_rule_remembers_and_knows_its_round_time_and_seed(written):
    # One SM a round from the first to the last slot, as many as the seed says; then all stay where they are.
    lines = ["sms[:] = mix.held", "mix.memory[0, 0] += 1", "if mix.memory[0, 0] <= mix.seed and mix.now_cycles >= 0:",
             "    sms[0] -= 1", "    sms[1] += 1", "if mix.memory[0, 0] != mix.round:", "    sms[:] = 0"]  # fmt: skip
    inputs = tables({"A": {16: 8.0}, "B": {16: 4.0}}, {"m": ["A", "B"]})
    for family in ("dynamic", "qos_rounds"):
        name = written(f"steps_{family}", family, lines)
        result = replayed(name, inputs, sms=16, seed=3, qos_slots=[0, 1])
        assert result["rounds"]["sms"].to_list() == [8, 8, 7, 9, 6, 10, 5, 11]
        assert metric(result, "rounds")["m"] == 3


def test_rounds_that_never_settle_end(written):
    lines = ["sms[0] = 1 if mix.held[0] > 1 else 2", "sms[1] = mix.sms - sms[0]"]
    inputs = tables({"A": {16: 8.0}, "B": {16: 4.0}}, {"m": ["A", "B"]})
    dynamic = replayed(written("restless", "dynamic", lines), inputs, sms=16)
    assert metric(dynamic, "converged")["m"] == 0
    qos = replayed(written("restless_qos", "qos_rounds", lines), inputs, sms=16, qos_slots=[0, 1])
    assert metric(qos, "rounds")["m"] == 8 * 2 * 16


def test_a_cost_of_ones_own_is_looked_at_for_every_split(written):
    # The least product of two numbers of SMs that are 3 at least.
    costs = "candidate[0] * candidate[1] + 100.0 * (candidate.min() < 3)"
    cost = f"@njit\ndef cost(mix, candidate, throughput):\n    return {costs}\n"
    name = written("by_cost", "splits", ["least_cost(mix, cost, sms)"], before=cost)
    inputs = tables({"A": {16: 8.0}, "B": {16: 4.0}}, {"m": ["A", "B"]})
    # (13, 3) costs as much and A is the faster one.
    assert splits_of(replayed(name, inputs, sms=16))["m"] == (13, 3)


@pytest.mark.parametrize(
    ("family", "lines", "columns", "sentence"),
    [
        ("splits", ["sms[:] = 3"], {}, "gives 3, 3 SMs to the applications of mix 'm', which are A, B; of 16 SMs, "
         "each needs one at least and all are used, or each has all of them in turn"),
        ("splits", ["sms[0] = mix.sms"], {}, "gives 16, 0 SMs"),
        ("splits", ["sms[0] = 20", "sms[1] = -4"], {}, "gives 20, -4 SMs"),
        ("splits", ["pass"], {}, "gives 0, 0 SMs"),
        ("dynamic", ["sms[:] = mix.sms"], {}, "gives 16, 16 SMs"),
        ("dynamic", ["sms[0] = 16 + mix.round", "sms[1] = -mix.round"], {"initial": "profile"}, "gives 16, 0 SMs"),
        ("variation", ["sms[:] = mix.sms"], {}, "gives 16, 16 SMs"),
        ("qos", ["sms[0] = 17"], {}, "gives 17, 0 SMs"),
        ("qos", ["sms[0] = 2**62", "sms[1] = 2**62"], {"spare": "best_effort"}, "gives 4611686018427387904, "),
        ("qos", ["sms[1] = 2"], {"spare": "best_effort"}, "gives 0, 2 SMs"),
        ("qos", ["sms[:] = 8"], {"spare": "gated"}, "gives 8, 8 SMs to the applications of mix 'm', which are A, B; of "
         "16 SMs, those with a target need one each at least and no more than all together; others may have what is "
         "left where spare is best_effort"),
        ("qos_rounds", ["sms[0] = mix.held[0] - 4"], {}, "gives 0, 0 SMs"),
    ],
)  # fmt: skip
def test_a_choice_that_cannot_be_is_an_error_that_names_it(written, family, lines, columns, sentence):
    name = written("wrong", family, lines)
    inputs = tables({"A": {16: 8.0}, "B": {16: 4.0}}, {"m": ["A", "B"]})
    with pytest.raises(ValueError, match=f"scenario 'm': the rule of scheduler {name} " + re.escape(sentence)):
        replayed(name, inputs, sms=16, **columns)


def test_spare_sms_go_where_the_rule_says_or_evenly(written):
    inputs = tables({app: {16: 8.0} for app in "ABC"}, {"m": ["A", "B", "C"]})
    for lines, expected in ((["sms[0] = 7"], (7, 4, 5)), (["sms[0] = 7", "sms[2] = 8"], (7, 0, 8))):
        name = written(f"spare{len(lines)}", "qos", lines)
        assert splits_of(replayed(name, inputs, sms=16, spare="best_effort"))["m"] == expected
    # Those that a rule leaves without are given nothing where spare SMs are idle.
    assert splits_of(replayed("spare1", inputs, sms=16, spare="idle"))["m"] == (7, 0, 0)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("FAMILY", "splits", "FAMILY is 'splits'; one of families.py would be right: splits, dynamic, qos, qos_rounds"),
        ("FAMILY", None, "has no FAMILY"),
        ("rule", "max_throughput", "rule is 'max_throughput'; a function that begins with @split would be right"),
        ("rule", None, "has no rule"),
        ("rule", lambda mix, sms: None, "a function that begins with @split would be right"),
    ],
)
def test_a_file_that_says_what_nobody_understands_is_an_error(key, value, sentence):
    good = {"COMPLEXITY": 1, "FAMILY": families.splits, "rule": gpu_sharing.SCHEDULERS["max_throughput"].rule}
    module = ModuleType("pipeline.studies.gpu_sharing.schedulers.mine")
    for name, what in (good | {key: value}).items():
        if what is not None:
            setattr(module, name, what)
    check = importlib.import_module("pipeline.studies.gpu_sharing.schedulers").check
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        check(module)
    assert str(caught.value).startswith("pipeline/studies/gpu_sharing/schedulers/mine.py")


def test_a_rule_of_other_arguments_is_an_error(own_scheduler, tmp_path):
    path = tmp_path / "short.py"
    path.write_text(f"{HEAD}FAMILY = families.splits\n\n@split\ndef rule(mix):\n    pass\n")
    with pytest.raises(ValueError, match=r"short.py: rule takes \(mix\); a rule split takes \(mix, sms\)"):
        own_scheduler("gpu_sharing", path)

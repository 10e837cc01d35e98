"""Scenarios of quality of service: targets, the SMs that applications get for them, what is left (thesis, Chapter 5).

A scheduler of this family states `METHOD`: "least" (the fewest SMs of all allocations) or "rounds" (resizing).
Model: docs/models/gpu_sharing-qos.md.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.studies.gpu_sharing import measures, qos
from pipeline.studies.gpu_sharing.arrays import Problem

SMS = 30
"""SMs of a GPU, where a scenario states none (Quadro FX5800, Table 1)."""


def replay(problem: Problem) -> dict[str, pl.DataFrame]:
    """Outcomes and metrics of the scenarios, and the rounds of those that resize.

    Raises ValueError naming a level that is none, or a QoS slot that the mix does not have.
    """
    scenarios, first = problem.scenarios, problem.first_slot
    slots_of = np.diff(first)
    is_qos = _has_target(problem)
    level = np.repeat(_levels(scenarios), slots_of)
    target = level * problem.ipc[problem.curve, problem.sms] / 2
    gamma = np.repeat(scenarios["gamma"].to_numpy(), slots_of) * measures.of_app(problem, "sensitivity", 1.0)
    pressure = measures.of_app(problem, "pressure", 1.0)
    others = measures.sums(problem, (~is_qos).astype(np.int64))
    gives = (scenarios["spare"] == "best_effort").to_numpy() & (others > 0)
    sms = np.full(len(scenarios), problem.sms)
    machine = (is_qos, problem.curve, gamma, pressure, target, problem.ipc)

    fewest, found = qos.least(sms, first, gives, np.zeros(len(sms), bool), *machine)
    held = fewest.copy()
    by_profile = (scenarios["decide_by"] == "profile").to_numpy()
    if by_profile.any():
        held, _ = qos.least(sms, first, gives, by_profile, *machine)
    throughput = np.zeros(len(held))
    method = np.array(problem.stated("METHOD"))
    resized = np.flatnonzero(method == "rounds")
    begin, held_in, throughput_in, row = _rounds(problem, resized, sms, gives, machine)
    if len(row):
        last = np.repeat(begin[1:] - slots_of[resized], slots_of[resized]) + _within(slots_of[resized])
        held[row[last]], throughput[row[last]] = held_in[last], throughput_in[last]
    side_by_side = np.repeat(method != "rounds", slots_of)
    throughput[side_by_side] = qos.measured(first, problem.curve, gamma, pressure, problem.ipc, held)[side_by_side]

    values = measures.of_splits(problem, held, throughput)
    values |= _qos_measures(problem, is_qos, target, held, throughput, gives)
    values["least_sms"] = np.where(found, measures.sums(problem, np.where(is_qos, fewest, 0)), np.nan)
    values["rounds"], values["violations"] = np.full((2, len(sms)), np.nan)
    values["rounds"][resized] = np.diff(begin) / slots_of[resized] - 1
    below = is_qos[row] & (throughput_in < target[row] * (1 - qos.TIE))
    values["violations"][resized] = np.diff(np.append(0, np.cumsum(below))[begin])
    number = np.repeat(resized, np.diff(begin))
    rounds = pl.DataFrame(
        {
            "_scenario": problem.number[number],
            "round": _within(np.diff(begin)) // np.maximum(slots_of[number], 1),
            "slot": problem.slot.gather(row),
            "sms": held_in,
            "throughput": throughput_in,
            "from_cycle": pl.Series([None] * len(row), dtype=pl.Float64),
        }
    )
    return {
        "outcomes": problem.per_slot(
            {"sms": held, "throughput": throughput, "speedup": throughput / measures.cooperative(problem)}
        ),
        "metrics": problem.metrics(values),
        "rounds": rounds,
    }


def _levels(scenarios: pl.DataFrame) -> np.ndarray:
    """Targets as shares of half of the throughput on all SMs. Raises ValueError naming a level that is none."""
    given = scenarios["qos_level"].cast(pl.Float64).to_numpy()
    level = np.where(given > 1, given / 100, given)
    if not ((level > 0) & (level <= 1)).all():
        s = int(np.argmax(~((level > 0) & (level <= 1))))
        raise ValueError(
            f"scenario {scenarios['scenario_id'][s]!r}: unknown qos_level {given[s]:g}; known are per cent above 1 up "
            "to 100, as the thesis' 100, 95, 90, 85 and 80, and shares up to 1"
        )
    return level


def _has_target(problem: Problem) -> np.ndarray:
    """Whether each slot has a target. Raises ValueError naming a slot that a mix does not have."""
    scenarios = problem.scenarios
    lists = scenarios["qos_slots"]
    for s in np.flatnonzero((lists.list.len() == 0).to_numpy()):
        raise ValueError(f"scenario {scenarios['scenario_id'][int(s)]!r}: qos_slots is empty; name at least one slot")
    lengths = np.diff(problem.first_slot)
    named = problem.slot.dtype.is_integer()
    of_slot = pl.DataFrame(
        {
            "s": np.repeat(np.arange(len(scenarios)), lengths),
            "slot": problem.slot.cast(pl.Int64) if named else pl.Series(_within(lengths), dtype=pl.Int64),
            "row": np.arange(len(problem.curve)),
        }
    )
    asked = pl.DataFrame({"s": np.arange(len(scenarios)), "slot": lists}).explode("slot", empty_as_null=False)
    found = asked.join(of_slot, on=["s", "slot"], how="left", maintain_order="left")
    if found["row"].null_count():
        s, slot, _ = found.filter(pl.col("row").is_null()).row(0)
        a, b = problem.first_slot[s : s + 2]
        known = ", ".join(str(its) for its in of_slot["slot"][int(a) : int(b)])
        raise ValueError(
            f"scenario {scenarios['scenario_id'][s]!r}: qos_slots names slot {slot}, which mix "
            f"{scenarios['mix_id'][s]!r} does not have; it has {known}"
        )
    is_qos = np.zeros(len(problem.curve), bool)
    is_qos[found["row"].to_numpy()] = True
    return is_qos


def _rounds(problem: Problem, resized: np.ndarray, sms: np.ndarray, gives: np.ndarray, machine: tuple):
    """Rounds of the scenarios of the numbers `resized`: where each begins, SMs, throughput and slot (a row)."""
    lengths = np.diff(problem.first_slot)[resized]
    first = np.append(0, np.cumsum(lengths)).astype(np.int64)
    rows = np.repeat(problem.first_slot[:-1][resized], lengths) + _within(lengths)
    is_qos, curve, gamma, pressure, target, ipc = machine
    midpoint = problem.scenarios["midpoint"].to_numpy().astype(bool)
    from_all = (problem.scenarios["start"] == "all").to_numpy()
    begin, held, throughput = qos.rounds(
        sms[resized], first, gives[resized], midpoint[resized], from_all[resized], is_qos[rows], curve[rows],
        gamma[rows], pressure[rows], target[rows], ipc,
    )  # fmt: skip
    s = np.repeat(np.arange(len(resized)), np.diff(begin))
    place = _within(np.diff(begin)) % np.maximum(lengths[s], 1)
    return begin, held, throughput, rows[first[:-1][s] + place] if len(s) else np.empty(0, np.int64)


def _qos_measures(problem: Problem, is_qos, target, held, throughput, gives) -> dict[str, np.ndarray]:
    """Measures of targets, spare SMs and best-effort applications, one value a scenario."""
    scenarios = problem.scenarios
    met = is_qos & (throughput >= target * (1 - qos.TIE))
    spare = problem.sms - measures.sums(problem, np.where(is_qos, held, 0))
    watts = np.where(
        gives,
        0.0,
        np.where(scenarios["spare"] == "gated", scenarios["gated_w"].to_numpy(), scenarios["idle_w"].to_numpy()),
    )
    runs = ~is_qos & np.repeat(gives, np.diff(problem.first_slot))
    gained = measures.sums(problem, np.where(runs, throughput, 0.0))
    baseline = measures.sums(problem, np.where(runs, measures.cooperative(problem), 0.0))
    gain = np.divide(gained, baseline, out=np.full(len(spare), np.nan), where=baseline > 0)
    return {
        "qos_met": measures.sums(problem, met.astype(float)) / measures.sums(problem, is_qos.astype(float)),
        "spare_sms": spare.astype(float),
        "saved_w": spare * watts,
        "best_effort_gain": gain,
    }


def _within(lengths: np.ndarray) -> np.ndarray:
    """0, 1, … for each of several runs of so many."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)

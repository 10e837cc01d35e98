"""How the time of a PIM application depends on its ranks: a mechanistic model, fitted phase by phase.

    time(r) = host + kernel_const + kernel / min(r, sat) + parallel_const + parallel / min(r, sat)
              + r (serial + duplicated + alloc)

Work and parallel transfers are divided among ranks as far as the data can be (sat), serial and duplicated transfers and
allocation grow with them (PIM-CARE, ICS 2025, Sections 2.1 and 2.2). Each phase that a trace times has its own terms;
all parameters are non-negative.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

TERMS: dict[str, tuple[str, ...]] = {
    "host": ("constant",),
    "kernel": ("constant", "shared"),
    "cpu_dpu": ("constant", "shared", "per_rank"),
    "inter_dpu": ("constant", "shared", "per_rank"),
    "dpu_cpu": ("constant", "shared", "per_rank"),
    "alloc": ("per_rank",),
    "total": ("constant", "shared", "per_rank"),
}
"""Terms of each phase, in the order in which they are believed: a cost a rank only where the points ask for it. `total`
is for traces that have no phases."""

PARAMETERS = ("host", "kernel_const", "kernel", "parallel_const", "parallel", "serial", "duplicated", "alloc", "sat")
_PARAMETER: dict[tuple[str, str], str] = {
    ("host", "constant"): "host",
    ("kernel", "constant"): "kernel_const",
    ("kernel", "shared"): "kernel",
    ("alloc", "per_rank"): "alloc",
    ("total", "constant"): "host",
    ("total", "shared"): "kernel",
    ("total", "per_rank"): "serial",
    **{(phase, "constant"): "parallel_const" for phase in ("cpu_dpu", "inter_dpu", "dpu_cpu")},
    **{(phase, "shared"): "parallel" for phase in ("cpu_dpu", "inter_dpu", "dpu_cpu")},
    **{(phase, "per_rank"): "serial" for phase in ("cpu_dpu", "inter_dpu", "dpu_cpu")},
}
"""Parameter that a term of a phase counts into. What grows with the ranks in a transfer is serial or duplicated, which
timers do not distinguish: it stands in `serial`."""

MOST_SATURATIONS = 64
"""Saturations that are tried on a machine of more ranks than these, besides the rank counts that were measured."""
EQUAL_TIMES = 1e-9
"""Times that differ by less than this share are equal: fits with such differences are equally good."""


@dataclass(frozen=True)
class RankModel:
    """A fitted model.

    parameters: value (s; sat: ranks), None where no timer tells it; low, high: bounds among the admissible parameters.
    predicted_s: times at 1..R; ensemble_s: times (n, R) of the admissible parameters, of which `predicted_s` is the
    believed one, the first; residual_s: root mean square difference from the points.
    """

    parameters: dict[str, float | None]
    low: dict[str, float]
    high: dict[str, float]
    free_terms: int
    underdetermined: bool
    predicted_s: np.ndarray
    ensemble_s: np.ndarray
    residual_s: float


@dataclass(frozen=True)
class _PhaseFit:
    """Admissible coefficients (n, terms) of a phase with one saturation, the believed ones first, and their error."""

    coefficients: np.ndarray
    squared_error: float


def free_terms(phases: Mapping[str, np.ndarray]) -> int:
    """Terms that the points of one phase have to determine, at most, with the saturation that all phases share."""
    return max(len(TERMS[phase]) for phase in phases) + 1


def fit(ranks: np.ndarray, phases: Mapping[str, np.ndarray], max_ranks: int) -> RankModel:
    """Fit the model to times of an application.

    ranks: distinct rank counts (k,); phases: time (s) of each phase at them (k,), by a name of TERMS; max_ranks: R, to
    which times are predicted. Non-negative least squares for each saturation 1..R (of a machine of many ranks, for some
    of them); of equally good ones the largest is believed, that is none before the points show it. The ensemble has all
    of them, as a saturation beyond the points shows in none of them. With fewer points than free terms many parameters
    fit alike, too: `underdetermined`, and the ensemble has the vertices of the set of exact solutions for each
    saturation, in which every linear bound is reached.

    Raises ValueError for less than two points or an unknown phase.
    """
    ranks = np.asarray(ranks, dtype=float)
    unknown = [phase for phase in phases if phase not in TERMS]
    if unknown:
        raise ValueError(f"unknown phase {unknown[0]!r}; known: {', '.join(TERMS)}")
    if len(ranks) < 2 or len(np.unique(ranks)) < len(ranks):
        raise ValueError(f"{len(ranks)} points at {len(np.unique(ranks))} rank counts: a curve takes two or more")
    free = free_terms(phases)
    underdetermined = len(ranks) < free
    scale = sum(float(np.sum(np.square(times))) for times in phases.values())
    by_sat = {
        sat: {
            phase: _fit_phase(ranks, np.asarray(times, float), phase, sat, underdetermined)
            for phase, times in phases.items()
        }
        for sat in _saturations(ranks, max_ranks)
    }
    errors = {sat: sum(fit.squared_error for fit in fits.values()) for sat, fits in by_sat.items()}
    enough = min(errors.values()) + EQUAL_TIMES**2 * scale
    admissible = [sat for sat, error in errors.items() if error <= enough]
    every = np.arange(1, max_ranks + 1)
    members = [
        _member(every, sat, dict(zip(phases, choice, strict=True)))
        for sat in sorted(admissible, reverse=True)
        for choice in itertools.product(*(fit.coefficients for fit in by_sat[sat].values()))
    ]
    first, predicted = members[0]
    known = {parameter for phase in phases for parameter in _of_phase(phase)} | {"sat"}
    spread = {name: [values[name] for values, _ in members] for name in known}
    return RankModel(
        parameters={name: first[name] if name in known else None for name in PARAMETERS},
        low={name: float(min(values)) for name, values in spread.items()},
        high={name: float(max(values)) for name, values in spread.items()},
        free_terms=free,
        underdetermined=underdetermined,
        predicted_s=predicted,
        ensemble_s=np.array([times for _, times in members]),
        residual_s=_residual(predicted, ranks, phases),
    )


def _saturations(ranks: np.ndarray, max_ranks: int) -> list[int]:
    """Saturations that are tried: all, or evenly on a logarithmic scale, and the rank counts of the points."""
    if max_ranks <= MOST_SATURATIONS:
        return list(range(1, max_ranks + 1))
    spread = np.geomspace(1, max_ranks, MOST_SATURATIONS).round().astype(int)
    return sorted({*spread.tolist(), *ranks.astype(int).tolist()})


def _residual(predicted: np.ndarray, ranks: np.ndarray, phases: Mapping[str, np.ndarray]) -> float:
    total = np.sum([np.asarray(times, float) for times in phases.values()], axis=0)
    return float(np.sqrt(np.mean(np.square(predicted[ranks.astype(int) - 1] - total))))


def _of_phase(phase: str) -> list[str]:
    return [_PARAMETER[phase, term] for term in TERMS[phase]]


def _columns(ranks: np.ndarray, phase: str, sat: int) -> np.ndarray:
    """Columns of a phase's terms at rank counts."""
    column = {"constant": np.ones(len(ranks)), "shared": 1 / np.minimum(ranks, sat), "per_rank": ranks.astype(float)}
    return np.column_stack([column[term] for term in TERMS[phase]])


def _fit_phase(ranks: np.ndarray, times: np.ndarray, phase: str, sat: int, every_vertex: bool) -> _PhaseFit:
    """Admissible coefficients of a phase with a given saturation.

    The vertices of the set of best solutions have no more terms than points: each such choice of terms is solved, and
    the non-negative solutions with the least error are kept, those with the earlier terms of TERMS first. Where it is
    one solution (`every_vertex` not asked for) it is that of non-negative least squares.
    """
    columns = _columns(ranks, phase, sat)
    solution, norm = scipy.optimize.nnls(columns, times)
    best = norm**2
    if not every_vertex:
        return _PhaseFit(solution[None, :], best)
    enough = best + EQUAL_TIMES**2 * float(times @ times)
    vertices = []
    count = columns.shape[1]
    for size in range(1, min(count, len(ranks)) + 1):
        for terms in itertools.combinations(range(count), size):
            some = columns[:, terms]
            if np.linalg.matrix_rank(some) < size:
                continue
            values = np.linalg.lstsq(some, times, rcond=None)[0]
            values[np.abs(values) < EQUAL_TIMES * max(float(times.max()), 1e-300)] = 0.0
            if (values >= 0).all() and float(np.sum(np.square(some @ values - times))) <= enough:
                vertex = np.zeros(count)
                vertex[list(terms)] = values
                vertices.append(vertex)
    if not vertices:
        return _PhaseFit(solution[None, :], best)
    # A solution with fewer terms is also found among those with more.
    distinct = [v for i, v in enumerate(vertices) if not any(np.allclose(v, w, rtol=1e-7) for w in vertices[:i])]
    order = sorted(distinct, key=lambda vertex: [float(value > 0) for value in vertex[::-1]])
    return _PhaseFit(np.array(order), best)


def _member(ranks: np.ndarray, sat: int, chosen: Mapping[str, np.ndarray]) -> tuple[dict[str, float], np.ndarray]:
    """Parameters and times at all rank counts of one choice of coefficients for each phase."""
    parameters = dict.fromkeys(PARAMETERS, 0.0)
    times = np.zeros(len(ranks))
    for phase, coefficients in chosen.items():
        for parameter, value in zip(_of_phase(phase), coefficients, strict=True):
            parameters[parameter] += float(value)
        times += _columns(ranks, phase, sat) @ coefficients
    parameters["sat"] = float(sat)
    return parameters, times

"""From tables to the model's arrays: queues by position, kernels by model, one row per application and scenario."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.gpus.intensity import Thresholds, class_numbers
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import codes, comparable
from pipeline.studies.gpu_corun.inputs import INPUTS
from pipeline.studies.gpu_corun.model.contention import Applications

SATURATION = {"high_gflops": 0.9, "high_memory": 0.45, "medium_memory": 0.65, "low_memory": 0.75}
"""Share of the SMs at which a kernel saturates by its intensity, the first that it has: middles of the ranges."""
REFERENCE_TASK = 10
"""Task size (blocks) that slate_speed is stated for, the paper's default."""


@dataclass(frozen=True)
class Queue:
    """Applications of all workloads, by position; `arrival_s` counts from the first arrival of the workload.

    origin_s: that first arrival, one per workload. repeated: whether the kernel of an application ran before in its
    workload, by arrival, then position.
    """

    workload: pl.Series
    kernels: pl.Series
    position: pl.Series
    kernel: pl.Series
    first_application: np.ndarray
    arrival_s: np.ndarray
    origin_s: np.ndarray
    kernel_code: np.ndarray
    repeated: np.ndarray


@dataclass(frozen=True)
class Kernels:
    """Parameters of (model, kernel) rows; row_of: row of a model and a kernel, -1 = none; NaN = made of the rates."""

    row_of: np.ndarray
    columns: dict[str, np.ndarray]


@dataclass(frozen=True)
class Rows:
    """One row per application and scenario: its scenario, its place in the queue's arrays, and the model's arrays."""

    scenario: np.ndarray
    application: np.ndarray
    first: np.ndarray
    arrival_s: np.ndarray
    setup_s: np.ndarray
    overhead_s: np.ndarray
    slate_speed: np.ndarray
    apps: Applications


def prepare_queue(queue: pl.DataFrame) -> Queue:
    """Arrays of the checked table `queue`."""
    ids = {name: comparable(queue[name]) for name in ("workload_id", "position", "kernel")}
    frame = pl.DataFrame(
        {
            "workload": ids["workload_id"],
            "place": ids["position"],
            "code": ids["kernel"],
            "arrival_s": queue["arrival_s"].cast(pl.Float64),
            "position": queue["position"],
            "kernel": queue["kernel"],
        }
    ).sort("workload", "place", maintain_order=True)
    workload, kernels = frame["workload"].unique().sort(), frame["code"].unique().sort()
    of_workload = codes(frame["workload"], workload, "workload")
    first = np.searchsorted(of_workload, np.arange(len(workload) + 1)).astype(np.int64)
    given = frame["arrival_s"].to_numpy()
    origin = np.minimum.reduceat(given, first[:-1]) if len(workload) else np.empty(0)
    return Queue(
        workload, kernels, frame["position"], frame["kernel"], first, given - origin[of_workload], origin,
        codes(frame["code"], kernels, "kernel"),
        frame.select(pl.col("arrival_s").rank("ordinal").over("workload", "code") > 1).to_series().to_numpy(),
    )  # fmt: skip


def model_ids(kernels: pl.DataFrame) -> pl.Series | None:
    """Ids of the models that the kernels have parameters of, sorted; None without a column model_id."""
    return comparable(kernels["model_id"]).drop_nulls().unique().sort() if "model_id" in kernels.columns else None


def prepare_kernels(kernels: pl.DataFrame, models: pl.Series | None, asked: pl.Series) -> Kernels:
    """Arrays of the checked table `kernels`, which may have a column model_id.

    Rows of other kernels than those asked for are passed over. Raises ValueError naming a kernel that occurs twice in
    a model.
    """
    ids = comparable(kernels["kernel"])
    if len(ids) and len(asked) and ids.dtype != asked.dtype:
        raise ValueError(f"kernels: kernel is {ids.dtype}, in queue it is {asked.dtype}")
    model = codes(kernels["model_id"], models, "model") if models is not None else np.zeros(len(kernels), np.int64)
    count = len(models) if models is not None else 1
    places = pl.DataFrame({"kernel": asked, "place": np.arange(len(asked), dtype=np.int64)})
    match = pl.DataFrame({"kernel": ids.cast(asked.dtype)}).join(places, on="kernel", how="left", maintain_order="left")
    place = match["place"].fill_null(-1).to_numpy()
    here = np.flatnonzero(place >= 0)
    number = model[here] * len(asked) + place[here]
    if len(np.unique(number)) < len(number):
        values, counts = np.unique(number, return_counts=True)
        twice = int(values[counts > 1][0])
        where = f" in model {models[twice // len(asked)]!r}" if models is not None else ""
        raise ValueError(f"kernels: kernel {asked[twice % len(asked)]!r} occurs twice{where}")
    row_of = np.full(count * len(asked), -1, np.int64)
    row_of[number] = here
    numbers = [name for name in INPUTS["kernels"].columns if name != "kernel"]
    columns = {name: kernels[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in numbers}
    return Kernels(row_of.reshape(count, len(asked)), columns)


def rows(
    queue: Queue, kernels: Kernels, model: np.ndarray, models: pl.Series | None, workload: np.ndarray,
    parameters: dict[str, np.ndarray], *, overhead: np.ndarray, saved: np.ndarray, transformed: np.ndarray,
) -> Rows:  # fmt: skip
    """One row per application and scenario, in the order of the scenarios, then by position.

    One per scenario: model, workload (codes), parameters (columns of the scenario), overhead (of the application),
    saved (of that, by whoever runs a kernel that ran before), transformed (whether kernels run as Slate transforms
    them). Raises ValueError naming a kernel that the model has no row of, or a task size at which a kernel would take
    no time.
    """
    count = np.diff(queue.first_application)[workload]
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    scenario = np.repeat(np.arange(len(workload)), count)
    application = np.arange(len(scenario)) - first[scenario] + queue.first_application[workload[scenario]]
    row = kernels.row_of[model[scenario], queue.kernel_code[application]]
    if (row < 0).any():
        at = int(np.flatnonzero(row < 0)[0])
        name = queue.kernels[int(queue.kernel_code[application[at]])]
        place = int(workload[scenario[at]])
        known = [str(queue.kernels[int(k)]) for k in np.flatnonzero(kernels.row_of[model[scenario[at]]] >= 0)]
        of_model = "" if models is None else f" of model {models[int(model[scenario[at]])]!r}"
        raise ValueError(
            f"unknown kernel {name!r}, which workload {queue.workload[place]!r} asks for; kernels{of_model} that are "
            f"asked for and known: {', '.join(known) or 'none'}{did_you_mean(name, known)}"
        )
    of = {name: values[row] for name, values in kernels.columns.items()}
    by = {name: values[scenario] for name, values in parameters.items()}
    thresholds = Thresholds(*(by[name] for name in Thresholds._fields))
    bandwidth = by["bandwidth_gbps"]
    dram = np.minimum(np.where(np.isnan(of["dram_gbps"]), of["memory_gbps"], of["dram_gbps"]), bandwidth)
    saturation = np.where(np.isnan(of["saturation"]), _default_saturation(of, thresholds), of["saturation"])
    slate_speed = _slate_speed(of, by["task_size"], queue, application)
    arrival = queue.arrival_s[application]
    apps = Applications(
        arrival + of["setup_s"], of["loop_s"], dram, saturation, np.where(transformed[scenario], slate_speed, 1.0),
        class_numbers(of["gflops"], of["memory_gbps"], thresholds),
        class_numbers(of["gflops"], -1.0, thresholds),  # of what uses no memory the class is how much it computes
    )  # fmt: skip
    share = overhead[scenario] - saved[scenario] * queue.repeated[application]
    overhead_s = share * (of["setup_s"] + of["loop_s"])
    return Rows(scenario, application, first, arrival, of["setup_s"], overhead_s, slate_speed, apps)


def _default_saturation(of: dict[str, np.ndarray], thresholds: Thresholds) -> np.ndarray:
    return np.select(
        [
            of["gflops"] >= thresholds.high_gflops,
            of["memory_gbps"] >= thresholds.high_memory_gbps,
            of["memory_gbps"] >= thresholds.medium_memory_gbps,
        ],
        [SATURATION["high_gflops"], SATURATION["high_memory"], SATURATION["medium_memory"]],
        SATURATION["low_memory"],
    )


def _slate_speed(of: dict, task_size: np.ndarray, queue: Queue, application: np.ndarray) -> np.ndarray:
    """v(s): speed under Slate at the scenario's task size over that under CUDA."""
    time = (
        1.0 / of["slate_speed"]
        + of["pull_cost"] * (1.0 / task_size - 1.0 / REFERENCE_TASK)
        + of["imbalance"] * (task_size - REFERENCE_TASK)
    )
    if (time <= 0).any():
        at = int(np.flatnonzero(time <= 0)[0])
        raise ValueError(
            f"kernel {queue.kernels[int(queue.kernel_code[application[at]])]!r} would take no time at task_size "
            f"{int(task_size[at])}: its pull_cost or imbalance is too large for its slate_speed"
        )
    return 1.0 / time

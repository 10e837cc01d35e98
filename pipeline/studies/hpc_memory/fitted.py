"""Synthetic jobs drawn from the laws of a trace (paper, Section V-B): fitted to it, or its own distributions.

| law | quantity of the catalog  | drawn                                                                       |
|-----|--------------------------|-----------------------------------------------------------------------------|
| C_m | nodes                    | nodes per job, the law given that they are at most the machine's              |
| N_p | phases_per_job           | phases per job, clipped to 45 as in the paper                                 |
| L_m | phase_length_s           | length of each phase                                                        |
| X_m | memory_by_node_time_gb   | memory of each phase, clipped to the law's range (Figure 1: over node time) |

`fitted` takes the law that fits each quantity best, `empirical` the points of its distribution. Both are drawn at the
same shares, from streams of their own for each trace, quantity and batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.statistics import laws
from pipeline.statistics.job_laws import MOST_PHASES
from pipeline.statistics.streams import stream

INSTANT_S = 1e-6
"""Events closer than this are one instant; no phase is drawn shorter."""


class TraceLaws(NamedTuple):
    """Laws of a trace, and the names of those of nodes and memory."""

    nodes: laws.Law
    phases: laws.Law
    length_s: laws.Law
    memory_gb: laws.Law
    nodes_name: str
    memory_name: str

    def work_s(self) -> float:
        """Mean work of a job per node, E[min(N_p, 45)] E[L_m] (s)."""
        return self.phases.mean_clipped(MOST_PHASES) * self.length_s.mean


class Drawn(NamedTuple):
    """Jobs of a batch: nodes and phases of each job, length (s) and memory (GB per node) of each phase in turn."""

    nodes: np.ndarray
    phases: np.ndarray
    length_s: np.ndarray
    memory_gb: np.ndarray


QUANTITIES = ("nodes", "phases_per_job", "phase_length_s", "memory_by_node_time_gb")


def of_trace(catalog: Mapping[str, pl.DataFrame], trace: str, kind: str) -> TraceLaws | None:
    """The laws of a trace, `fitted` or `empirical`; None where the catalog lacks one of them."""
    build = _fitted if kind == "fitted" else _empirical
    built = [build(catalog, trace, quantity) for quantity in QUANTITIES]
    if any(law is None for law in built):
        return None
    (nodes, nodes_name), (phases, _), (length_s, _), (memory_gb, memory_name) = built
    return TraceLaws(nodes, phases, length_s, memory_gb, nodes_name, memory_name)


def traces(catalog: Mapping[str, pl.DataFrame], kind: str, machine_nodes: int) -> list[str]:
    """Traces that jobs for a machine can be drawn from: all laws are known, and some jobs leave room for another."""
    table = catalog["marginals" if kind == "fitted" else "distributions"]
    possible = []
    for trace in sorted(table["trace"].unique()):
        trace_laws = of_trace(catalog, trace, kind)
        if trace_laws is not None and trace_laws.nodes.cdf(np.array([machine_nodes / 2]))[0] > 0:
            possible.append(trace)
    return possible


def draw(trace_laws: TraceLaws, seed: int, content: str, batch: int, jobs: int, machine_nodes: int) -> Drawn:
    """One batch of jobs; content: of the trace, which the random numbers come from."""

    def shares(quantity: str, count: int) -> np.ndarray:
        # Strictly between 0 and 1, where every law has a finite quantile.
        words = stream(seed, "of trace", content, quantity, batch).integers(0, 2**52, size=count)
        return (words + 0.5) / 2**52

    nodes = trace_laws.nodes.quantile_up_to(shares("nodes", jobs), machine_nodes)
    phases = np.clip(trace_laws.phases.quantile(shares("phases", jobs)), 1, MOST_PHASES).astype(np.int64)
    total = int(phases.sum())
    length_s = np.maximum(trace_laws.length_s.quantile(shares("lengths", total)), INSTANT_S)
    least, most = trace_laws.memory_gb.quantile(np.array([0.0, 1.0]))
    memory_gb = np.clip(trace_laws.memory_gb.quantile(shares("memory", total)), least, most)
    return Drawn(nodes.astype(np.int64), phases, length_s, memory_gb)


def _fitted(catalog: Mapping[str, pl.DataFrame], trace: str, quantity: str) -> tuple[laws.Law, str] | None:
    rows = catalog["marginals"].filter((pl.col("trace") == trace) & (pl.col("quantity") == quantity) & pl.col("best"))
    if rows.is_empty():
        return None
    name = rows["law"][0]
    return laws.build(name, dict(rows.select("parameter", "value").iter_rows())), name


def _empirical(catalog: Mapping[str, pl.DataFrame], trace: str, quantity: str) -> tuple[laws.Law, str] | None:
    rows = catalog["distributions"].filter((pl.col("trace") == trace) & (pl.col("quantity") == quantity))
    if rows.is_empty():
        return None
    rows = rows.sort("value")
    whole = quantity in ("nodes", "phases_per_job")
    return laws.empirical(rows["value"].to_numpy(), rows["share"].to_numpy(), rows["exact"][0], whole), "empirical"

"""Which sweeps of a study depend on one drop: scenarios of each drop are a part of their own, made without the others.

A study says which of its sweeps take traces and which traces each of them can take; the rest is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import polars as pl

from pipeline.config.sections import Section
from pipeline.runtime.wording import did_you_mean

Sweep = TypeVar("Sweep", bound=Section)
"""A sweep; one that may take traces has a field `traces`: their names, or null = all that it can take."""


def sweeps_of(
    drop: str | None,
    sweeps: Mapping[str, Sweep | None],
    traces: pl.DataFrame,
    *,
    takes_traces: Callable[[Sweep], bool],
    possible: Callable[[Sweep], Iterable[str]],
    where: str,
) -> dict[str, Sweep]:
    """Sweeps that take traces, each with those of one drop alone; None for the drop: the sweeps that take none.

    sweeps: by name, null = left out; traces: the canonical table; takes_traces, possible: whether a sweep takes traces,
    and which it can take; where: the section of the configuration, for messages. Raises ValueError where a sweep names
    a trace of the drop that there is not.
    """
    chosen = {name: sweep for name, sweep in sweeps.items() if sweep is not None}
    if drop is None:
        return {name: sweep for name, sweep in chosen.items() if not takes_traces(sweep)}
    mine = set(traces.filter(pl.col("drop") == drop)["trace"])
    found = {}
    for name, sweep in chosen.items():
        if not takes_traces(sweep):
            continue
        for trace in sweep.traces or []:
            if trace.partition("/")[0] == drop and trace not in mine:
                hint = did_you_mean(trace, traces["trace"])
                raise ValueError(f"{where} sweep {name}: no trace {trace!r}{hint}")
        taken = possible(sweep) if sweep.traces is None else sweep.traces
        found[name] = sweep.model_copy(update={"traces": [trace for trace in taken if trace in mine]})
    return found

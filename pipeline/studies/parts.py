"""Which sweeps of a study depend on one drop: scenarios of each drop are a part of their own, made without the others.

A study says which of its sweeps take traces and which traces each of them can take; the rest is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from pipeline.config.sections import Section
from pipeline.runtime.wording import did_you_mean

if TYPE_CHECKING:
    from pipeline.config import Configuration

Sweep = TypeVar("Sweep", bound=Section)
"""A sweep; one that may take traces has a field `traces`: their names, or null = all that it can take."""


def share(
    config: Configuration,
    study: str,
    drop: str | None,
    traces: pl.DataFrame,
    *,
    takes_traces: Callable[[Sweep], bool],
    possible: Callable[[Sweep], Iterable[str]],
    fields: Iterable[str] = ("sweeps",),
) -> Configuration:
    """The configuration with the sweeps of a study that take traces, each with those of one drop alone.

    drop: None for the sweeps that take none; traces: the canonical table; takes_traces, possible: whether a sweep takes
    traces, and which it can take; fields: of the study's section, sweeps by name, null = left out. Raises ValueError
    where a sweep names a trace of the drop that there is not.
    """
    section = getattr(config, study)
    own_traces = set(traces.filter(pl.col("drop").eq_missing(drop))["trace"])
    update: dict[str, dict[str, Sweep]] = {}
    for field in fields:
        update[field] = {}
        for name, sweep in getattr(section, field).items():
            if sweep is None or takes_traces(sweep) == (drop is None):
                continue
            if drop is not None:
                where = f"{study} sweep {name}" if field == "sweeps" else f"{study}.{field} sweep {name}"
                sweep = _of_traces(sweep, drop, traces, own_traces, possible, where)
            update[field][name] = sweep
    return config.model_copy(update={study: section.model_copy(update=update)})


def _of_traces(sweep, drop, traces, own_traces, possible, where):
    """A sweep with those of the drop's traces that it takes."""
    for trace in sweep.traces or []:
        if trace.partition("/")[0] == drop and trace not in own_traces:
            raise ValueError(f"{where}: no trace {trace!r}{did_you_mean(trace, traces['trace'])}")
    taken = possible(sweep) if sweep.traces is None else sweep.traces
    return sweep.model_copy(update={"traces": [trace for trace in taken if trace in own_traces]})

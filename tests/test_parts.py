"""Sweeps of one drop: each sweep in one part, each trace in one part."""

import polars as pl
import pytest

from pipeline.config.sections import Section
from pipeline.studies.parts import share

TRACES = pl.DataFrame({"trace": ["lab/a", "lab/b", "site"], "drop": ["lab", "lab", "site"]})


class Sweep(Section):
    """A sweep, of traces where `dropped`."""

    dropped: bool = True
    traces: list[str] | None = None


class AStudy(Section):
    """A study's section."""

    sweeps: dict[str, Sweep | None]


class Config(Section):
    """A configuration."""

    a_study: AStudy


SWEEPS = {
    "drawn": Sweep(dropped=False),
    "all": Sweep(),
    "named": Sweep(traces=["site", "lab/b"]),
    "left out": None,
}


def of(drop, sweeps=SWEEPS, possible=("lab/a", "lab/b", "site")):
    config = Config(a_study=AStudy(sweeps=sweeps))
    dropped, all_possible = lambda s: s.dropped, lambda _: possible
    part = share(config, "a_study", drop, TRACES, takes_traces=dropped, possible=all_possible)
    assert config.a_study.sweeps == sweeps
    return part.a_study.sweeps


def test_every_sweep_that_takes_no_trace_hangs_on_no_drop():
    assert of(None) == {"drawn": SWEEPS["drawn"]}


def test_drops_divide_the_traces():
    parts = [of(drop) for drop in ("lab", "site")]
    assert [part["all"].traces for part in parts] == [["lab/a", "lab/b"], ["site"]]
    assert [part["named"].traces for part in parts] == [["lab/b"], ["site"]]
    assert all(set(part) == {"all", "named"} for part in parts)


def test_what_cannot_be_taken_is_left_out_of_all_and_kept_where_it_is_named():
    part = of("lab", possible=["lab/a", "site"])
    assert (part["all"].traces, part["named"].traces) == (["lab/a"], ["lab/b"])


def test_an_unknown_trace_is_named_by_its_own_drop_alone():
    sweeps = {"mine": Sweep(traces=["lab/aa"])}
    with pytest.raises(ValueError, match=r"a_study sweep mine: no trace 'lab/aa'; did you mean 'lab/a'\?"):
        of("lab", sweeps)
    assert of("site", sweeps)["mine"].traces == []

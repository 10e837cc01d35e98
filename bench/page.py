"""docs/reference/performance.md: what the record of the benchmarks says."""

from __future__ import annotations

import polars as pl

from bench import benchmarks, record, results
from pipeline.runtime import storage
from pipeline.runtime.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "performance.md"
ABOUT = """\
# Performance

After this page you can say how long each part takes, and how that compares with other programs.

`make bench RECORD=1` generates this page. `python -m bench --only NAME --record` does so for one benchmark, and `make
bench` alone measures and prints. Figures are medians over the runs with their range. Each benchmark ran on one
machine in one run, with peers beside it. Ratios to a peer carry over to other machines; times do not. Peers are
installed in environments of their own; one that is absent says why. The ratios of bench/ratios.csv are a gate: `make
bench` fails if one is worse than its tolerance allows. What large traces take:
[more than one machine](../guides/scale-out.md#large-traces).
"""
GLANCE = {
    ("whole", "default, wall", "s"): "the default run from nothing, every kernel to compile",
    ("whole", "default, nothing changed", "s"): "the same once more, nothing changed",
    ("whole", "quick, wall", "s"): "the small configuration",
    ("easy", "replay", "jobs/s"): "EASY backfilling of 100,000 jobs, tables in and tables out",
    ("easy", "AccaSim / ours, simulation", "times"): "AccaSim's time for the same log over that of our kernel",
    ("easy", "AccaSim / ours, process", "times"): "the same of whole processes, log in and schedule out",
    ("task_sets", "SimSo / ours, simulation", "times"): "SimSo's time for EDF on 2000 task sets over that of ours",
    ("graphs", "networkx / baseline", "times"): "networkx's time for a BFS over that of simulating one on eight stacks",
    ("month", "join, CPU", "samples/s"): "a month of node memory joined to its jobs and cut into phases",
    ("month", "share, polars / join", "times"): "polars' time for three days of it over ours",
    ("readers", "log, polars / ours", "times"): "polars' time for a bare parse of a job log over our checked ingest",
}
"""Figures that come first, by benchmark, name and unit, in words."""


def text(frame: pl.DataFrame) -> str:
    """The page of a table of results.SCHEMA: what comes first, then a section a benchmark."""
    modules = benchmarks.found()
    sections = [ABOUT, _glance(frame)]
    for (name,), figures in frame.group_by("benchmark", maintain_order=True):
        says = (modules[name].__doc__ or "").splitlines()[0]
        (_, *heading), *rows = results.cells(figures)
        lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
        lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for _, *row in rows]
        sections.append(f"## {name}\n\n{says}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(sections)


def _glance(frame: pl.DataFrame) -> str:
    """The figures of GLANCE that are there; each leads to its benchmark."""
    found = {row[:2] + row[3:4]: row[2] for row in results.cells(frame)}
    rows = [
        f"| {words} | {found[key]} {key[2]} | [{key[0]}](#{key[0]}) |" for key, words in GLANCE.items() if key in found
    ]
    return "\n".join(["## At a glance", "", "| what | median | benchmark |", "|---|---|---|", *rows, ""])


def write() -> None:
    """Write the page from the record."""
    with storage.replacing_file(PAGE) as part:
        part.write_text(text(record.load(record.RECORD)), encoding="utf-8")

"""A month of node memory at full size, joined to its jobs and cut into phases, beside pyarrow, polars and pandas."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from bench.measure import Child, alternating, child
from bench.node_samples import NodeSamples
from bench.peers import Unavailable, join
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline.stages.ingest import ingest
from pipeline.synthetic import write_marconi100

SEED = 1
MONTHS = ("22-05", "22-06")
NODES, TINY_NODES = 988, 6
JOBS, TINY_JOBS = 240_000, 60
DAYS, TINY_DAYS = None, 1
SHARE_DAYS, TINY_SHARE_DAYS = 3, 1
PEERS = ("polars", "pandas")
PEER_LIMIT_S = 900.0

FLAT = "goal: 1; samples and phases are streamed, some numbers per job are held"


def run(settings: Settings) -> Iterator[Figure]:
    """CPU times of one month, of peers on some days of it, and peak memory of one and of two months."""
    two, one = _drops(settings)
    yield from _month(settings, one)
    yield from _share(settings)
    yield from _memory(settings, one, two)


def _drops(settings: Settings) -> tuple[Path, Path]:
    """Drops of two months and of the first of them."""
    folder = settings.folder("month")
    two, one = folder / "two_months", folder / "one_month"
    days = settings.size(DAYS, TINY_DAYS)
    write_marconi100(
        two, SEED, MONTHS, nodes=settings.size(NODES, TINY_NODES), jobs=settings.size(JOBS, TINY_JOBS), days=days
    )
    first = f"year_month={MONTHS[0]}"
    shutil.copytree(two / first, one / first, copy_function=os.link)
    shutil.copy(two / "trace.yaml", one)
    return two, one


def _month(settings: Settings, one: Path) -> Iterator[Figure]:
    target = settings.folder("month") / "ingested_in_process"
    month = NodeSamples(one, settings.folder("month") / "join")
    times = alternating(
        {
            "decode": month.decode,
            "dictionary": lambda: month.decode(["node"]),
            "join": month.join,
            "ingest": lambda: ingest(one, target),
        },
        settings.long_runs,
        time.process_time,
    )
    yield Figure("samples", [month.rows], "samples", f"generated; joined to {month.jobs:,} jobs alone on their nodes")
    yield Figure("pyarrow, CPU", times["decode"], "s", "decodes time, value and node of mem_free, one thread")
    yield Figure("pyarrow dictionary, CPU", times["dictionary"], "s", "the same, nodes left as the file codes them")
    yield Figure(
        "join, CPU", times["join"], "s", "decodes, joins, cuts every series by node and job, writes the phases"
    )
    yield rates("join, CPU", month.rows, times["join"], "samples/s")
    yield quotients("join / pyarrow", times["join"], times["decode"], "goal: at most 4")
    yield quotients("join / pyarrow dictionary", times["join"], times["dictionary"], "this is how we decode")
    yield Figure("ingest, CPU", times["ingest"], "s", "drop in, canonical tables out; job table, mem_total, hashes")
    yield quotients("ingest / pyarrow", times["ingest"], times["decode"])


def _share(settings: Settings) -> Iterator[Figure]:
    """Peers on a trace of some days, which every one of them can hold in memory."""
    folder, days = settings.folder("month") / "share", settings.size(SHARE_DAYS, TINY_SHARE_DAYS)
    write_marconi100(
        folder, SEED, MONTHS[:1], nodes=settings.size(NODES, TINY_NODES), jobs=settings.size(None, TINY_JOBS), days=days
    )
    share = NodeSamples(folder, settings.folder("month") / "share_join")
    (samples,) = share.files
    placements = share.write_placements()
    times = alternating({"decode": share.decode, "join": share.join}, settings.long_runs, time.process_time)
    whole = f"{days} days of the same machine" if days > 1 else "a day of the same machine"
    yield Figure("share, samples", [share.rows], "samples", f"{whole}, for the peers")
    yield quotients("share, join / pyarrow", times["join"], times["decode"])
    ours = share.phases()
    for peer in PEERS:
        yield from _peer(settings, peer, share, samples, placements, ours)


def _peer(
    settings: Settings, peer: str, share: NodeSamples, samples: Path, placements: Path, ours: pl.DataFrame
) -> Iterator[Figure]:
    """A peer, pyarrow and our join in turn."""
    runs, decode_s, join_s = [], [], []
    try:
        for _ in range(settings.long_runs):
            runs.append(join.run(peer, settings.environments, samples, placements, share.scratch, PEER_LIMIT_S))
            times = alternating({"decode": share.decode, "join": share.join}, 1, time.process_time)
            decode_s += times["decode"]
            join_s += times["join"]
    except (Unavailable, TimeoutError) as reason:
        yield Figure(f"share, {peer}, CPU", [], "s", str(reason))
        return
    cpu_s = [run.cpu_s for run in runs]
    yield Figure(f"share, {peer}, CPU", cpu_s, "s", "one thread; phases of nodes only, no account of left-out rows")
    yield quotients(f"share, {peer} / pyarrow", cpu_s, decode_s)
    yield quotients(f"share, {peer} / join", cpu_s, join_s)
    yield Figure(f"share, {peer}, peak memory", [run.process.peak_gb for run in runs], "GB", "holds the share whole")
    same = join.same_phases(ours, runs[0].phases)
    yield Figure(f"share, {peer}, same phases as ours", [100 * same], "%", f"of {len(ours):,} phases of nodes")


def _memory(settings: Settings, one: Path, two: Path) -> Iterator[Figure]:
    """Peak memory of the stages on one and on two months."""
    peaks: dict[tuple[str, str], list[float]] = {}
    for _ in range(settings.long_runs):
        for length, drop in (("one month", one), ("two months", two)):
            for stage, process in _stages(drop).items():
                peaks.setdefault((stage, length), []).append(process.peak_gb)
    for stage in ("ingest", "fit"):
        single, double = peaks[stage, "one month"], peaks[stage, "two months"]
        yield Figure(f"{stage}, peak memory", single, "GB", "a process on one month; goal: below 1.5")
        yield Figure(f"{stage} of two months, peak memory", double, "GB")
        yield quotients(f"{stage}, two months / one, peak memory", double, single, FLAT)


def _stages(drop: Path) -> dict[str, Child]:
    """Ingest and fit of a drop as processes, as the workflow runs them."""
    ingested, fitted = (drop.with_name(f"{drop.name}_{stage}") for stage in ("ingested", "fitted"))
    command = [sys.executable, "-m", "pipeline", "--quiet"]
    return {
        "ingest": child([*command, "ingest", drop, "--target", ingested]),
        "fit": child([*command, "fit", ingested, "--target", fitted]),
    }

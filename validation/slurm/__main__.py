"""Slurm executes the jobs of a log: `python -m validation.slurm LOG DROP`."""

from __future__ import annotations

import logging
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from validation.slurm import machine, workload
from validation.slurm.drop import Drop

log = logging.getLogger("validation.slurm")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    source: Annotated[Path, typer.Argument(metavar="LOG", help="drop or file of one log of jobs, as traces/kth_sp2")],
    target: Annotated[Path, typer.Argument(metavar="DROP", help="folder to write, which is not there yet")],
    first: Annotated[int, typer.Option(min=1, help="position of the first job, in order of submission")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="how many jobs")] = 100,
    node_scale: Annotated[int, typer.Option(min=1, help="nodes of the log that one node here is for")] = 1,
    time_scale: Annotated[float, typer.Option(min=1, help="what all times of the log are divided by")] = 1.0,
    speed: Annotated[int, typer.Option(min=1, max=100, help="seconds of Slurm's clock per real second")] = 20,
    repetitions: Annotated[int, typer.Option(min=1, max=99, help="executions of the workload")] = 2,
    one_node: Annotated[
        bool, typer.Option("--one-node", help="one node with all processors, in place of a daemon for each node")
    ] = False,
    at_once: Annotated[int, typer.Option(min=1, help="executions at the same time, each by a Slurm of its own")] = 2,
) -> None:
    """Slurm executes the jobs of a log on this machine, under a faster clock, and their starts become a drop.

    Exit code 3 where Slurm or faketime is not installed.
    """
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    log.setLevel(logging.INFO)
    if lacking := machine.missing():
        print(f"Slurm cannot be started; these packages of Debian are needed: {', '.join(lacking)}", file=sys.stderr)
        raise typer.Exit(3)
    # What is begun is ended in all cases, so also where another process asks for the end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        chosen = workload.of_log(source, first, jobs, node_scale, time_scale)
        how = f"Slurm {machine.version()} with a clock {speed} times as fast, {min(at_once, repetitions)} at once"
        drop = Drop(target, chosen, how, one_node=one_node)
    except (ValueError, FileExistsError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from error
    log.info("%s on %d nodes, %d times", chosen.what, chosen.nodes, repetitions)
    waiting = [f"run_{number:02}" for number in range(1, repetitions + 1)]
    execute(chosen, drop, speed, waiting, at_once, one_node=one_node)


def execute(
    chosen: workload.Workload, drop: Drop, speed: int, waiting: list[str], at_once: int, *, one_node: bool
) -> None:
    """Execute the workload once for each name in `waiting`; whatever happens, nothing runs on."""
    running: dict[str, machine.Execution] = {}
    with ExitStack() as stack:
        while waiting or running:
            while waiting and len(running) < at_once:
                running[waiting[0]] = stack.enter_context(
                    machine.Execution(chosen.jobs, chosen.nodes, speed, one_node=one_node)
                )
                log.info("%s begins", waiting.pop(0))
            for run, execution in list(running.items()):
                if execution.ended():
                    drop.add(run, execution.schedule())
                    del running[run]
                    log.info("%s has ended", run)
            time.sleep(1)


if __name__ == "__main__":
    app(prog_name="python -m validation.slurm")

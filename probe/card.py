"""A card: what it is, and samples of a plan. One runs the measuring program, the other makes them up."""

from __future__ import annotations

import csv
import json
import math
import random
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from probe import plan


@dataclass(frozen=True)
class Facts:
    """What a card says of itself. `places`: blocks of each kernel that fit on an SM."""

    card: str
    sms: int
    places: dict[str, int]
    described: str

    def only(self, kernels: Sequence[str]) -> Facts:
        """The same with these kernels alone; raises ValueError for one that it has not."""
        unknown = sorted(set(kernels) - set(self.places))
        if unknown:
            raise ValueError(f"no kernel is called {unknown[0]}; there are {', '.join(sorted(self.places))}")
        return replace(self, places={kernel: self.places[kernel] for kernel in kernels})


@dataclass(frozen=True)
class Work:
    """Counted operations and bytes of one launch."""

    tasks: int
    flop: float
    integer_ops: float
    bytes: float


@dataclass(frozen=True)
class Sample:
    """One launch: which line of the plan, seconds, and the SMs that worked."""

    line: int
    time_s: float
    sms_at_work: int


@dataclass(frozen=True)
class Clock:
    """State of the card during the run: clock of the SMs (MHz), temperature (°C), power (W)."""

    sm_mhz: float
    temperature_c: float
    power_w: float


class Card(Protocol):
    """A GPU to measure on."""

    generated: bool

    def facts(self) -> Facts:
        """What the card is."""
        ...

    def check(self) -> list[str]:
        """Kernels that give a wrong result on it."""
        ...

    def work(self, scale: float) -> dict[str, Work]:
        """Counted work of each kernel."""
        ...

    def time(self, lines: Sequence[plan.Line], scale: float, repetitions: int, seconds: float) -> Iterator[Sample]:
        """Samples of the lines, in their order."""
        ...

    def clocks(self) -> list[Clock]:
        """States of the card while it was timed."""
        ...


class RealCard:
    """The first GPU of this machine, through the measuring program."""

    generated = False

    def __init__(self, program: Path):
        if not program.is_file():
            raise FileNotFoundError(f"{program} is not there; `make probe` builds it where nvcc is")
        self._program = program
        self._clocks: list[Clock] = []

    def facts(self) -> Facts:
        """What the measuring program and the driver say."""
        told = json.loads(self._run("card"))
        driver = _nvidia_smi("driver_version")
        described = (
            f"{told['card']}, {told['sms']} SMs, compute capability {told['compute_capability']}, "
            f"{told['memory_gb']:.1f} GB, driver {driver[0][0] if driver else 'unknown'} (CUDA {told['cuda']})"
        )
        places = {kernel: of["blocks_of_sm"] for kernel, of in told["kernels"].items()}
        return Facts(told["card"], told["sms"], places, described)

    def check(self) -> list[str]:
        """Runs every kernel against its reference; the names of those that are wrong."""
        run = subprocess.run([self._program, "check"], capture_output=True, text=True, check=False)
        rows = list(csv.DictReader(run.stdout.splitlines()))
        if run.returncode not in (0, 1) or not rows or (run.returncode and run.stderr):
            raise RuntimeError(_words(run.stderr) or "the measuring program has checked nothing")
        return sorted({row["kernel"] for row in rows if row["verdict"] != "right"})

    def work(self, scale: float) -> dict[str, Work]:
        """Counted by the kernels themselves."""
        rows = csv.DictReader(self._run("work", str(scale)).splitlines())
        return {
            row["kernel"]: Work(int(row["tasks"]), float(row["flop"]), float(row["integer_ops"]), float(row["bytes"]))
            for row in rows
        }

    def time(self, lines: Sequence[plan.Line], scale: float, repetitions: int, seconds: float) -> Iterator[Sample]:
        """Samples as they come. Raises RuntimeError with the program's own words where it fails."""
        facts = self.facts()
        asked = "\n".join(plan.text(line, facts.sms, facts.places) for line in lines) + "\n"
        command = [self._program, "time", str(scale), str(repetitions), str(seconds)]
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(over,), daemon=True)
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        # The plan may be longer than what a pipe holds.
        feed = threading.Thread(target=_feed, args=(process, asked), daemon=True)
        try:
            watch.start()
            feed.start()
            for row in csv.DictReader(process.stdout):
                yield Sample(int(row["line"]), float(row["ms"]) / 1e3, int(row["sms_at_work"]))
            if process.wait() != 0:
                raise RuntimeError(_words(process.stderr.read()) or f"the measuring program ended {process.returncode}")
        finally:
            over.set()
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
            watch.join()

    def clocks(self) -> list[Clock]:
        """As nvidia-smi tells it once a second; empty without it."""
        return list(self._clocks)

    def _run(self, *words: str) -> str:
        run = subprocess.run([self._program, *words], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(_words(run.stderr) or f"the measuring program ended with {run.returncode}")
        return run.stdout

    def _watch(self, over: threading.Event) -> None:
        while not over.wait(1.0):
            rows = _nvidia_smi("clocks.sm,temperature.gpu,power.draw")
            if rows:
                self._clocks.append(Clock(*(_number(cell) for cell in rows[0])))


def _words(errors: str) -> str:
    return errors.strip().removeprefix("probe: ")


def _feed(process: subprocess.Popen, text: str) -> None:
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        # It has ended early; its exit code and words say why.
        pass


def _nvidia_smi(fields: str) -> list[list[str]]:
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return []
    rows = csv.reader(run.stdout.splitlines()) if run.returncode == 0 else []
    return [[cell.strip() for cell in row] for row in rows]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@dataclass(frozen=True)
class _Made:
    """A kernel of the simulated card, at scale 1: operations and bytes of a launch, time that no SM shortens."""

    ops: float
    bytes: float
    floating: bool
    fixed_s: float
    places: int


class SimulatedCard:
    """No GPU: a roofline card of 40 SMs with seeded kernels and noise, for trying what comes after the measurement.

    A kernel on m SMs takes as long as the slower of its operations, at `OPS_PER_SM` an SM, and its bytes, at what m
    SMs can draw, and a fixed time. Side by side, two kernels get bandwidth by what they ask for.
    """

    generated = True
    SMS = 40
    OPS_PER_SM, BYTES_PER_SM, BANDWIDTH = 200e9, 45e9, 700e9
    TASK_OVERHEAD_S = 1e-6
    NOISE = 0.01

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._kernels = {
            name: _Made(
                ops=10 ** self._random.uniform(8.5, 11),
                bytes=10 ** self._random.uniform(7.5, 9),
                floating=self._random.random() < 0.6,
                fixed_s=self._random.uniform(0, 2e-4),
                places=self._random.choice((4, 6, 8)),
            )
            for name in (f"made_{letter}" for letter in "abcdefgh")
        }

    def facts(self) -> Facts:
        """The simulated card."""
        places = {name: made.places for name, made in self._kernels.items()}
        return Facts("simulated", self.SMS, places, f"no card: simulated, {self.SMS} SMs")

    def check(self) -> list[str]:
        """Nothing is computed, so nothing is wrong."""
        return []

    def work(self, scale: float) -> dict[str, Work]:
        """What the simulated times represent."""
        return {
            name: Work(
                tasks=10_000,
                flop=scale * made.ops * made.floating,
                integer_ops=scale * made.ops * (not made.floating),
                bytes=scale * made.bytes,
            )
            for name, made in self._kernels.items()
        }

    def time(self, lines: Sequence[plan.Line], scale: float, repetitions: int, seconds: float) -> Iterator[Sample]:
        """Samples by the roofline, with noise."""
        for number, line in enumerate(lines):
            exact = self._seconds(line, scale)
            for _ in range(max(1, min(repetitions, math.ceil(seconds / exact)))):
                yield Sample(number, exact * math.exp(self._random.gauss(0, self.NOISE)), line.sms)

    def clocks(self) -> list[Clock]:
        """It has none."""
        return []

    def _seconds(self, line: plan.Line, scale: float) -> float:
        made = self._kernels[line.kernel]
        share = 0.5 if line.purpose == plan.OVERLAP else 1.0
        wanted = self._draw(line.kernel, line.sms * share)
        got = wanted
        if line.neighbour:
            others = line.sms * share if line.purpose == plan.OVERLAP else self.SMS - line.sms
            asked = wanted + self._draw(line.neighbour, others)
            got = wanted * min(1.0, self.BANDWIDTH / asked)
        compute_s = scale * made.ops / (self.OPS_PER_SM * line.sms * share)
        overhead_s = self.TASK_OVERHEAD_S * 10_000 / line.task_size / (line.sms * made.places)
        return max(compute_s, scale * made.bytes / got) + made.fixed_s + overhead_s

    def _draw(self, name: str, sms: float) -> float:
        """Bytes a second that a kernel takes on so many SMs with memory to itself."""
        made = self._kernels[name]
        while_computing = made.bytes / (made.ops / (self.OPS_PER_SM * sms))
        return min(while_computing, self.BYTES_PER_SM * sms, self.BANDWIDTH)

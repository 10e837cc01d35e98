"""The model page of gpu_corun once more, slowly: plain Python on exact fractions, one object an application.

Written from docs/models/gpu_corun.md alone; it shares nothing with the compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil

TABLE_1 = {
    "LL": {"LL", "LM", "M", "H"},
    "LM": {"LL", "LM", "H"},
    "LH": {"H"},
    "M": {"LL", "LH"},
    "H": {"LL", "LM"},
}


@dataclass
class Machine:
    sms: int = 30
    bandwidth: Fraction = Fraction(450)
    knee: Fraction = Fraction(4, 5)
    latency: Fraction = Fraction(1, 2)
    loss: Fraction = Fraction(3, 50)
    overlap: Fraction = Fraction(0)
    resize_s: Fraction = Fraction(0)
    mps_overhead: Fraction = Fraction(1, 100)
    slate_overhead: Fraction = Fraction(11, 200)
    split: str = "equal"
    symmetry: str = "printed"
    task_size: int = 10


@dataclass
class App:
    kind: str
    loop_s: Fraction
    dram: Fraction
    saturation: Fraction
    slate_speed: Fraction
    setup_s: Fraction = Fraction(0)
    arrival_s: Fraction = Fraction(0)
    pull_cost: Fraction = Fraction(0)
    imbalance: Fraction = Fraction(0)
    left: Fraction = field(default=Fraction(0), init=False)
    start: Fraction | None = field(default=None, init=False)
    stop: Fraction | None = field(default=None, init=False)
    sms: int = field(default=0, init=False)
    held: Fraction | None = field(default=None, init=False)
    corun: bool = field(default=False, init=False)
    speed: Fraction = field(default=Fraction(1), init=False)

    @property
    def ready(self) -> Fraction:
        return self.arrival_s + self.setup_s

    def under_slate(self, machine: Machine) -> Fraction:
        s = machine.task_size
        return 1 / (
            1 / self.slate_speed + self.pull_cost * (Fraction(1, s) - Fraction(1, 10)) + self.imbalance * (s - 10)
        )


def shares(machine: Machine, placed: list[tuple[App, int]]) -> list[Fraction]:
    """x of every kernel in the list, each on so many SMs."""

    def l(rho: Fraction) -> Fraction:  # noqa: E743
        if machine.knee == 1:
            return Fraction(1)
        return 1 + machine.latency * max(Fraction(0), rho - machine.knee) / (1 - machine.knee)

    a = [min(Fraction(1), Fraction(n, machine.sms) / app.saturation) for app, n in placed]
    rho = min(Fraction(1), sum(ai * app.dram for ai, (app, _) in zip(a, placed, strict=True)) / machine.bandwidth)
    slower = [max(Fraction(1), l(rho) / l(app.dram / machine.bandwidth)) for app, _ in placed]
    a = [
        min(Fraction(1), Fraction(n, machine.sms) / (app.saturation * s))
        for (app, n), s in zip(placed, slower, strict=True)
    ]
    demand = sum(ai * app.dram for ai, (app, _) in zip(a, placed, strict=True))
    cut = min(Fraction(1), machine.bandwidth / demand) if demand else Fraction(1)
    return [ai * cut for ai in a]


def together(active: App, other: App, symmetry: str) -> bool:
    there, back = other.kind in TABLE_1[active.kind], active.kind in TABLE_1[other.kind]
    return {"printed": there, "either": there or back, "both": there and back}[symmetry]


def split_of(machine: Machine, active: App, other: App) -> int:
    S = machine.sms
    if machine.split == "equal":
        return ceil(Fraction(S, 2))
    if machine.split == "saturate":
        first = min((active, other), key=lambda app: app.saturation)
        need = min(max(ceil(first.saturation * S), 1), S - 1)
        return need if first is active else S - need
    lengths = []
    for n in range(1, S):
        xa, xb = shares(machine, [(active, n), (other, S - n)])
        ta, tb = active.left / active.speed, other.left / other.speed
        both = min(ta / xa, tb / xb)
        lengths.append(both + (ta - both * xa) + (tb - both * xb))
    return 1 + lengths.index(min(lengths))


def simulate(machine: Machine, apps: list[App], rule: str, order: list[int] | None = None, fixed: int = 0) -> None:
    """Fill start, stop and corun of the applications; `rule`: cuda, one_by_one, table or fixed."""
    queue = [apps[i] for i in order] if order else sorted(apps, key=lambda app: app.ready)
    for app in apps:
        app.left, app.start, app.stop, app.sms, app.held, app.corun = app.loop_s, None, None, 0, None, False
    now, running = Fraction(-1), []
    while any(app.stop is None for app in apps):
        ready = [app for app in queue if app.ready <= now and app.stop is None]
        before = {id(app): app.sms for app in running}
        running = [app for app in running if app.stop is None]
        if rule == "cuda":
            running = ready
            rates = {id(app): app.speed / (len(ready) * (1 + (machine.loss if len(ready) > 1 else 0))) for app in ready}
        elif rule == "one_by_one":
            running = running or ready[:1]
            gain = 1 + (machine.overlap if len(ready) > 1 else 0)
            rates = {id(app): app.speed * gain for app in running}
        else:
            if not running:
                running = ready[:1]
            if len(running) == 1 and machine.sms > 1:
                others = [app for app in ready if app is not running[0]]
                fit = [app for app in others if rule == "fixed" or together(running[0], app, machine.symmetry)]
                if fit:
                    running.append(fit[0])
                    n = split_of(machine, *running) if rule == "table" else 0
                    if rule == "fixed":
                        n = fixed if running[0] is apps[0] else machine.sms - fixed
                    running[0].sms, running[1].sms = n, machine.sms - n
                    running[0].corun = running[1].corun = True
                elif running:
                    running[0].sms = machine.sms
            elif len(running) == 1:
                running[0].sms = machine.sms
            for app in running:
                if before.get(id(app), 0) not in (0, app.sms):
                    app.held = now + machine.resize_s
            awake = [app for app in running if app.held is None or app.held <= now]
            xs = shares(machine, [(app, app.sms) for app in awake])
            rates = {id(app): app.speed * x for app, x in zip(awake, xs, strict=True)}
        for app in running:
            if rates.get(id(app)) and app.start is None:
                app.start = now
        events = [app.ready for app in apps if app.ready > now and app.stop is None]
        events += [now + app.left / rates[id(app)] for app in running if rates.get(id(app))]
        events += [app.held for app in running if app.held is not None and app.held > now]
        then = min(events)
        for app in running:
            app.left -= rates.get(id(app), Fraction(0)) * (then - now)
            if app.left == 0:
                app.stop = then
        now = then


def replay(machine: Machine, apps: list[App], scheduler: str) -> list[tuple[Fraction, Fraction, Fraction, str]]:
    """start_s, kernel_end_s, end_s and mode of each application, in the order given."""
    if scheduler == "optimal":
        return _optimal(machine, apps)
    slate = scheduler == "slate"
    for app in apps:
        app.speed = app.under_slate(machine) if slate else Fraction(1)
    simulate(machine, apps, {"cuda": "cuda", "mps": "one_by_one", "slate": "table"}[scheduler])
    share = {"cuda": Fraction(0), "mps": machine.mps_overhead, "slate": machine.slate_overhead}[scheduler]
    return [_row(app, share) for app in apps]


def _row(app: App, share: Fraction) -> tuple[Fraction, Fraction, Fraction, str]:
    return app.start, app.stop, app.stop + share * (app.setup_s + app.loop_s), "corun" if app.corun else "solo"


def _optimal(machine: Machine, apps: list[App]) -> list[tuple[Fraction, Fraction, Fraction, str]]:
    candidates = []
    orders = [[0]] if len(apps) == 1 else [[0, 1], [1, 0]]
    for order, choice in product(orders, product((False, True), repeat=len(apps))):
        for app, slate in zip(apps, choice, strict=True):
            app.speed = app.under_slate(machine) if slate else Fraction(1)
        without = Machine(**(machine.__dict__ | {"overlap": Fraction(0) if any(choice) else machine.overlap}))
        simulate(without, apps, "one_by_one", order)
        candidates.append(
            [_row(a, machine.slate_overhead if s else Fraction(0)) for a, s in zip(apps, choice, strict=True)]
        )
    for n in range(1, machine.sms) if len(apps) == 2 else []:
        for app in apps:
            app.speed = app.under_slate(machine)
        simulate(machine, apps, "fixed", None, n)
        candidates.append([_row(app, machine.slate_overhead) for app in apps])
    return min(candidates, key=lambda rows: max(end for _, _, end, _ in rows))

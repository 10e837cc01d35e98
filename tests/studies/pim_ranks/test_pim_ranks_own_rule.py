"""Schedulers of one's own: a policy that nobody foresaw, and rules that choose what cannot be."""

import importlib
import re
from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pim_ranks_slow as slow
import polars as pl
import pytest
from pim_ranks_cases import compiled, random_jobs, random_scenario, random_world, scenario_table, tables
from pim_ranks_slow import Job, Scenario, Stage, World

from pipeline.simulation.rules import signature
from pipeline.studies import pim_ranks
from pipeline.studies.pim_ranks import rules
from pipeline.studies.pim_ranks.schedulers import SCHEDULERS

OWN = Path(__file__).parent / "own" / "shortest_first.py"


class Shortest(slow.Machine):
    """The slow reference with one scheduler more."""

    def shortest_first(self):
        while self.queue and self.free > 0:
            ranks = {job.job_id: min(self.best(job), self.free) for job in self.queue}
            job = min(self.queue, key=lambda job: self.guess(job, ranks[job.job_id]))
            self.queue.remove(job)
            self.launch(job, ranks[job.job_id])


@pytest.mark.slow
@pytest.mark.parametrize("predicted", [False, True], ids=["true times", "predicted times"])
@pytest.mark.parametrize("dyadic", [True, False], ids=["full of ties", "in general position"])
def test_shortest_first_is_what_a_slow_reference_does(own_scheduler, dyadic, predicted):
    rng = Random(f"shortest {dyadic} {predicted}")
    scheduler = own_scheduler("pim_ranks", OWN)
    for _ in range(12):
        ranks = rng.randint(1, 9)
        world = random_world(rng, ranks, dyadic=dyadic)
        if predicted:
            world.predicted = random_world(rng, ranks, dyadic=dyadic).times
        cases = [(random_jobs(rng, dyadic=dyadic), random_scenario(rng, scheduler, ranks)) for _ in range(8)]
        for (jobs, scenario), (runs, _) in zip(cases, compiled(world, cases), strict=True):
            ordered = sorted(jobs, key=lambda job: (job.arrival, job.job_id))
            expected = Shortest(world, ordered, scenario).run()
            assert runs.keys() == expected.keys()
            for job_id, (granted, start, end, _freed) in runs.items():
                right = expected[job_id]
                assert granted == right.ranks
                assert (start, end) == pytest.approx((float(right.start), float(right.end)), rel=1e-9, abs=1e-9)


def test_shortest_first_minimises_the_turnaround_of_jobs_that_run_one_at_a_time(own_scheduler):
    """Jobs that each take the whole machine: Smith's rule (1956), no order has a smaller mean turnaround."""
    scheduler = own_scheduler("pim_ranks", OWN)
    world = World({app: [Fraction(t)] for app, t in zip("ABC", (5, 2, 3), strict=True)}, dict.fromkeys("ABC", 1))
    jobs = [Job(number, app) for number, app in enumerate("ABACB")]
    result = compiled(world, [(jobs, Scenario(name, 1)) for name in (scheduler, "se_full", "pim_care")])
    runs, metrics = result[0]
    assert sorted(runs, key=lambda job: runs[job][1]) == [1, 4, 3, 0, 2]
    assert metrics["att_s"] == pytest.approx((2 + 4 + 7 + 12 + 17) / 5)
    assert all(metrics["att_s"] < other["att_s"] for _, other in result[1:])


@rules.start
def too_many(now, machine, jobs, options, memory, choice):
    return now.free_ranks + 1


@rules.start
def less_than_none(now, machine, jobs, options, memory, choice):
    return -1


@rules.start
def twice(now, machine, jobs, options, memory, choice):
    choice.job[0] = choice.job[1] = now.first
    choice.ranks[0] = choice.ranks[1] = 1
    return 2


@rules.start
def nobody(now, machine, jobs, options, memory, choice):
    choice.job[0], choice.ranks[0] = 99, 1
    return 1


@rules.start
def not_yet_here(now, machine, jobs, options, memory, choice):
    choice.job[0], choice.ranks[0] = now.arrived, 1
    return 1


@rules.start
def too_wide(now, machine, jobs, options, memory, choice):
    choice.job[0], choice.ranks[0] = now.first, now.free_ranks + 1
    return 1


@rules.start
def on_best_ranks(now, machine, jobs, options, memory, choice):
    choice.job[0], choice.ranks[0] = now.first, jobs.best_ranks[now.first]
    return 1


@rules.start
def never(now, machine, jobs, options, memory, choice):
    return 0


@rules.plan
def of_no_job(release_s, time_s, objective):
    return rules.Schedule(release_s[:0], np.ones(0, int))


@rules.plan
def on_no_rank(release_s, time_s, objective):
    return rules.Schedule(release_s, np.zeros(len(release_s), int))


@rules.plan
def before_they_come(release_s, time_s, objective):
    return rules.Schedule(release_s - 1.0, np.ones(len(release_s), int))


@rules.plan
def all_on_all_ranks(release_s, time_s, objective):
    return rules.Schedule(release_s + 9.0 - release_s, np.full(len(release_s), time_s.shape[1]))


@rules.program
def without_ranks(stages, ranks, overhead, coop_limit):
    return [rules.Segment(rules.HOST, 0, 1.0)]


@rules.program
def on_minus_one(stages, ranks, overhead, coop_limit):
    return [rules.Segment(rules.GANG, -1, 1.0)]


@rules.program
def never_ending(stages, ranks, overhead, coop_limit):
    return [rules.Segment(rules.UNITS, ranks, float("inf"))]


WORLD = World(
    {"A": [Fraction(4), Fraction(2)]}, {"A": 2}, {"A": [Stage("kernel", Fraction(0), *[Fraction(1)] * 4)]}, {"A": 2}
)
QUEUE = [Job(5, "A"), Job(6, "A", Fraction(1)), Job(7, "A", Fraction(2))]
WRONG = [
    (too_many, "0 s after the first arrival its rule returns 3 jobs to start; 0 to 2 can start on 2 free ranks"),
    (less_than_none, "its rule returns -1 jobs to start; 0 to 2 can start on 2 free ranks"),
    (twice, "its rule starts job 0, which does not wait; waiting: none"),
    (nobody, "its rule starts job 99, which does not wait; waiting: 0 (job_id 5)"),
    (not_yet_here, "its rule starts job 1, which does not wait; waiting: 0 (job_id 5)"),
    (too_wide, "its rule starts job_id 5 on 3 ranks; 1 to 2 are possible"),
    (on_best_ranks, "its rule starts job_id 5 on 0 ranks; 1 to 2 are possible; best_ranks is 0 for schedulers whose "
     "NEEDS does not have best_ranks"),
    (never, "2 s after the first arrival its rule starts no job although nothing runs and none will arrive; it may "
     "start one on 1 to 2 ranks, waiting: 0 (job_id 5), 1 (job_id 6), 2 (job_id 7)"),
    (of_no_job, "its plan has starts (0,); one for each of 3 jobs is right"),
    (on_no_rank, "its plan has job_id 5 on 0 ranks; 1 to 2 are possible"),
    (before_they_come, "its plan starts job_id 5 at -1 s; it arrives at 0 s"),
    (all_on_all_ranks, "its plan holds 6 ranks when job_id 5 starts; there are 2"),
    (without_ranks, "its program of app 'A' holds no ranks; a GANG or UNITS with seconds would be right"),
    (on_minus_one, "its program of app 'A' has Segment(kind=1, ranks=-1, seconds=1.0, overhead=0.0); HOST, or a GANG"),
    (never_ending, "its program of app 'A' has Segment(kind=2, ranks=2, seconds=inf, overhead=0.0); HOST, or a GANG"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "sentence"), WRONG, ids=[rule.__name__ for rule, _ in WRONG])
def test_a_choice_that_cannot_be_is_an_error_that_says_what_could(rule, sentence, monkeypatch):
    monkeypatch.setitem(SCHEDULERS, "mine", module(rule=rule, NEEDS=()))
    rows = scenario_table({"some": ("w", Scenario("mine", 2))})
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        pim_ranks.replay(tables(WORLD, {"w": QUEUE}), rows)
    assert str(caught.value).startswith("scheduler mine, scenario 'some': ")


@rules.start
def drawn(now, machine, jobs, options, memory, choice):
    if memory.integers[0, 0] == 0:
        np.random.seed(options.seed)
    memory.integers[0, 0] += 1
    job = now.first
    for _ in range(np.random.randint(0, now.waiting)):
        job = jobs.next[job]
    choice.job[0], choice.ranks[0] = job, now.free_ranks
    return 1


def test_a_rule_may_draw_by_the_seed_of_the_scenario(monkeypatch):
    monkeypatch.setitem(SCHEDULERS, "mine", module(rule=drawn, NEEDS=()))
    world, jobs = World({"A": [Fraction(1)]}, {"A": 1}), [Job(number, "A") for number in range(8)]
    rows = scenario_table({f"s{seed}": ("w", Scenario("mine", 1)) for seed in range(20)})
    rows = rows.with_columns(seed=pl.Series(range(20)) // 2)
    outcomes = pim_ranks.replay(tables(world, {"w": jobs}), rows)["outcomes"].sort("scenario_id", "start_s")
    orders = dict(outcomes.group_by("scenario_id").agg("job_id").iter_rows())
    assert all(orders[f"s{seed}"] == orders[f"s{seed + 1}"] for seed in range(0, 20, 2))
    assert len({tuple(order) for order in orders.values()}) == 10


ABSENT = object()
BAD = [
    ("rule", "first_fit", "rule is 'first_fit'; a function that begins with @start or"),
    ("rule", SCHEDULERS["sm_opt_ooo"].rule.function, "a function that begins with @start or"),
    ("rule", signature(lambda a, b: None)(lambda a, b: None), "a function that begins with @start or"),
    ("rule", ABSENT, "has no rule"),
    ("NEEDS", ABSENT, "has no NEEDS"),
    ("NEEDS", "window", "NEEDS is 'window'; a tuple of words would be right"),
    ("NEEDS", ("best_rank",), "known: best_ranks, stages, window, ooo_window, perf_at, objective, few_jobs; did you "
     "mean 'best_ranks'?"),
    ("NEEDS", ("stages",), 'a rule @program needs "stages", and no other does'),
    ("rule", SCHEDULERS["virtual_pim_coarse"].rule, 'a rule @program needs "stages", and no other does'),
    ("OVERHEAD", "0.1", "OVERHEAD is '0.1'; a share of at least 0 would be right"),
    ("COMPLEXITY", True, "COMPLEXITY is True; a whole number of at least 0 would be right"),
]  # fmt: skip


def module(**changed):
    """A scheduler's file that says what is right, but for what is changed."""
    made = ModuleType("pipeline.studies.pim_ranks.schedulers.mine")
    good = {"rule": SCHEDULERS["sm_opt_ooo"].rule, "NEEDS": ("best_ranks",), "OVERHEAD": 0.1, "COMPLEXITY": 1}
    for key, value in (good | changed).items():
        if value is not ABSENT:
            setattr(made, key, value)
    return made


def load(monkeypatch, made):
    """Look through the folder of the schedulers once more, with this module in it."""
    package = importlib.import_module("pipeline.studies.pim_ranks.schedulers")
    studies = importlib.import_module("pipeline.studies")
    monkeypatch.setattr(studies.pkgutil, "iter_modules", lambda path: [type("Found", (), {"name": "mine"})])
    monkeypatch.setattr(studies.importlib, "import_module", lambda name: made)
    return studies.plugins(package.__name__, package.__path__, package.check)


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        (SCHEDULERS["se_full"].rule, ()),
        (SCHEDULERS["pim_care"].rule, ("best_ranks", "window", "perf_at")),
        (SCHEDULERS["optimal"].rule, ("few_jobs", "objective")),
        (SCHEDULERS["virtual_pim_fine"].rule, ("stages",)),
    ],
    ids=str,
)
def test_what_is_known_passes(rule, needs, monkeypatch):
    made = module(rule=rule, NEEDS=needs)
    assert load(monkeypatch, made) == {"mine": made}


@pytest.mark.parametrize(("key", "value", "sentence"), BAD, ids=[f"{key}-{i}" for i, (key, *_) in enumerate(BAD)])
def test_what_is_not_known_is_an_error_that_names_the_file(key, value, sentence, monkeypatch):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        load(monkeypatch, module(**{key: value}))
    assert str(caught.value).startswith("pipeline/studies/pim_ranks/schedulers/mine.py")


def test_a_key_that_is_mistyped_is_recognised(monkeypatch):
    with pytest.raises(ValueError, match=r"has no NEEDS; did you mean 'NEED'\?"):
        load(monkeypatch, module(NEEDS=ABSENT, NEED=()))

"""A scheduler of one's own: its rule is asked as `rules.grant` says, and checked."""

from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType

import hpc_memory_slow as slow
import polars as pl
import pytest
from hpc_memory_cases import (
    METRICS,
    RECONFIGURATIONS,
    compiled,
    machine,
    random_scenario,
    random_workload,
    scenario_table,
    tables,
)
from hpc_memory_slow import Job, Scenario

from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory.schedulers import check

MAX_MIN_FAIR = Path(__file__).parent / "own" / "max_min_fair.py"
HEAD = '''"""A rule of a test."""

from pipeline.studies.hpc_memory.rules import asked, by_phase, grant

COMPLEXITY = 1


'''


@pytest.fixture
def own(own_scheduler, tmp_path):
    """own(text): a scheduler whose file ends in this text; returns its name."""

    def add(text):
        path = tmp_path / "own_rule.py"
        path.write_text(HEAD + text, encoding="utf-8")
        return own_scheduler("hpc_memory", path)

    return add


def fair(needs, memory):
    """Closed form of weighted max-min fairness: {key: (need, nodes)} in increasing order of need per node."""
    targets, nodes = {}, sum(c for _, c in needs.values())
    for key, (need, c) in sorted(needs.items(), key=lambda item: item[1][0] / item[1][1]):
        targets[key] = min(need, memory * c / nodes)
        memory -= targets[key]
        nodes -= c
    return targets


@pytest.mark.slow
def test_max_min_fair_is_the_closed_form(own_scheduler):
    name = own_scheduler("hpc_memory", MAX_MIN_FAIR)
    rng = Random(1)
    for _ in range(300):
        jobs = [Job(k, 0, rng.randint(1, 9), ((1, rng.choice((0, 2, 4, rng.uniform(0, 50)))),)) for k in range(8)]
        memory_gb = rng.uniform(0, 1.2) * sum(job.nodes * job.phases[0][1] for job in jobs)
        inputs = tables({"w": jobs})
        targets = hpc_memory.targets(name, inputs["jobs"], inputs["phases"], None, memory_gb)
        needs = {job.job_id: (Fraction(job.nodes * job.phases[0][1]), job.nodes) for job in jobs}
        expected = fair(needs, Fraction(memory_gb))
        assert dict(targets.iter_rows()) == pytest.approx({k: float(v) for k, v in expected.items()}, rel=1e-9)


@pytest.mark.parametrize("dyadic", [True, False])
def test_max_min_fair_replays_as_the_slow_reference_does(own_scheduler, monkeypatch, dyadic):
    name = own_scheduler("hpc_memory", MAX_MIN_FAIR)

    def targets(running, scenario, t):
        return fair({r.rank: (r.job.nodes * r.need, r.job.nodes) for r in running}, scenario.memory)

    monkeypatch.setattr(slow, "targets", targets)
    rng = Random(2)
    cases = []
    for _ in range(60):
        jobs = random_workload(rng, 6, dyadic=dyadic)
        cases += [(jobs, random_scenario(rng, 6, name, dyadic=dyadic)) for _ in range(5)]
    near_ties = 0
    for (jobs, scenario), (starts, ends, metrics) in zip(cases, compiled(cases), strict=True):
        expected = slow.replay(jobs, scenario)
        if expected.near_tie:
            near_ties += 1
            continue
        assert starts == pytest.approx(expected.starts, rel=1e-6, abs=1e-6), scenario
        assert ends == pytest.approx(expected.ends, rel=1e-6, abs=1e-6), scenario
        for metric in METRICS:
            value = expected.metrics[metric]
            assert value is None or metrics[metric] == pytest.approx(value, rel=1e-9, abs=1e-6), (metric, scenario)
    assert near_ties <= 0.1 * len(cases)


def test_max_min_fair_helps_the_least_served(own_scheduler):
    """8 GB for two jobs that need 2 and 12: 2 and 6 GB, where Largest-First gives 0 and 8."""
    name = own_scheduler("hpc_memory", MAX_MIN_FAIR)
    jobs = [Job(1, 0, 1, ((4, 2),)), Job(2, 0, 1, ((9, 12),))]
    ends = {s: compiled([(jobs, machine(2, 8, s, tau=0))])[0][1] for s in (name, "largest_first")}
    # alpha 1/2: 6 of 12 GB are a speed of 3/4, 8 of 12 of 5/6
    assert ends[name] == pytest.approx({1: 4, 2: 4 + (9 - 4 * 0.75) / (5 / 6)})
    assert ends["largest_first"] == pytest.approx({1: 8, 2: 9 / (5 / 6)})


# ----------------------------------------------------------------------------------------------- when a rule is asked

NEEDS = """def rule(state, workload, machine, room, target_gb):
    for slot in state.running:
        target_gb[slot] = state.need_gb[slot]
"""


@pytest.mark.parametrize(
    ("when", "end"),
    [
        ("", 3 + 5),
        ("@asked(phases=False)\n", 3 + 5 / 0.75),
        ("@asked(starts=False, ends=False)\n", 3 / 0.5 + 5),
    ],
)
def test_a_rule_is_asked_when_it_says(own, when, end):
    """Phases of 3 s with 2 GB and 5 s with 4 GB: speed 1/2 without memory, 3/4 with half of it."""
    jobs = [Job(1, 0, 1, ((3, 2), (5, 4)))]
    name = own(when + "@grant\n" + NEEDS)
    assert compiled([(jobs, machine(1, 8, name, tau=0))])[0][1] == pytest.approx({1: end})


def test_what_a_starting_job_takes_of_idle_memory_is_no_reconfiguration(own):
    name = own("@asked(first=True, starts=False, ends=False)\n@grant\n" + NEEDS)
    _, ends, metrics = compiled([([Job(1, 0, 1, ((3, 2), (5, 4)))], machine(1, 8, name, tau=1))])[0]
    # 4 GB are asked for as the second phase begins, and come after a second at 3/4
    assert ends == pytest.approx({1: 3 + 1 + 4.25})
    assert (metrics["reconfigurations"], metrics["moved_gb"]) == (1, 2)


def test_a_rule_sees_the_queue_and_the_nodes(own):
    """Memory goes to a job only while somebody waits, one GB per free node beside it."""
    name = own(
        "@grant\ndef rule(state, workload, machine, room, target_gb):\n    for slot in state.running:\n"
        "        target_gb[slot] = len(state.waiting) + state.free_nodes\n"
    )
    jobs = [Job(1, 0, 2, ((9, 1),)), Job(2, 0, 3, ((9, 1),)), Job(3, 0, 3, ((9, 1),))]
    scenarios = scenario_table({"s": ("w", machine(3, 8, name, tau=0))}).with_columns(timeline=pl.lit(True))
    timeline = hpc_memory.replay(tables({"w": jobs}), scenarios)["timeline"]
    first = timeline.filter(pl.col("speed") > 0).unique("job_id", keep="first", maintain_order=True)
    assert dict(first.select("job_id", "target_gb").iter_rows()) == {1: 3, 2: 1, 3: 0}


DRAWN = """@grant
def rule(state, workload, machine, room, target_gb):
    if room.scheduler[1] == 0:
        room.scheduler[0], room.scheduler[1] = machine.seed, 1
    left = state.available_gb
    for slot in state.running:
        room.scheduler[0] = (room.scheduler[0] * 48271 + 11) % 2147483647
        target_gb[slot] = min(left, state.need_gb[slot]) * (room.scheduler[0] / 2147483647)
        left -= target_gb[slot]
"""


def test_a_rule_draws_from_its_room_by_the_seed(own):
    name = own(DRAWN)
    rng = Random(3)
    workloads = {"w": random_workload(rng, 4, most_jobs=20)}
    scenarios = scenario_table({"s": ("w", Scenario(4, 6, name, 0.25, 0))})
    ends = [
        hpc_memory.replay(tables(workloads), scenarios.with_columns(seed=pl.lit(seed)))["outcomes"]["end_s"]
        for seed in (1, 1, 2)
    ]
    assert ends[0].equals(ends[1])
    assert not ends[0].equals(ends[2])


# --------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("written", "when", "sentence"),
    [
        ("9.0", "", "the rule gives all running jobs together 18 GB; 0 to 16 GB would be possible"),
        ("-1.0", "", "the rule gives job 7 -1 GB; 0 to 16 GB would be possible"),
        ("state.now_s * float('nan')", "", "the rule gives job 7 nan GB"),
        ("9.0", "@asked(first=True, starts=False)\n", "the rule gives job 8 9 GB; 0 to 7 GB would be possible"),
    ],
)
@pytest.mark.parametrize("reconfiguration", RECONFIGURATIONS)
def test_what_cannot_be_is_an_error_that_says_who_when_and_what(own, written, when, sentence, reconfiguration):
    body = f"    for slot in state.running:\n        target_gb[slot] = {written}\n"
    name = own(f"{when}@grant\ndef rule(state, workload, machine, room, target_gb):\n{body}")
    jobs = [Job(7, 5, 1, ((4, 2),)), Job(8, 5, 1, ((4, 2),))]
    with pytest.raises(ValueError) as caught:
        compiled([(jobs, machine(2, 16, name, reconfiguration=reconfiguration))])
    beginning = "scheduler 'own_rule', scenario 's0': 0 s after the first release "
    assert str(caught.value).startswith(beginning)
    assert sentence in str(caught.value)


def module(**stated):
    scheduler = ModuleType("pipeline.studies.hpc_memory.schedulers.mine")
    for key, value in stated.items():
        setattr(scheduler, key, value)
    return scheduler


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({}, "mine.py has no rule"),
        (
            {"rule": "phases"},
            "mine.py: rule is 'phases'; a function that begins with @grant or @by_phase or @by_level",
        ),
    ],
)
def test_a_file_that_says_what_nobody_understands_is_refused(stated, sentence):
    with pytest.raises(ValueError, match=r"^pipeline/studies/hpc_memory/schedulers/mine\.py") as caught:
        check(module(**stated))
    assert sentence in str(caught.value)


def test_a_rule_of_other_arguments_is_refused_at_import(own):
    with pytest.raises(ValueError, match=r"own_rule.py: rule takes \(state, target_gb\); a rule grant takes \(state,"):
        own("@grant\ndef rule(state, target_gb):\n    pass\n")


def test_an_order_of_another_length_is_refused(own):
    name = own("@by_phase\ndef rule(jobs, scenario):\n    return jobs.nodes\n")
    with pytest.raises(ValueError, match=r"own_rule: the rule gives numbers of shape \(1,\); \(2,\) would be right"):
        compiled([([Job(1, 0, 1, ((1, 1), (1, 1)))], machine(1, 8, name))])

"""What `cost_aware` gives away: as good as a linear program, and as Priority where reconfiguring is free."""

from random import Random

import numpy as np
import pytest
from hpc_memory_cases import BACKFILLINGS, RECONFIGURATIONS, compiled, random_workload, tables
from hpc_memory_slow import Job, Scenario
from scipy.integrate import quad
from scipy.optimize import linprog

from pipeline.studies.hpc_memory import arrays, model, rules
from pipeline.studies.hpc_memory.schedulers import cost_aware


def instance(rng):
    """Running jobs (nodes, mean phase, current need, profile, held, delay), memory of the machine, tau."""
    jobs = []
    for _ in range(rng.randint(1, 6)):
        levels = sorted({rng.uniform(1, 100) for _ in range(rng.randint(1, 4))})
        weights = [rng.random() for _ in levels]
        profile = [(x, w / sum(weights)) for x, w in zip(levels, weights, strict=True)]
        need = rng.choice((0.0, rng.choice(levels), rng.uniform(1, 120)))
        jobs.append([rng.randint(1, 20), rng.uniform(1, 100), need, profile, rng.choice((0.0, rng.uniform(0, 2000)))])
    memory_gb = max(sum(job[4] for job in jobs), rng.uniform(0.1, 1.2) * sum(c * p[-1][0] for c, _, _, p, _ in jobs))
    tau_s = rng.choice((0.0, rng.uniform(0, 5), rng.uniform(0, 200)))
    return jobs, memory_gb, tau_s


def granted(jobs, memory_gb, tau_s, last_worth=None):
    """Targets of the rule; last_worth: of the last GB that it gave when it was asked before, over the horizon."""
    count = len(jobs)
    first = np.cumsum([0] + [len(profile) for _, _, _, profile, _ in jobs])
    level_gb = np.array([c * x for c, _, _, profile, _ in jobs for x, _ in profile])
    share = np.array([p for _, _, _, profile, _ in jobs for _, p in profile])
    gain = np.concatenate([model.marginal_gain(*zip(*profile, strict=True)) for _, _, _, profile, _ in jobs])
    nothing = np.zeros(count)
    workload = rules.Workload(
        nothing, np.array([job[0] for job in jobs]), nothing, nothing, first, nothing, nothing, first, level_gb,
        share, gain, np.array([job[1] for job in jobs]), first[:0], nothing,
    )  # fmt: skip
    machine = rules.Machine(100, memory_gb, 0.5, tau_s, model.SERIAL, 0, False, 0)
    slots, target = np.arange(count), np.empty(count)
    before = np.zeros(16)
    if last_worth is not None:
        before[:2] = 1.0, last_worth
    room = rules.Room(before, np.zeros((count, 8)), np.zeros((count, 8)), np.zeros((2, count), np.int64))
    need = np.array([c * x for c, _, x, _, _ in jobs])
    held = np.array([job[4] for job in jobs])
    state = rules.State(
        0.0, -1, memory_gb, 0, slots, slots[:0], slots, slots, nothing - 1, nothing, nothing, need, held, held
    )
    cost_aware.rule(state, workload, machine, room, target)
    return target


def seconds(jobs, tau_s):
    """For each job, seconds in the current phase and after it, within the horizon and after the delay (4 numbers)."""
    change = 1 / sum(1 / mean for _, mean, _, _, _ in jobs)
    horizon = change + 2 * tau_s
    job_seconds = []
    for _, mean, _, _, _ in jobs:

        def staying(s, mean=mean):
            return np.exp(-max(0.0, s - change) / mean)

        whole = quad(staying, 0, horizon, points=[change], epsabs=1e-12)[0]
        late = quad(staying, tau_s, horizon, points=[min(max(change, tau_s), horizon)], epsabs=1e-12)[0]
        job_seconds.append((whole, horizon - whole, late, horizon - tau_s - late))
    return job_seconds


def uses(job, weights):
    """(GB up to which memory serves, node-seconds a GB held, node-seconds a GB new) of each use of a job's memory."""
    c, _, need, profile, _ = job
    current, later, current_new, later_new = weights
    profile_uses = [(c * x, later * p / x, later_new * p / x) for x, p in profile]
    return [*profile_uses, (c * need, current / need, current_new / need)] if need > 0 else profile_uses


def expected(jobs, targets, tau_s):
    """Expected node-seconds until the horizon (over 1 - alpha, beyond what slow memory yields)."""
    total = 0.0
    for job, target, weights in zip(jobs, targets, seconds(jobs, tau_s), strict=True):
        for upper, held_worth, new_worth in uses(job, weights):
            held_gb = min(target, job[4], upper)
            total += held_worth * held_gb + new_worth * (min(target, upper) - held_gb)
    return total


def optimum(jobs, memory_gb, tau_s):
    """The same for the best targets there are: variables kept_i <= held_i, new_i, and what each use gets of both."""
    count = len(jobs)
    cells = [
        (i, *use) for i, (job, w) in enumerate(zip(jobs, seconds(jobs, tau_s), strict=True)) for use in uses(job, w)
    ]
    columns = 2 * count + 2 * len(cells)
    worth, rows, limits = np.zeros(columns), [], []
    rows.append(np.concatenate([np.ones(2 * count), np.zeros(2 * len(cells))]))
    limits.append(memory_gb)
    for k, (i, upper, held_worth, new_worth) in enumerate(cells):
        held_column, new = 2 * count + 2 * k, 2 * count + 2 * k + 1
        worth[held_column], worth[new] = -held_worth, -new_worth
        for columns_and_signs, limit in (
            (((held_column, 1), (i, -1)), 0),
            (((new, 1), (count + i, -1)), 0),
            (((held_column, 1), (new, 1)), upper),
        ):
            row = np.zeros(columns)
            for column, sign in columns_and_signs:
                row[column] = sign
            rows.append(row)
            limits.append(limit)
    bounds = [(0, job[4]) for job in jobs] + [(0, None)] * (count + 2 * len(cells))
    result = linprog(worth, A_ub=np.array(rows), b_ub=limits, bounds=bounds, method="highs")
    assert result.success
    return -result.fun


def test_targets_are_those_of_most_expected_work():
    rng = Random(1)
    moved = 0
    for _ in range(200):
        jobs, memory_gb, tau_s = instance(rng)
        targets = granted(jobs, memory_gb, tau_s)
        assert targets.sum() <= memory_gb * (1 + 1e-9)
        assert (targets >= 0).all()
        assert expected(jobs, targets, tau_s) == pytest.approx(optimum(jobs, memory_gb, tau_s), rel=1e-6, abs=1e-6)
        moved += any(abs(target - job[4]) > 1e-6 for target, job in zip(targets, jobs, strict=True))
    assert 50 < moved < 200


def test_what_the_last_gb_was_worth_before_changes_no_target():
    rng = Random(2)
    for _ in range(200):
        jobs, memory_gb, tau_s = instance(rng)
        first = granted(jobs, memory_gb, tau_s)
        for last_worth in (0.0, *(10 ** rng.uniform(-6, 2) for _ in range(5))):
            assert granted(jobs, memory_gb, tau_s, last_worth) == pytest.approx(first, rel=1e-9, abs=1e-9)


def test_memory_stays_where_moving_it_costs_more_than_it_gains():
    """Two jobs of equal size in phases of 10 s mean: the one in need gets memory where it can still use it."""
    jobs = [[1, 10.0, 8.0, [(4.0, 1.0)], 4.0], [1, 10.0, 2.0, [(4.0, 1.0)], 4.0]]
    assert granted(jobs, 8.0, 0.0) == pytest.approx([6, 2])
    assert granted(jobs, 8.0, 100.0) == pytest.approx([4, 4])


def test_nothing_changes_where_nobody_gains():
    """A job that holds more than it can use keeps it until somebody else wants it."""
    idle = [1, 10.0, 2.0, [(2.0, 1.0)], 6.0]
    assert granted([idle], 8.0, 1.0) == pytest.approx([6])
    assert granted([idle, [1, 10.0, 6.0, [(6.0, 1.0)], 2.0]], 8.0, 1.0) == pytest.approx([2, 6])


def test_time_in_a_phase_is_certain_first_then_exponential():
    for certain, mean, until in ((0.0, 5.0, 3.0), (2.0, 5.0, 1.5), (2.0, 5.0, 40.0)):
        whole = quad(lambda s, a=certain, m=mean: np.exp(-max(0.0, s - a) / m), 0, until, points=[min(certain, until)])
        assert cost_aware.in_current_phase_s(until, certain, mean) == pytest.approx(whole[0], rel=1e-9)


def test_free_reconfigurations_make_it_priority():
    """tau = 0: the horizon is the next change, so only current needs count, and Priority is optimal for them."""
    rng = Random(2)
    cases = []
    for _ in range(200):
        nodes = rng.randint(1, 8)
        jobs = random_workload(rng, nodes)
        options = (0.25, 0, rng.choice(RECONFIGURATIONS), rng.choice(BACKFILLINGS), rng.random() < 0.5)
        memory = rng.choice((1, 4, 8, 16, 64))
        cases += [(jobs, Scenario(nodes, memory, name, *options)) for name in ("cost_aware", "priority")]
    results = compiled(cases)
    for ours, theirs in zip(results[::2], results[1::2], strict=True):
        assert ours[0] == pytest.approx(theirs[0], abs=1e-6)
        assert ours[1] == pytest.approx(theirs[1], abs=1e-6)


def test_it_starts_with_the_share_of_its_nodes_as_far_as_that_is_unallocated():
    """4 nodes, 16 GB: each job has 8 GB at once; one that follows on nodes whose memory was lent has what is left."""
    one, two = Job(1, 0, 2, ((16, 4),)), Job(2, 0, 2, ((16, 4),))
    _, ends, metrics = compiled([([one, two], Scenario(4, 16, "cost_aware", 0.5, 100))])[0]
    assert ends == pytest.approx({1: 16, 2: 16})
    assert metrics["reconfigurations"] == metrics["moved_gb"] == 0
    # job 1 holds 8 GB and needs 12; job 2 needs 4 of its 8, so 4 GB move within a second; job 3 finds 4 GB unallocated
    hungry, modest, third = Job(1, 0, 2, ((40, 6),)), Job(2, 0, 2, ((8, 2),)), Job(3, 0, 2, ((8, 4),))
    starts, ends, metrics = compiled([([hungry, modest, third], Scenario(4, 16, "cost_aware", 0.5, 1))])[0]
    assert metrics["reconfigurations"] >= 1
    assert (starts[3], ends[2]) == pytest.approx((8, 8))
    assert ends[3] > 16


def test_the_numbers_of_a_workload_are_those_of_its_tables():
    job = Job(1, 0, 3, ((2, 4), (6, 8)), None, ((4, 0.25), (8, 0.75)))
    inputs = tables({"w": [job]})
    workload = arrays.prepared(inputs)["w"].model
    assert workload.mean_phase_s.tolist() == [4]
    assert workload.level_gb.tolist() == [12, 24]
    assert workload.level_share.tolist() == [0.25, 0.75]
    assert workload.level_gain.tolist() == pytest.approx([0.25 / 4 + 0.75 / 8, 0.75 / 8])

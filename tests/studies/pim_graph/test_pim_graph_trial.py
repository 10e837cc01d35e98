"""What a trial chooses, against what its candidates take in an engine in plain Python."""

import numpy as np
import polars as pl
import pytest
from pim_graph_cases import edges_of, metric, random_graph, scenario
from pim_graph_slow import Machine

from pipeline.studies import pim_graph
from pipeline.studies.pim_graph import arrays, trial
from pipeline.studies.pim_graph.model.graph import block_of
from pipeline.studies.pim_graph.replay import ALGORITHMS
from pipeline.studies.pim_graph.rules import Scenario
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, policies

EAGER = ("baseline", "migration_remote", "work_stealing")
LATE = ("migration", "migration_duplicates_local", "dl_work_stealing")


def slow_cycles(n, out, scheduler, row) -> int:
    """Cycles of the traversal from the first root of a row of scenarios by another scheduler."""
    options = row | {"cd": row["cl"] if row["cd"] is None else row["cd"]}
    machine = Machine(n, out, scheduler, row["algorithm"], row["stacks"], options)
    machine.run(row["root"][0])
    return machine.metrics()["cycles"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_trial_takes_the_candidate_that_is_soonest_from_the_vertex_of_the_largest_out_degree(algorithm):
    random = np.random.default_rng(13)
    for _ in range(20):
        n, out = random_graph(random)
        hub = max(range(n), key=lambda v: (len(out[v]), -v))
        qr, stacks = int(random.choice([64, 200, 640])), int(random.choice([2, 4, 8]))
        names = EAGER if algorithm == "bc" else EAGER + LATE
        inputs = {"edges": edges_of("g", out), "graphs": pl.DataFrame({"graph_id": ["g"], "vertices": [n]})}
        row = scenario("adaptive", "adaptive", algorithm, [hub], stacks, qr=qr)
        adaptive = metric(pim_graph.replay(inputs, pl.DataFrame([row])), "adaptive")["cycles"]
        cycles = {name: slow_cycles(n, out, name, row) for name in names}
        graph = arrays.prepare_graph("g", inputs["edges"], inputs["graphs"])
        asked = Scenario(
            algorithm=ALGORITHMS[algorithm], stacks=stacks, block=block_of(n, stacks), checked=0, unique=False, seed=0,
            software=False, cd=row["cl"], steal=qr,
            **{name: row[name] for name in ("ql", "qr", "s", "e", "cl", "per_task", "mlp")},
        )  # fmt: skip
        candidates = [policies(SCHEDULERS[name])[0] for name in EAGER + LATE]
        chosen = trial.fastest(candidates, graph, asked, "this")
        assert cycles[(EAGER + LATE)[candidates.index(chosen)]] == min(cycles[name] for name in names)
        assert algorithm != "bc" or chosen.checked == "all"
        # The baseline is one of adaptive's candidates.
        assert adaptive <= cycles["baseline"]

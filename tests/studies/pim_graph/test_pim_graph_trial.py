"""What a trial chooses, against what replays of its candidates take."""

import numpy as np
import polars as pl
import pytest
from pim_graph_cases import edges_of, metric, random_graph, scenario

from pipeline.studies import pim_graph
from pipeline.studies.pim_graph import arrays, trial
from pipeline.studies.pim_graph.model.graph import block_of
from pipeline.studies.pim_graph.replay import ALGORITHMS
from pipeline.studies.pim_graph.rules import Scenario
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, policies

EAGER = ("baseline", "migration_remote", "work_stealing")
LATE = ("migration", "migration_duplicates_local", "dl_work_stealing")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_trial_takes_the_candidate_that_is_soonest_from_the_vertex_of_the_largest_out_degree(algorithm):
    random = np.random.default_rng(13)
    for _ in range(20):
        n, out = random_graph(random)
        hub = max(range(n), key=lambda v: (len(out[v]), -v))
        qr, stacks = int(random.choice([64, 200, 640])), int(random.choice([2, 4, 8]))
        names = EAGER if algorithm == "bc" else EAGER + LATE
        inputs = {"edges": edges_of("g", out), "graphs": pl.DataFrame({"graph_id": ["g"], "vertices": [n]})}
        rows = [scenario(name, name, algorithm, [hub], stacks, qr=qr) for name in (*names, "adaptive")]
        tables = pim_graph.replay(inputs, pl.DataFrame(rows))
        cycles = {row["scenario_id"]: metric(tables, row["scenario_id"])["cycles"] for row in rows}
        graph = arrays.prepare_graph("g", inputs["edges"], inputs["graphs"])
        at = (
            ALGORITHMS[algorithm],
            stacks,
            block_of(n, stacks),
            64,
            qr,
            1,
            1,
            192,
            192,
            False,
            False,
            0,
            0,
            False,
            0,
            qr,
        )
        candidates = [policies(SCHEDULERS[name])[0] for name in EAGER + LATE]
        chosen = trial.fastest(candidates, graph, Scenario(*at), "this")
        assert cycles[(EAGER + LATE)[candidates.index(chosen)]] == min(cycles[name] for name in names)
        assert algorithm != "bc" or chosen.checked == "all"
        # The baseline is one of adaptive's candidates.
        assert cycles["adaptive"] <= cycles["baseline"]

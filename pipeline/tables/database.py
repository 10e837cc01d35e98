"""The tables that studies, warehouse and claims add to the canonical ones: all that the database has of them."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables import merged
from pipeline.tables.results import common, gpu_corun, gpu_partition, gpu_sharing, hpc_memory, pim_graph, pim_ranks

STUDIES = {
    "hpc_memory": hpc_memory,
    "pim_ranks": pim_ranks,
    "gpu_corun": gpu_corun,
    "gpu_sharing": gpu_sharing,
    "gpu_partition": gpu_partition,
    "pim_graph": pim_graph,
}
"""Modules of the studies' own tables."""

Scenario: type[dy.Schema] = type(
    "Scenario",
    (dy.Schema,),
    {
        "__doc__": "One row a run; parameters that a study does not have are null.",
        **common.Run.columns(),
        **merged(STUDIES.values(), "SCENARIO"),
        **common.Source.columns(),
    },
)

RESULTS: dict[str, type[dy.Schema]] = {"scenario": Scenario, **merged((common, *STUDIES.values()), "RESULTS")}
"""Result tables by their name in the database."""

STUDY_FILES: dict[str, dict[str, tuple[str, str]]] = {study: module.FILES for study, module in STUDIES.items()}
"""For each study its tables in the database: the stage whose folders hold their rows, and the files' stem."""

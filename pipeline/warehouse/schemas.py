"""The tables that studies, warehouse and claims add to the canonical ones: all that the database has of them."""

from __future__ import annotations

import importlib

import dataframely as dy

from pipeline.runtime.study import declared
from pipeline.tables import keys, merged, results

STUDIES = {study: importlib.import_module(f"pipeline.studies.{study}.tables") for study in declared()}
"""Modules of the studies' own tables."""

Scenario: type[dy.Schema] = type(
    "Scenario",
    (dy.Schema,),
    {
        "__doc__": "One row per run; parameters that a study does not have are null.",
        **results.Run.columns(),
        **{name: column for study in declared().values() for name, column in results.parameter_columns(study).items()},
        **results.Source.columns(),
    },
)

RESULTS: dict[str, type[dy.Schema]] = {"scenario": Scenario, **merged((results, *STUDIES.values()), "RESULTS")}
"""Result tables by their name in the database."""

STUDY_FILES: dict[str, dict[str, tuple[str, str]]] = {study: module.FILES for study, module in STUDIES.items()}
"""For each study its tables in the database: the stage whose folders hold their rows, and the files' stem."""

KEYS: dict[str, tuple[str, ...]] = keys.KEYS | merged(STUDIES.values(), "KEYS")
"""Columns that identify a row of a table; some may be null. A table that is not here (rejected_row) has no key."""

REFERENCES: list[keys.Reference] = [
    *keys.implied(KEYS, {table: study for study, module in STUDIES.items() for table in module.RESULTS}),
    *keys.REFERENCES,
    *(reference for module in STUDIES.values() for reference in getattr(module, "REFERENCES", ())),
]
"""What leads back to what."""

"""What claims rest on that no paper prints: constants of models and words that had to become thresholds.

A study's are a file `<study>/assumptions.csv`, a row each: name, value, unit, range that was tried, source (of the
paper, or ours), constant (where it stands in the code), varied (how a run varies it), claims (ids, apart by blanks)
and meaning. A constant is `module.NAME`, with keys in brackets, in the study's folder or from the package's root on;
`parameter NAME` is the default of a scenario's column, `claim ID` a number in that claim's query. The tests compare
value and constant.
"""

from __future__ import annotations

import csv

import polars as pl

from pipeline import tables
from pipeline.claims import evaluate
from pipeline.runtime import sources
from pipeline.tables.results import Assumption

FOLDER = sources.PACKAGE / "studies"


def table() -> pl.DataFrame:
    """Table `assumption` of all studies, by study and name. Raises ValueError naming the file and what is wrong."""
    columns = [name for name in Assumption.columns() if name != "study"]
    known = {path.stem for path in evaluate.files()}
    rows = []
    for path in sorted(FOLDER.glob("*/assumptions.csv")):
        where = f"{path.parent.name}/{path.name}"
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames != columns:
                raise ValueError(f"{where}: columns are {reader.fieldnames}; {columns} would be right")
            for row in reader:
                claims = row["claims"].split()
                unknown = [claim for claim in claims if claim not in known]
                if unknown or not claims:
                    raise ValueError(
                        f"{where}: {row['name']} names {unknown or 'no claim'}; ids of claims would be right"
                    )
                filled = {name: value or None for name, value in row.items()}
                rows.append(filled | {"study": path.parent.name, "claims": claims})
    rows.sort(key=lambda row: (row["study"], row["name"]))
    return pl.DataFrame(rows, schema=tables.polars_schema(Assumption))

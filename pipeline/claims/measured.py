"""Holds claims against cards: a second value beside that of the replays, for each drop that has run times against SMs.

A file `<study>/measured/<ID>_<quantity>.sql` asks what claim <ID> comes to on such curves: a header as every claim has,
then a query whose rows are (trace, replicate, value); a replicate is a kernel or a pair of the card. A claim may
have several quantities. The verdict is that of the ledger, trace by trace. From fewer than five replicates there is no
interval, and the value alone is judged: it is measured, and no sample of what other draws would give.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl

from pipeline import tables
from pipeline.claims import evaluate, verdicts
from pipeline.claims.evaluate import Header
from pipeline.claims.verdicts import Estimate
from pipeline.runtime import threads
from pipeline.tables.results import ClaimMeasured

ROOM = "measured"


def files() -> list[Path]:
    """The files of all quantities, by study, claim and name."""
    paths = evaluate.FOLDER.glob(f"*/claims/{ROOM}/*.sql")
    return sorted(paths, key=lambda p: (p.parent.parent.parent.name, evaluate.natural(asked(p)[0]), p.stem))


def asked(path: Path) -> tuple[str, str]:
    """Claim and quantity that a file is named after. Raises ValueError where its name has no such two parts."""
    claim, _, quantity = path.stem.partition("_")
    if not claim or not quantity:
        raise ValueError(f"{path.name}: a quantity of a claim is called <ID>_<quantity>.sql")
    return claim, quantity


def ledger(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Table `claim_measured`: every quantity on every drop that has what it asks for.

    Raises ValueError naming the file whose query fails, lacks a column or gives a replicate twice.
    """
    origins = dict(connection.execute("SELECT trace, kind FROM trace").fetchall())
    rows, quantities = [], [(path, *evaluate.read(path)) for path in files()]
    values_by_trace = threads.each(_values, [(path, sql, evaluate.alike(connection)) for path, _, sql in quantities])
    for (path, header, sql), by_trace in zip(quantities, values_by_trace, strict=True):
        claim, quantity = asked(path)
        for trace, values in by_trace.items():
            ours, said = judged(header, list(values.values()))
            stated = evaluate.stated(path, header, sql)
            rows.append(
                {name: stated[name] for name in ("source", "statement", "paper_value", "unit", "rule", "sql")}
                | {"trace": trace, "id": claim, "quantity": quantity, "study": path.parent.parent.parent.name}
                | {"origin": origins[trace], "value": ours.value, "lo": ours.lo, "hi": ours.hi, "verdict": said}
                | {"replicates": ours.replicates, "configuration": header.configuration}
            )
    return pl.DataFrame(rows, schema=tables.polars_schema(ClaimMeasured))


def _values(quantity: tuple[Path, str, duckdb.DuckDBPyConnection]) -> dict[str, dict]:
    """Values by trace and replicate, both sorted, of a file with its query; the connection is closed then."""
    path, sql, connection = quantity
    with connection:
        try:
            rows = connection.execute(f"SELECT trace, replicate, value FROM ({sql}) ORDER BY ALL").fetchall()
        except duckdb.Error as error:
            raise ValueError(f"{path.name}: it has to give trace, replicate and value: {error}") from error
    by_trace: dict[str, dict] = {}
    for trace, replicate, value in rows:
        of_trace = by_trace.setdefault(trace, {})
        if replicate in of_trace:
            raise ValueError(f"{path.name}: the query gives {replicate!r} of {trace} twice; each counts once")
        of_trace[replicate] = value
    return by_trace


def judged(header: Header, values: list) -> tuple[Estimate, str]:
    """Estimate and verdict of one quantity on one card."""
    ours = verdicts.estimate(header.kind, values)
    if ours.replicates >= verdicts.FEWEST_REPLICATES:
        return ours, verdicts.agreement(header.kind, header.paper_value, header.digit, ours)
    alone = Estimate(ours.value, ours.value, ours.value, ours.replicates)
    said = verdicts.agreement(header.kind, header.paper_value, header.digit, alone)
    return Estimate(ours.value, None, None, ours.replicates), said


def text(database: Path) -> str:
    """What claims give on the cards of a database, evaluated afresh, two lines per quantity; empty without a card."""
    with evaluate.opened(database) as connection:
        rows = ledger(connection).iter_rows(named=True)
    lines = []
    for row in rows:
        value = evaluate.figure(Estimate(row["value"], row["lo"], row["hi"], row["replicates"]))
        lines.append(f"{row['id']:>4}  {row['verdict']:<19} {row['statement']}")
        lines.append(
            f"      on {row['trace']} ({row['origin']}), {row['quantity']}: paper {row['paper_value']:.4g} "
            f"{row['unit']}, there {value} (n = {row['replicates']})"
        )
    return "\n".join(lines)

"""A few lines on what the database holds, for the end of a run."""

from __future__ import annotations

from pathlib import Path

import duckdb


def summary(database: Path) -> str:
    """Traces read and refused, rows rejected by reason, scenarios, verdicts; how to go on. Lines of text."""
    if not database.is_file():
        return f"{database} is not there yet; `make` builds it"
    with duckdb.connect(str(database), read_only=True) as connection:

        def rows(sql: str) -> list[tuple]:
            return connection.execute(sql).fetchall()

        lines = []
        for trace, form, jobs, samples, apps, tasks, rejected in rows(
            "SELECT trace_id, format, jobs, samples, count(DISTINCT app), "
            "(SELECT count(*) FROM task WHERE task.trace_id = trace.trace_id), rejected "
            "FROM trace LEFT JOIN perf_table USING (trace_id) WHERE status = 'read' GROUP BY ALL ORDER BY trace_id"
        ):
            parts = [f"{jobs:,} jobs"] * (jobs > 0) + [f"{samples:,} samples"] * (samples > 0)
            parts += [f"performance tables of {apps:,} applications"] * (apps > 0)
            parts += [f"{tasks:,} real-time tasks"] * (tasks > 0)
            parts += [f"{rejected:,} rows rejected"] * (rejected > 0)
            lines.append(f"read     {trace} ({form}): {', '.join(parts)}")
        for drop, file, detail in rows(
            "SELECT drop, file, detail FROM rejected_row WHERE row IS NULL ORDER BY drop, file NULLS FIRST, reason"
        ):
            lines.append(f"refused  {drop}{'/' + file if file else ''}: {detail}")
        for drop, reason, count, file, row in rows(
            "SELECT drop, reason, count(*), first(file ORDER BY file, row), first(row ORDER BY file, row) "
            "FROM rejected_row WHERE row IS NOT NULL GROUP BY ALL ORDER BY ALL"
        ):
            lines.append(f"rejected {drop}: {count:,} × {reason}, first in {file} row {row}")
        (scenarios,) = rows("SELECT count(*) FROM scenario")[0]
        verdicts = rows("SELECT verdict, count(*) FROM claim GROUP BY ALL ORDER BY ALL")
        lines.append(f"{scenarios:,} scenarios; claims: {', '.join(f'{n} {v}' for v, n in verdicts)}")
        lines.append(f"answers in {database}: python -m pipeline query 'FROM recommended_scheduler'")
    return "\n".join(lines)

"""A few lines on what the database holds, for the end of a run."""

from __future__ import annotations

import shlex
from pathlib import Path

from pipeline.drops.files import SETTINGS_FILE
from pipeline.runtime.database import opened
from pipeline.runtime.sources import OF_DROP
from pipeline.runtime.wording import escaped

FAILURE_SQL = """CASE stage
    WHEN 'fit' THEN 'it could not be fitted: '
    WHEN 'fidelity' THEN study || ' could not compare its replays with it: '
    ELSE study || ' could not replay it: '
END || detail"""
"""A row of the table `failure` in words."""
WHOLE_SQL = f"row IS NULL OR coalesce(file, '') = '{SETTINGS_FILE}'"
"""Of the table `rejected_row`: what refuses a file or a drop as a whole, as a line of its settings does."""


def summary(database: Path) -> str:
    """Traces read and refused, rows rejected by reason, scenarios, verdicts; how to go on. Lines of text."""
    if not database.is_file():
        return f"{database} is not there yet; `make` builds it"
    with opened(database) as connection:

        def rows(sql: str) -> list[tuple]:
            return connection.execute(sql).fetchall()

        lines = []
        for trace, form, content, rejected in rows(
            "SELECT trace, format, content, rejected FROM trace JOIN trace_content USING (trace, drop) "
            "WHERE status = 'read' ORDER BY trace"
        ):
            parts = [content] * (content != "") + [f"{rejected:,} rows rejected"] * (rejected > 0)
            lines.append(f"read     {trace} ({form}): {', '.join(parts)}")
        for drop, file, detail in rows(
            f"SELECT drop, file, detail FROM rejected_row WHERE {WHOLE_SQL} ORDER BY drop, file NULLS FIRST, reason"
        ):
            lines.append(f"refused  {drop}{'/' + escaped(file) if file else ''}: {detail}")
        for part, failure in rows(f"SELECT part, {FAILURE_SQL} FROM failure ORDER BY ALL"):
            lines.append(f"failed   {part.removeprefix(OF_DROP)}: {failure}")
        for drop, reason, count, file, row in rows(
            "SELECT drop, reason, count(*), first(file ORDER BY file, row), first(row ORDER BY file, row) "
            f"FROM rejected_row WHERE NOT ({WHOLE_SQL}) GROUP BY ALL ORDER BY ALL"
        ):
            lines.append(f"rejected {drop}: {count:,} × {reason}, first in {escaped(file)} row {row}")
        known = {drop for (drop,) in rows("SELECT DISTINCT drop FROM trace")}
        results = database.parent
        for folder in sorted((results / "ingest").glob("[!.]*")):
            if folder.name not in known:
                lines.append(
                    f"left     {folder.name}: results of a drop that is gone, of which the database has nothing; "
                    f"to remove them: {_removal(results, folder.name)}"
                )
        (scenarios,) = rows("SELECT count(*) FROM scenario")[0]
        verdicts = rows("SELECT verdict, count(*) FROM claim GROUP BY ALL ORDER BY ALL")
        lines.append(f"{scenarios:,} scenarios; claims: {', '.join(f'{n} {v}' for v, n in verdicts)}")
        lines.append("answers: apportion answer; in SQL: apportion query; on a page: apportion open")
    return "\n".join(escaped(line, "\n") for line in lines)


def code(database: Path) -> int:
    """Exit code of a run: 0 all drops have answers, 3 some were refused or failed, 2 there is no database."""
    if not database.is_file():
        return 2
    with opened(database) as connection:
        asked = "SELECT (SELECT count(*) FROM trace WHERE status = 'refused') + (SELECT count(*) FROM failure)"
        (without,) = connection.execute(asked).fetchone()
    return 3 if without else 0


def _removal(results: Path, drop: str) -> str:
    """The command that removes the results of a drop."""
    parts = [f"{folder}/{OF_DROP}{drop}" for folder in ("scenarios/*", "replay/*/*")]
    paths = (f"ingest/{drop}", f"fit/{drop}", f"fidelity/*/{drop}", *parts)
    return " ".join(["rm -rf", *(f"{shlex.quote(str(results))}/{path}" for path in paths)])

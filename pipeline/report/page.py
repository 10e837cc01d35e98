"""The page: one HTML file that needs nothing else, with the answers, the figures, the claims and the data used.

Everything that comes from data is escaped by the template's autoescaping, JSON by `json_text`. A content security
policy lets the browser run this page's own scripts, known by their hashes, and load nothing at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from pathlib import Path

import duckdb
import jinja2
import vl_convert

from pipeline.answers import traces
from pipeline.claims import evaluate
from pipeline.report import chart, contents
from pipeline.report.figures import draw, write
from pipeline.runtime import storage
from pipeline.runtime.quantities import NOTHING, duration, number, paper_value, quantity, share, unit_of

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
MOST_ROWS = 200
"""Frames of figures up to this size are shown as tables too."""
SCRIPTS = ("figures", "downloads", "tables")
"""The page's own scripts, in the order in which they run: drawing, saving what is drawn, filtering and sorting."""
VERDICT_CLASS = {
    evaluate.REPRODUCED: "good",
    evaluate.IN_PART: "fair",
    evaluate.NOT_REPRODUCED: "bad",
}


def build(database: Path, target: Path, figures: Path) -> None:
    """Write the page as `target` and its figures as SVG files into the folder `figures`.

    The same database gives the same bytes. Raises FileNotFoundError where there is no database.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first")
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET threads = 1")
        drawn = draw(connection)
        facts = contents.contents(connection, drawn)
    write(drawn, figures)
    text = render(drawn, facts)
    with storage.replacing_file(target) as part:
        part.write_text(text, encoding="utf-8")
    log.info("%s: %d figures, %.1f MB", target, len(drawn), len(text.encode()) / 1e6)


def render(drawn: dict[str, chart.Figure], facts: dict) -> str:
    """The page's HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"share": share, "number": number, "quantity": quantity, "size": size, "text": text_of}
    environment.filters |= {
        "paper_value": paper_value,
        "unit_of": unit_of,
        "duration": duration,
        "enough_size": traces.size,
    }
    scripts = {name: script_text((FOLDER / f"{name}.js").read_text(encoding="utf-8")) for name in SCRIPTS}
    scripts = {"vega": library(), **scripts}
    specs = {name: figure for name, figure in drawn.items() if figure.chart is not None}
    return environment.get_template("page.html").render(
        facts,
        figures=drawn,
        rows={name: contents.rows_of(figure.frame, MOST_ROWS) for name, figure in drawn.items()},
        colour={row["scheduler"]: chart.appearance([row["scheduler"]])[0][0] for row in facts["schedulers"]},
        verdict_class=VERDICT_CLASS,
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        data=json_text(
            {
                "config": chart.config(chart.WIDTH),
                "entry": chart.LEGEND_ENTRY_WIDTH,
                "spacing": chart.SPACING,
                "figures": {
                    name: {"spec": figure.specification, "columns": figure.columns} for name, figure in specs.items()
                },
            }
        ),
        scripts=scripts,
        policy=policy(scripts.values()),
    )


def library() -> str:
    """Vega, Vega-Lite and vega-embed as one script without a trace in the global scope but their names on `window`."""
    return script_text(f"(() => {{{vl_convert.javascript_bundle(vl_version=chart.VEGA_LITE.removeprefix('v'))}}})();")


def policy(scripts) -> str:
    """Content security policy: the given scripts run, no other does, nothing is loaded from anywhere.

    Vega compiles its expressions ('unsafe-eval') and sets styles on what it draws.
    """
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def script_text(code: str) -> str:
    """JavaScript that may stand in a script element: what would end the element is written otherwise."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def json_text(value: object) -> str:
    """JSON that may stand in a script element, whatever strings are in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def size(count: int) -> str:
    """A number of bytes."""
    for unit, bytes_ in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= bytes_:
            return f"{count / bytes_:,.1f} {unit}"
    return f"{count} B"


def text_of(value: object) -> str:
    """A cell of a figure's table."""
    if value is None:
        return NOTHING
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)

"""The page: one HTML file that needs nothing else, with the answers, the figures, the claims and the data used.

Everything that comes from data is escaped by the template's autoescaping, JSON by `json_text`. A content security
policy lets the browser run this page's own scripts, known by their hashes, and load nothing at all.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import logging
from functools import partial
from pathlib import Path

import jinja2
import vl_convert

from pipeline.claims import verdicts
from pipeline.report import chart, contents, packing
from pipeline.report.figures import DRAWN, draw, functions, write
from pipeline.report.remembered import remembering
from pipeline.runtime import storage, threads
from pipeline.runtime.database import connect
from pipeline.runtime.quantities import NOTHING, duration, number, paper_value, quantity, share, unit_of
from pipeline.runtime.wording import escaped

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
ASKED = ".asked"
"""Folder beside that of the figures with what queries gave."""
MOST_ROWS = 200
"""Frames of figures up to this size are shown as tables too."""
SCRIPTS = ("tabs", "unpack", "figures", "explore", "waits", "downloads", "tables")
"""The page's own scripts, in the order in which they run: one section at a time, unpacking, drawing, asking a capacity
curve and a replay, saving what is drawn, filtering and sorting."""
FIRST_PANEL = "explore"
"""The page begins with the figure that is asked in this way."""
VERDICT_CLASS = {
    verdicts.REPRODUCED: "good",
    verdicts.IN_PART: "fair",
    verdicts.OPEN: "unsure",
    verdicts.NOT_REPRODUCED: "bad",
}


def build(database: Path, target: Path, figures: Path) -> None:
    """Write the page as `target` and its figures as SVG files into the folder `figures`.

    The same database gives the same bytes. Raises FileNotFoundError where there is no database.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first")
    with (
        connect(database, read_only=True) as opened,
        remembering(opened, figures.with_name(ASKED)) as connection,
    ):
        connection.execute("SET threads = 1")
        # Most of their time goes to the database, which threads ask side by side.
        drawn, facts, vega = threads.each(
            lambda part: part(),
            (
                partial(draw, connection.cursor()),
                partial(contents.contents, connection.cursor(), functions()),
                partial(library, figures.with_name(DRAWN)),
            ),
        )
    text = render(drawn, facts, vega)
    write(drawn, figures)
    with storage.replacing_file(target) as part:
        part.write_text(text, encoding="utf-8")
    log.info("%s: %d figures, %.1f MB", target, len(drawn), len(text.encode()) / 1e6)


def render(drawn: dict[str, chart.Figure], facts: dict, vega: str) -> str:
    """The page's HTML; vega: the `library`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # What somebody's file may hold and no reader sees.
        finalize=lambda value: escaped(value, "\n\t") if type(value) is str else value,
    )
    environment.filters |= {"share": share, "number": number, "quantity": quantity, "size": size, "text": text_of}
    environment.filters |= {
        "paper_value": paper_value,
        "unit_of": unit_of,
        "duration": duration,
    }
    scripts = {name: script_text((FOLDER / f"{name}.js").read_text(encoding="utf-8")) for name in SCRIPTS}
    specs = {name: figure for name, figure in drawn.items() if figure.chart is not None}
    panels = {figure.panel: name for name, figure in specs.items() if figure.panel}
    first = panels.get(FIRST_PANEL)
    return environment.get_template("page.html").render(
        facts,
        figures=drawn,
        first_figure=first,
        waits_figure=panels.get("waits"),
        first_study=first.partition("/")[0] if first else None,
        example=example(facts["by_trace"], drawn[first].frame["jobs_from"][0] if first else None),
        rows={name: contents.rows_of(figure.frame, MOST_ROWS) for name, figure in drawn.items()},
        colour={row["scheduler"]: chart.appearance([row["scheduler"]])[0][0] for row in facts["schedulers"]},
        verdict_class=VERDICT_CLASS,
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        library=vega,
        data=packed(
            json_text(
                {
                    "config": chart.config(chart.WIDTH),
                    "entry": chart.LEGEND_ENTRY_WIDTH,
                    "spacing": chart.SPACING,
                    "dark": chart.DARK,
                    **figure_data(specs),
                }
            )
        ),
        scripts=scripts,
        policy=policy(scripts.values()),
    )


def example(by_trace: list[dict], shown: str | None) -> dict | None:
    """The example that the page begins with where its reader has no trace: the one of the first figure, or any."""
    answered = [row for row in by_trace if row["answers"] and not row["own"]]
    return next((row for row in answered if row["trace"] == shown), answered[0] if answered else None)


def figure_data(figures: dict[str, chart.Figure]) -> dict:
    """`figures`: each one's specification, columns and names of data sets; `datasets`: each once, packed."""
    shown, datasets = {}, {}
    for name, figure in figures.items():
        own = figure.specification.get("datasets", {})
        spec = {key: value for key, value in figure.specification.items() if key != "datasets"}
        shown[name] = {"spec": spec, "columns": figure.columns, "datasets": list(own)}
        datasets |= {key: rows for key, rows in own.items() if key not in datasets}
    # Altair names data by a hash of 32 digits; a number will do within a page.
    short = {key: f"d{place}" for place, key in enumerate(datasets)}
    for figure in shown.values():
        figure["spec"] = _renamed(figure["spec"], short)
        figure["datasets"] = [short[key] for key in figure["datasets"]]
    return {"figures": shown, "datasets": {short[key]: packing.packed(rows) for key, rows in datasets.items()}}


def _renamed(part: object, names: dict[str, str]) -> object:
    """A specification with its data sets called by their new names."""
    if isinstance(part, list):
        return [_renamed(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {**value, "name": names[value["name"]]}
        if key == "data" and isinstance(value, dict) and value.get("name") in names
        else _renamed(value, names)
        for key, value in part.items()
    }


def library(cache: Path) -> str:
    """Vega, Vega-Lite and vega-embed `packed`, as one script that leaves nothing but their names on `window`.

    Kept in the folder `cache` by the versions, since to put it together takes a second.
    """
    file = cache / f"vega-lite-{chart.VEGA_LITE}-{vl_convert.__version__}.packed"
    if not file.is_file():
        bundle = vl_convert.javascript_bundle(vl_version=chart.VEGA_LITE.removeprefix("v"))
        cache.mkdir(parents=True, exist_ok=True)
        with storage.replacing_file(file) as part:
            part.write_text(packed(f"(() => {{{bundle}}})();"), encoding="utf-8")
    return file.read_text(encoding="utf-8")


def packed(text: str) -> str:
    """A text as unpack.js reads it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


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

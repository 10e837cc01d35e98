"""All figures on one page: thumbnails with titles and sources, and links to the files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import jinja2

from pipeline.report import chart

FOLDER = Path(__file__).parent


def html(figures: Mapping[str, chart.Figure]) -> str:
    """The page, to lie beside the folders of the studies; it needs no script and no network.

    figures: by `<study>/<name>`. One without a chart is named with what would fill it.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    studies = [
        (study, [(name, figures[name]) for name in names])
        for study, names in groupby(figures, key=lambda name: name.partition("/")[0])
    ]
    return environment.get_template("contact_sheet.html").render(studies=studies)


def listing(figures: Mapping[str, chart.Figure]) -> str:
    """The figures that were drawn as JSON, for programs: name, title, source, caption and query of each."""
    rows = [
        {"name": name, "title": figure.title, "source": figure.source, "caption": figure.caption, "sql": figure.sql}
        for name, figure in figures.items()
        if figure.chart is not None
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"

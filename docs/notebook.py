"""Runs the cells of a notebook in their order and gives their outputs; `python -m docs.notebook` writes them into it.

What a cell prints and the value of its last line are its outputs, frames as text and HTML, charts as pictures. It needs
the packages of this project alone; Jupyter opens and runs the notebook as well.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from pipeline.report.figures import renumbered

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def execute(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of its code cells, run in `folder`. Raises what a cell raises."""
    before, names, cells = Path.cwd(), {"__name__": "__main__"}, []
    os.chdir(folder)
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number = 1 + sum(done["cell_type"] == "code" for done in cells)
                outputs = _run("".join(cell["source"]), names, number)
                cells.append(cell | {"execution_count": number, "outputs": outputs})
            else:
                cells.append(cell)
    finally:
        os.chdir(before)
    return notebook | {"cells": cells}


def _run(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Outputs of a cell, in the form of the notebook format 4."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"<cell {number}>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {kind: _lines(text) for kind, text in _shown(value).items()}
        outputs.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data})
    return outputs


def _shown(value: object) -> dict[str, str]:
    """A value by the media types that a notebook shows."""
    if isinstance(value, alt.TopLevelMixin):
        return {"text/plain": "a chart", "image/svg+xml": renumbered(vl_convert.vegalite_to_svg(value.to_dict()))}
    if isinstance(value, pl.DataFrame):
        return {"text/plain": str(value), "text/html": value._repr_html_()}
    return {"text/plain": repr(value)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Run the notebook on the results that are there and write its outputs."""
    executed = execute(json.loads(NOTEBOOK.read_text(encoding="utf-8")), NOTEBOOK.parent)
    NOTEBOOK.write_text(json.dumps(executed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

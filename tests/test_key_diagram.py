"""Pictures of tables and keys: boxes do not overlap, lines lead to the right, many and one are distinguished."""

import itertools
import re
from xml.etree import ElementTree

import pytest

from pipeline.reference import database as database_reference
from pipeline.reference import key_diagram
from pipeline.reference.key_diagram import Column
from pipeline.tables.keys import Reference

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = {name: make() for name, make in database_reference.pages().items() if name.endswith(".svg")}


def rectangles(picture):
    """Left, top, right and bottom of each box."""
    drawn = [r for r in ElementTree.fromstring(picture).iter(f"{SVG}rect") if r.get("class") is None]
    places = [[float(r.get(key)) for key in ("x", "y", "width", "height")] for r in drawn]
    return [(x, y, x + width, y + height) for x, y, width, height in places]


@pytest.mark.parametrize("name", PICTURES)
def test_boxes_lie_apart_inside_the_picture(name):
    root = ElementTree.fromstring(PICTURES[name])
    width, height = float(root.get("width")), float(root.get("height"))
    result = rectangles(PICTURES[name])
    assert len(result) >= 5
    for left, top, right, bottom in result:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    for a, b in itertools.combinations(result, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


@pytest.mark.parametrize("name", PICTURES)
def test_lines_begin_at_one_box_and_end_at_another_to_its_right(name):
    result = rectangles(PICTURES[name])
    curves = re.findall(r'd="M([\d.]+) ([\d.]+)H[\d.]+C.*? ([\d.]+) ([\d.]+)"', PICTURES[name])
    assert curves
    for curve in curves:
        x, y, to, at = map(float, curve)
        assert x < to
        assert any(abs(right - x) < 0.2 and top < y < bottom for _, top, right, bottom in result)
        assert any(abs(left - to) < 0.2 and top < at < bottom for left, top, _, bottom in result)


def test_tables_that_refer_alike_share_a_box_unless_they_stand_alone():
    references = [Reference(child, "trace", ("trace",)) for child in ("phase", "graph", "tally")]
    columns = {table: [Column("text", "trace", "FK")] for table in ("phase", "graph", "tally")}
    assert len(rectangles(key_diagram.svg(references, columns, alone=["tally"]))) == 3
    assert len(rectangles(key_diagram.svg(references, columns, alone=[]))) == 2


def test_names_are_text():
    picture = key_diagram.svg(
        [Reference("phase", "trace", ("trace",))], {"phase": [Column("<b>", "a&b", "FK")]}, alone=[]
    )
    assert "a&b" in "".join(ElementTree.fromstring(picture).itertext())

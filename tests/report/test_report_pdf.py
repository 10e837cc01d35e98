"""Figures as PDF: one page of the size of the drawing, whole by the standard's rules, the same bytes each time."""

import re
import zlib

import pytest

from pipeline.report.pdf import in_order, pdf

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="120" viewBox="0 0 300 120">
<rect width="300" height="120" fill="#ffffff"/>
{marks}
<text x="10" y="100" font-family="sans-serif" font-size="12">plain</text>
<text x="90" y="100" font-family="sans-serif" font-size="12" font-weight="bold">bold</text>
</svg>"""
# Each opacity is a resource of its own, and so is each font: what the converter writes in another order each time.
MARKS = "\n".join(
    f'<g opacity="{0.1 + 0.02 * i:.2f}"><circle cx="{10 * i}" cy="40" r="9" fill="#3d5cea"/>'
    f'<circle cx="{10 * i + 4}" cy="44" r="9" fill="#a84a35"/></g>'
    for i in range(25)
)
DRAWING = SVG.format(marks=MARKS)


def test_the_same_drawing_gives_the_same_bytes():
    assert len({pdf(DRAWING) for _ in range(20)}) == 1


def test_each_entry_of_the_cross_reference_table_is_where_its_object_begins():
    document = pdf(DRAWING)
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", document)[1])
    table = document[start:]
    count = int(re.match(rb"xref\n0 (\d+)\n", table)[1])
    entries = re.findall(rb"(\d{10}) (\d{5}) ([nf])\r\n", table)
    assert len(entries) == count == int(re.search(rb"/Size (\d+)", table)[1])
    assert entries[0] == (b"0000000000", b"65535", b"f")
    for number, (offset, _, kind) in enumerate(entries[1:], start=1):
        assert kind == b"n"
        assert document[int(offset) :].startswith(b"%d 0 obj\n" % number)


def test_every_reference_is_to_an_object_and_every_object_is_referred_to():
    document = pdf(DRAWING)
    text = re.sub(rb"\nstream\n.*?\nendstream", b"", document, flags=re.DOTALL)
    objects = [int(n) for n in re.findall(rb"^(\d+) 0 obj$", text, flags=re.MULTILINE)]
    assert objects == list(range(1, len(objects) + 1))
    assert {int(n) for n in re.findall(rb"\b(\d+) 0 R\b", text)} == set(objects)


def test_streams_are_as_long_as_they_say_and_can_be_read():
    document = pdf(DRAWING)
    found = 0
    for header, stream in re.findall(rb"<<\n((?:(?!>>).)*?)>>\nstream\n(.*?)\nendstream", document, flags=re.DOTALL):
        if b"/FlateDecode" in header:
            assert len(stream) == int(re.search(rb"/Length (\d+)", header)[1])
            zlib.decompress(stream)
            found += 1
    assert found >= 3


def test_it_is_one_page_of_the_size_of_the_drawing_with_two_fonts():
    document = pdf(DRAWING)
    assert document.startswith(b"%PDF-1.")
    assert b"/Count 1\n" in document
    assert b"/MediaBox [0 0 300 120]" in document
    assert len(set(re.findall(rb"/BaseFont /[A-Z]{6}\+(\S+)", document))) == 2


def test_putting_in_order_twice_changes_nothing():
    document = pdf(DRAWING)
    assert in_order(document) == document


def test_another_kind_of_file_is_refused():
    with pytest.raises(ValueError, match="no trailer"):
        in_order(b"%PDF-1.7\n%x\n\n1 0 obj\n<<>>\nendobj\n")

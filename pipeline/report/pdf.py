"""Figures as PDF, with the same bytes for the same drawing.

The converter writes fonts and the entries of resource dictionaries in the order of a hash table, another one each time.
Here its objects are put into the order in which they are first referred to from the root of the document (ISO 32000-1,
Section 7.5), resources by name, and the cross-reference table is written for it.
"""

from __future__ import annotations

import re

import vl_convert

_OBJECT = re.compile(rb"^(\d+) 0 obj\n(.*?)^endobj$", re.MULTILINE | re.DOTALL)
_TRAILER = re.compile(rb"^trailer\n(<<.*?>>)\s*startxref", re.MULTILINE | re.DOTALL)
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_RESOURCES = re.compile(rb"(?:^[ \t]*/[a-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)
_RESOURCE = re.compile(rb"/([a-z]+)(\d+) ")
_STREAM = b"\nstream\n"


def pdf(svg: str) -> bytes:
    """An SVG as a PDF of one page, of the same size and with its text as text."""
    return in_order(vl_convert.svg_to_pdf(svg))


def in_order(document: bytes) -> bytes:
    """A PDF with its objects in the order of their references. Raises ValueError for one that this cannot read."""
    objects = {int(found[1]): found[2].partition(_STREAM) for found in _OBJECT.finditer(document)}
    trailer = _TRAILER.search(document)
    if trailer is None or not objects:
        raise ValueError("the PDF has no trailer or no objects; it is not of the kind that vl-convert 1.9 writes")
    texts = {number: _RESOURCES.sub(_by_name, text) for number, (text, _, _) in objects.items()}

    # Depth first from the trailer; a dictionary gives its references in the order in which it is written.
    number: dict[int, int] = {}
    waiting = _references(trailer[1])[::-1]
    while waiting:
        old = waiting.pop()
        if old not in number:
            number[old] = len(number) + 1
            waiting += _references(texts[old])[::-1]

    def renumbered(text: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % number[int(found[1])], text)

    header, comment, _ = document.split(b"\n", 2)
    written = bytearray(header + b"\n" + comment + b"\n\n")
    offsets = []
    for old, new in number.items():
        offsets.append(len(written))
        _, keyword, stream = objects[old]
        written += b"%d 0 obj\n%sendobj\n\n" % (new, renumbered(texts[old]) + keyword + stream)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(number) + 1)
    written += b"".join(b"%010d 00000 n\r\n" % offset for offset in offsets)
    trailer_text = re.sub(rb"/Size \d+", b"/Size %d" % (len(number) + 1), renumbered(trailer[1]))
    written += b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer_text, start)
    return bytes(written)


def _references(text: bytes) -> list[int]:
    return [int(found) for found in _REFERENCE.findall(text)]


def _by_name(block: re.Match[bytes]) -> bytes:
    """Lines of a resource dictionary in the order of their names: gs0, gs1, …, gs10."""
    return b"".join(sorted(block[0].splitlines(keepends=True), key=_name_of))


def _name_of(line: bytes) -> tuple[bytes, int]:
    name = _RESOURCE.search(line)
    return name[1], int(name[2])

"""Names are anybody's: page and figures get no character that XML does not have."""

import pyarrow as pa

from pipeline.report.remembered import printable


def test_characters_that_xml_does_not_have_are_replaced():
    texts = ["ap\x1bp", "a\x00b\x0b\ufffe\uffff", "tab\tline\nend\r é 🙂 <b>", None]
    rows = printable(pa.table({"n": [1, 2, 3, 4], "text": texts}))
    assert rows.to_pydict() == {"n": [1, 2, 3, 4], "text": ["ap\ufffdp", "a\ufffdb\ufffd\ufffd\ufffd", *texts[2:]]}

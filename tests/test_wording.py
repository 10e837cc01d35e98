"""Texts of others are safe to show."""

import duckdb
import pytest

from pipeline.runtime.wording import escaped, listing
from pipeline.warehouse.answer import answer

CODES = {code: ascii(code)[1:-1] for code in "\x1b\x9b\n\r\u202e\u2028\x7f"}


@pytest.mark.parametrize("code", CODES)
def test_codes_are_written_out_and_other_characters_stay(code):
    assert escaped(f"ä→µ '日{code}") == f"ä→µ '日{CODES[code]}"
    assert escaped(f"a{code}", allowed=code) == f"a{code}"
    assert listing([f"a{code}b", "c"]) == f"a{CODES[code]}b, c"


@pytest.mark.parametrize("full", [True, False])
def test_tables_of_a_query_have_no_codes_of_texts_or_names(tmp_path, full):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute('CREATE TABLE t AS SELECT ? AS "a\x1b[2J", 1 AS n', ["one\ntwo\u202e\x9b"])
        connection.execute("INSERT INTO t VALUES (NULL, 2)")
    text = answer(tmp_path / "x.duckdb", "FROM t", full=full)
    assert "one\\ntwo\\u202e\\x9b" in text
    assert "a\\x1b[2J" in text
    assert not any(code in text for code in CODES if code != "\n")
